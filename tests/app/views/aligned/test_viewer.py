"""The alignment viewer as a person uses it: with keys and the mouse, large alignments, results."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing import cell_painter
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.app.views.aligned.widgets.scroll_plane import MIN_ROWS_HEIGHT
from antidiag.kernels.alignments import alignment_edits, column_counter
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import SequenceType
from tests.app.views import examples, triples
from tests.app.views.aligned.viewer import ROWS, Alt, Control, Shift, alignment, cell, chosen, drag, image, press, text


def test_the_mouse_chooses_cells_rows_and_columns(view: AlignmentViewer) -> None:
    drag(view, cell(view, 1, 2), cell(view, 3, 4))
    assert chosen(view) == ([1, 2, 3], [2, 3, 4])
    drag(view, QPointF(20, cell(view, 0, 0).y()), QPointF(20, cell(view, 1, 0).y()))
    assert chosen(view) == ([0, 1], list(range(15))) and view.selection.taxa == {"row0", "row1"}
    drag(view, QPointF(20, cell(view, 4, 0).y()), QPointF(20, cell(view, 4, 0).y()), Control)
    assert chosen(view)[0] == [0, 1, 4]
    drag(view, QPointF(cell(view, 0, 5).x(), 8), QPointF(cell(view, 0, 6).x(), 8))
    assert chosen(view) == ([0, 1, 2, 3, 4], [5, 6]) and view.selection.taxa == frozenset()
    drag(view, cell(view, 0, 0), cell(view, 0, 0))
    assert chosen(view)[1] == [] and view.picture.cursor == (0, 0)


def test_keys_move_choose_and_zoom(view: AlignmentViewer) -> None:
    press(view, Qt.Key.Key_End, Control)
    assert view.picture.cursor == (4, 14)
    press(view, Qt.Key.Key_Home, Control)
    press(view, Qt.Key.Key_Right, Control)
    assert view.picture.cursor == (0, 4)  # where the gap begins
    press(view, Qt.Key.Key_Down, Shift)
    press(view, Qt.Key.Key_Right, Shift)
    assert chosen(view) == ([0, 1], [4, 5])
    press(view, Qt.Key.Key_Escape)
    assert chosen(view) == ([], [])
    press(view, Qt.Key.Key_A, Control)
    assert chosen(view) == ([0, 1, 2, 3, 4], list(range(15)))
    width, height = view.canvas.frame_.cell_width, view.canvas.frame_.cell_height
    press(view, Qt.Key.Key_Right, Alt)
    assert view.canvas.frame_.cell_width > width and view.canvas.frame_.cell_height == height
    press(view, Qt.Key.Key_0, Control)
    assert view.canvas.frame_.cell_width * 15 <= view.canvas.frame_.width + 1


def test_keys_of_the_window_stay_with_it(view: AlignmentViewer) -> None:
    def accepted(key: Any, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
        event.ignore()
        QApplication.sendEvent(view.canvas, event)
        return event.isAccepted()

    assert not accepted(Qt.Key.Key_Escape)
    view.canvas.select_cells(None, None)
    assert accepted(Qt.Key.Key_Escape)
    press(view, Qt.Key.Key_F, Control)
    assert QApplication.focusWidget() is view.finder.box
    view.canvas.setFocus()
    event = QKeyEvent(QEvent.Type.KeyPress, 0x424, Qt.KeyboardModifier.NoModifier, "\N{CYRILLIC CAPITAL LETTER EF}")
    QApplication.sendEvent(view.canvas, event)
    assert text(view) == list(ROWS)


def test_many_rows_become_a_coarse_picture_and_then_a_sharp_one(view: AlignmentViewer, qtbot: Any) -> None:
    random = np.random.default_rng(1)
    letters = random.choice(np.frombuffer(b"ACGT-", np.uint8), (3000, 2000))
    view.show_datum(AlignedSequences(tuple(map(str, range(3000))), letters, SequenceType.DNA))
    assert view.picture.columns is None
    view.canvas.fit_all()
    image(view)
    qtbot.waitUntil(lambda: view.sharp and view.picture.columns is not None)
    assert view.picture.columns.rows == 3000
    view.overview.centre_requested.emit((1500.0, 1000.0))
    view.canvas.zoom_to_letters()
    assert view.canvas.viewport().size() != QSize() and view.canvas.frame_.fits_letters


def test_the_map_never_shows_another_alignment(view: AlignmentViewer, monkeypatch: Any, qtbot: Any) -> None:
    def map_colours() -> set[str]:
        pixels = view.overview.grab().toImage()
        return {pixels.pixelColor(x, y).name() for x in range(5, pixels.width(), 9) for y in range(5, 40, 9)}

    view.resize(900, 600)
    qtbot.waitUntil(lambda: view.sharp and len(map_colours()) > 2)
    monkeypatch.setattr(view.overview._making, "request", lambda work: None)  # a machine that is busy with other work
    press(view, Qt.Key.Key_Space)
    assert len(map_colours()) > 2, "the map of the same rows stays until the new one is ready"
    view.show_datum(alignment("AAAA", "CCCC"))
    assert len(map_colours()) <= 2


def test_values_of_tracks_of_many_rows_are_made_on_a_thread(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(column_counter, "MAX_LETTERS_AT_ONCE", 1)
    monkeypatch.setattr(column_counter, "MAX_COLUMNS_AT_ONCE", 1)
    threads: list[bool] = []

    def seen(work: Any) -> Any:
        return lambda *given: threads.append(threading.current_thread() is threading.main_thread()) or work(*given)

    monkeypatch.setattr(tracks, "TRACKS", {
        name: replace(track, values=track.values and seen(track.values)) for name, track in tracks.TRACKS.items()
    })  # fmt: skip
    view.show_datum(alignment())
    image(view)
    qtbot.waitUntil(lambda: view.sharp and "conservation" in view.picture.tracks)
    view.set_track("entropy", True)
    image(view)
    qtbot.waitUntil(lambda: "entropy" in view.picture.tracks)
    view.compare_with(alignment())
    qtbot.waitUntil(lambda: "agreement" in view.picture.tracks)
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    image(view)
    qtbot.waitUntil(lambda: "agreement" in view.picture.tracks)
    assert 0 < view.picture.tracks["agreement"][4] < 1
    view.canvas.select_cells(None, np.arange(16) < 2)
    view.commands.delete_selected()  # now it has other letters than the reference
    qtbot.waitUntil(lambda: "agreement" not in view.canvas.shown_tracks)
    assert view.picture.reference is None and threads and not any(threads)


def test_very_many_columns_move_by_a_sample_which_follows_edits(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(column_counter, "MAX_COLUMNS_AT_ONCE", 1 << 14)
    letters = np.full((300, 40_000), ord("A"), np.uint8)
    view.show_datum(AlignedSequences(tuple(map(str, range(300))), letters, SequenceType.DNA))
    view.canvas.fit_all()
    qtbot.waitUntil(lambda: view.picture.sample is not None and view.sharp)
    painted, cells = [], cell_painter.cell_pixels.paint_cells
    monkeypatch.setattr(
        cell_painter.cell_pixels, "paint_cells", lambda *given: painted.append(given[-1]) or cells(*given)
    )

    def moved() -> set[int]:
        pixels = cell_painter.paint_cells(view.picture, view.canvas.frame_, 1, cell_painter.COARSE_SAMPLES)
        return set(np.unique(pixels).tolist())

    one, sample = moved(), view.picture.sample
    assert len(one) == 1 and cell_painter.COARSE_SAMPLES not in painted
    view.editor.apply_edit(
        "typing", alignment_edits.set_letters(view.alignment, np.arange(200), np.arange(40_000) < 20_000, "C")
    )
    assert view.picture.sample is sample and len(moved()) == 2 and cell_painter.COARSE_SAMPLES not in painted
    qtbot.waitUntil(lambda: view.picture.columns is not None and view.picture.sample is not sample)
    assert one < moved() and cell_painter.COARSE_SAMPLES not in painted
    view.show_datum(alignment())
    assert view.picture.sample is None


def test_alignments_of_two_and_of_three_are_shown_as_rows(view: AlignmentViewer) -> None:
    pair = examples.result(examples.problem("ACGTACGTTACG", "ACGTCGTTACG", "global"))
    triple = triples.result(triples.problem())
    for result, rows in ((pair, 2), (triple, 3)):
        assert view.shows(result)
        view.show_result(result)
        assert view.alignment.letters.shape[0] == rows and view.result is result
        wanted = [one.letters.replace(b"-", b"") for one in result.problem.sequences]
        assert [row.tobytes().replace(b"-", b"") for row in view.alignment.letters] == wanted
    assert not view.shows(triples.result(triples.problem(), score_only=True))
    view.show_result(None)
    assert view.result is None and view.picture is None


def test_nothing_is_shown_of_nothing(view: AlignmentViewer) -> None:
    view.show_result(None)
    assert view.picture is None and not view._tools.isEnabled()
    image(view)
    assert aligned_sequences.unaligned_sequences(alignment("A-", "--"))[0].letters == b"A"


def test_tracks_leave_room_for_rows(view: AlignmentViewer) -> None:
    for name in ("logo", "consensus", "conservation", "occupancy", "quality"):
        view.set_track(name, True)
    shown = view.canvas.frame_.top
    view.canvas.setFixedHeight(150)
    image(view)
    assert view.canvas.frame_.height >= MIN_ROWS_HEIGHT and view.canvas.frame_.top < shown
    assert set(view.canvas.shown_tracks) >= {"logo", "quality"}
    view.canvas.setFixedHeight(600)
    image(view)
    assert view.canvas.frame_.top == shown


def test_tools_are_one_line_and_those_without_room_are_in_a_menu(view: AlignmentViewer) -> None:
    tools, row = view._tools, view._tools.layout()
    for width in (1900, 900, 620, 420):
        view.resize(width, 600)
        QApplication.processEvents()
        assert tools.height() < 60 and view.width() == width
        assert row.more.isHidden() == (not row.overflowing_tools())
        row._fill_menu()
        there = [action.text() for action in row.menu.actions()]
        assert ("Save" in there) == (view.menus.buttons["save"] in row.overflowing_tools())
    assert {"Larger columns", "Fit", "Compare", "Edit"} <= set(there) and "Save" not in there and "Copy" not in there
    (edit,) = (action for action in row.menu.actions() if action.text() == "Edit")
    assert edit.menu() is view.menus.buttons["edit"].menu()
