"""The table of results, sorted and filtered, with as many columns as fit."""

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

TIME, METHOD, ANSWER, SPENT, RATE, DEVICE, TAGS, PARAMETERS, INPUT = range(9)
HEADERS = ("When", "Method", "Answer", "Time", "Rate", "Device", "Tags", "Parameters", "Input")
ALWAYS_SHOWN, SHOWN_IF_FITS = (TIME, METHOD, ANSWER), (SPENT, INPUT, RATE, TAGS, DEVICE, PARAMETERS)
"""Columns that are always shown, and those that are shown if they fit, the most important first."""
RIGHT = frozenset({ANSWER, SPENT, RATE})
PADDING = 18
"""Pixels of a cell in addition to its text."""
MAX_ANSWER, MIN_METHOD, MIN_INPUT, MAX_LETTERS = 18, 12, 9, 30
"""Letters: most of an answer, least of a method and of an input, and most of any other column."""
STALE = "Made with other settings or sequences than the current ones."

Index = QModelIndex | QPersistentModelIndex


class ResultModel(QAbstractTableModel):
    """The results of the session as a table; ``is_stale(entry)`` says whether the settings have changed since."""

    def __init__(self, session: Session, is_stale: Callable[[Entry], bool]) -> None:
        super().__init__()
        self._session, self._is_stale = session, is_stale
        self.entries = session.entries
        session.results_changed.connect(self._load_entries)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _column_alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text_of(entry, index.column())
        if role == Qt.ItemDataRole.EditRole:
            return entry.name or texts.method_name(entry.result)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _column_alignment(index.column())
        stale = self._is_stale(entry)
        if role == Qt.ItemDataRole.ForegroundRole and (stale or index.column() == TIME):
            return QColor(theme.active().muted)
        if role == Qt.ItemDataRole.FontRole and stale:
            return italic_font()
        if role == Qt.ItemDataRole.ToolTipRole:
            parts = (texts.origin_line(entry.result), entry.note, STALE if stale else "")
            return "\n".join(part for part in parts if part)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        return found | Qt.ItemFlag.ItemIsEditable if index.column() == METHOD else found

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Rename a result; the name of its method removes the own name."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        entry, name = self.entries[index.row()], " ".join(str(value).split())
        name = "" if name == texts.method_name(entry.result) else name
        if name != entry.name:
            self._session.rename_result(entry, name)
        return True

    def refresh(self) -> None:
        """Repaint after a change of settings, which makes results stale."""
        if self.entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.entries) - 1, len(HEADERS) - 1))

    def _load_entries(self) -> None:
        self.beginResetModel()
        self.entries = self._session.entries
        self.endResetModel()


class SortedResults(QSortFilterProxyModel):
    """The results that contain every word of the filter, sorted by a column or the newest first."""

    def __init__(self, model: ResultModel) -> None:
        super().__init__()
        self._results = model
        self._words: list[str] = []
        self.setSourceModel(model)

    def set_filter(self, text: str) -> None:
        """Show only results that contain every word of this text."""
        self._words = text.lower().split()
        self.invalidate()

    def lessThan(self, first: Index, second: Index) -> bool:
        entries, column = self._results.entries, first.column()
        return _sorted_by(entries[first.row()], column) < _sorted_by(entries[second.row()], column)

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        entry = self._results.entries[row]
        text = " ".join((*(text_of(entry, column) for column in range(len(HEADERS))), entry.note)).lower()
        return all(word in text for word in self._words)


