"""The table of points: sorted by values, and what is chosen is the point, wherever its row has gone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.tune.table import PointTable
from kernels.experiments.tables import Column, Table

COLUMNS = (Column("name", "name"), Column("time", "time", "ms"), Column("unused", "never there"))
ROWS = ({"name": "b", "time": 9.0}, {"name": "a", "time": 100_000.0}, {"name": "c", "time": None})


@pytest.fixture
def table(qtbot) -> PointTable:
    table = PointTable()
    qtbot.addWidget(table)
    table.show_table(Table("", COLUMNS, ROWS))
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
    table.show_table(Table("", COLUMNS, (*ROWS, {"name": "d", "time": 50.0})))
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
