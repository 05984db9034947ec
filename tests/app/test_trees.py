"""Trees in the window: opened, pasted, looked at, linked with the table of sequences, kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from antidiag.app import file_actions
from antidiag.app.session import archive
from antidiag.app.session.session import Entry
from antidiag.app.session.state import State
from antidiag.app.startup import start_with
from antidiag.app.views.tree import tree_colours
from antidiag.kernels import engine, registry
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import TREE, write_trees
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.steps import StepLog
from tests.app.views import tree_examples
from tests.app.views.tree_examples import node, pixel

SELECT = "((one:1,two:2):1,three:1);"


@pytest.fixture
def tree_file(tmp_path: Path) -> Path:
    write_trees(tmp_path / "animals.nwk", [tree_examples.tree()])
    return tmp_path / "animals.nwk"


def opened(qtbot: Any, window: Any, path: Path) -> Any:
    """The tree view with the tree of a file."""
    window.loader.open_paths([path])
    qtbot.waitUntil(lambda: window.viewer.datum is not None)
    return window.viewer.current


def test_a_tree_that_was_opened_is_shown(qtbot: Any, window: Any, tree_file: Path) -> None:
    view = opened(qtbot, window, tree_file)
    assert window.viewer.tabs_shown() == ("tree",) and view.tree == tree_examples.tree()
    assert window.data.isVisible() and window.data.list.topLevelItem(0).text(1) == TREE.label
    assert "7 taxa" in window.viewer.chips.accessibleName() + window.viewer.heading_label.text()


def test_a_tree_can_be_pasted(qtbot: Any, window: Any) -> None:
    QApplication.clipboard().setText(SELECT)
    window.commands["paste"].trigger()
    qtbot.waitUntil(lambda: window.viewer.datum is not None)
    assert window.viewer.current.tree.taxa == ("one", "two", "three")


@pytest.fixture(scope="module")
def supported() -> Result:
    """The tree of an alignment, with replicates."""
    rows = b"AAAAAAAAAA", b"AAAAAAAAAC", b"CCCCCCCCCA", b"CCCCCCCCCC", b"CCCCCGGGGG"
    alignment = AlignedSequences(tuple("abcde"), np.array([list(row) for row in rows], np.uint8), SequenceType.DNA)
    method = registry.find_method("nj-alignment")
    problem = method.problem_type.make_problem([alignment], {"bootstrap": 30})
    return engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)


def test_the_tree_of_an_alignment_shows_its_support(window: Any, supported: Result) -> None:
    window.viewer.show_entry(Entry(supported))
    assert "tree" in window.viewer.tabs_shown()
    window.viewer.turn_to("tree")
    view = window.viewer.current
    inner = [view.tree.names[at] for at in range(len(view.tree)) if view.tree.degrees[at] and view.tree.names[at]]
    assert len(inner) == 2 and all(0 <= int(name) <= 100 for name in inner)
    assert np.nanmax(tree_colours.node_supports(view.tree)) >= 90 and view.canvas.picture.supports


def test_a_result_can_be_shown_again_after_a_tree(qtbot: Any, ready: Any, tree_file: Path) -> None:
    ready.run()
    qtbot.waitUntil(lambda: bool(ready.session.entries))
    opened(qtbot, ready, tree_file)
    assert ready.session.shown is None and ready.viewer.tabs_shown() == ("tree",)
    ready.results.table.setCurrentIndex(ready.results.table.model().index(0, 0))
    assert ready.session.shown is ready.session.entries[0] and "tree" not in ready.viewer.tabs_shown()
    ready.data.list.setCurrentItem(ready.data.list.topLevelItem(0))
    ready.data.activate()
    assert ready.viewer.tabs_shown() == ("tree",), "no method takes trees, so Enter shows it"


def test_a_click_on_data_shows_them_in_place_of_a_result_and_again(qtbot: Any, ready: Any, tree_file: Path) -> None:
    ready.run()
    qtbot.waitUntil(lambda: bool(ready.session.entries))
    opened(qtbot, ready, tree_file)
    rows = ready.data.list
    for _ in range(2):
        ready.results.table.setCurrentIndex(ready.results.table.model().index(0, 0))
        assert "tree" not in ready.viewer.tabs_shown()
        qtbot.mouseClick(
            rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualItemRect(rows.topLevelItem(0)).center()
        )
        assert ready.viewer.tabs_shown() == ("tree",)
        assert not ready.results.table.selectionModel().hasSelection()


def test_arrow_keys_show_one_datum_after_another(qtbot: Any, window: Any, tree_file: Path) -> None:
    opened(qtbot, window, tree_file)
    window.session.add_data([replace(tree_examples.tree(), name="other")])
    first, second = window.session.state.data
    rows = window.data.list
    rows.setFocus()
    for key, datum in ((Qt.Key.Key_Down, second), (Qt.Key.Key_Up, first)):
        qtbot.keyClick(rows, key)
        assert window.viewer.datum is datum


def test_a_clade_and_the_rows_of_the_table_are_one_selection(qtbot: Any, ready: Any, tmp_path: Path) -> None:
    (tmp_path / "pair.nwk").write_text(SELECT)
    view = opened(qtbot, ready, tmp_path / "pair.nwk")
    qtbot.waitUntil(lambda: view.canvas.width() > 100 and view.sharp)
    view.canvas.repaint()
    qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=pixel(view, node(view, "one", "two")))
    assert list(ready.sequences.table.rows()) == [0, 1]
    assert ready.selection.taxa == {"one", "two"}
    ready.sequences.table.selectRow(1)
    assert ready.selection.taxa == {"two"} and view.canvas.picture.marked[node(view, "two")]
    view.choose(node(view, "three"))
    assert list(ready.sequences.table.rows()) == [], "three is no open sequence"
    assert ready.selection.taxa == {"three"}


def test_a_tree_that_was_edited_can_be_kept(qtbot: Any, window: Any, tree_file: Path, tmp_path: Path) -> None:
    view = opened(qtbot, window, tree_file)
    view.editor.remove_clade(node(view, "hen"))
    view.offer_tree()
    kept = window.session.state.data[-1]
    assert isinstance(kept, Tree) and "hen" not in kept.taxa and len(window.session.state.data) == 2
    archive.save(tmp_path / "all.antidiag", window.session.state, (), {})
    state, *_ = archive.load(tmp_path / "all.antidiag")
    assert state.data == window.session.state.data


def test_a_result_with_tree_and_distances_survives_a_session(tmp_path: Path) -> None:
    before = tree_examples.result()
    archive.save(tmp_path / "all.antidiag", State(), [Entry(before)], {})
    _, (entry,), *_ = archive.load(tmp_path / "all.antidiag")
    assert entry.result.answer.tree == before.answer.tree
    assert entry.result.problem.matrix == before.problem.matrix
    assert entry.result.answer.joins.tolist() == before.answer.joins.tolist()


def show_two_trees(window: Any) -> None:
    results = [replace(tree_examples.result(), steps=StepLog()) for _ in range(2)]
    window.session.replace_all(State(), [Entry(result) for result in results])


def tree_view(window: Any) -> Any:
    window.viewer.turn_to("tree")
    return window.viewer.current


def test_edits_of_the_tree_of_a_result_are_kept_in_a_session(window: Any, tmp_path: Path) -> None:
    show_two_trees(window)
    view = tree_view(window)
    view.editor.swap_children(0)
    view.editor.root_above(node(view, "bee"))
    inner = [number for number in range(1, len(view.tree)) if view.tree.degrees[number]]
    view.editor.toggle_collapsed(inner[-1])
    shown = view.editor.state
    archive.save(tmp_path / "all.antidiag", window.session.state, window.session.entries, {})
    state, entries, *_ = archive.load(tmp_path / "all.antidiag")
    window.session.replace_all(state, entries)
    view = tree_view(window)
    assert view.editor.state == shown and shown.collapsed
    view.editor.undo()
    assert view.tree == tree_examples.result().answer.tree, "one step back is the tree of the result"
    assert not window.session.entries[0].edits
    window.session.show(window.session.entries[1])
    assert tree_view(window).tree == tree_examples.result().answer.tree


def test_edits_and_their_undo_are_there_after_another_result(window: Any) -> None:
    show_two_trees(window)
    first, second = window.session.entries
    tree_view(window).editor.swap_children(0)
    swapped = tree_view(window).tree
    for entry in (second, first):
        window.session.show(entry)
        assert (tree_view(window).tree == swapped) is (entry is first)
    tree_view(window).editor.undo()
    assert tree_view(window).tree == first.result.answer.tree


def test_edits_of_a_tree_from_a_file_are_kept_in_a_session(qtbot: Any, window: Any, tree_file: Path, tmp_path: Path):
    view = opened(qtbot, window, tree_file)
    view.editor.swap_children(0)
    view.editor.root_above(node(view, "hen"))
    shown, path = view.editor.state, tmp_path / "all.antidiag"
    file_actions.save_session(window, path)
    qtbot.waitUntil(path.exists)
    file_actions.open_session(window, path)
    (before,) = window.session.state.data
    qtbot.waitUntil(lambda: window.session.state.data[0] is not before)
    window.data.activate()
    assert view.editor.state == shown
    view.editor.undo()
    assert view.tree == tree_examples.tree(), "one step back is the tree of the file"
    assert not window.session.data_edits()
    view.editor.redo()
    assert view.editor.state == shown and list(window.session.data_edits()) == [0]


def test_edits_of_a_tree_from_a_file_survive_a_crash_and_its_deletion(
    qtbot: Any, window: Any, make_window: Any, tree_file: Path
):
    """Saved behind the user's back; and what is deleted comes back by undo as it was shown."""
    view = opened(qtbot, window, tree_file)
    view.editor.swap_children(0)
    shown = view.editor.state
    window.session.remove_data([0])
    assert not window.session.data_edits()
    window.session.undo_stack.undo()
    window.autosave.finish()
    again = make_window()
    start_with(again, [])
    qtbot.waitUntil(lambda: bool(again.session.state.data))
    again.data.activate()
    assert again.viewer.current.editor.state == shown


