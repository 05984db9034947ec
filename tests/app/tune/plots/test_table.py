"""The table of points: sorted by values, and what is chosen is the point, wherever its row has gone."""

from __future__ import annotations

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QStandardItem

from antidiag.app.tune.plots.point_table import PointTable, _sort_text
from antidiag.kernels.experiments.point_data.tables import Column, ReportTable

COLUMNS = (Column("name", "name"), Column("time", "time", "ms"), Column("unused", "never there"))
ROWS = ({"name": "b", "time": 9.0}, {"name": "a", "time": 100_000.0}, {"name": "c", "time": None})


@pytest.fixture
def table(qtbot) -> PointTable:
    table = PointTable()
    qtbot.addWidget(table)
    table.show_table(ReportTable("", COLUMNS, ROWS))
    return table


def texts(table: PointTable, column: int = 0) -> list[str]:
    model = table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_rows_come_as_they_are_and_empty_columns_do_not(table):
    assert texts(table) == ["b", "a", "c"]
    assert texts(table, 1) == ["9 ms", "100.0 s", ""]
    headings = [table.model().headerData(column, Qt.Orientation.Horizontal) for column in range(2)]
    assert (headings, table.model().columnCount()) == (["name", "time"], 2)


def test_sorting_is_by_value_and_stays_when_points_come(table):
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert texts(table) == ["a", "b", "c"]
    table.show_table(ReportTable("", COLUMNS, (*ROWS, {"name": "d", "time": 50.0})))
    assert texts(table) == ["a", "d", "b", "c"]


def test_a_row_that_is_clicked_is_the_one_of_the_table(table, qtbot):
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    with qtbot.waitSignal(table.chosen) as found:
        table.selectRow(0)
    assert found.args == [1]


def test_what_is_chosen_stays_so_when_it_is_sorted(table):
    table.show_chosen(2)
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert [index.row() for index in table.selectionModel().selectedRows()] == [0]
    table.show_chosen(-1)
    assert not table.selectedIndexes()


def test_of_a_table_that_grows_only_the_new_row_is_written(table):
    written = []
    table.model().rowsInserted.connect(lambda _, first, last: written.append((first, last)))
    table.model().dataChanged.connect(lambda *_: written.append("changed"))
    table.model().modelReset.connect(lambda: written.append("reset"))
    table.show_table(ReportTable("", COLUMNS, (*ROWS, {"name": "d", "time": 50.0})))
    assert written == [(3, 3)] and texts(table) == ["b", "a", "c", "d"]


def test_a_value_that_changes_is_shown_and_sorted_anew(table):
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    table.show_table(ReportTable("", COLUMNS, (ROWS[0], {"name": "a", "time": 1.0}, ROWS[2])))
    assert texts(table) == ["c", "a", "b"] and texts(table, 1) == ["", "1 ms", "9 ms"]


def test_no_cell_outlives_its_table(qtbot):
    def cells() -> int:
        return sum(isinstance(found, QStandardItem) for found in shiboken6.getAllValidWrappers())

    before = cells()
    table = PointTable()
    for time in (1.0, 2.0, 3.0):
        table.show_table(ReportTable("", COLUMNS, (*ROWS, {"name": "d", "time": time})))
    assert cells() > before
    table.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    del table
    assert cells() == before


def test_what_is_chosen_stays_so_when_points_come(table):
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    table.show_chosen(1)
    chosen = []
    table.chosen.connect(chosen.append)
    table.show_table(ReportTable("", COLUMNS, (*ROWS, {"name": "d", "time": 50.0})))
    table.show_chosen(1)
    assert [index.data() for index in table.selectedIndexes()] == ["a", "100.0 s"] and chosen == []


@pytest.mark.parametrize("rows", [(), ROWS[:1], ({"name": "x", "time": 1.0, "unused": "there now"},)])
def test_another_table_chooses_nothing_by_itself(table, rows):
    table.selectRow(0)
    chosen = []
    table.chosen.connect(chosen.append)
    table.show_table(ReportTable("", COLUMNS, rows))
    assert chosen == [] and table.model().rowCount() == len(rows)
    table.show_chosen(0)
    assert chosen == [0] * len(rows)


def test_sorting_outlives_a_table_without_the_column(table):
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    table.show_table(ReportTable("", COLUMNS, ()))
    table.show_table(ReportTable("", (COLUMNS[1], COLUMNS[0]), ROWS))
    assert texts(table, 1) == ["a", "b", "c"]
    assert table.horizontalHeader().sortIndicatorSection() == 0


def test_values_of_an_axis_are_sorted_as_numbers_before_words(table):
    rows = tuple({"name": text} for text in ("auto", "128", "32", "-4", "0.5", "64x64"))
    table.show_table(ReportTable("", COLUMNS, rows))
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert texts(table) == ["-4", "0.5", "32", "128", "64x64", "auto"]


def test_ranks_are_in_the_order_of_the_values():
    values = [None, float("-inf"), -1e300, -2.5, -1e-300, 0, 1e-300, 0.1, 1, 1.5, 2**40, 1e300, "a", (3, 4)]
    ranks = [_sort_text(value) for value in values]
    assert sorted(ranks[:-2]) == ranks[:-2] and len(set(ranks)) == len(values)
    assert ranks[-1] == "23x4" and max(ranks) == ranks[-2] == "2a"
