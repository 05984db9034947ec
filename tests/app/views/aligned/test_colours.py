"""Letters in their cells and the colours behind them."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QFontInfo, QFontMetricsF

from antidiag.app import theme
from antidiag.app.views.aligned.colouring import colour_inputs, schemes
from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.alignments import column_counter
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.model import SequenceType
from tests.app.answers import Answers
from tests.app.views.aligned.viewer import alignment, cell, image


def test_letters_stand_in_their_cells_and_colours_behind_them(view: AlignmentViewer) -> None:
    painted, palette = image(view), view.picture.colouring
    for row, column in ((0, 0), (3, 4), (4, 14)):
        place = cell(view, row, column)
        code = palette.codes[0, tracks.LETTER_CLASS[view.alignment.letters[row, column]]]
        corner = painted.pixelColor(
            int(place.x() - view.canvas.frame_.cell_width / 2) + 1,
            int(place.y() - view.canvas.frame_.cell_height / 2) + 1,
        )
        assert (corner.red(), corner.green(), corner.blue()) == tuple(palette.palette[code].tolist())


def test_letters_have_one_width_whatever_fonts_the_system_has(view: AlignmentViewer) -> None:
    found = QFontInfo(theme.fixed_font())
    assert found.family() == "JetBrains Mono" and theme.FONT.with_name("JetBrainsMono-OFL.txt").exists()
    metrics = QFontMetricsF(theme.fixed_font())
    assert len({metrics.horizontalAdvance(letter) for letter in "ACGTWMIJ-*il.|"}) == 1


@pytest.mark.parametrize("kind", [SequenceType.PROTEIN, SequenceType.DNA])
def test_every_scheme_track_and_size_can_be_painted(view: AlignmentViewer, kind: SequenceType) -> None:
    view.show_datum(alignment("ACGTAC-GT", "ACG-ACGGT", kind=kind))
    view.canvas.set_tracks(list(tracks.offered_tracks(view.picture)))
    assert "note:SS" in view.canvas.shown_tracks and ("quality" in view.canvas.shown_tracks) == (
        kind == SequenceType.PROTEIN
    )
    for scheme in schemes.available_schemes(kind == SequenceType.PROTEIN):
        view.set_scheme(scheme)
        shape = view.picture.colouring.codes.shape
        assert (
            shape[1] == 28
            and shape[0] in (1, 9)
            and view.picture.colouring.codes.max() < len(view.picture.colouring.palette)
        )
        image(view)
    for letters in ("differences", "none", "all"):
        view.set_letters(letters)
        image(view)
    view.canvas.fit_all()
    view.canvas.zoom_cells(0.01, 0.01)
    image(view)


def test_clustal_colours_follow_their_thresholds(view: AlignmentViewer) -> None:
    view.show_datum(alignment("GKPAC", "GKPDC", "GKAAC", "GEAWC", "GRASS"))
    view.set_scheme("clustal")
    codes, kinds = view.picture.colouring.codes, tracks.LETTER_CLASS
    none = 1
    assert (codes[:, kinds[ord("G")]] > none).all() and codes[2, kinds[ord("P")]] > none
    assert codes[1, kinds[ord("K")]] > none and codes[0, kinds[ord("K")]] == none
    assert codes[3, kinds[ord("A")]] == none and codes[4, kinds[ord("S")]] > none  # 80 % of cysteine is hydrophobic


def test_differences_are_told_from_the_row_at_the_cursor(view: AlignmentViewer) -> None:
    view.set_scheme("row")
    before = view.picture.colouring
    view.canvas.go_to(2, 0)
    after = view.picture.colouring
    kind = tracks.LETTER_CLASS[ord("R")]
    assert before.shown_letters[1, kind] == 1 and after.shown_letters[1, kind] == 0


def test_a_scheme_comes_from_a_file(view: AlignmentViewer, tmp_path: Any) -> None:
    path = tmp_path / "colours.txt"
    path.write_text("// mine\nMK #ff0000\nV=00ff00\n")
    found = schemes.colour_groups(schemes.read_groups(path))
    assert found.palette[found.codes[0, tracks.LETTER_CLASS[ord("V")]]].tolist() == [0, 255, 0]
    path.write_text("# mine\nMK: red\nDE = 00FF00\n")
    assert schemes.read_groups(path) == {"MK": "#ff0000", "DE": "#00ff00"}
    path.write_text("MK reddish\n")
    with pytest.raises(Exception, match="line 1: 'MK reddish' is not a line such as AVILM"):
        schemes.read_groups(path)


def test_the_row_that_others_are_compared_with_can_be_read(view: AlignmentViewer) -> None:
    view.show_datum(alignment("ACDE", "ACDF", "ACDE"))
    view.canvas.set_tracks([])
    view.canvas.go_to(2, 3)
    view.set_scheme("row")
    found = image(view)

    def written(row: int, column: int) -> bool:
        place, half = cell(view, row, column).toPoint(), int(view.canvas.frame_.cell_height / 2) - 3
        panel = theme.active().panel
        return any(found.pixelColor(place.x() + x, place.y() + y).name() != panel
                   for x in range(-3, 4) for y in range(-half, half))  # fmt: skip

    assert [[written(row, column) for column in range(3)] for row in range(3)] == [[False] * 3, [False] * 3, [True] * 3]
    assert written(1, 3) and not written(0, 3)


def test_a_scheme_from_a_file_follows_the_theme(view: AlignmentViewer, tmp_path: Any, answers: Answers) -> None:
    path = tmp_path / "colours.txt"
    path.write_text("MK #ff0000\n")
    answers.path = path
    view.colours.ask_colour_file()
    try:
        for name in (theme.choice_of("dark"), theme.choice_of("light")):
            theme.switch(name)
            panel = QColor(theme.active().panel)
            assert view.picture.colouring.palette[0].tolist() == [panel.red(), panel.green(), panel.blue()]
            assert view.picture.colouring.palette[2].tolist() == [255, 0, 0]
    finally:
        theme.switch("light")


def test_colours_of_nucleotides_are_not_those_of_their_translation(view: AlignmentViewer) -> None:
    view.show_datum(alignment("ATGAAATAA", kind=SequenceType.DNA))
    view.set_scheme("purine")
    view.commands.translate_codons(0)
    assert view.scheme == "residues"
    view.editor.undo()
    assert view.scheme == "purine"  # which comes back with the nucleotides
    view.editor.redo()
    view.set_scheme("zappo")
    view.editor.undo()
    assert view.scheme == "purine"  # each alphabet keeps its own


def test_columns_have_the_structure_that_most_rows_have(view: AlignmentViewer) -> None:
    found = alignment("MKVAL", "MKVAL", "MKVAL")
    rows = ((0, "SS", "HHE-."), (1, "SS", "HHEEC"), (2, "SS", "HEE.C"), (2, "AC", "01234"))
    view.show_datum(replace(found, annotations=Annotations(of_letters=rows)))
    view.set_scheme("structure")
    palette = view.picture.colouring.palette[view.picture.colouring.codes[:, 1]].tolist()
    assert (
        palette[0] == palette[1] != palette[2] == palette[3]
        and colour_inputs.structure_marks(view.alignment) == "HHEEC"
    )
    assert [meaning for _, meaning in view.picture.colouring.items] == ["helix", "strand"]
    view.show_datum(replace(found, annotations=Annotations(of_letters=rows[3:])))
    assert view.scheme == "residues"


def test_colours_of_many_columns_are_made_on_a_thread(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(column_counter, "MAX_COLUMNS_AT_ONCE", 1)
    threads: list[bool] = []
    colouring = schemes.make_colouring

    def made(name: str, given: Any) -> schemes.CellColours:
        if schemes.SCHEMES[name].by_column:
            threads.append(threading.current_thread() is threading.main_thread())
        return colouring(name, given)

    monkeypatch.setattr(schemes, "make_colouring", made)
    for scheme in ("clustal", "row", "consensus"):
        view.set_scheme(scheme)
        view.canvas.go_to(2, 3)
        qtbot.waitUntil(lambda: view.sharp)
        assert len(view.picture.colouring.codes) == 15
    view.commands.insert_gap()
    assert len(view.picture.colouring.codes) == 15  # those before, until the new ones are there
    qtbot.waitUntil(lambda: view.sharp and len(view.picture.colouring.codes) == 16)
    assert threads and not any(threads)


def test_columns_are_coloured_by_what_the_file_says(view: AlignmentViewer) -> None:
    view.set_scheme("structure")
    assert view.picture.colouring.codes[0, 1] > 1  # a helix in all columns
    sure = replace(alignment(), annotations=Annotations(of_columns=(("PP_cons", "01122334566789*"),)))
    view.show_datum(sure)
    assert (
        "confidence" in tracks.offered_tracks(view.picture) and tracks.track_values("confidence", view.picture)[14] == 1
    )
    view.set_scheme("confidence")
    assert (np.diff(view.picture.colouring.codes[:, 1].astype(int)) >= 0).all()
    view.show_datum(alignment("AC", "A-"))
    image(view)
    assert view.picture.colouring.codes.shape[0] == 1 and "confidence" not in tracks.offered_tracks(view.picture)


def test_what_is_written_of_columns_is_told_from_the_track_of_its_values(view: AlignmentViewer) -> None:
    digits = (("confidence", "0123456789*****"), ("mask", 15 * "x"))
    view.show_datum(replace(alignment(), annotations=Annotations(of_columns=digits)))
    titles = list(tracks.offered_tracks(view.picture).values())
    assert {"Confidence", "confidence, as written", "mask"} <= set(titles)
    assert len({title.lower() for title in titles}) == len(titles)


def test_codons_and_frames_are_tracks_of_nucleotides(view: AlignmentViewer) -> None:
    view.show_datum(alignment("ATGAAATAA", "ATG---TAA", kind=SequenceType.DNA))
    view.canvas.set_tracks(["codons", "frame 1", "frame 2", "frame 3"])
    image(view)
    assert "codons" in tracks.offered_tracks(view.picture) and "quality" not in tracks.offered_tracks(view.picture)
    view.commands.translate_codons(0)
    assert not tracks.NUCLEOTIDES_ONLY & set(tracks.offered_tracks(view.picture))
    image(view)


def test_the_legend_has_a_colour_for_every_amino_acid(view: AlignmentViewer) -> None:
    view.set_scheme("taylor")
    assert {item.text for item in view.legend} >= set("ACDEFGHIKLMNPQRSTVWY")


def test_where_no_letters_are_written_those_without_a_colour_are_told_from_gaps(view: AlignmentViewer) -> None:
    view.set_scheme("none")
    letters = image(view)
    view.set_letters("none")
    plain = image(view)
    gap, letter = (plain.pixelColor(cell(view, 0, column).toPoint()) for column in (4, 5))
    assert view.picture.letter_at(0, 4) == "-" and gap.name() == theme.active().panel and letter != gap
    corner = cell(view, 0, 5).toPoint() - QPoint(5, 7)  # beside the letter
    assert letters.pixelColor(corner) == gap and plain.pixelColor(corner) == letter
