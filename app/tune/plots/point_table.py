"""PointTable: all points as rows that can be sorted by any column."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QItemSelection, QModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QTableView

from antidiag.kernels.experiments.point_data import tables
from antidiag.kernels.experiments.point_data.tables import Column, ReportTable

CELL_PADDING = 24
Role = Qt.ItemDataRole
RANK_ROLE = Role.UserRole


class PointTable(QTableView):
    """A table of points; ``chosen`` gives the number of the chosen row in the order of the shown table.

    Cells are stored in Qt's own model: Qt reads them many times at every paint, and each answer from Python could wait
    for the thread that measures.
    """

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._cell_model, self._sort_model = QStandardItemModel(self), QSortFilterProxyModel(self)
        self._sort_model.setSourceModel(self._cell_model)
        self._sort_model.setSortRole(RANK_ROLE)
        self._columns: tuple[Column, ...] = ()
        self._rows: tuple[Mapping[str, Any], ...] = ()
        self._cell_templates: list[QStandardItem] = []
        self._longest_texts: list[str] = []
        self._fitted_texts: list[str] = []
        self._sorted_by, self._order = "", Qt.SortOrder.AscendingOrder
        self.setModel(self._sort_model)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setAccessibleName("All points")
        self.horizontalHeader().sortIndicatorChanged.connect(self._keep_sorting)
        self.selectionModel().selectionChanged.connect(self._emit_chosen)

    def show_table(self, table: ReportTable) -> None:
        """Show a table with the present sorting; unchanged cells are not written again."""
        if table.used_columns != self._columns or len(table.rows) < len(self._rows):
            self._set_columns(table.used_columns)
        self._sort_model.setDynamicSortFilter(False)  # sorted once at the end, not at every row
        for number, row in enumerate(table.rows):
            if number >= len(self._rows):
                self._cell_model.appendRow([self._make_item(place, row) for place in range(len(self._columns))])
            elif row != (before := self._rows[number]):
                for place, column in enumerate(self._columns):
                    if row.get(column.key) != before.get(column.key):
                        # setItem would leave PySide with the Python object of a deleted clone, which it would
                        # return for the next object at that address.
                        self._cell_model.setItemData(self._cell_model.index(number, place), self._cell_data(place, row))
        self._rows = table.rows
        self._sort_model.setDynamicSortFilter(True)
        self._fit_columns()

    def show_chosen(self, number: int) -> None:
        """Select the row of this number, or none if it is -1 or not shown yet."""
        row = self._sort_model.mapFromSource(self._cell_model.index(number, 0)).row()
        if row < 0:
            self.clearSelection()
        elif not self.selectionModel().isRowSelected(row, QModelIndex()):
            self.selectRow(row)

    def _set_columns(self, columns: tuple[Column, ...]) -> None:
        by, order = self._sorted_by, self._order
        before, self._cell_model = self._cell_model, QStandardItemModel(self)
        self._columns, self._rows = columns, ()
        self._cell_templates = [_make_template(column) for column in columns]
        self._longest_texts, self._fitted_texts = [column.heading for column in columns], [""] * len(columns)
        self._cell_model.setHorizontalHeaderLabels([column.heading for column in columns])
        for place, column in enumerate(columns):
            self._cell_model.setHeaderData(
                place, Qt.Orientation.Horizontal, _text_alignment(column), Role.TextAlignmentRole
            )
        self._sort_model.setSourceModel(self._cell_model)
        before.deleteLater()
        keys = [column.key for column in columns]
        self.sortByColumn(keys.index(by) if by in keys else -1, order)
        self._sorted_by, self._order = by, order

    def _make_item(self, place: int, row: Mapping[str, Any]) -> QStandardItem:
        item = self._cell_templates[place].clone()
        for role, value in self._cell_data(place, row).items():
            item.setData(value, role)
        return item

    def _cell_data(self, place: int, row: Mapping[str, Any]) -> dict[int, str]:
        """Return the text of a row in a column, and the text that it is sorted by."""
        column = self._columns[place]
        value = row.get(column.key)
        text = tables.format_cell(column, value)
        self._longest_texts[place] = max(self._longest_texts[place], text, key=len)
        return {Role.DisplayRole: text, RANK_ROLE: _sort_text(value)}

    def _fit_columns(self) -> None:
        """Fit the columns to their longest texts, which are measured only when they have grown."""
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        for place, text in enumerate(self._longest_texts):
            if text != self._fitted_texts[place]:
                width = max(metrics.horizontalAdvance(text) + CELL_PADDING, header.sectionSizeHint(place))
                self.setColumnWidth(place, width)
        self._fitted_texts = list(self._longest_texts)

    def _keep_sorting(self, place: int, order: Qt.SortOrder) -> None:
        if 0 <= place < len(self._columns):
            self._sorted_by, self._order = self._columns[place].key, order

    def _emit_chosen(self, selected: QItemSelection) -> None:
        if selected.indexes():
            self.chosen.emit(self._sort_model.mapToSource(selected.indexes()[0]).row())


def _make_template(column: Column) -> QStandardItem:
    made = QStandardItem()
    made.setTextAlignment(_text_alignment(column))
    made.setEditable(False)
    return made


def _sort_text(value: Any) -> str:
    """Return a text that sorts as the value does: missing values, numbers by size, then other texts.

    The bits of doubles, read as integers, sort like the numbers after flipping the sign bit, or all bits of negative
    numbers.
    """
    if value in (None, ""):
        return "0"
    try:
        (bits,) = struct.unpack(">Q", struct.pack(">d", float(value)))
    except (TypeError, ValueError):
        return f"2{tables.point_text.format_value(value)}"
    return f"1{bits ^ ((1 << 64) - 1 if bits >> 63 else 1 << 63):016x}"


def _text_alignment(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column.kind in tables.TEXT_KINDS else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
