"""The list of results: time, method, answer, and what they are of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from app import texts, theme
from app.kit.icons import dress
from app.kit.widgets import Card, as_list, label, quiet_button
from app.session.session import Entry, Session

TIME, METHOD, ANSWER, OF = range(4)
HEADERS = ("Time", "Method", "Answer", "Of")
PADDING = 18
"""Pixels in a cell beside its text."""
MOST_ANSWER, LEAST_METHOD, LEAST_OF = 18, 12, 9
"""Letters: an answer has room for no more, a method for no fewer, and a column "Of" with fewer is not shown."""
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
            return _text(entry, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        stale = self._is_stale(entry)
        if role == Qt.ItemDataRole.ForegroundRole and (stale or index.column() == TIME):
            return QColor(theme.active().muted)
        if role == Qt.ItemDataRole.FontRole and stale:
            return _italic()
        if role == Qt.ItemDataRole.ToolTipRole:
            return texts.stamp(entry.result) + (f"\n{STALE}" if stale else "")
        return None

    def refresh(self) -> None:
        """The settings changed, and with them what is stale."""
        if self.entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.entries) - 1, len(HEADERS) - 1))

    def _take(self) -> None:
        self.beginResetModel()
        self.entries = self._session.entries
        self.endResetModel()


class MiddleElided(QStyledItemDelegate):
    """Names of methods differ at their ends, so what has no room goes from their middle."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle


class ResultTable(QTableView):
    """The table; names of methods have the room they need, "Of" what is left."""

    def __init__(self, model: ResultModel) -> None:
        super().__init__()
        self._results = model
        self.setModel(model)
        self.setItemDelegateForColumn(METHOD, MiddleElided(self))
        self.setAccessibleName("Results")
        as_list(self)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(24)
        header.setSectionResizeMode(OF, QHeaderView.ResizeMode.Stretch)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        model.modelReset.connect(self.fit)
        self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit()
        super().resizeEvent(event)

    def fit(self) -> None:
        """Widths of the columns for what is listed, in the room there is."""
        letter, room = self.fontMetrics().averageCharWidth(), self.viewport().width()
        needed = {column: self._needed(column) for column in (TIME, METHOD, ANSWER)}
        needed[ANSWER] = min(needed[ANSWER], MOST_ANSWER * letter + PADDING)
        method = min(needed[METHOD], room - needed[TIME] - needed[ANSWER])
        needed[METHOD] = max(method, LEAST_METHOD * letter)
        spare = room - sum(needed.values())
        self.setColumnHidden(OF, spare < LEAST_OF * letter)
        needed[ANSWER] += max(spare, 0) * self.isColumnHidden(OF)
        for column, width in needed.items():
            self.setColumnWidth(column, width)

    def _needed(self, column: int) -> int:
        """Pixels of the widest text of a column, upright or, as stale ones are, italic."""
        shown = {HEADERS[column], *(_text(entry, column) for entry in self._results.entries)}
        fonts = self.fontMetrics(), QFontMetrics(_italic(self.font()))
        return max(metrics.horizontalAdvance(text) for metrics in fonts for text in shown) + PADDING


class ResultPanel(Card):
    """The list; a click shows a result, Delete removes the selected ones."""

    def __init__(self, session: Session, is_stale: Callable[[Entry], bool]) -> None:
        super().__init__("Results")
        self._session = session
        self.model = ResultModel(session, is_stale)
        self.table = ResultTable(self.model)
        self.table.customContextMenuRequested.connect(self._menu)
        delete = QShortcut(QKeySequence.StandardKey.Delete, self.table, self.delete)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        self.delete_button = quiet_button("", "Delete the selected results (Del; can be undone)")
        self.delete_button.setAccessibleName("Delete the selected results")
        dress(self.delete_button, "delete")
        self.delete_button.clicked.connect(self.delete)
        self.header.addWidget(self.delete_button)
        self.hint = label("Results of runs are listed here.", "muted", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.box.addWidget(self.hint, 1)
        self.box.addWidget(self.table, 1)
        self.table.selectionModel().currentRowChanged.connect(self._current)
        session.results_changed.connect(self._follow)
        session.shown_changed.connect(self._follow)
        self._follow()

    def delete(self) -> None:
        rows = [index.row() for index in self.table.selectionModel().selectedRows()]
        self._session.remove_results([self.model.entries[row] for row in rows])

    def _current(self, index: QModelIndex) -> None:
        if index.isValid() and index.row() < len(self.model.entries):
            self._session.show(self.model.entries[index.row()])

    def _follow(self) -> None:
        """The row of the shown result is the selected one."""
        self.hint.setVisible(not self.model.entries)
        self.table.setVisible(bool(self.model.entries))
        self.delete_button.setEnabled(bool(self.model.entries))
        if self._session.shown in self.model.entries:
            row = self.model.entries.index(self._session.shown)
            if self.table.currentIndex().row() != row:
                flags = QItemSelectionModel.SelectionFlag
                self.table.selectionModel().setCurrentIndex(
                    self.model.index(row, 0), flags.ClearAndSelect | flags.Rows | flags.Current
                )
        elif self._session.shown is None:
            self.table.selectionModel().clear()

    def _menu(self, place: QPoint) -> None:
        if self.table.selectionModel().hasSelection():
            menu = QMenu(self)
            menu.addAction("Delete", self.delete)
            menu.exec(self.table.viewport().mapToGlobal(place))


def _italic(font: QFont | None = None) -> QFont:
    made = QFont(font) if font else QFont()
    made.setItalic(True)
    return made


def _text(entry: Entry, column: int) -> str:
    result = entry.result
    if column == TIME:
        return result.started.astimezone().strftime("%H:%M")
    if column == METHOD:
        return texts.method_name(result)
    return texts.answer(result) if column == ANSWER else texts.title(result)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column == ANSWER else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
