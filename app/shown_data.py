"""What Analyse shows: a result or a datum, in the tab that follows the choice or in one of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from antidiag.app.navigation import Navigation
from antidiag.app.panels.view_subject import ViewSubject
from antidiag.app.panels.viewer import ResultViews
from antidiag.app.session.session import Entry
from antidiag.app.workbench import Workbench

PAINTING_MS = 15
"""What was opened is painted before more is shown."""


class ShownData:
    """Shows the chosen result, or a datum in its place, and follows the user to other tabs."""

    def __init__(self, window: Workbench, navigation: Navigation) -> None:
        self._window, self._navigation = window, navigation
        self._shown_datum: Any = None
        """The datum that is shown in place of a result."""
        self._turns: deque[Iterator[None]] = deque()
        """What is being opened, each in parts; the first one is at work."""
        self._timer = QTimer(window, singleShot=True, interval=0)
        self._timer.timeout.connect(self._take_turn)

    def show_datum(self, datum: Any) -> None:
        """Show data, or say that no view can."""
        if not self.try_show_datum(datum):
            self._window.jobs.show_message(f"No view can show {datum.name}; it is an input for methods.", error=True)

    def update_data(self) -> None:
        """Pass the open data to the views, and stop showing data that were deleted."""
        data, shown = self._window.session.state.data, self._shown_datum
        self._window.result_tabs.offer(data)
        if shown is not None and shown is self._window.viewer.datum and not any(datum is shown for datum in data):
            self._shown_datum = None
            self.show_result()

    def show_first_soon(self, data: Sequence[Any]) -> None:
        """Show the first of the data opened together that a view can show, when what was opened is painted."""
        datum = next(filter(self._window.viewer.capable_views, data), None)
        QTimer.singleShot(PAINTING_MS, self._window, lambda: self._restore_tabs() or self.try_show_datum(datum))

    def _restore_tabs(self) -> bool:
        """Open the tabs of a session that was opened; return whether one of them is shown."""
        wanted, self._window.wanted_tabs = self._window.wanted_tabs, {}
        active = self._window.result_tabs.restore_tabs(wanted, self._window.subject_at) if wanted else None
        if active is not None:
            self.follow_page(active)
        return active is not None

    def try_show_datum(self, datum: Any) -> bool:
        """Show data instead of a result; return False if no view can."""
        if not self._window.viewer.capable_views(datum):
            return False
        self._shown_datum = datum
        self._window.session.show(None)
        self._window.data.select(datum)
        shown = self._window.result_tabs.show_subject(self._window.subject_of(datum))
        self._window.undoing.tell()
        return shown

    def open_tab(self, entry: Entry, beside: bool) -> None:
        """Open a result in a tab of its own, or beside the one that is shown, in a few turns of the event loop."""
        self._turns.append(self._open_entry(entry, beside))
        self._take_turn()

    def open_datum_tab(self, datum: Any, beside: bool) -> None:
        """Open a datum in a tab of its own, or beside what is shown, in a few turns of the event loop."""
        self._turns.append(self._open_datum(datum, beside))
        self._take_turn()

    @property
    def is_opening(self) -> bool:
        """Whether a tab is being opened."""
        return bool(self._turns)

    def _take_turn(self) -> None:
        """Do a part of what is being opened, and the next part in the next turn of the event loop."""
        opening = self._turns.popleft()
        for _ in opening:
            self._turns.appendleft(opening)
            break
        if self._turns:
            self._timer.start()

    def _open_entry(self, entry: Entry, beside: bool) -> Iterator[None]:
        if beside and self._refuse_beside(entry.result):
            return
        tabs, subject = self._window.result_tabs, ViewSubject.of_entry(entry)
        page = tabs.prepare_page(subject, beside)
        if page is not None:
            yield
        if all(entry.result is not other.result for other in self._window.session.entries):  # deleted meanwhile
            tabs.discard_page(page)
            return
        tabs.open_tab(subject, beside, page)
        if page is not None:
            yield
        self._window.session.show(entry)
        self.show_stale()

    def _open_datum(self, datum: Any, beside: bool) -> Iterator[None]:
        if beside and self._refuse_beside(datum):
            return
        tabs, subject = self._window.result_tabs, self._window.subject_of(datum)
        page = tabs.prepare_page(subject, beside)
        if page is not None:
            yield
        if all(datum is not other for other in self._window.session.state.data):
            tabs.discard_page(page)
            return
        opened = tabs.open_tab(subject, beside, page)
        if page is not None:
            yield
        if opened is None:
            self.show_datum(datum)  # which says why
        else:
            self.try_show_datum(datum)

    def _refuse_beside(self, key: Any) -> bool:
        """Say why a result or datum cannot be opened beside another one, if so."""
        reason = self._window.result_tabs.explain_no_beside(key)
        if reason:
            self._window.jobs.show_message(reason, error=True)
        return bool(reason)

    def follow_page(self, page: ResultViews) -> None:
        """Follow the user to another page of a result or datum."""
        if page.datum is not None:
            self.try_show_datum(page.datum)
        else:
            self._shown_datum = None
            self._window.session.show(page.entry)
        self.show_stale()
        self._window.undoing.tell()

    def show_result(self) -> None:
        """Show the chosen result; during the opening of a session, after the rest was painted."""
        if self._window.is_held:
            self._window.result_waits = True
            QTimer.singleShot(PAINTING_MS, self._window, self.show_result)
            return
        self._window.result_waits = False
        self._restore_tabs()
        if self._window.session.shown is not None or self._shown_datum is None:
            self._shown_datum = None
            self._window.result_tabs.show_entry(self._window.session.shown)
        if QApplication.focusWidget() in (None, self._window, self._window.centralWidget()):
            self._navigation.focus_view()
        self.show_stale()
        self._window.undoing.tell()

    def show_stale(self) -> None:
        """Mark the results that the present settings would not give."""
        for page in self._window.result_tabs.pages:
            page.set_stale(page.entry is not None and self._window.is_stale(page.entry))
