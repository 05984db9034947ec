"""The table of sequences: its cells, how they are drawn and edited, and the selected rows."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from typing import Any, cast

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from antidiag.app import texts, theme
from antidiag.app.kit.controls.widgets import style_as_list
from antidiag.app.session.session import Session
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.model import Sequence, SequenceType

ROLE, NAME, TYPE, LENGTH, CONTENT = range(5)
HEADERS = ("", "Name", "Type", "Length", "Content")
WIDEST = {ROLE: "0", TYPE: "protein", LENGTH: "00,000,000", CONTENT: "GC 44.4 %"}
"""The widest text that fits in a column."""
MIN_ROWS = 3
"""Rows that are visible in a low window."""
PADDING, GAP = 14, 14
"""Pixels of a cell in addition to its text, and between a name and its description."""
DESCRIPTION = Qt.ItemDataRole.UserRole
"""The role of the description of a sequence, mostly species and molecule."""

MIN_DESCRIPTION, MIN_NAME = 9, "NC_012920.1"
"""Least letters of a description that is shown, and a name that always fits."""

Index = QModelIndex | QPersistentModelIndex


class SequenceModel(QAbstractTableModel):
    """The sequences of the session as a table; cells are made when they are visible."""

    refused = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._sequences = session.state.sequences
        self.inputs: int | None = 2
        self._roles: tuple[tuple[int, ...], frozenset[int]] = (), frozenset()
        session.sequences_changed.connect(self._load_sequences)
        session.chosen_changed.connect(self._repaint_all)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._sequences)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _column_alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        sequence, column = self._sequences[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._text(index.row(), sequence, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _column_alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme.active().accent if column == ROLE else _column_colour(column))
        if role == Qt.ItemDataRole.FontRole and column in (ROLE, NAME) and self._is_chosen(index.row()):
            return _bold_font()
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tool_tip(sequence)
        if role == DESCRIPTION:
            return sequence.details
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() in (NAME, TYPE) else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        try:
            if index.column() == NAME:
                self._session.rename(index.row(), str(value))
            elif index.column() == TYPE:
                self._session.change_type([index.row()], SequenceType(value))
        except AntidiagError as error:
            self.refused.emit(str(error))
            return False
        return True

    def _text(self, row: int, sequence: Sequence, column: int) -> str:
        if column == ROLE:
            return self._role_text(row)
        if column == NAME:
            return sequence.name
        if column == TYPE:
            return str(sequence.type)
        return f"{len(sequence):,}" if column == LENGTH else texts.describe_content(sequence)

    def _is_chosen(self, row: int) -> bool:
        """Return whether a row is an input of the next run; False for all rows if all of them are."""
        return row in (self._session.state.rows(self.inputs) if self.inputs is not None else self._chosen_subset())

    def _role_text(self, row: int) -> str:
        if not self._is_chosen(row):
            return ""
        return "\N{BULLET}" if self.inputs is None else str(self._session.state.rows(self.inputs).index(row) + 1)

    def _chosen_subset(self) -> frozenset[int]:
        """Return the chosen rows for a method that takes any number of sequences; empty if it takes all."""
        subset = self._session.state.subset
        if subset is not self._roles[0]:
            self._roles = subset, frozenset(subset)
        return self._roles[1]

    def _load_sequences(self) -> None:
        after = self._session.state.sequences
        if len(after) == len(self._sequences):
            self._sequences = after
            self._repaint_all()
            return
        self.beginResetModel()
        self._sequences = after
        self.endResetModel()

    def _repaint_all(self) -> None:
        if self._sequences:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._sequences) - 1, len(HEADERS) - 1))


def _bold_font() -> QFont:
    """Return the font of the sequences that are the input of the next run."""
    font = QFont()
    font.setBold(True)
    return font


class NameDelegate(QStyledItemDelegate):
    """Draws the description of a sequence beside its name, if it fits."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        font = index.data(Qt.ItemDataRole.FontRole) or option.font
        name_width = QFontMetrics(font).horizontalAdvance(index.data()) + GAP
        box = option.rect.adjusted(name_width, 0, -PADDING // 2, 0)
        text = option.fontMetrics.elidedText(index.data(DESCRIPTION), Qt.TextElideMode.ElideRight, box.width())
        if len(text) >= MIN_DESCRIPTION:
            painter.setPen(QColor(theme.active().muted))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)


class TypeDelegate(QStyledItemDelegate):
    """Edits a type with a list of all types."""

    def createEditor(self, parent: QWidget, option: Any, index: Index) -> QWidget:
        box = QComboBox(parent)
        box.addItems([str(kind) for kind in SequenceType])
        box.activated.connect(lambda: self.commitData.emit(box))
        box.activated.connect(lambda: self.closeEditor.emit(box))
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        cast(QComboBox, editor).setCurrentText(index.data())

    def setModelData(self, editor: QWidget, model: Any, index: Index) -> None:
        model.setData(index, cast(QComboBox, editor).currentText())


class SequenceTable(QTableView):
    """Shows the sequences; keys 1, 2 and 3 use the current row as that input."""

    role_wanted = Signal(int)
    delete_wanted = Signal()
    copy_wanted = Signal()

    def __init__(self, model: SequenceModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegateForColumn(NAME, NameDelegate(self))
        self.setItemDelegateForColumn(TYPE, TypeDelegate(self))
        style_as_list(self)
        self.setMinimumHeight((MIN_ROWS + 1) * self.verticalHeader().defaultSectionSize() + 2 * self.frameWidth())
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        # With the selection of the table, the header would query every row at each paint.
        header.setSelectionModel(QItemSelectionModel(model, header))
        header.setMinimumSectionSize(24)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        self._widths = {
            column: self.fontMetrics().horizontalAdvance(widest) + PADDING for column, widest in WIDEST.items()
        }
        for column, width in self._widths.items():
            self.setColumnWidth(column, width)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the content and then the type if names would not fit."""
        room = self.viewport().width() - QFontMetrics(_bold_font()).horizontalAdvance(MIN_NAME) - PADDING
        for column in (ROLE, LENGTH, TYPE, CONTENT):
            room -= self._widths[column]
            self.setColumnHidden(column, room < 0 and column in (TYPE, CONTENT))
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text() in ("1", "2", "3") and self.currentIndex().isValid():
            self.role_wanted.emit(int(event.text()) - 1)
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        else:
            super().keyPressEvent(event)

    def rows(self) -> Sequences[int]:
        """Return the selected rows in order; a range if they are contiguous."""
        ranges = sorted((part.top(), part.bottom()) for part in self.selectionModel().selection().toList())
        if len(ranges) == 1:
            return range(ranges[0][0], ranges[0][1] + 1)
        rows: list[int] = []
        for top, bottom in ranges:
            rows += range(max(top, rows[-1] + 1) if rows else top, bottom + 1)
        return rows

    def select_ranges(self, edges: list[int]) -> None:
        """Select only these rows, given as begins and ends of ranges in turn (an end is not included)."""
        selection, columns, index = QItemSelection(), len(HEADERS) - 1, self.model().index
        for low, high in zip(edges[::2], edges[1::2], strict=True):
            selection.append(QItemSelectionRange(index(low, 0), index(high - 1, columns)))
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)


def _column_alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (LENGTH, CONTENT) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _column_colour(column: int) -> str:
    return theme.active().text if column == NAME else theme.active().muted


def _tool_tip(sequence: Sequence) -> str:
    size = f"{texts.format_length(sequence)}, {sequence.type}"
    note = getattr(sequence, "note", "")
    parts = (sequence.name, sequence.details, size, sequence.source, note)
    return "\n".join(part for part in parts if part)
