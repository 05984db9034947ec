"""The table of a batch, which fills while it runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from antidiag.app import texts, theme
from antidiag.kernels.batch_runs.batch_items import BatchItem
from antidiag.kernels.batch_runs.batch_summary import BatchRow

HEADERS = ("Name", "State", "Method", "Rows", "Columns", "Score", "Time", "Where", "Answer or error")
NAME, STATE, METHOD, ROWS, COLUMNS, SCORE, TIME, WHERE, ANSWER = range(9)
FACTS = {METHOD: "method", ROWS: "rows", COLUMNS: "columns", SCORE: "score"}
RIGHT = frozenset({ROWS, COLUMNS, SCORE, TIME})
WAITING, DONE, RESUMED, FAILED = "waiting", "done", "done before", "failed"

Index = QModelIndex | QPersistentModelIndex


class BatchModel(QAbstractTableModel):
    """The items of a batch, each with its row once it has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[BatchItem] = []
        self._numbers: dict[str, int] = {}
        self._rows: dict[int, BatchRow] = {}

    def begin(self, items: Sequence[BatchItem]) -> None:
        """Show items, none of which has ended."""
        self.beginResetModel()
        self.items, self._rows = list(items), {}
        self._numbers = {item.name: number for number, item in enumerate(items)}
        self.endResetModel()

    def add_rows(self, rows: Iterable[BatchRow]) -> None:
        """Show how items have ended."""
        numbers = []
        for row in rows:
            numbers.append(self._numbers[row.item.name])
            self._rows[numbers[-1]] = row
        if numbers:
            self.dataChanged.emit(self.index(min(numbers), 0), self.index(max(numbers), len(HEADERS) - 1))

    def row_of(self, number: int) -> BatchRow | None:
        """Return how an item has ended; None while it waits or runs."""
        return self._rows.get(number)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.items)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self._rows.get(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell_text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in RIGHT:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and (row is None or row.error):
            return QColor(theme.active().error if row else theme.active().muted)
        if role == Qt.ItemDataRole.ToolTipRole:
            parts = (self.items[index.row()].label, *((row.error, *map(str, row.outputs)) if row else ()))
            return "\n".join(filter(None, parts))
        return None

    def cell_text(self, number: int, column: int) -> str:
        """Return the text of a cell."""
        row = self._rows.get(number)
        if column == NAME:
            return self.items[number].name
        if row is None:
            return WAITING if column == STATE else ""
        if column in FACTS:
            value = row.facts.get(FACTS[column])
            is_number = isinstance(value, (int, float))
            return "" if value is None else texts.format_number(value) if is_number else str(value)
        return {
            STATE: FAILED if row.error else RESUMED if row.resumed else DONE,
            TIME: texts.format_duration(row.facts["time_ms"]) if "time_ms" in row.facts else "",
            WHERE: row.worker.rpartition("://")[2],  # the port of a Dask worker is what tells it from the others
            ANSWER: row.error or str(row.facts.get("answer", "")),
        }[column]
