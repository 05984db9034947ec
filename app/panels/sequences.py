"""The table of sequences, and which of them go into the next run."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence as Sequences
from operator import attrgetter
from typing import Any, cast

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QGridLayout,
    QHeaderView,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QWidget,
)

from app import texts, theme
from app.editing import Editor
from app.jobs import JobQueue
from app.panels.widgets import Card, Elided, label, quiet_button
from app.session import Session
from kernels.errors import AntidiagError
from kernels.method import Input
from kernels.model import Sequence, SequenceType

ROLE, NAME, TYPE, LENGTH, MAKEUP = range(5)
HEADERS = ("", "Name", "Type", "Length", "Content")
WIDEST = {ROLE: "0", TYPE: "protein", LENGTH: "00,000,000", MAKEUP: "GC 44.4 %"}
"""The widest text that a column has room for."""

PADDING, GAP = 16, 14
"""Pixels in a cell beside its text; between a name and what the sequence is."""
ABOUT = Qt.ItemDataRole.UserRole
"""The role of what a sequence is: species and molecule, mostly."""

MOST_RANGES = 5000
"""Ranges of rows that are selected at once; Qt takes time with their square."""

LEAST_ABOUT, LEAST_NAME = 9, "NC_012920.1"
ORDINALS = ("First", "Second", "Third", "Fourth")

Index = QModelIndex | QPersistentModelIndex


class SequenceModel(QAbstractTableModel):
    """The session's sequences as a table; cells are made when they are looked at."""

    refused = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._sequences = session.state.sequences
        self.inputs: int | None = 2
        self._roles: tuple[tuple[int, ...], frozenset[int]] = (), frozenset()
        session.sequences_changed.connect(self._take)
        session.chosen_changed.connect(self._repaint)

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
            return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        sequence, column = self._sequences[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._text(index.row(), sequence, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme.active().accent if column == ROLE else _colour(column))
        if role == Qt.ItemDataRole.FontRole and column in (ROLE, NAME) and self._is_chosen(index.row()):
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tool_tip(sequence)
        if role == ABOUT:
            return texts.about(sequence)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() in (NAME, TYPE) else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        try:
            if index.column() == NAME:
                self._session.rename(index.row(), str(value))
            elif index.column() == TYPE:
                self._session.retype([index.row()], SequenceType(value))
        except AntidiagError as error:
            self.refused.emit(str(error))
            return False
        return True

    def _text(self, row: int, sequence: Sequence, column: int) -> str:
        if column == ROLE:
            return self._role(row)
        if column == NAME:
            return sequence.name
        if column == TYPE:
            return str(sequence.type)
        return f"{len(sequence):,}" if column == LENGTH else texts.makeup(sequence)

    def _is_chosen(self, row: int) -> bool:
        """Whether a row stands out among those that go into the next run; nothing does where all of them go."""
        return row in (self._session.state.rows(self.inputs) if self.inputs is not None else self._subset())

    def _role(self, row: int) -> str:
        if not self._is_chosen(row):
            return ""
        return "\N{BULLET}" if self.inputs is None else str(self._session.state.rows(self.inputs).index(row) + 1)

    def _subset(self) -> frozenset[int]:
        """The rows that a method of any number of sequences takes, where these are not all."""
        subset = self._session.state.subset
        if subset is not self._roles[0]:
            self._roles = subset, frozenset(subset)
        return self._roles[1]

    def _take(self) -> None:
        after = self._session.state.sequences
        if len(after) == len(self._sequences):
            self._sequences = after
            self._repaint()
            return
        self.beginResetModel()
        self._sequences = after
        self.endResetModel()

    def _repaint(self) -> None:
        if self._sequences:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._sequences) - 1, len(HEADERS) - 1))


