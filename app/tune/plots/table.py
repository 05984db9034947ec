"""PointTable: all points as rows, sorted by any column; what has not changed is not written again."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QItemSelection, QModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QTableView

from antidiag.kernels.experiments import tables
from antidiag.kernels.experiments.tables import Column, Table

PADDING = 24
Role = Qt.ItemDataRole
RANK = Role.UserRole
"""The role of a text by which a cell is sorted."""


class PointTable(QTableView):
    """A table whose rows are chosen; ``chosen`` gives the number of the row in the table that was shown.

    Qt asks for every cell on show several times at every paint. The cells are kept on its side, because each time that
    Python has to answer it may have to wait for the thread that measures.
    """

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._cells, self._sorted = QStandardItemModel(self), QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._cells)
        self._sorted.setSortRole(RANK)
        self._columns: tuple[Column, ...] = ()
        self._rows: tuple[Mapping[str, Any], ...] = ()
        self._blank: list[QStandardItem] = []
        self._longest: list[str] = []
        self._fitted: list[str] = []
        self._sorted_by, self._order = "", Qt.SortOrder.AscendingOrder
        self.setModel(self._sorted)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setAccessibleName("All points")
        self.horizontalHeader().sortIndicatorChanged.connect(self._keep_sorting)
        self.selectionModel().selectionChanged.connect(self._choose)

    def show_table(self, table: Table) -> None:
        """Show this table, sorted as the last one was."""
        if table.used != self._columns or len(table.rows) < len(self._rows):
            self._set_columns(table.used)
        self._sorted.setDynamicSortFilter(False)  # sorted once at the end, not at every row
        for number, row in enumerate(table.rows):
            if number >= len(self._rows):
                self._cells.appendRow([self._item(place, row) for place in range(len(self._columns))])
            elif row != (before := self._rows[number]):
                for place, column in enumerate(self._columns):
                    if row.get(column.key) != before.get(column.key):
                        # Not setItem: PySide would keep a Python object of the clone when Qt has deleted it, and
                        # hand it out for whatever is made at its address next.
                        self._cells.setItemData(self._cells.index(number, place), self._data(place, row))
        self._rows = table.rows
        self._sorted.setDynamicSortFilter(True)
        self._fit_columns()

    def show_chosen(self, number: int) -> None:
        """Select the row of this number; -1, and what is not shown (yet): none."""
        row = self._sorted.mapFromSource(self._cells.index(number, 0)).row()
        if row < 0:
            self.clearSelection()
        elif not self.selectionModel().isRowSelected(row, QModelIndex()):
            self.selectRow(row)

    def _set_columns(self, columns: tuple[Column, ...]) -> None:
        """Begin again with these columns."""
        by, order = self._sorted_by, self._order
        before, self._cells = self._cells, QStandardItemModel(self)
        self._columns, self._rows = columns, ()
        self._blank = [_blank(column) for column in columns]
        self._longest, self._fitted = [column.heading for column in columns], [""] * len(columns)
        self._cells.setHorizontalHeaderLabels([column.heading for column in columns])
        for place, column in enumerate(columns):
            self._cells.setHeaderData(place, Qt.Orientation.Horizontal, _side(column), Role.TextAlignmentRole)
        self._sorted.setSourceModel(self._cells)
        before.deleteLater()
        keys = [column.key for column in columns]
        self.sortByColumn(keys.index(by) if by in keys else -1, order)
        self._sorted_by, self._order = by, order

    def _item(self, place: int, row: Mapping[str, Any]) -> QStandardItem:
        """The cell of a row in the column at this place."""
        item = self._blank[place].clone()
        for role, value in self._data(place, row).items():
            item.setData(value, role)
        return item

    def _data(self, place: int, row: Mapping[str, Any]) -> dict[int, str]:
        """What a row has in the column at this place: its text, and by what it is sorted."""
        column = self._columns[place]
        value = row.get(column.key)
        text = tables.cell(column, value)
        self._longest[place] = max(self._longest[place], text, key=len)
        return {Role.DisplayRole: text, RANK: _rank(value)}

    def _fit_columns(self) -> None:
        """As wide as the longest text of each, which is measured when it has grown."""
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        for place, text in enumerate(self._longest):
            if text != self._fitted[place]:
                width = max(metrics.horizontalAdvance(text) + PADDING, header.sectionSizeHint(place))
                self.setColumnWidth(place, width)
        self._fitted = list(self._longest)

    def _keep_sorting(self, place: int, order: Qt.SortOrder) -> None:
        if 0 <= place < len(self._columns):
            self._sorted_by, self._order = self._columns[place].key, order

    def _choose(self, selected: QItemSelection) -> None:
        if selected.indexes():
            self.chosen.emit(self._sorted.mapToSource(selected.indexes()[0]).row())


def _blank(column: Column) -> QStandardItem:
    """What the cells of a column are copies of."""
    made = QStandardItem()
    made.setTextAlignment(_side(column))
    made.setEditable(False)
    return made


def _rank(value: Any) -> str:
    """A text that sorts as the value does: nothing first, then numbers by size, then everything else by its text.

    The bits of a double, read as a whole number, are in the order of the numbers once the sign is turned round; those
    of negative numbers run backwards.
    """
    if value in (None, ""):
        return "0"
    try:
        (bits,) = struct.unpack(">Q", struct.pack(">d", float(value)))
    except (TypeError, ValueError):
        return f"2{tables.point_text.text(value)}"
    return f"1{bits ^ ((1 << 64) - 1 if bits >> 63 else 1 << 63):016x}"


def _side(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column.kind in tables.WORDS else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
