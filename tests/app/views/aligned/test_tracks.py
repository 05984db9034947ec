"""Tracks: those that suit what is shown, their values as a table, their figure alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest

from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing import cell_painter
from antidiag.app.views.aligned.export import figures
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.alignments import cell_pixels, cell_sample, cpu_blocks
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from tests.app.answers import Answers
from tests.app.views.aligned.viewer import alignment, image, press, text


def nucleotides() -> Any:
    return alignment("ACG-TTGAC", "ACGATTGA-", kind=SequenceType.DNA)


def test_titles_of_tracks_are_whole_beside_short_names_and_else_end_in_dots(view: AlignmentViewer) -> None:
    view.show_datum(nucleotides())
    written = []

    class Told(QPainter):
        def drawText(self, *given: Any) -> None:
            written.append(given[-1])
            super().drawText(*given)

    def titles(left: int) -> set[str]:
        written.clear()
        view.canvas.frame_.left, picture = left, QImage(400, 400, QImage.Format.Format_RGB32)
        painter = Told(picture)
        cell_painter.draw_head(painter, view.picture, view.canvas.frame_, ["codons", "frame 1"], 1.0)
        painter.end()
        return set(written)

    assert {"Codon position", "Frame 1 of the row"} <= titles(view.canvas.names_width)
    assert any(title.endswith("\N{HORIZONTAL ELLIPSIS}") for title in titles(100))


def test_tracks_that_do_not_suit_an_alignment_come_back_with_one_that_they_do(view: AlignmentViewer) -> None:
    assert {"conservation", "logo"} <= set(view.canvas.shown_tracks)
    view.show_datum(nucleotides())
    view.set_track("codons", True)
    view.set_track("frame 2", True)
    view.set_track("match", True)
    assert view.canvas.shown_tracks == ["logo", "consensus", "occupancy", "codons", "frame 2", "match"]
    view.show_datum(alignment())
    assert view.canvas.shown_tracks == ["logo", "consensus", "conservation", "occupancy"]
    view.set_track("note:SS", True)
    image(view)
    view.show_datum(nucleotides())
    assert "codons" in view.canvas.shown_tracks and "note:SS" in view.canvas.shown_tracks
    view.commands.translate_codons(0)
    assert "codons" not in view.canvas.shown_tracks and "conservation" in view.canvas.shown_tracks


def saved(view: AlignmentViewer, path: Path, answers: Answers, qtbot: Any, save: Any) -> str:
    answers.path = path
    save()
    qtbot.waitUntil(lambda: not view.exporter.file_writing.busy)
    return path.read_text() if path.suffix != ".png" else ""


def test_values_of_tracks_are_saved_as_a_table(
    view: AlignmentViewer, tmp_path: Path, answers: Answers, qtbot: Any
) -> None:
    view.canvas.set_tracks(["consensus", "occupancy", "note:SS", "identity"])
    lines = saved(view, tmp_path / "tracks.csv", answers, qtbot, view.exporter.save_tracks).splitlines()
    assert lines[0] == "column,Consensus,Occupancy,SS,Identity" and len(lines) == 16
    assert lines[1] == "1,M,0.8,H,0.8" and lines[5] == "5,-,0.4,H,0.4"
    view.canvas.select_cells(None, np.isin(np.arange(15), [1, 4]))
    lines = saved(view, tmp_path / "some.tsv", answers, qtbot, view.exporter.save_tracks).splitlines()
    assert [line.split("\t")[0] for line in lines] == ["column", "2", "5"]


def test_tracks_have_a_figure_without_rows(view: AlignmentViewer, tmp_path: Path, answers: Answers, qtbot: Any) -> None:
    alone, whole = (
        figures.wrapped_figure(view.exporter.figure_source, rows=False),
        figures.wrapped_figure(view.exporter.figure_source),
    )
    assert alone.size.height() < whole.size.height()
    said = saved(view, tmp_path / "tracks.svg", answers, qtbot, view.exporter.save_track_picture)
    assert "Conservation" in said and "Occupancy" in said and "row0" not in said


def test_tracks_of_a_row_tell_of_that_at_the_cursor_in_figures_too(
    view: AlignmentViewer, tmp_path: Path, answers: Answers, qtbot: Any
) -> None:
    said = Annotations(of_letters=((0, "PP", "12345678"), (1, "PP", "qrstuvwx")))
    view.show_datum(replace(alignment("ATGTGGTA", "TTTAAATA", "GGGGGGTA", kind=SequenceType.DNA), annotations=said))
    view.canvas.set_tracks(["frame 1", "row note:PP"])
    view.canvas.go_to(0, 3)
    assert tracks.offered_tracks(view.picture)["row note:PP"] == "PP of the row"
    assert tracks.offered_tracks(view.picture)["frame 1"] == tracks.track_title("frame 1") == "Frame 1 of the row"
    assert tracks.track_characters("frame 1", view.picture, 0, 8).split() == ["M", "W"]
    assert tracks.track_characters("row note:PP", view.picture, 2, 5) == "345"
    view.canvas.select_cells(np.arange(3) == 2, None)
    for save in (view.exporter.save_wrapped, view.exporter.save_track_picture):
        drawn = saved(view, tmp_path / "figure.svg", answers, qtbot, save)
        assert all(f'aria-label="{letter}"' in drawn for letter in "MW12345678") and 'aria-label="F"' not in drawn
    view.canvas.go_to(2, 3)
    assert tracks.track_characters("row note:PP", view.picture, 0, 8) == ""


def test_what_is_said_of_the_cursor_follows_an_edit(view: AlignmentViewer) -> None:
    view.canvas.go_to(0, 6)
    press(view, " ")
    assert text(view)[0].startswith("MKVA-L-N") and view.picture.cursor == (0, 7)
    assert view.status.text().startswith("column 8 ")


def test_code_that_paints_is_loaded_for_what_is_painted(view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, set[Any]] = {}

    def heard(name: str, call: Any) -> Any:
        def record(*given: Any) -> Any:
            asked.setdefault(name, set()).add(tuple(map(numba.typeof, given)))
            return call(*given)

        return record

    painters = ("_paint_cells", "_paint_sample", "_paint_letters", "paint_logo")
    for name in painters:
        monkeypatch.setattr(cell_pixels, name, heard(name, getattr(cell_pixels, name)))
    monkeypatch.setattr(cell_sample, "_sample_cells", heard("_take", cell_sample._sample_cells))
    monkeypatch.setattr(cpu_blocks, "count_other_letters", heard("count_others", cpu_blocks.count_other_letters))
    cell_pixels.load_compiled_code(view.alignment.letters[:])
    loaded = {name: set(kinds) for name, kinds in asked.items()}
    view.canvas.repaint_all()
    view.show_status("")
    image(view)
    view.picture.sample = cell_sample.update_sample(None, view.alignment.letters, Monitor())
    view.canvas.frame_.cell_width = 1 / 64
    cell_painter.paint_cells(view.picture, view.canvas.frame_, 1, cell_painter.COARSE_SAMPLES)
    assert loaded.keys() == {*painters, "_take", "count_others"} and asked == loaded


@pytest.mark.parametrize("strokes", [False, True])
def test_a_letter_that_stands_for_any_has_no_place_in_a_logo(view: AlignmentViewer, strokes: bool) -> None:
    pictures = []
    for rows in (["WW-"] * 8, ["WWX"] * 8, ["WWW"] * 8):
        view.show_datum(alignment(*rows))
        pictures.append(QImage(400, 60, QImage.Format.Format_RGB32))
        pictures[-1].fill(0)
        painter = QPainter(pictures[-1])
        tracks.draw_track(painter, "logo", view.picture, view.canvas.frame_, 0, 1, strokes)
        painter.end()
    gaps, any_letter, letters = pictures
    assert gaps == any_letter != letters


def test_pointing_at_a_track_tells_its_value(view: AlignmentViewer, qtbot: Any) -> None:
    view.canvas.set_tracks(["logo", "consensus", "occupancy"])
    qtbot.waitUntil(lambda: view.sharp)
    frame, top = view.canvas.frame_, tracks.RULER_HEIGHT
    for name, wanted in (("logo", "bits"), ("consensus", "Consensus: K"), ("occupancy", "Occupancy: 0.8")):
        place = QPointF(frame.column_x(1.5), top + tracks.track_height(name) / 2)
        top += tracks.track_height(name)
        QTest.mouseMove(view.canvas.viewport(), place.toPoint())
        qtbot.waitUntil(lambda wanted=wanted: wanted in view.status.text())
        assert view.status.text().startswith("column 2 ") and view.selection.column == 1
        assert view.canvas.viewport().toolTip() == view.status.text()
    QTest.mouseMove(view.canvas.viewport(), QPointF(frame.column_x(1.5), frame.top + 5).toPoint())
    qtbot.waitUntil(lambda: "row 1" in view.status.text())
    assert not view.canvas.viewport().toolTip()