class NameDelegate(QStyledItemDelegate):
    """Beside the name, in the room that is left, what the sequence is."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        font = index.data(Qt.ItemDataRole.FontRole) or option.font
        taken = QFontMetrics(font).horizontalAdvance(index.data()) + GAP
        room = option.rect.adjusted(taken, 0, -PADDING // 2, 0)
        about = option.fontMetrics.elidedText(index.data(ABOUT), Qt.TextElideMode.ElideRight, room.width())
        if len(about) >= LEAST_ABOUT:
            painter.setPen(QColor(theme.active().muted))
            painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), about)


class TypeDelegate(QStyledItemDelegate):
    """Changes a type with a list of the types there are."""

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
    """The table; keys 1, 2, 3 use the current row as that input."""

    role_wanted = Signal(int)
    delete_wanted = Signal()

    def __init__(self, model: SequenceModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegateForColumn(NAME, NameDelegate(self))
        self.setItemDelegateForColumn(TYPE, TypeDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        # With the table's own selection, the header asks every row whether it is selected, at each paint.
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
        """In a narrow panel the names keep their room: content goes first, then type."""
        room = self.viewport().width() - self.fontMetrics().horizontalAdvance(LEAST_NAME) - PADDING
        for column in (ROLE, LENGTH, TYPE, MAKEUP):
            room -= self._widths[column]
            self.setColumnHidden(column, room < 0 and column in (TYPE, MAKEUP))
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text() in ("1", "2", "3") and self.currentIndex().isValid():
            self.role_wanted.emit(int(event.text()) - 1)
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
        else:
            super().keyPressEvent(event)

    def rows(self) -> list[int]:
        """Selected rows, in order."""
        ranges = sorted((part.top(), part.bottom()) for part in self.selectionModel().selection().toList())
        rows: list[int] = []
        for top, bottom in ranges:
            rows += range(max(top, rows[-1] + 1) if rows else top, bottom + 1)
        return rows

    def select_ranges(self, edges: list[int]) -> None:
        """Select these rows alone: from the first to before the second, from the third to before the fourth, ..."""
        selection, columns, index = QItemSelection(), len(HEADERS) - 1, self.model().index
        for low, high in zip(edges[::2], edges[1::2], strict=True):
            selection.append(QItemSelectionRange(index(low, 0), index(high - 1, columns)))
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)


class SequencePanel(Card):
    """Table of sequences, buttons for opening them, and the inputs of the next run."""

    refused = Signal(str)
    names_selected = Signal(object)
    """Names of the rows that the user selected."""

    def __init__(self, session: Session, queue: JobQueue) -> None:
        super().__init__("Sequences")
        self._session = session
        self._editor = Editor(session, queue, self.refused.emit)
        self._telling = False
        self.model = SequenceModel(session)
        self.model.refused.connect(self.refused)
        self.table = SequenceTable(self.model)
        self.table.setAccessibleName("Sequences")
        self.table.role_wanted.connect(lambda role: self.use(role))
        self.table.delete_wanted.connect(self.delete)
        self.table.customContextMenuRequested.connect(self._menu)
        self.table.selectionModel().selectionChanged.connect(self._tell_names)
        self.open_button = quiet_button("Open...", "Open sequence files (Ctrl+O)")
        self.sample_button = quiet_button("Samples", "Real sequences that come with the program")
        self.sample_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.header.addWidget(self.open_button)
        self.header.addWidget(self.sample_button)
        self.hint = label("Nothing is open. Open files, drop them here, or paste (Ctrl+V).", "muted", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.box.addWidget(self.hint, 1)
        self.box.addWidget(self.table, 1)
        self._inputs = QGridLayout()
        self._inputs.setSpacing(theme.SPACING)
        self._inputs.setColumnStretch(1, 1)
        self.box.addLayout(self._inputs)
        self.names: list[Elided] = []
        self.swap_button = QPushButton("Swap")
        self.swap_button.setToolTip("First and second change places")
        self.swap_button.clicked.connect(session.swap)
        self.all_button = quiet_button("Use all", "Take all sequences")
        self.all_button.clicked.connect(lambda: session.restrict([]))
        self.subset_button = quiet_button("Use selected", "Take only the rows that are selected in the table")
        self.subset_button.clicked.connect(lambda: session.restrict(self.table.rows()))
        self.set_input(None)
        session.chosen_changed.connect(self._show_inputs)
        theme.notifier.changed.connect(self.table.viewport().update)

    def set_input(self, input: Input | None) -> None:
        """What sequences the chosen method takes: a fixed number, any number, or none."""
        number = input.maximum if input else 0
        if number == self.model.inputs and self.names:
            return
        self.model.inputs = number
        while item := self._inputs.takeAt(0):
            if item.widget() not in (self.swap_button, self.all_button, self.subset_button):
                item.widget().hide()
                item.widget().deleteLater()
        self.names = [Elided() for _ in range(1 if number is None else number)]
        several = number is None
        if several:
            for column, widget in enumerate(
                (label("Input", "muted"), self.names[0], self.subset_button, self.all_button)
            ):
                self._inputs.addWidget(widget, 0, column)
        else:
            self._show_roles()
        self.swap_button.setVisible(not several and len(self.names) >= 2)
        for button in (self.all_button, self.subset_button):
            button.setVisible(several)
        self._show_inputs()

    def _show_roles(self) -> None:
        """A line for each input: which sequence it is, and a button to set it."""
        for role, name in enumerate(self.names):
            ordinal = ORDINALS[role] if role < len(ORDINALS) else f"Input {role + 1}"
            use = quiet_button("Set", f"Take the selected row as {ordinal.lower()} sequence (key {role + 1})")
            use.clicked.connect(lambda _=False, role=role: self.use(role))
            self._inputs.addWidget(label(ordinal, "muted"), role, 0)
            self._inputs.addWidget(name, role, 1)
            self._inputs.addWidget(use, role, 2)
        if len(self.names) >= 2:
            self._inputs.addWidget(self.swap_button, 0, 3, 2, 1)

    def use(self, role: int) -> None:
        """Take the current row as input ``role``."""
        if role < (self.model.inputs or 0) and self.table.currentIndex().isValid():
            self._session.choose(role, self.table.currentIndex().row(), self.model.inputs)

    def delete(self) -> None:
        self._session.remove(self.table.rows())

    def duplicate(self) -> None:
        self._editor.duplicate(self.table.rows())

    def rename(self) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            self.table.edit(self.model.index(index.row(), NAME))

    def move_rows(self, step: int) -> None:
        """The selected rows one place up or down; they stay selected."""
        rows = self.table.rows()
        self._session.move(rows, step)
        if rows and rows[0] + step >= 0 and rows[-1] + step < self.model.rowCount():
            places = np.array(rows) + step
            self.table.select_ranges(_edges(np.bincount(places, minlength=self.model.rowCount())))
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            self.table.selectionModel().setCurrentIndex(self.model.index(int(places[0]), NAME), flag)

    def retype(self, kind: SequenceType) -> None:
        self._editor.retype(self.table.rows(), kind)

    def go_to(self, row: int) -> None:
        """Select a row and scroll to it."""
        self.table.selectRow(row)
        self.table.scrollTo(self.model.index(row, NAME))
        self.table.setFocus()

    def select_names(self, names: Collection[str]) -> None:
        """Select the rows of the sequences with these names, and show the first; tells nobody."""
        if self._telling:
            return
        found = [sequence.name in names for sequence in self._session.state.sequences]
        edges = _edges(found) if names else []
        if len(edges) > 2 * MOST_RANGES:
            self.refused.emit(
                f"{sum(found):,} sequences were chosen that stand in {len(edges) // 2:,} places of the table: "
                "too many places to select them there."
            )
            edges = []
        self._telling = True
        self.table.select_ranges(edges)
        self._telling = False
        if edges:
            self.table.scrollTo(self.model.index(edges[0], NAME))

    def _tell_names(self) -> None:
        if not self._telling:
            sequences = self._session.state.sequences
            self._telling = True
            rows = self.table.rows()
            found = sequences if len(rows) == len(sequences) else map(sequences.__getitem__, rows)
            self.names_selected.emit(list(map(attrgetter("name"), found)))
            self._telling = False

    def _show_inputs(self) -> None:
        state = self._session.state
        rows = state.rows(self.model.inputs)
        self.hint.setVisible(not state.sequences)
        self.table.setVisible(bool(state.sequences))
        if self.model.inputs is None:
            self._show_subset(len(rows), len(state.sequences))
        for role, name in enumerate(self.names if self.model.inputs else ()):
            if role < len(rows):
                sequence = state.sequences[rows[role]]
                parts = (sequence.name, texts.about(sequence), texts.length(sequence))
                name.setText(" \N{MIDDLE DOT} ".join(part for part in parts if part))
            else:
                name.setText("none yet")
        self.swap_button.setEnabled(len(rows) >= 2)
        total = len(state.sequences)
        self.heading.setText(f"Sequences ({total:,})" if total else "Sequences")

    def _show_subset(self, used: int, total: int) -> None:
        self.names[0].setText(
            "none yet" if not total else f"all {total:,}" if used == total else f"{used:,} of {total:,}"
        )
        self.all_button.setEnabled(used < total)
        self.subset_button.setEnabled(total > 0)

    def _menu(self, place: QPoint) -> None:
        if not self.table.rows():
            return
        menu = QMenu(self)
        for role in range(self.model.inputs or 0):
            menu.addAction(f"Use as {ORDINALS[role].lower()}\t{role + 1}", lambda role=role: self.use(role))
        if self.model.inputs is None:
            menu.addAction("Use selected", self.subset_button.click)
            menu.addAction("Use all", self.all_button.click)
        menu.addSeparator()
        menu.addAction("Rename\tF2", self.rename)
        kinds = menu.addMenu("Type")
        for kind in SequenceType:
            kinds.addAction(str(kind), lambda kind=kind: self.retype(kind))
        menu.addAction("Duplicate\tCtrl+D", self.duplicate)
        menu.addAction("Move up\tAlt+Up", lambda: self.move_rows(-1))
        menu.addAction("Move down\tAlt+Down", lambda: self.move_rows(1))
        menu.addSeparator()
        menu.addAction("Delete\tDel", self.delete)
        menu.exec(self.table.viewport().mapToGlobal(place))


def _edges(wanted: Sequences[bool] | np.ndarray) -> list[int]:
    """Where runs of wanted rows begin and end, in turn."""
    return np.flatnonzero(np.diff(np.asarray(wanted, np.int8), prepend=0, append=0)).tolist()


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (LENGTH, MAKEUP) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _colour(column: int) -> str:
    return theme.active().text if column == NAME else theme.active().muted


def _tool_tip(sequence: Sequence) -> str:
    parts = (sequence.name, texts.about(sequence), f"{texts.length(sequence)}, {sequence.type}", sequence.source,
             getattr(sequence, "note", ""))  # fmt: skip
    return "\n".join(part for part in parts if part)
