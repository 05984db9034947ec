"""The panel of sequences: the table, and the inputs of the next run."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence as Sequences
from functools import partial

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QMenu, QPushButton, QToolButton

from antidiag.app import texts, theme
from antidiag.app.jobs.queue import JobQueue
from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.widgets import Card, ElidedLabel, create_label, quiet_button
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.panels.sequence_table import NAME, SequenceModel, SequenceTable
from antidiag.app.panels.sequence_tools import SequenceTools
from antidiag.app.session.sequence_editor import MANY, SequenceEditor
from antidiag.app.session.session import Session
from antidiag.app.session.state import BATCH
from antidiag.kernels.method import ProblemInput
from antidiag.kernels.model import Sequence, SequenceType, sequence_names
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.sequences.sequence_set import take_sequences

COUNT_WIDTH = 300
"""Least pixels of a panel whose heading shows the number of sequences."""
MAX_RANGES = 5000
"""Most ranges of rows that are selected at once; the time that Qt takes grows with their square."""
ORDINALS = ("First", "Second", "Third", "Fourth")


class SequencePanel(Card):
    """Shows the table of sequences, buttons to open files, and the inputs of the next run."""

    refused = Signal(str)
    names_selected = Signal(object)
    """Sent with the names of the sequences that the user selected."""

    def __init__(self, session: Session, queue: JobQueue) -> None:
        super().__init__("Sequences")
        self._session = session
        self._editor = SequenceEditor(session, queue, self.refused.emit)
        self.tools = SequenceTools(self, session, self._editor, lambda: self.table.rows(), self.refused.emit)
        self._is_sending = False
        self._naming = LatestTask(self, self._send_names)
        self.model = SequenceModel(session)
        self.model.refused.connect(self.refused)
        self.table = SequenceTable(self.model)
        self.table.setAccessibleName("Sequences")
        self.table.role_wanted.connect(lambda role: self.use(role))
        self.table.delete_wanted.connect(self.delete)
        self.table.copy_wanted.connect(self.tools.copy)
        self.table.customContextMenuRequested.connect(self._open_menu)
        self.table.selectionModel().selectionChanged.connect(self._collect_names)
        self.open_button = quiet_button("", "Open files (Ctrl+O)")
        self.open_button.setAccessibleName("Open files")
        set_icon(self.open_button, "open")
        self.sample_button = quiet_button("Samples", "Sample data that come with the program")
        self.sample_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.add_tools(self.open_button, self.sample_button)
        self.hint = create_label("Nothing is open. Open files, drop them here, or paste (Ctrl+V).", "muted", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.box.addWidget(self.hint, 1)
        self.box.addWidget(self.table, 1)
        self._inputs = QGridLayout()
        self._inputs.setSpacing(theme.SPACING)
        self._inputs.setColumnStretch(1, 1)
        self.box.addLayout(self._inputs)
        self.names: list[ElidedLabel] = []
        self.swap_button = QPushButton("Swap")
        self.swap_button.setToolTip("Swap the first and the second sequence")
        self.swap_button.clicked.connect(session.swap_inputs)
        self.all_button = quiet_button("Use all", "Use all sequences in the next run")
        self.all_button.clicked.connect(lambda: session.restrict_rows([]))
        self.subset_button = quiet_button("Use selected", "Use only the sequences selected in the table")
        self.subset_button.clicked.connect(lambda: session.restrict_rows(self.table.rows()))
        self.set_input(None)
        session.chosen_changed.connect(self._show_inputs)
        theme.notifier.changed.connect(self.table.viewport().update)

    def set_input(self, input: ProblemInput | None) -> None:
        """Show the inputs of the chosen method: a fixed number, any number, or none."""
        number = input.maximum if input else 0
        if number == self.model.inputs and self.names:
            return
        self.model.inputs = number
        while item := self._inputs.takeAt(0):
            if item.widget() not in (self.swap_button, self.all_button, self.subset_button):
                item.widget().hide()
                item.widget().deleteLater()
        self.names = [ElidedLabel() for _ in range(1 if number is None else number)]
        several = number is None
        if several:
            for column, widget in enumerate(
                (create_label("Input", "muted"), self.names[0], self.subset_button, self.all_button)
            ):
                self._inputs.addWidget(widget, 0, column)
        else:
            self._show_roles()
        self.swap_button.setVisible(not several and len(self.names) >= 2)
        for button in (self.all_button, self.subset_button):
            button.setVisible(several)
        self._show_inputs()

    def _show_roles(self) -> None:
        """Show a line for each input with its sequence and a button to set it."""
        for role, name in enumerate(self.names):
            ordinal = ORDINALS[role] if role < len(ORDINALS) else f"Input {role + 1}"
            use = quiet_button("Set", f"Use the selected sequence as {ordinal.lower()} input (key {role + 1})")
            use.clicked.connect(lambda _=False, role=role: self.use(role))
            self._inputs.addWidget(create_label(ordinal, "muted"), role, 0)
            self._inputs.addWidget(name, role, 1)
            self._inputs.addWidget(use, role, 2)
        if len(self.names) >= 2:
            self._inputs.addWidget(self.swap_button, 0, 3, 2, 1)

    def use(self, role: int) -> None:
        """Use the current row as the input of this number, counted from 0."""
        if role < (self.model.inputs or 0) and self.table.currentIndex().isValid():
            self._session.choose(role, self.table.currentIndex().row(), self.model.inputs)

    def delete(self) -> None:
        """Delete the selected sequences."""
        self._session.remove(self.table.rows())

    def clear(self) -> None:
        """Delete all sequences, as one edit that can be undone."""
        self._session.remove(range(len(self._session.state.sequences)))

    def duplicate_rows(self) -> None:
        """Duplicate the selected sequences."""
        self._editor.duplicate_rows(self.table.rows())

    def rename(self) -> None:
        """Let the user type a name for the current sequence."""
        index = self.table.currentIndex()
        if index.isValid():
            self.table.edit(self.model.index(index.row(), NAME))

    def move_rows(self, step: int) -> None:
        """Move the selected rows up (-1) or down (1) and keep them selected."""
        rows = self.table.rows()
        self._session.move(rows, step)
        if rows and rows[0] + step >= 0 and rows[-1] + step < self.model.rowCount():
            self.select_rows(np.array(rows) + step)

    def select_rows(self, rows: Sequences[int] | np.ndarray) -> None:
        """Select these rows and make the first of them the current one."""
        self.table.select_ranges(_range_edges(np.bincount(rows, minlength=self.model.rowCount()) > 0))
        flag, first = QItemSelectionModel.SelectionFlag.NoUpdate, self.model.index(int(rows[0]), NAME)
        self.table.selectionModel().setCurrentIndex(first, flag)
        self.table.scrollTo(first)

    def change_type(self, kind: SequenceType) -> None:
        """Change the type of the selected sequences."""
        self._editor.change_type(self.table.rows(), kind)

    def go_to(self, row: int) -> None:
        """Select a row and scroll to it."""
        self.table.selectRow(row)
        self.table.scrollTo(self.model.index(row, NAME))
        self.table.setFocus()

    def select_names(self, names: Collection[str]) -> None:
        """Select the sequences with these names and scroll to the first, without sending ``names_selected``."""
        if self._is_sending:
            return
        found = [name in names for name in sequence_names(self._session.state.sequences)] if names else []
        edges = _range_edges(found) if names else []
        if len(edges) > 2 * MAX_RANGES:
            self.refused.emit(
                f"{sum(found):,} sequences in {len(edges) // 2:,} separate places of the table are too many to select; "
                f"at most {MAX_RANGES:,} places can be selected."
            )
            edges = []
        self._is_sending = True
        self.table.select_ranges(edges)
        self._is_sending = False
        if edges:
            self.table.scrollTo(self.model.index(edges[0], NAME))

    def _collect_names(self) -> None:
        """Send the names of the selected sequences; a thread collects them if they are many."""
        if self._is_sending:
            return
        sequences, rows = self._session.state.sequences, self.table.rows()
        self._naming.cancel()
        if len(rows) > MANY:
            self._naming.request(lambda monitor: _names_of_rows(sequences, rows, monitor))
        else:
            self._send_names(_names_of_rows(sequences, rows))

    def _send_names(self, names: frozenset[str]) -> None:
        self._is_sending = True
        self.names_selected.emit(names)
        self._is_sending = False

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
                parts = (sequence.name, sequence.details, texts.format_length(sequence))
                name.setText(" \N{MIDDLE DOT} ".join(part for part in parts if part))
            else:
                name.setText("not set")
        self.swap_button.setEnabled(len(rows) >= 2)
        self._show_count()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_count()

    def _show_count(self) -> None:
        """Show the number of sequences in the heading, or only in its tooltip if the panel is narrow."""
        total = len(self._session.state.sequences)
        counted = f"Sequences ({total:,})" if total else "Sequences"
        self.heading.setText(counted if self.width() >= COUNT_WIDTH else "Sequences")
        self.heading.setToolTip(counted)

    def _show_subset(self, used: int, total: int) -> None:
        self.names[0].setText("none" if not total else f"all {total:,}" if used == total else f"{used:,} of {total:,}")
        self.all_button.setEnabled(used < total)
        self.subset_button.setEnabled(total > 0)

    def _open_menu(self, place: QPoint) -> None:
        if not self.table.rows():
            return
        menu = QMenu(self)
        for role in range(self.model.inputs or 0):
            menu.addAction(f"Use as {ORDINALS[role].lower()}\t{role + 1}", partial(self.use, role))
        if self.model.inputs is None:
            menu.addAction("Use selected", self.subset_button.click)
            menu.addAction("Use all", self.all_button.click)
        menu.addSeparator()
        menu.addAction("Rename\tF2", self.rename)
        kinds = menu.addMenu("Type")
        for kind in SequenceType:
            kinds.addAction(str(kind), partial(self.change_type, kind))
        menu.addAction("Duplicate\tCtrl+D", self.duplicate_rows)
        menu.addAction("Copy as FASTA\tCtrl+C", self.tools.copy)
        self.tools.fill(menu.addMenu("Tools"))
        menu.addAction("Move up\tAlt+Up", lambda: self.move_rows(-1))
        menu.addAction("Move down\tAlt+Down", lambda: self.move_rows(1))
        menu.addSeparator()
        menu.addAction("Delete\tDel", self.delete)
        menu.addAction("Clear all", self.clear)
        menu.exec(self.table.viewport().mapToGlobal(place))


def _names_of_rows(
    sequences: Sequences[Sequence], rows: Sequences[int], monitor: Monitor | None = None
) -> frozenset[str]:
    """The names of these rows."""
    found: set[str] = set()
    for at in range(0, len(rows), BATCH):
        if monitor:
            monitor.check()
        found.update(sequence_names(take_sequences(sequences, rows[at : at + BATCH])))
    return frozenset(found)


def _range_edges(wanted: Sequences[bool] | np.ndarray) -> list[int]:
    """Return the begins and ends of the ranges of wanted rows, in turn."""
    return np.flatnonzero(np.diff(np.asarray(wanted, np.int8), prepend=0, append=0)).tolist()
