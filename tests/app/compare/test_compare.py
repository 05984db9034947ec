"""Results side by side, as a person compares them."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from antidiag.app.compare import tree_comparison
from antidiag.app.compare.summary_rows import ComparisonRow, build_rows
from antidiag.app.compare.timelines import Timelines
from antidiag.app.compare.window import CompareWindow, name_results
from antidiag.app.panels.result_table import INPUT, METHOD, RATE, SPENT, TAGS
from antidiag.app.session import archive
from antidiag.app.session.session import Entry
from antidiag.app.session.state import State
from antidiag.kernels.io.newick import parse_newick
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import LEFT, UP, Alignment
from antidiag.kernels.steps import StepLog
from tests.app.views import examples


@pytest.fixture
def three(qtbot, ready):
    """A window with three results of the same pair."""
    for number, width in enumerate((128, 64, 32)):
        ready.method.parameters.editor("s").set_value(width)
        ready.method.parameters.changed.emit()
        qtbot.waitUntil(ready.method.run_button.isEnabled)
        ready.commands["run"].trigger()
        qtbot.waitUntil(lambda number=number: len(ready.session.entries) == number + 1)
    return ready


def select(window, *numbers):
    window.results._select_entries([window.session.entries[number] for number in numbers])


def test_several_results_are_selected_and_compared(qtbot, three):
    assert not three.results.compare_button.isEnabled()
    select(three, 0, 2)
    with qtbot.waitSignal(three.results.compare_wanted):
        three.results.compare_button.click()
    opened = three.findChild(CompareWindow)
    qtbot.waitUntil(lambda: not opened.busy)
    assert [opened.tabs.tabText(at) for at in range(opened.tabs.count())] == [
        "Summary",
        "Phases",
        "Timelines",
        "Replay",
        "Paths",
    ]
    assert opened.names == ("Fake (1)", "Fake (2)")
    opened.only_differences.setChecked(True)
    told = {each.label: each.values for each in opened._shown_rows()}
    assert told["s"] == ("32", "128") and "Method" not in told
    opened.copy_table()
    assert "s\t32\t128" in QGuiApplication.clipboard().text()
    assert "share 100.0 % of 21 cells" in opened.paths.summary.text()
    assert opened.pairs["Paths"].chosen.isHidden()
    phases = [(name, box.width()) for _, name, _, box in opened.bars.phase_segments()]
    assert {name for name, _ in phases}.isdisjoint(("compilation", "transfer")) and max(
        width for _, width in phases
    ) > 0
    assert opened.timelines.span_ms[1] > 1
    assert not opened.timelines.grab().isNull()
    opened.close()


def test_a_text_that_differs_at_its_end_is_not_cut(qtbot, three):
    opened = CompareWindow(three, three.session.entries[:2])
    long = [
        f"BLOSUM62; a gap of length k costs 10 + {times} k, and the ends of both sequences as well" for times in (1, 2)
    ]
    opened._shown_rows = lambda: [ComparisonRow("Mode", ("local", "local")), ComparisonRow("Scoring", tuple(long))]
    opened.resize(500, 400)
    opened.show()
    opened._fill_table()
    qtbot.waitUntil(lambda: opened.table.rowHeight(1) > 1.5 * opened.table.rowHeight(0))
    opened.close()


def test_rows_say_what_differs_and_how_much_longer_it_took(three):
    first, second = (entry.result for entry in three.session.entries[:2])
    slow = replace(second, times_ms={"phase 1": 24.0})
    found = {each.label: each for each in build_rows([first, slow])}
    assert found["Relative to fastest"] == ComparisonRow("Relative to fastest", ("fastest", "2 times as long"))
    assert found["phase 1"].differs and not found["Input"].differs and found["transfer"].values == ("1.0 ms", "")
    assert found["Time"].is_heading


def test_paths_that_part_are_listed_and_shown(qtbot, three):
    entries = three.session.entries[:2]
    path = entries[1].result.answer.alignment
    moves = np.concatenate([path.operations[:5], [LEFT, UP], path.operations[6:]]).astype(np.uint8)
    answer = replace(entries[1].result.answer, alignment=Alignment(path.start, path.end, moves))
    other = replace(entries[1], result=replace(entries[1].result, answer=answer))
    opened = three.compare((entries[0], other))
    qtbot.waitUntil(lambda: opened.paths.list.count() == 2)
    assert "1 place" in opened.paths.summary.text() and "1 are only in the second" not in opened.paths.summary.text()
    opened.paths.list.setCurrentRow(1)
    upper, lower = opened.paths.text.toPlainText().split("\n\n")
    assert "-" not in upper and lower.count("-") == 2
    opened.close()


def test_of_three_results_any_two_are_held_against_each_other(qtbot, three):
    opened = three.compare(three.session.entries[:3])
    qtbot.waitUntil(lambda: not opened.busy)
    chosen = opened.pairs["Paths"].chosen
    names = [chosen.itemText(row) for row in range(chosen.count())]
    assert names == ["Fake (1) and Fake (2)", "Fake (1) and Fake (3)", "Fake (2) and Fake (3)"]
    assert "the first (Fake (1))" in opened.paths.summary.text()
    chosen.setCurrentIndex(2)
    qtbot.waitUntil(lambda: not opened.busy)
    assert (
        "the first (Fake (2))" in opened.paths.summary.text() and "the second (Fake (3))" in opened.paths.summary.text()
    )
    opened.close()


def test_trees_are_compared_by_splits(qtbot):
    first, second = (parse_newick(text)[0] for text in (
        "((a:1,b:1):1,(c:1,(d:1,e:1):1):1);", "((e:1,d:1):1,(b:1,(a:1,c:1):1):1);"))  # fmt: skip
    found = tree_comparison.compare_trees(first, second)
    assert (found.splits, found.different_splits, found.common_splits) == ((2, 2), 2, 1)
    page = tree_comparison.TreesPage()
    qtbot.addWidget(page)
    page.show_trees(found, ("joined", "clustered"))
    assert (
        "1 splits are in both trees, 1 only in the first (joined)" in page.summary.text()
        and "2 (50.0 %" in page.summary.text()
    )
    page.resize(500, 300)
    assert not page.grab().isNull()


def test_names_of_compared_trees_have_the_room_they_need_and_whole_tips(qtbot):
    names = {"a": "alpha_globin_of_a_goose/12-140", "b": "b", "c": "c", "d": "d" * 150, "e": "e"}
    first, second = (parse_newick(text.translate({ord(short): name for short, name in names.items()}))[0] for text in (
        "((a:1,b:1):1,(c:1,(d:1,e:1):1):1);", "((e:1,d:1):1,(b:1,(a:1,c:1):1):1);"))  # fmt: skip
    page = tree_comparison.TreesPage()
    qtbot.addWidget(page)
    page.show_trees(tree_comparison.compare_trees(first, second), ("joined", "clustered"))
    page.resize(1200, 400)
    page.show()
    page.picture.grab()
    assert [name for _, name in page.picture._elided_names] == 2 * [names["d"]]
    box, _ = page.picture._elided_names[0]
    place = box.center().toPoint()
    QApplication.sendEvent(page.picture, QHelpEvent(QEvent.Type.ToolTip, place, page.picture.mapToGlobal(place)))
    assert QToolTip.text() == names["d"]


def test_results_are_renamed_tagged_noted_and_it_can_be_undone(qtbot, three):
    table = three.results.table
    shown = three.session.shown
    select(three, 1, 2)
    three.results.tag(["slow ", "", "slow", "of Monday"])
    three.results.note("with the old card")
    assert [entry.tags for entry in three.session.entries] == [(), ("slow", "of Monday"), ("slow", "of Monday")]
    assert len(table.chosen()) == 2 and three.session.shown is shown
    model = three.results.model
    assert model.setData(model.index(0, METHOD), "  best  run ")
    assert three.session.entries[0].name == "best run" and model.index(0, METHOD).data() == "best run"
    assert three.session.shown is three.session.entries[0]
    assert name_results(three.session.entries) == ("best run", "Fake (1)", "Fake (2)")
    for _ in range(3):
        three.commands["undo"].trigger()
    assert not any(entry.tags or entry.note or entry.name for entry in three.session.entries)


def test_the_users_words_are_kept_in_a_session(three, tmp_path):
    entry = replace(three.session.entries[0], name="best", tags=("a", "b"), note="two\nlines")
    archive.save(tmp_path / "kept.antidiag", State(), [entry], {})
    _, (back,), _, _ = archive.load(tmp_path / "kept.antidiag")
    assert isinstance(back, Entry) and (back.name, back.tags, back.note) == ("best", ("a", "b"), "two\nlines")


def test_results_are_filtered_and_sorted_and_wide_ones_say_more(qtbot, three):
    table, panel = three.results.table, three.results
    assert table.isColumnHidden(RATE)
    three.docks["results"].setFloating(True)
    three.docks["results"].resize(1200, 300)
    qtbot.waitUntil(lambda: not table.isColumnHidden(RATE))
    assert not table.isColumnHidden(SPENT) and not table.isColumnHidden(INPUT) and table.isColumnHidden(TAGS)
    select(three, 0)
    panel.tag(["first"])
    assert not table.isColumnHidden(TAGS)
    panel.filter.setText("fake FIRST")
    assert table.sorted.rowCount() == 1 and table.entry(table.sorted.index(0, 0)) is three.session.entries[0]
    panel.filter.setText("no such")
    assert table.sorted.rowCount() == 0
    panel.filter.clear()
    table.sortByColumn(SPENT, Qt.SortOrder.AscendingOrder)
    spent = [table.entry(table.sorted.index(row, 0)).result.compute_ms for row in range(3)]
    assert spent == sorted(spent)
    table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert [table.entry(table.sorted.index(row, 0)) for row in range(3)] == list(three.session.entries)


def test_long_gaps_of_compared_timelines_are_folded(qtbot):
    """A log that waits 160 ms for the compiler between kernels of 1 ms, beside one that does not."""
    ms, logs = 1_000_000, []
    for gap in (160, 0):
        steps = StepLog()
        for number in range(3):
            start = (470 + number + (gap if number else 0)) * ms
            steps.add(1, number, (0, 10), (0, 10), 0, start, start + ms)
        logs.append(replace(examples.result(examples.problem("ACGT", "ACGA")), steps=steps))
    shown = Timelines()
    qtbot.addWidget(shown)
    shown.resize(600, 200)
    shown.show_logs(Timelines.compute_logs(tuple(logs), ("first", "second"), Monitor()))
    assert shown.span_ms[1] < 4
    first, second = shown._logs
    ((left, right, words),) = shown.folded_gaps(first)
    assert words == "160 ms" and ms <= left < right < 1.5 * ms and shown.folded_gaps(second) == []
    assert not shown.grab().isNull()
    shown.set_folds(False)
    assert shown.span_ms[1] > 160 and shown.folded_gaps(first) == []
