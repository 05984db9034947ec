"""Alignments in the window: opened, shown, taken apart, edited, saved with the session."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from antidiag.app import file_actions
from antidiag.app.panels.data import SUMMARY
from antidiag.app.views.aligned.editing import edit_history
from antidiag.kernels.alignments import cell_pixels
from antidiag.kernels.cpu import compilation
from antidiag.kernels.io import tree_files

CASES = Path(__file__).resolve().parents[1] / "cases"
STOCKHOLM = "# STOCKHOLM 1.0\none AC-GT\ntwo ACGGT\nthree A--GT\n//\n"


def opened(qtbot: Any, window: Any, folder: Path) -> Any:
    path = folder / "family.sto"
    path.write_text(STOCKHOLM)
    window.loader.open_paths([path])
    qtbot.waitUntil(lambda: window.viewer.datum is not None and window.viewer.current.alignment is not None)
    return window.viewer.current


def test_an_alignment_that_was_opened_is_shown_as_one(qtbot: Any, window: Any, tmp_path: Path) -> None:
    view = opened(qtbot, window, tmp_path)
    assert window.viewer.tabs_shown() == ("aligned", "profile") and view.alignment.names == ("one", "two", "three")
    assert "3 rows of 5 columns" in window.viewer.heading_label.text() and not window.session.state.sequences


def test_an_alignment_opens_with_the_trees_of_its_file(qtbot: Any, window: Any) -> None:
    window.loader.open_paths([CASES / "sto" / "nx10_both.nex", CASES / "aln" / "g04_allmissing.fa"])
    qtbot.waitUntil(lambda: len(window.session.state.data) == 3)
    alignment, tree, missing = window.session.state.data
    assert alignment.names == tree.taxa == ("A", "B", "C") and missing.note == "4 '?' count as N"


def button_of(action: Any, window: Any) -> QToolButton:
    """Return the button of a command in the toolbar of the window."""
    (found,) = (one for one in window.findChildren(QToolButton) if one.defaultAction() is action)
    return found


@pytest.mark.parametrize("width", [1280, 1500])
def test_the_tools_of_every_day_are_seen_in_a_small_window(qtbot: Any, window: Any, tmp_path: Path, width: int) -> None:
    window.resize(width, 720)
    window.put_docks_back()  # as a window of this size starts
    view = opened(qtbot, window, tmp_path)
    view.canvas.setFocus()
    QTest.keyClick(view.canvas, Qt.Key.Key_Space)
    away = view._tools.layout().overflowing_tools()
    titles = {button.text() for button in view.menus.buttons.values() if button not in away}
    assert titles >= {"Colours", "Tracks", "Rows", "Edit", "Copy", "Save"} and away  # the window is small
    undo = button_of(window.commands["undo"], window)
    assert undo.isVisible() and view.alignment.letters.shape == (3, 6)
    QTest.mouseClick(undo, Qt.MouseButton.LeftButton)
    assert view.alignment.letters.shape == (3, 5)


def test_opening_tells_that_code_is_compiled(
    qtbot: Any, window: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At first use this takes longer than reading; the job says so, and can be cancelled."""
    go_on = threading.Event()
    monkeypatch.setattr(compilation, "LOADING_S", 0.05)
    monkeypatch.setattr(cell_pixels, "load_compiled_code", lambda letters: go_on.wait())
    path = tmp_path / "family.sto"
    path.write_text(STOCKHOLM)
    window.loader.open_paths([path])
    (job,) = window.queue.jobs
    qtbot.waitUntil(lambda: job.progress[2] == compilation.COMPILING)
    window.queue.cancel(job)
    qtbot.waitUntil(lambda: not window.queue.active)
    go_on.set()
    assert not window.session.state.data