class MiddleElided(QStyledItemDelegate):
    """Elides the middle of a text, because names of methods differ at their ends."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle


class ResultTable(QTableView):
    """Shows the results; names of methods get the width they need, other columns appear if they fit."""

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
        header.setSectionResizeMode(INPUT, header.ResizeMode.Stretch)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        self.setEditTriggers(QTableView.EditTrigger.EditKeyPressed)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.sorted.modelReset.connect(self.fit)
        self.fit()

    def chosen(self) -> list[Entry]:
        """Return the selected results in the order of the table."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.entry(self.sorted.index(row, 0)) for row in rows]

    def entry(self, index: Index) -> Entry:
        """Return the result of a row of the table."""
        return self._results.entries[self.sorted.mapToSource(index).row()]

    def row_of(self, entry: Entry) -> int:
        """Return the row of a result; -1 if the filter hides it."""
        return self.sorted.mapFromSource(self._results.index(self._results.entries.index(entry), 0)).row()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit()
        super().resizeEvent(event)

    def fit(self) -> None:
        """Choose the visible columns and their widths for the listed results and the width of the table."""
        letter, width = self.fontMetrics().averageCharWidth(), self.viewport().width()
        needed = {column: self._text_width(column) for column in ALWAYS_SHOWN}
        needed[ANSWER] = min(needed[ANSWER], MAX_ANSWER * letter + PADDING)
        method = min(needed[METHOD], width - needed[TIME] - needed[ANSWER])
        needed[METHOD] = max(method, MIN_METHOD * letter)
        spare = width - sum(needed.values())
        shown = set(ALWAYS_SHOWN)
        for column in SHOWN_IF_FITS:
            wide = MIN_INPUT * letter if column == INPUT else min(self._text_width(column), MAX_LETTERS * letter)
            if spare >= wide and (column != TAGS or any(entry.tags for entry in self._results.entries)):
                spare -= wide
                shown.add(column)
                if column != INPUT:
                    needed[column] = wide
        if INPUT not in shown:
            needed[ANSWER] += max(spare, 0)
        for column in range(len(HEADERS)):
            self.setColumnHidden(column, column not in shown)
        for column, width in needed.items():
            self.setColumnWidth(column, width)

    def _text_width(self, column: int) -> int:
        """Return the pixels of the widest text of a column, upright or, for stale results, italic."""
        shown = {HEADERS[column], *(text_of(entry, column) for entry in self._results.entries)}
        fonts = self.fontMetrics(), QFontMetrics(italic_font(self.font()))
        return max(metrics.horizontalAdvance(text) for metrics in fonts for text in shown) + PADDING


def italic_font(font: QFont | None = None) -> QFont:
    """Return the italic font of stale results."""
    made = QFont(font) if font else QFont()
    made.setItalic(True)
    return made


def text_of(entry: Entry, column: int) -> str:
    """Return the text of a cell of the table."""
    return COLUMN_TEXTS[column](entry)


def _rate_text(entry: Entry) -> str:
    method, giga = texts.result_method(entry.result), entry.result.gcups
    return texts.format_rate(giga, method.problem_type.work_unit if method else "cells") if giga else ""


COLUMN_TEXTS: dict[int, Callable[[Entry], str]] = {
    TIME: lambda entry: entry.result.started.astimezone().strftime("%H:%M"),
    METHOD: lambda entry: entry.name or texts.method_name(entry.result),
    ANSWER: lambda entry: texts.answer_text(entry.result),
    SPENT: lambda entry: texts.format_duration(entry.result.compute_ms),
    RATE: _rate_text,
    DEVICE: lambda entry: texts.device_name(entry.result),
    TAGS: lambda entry: ", ".join(entry.tags),
    PARAMETERS: lambda entry: texts.format_settings(texts.used_parameters(entry.result)),
    INPUT: lambda entry: texts.problem_title(entry.result),
}
"""Formats the text of each column."""


def _sorted_by(entry: Entry, column: int) -> tuple[float, str]:
    """Return the sort key of a result in a column: numbers before words."""
    if column == TIME:
        return entry.result.started.timestamp(), ""
    if column in (SPENT, RATE):
        return entry.result.compute_ms if column == SPENT else entry.result.gcups, ""
    text = text_of(entry, column)
    numbers = re.findall(r"[-\u2212]?[0-9][0-9,.]*", text) if column == ANSWER else []
    if numbers:
        return float(numbers[0].replace(",", "").replace("\u2212", "-").rstrip(".")), text
    return math.inf, text.lower()


def _column_alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
