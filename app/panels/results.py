"""The panel of results: show, compare, rename, tag, annotate and delete them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu

from antidiag.app.kit import ask
from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.widgets import Card, UndoLineEdit, create_label, quiet_button
from antidiag.app.kit.focus import mark_search_field
from antidiag.app.panels.result_table import METHOD, ResultModel, ResultTable
from antidiag.app.session.session import Entry, Session
from antidiag.kernels.model import Result

FILTER_FROM = 5
"""Least number of results for which the filter line is shown."""


class ResultPanel(Card):
    """Lists results: a click shows one, a double click opens it in a tab of its own (``tab_wanted(entry, beside)``),
    and selected ones can be compared (``compare_wanted(entries)``)."""

    compare_wanted = Signal(object)
    tab_wanted = Signal(object, bool)

    def __init__(self, session: Session, is_stale: Callable[[Entry], bool]) -> None:
        super().__init__("Results")
        self._session = session
        self.explain_no_beside: Callable[[Result], str] = lambda result: ""
        """Returns why a result cannot be opened beside another one; "" if it can."""
        self.model = ResultModel(session, is_stale)
        self.table = ResultTable(self.model)
        self.table.customContextMenuRequested.connect(self._open_menu)
        for keys, slot in (
            (QKeySequence.StandardKey.Delete, self.delete),
            ("Ctrl+Return", self.compare),
            ("Return", self.open_tab),
        ):
            shortcut = QShortcut(QKeySequence(keys), self.table, slot)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        self.compare_button = quiet_button(
            "Compare", "Compare the selected results side by side; Ctrl+click selects several"
        )
        self.compare_button.clicked.connect(self.compare)
        self.delete_button = quiet_button("", "Delete the selected results (Del; can be undone)")
        self.delete_button.setAccessibleName("Delete the selected results")
        set_icon(self.delete_button, "delete")
        self.delete_button.clicked.connect(self.delete)
        self.add_tools(self.compare_button, self.delete_button)
        self.filter = UndoLineEdit()
        self.filter.setPlaceholderText("Filter by method, device, tag, note")
        self.filter.setAccessibleName("Filter of the results")
        self.filter.setClearButtonEnabled(True)
        mark_search_field(self.filter)
        self.filter.textChanged.connect(self._on_filter)
        self.hint = create_label("Results of runs appear here.", "muted", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.box.addWidget(self.filter)
        self.box.addWidget(self.hint, 1)
        self.box.addWidget(self.table, 1)
        self.table.selectionModel().currentRowChanged.connect(self._on_current_row)
        self.table.selectionModel().selectionChanged.connect(self._update_buttons)
        self.table.doubleClicked.connect(lambda index: self.tab_wanted.emit(self.table.entry(index), False))
        session.results_changed.connect(self._update_list)
        session.shown_changed.connect(self._update_list)
        self._update_list()

    def delete(self) -> None:
        """Delete the selected results."""
        self._session.remove_results(self.table.chosen())

    def compare(self) -> None:
        """Compare the selected results side by side."""
        if len(chosen := self.table.chosen()) > 1:
            self.compare_wanted.emit(tuple(chosen))

    def open_tab(self) -> None:
        """Open the selected results in tabs of their own."""
        for entry in self.table.chosen():
            self.tab_wanted.emit(entry, False)

    def open_beside(self) -> None:
        """Open the current result beside the one that is shown; of two selected ones, the second beside the first."""
        chosen = self.table.chosen()
        for number, entry in enumerate(chosen[:2]):
            self.tab_wanted.emit(entry, len(chosen) == 1 or number == 1)

    def rename(self) -> None:
        """Let the user type a name for the current result."""
        if self.table.currentIndex().isValid():
            self.table.edit(self.table.sorted.index(self.table.currentIndex().row(), METHOD))

    def tag(self, tags: Iterable[str]) -> None:
        """Replace the tags of the selected results."""
        given = tuple(dict.fromkeys(word for tag in tags if (word := " ".join(tag.split()))))
        self._relabel("Tag results", {entry: replace(entry, tags=given) for entry in self.table.chosen()})

    def note(self, text: str) -> None:
        """Replace the note of the selected results."""
        self._relabel("Note on results", {entry: replace(entry, note=text.strip()) for entry in self.table.chosen()})

    def ask_tags(self) -> None:
        """Ask for the tags of the selected results."""
        entries = self.table.chosen()
        if not entries:
            return
        before = ", ".join(entries[0].tags)
        text = ask.dialogs.ask_text(self, "Tags", "Tags, separated by commas", before)
        if text is not None:
            self.tag(text.split(","))

    def ask_note(self) -> None:
        """Ask for a note on the selected results."""
        entries = self.table.chosen()
        if not entries:
            return
        text = ask.dialogs.ask_text(self, "Note", "A note on the selected results", entries[0].note, lines=True)
        if text is not None:
            self.note(text)

    def _relabel(self, what: str, changes: dict[Entry, Entry]) -> None:
        self._session.relabel_results(what, changes)
        self._select_entries(changes.values())

    def _on_filter(self, text: str) -> None:
        self.table.sorted.set_filter(text)
        self._mark_shown()

    def _on_current_row(self, index: QModelIndex) -> None:
        if index.isValid() and index.row() < self.table.sorted.rowCount():
            self._session.show(self.table.entry(index))

    def _update_list(self) -> None:
        """Select the row of the shown result."""
        there = bool(self.model.entries)
        self.hint.setVisible(not there)
        self.table.setVisible(there)
        self.filter.setVisible(len(self.model.entries) >= FILTER_FROM or bool(self.filter.text()))
        self._mark_shown()
        self._update_buttons()

    def _mark_shown(self) -> None:
        shown = self._session.shown
        if shown in self.model.entries and (row := self.table.row_of(shown)) >= 0:
            if self.table.currentIndex().row() != row:
                flags = QItemSelectionModel.SelectionFlag
                self.table.selectionModel().setCurrentIndex(
                    self.table.sorted.index(row, 0), flags.ClearAndSelect | flags.Rows | flags.Current
                )
        elif shown is None:
            self.table.selectionModel().clear()

    def _select_entries(self, entries: Iterable[Entry]) -> None:
        """Select only the rows of these results."""
        flags, found = QItemSelectionModel.SelectionFlag, QItemSelection()
        for entry in entries:
            if (row := self.table.row_of(entry)) >= 0:
                index = self.table.sorted.index(row, 0)
                found.select(index, index)
        self.table.selectionModel().select(found, flags.ClearAndSelect | flags.Rows)

    def _update_buttons(self) -> None:
        count = len(self.table.selectionModel().selectedRows())
        self.delete_button.setEnabled(count > 0)
        self.compare_button.setEnabled(count > 1)

    def _open_menu(self, place: QPoint) -> None:
        if self.table.selectionModel().hasSelection():
            menu = QMenu(self, toolTipsVisible=True)
            menu.addAction("Open in a new tab\tDouble click", self.open_tab)
            beside = menu.addAction("Open beside\tCtrl+\\", self.open_beside)
            chosen = self.table.chosen()
            reason = self.explain_no_beside(chosen[0].result) if len(chosen) == 1 else ""
            beside.setEnabled(not reason)
            beside.setToolTip(reason)
            menu.addAction("Compare\tCtrl+Return", self.compare).setEnabled(self.compare_button.isEnabled())
            menu.addSeparator()
            menu.addAction("Rename\tF2", self.rename)
            menu.addAction("Tags\N{HORIZONTAL ELLIPSIS}", self.ask_tags)
            menu.addAction("Note\N{HORIZONTAL ELLIPSIS}", self.ask_note)
            menu.addSeparator()
            menu.addAction("Delete\tDel", self.delete)
            menu.exec(self.table.viewport().mapToGlobal(place))