def test_as_sequences_takes_it_apart(qtbot: Any, window: Any, tmp_path: Path) -> None:
    opened(qtbot, window, tmp_path)
    assert window.data.sequences_button.isVisible()
    window.data.sequences_button.click()
    found = window.session.state.sequences
    assert [(one.name, one.letters) for one in found] == [("one", b"ACGT"), ("two", b"ACGGT"), ("three", b"AGT")]
    assert [one.note for one in found] == ["1 gap removed", "", "2 gaps removed"]
    assert window.jobs.message.text() == "3 gaps removed from 2 sequences"
    window.session.undo_stack.undo()
    assert not window.session.state.sequences


@pytest.mark.parametrize("large", [pytest.param(edit_history.LARGE_LETTERS, marks=pytest.mark.slow), 0])
def test_edits_go_with_the_session(
    qtbot: Any, window: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    monkeypatch.setattr(edit_history, "LARGE_LETTERS", large)  # of large alignments it is the changes that are kept
    view = opened(qtbot, window, tmp_path)
    view.canvas.setFocus()
    QTest.keyClick(view.canvas, Qt.Key.Key_Space)
    wanted = view.alignment
    assert wanted.letters.shape == (3, 6)
    sizes = [lambda: window.viewer.heading_label.text(), lambda: window.data.list.topLevelItem(0).text(SUMMARY)]
    assert all("3 rows of 6 columns, edited" in size() for size in sizes)
    view.undo()
    assert all(size().endswith("3 rows of 5 columns") for size in sizes)
    view.redo()
    view.tree.show_offered(tree_files.parse_trees("((three,one),two);")[0], True)
    path = tmp_path / "kept.antidiag"
    file_actions.save_session(window, path)
    qtbot.waitUntil(lambda: "Saved" in window.jobs.message.text())
    window.session.remove_data([0])
    assert not window.session.state.data
    file_actions.open_session(window, path)
    qtbot.waitUntil(lambda: view.alignment == wanted)  # what a session without results holds is seen at once
    assert all("3 rows of 6 columns, edited" in size() for size in sizes)
    assert view.editor.undo_text == "earlier changes"
    assert view.tree.panel.isVisible() and view.picture.order.tolist() == [2, 0, 1]
    view.tree.show_tree(None)
    view.exporter.add_to_data()
    assert [datum.letters.shape for datum in window.session.state.data] == [(3, 5), (3, 6)]


def test_a_tree_among_the_data_stands_beside_the_rows(qtbot: Any, window: Any, tmp_path: Path) -> None:
    view = opened(qtbot, window, tmp_path)
    (tree,) = tree_files.parse_trees("((three,one),two);")
    view.datum_offered.emit(tree)
    assert window.session.state.data[-1] is tree and window.viewer.current is view
    assert view.tree.list_trees() == [tree]
    view.tree.show_offered(tree, True)
    assert view.tree.panel.isVisible() and view.picture.order.tolist() == [2, 0, 1]
    view.tree.set_collapsed([0])
    assert view.picture.shape[0] == 1
    view.tree.show_offered(tree, False)
    assert view.picture.shape[0] == 3


def test_what_is_opened_is_selected_among_the_data(qtbot: Any, window: Any, tmp_path: Path) -> None:
    opened(qtbot, window, tmp_path)
    other = tmp_path / "other.sto"
    other.write_text(STOCKHOLM.replace("A", "C", 1))
    window.loader.open_paths([other])
    qtbot.waitUntil(lambda: len(window.session.state.data) == 2 and window.viewer.datum.name == "other")
    assert window.data.list.currentItem().text(0) == "other"


def test_an_alignment_that_is_no_longer_open_is_no_longer_shown(qtbot: Any, window: Any, tmp_path: Path) -> None:
    opened(qtbot, window, tmp_path)
    window.session.remove_data([0])
    assert not window.viewer.tabs.isVisible() and window.viewer.datum is None
    window.session.undo_stack.undo()
    window.data.show_current()
    assert window.viewer.tabs_shown() == ("aligned", "profile")
