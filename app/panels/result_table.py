"""The table of results: one a row, as many columns as there is room for, sorted and filtered."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTableView

from antidiag.app import texts, theme
from antidiag.app.kit.controls.widgets import style_as_list
from antidiag.app.session.session import Entry, Session

TIME, METHOD, ANSWER, SPENT, RATE, DEVICE, TAGS, PARAMETERS, OF = range(9)
HEADERS = ("When", "Method", "Answer", "Time", "Rate", "Device", "Tags", "Parameters", "Of")
ALWAYS, SPARE = (TIME, METHOD, ANSWER), (SPENT, OF, RATE, TAGS, DEVICE, PARAMETERS)
"""Columns that are always there, and those that follow as there is room, the most important first."""
RIGHT = frozenset({ANSWER, SPENT, RATE})
PADDING = 18
"""Pixels in a cell beside its text."""
MOST_ANSWER, LEAST_METHOD, LEAST_OF, MOST = 18, 12, 9, 30
"""Letters: an answer has room for no more, a method for no fewer, a column "Of" with fewer is not shown, and any other
column has room for no more."""
STALE = "Made with other settings or sequences than those chosen now."

Index = QModelIndex | QPersistentModelIndex


class ResultModel(QAbstractTableModel):
    """The session's results as a table; ``is_stale(entry)`` says which ones the settings have left behind."""

    def __init__(self, session: Session, is_stale: Callable[[Entry], bool]) -> None:
        super().__init__()
        self._session, self._is_stale = session, is_stale
        self.entries = session.entries
        session.results_changed.connect(self._take)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text_of(entry, index.column())
        if role == Qt.ItemDataRole.EditRole:
            return entry.name or texts.method_name(entry.result)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        stale = self._is_stale(entry)
        if role == Qt.ItemDataRole.ForegroundRole and (stale or index.column() == TIME):
            return QColor(theme.active().muted)
        if role == Qt.ItemDataRole.FontRole and stale:
            return italic()
        if role == Qt.ItemDataRole.ToolTipRole:
            parts = (texts.stamp(entry.result), entry.note, STALE if stale else "")
            return "\n".join(part for part in parts if part)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        return found | Qt.ItemFlag.ItemIsEditable if index.column() == METHOD else found

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Another name for a result; that of the method takes it away."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        entry, name = self.entries[index.row()], " ".join(str(value).split())
        name = "" if name == texts.method_name(entry.result) else name
        if name != entry.name:
            self._session.rename_result(entry, name)
        return True

    def refresh(self) -> None:
        """The settings changed, and with them what is stale."""
        if self.entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.entries) - 1, len(HEADERS) - 1))

    def _take(self) -> None:
        self.beginResetModel()
        self.entries = self._session.entries
        self.endResetModel()


class SortedResults(QSortFilterProxyModel):
    """The results that have every word of the filter, in the order of a column, or the newest first."""

    def __init__(self, model: ResultModel) -> None:
        super().__init__()
        self._results = model
        self._words: list[str] = []
        self.setSourceModel(model)

    def set_filter(self, text: str) -> None:
        self._words = text.lower().split()
        self.invalidate()

    def lessThan(self, first: Index, second: Index) -> bool:
        entries, column = self._results.entries, first.column()
        return _sorted_by(entries[first.row()], column) < _sorted_by(entries[second.row()], column)

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        entry = self._results.entries[row]
        told = " ".join((*(text_of(entry, column) for column in range(len(HEADERS))), entry.note)).lower()
        return all(word in told for word in self._words)


