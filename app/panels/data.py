"""Data that are no sequences: distance matrices, trees, models, graphs, and which of them go into the next run."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QPushButton, QTreeWidget, QTreeWidgetItem

from app.kit.widgets import Card, label, quiet_button
from app.session.session import Session
from kernels.method import ProblemType
from kernels.registry.loading import kind_of

NAME, KIND, SUMMARY = range(3)
ROWS = 5
"""Rows that are seen without scrolling."""


class DataPanel(Card):
    """The list. A double click, or Enter, uses a datum for the next run, or shows what the method does not take.

    Hidden while nobody needs it.
    """

    shown_wanted = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__("Other data")
        self._session = session
        self._problem: ProblemType | None = None
        self.list = QTreeWidget()
        self.list.setAccessibleName("Other data")
        self.list.setHeaderLabels(["Name", "Kind", "Holds"])
        self.list.setRootIsDecorated(False)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.header().setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column in (KIND, SUMMARY):
            self.list.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.list.setMaximumHeight((ROWS + 2) * (self.list.fontMetrics().height() + 8))
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.list.itemSelectionChanged.connect(self._offer)
        self.list.itemActivated.connect(lambda item: self.activate())
        self.hint = label("", "muted", wrap=True)
        self.use_button = quiet_button("Use", "Take the selected one for the next run (Enter)")
        self.show_button = quiet_button("Show", "Look at the selected one")
        self.sequences_button = QPushButton("Open as sequences")
        self.sequences_button.setToolTip(
            "Add the rows of the selected alignments, without their gaps, to the sequences"
        )
        self.sequences_button.clicked.connect(lambda: self.as_sequences())
        self.delete_button = quiet_button("Delete", "Delete the selected ones (can be undone)")
        for button, slot in (
            (self.use_button, self.use),
            (self.show_button, self.show_it),
            (self.delete_button, self.delete),
        ):
            button.clicked.connect(lambda _=False, slot=slot: slot())
            self.header.addWidget(button)
        self.box.addWidget(self.hint)
        self.box.addWidget(self.list, 1)
        self.box.addWidget(self.sequences_button)
        session.data_changed.connect(self._fill)
        self._fill()

    def set_problem(self, problem: ProblemType) -> None:
        """The problem of the chosen method: what it takes is marked."""
        self._problem = problem
        self._fill()

    def activate(self) -> None:
        datum = self._session.state.data[self._number(self.list.currentItem())]
        taken = self._problem is not None and any(isinstance(datum, given.kind.type) for given in self._problem.inputs)
        self.use() if taken else self.show_it()

    def use(self) -> None:
        if self.list.currentItem():
            self._session.pick(self._number(self.list.currentItem()))

    def show_it(self) -> None:
        if self.list.currentItem():
            self.shown_wanted.emit(self._session.state.data[self._number(self.list.currentItem())])

    def as_sequences(self) -> None:
        """Add what the selected data hold as sequences, where they hold some."""
        for datum in [self._session.state.data[self._number(item)] for item in self.list.selectedItems()]:
            if (kind := kind_of(datum)) and kind.unaligned:
                self._session.add(kind.unaligned(datum), f"{datum.name} as sequences")

    def delete(self) -> None:
        self._session.remove_data(self._number(item) for item in self.list.selectedItems())

    def _number(self, item: QTreeWidgetItem) -> int:
        return int(item.data(NAME, Qt.ItemDataRole.UserRole))

    def _fill(self) -> None:
        state = self._session.state
        taken = [id(datum) for datum in state.inputs(self._problem)] if self._problem else []
        current = self._number(self.list.currentItem()) if self.list.currentItem() else 0
        self.list.blockSignals(True)
        self.list.clear()
        for number, datum in enumerate(state.data):
            kind = kind_of(datum)
            item = QTreeWidgetItem([datum.name, kind.label if kind else "", datum.summary])
            item.setData(NAME, Qt.ItemDataRole.UserRole, number)
            item.setToolTip(NAME, "\n".join(text for text in (datum.name, datum.source, datum.note) if text))
            if id(datum) in taken:
                font = QFont()
                font.setBold(True)
                item.setFont(NAME, font)
            self.list.addTopLevelItem(item)
        self.list.setCurrentItem(self.list.topLevelItem(min(current, len(state.data) - 1)))
        self.list.blockSignals(False)
        self._explain(bool(state.data))
        self._offer()

    def _offer(self) -> None:
        """Whether some of the selected data can be had as sequences."""
        chosen = [self._session.state.data[self._number(item)] for item in self.list.selectedItems()]
        kinds = [kind_of(datum) for datum in chosen]
        self.sequences_button.setVisible(any(kind and kind.unaligned for kind in kinds))

    def _explain(self, there: bool) -> None:
        needed = [taken for taken in self._problem.inputs if taken.kind.id != "sequence"] if self._problem else []
        lacking = [taken for taken in needed if not self._session.state.given(taken)]
        self.hint.setVisible(bool(lacking))
        self.hint.setText(
            " ".join(
                f"This method takes {taken.number()}: open {', '.join('*' + suffix for suffix in taken.kind.suffixes)}."
                for taken in lacking
            )
        )
        for widget in (self.list, self.use_button, self.show_button, self.delete_button):
            widget.setVisible(there)
        self.setVisible(there or bool(needed))

    def _menu(self, place: QPoint) -> None:
        if not self.list.selectedItems():
            return
        menu = QMenu(self)
        menu.addAction("Use\tEnter", self.use)
        menu.addAction("Show", self.show_it)
        if self.sequences_button.isVisibleTo(self):
            menu.addAction("Open as sequences", self.as_sequences)
        menu.addSeparator()
        menu.addAction("Delete", self.delete)
        menu.exec(self.list.viewport().mapToGlobal(place))
