"""The panel of data other than sequences (distance matrices, trees, models, graphs) and their use in the next run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTreeWidget, QTreeWidgetItem, QWidget

from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.widgets import Card, FittingButton, create_label, create_row, menu_button, quiet_button
from antidiag.app.session.entry import edited_summary
from antidiag.app.session.session import Session
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.sequences import SEQUENCE, reading_notes
from antidiag.kernels.method import ProblemInput, ProblemType
from antidiag.kernels.registry.data_loading import find_kind

NAME, KIND, SUMMARY = range(3)
ORDINALS = ("first", "second", "third")
MAX_ROWS, MIN_ROWS = 5, 2
"""Most and least rows that are visible without scrolling."""
USE = "Use the selected data in the next run (Enter)"
LEAVE_OUT = "Run without the selected data"


class DataPanel(Card):
    """Lists data. A click or an arrow key shows a datum; a double click or Enter also uses it in the next run.

    The panel is hidden while there are no such data and the method needs none.
    """

    said = Signal(str)
    tab_wanted = Signal(object, bool)
    shown_wanted = Signal(object)
    """Sent with a datum that is to be shown, or that is to be said to have no view."""
    pointed_at = Signal(object)
    """Sent with the datum that was clicked, or reached by keys."""
    open_wanted = Signal(object)
    """Sent with the path of a bundled file to open."""
    profile_wanted = Signal(object)
    bundled_changed = Signal(bool)
    """Sent with whether bundled files offer data that the method lacks."""

    def __init__(self, session: Session) -> None:
        super().__init__("Other data")
        self._session = session
        self.explain_no_beside: Callable[[Any], str] = lambda key: ""
        """Returns why a datum cannot be opened beside another one; "" if it can."""
        self._problem: ProblemType | None = None
        self.list = QTreeWidget()
        self.list.setAccessibleName("Other data")
        self.list.setHeaderLabels(["Name", "Kind", "Content"])
        self.list.setRootIsDecorated(False)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.list.header().setMinimumSectionSize(40)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        line = self.list.fontMetrics().height() + 8
        self.list.setMaximumHeight((MAX_ROWS + 2) * line)
        self.list.setMinimumHeight((MIN_ROWS + 1) * line)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.list.itemSelectionChanged.connect(self._update_buttons)
        self.list.itemClicked.connect(self._point_at)
        self.list.currentItemChanged.connect(lambda item: self._point_at(item) if self.list.hasFocus() else None)
        self.list.itemActivated.connect(lambda item: self.activate())
        self.hint = create_label("", "muted", wrap=True)
        self.use_button = quiet_button("Use", USE)
        self.show_button = quiet_button("Show", "Show the selected data")
        self.sequences_button = FittingButton("Open as sequences", "As sequences", "Sequences")
        self.sequences_button.setToolTip("Add the rows of the selected alignments to the sequences, without gaps")
        self.sequences_button.clicked.connect(lambda: self.open_as_sequences())
        self.profile_button = FittingButton("Make a profile\N{HORIZONTAL ELLIPSIS}", "Profile\N{HORIZONTAL ELLIPSIS}")
        self.profile_button.setToolTip("Make a profile of the selected alignment, with row weights and pseudocounts")
        self.profile_button.clicked.connect(lambda: self.want_profile())
        self.delete_button = quiet_button("", "Delete the selected data (can be undone)")
        self.delete_button.setAccessibleName("Delete the selected data")
        set_icon(self.delete_button, "delete")
        for button, slot in (
            (self.use_button, self.use_or_leave_out),
            (self.show_button, self.show_current),
            (self.delete_button, self.delete),
        ):
            button.clicked.connect(lambda _=False, slot=slot: slot())
        self.add_tools(self.use_button, self.show_button, self.delete_button)
        self.bundled_menu = QMenu(self, toolTipsVisible=True)
        self.bundled_button = menu_button("Open bundled data", "Data that come with the program", self.bundled_menu)
        self.box.addWidget(self.hint)
        self.box.addLayout(create_row(self.bundled_button, QWidget(), stretch=1))
        self.box.addWidget(self.list, 1)
        self.box.addLayout(create_row(self.sequences_button, self.profile_button))
        session.data_changed.connect(self._fill_list)
        session.edits_changed.connect(self._update_sizes)
        self._fill_list()

    def set_problem(self, problem: ProblemType) -> None:
        """Mark the data that the chosen method takes."""
        self._problem = problem
        self._fill_list()

    def activate(self) -> None:
        """Use the current datum in the next run; show it if the method cannot take it."""
        datum = self._session.state.data[self._datum_number(self.list.currentItem())]
        taken = self._problem is not None and any(given.kind.accepts(datum) for given in self._problem.inputs)
        self.use() if taken else self.show_current()

    def use(self) -> None:
        """Use the current datum in the next run."""
        if self.list.currentItem():
            self._session.use_datum(self._datum_number(self.list.currentItem()))

    def leave_out(self) -> None:
        """Run without the current datum."""
        if self.list.currentItem():
            self._session.leave_out(self._datum_number(self.list.currentItem()))

    def use_or_leave_out(self) -> None:
        """Leave the current datum out if the next run uses it and can do without it; otherwise use it."""
        self.leave_out() if self._is_optional() else self.use()

    def show_current(self) -> None:
        """Show the current datum in the views."""
        if self.list.currentItem():
            self.shown_wanted.emit(self._session.state.data[self._datum_number(self.list.currentItem())])

    def open_tab(self) -> None:
        """Open the selected data in tabs of their own."""
        for datum in self._selected_data():
            self.tab_wanted.emit(datum, False)

    def open_beside(self) -> None:
        """Open the current datum beside what is shown; of two selected data, the second beside the first."""
        chosen = self._selected_data()
        for number, datum in enumerate(chosen[:2]):
            self.tab_wanted.emit(datum, len(chosen) == 1 or number == 1)

    def select(self, datum: Any) -> None:
        """Select the row of a datum."""
        places = (place for place, one in enumerate(self._session.state.data) if one is datum)
        if (place := next(places, None)) is not None:
            self.list.setCurrentItem(self.list.topLevelItem(place))

    def open_as_sequences(self) -> None:
        """Add the sequences that the selected data contain."""
        for datum in self._selected_data():
            if (kind := find_kind(datum)) and kind.extract_sequences:
                made = kind.extract_sequences(datum)
                self._session.add(made, f"{datum.name} as sequences")
                for note in reading_notes(made):
                    self.said.emit(note)

    def want_profile(self) -> None:
        """Ask for a profile of the selected alignment."""
        if found := self._selected_alignments():
            self.profile_wanted.emit(found[0])

    def delete(self) -> None:
        """Delete the selected data."""
        self._session.remove_data(self._datum_number(item) for item in self.list.selectedItems())

    def _point_at(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and len(self.list.selectedItems()) <= 1:
            self.pointed_at.emit(self._session.state.data[self._datum_number(item)])

    def _datum_number(self, item: QTreeWidgetItem) -> int:
        return int(item.data(NAME, Qt.ItemDataRole.UserRole))

    def _fill_list(self) -> None:
        state = self._session.state
        others = [taken for taken in self._problem.inputs if taken.kind is not SEQUENCE] if self._problem else []
        taken = {id(datum) for given in others for datum in state.given(given)}  # and not of a million sequences
        current = self._datum_number(self.list.currentItem()) if self.list.currentItem() else 0
        self.list.blockSignals(True)
        self.list.clear()
        places = self._input_ordinals()
        for number, datum in enumerate(state.data):
            kind = find_kind(datum)
            words = ", ".join(word for word in (kind.label if kind else "", places.get(id(datum), "")) if word)
            item = QTreeWidgetItem([datum.name, words, self._datum_summary(datum)])
            item.setData(NAME, Qt.ItemDataRole.UserRole, number)
            item.setToolTip(NAME, "\n".join(text for text in (datum.name, datum.source, datum.note) if text))
            item.setToolTip(SUMMARY, item.text(SUMMARY))
            if id(datum) in taken:
                font = QFont()
                font.setBold(True)
                item.setFont(NAME, font)
            self.list.addTopLevelItem(item)
        self.list.setCurrentItem(self.list.topLevelItem(min(current, len(state.data) - 1)))
        self.list.blockSignals(False)
        self._update_hint(bool(state.data))
        self._update_buttons()

    def _datum_summary(self, datum: Any) -> str:
        """Return a summary of a datum with its edits applied."""
        return edited_summary(self._session.edits_of(datum)) or datum.summary

    def _update_sizes(self) -> None:
        """Update the summaries after edits."""
        for place in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(place)
            item.setText(SUMMARY, self._datum_summary(self._session.state.data[self._datum_number(item)]))
            item.setToolTip(SUMMARY, item.text(SUMMARY))

    def _update_buttons(self) -> None:
        """Show the buttons that apply to the selected data."""
        self.use_button.setText("Leave out" if self._is_optional() else "Use")
        self.use_button.setToolTip(LEAVE_OUT if self._is_optional() else USE)
        kinds = [find_kind(datum) for datum in self._selected_data()]
        self.sequences_button.setVisible(any(kind and kind.extract_sequences for kind in kinds))
        self.profile_button.setVisible(len(self._selected_alignments()) == 1)

    def _is_optional(self) -> bool:
        """Return whether the next run uses the current datum but does not need it."""
        if self._problem is None or not self.list.currentItem():
            return False
        state = self._session.state
        datum = state.data[self._datum_number(self.list.currentItem())]
        without = [taken for taken in self._problem.inputs if not taken.minimum]
        return any(datum is given for taken in without for given in state.given(taken))

    def _selected_data(self) -> list[Any]:
        return [self._session.state.data[self._datum_number(item)] for item in self.list.selectedItems()]

    def _selected_alignments(self) -> list[AlignedSequences]:
        return [datum for datum in self._selected_data() if isinstance(datum, AlignedSequences)]

    def _input_ordinals(self) -> dict[int, str]:
        """Return "first", "second" or "third" by id(datum), for inputs that take several data."""
        several = [taken for taken in self._problem.inputs if taken.kind is not SEQUENCE] if self._problem else []
        return {
            id(datum): place
            for taken in several
            if taken.maximum is not None and taken.maximum > 1
            for datum, place in zip(self._session.state.given(taken), ORDINALS, strict=False)
        }

    def _update_hint(self, there: bool) -> None:
        needed = [taken for taken in self._problem.inputs if taken.kind.id != "sequence"] if self._problem else []
        lacking = [taken for taken in needed if not self._session.state.given(taken)]
        self.hint.setVisible(bool(lacking))
        self.hint.setText(" ".join(map(_describe_lacking, lacking)))
        self.hint.setToolTip("\n".join(f"{taken.kind.label}: {_list_suffixes(taken)}" for taken in lacking))
        for widget in (self.list, self.use_button, self.show_button, self.delete_button):
            widget.setVisible(there)
        self.setVisible(there or bool(needed))
        self._offer_bundled(lacking)

    def _offer_bundled(self, lacking: list[ProblemInput]) -> None:
        """Offer bundled data for the inputs that are lacking."""
        paths = [path for taken in lacking for path in taken.kind.bundled_files]
        self.bundled_menu.clear()
        for path in paths:
            self.bundled_menu.addAction(path.stem.replace("-", " "), partial(self.open_wanted.emit, path))
        self.bundled_button.setVisible(bool(paths))
        self.bundled_changed.emit(bool(paths))

    def _open_menu(self, place: QPoint) -> None:
        if not self.list.selectedItems():
            return
        menu = QMenu(self, toolTipsVisible=True)
        menu.addAction("Use\tEnter", self.use)
        if self._is_optional():
            menu.addAction("Leave out", self.leave_out)
        menu.addAction("Show", self.show_current)
        menu.addAction("Open in a new tab", self.open_tab)
        beside = menu.addAction("Open beside\tCtrl+\\", self.open_beside)
        chosen = self._selected_data()
        reason = self.explain_no_beside(chosen[0]) if len(chosen) == 1 else ""
        beside.setEnabled(not reason)
        beside.setToolTip(reason)
        if self.sequences_button.isVisibleTo(self):
            menu.addAction("Open as sequences", self.open_as_sequences)
        if self.profile_button.isVisibleTo(self):
            menu.addAction("Make a profile\u2026", self.want_profile)
        menu.addSeparator()
        menu.addAction("Delete", self.delete)
        menu.exec(self.list.viewport().mapToGlobal(place))


def _describe_lacking(taken: ProblemInput) -> str:
    """Return which data a method lacks, with the endings of their files, or in few words which it can also take."""
    data = taken.describe_input().removeprefix("optionally ")
    return f"This method takes {data}: open {_list_suffixes(taken)}." if taken.minimum else f"It can take {data}."


def _list_suffixes(taken: ProblemInput) -> str:
    return ", ".join(f"*{suffix}" for suffix in taken.kind.suffixes)