def test_a_tree_of_a_result_and_the_same_one_as_data_are_edited_apart(window: Any) -> None:
    show_two_trees(window)
    view = tree_view(window)
    tree = view.result.answer.tree
    view.editor.swap_children(0)
    window.session.add_data([tree])
    window.data.show_current()
    assert view.tree == tree
    view.editor.ladderize_below(larger_last=False)
    assert list(window.session.data_edits()) == [0] and window.session.entries[0].edits["tree"]["tree"] != view.tree


def test_undo_by_keys_is_the_trees_while_its_search_box_has_none(qtbot: Any, window: Any) -> None:
    show_two_trees(window)
    view = tree_view(window)
    before = view.tree
    view.editor.ladderize_below(larger_last=False)
    view.search_box.setFocus()
    qtbot.keyClicks(view.search_box, "ab")
    qtbot.keyClick(view.search_box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert view.search_box.text() == "" and view.tree != before
    qtbot.keyClick(view.search_box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert view.tree == before


def test_undo_of_the_menu_takes_back_what_was_done_last_wherever_it_was(window: Any) -> None:
    show_two_trees(window)
    view = tree_view(window)
    undo = window.commands["undo"]
    window.sequences.table.setFocus()
    view.editor.ladderize_below(larger_last=False)
    swapped = view.tree
    assert undo.isEnabled() and undo.toolTip() == "Undo: sorting"
    window.session.remove_results([window.session.entries[1]])
    assert undo.toolTip() == "Undo: Delete result"
    undo.trigger()
    assert len(window.session.entries) == 2
    window.session.show(window.session.entries[0])
    undo.trigger()
    assert tree_view(window).tree == tree_examples.result().answer.tree != swapped
    window.commands["redo"].trigger()
    assert tree_view(window).tree == swapped
