"""PointTable: all points as rows, sorted by any column; cells are asked for only where they are looked at."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QItemSelection, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTableView

from kernels.experiments import tables
from kernels.experiments.tables import Table

PADDING = 24
Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class PointTable(QTableView):
    """A table whose rows are chosen; ``chosen`` gives the number of the row in the table that was shown."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.shown = TableModel()
        self.setModel(self.shown)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setAccessibleName("All points")
        self.selectionModel().selectionChanged.connect(self._choose)

    def show_table(self, table: Table) -> None:
        """Show this table, sorted as the last one was."""
        self.shown.show(table)
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        for place, text in enumerate(self.shown.longest()):
            self.setColumnWidth(place, max(metrics.horizontalAdvance(text) + PADDING, header.sectionSizeHint(place)))

    def show_chosen(self, number: int) -> None:
        """Select the row of this number; -1, and what is not shown (yet): none."""
        if number not in self.shown.order:
            self.clearSelection()
        elif (row := self.shown.order.index(number)) not in {at.row() for at in self.selectedIndexes()}:
            self.selectRow(row)

    def _choose(self, selected: QItemSelection) -> None:
        if selected.indexes():
            self.chosen.emit(self.shown.order[selected.indexes()[0].row()])


class TableModel(QAbstractTableModel):
    """A table of kernels.experiments.tables; ``order`` has the number of the table's row for each row on show."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table("", (), ())
        self.columns: tuple[tables.Column, ...] = ()
        self.order: list[int] = []
        self._sorted_by: tuple[str, Qt.SortOrder] = "", Qt.SortOrder.AscendingOrder

    def show(self, table: Table) -> None:
        self.beginResetModel()
        self.table, self.columns = table, table.used
        self._sort()
        self.endResetModel()

    def longest(self) -> list[str]:
        """The longest text of every column, its heading included."""
        return [
            max((column.heading, *(tables.cell(column, row.get(column.key)) for row in self.table.rows)), key=len)
            for column in self.columns
        ]

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent and parent.isValid() else len(self.order)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent and parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        column = self.columns[index.column()]
        if role == Role.DisplayRole:
            return tables.cell(column, self.table.rows[self.order[index.row()]].get(column.key))
        if role == Role.TextAlignmentRole:
            return _side(column)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        if role == Role.DisplayRole:
            return self.columns[section].heading
        return _side(self.columns[section]) if role == Role.TextAlignmentRole else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by the values of a column; -1: as they came."""
        self._sorted_by = self.columns[column].key if 0 <= column < len(self.columns) else "", order
        self.layoutAboutToBeChanged.emit()
        before, kept = self.order, self.persistentIndexList()
        self._sort()
        rows = {number: row for row, number in enumerate(self.order)}
        self.changePersistentIndexList(kept, [self.index(rows[before[at.row()]], at.column()) for at in kept])
        self.layoutChanged.emit()

    def _sort(self) -> None:
        key, order = self._sorted_by
        self.order = list(range(len(self.table.rows)))
        if key:
            values = [row.get(key) for row in self.table.rows]
            self.order.sort(key=lambda row: _rank(values[row]), reverse=order == Qt.SortOrder.DescendingOrder)


def _rank(value: Any) -> tuple[int, float, str]:
    """Nothing first, then numbers by size, then everything else by its text."""
    if value in (None, ""):
        return 0, 0.0, ""
    return (1, float(value), "") if isinstance(value, (int, float)) else (2, 0.0, tables.point_text.text(value))


def _side(column: tables.Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column.kind == "text" else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
