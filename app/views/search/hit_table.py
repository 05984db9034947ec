"""The table of hits: a model that asks arrays for what is visible, so that a million hits scroll."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView

from antidiag.app.kit.controls.widgets import style_as_list
from antidiag.app.views.search.hit_list import COLUMN_IDS, COLUMNS, ShownHits

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
WIDTHS = {"name": 14, "title": 20, "query": 10, "subject": 10}
"""Letters of the columns at first; 7 of the others."""
MOST_COPIED = 100_000
"""Rows that the clipboard takes."""
PADDING, LEAST_TITLE = 18, 90


class HitModel(QAbstractTableModel):
    """The shown hits as a table."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: ShownHits | None = None

    def show_hits(self, shown: ShownHits | None) -> None:
        """Show other hits, or nothing."""
        self.beginResetModel()
        self.shown = shown
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if self.shown is None or parent.isValid() else int(self.shown.order.size)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return f"{section + 1:,}" if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section].title
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{COLUMNS[section].tip}. Click to sort."
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.shown is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.shown.text(index.row(), COLUMNS[index.column()])
        return _alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignLeft if COLUMNS[column].is_text else Qt.AlignmentFlag.AlignRight
    return int(side | Qt.AlignmentFlag.AlignVCenter)


class HitTable(QTableView):
    """The table of hits.

    It emits ``sort_wanted(column id)`` on a click on a heading, ``hit_chosen(place)``, ``hit_opened(place)``, and
    ``scrolled(place)`` with the first visible place.
    """

    sort_wanted = Signal(str)
    hit_chosen = Signal(object)
    hit_opened = Signal(object)
    scrolled = Signal(int)
    columns_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.hit_model = HitModel()
        self.setModel(self.hit_model)
        self.setAccessibleName("Hits")
        style_as_list(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.verticalHeader().setVisible(False)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setStretchLastSection(False)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._open_column_menu)
        header.sectionClicked.connect(lambda section: self.sort_wanted.emit(COLUMN_IDS[section]))
        self.column_menu = QMenu("Columns", self)
        self._actions: dict[str, QAction] = {}
        letter = self.fontMetrics().horizontalAdvance("0")
        for number, column in enumerate(COLUMNS):
            self.setColumnWidth(number, WIDTHS.get(column.id, 7) * letter + PADDING)
            action = self.column_menu.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(column.is_shown)
            action.setToolTip(column.tip)
            action.toggled.connect(lambda on, number=number: self._show_column(number, on))
            self._actions[column.id] = action
            self.setColumnHidden(number, not column.is_shown)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.doubleClicked.connect(lambda index: self.hit_opened.emit(index.row()))
        self.verticalScrollBar().valueChanged.connect(lambda _: self.scrolled.emit(self.first_visible))

    @property
    def first_visible(self) -> int:
        """The first visible place."""
        return max(self.rowAt(0), 0)

    @property
    def visible_rows(self) -> int:
        """The number of rows that fit."""
        return max(self.viewport().height() // max(self.verticalHeader().defaultSectionSize(), 1), 1)

    @property
    def chosen(self) -> int | None:
        """The current place, None if there is none."""
        index = self.currentIndex()
        return index.row() if index.isValid() else None

    def selected_places(self) -> list[int]:
        """Return the selected places, ascending."""
        ranges = self.selectionModel().selection()
        return sorted({row for one in ranges.toList() for row in range(one.top(), one.bottom() + 1)})

    def show_hits(self, shown: ShownHits | None, sort_column: str, descending: bool) -> None:
        """Show hits, with a mark on the column by which they are sorted."""
        self.hit_model.show_hits(shown)
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        section = COLUMN_IDS.index(sort_column) if sort_column in COLUMN_IDS else -1
        self.horizontalHeader().setSortIndicator(section, order)

    def go_to(self, place: int) -> None:
        """Choose a hit and scroll to it."""
        index = self.hit_model.index(place, 0)
        self.setCurrentIndex(index)
        self.selectRow(place)
        self.scrollTo(index)

    def list_columns(self) -> list[str]:
        """Return the ids of the shown columns."""
        return [name for name, action in self._actions.items() if action.isChecked()]

    def choose_columns(self, names: Iterable[str]) -> None:
        """Show these columns alone; at least the first."""
        wanted = set(names) & set(COLUMN_IDS) or {COLUMN_IDS[0]}
        for name, action in self._actions.items():
            action.setChecked(name in wanted)

    def copy_rows(self) -> int:
        """Copy the selected rows, or all, in the shown columns as tab-separated text; return how many."""
        shown = self.hit_model.shown
        if shown is None:
            return 0
        places = self.selected_places()
        places = (places if len(places) > 1 else list(range(self.hit_model.rowCount())))[:MOST_COPIED]
        columns = [column for column in COLUMNS if column.id in self.list_columns()]
        lines = ["\t".join(column.title for column in columns)]
        lines += ["\t".join(shown.text(place, column) for column in columns) for place in places]
        QGuiApplication.clipboard().setText("\n".join(lines) + "\n")
        return len(places)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen is not None:
            self.hit_opened.emit(self.chosen)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_title()

    def _fit_title(self) -> None:
        """Give the descriptions what the other columns leave."""
        title = COLUMN_IDS.index("title")
        others = sum(self.columnWidth(number) for number in range(len(COLUMNS)) if number != title)
        self.setColumnWidth(title, max(self.viewport().width() - others, LEAST_TITLE))

    def _show_column(self, number: int, on: bool) -> None:
        self.setColumnHidden(number, not on)
        self._fit_title()
        self.columns_changed.emit()

    def _open_column_menu(self, place: QPoint) -> None:
        self.column_menu.popup(self.horizontalHeader().mapToGlobal(place))

    def _on_current(self, index: QModelIndex) -> None:
        self.hit_chosen.emit(index.row() if index.isValid() else None)
