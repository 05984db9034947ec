"""Results in tabs side by side and in windows of their own, and compared with each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from antidiag.app import file_actions
from antidiag.app.compare.window import CompareWindow
from antidiag.app.panels.view_subject import ViewSubject
from antidiag.app.session.entry import Entry
from antidiag.kernels.model import Result
from tests.app.steps import run

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


def test_a_view_in_its_own_window_stays_with_its_result(qtbot: Any, two: Any) -> None:
    first, second = two.session.entries
    two.commands["apart"].trigger()
    (window,) = two.result_tabs.windows
    assert "aligned" not in two.viewer.tabs_shown()
    two.session.show(second)
    assert two.viewer.result is second.result and two.viewer.current.id == "aligned"
    assert window.view.result is first.result and window.view is not two.viewer.current
    two.results.table.selectRow(two.results.table.row_of(first))
    two.session.rename_result(first, "kringles")
    assert window.windowTitle().startswith("Alignment: kringles")
    assert f"{first.result.started.astimezone():%H:%M:%S}" in window.windowTitle()  # runs may have the same name
    window.view.canvas.go_to(0, 120)
    window.close()
    assert not two.result_tabs.windows and two.viewer.current.id == "aligned"
    assert two.viewer.current.picture.cursor[1] == 120


def test_an_edit_in_its_own_window_is_an_edit_of_its_result_and_can_be_undone_in_the_tab(qtbot: Any, two: Any) -> None:
    first, second = two.session.entries
    two.commands["apart"].trigger()
    (window,) = two.result_tabs.windows
    two.session.show(second)
    window.view.canvas.go_to(0, 3)
    window.view.commands.insert_gap()
    qtbot.waitUntil(lambda: "aligned" in first.edits)
    assert "aligned" not in second.edits
    two.session.show(first)
    window.close()
    assert two.viewer.current.undo_text


def test_a_result_opens_beside_the_one_that_was_shown_before(qtbot: Any, two: Any) -> None:
    """A click on a result shows it in place of the other one, which comes back when it is opened beside."""
    first, second = two.session.entries
    tabs, table = two.result_tabs, two.results.table
    for entry in (first, second):
        place = table.visualRect(table.sorted.index(table.row_of(entry), 1)).center()
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert len(tabs.pages) == 1 and two.viewer.result is second.result
    QTest.keyClick(two, Qt.Key.Key_Backslash, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not two.shown_data.is_opening)
    assert [group.current_page.result for group in tabs.groups] == [first.result, second.result]
    assert two.session.shown is second and all(group.isVisible() for group in tabs.groups)


def test_a_result_that_is_deleted_while_its_tab_is_opened_leaves_no_tab(qtbot: Any, two: Any) -> None:
    """The view is made in one turn of the event loop and shown in the next, so that none takes long."""
    first, second = two.session.entries
    two.session.show(first)
    two.results.tab_wanted.emit(second, True)
    assert two.shown_data.is_opening and len(two.result_tabs.pages) == 1
    two.session.remove_results([second])
    qtbot.waitUntil(lambda: not two.shown_data.is_opening)
    assert [page.result for page in two.result_tabs.pages] == [first.result]
    assert not two.result_tabs.groups[1].isVisible()


def test_a_result_that_is_alone_is_not_opened_beside_and_the_reason_is_told(qtbot: Any, two: Any) -> None:
    first, second = two.session.entries
    two.session.show(second)
    two.session.remove_results([first])
    reason = two.result_tabs.explain_no_beside(second.result)
    assert "Nothing else is open" in reason
    two.commands["open_beside"].trigger()
    assert len(two.result_tabs.pages) == 1 and not two.result_tabs.groups[1].isVisible()
    assert reason in two.jobs.message.text()
    seen = []
    QTimer.singleShot(0, lambda: seen.extend(QApplication.activePopupWidget().actions()))
    QTimer.singleShot(0, lambda: QApplication.activePopupWidget().close())
    two.results._open_menu(QPoint(5, 5))
    (beside,) = (action for action in seen if action.text().startswith("Open beside"))
    assert not beside.isEnabled() and beside.toolTip() == reason


def test_titles_of_many_tabs_are_the_names_of_the_methods(qtbot: Any, two: Any) -> None:
    """As long as the tabs fit, titles have the input as well; the tool tip always has it."""
    first, second = two.session.entries
    two.session.rename_result(first, "kringles")
    first, second = two.session.entries
    for entry in (first, second):
        two.shown_data.open_tab(entry, False)
    qtbot.waitUntil(lambda: not two.shown_data.is_opening)
    group = two.result_tabs.groups[0]
    full = [page.subject.title for page in group.pages]
    assert [group.tabText(at) for at in range(2)] == full
    group.setFixedWidth(300)
    qtbot.waitUntil(lambda: group.tabText(0) != full[0])
    assert [group.tabText(at) for at in range(2)] == ["kringles", "msa-clustalw"]
    assert [group.tabToolTip(at) for at in range(2)] == full


def test_results_open_in_tabs_that_are_split_side_by_side(qtbot: Any, two: Any) -> None:
    first, second = two.session.entries
    tabs, table = two.result_tabs, two.results.table
    assert len(tabs.pages) == 1 and not tabs.groups[0].tabBar().isVisible()
    place = table.visualRect(table.sorted.index(table.row_of(first), 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert len(tabs.pages) == 1 and tabs.active.is_pinned
    table.selectRow(table.row_of(second))
    assert len(tabs.pages) == 2 and two.viewer.result is second.result and tabs.groups[0].tabBar().isVisible()
    assert all(tabs.groups[0].tabToolTip(at) == page.subject.title for at, page in enumerate(tabs.pages))
    two.commands["open_beside"].trigger()
    qtbot.waitUntil(lambda: not two.shown_data.is_opening)
    assert tabs.groups[1].isVisible() and two.viewer.result is second.result
    seen = [group.currentWidget().result for group in tabs.groups]
    assert seen == [first.result, second.result]
    menu = {action.text(): action for action in tabs.create_tab_menu(tabs.active).actions()}
    menu["Compare both sides"].trigger()
    opened = two.findChild(CompareWindow)
    assert opened.results == (first.result, second.result)
    opened.close()
    QTest.mouseClick(tabs.groups[0].currentWidget().current.canvas.viewport(), Qt.MouseButton.LeftButton)
    tabs.groups[0].currentWidget().current.canvas.setFocus()
    qtbot.waitUntil(lambda: two.session.shown is first)
    two.commands["close_tab"].trigger()
    assert len(tabs.pages) == 1 and two.session.shown is second


def test_tabs_and_windows_are_there_at_the_next_start(
    qtbot: Any, make_window: Callable[[], Any], families: tuple[Result, Result]
) -> None:
    window = make_window()
    for result in families:
        window.session.add_result(Entry(result))
    second, first = window.session.entries
    window.result_tabs.open_tab(ViewSubject.of_entry(first))
    window.result_tabs.open_tab(ViewSubject.of_entry(second), beside=True)
    window.viewer.turn_to("tree")
    window.commands["apart"].trigger()
    window.close()
    again = make_window()
    assert file_actions.open_autosaved(again)
    qtbot.waitUntil(lambda: len(again.session.entries) == 2 and not again.opening and len(again.result_tabs.pages) > 1)
    assert [group.currentWidget().result is not None for group in again.result_tabs.groups] == [True, True]
    assert len(again.result_tabs.pages) == 2
    (detached,) = again.result_tabs.windows
    assert detached.view.id == "tree" and detached.subject.entry is again.session.entries[0]
    assert again.session.shown is again.session.entries[0]


def test_a_deleted_result_closes_its_tab_and_its_windows(qtbot: Any, two: Any) -> None:
    first, second = two.session.entries
    two.result_tabs.open_tab(ViewSubject.of_entry(first))
    two.commands["apart"].trigger()
    two.session.show(second)
    two.session.remove_results([first])
    assert not two.result_tabs.windows and two.viewer.result is second.result
    assert all(page.result is not first.result for page in two.result_tabs.pages)


def test_two_results_side_by_side_do_not_point_at_each_other(qtbot: Any, two: Any) -> None:
    first, second = two.session.entries
    two.result_tabs.open_tab(ViewSubject.of_entry(first))
    two.result_tabs.open_tab(ViewSubject.of_entry(second), beside=True)
    one, other = (page.current for page in two.result_tabs.pages)
    one.selection.hover_column(7)
    assert one.selection.column == 7 and other.selection.column is None
    one.selection.choose_taxa(["t1"])
    assert other.selection.taxa == frozenset({"t1"})


def test_two_chosen_results_are_compared_in_one_step(qtbot: Any, two: Any, families: tuple[Result, Result]) -> None:
    """Alignments of the same sequences are held against each other, without being added to the data."""
    two.session.add_result(Entry(replace(families[0], method="another")))
    chosen = [two.session.entries[0], two.session.entries[1]]
    two.results._select_entries(chosen)
    two.results.compare_button.click()
    opened = two.findChild(CompareWindow)
    qtbot.waitUntil(lambda: not opened.busy)
    titles = [opened.tabs.tabText(at) for at in range(opened.tabs.count())]
    assert titles[:2] == ["Summary", "Alignments"]
    viewer = opened.tabs.widget(1).viewer
    qtbot.waitUntil(lambda: viewer.comparison.result is not None)
    assert "SP" in viewer.comparison.result.score_text and not two.session.state.data
    assert viewer.comparison._title.text().startswith(f"Reference {opened.names[1]}: SP ")


def test_run_is_in_the_free_page(qtbot: Any, ready: Any) -> None:
    run(qtbot, ready)
    (entry,) = ready.session.entries
    ready.result_tabs.open_tab(ViewSubject.of_entry(entry))
    run(qtbot, ready)
    assert len(ready.result_tabs.pages) == 2 and ready.viewer.result is ready.session.entries[0].result


@pytest.mark.slow
def test_alignments_from_files_stay_in_their_tabs_side_by_side(
    qtbot: Any, make_window: Callable[[], Any], tmp_path: Path
) -> None:
    window = make_window()
    window.resize(1500, 900)
    paths = []
    for name in ("one", "two"):
        paths.append(tmp_path / f"{name}.fa")
        paths[-1].write_text("".join(f">{name}{row}\n{'ACGT-' * 60}\n" for row in range(5)))
    for number, path in enumerate(paths, 1):
        window.loader.open_paths([path])
        qtbot.waitUntil(lambda number=number: len(window.session.state.data) == number)
        qtbot.waitUntil(lambda number=number: window.viewer.datum is window.session.state.data[number - 1])
    one, two = window.session.state.data
    window.viewer.current.canvas.go_to(2, 200)
    place = round(window.viewer.current.canvas.frame_.first_column)
    assert place > 100
    window.data.select(one)
    window.data.show_current()
    assert window.viewer.datum is one and window.viewer.current.canvas.frame_.first_column == 0
    window.data.select(two)
    window.data.show_current()
    assert round(window.viewer.current.canvas.frame_.first_column) == place
    window.data.open_tab()
    window.data.select(one)
    window.data.open_beside()
    qtbot.waitUntil(lambda: not window.shown_data.is_opening)
    assert [group.currentWidget().datum for group in window.result_tabs.groups] == [two, one]
    window.close()
    again = make_window()
    assert file_actions.open_autosaved(again)
    qtbot.waitUntil(lambda: len(again.session.state.data) == 2 and len(again.result_tabs.pages) == 2)
    shown = [group.currentWidget() for group in again.result_tabs.groups]
    assert [page.datum.name for page in shown] == ["two", "one"] and again.viewer is shown[1]
    assert round(shown[0].current.canvas.frame_.first_column) == place


def test_the_last_tab_closes_to_the_page_with_the_next_steps(qtbot: Any, two: Any) -> None:
    first, second = two.session.entries
    two.result_tabs.open_tab(ViewSubject.of_entry(first))
    two.session.show(second)
    two.commands["close_tab"].trigger()
    two.commands["close_tab"].trigger()
    assert two.session.shown is None and two.empty.isVisible() and len(two.result_tabs.pages) == 1
    two.results.table.selectRow(two.results.table.row_of(second))
    assert two.viewer.result is second.result and len(two.result_tabs.pages) == 1
    two.commands["close_tab"].trigger()
    assert two.session.shown is None and two.empty.isVisible()


def test_the_first_page_may_be_kept_and_closed_before_the_others(qtbot: Any, two: Any) -> None:
    first, second = two.session.entries
    tabs = two.result_tabs
    two.result_tabs.open_tab(ViewSubject.of_entry(first))
    kept_page = tabs.active
    two.session.show(second)
    tabs.close_page(kept_page)
    assert two.viewer.result is second.result and len(tabs.pages) == 1
    tabs.close_page(tabs.active)
    assert two.session.shown is None and two.empty.isVisible() and len(tabs.pages) == 1