class MiddleElided(QStyledItemDelegate):
    """Names of methods differ at their ends, so what has no room goes from their middle."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle


class ResultTable(QTableView):
    """The table; names of methods have the room they need, other columns are there when there is more."""

    def __init__(self, model: ResultModel) -> None:
        super().__init__()
        self._results, self.sorted = model, SortedResults(model)
        self.setModel(self.sorted)
        self.setItemDelegateForColumn(METHOD, MiddleElided(self))
        self.setAccessibleName("Results")
        style_as_list(self)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(24)
        header.setSectionResizeMode(OF, header.ResizeMode.Stretch)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        self.setEditTriggers(QTableView.EditTrigger.EditKeyPressed)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.sorted.modelReset.connect(self.fit)
        self.fit()

    def chosen(self) -> list[Entry]:
        """The selected results, in the order of the table."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.entry(self.sorted.index(row, 0)) for row in rows]

    def entry(self, index: Index) -> Entry:
        """The result of a row of the table."""
        return self._results.entries[self.sorted.mapToSource(index).row()]

    def row_of(self, entry: Entry) -> int:
        """The row of a result; -1 where the filter hides it."""
        return self.sorted.mapFromSource(self._results.index(self._results.entries.index(entry), 0)).row()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit()
        super().resizeEvent(event)

    def fit(self) -> None:
        """Widths of the columns for what is listed, in the room there is."""
        letter, room = self.fontMetrics().averageCharWidth(), self.viewport().width()
        needed = {column: self._needed(column) for column in ALWAYS}
        needed[ANSWER] = min(needed[ANSWER], MOST_ANSWER * letter + PADDING)
        method = min(needed[METHOD], room - needed[TIME] - needed[ANSWER])
        needed[METHOD] = max(method, LEAST_METHOD * letter)
        spare = room - sum(needed.values())
        shown = set(ALWAYS)
        for column in SPARE:
            wide = LEAST_OF * letter if column == OF else min(self._needed(column), MOST * letter)
            if spare >= wide and (column != TAGS or any(entry.tags for entry in self._results.entries)):
                spare -= wide
                shown.add(column)
                if column != OF:
                    needed[column] = wide
        if OF not in shown:
            needed[ANSWER] += max(spare, 0)
        for column in range(len(HEADERS)):
            self.setColumnHidden(column, column not in shown)
        for column, width in needed.items():
            self.setColumnWidth(column, width)

    def _needed(self, column: int) -> int:
        """Pixels of the widest text of a column, upright or, as stale ones are, italic."""
        shown = {HEADERS[column], *(text_of(entry, column) for entry in self._results.entries)}
        fonts = self.fontMetrics(), QFontMetrics(italic(self.font()))
        return max(metrics.horizontalAdvance(text) for metrics in fonts for text in shown) + PADDING


def italic(font: QFont | None = None) -> QFont:
    """The font of what is stale."""
    made = QFont(font) if font else QFont()
    made.setItalic(True)
    return made


def text_of(entry: Entry, column: int) -> str:
    """What a cell of the table says."""
    return TOLD[column](entry)


def _rate(entry: Entry) -> str:
    method, giga = texts.method_of(entry.result), entry.result.gcups
    return texts.rate(giga, method.problem_type.work_unit if method else "cells") if giga else ""


TOLD: dict[int, Callable[[Entry], str]] = {
    TIME: lambda entry: entry.result.started.astimezone().strftime("%H:%M"),
    METHOD: lambda entry: entry.name or texts.method_name(entry.result),
    ANSWER: lambda entry: texts.answer(entry.result),
    SPENT: lambda entry: texts.duration(entry.result.compute_ms),
    RATE: _rate,
    DEVICE: lambda entry: texts.device_name(entry.result),
    TAGS: lambda entry: ", ".join(entry.tags),
    PARAMETERS: lambda entry: texts.settings(texts.used(entry.result)),
    OF: lambda entry: texts.title(entry.result),
}
"""What each column says of a result."""


def _sorted_by(entry: Entry, column: int) -> tuple[float, str]:
    """What a column is sorted by: numbers before words."""
    if column == TIME:
        return entry.result.started.timestamp(), ""
    if column in (SPENT, RATE):
        return entry.result.compute_ms if column == SPENT else entry.result.gcups, ""
    text = text_of(entry, column)
    numbers = re.findall(r"[-\u2212]?[0-9][0-9,.]*", text) if column == ANSWER else []
    if numbers:
        return float(numbers[0].replace(",", "").replace("\u2212", "-").rstrip(".")), text
    return math.inf, text.lower()


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
