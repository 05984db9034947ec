"""The open results: a page of views for each, in tabs that can be split side by side, and views in own windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QSplitter, QWidget

from antidiag.app import theme
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.view_protocols import ResultView, SideDataView, UndoView
from antidiag.app.panels.detached_view import DetachedView
from antidiag.app.panels.page_group import PageGroup
from antidiag.app.panels.view_places import TABS_WIDTH
from antidiag.app.panels.view_subject import VIEW_SIGNALS, ViewPreferences, ViewSubject
from antidiag.app.panels.viewer import ResultViews
from antidiag.app.session.entry import Entry

REMEMBERED_MS = 1000
"""Milliseconds after which a choice in a view is stored at the latest."""


class ResultTabs(QSplitter):
    """Pages of results and data in two groups of tabs, of which the second is visible once something is in it.

    A result that is chosen in the list is shown in the page that is not pinned; `open_tab` opens it in a page of its
    own. The ``active`` page is the one that was used last. ``page_activated(page)`` is sent when the user turns to
    another page. The other signals are those of the pages.
    """

    settings_wanted = Signal(object)
    products_wanted = Signal(object)
    made = Signal(object)
    profile_wanted = Signal(object)
    task_wanted = Signal(object)
    result_made = Signal(object)
    edited = Signal(object, str, object)
    view_shown = Signal(object)
    page_activated = Signal(object)
    compare_wanted = Signal(object)
    """Sent with the results of both sides."""

    def __init__(
        self,
        kinds: Callable[[], Sequence[type[ResultView]]],
        selection: Selection,
        empty: QWidget,
        preferences: ViewPreferences,
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._kinds, self._selection, self._preferences = kinds, selection, preferences
        self._offered: Sequence[Any] = ()
        self._replaced: ViewSubject | None = None
        """What was in a page before the subject that it shows now."""
        self.windows: list[DetachedView] = []
        self.groups = PageGroup(), PageGroup()
        self.setChildrenCollapsible(False)
        self.setHandleWidth(theme.MARGIN)
        for group in self.groups:
            self.addWidget(group)
            group.page_chosen.connect(self._turn_to)
            group.page_kept.connect(self._pin)
            group.menu_wanted.connect(lambda page, at: self.create_tab_menu(page).exec(at))
        self.groups[1].hide()
        self.active = self._add_page(self.groups[0], selection, empty)
        """The page that was used last."""
        self._remembering = QTimer(self, interval=REMEMBERED_MS)
        self._remembering.timeout.connect(self._remember_choices)
        self._remembering.start()
        cast(QApplication, QApplication.instance()).focusChanged.connect(self._on_focus)

    def apply_preferences(self) -> None:
        """Set in all views what the user chose in the preferences."""
        for holder in self.pages:
            for view in holder.views.values():
                self._preferences.begin_view(view)

    @property
    def pages(self) -> list[ResultViews]:
        """The pages that have a tab, those of the first group first."""
        return [page for group in self.groups for page in group.pages]

    def find_page(self, key: Any) -> ResultViews | None:
        """Return the page that shows a result or a datum, or None."""
        return next((page for page in self.pages if page.subject is not None and page.subject.key is key), None)

    def show_entry(self, entry: Entry | None) -> None:
        """Show a result, or nothing: in its page if it has one, else in the page that is not pinned."""
        if entry is not None:
            self.show_subject(ViewSubject.of_entry(entry))
        else:
            page = self._free_page()
            page.show_entry(None)
            self.activate(page)

    def show_subject(self, subject: ViewSubject) -> bool:
        """Show a result or datum: in its page if it has one, else in the page that is not pinned; False if no view
        can."""
        if subject.entry is None and not self.active.capable_views(subject.datum):
            return False
        page = self.find_page(subject.key)
        if page is None:
            page = self._free_page()
            self._replaced = page.subject or self._replaced
            page.show_subject(subject)
        self.activate(page)
        return True

    def explain_no_beside(self, key: Any) -> str:
        """Return why a result or datum cannot be opened beside another one; "" if it can."""
        opened = [page for page in self.pages if page.subject is not None and page.subject.key is not key]
        if opened or (self._replaced is not None and self._replaced.key is not key):
            return ""
        return "Nothing else is open: choose another result or other data first, then open this one beside them."

    def prepare_page(self, subject: ViewSubject, beside: bool = False) -> ResultViews | None:
        """Return the page that `open_tab` will add, with the view that it shows first, which is most of the work of
        opening; None if it will add none."""
        page = self.find_page(subject.key)
        added = subject if page is None else self._returning_subject(page) if beside else None
        able = [kind for kind in self._kinds() if added.can_be_shown_by(kind)] if added is not None else []
        if not able:
            return None
        made = self._make_page(self._selection.make_twin())
        made.prepare_view(able[0], with_content=False)
        return made

    def _returning_subject(self, page: ResultViews) -> ViewSubject | None:
        """Return what comes back in the place of a page that moves beside: what was shown before, if nothing else is
        open."""
        before = self._replaced
        return before if self.pages == [page] and before is not None and before.key is not page.subject.key else None

    def discard_page(self, page: ResultViews | None) -> None:
        """Delete a page that was prepared and is not needed."""
        if page is not None:
            page.selection.leave_twins()
            page.deleteLater()

    def open_tab(
        self, subject: ViewSubject, beside: bool = False, prepared: ResultViews | None = None
    ) -> ResultViews | None:
        """Open a result or datum in a page of its own; return None if no view can show it.

        ``prepared`` is what `prepare_page` returned. ``beside`` opens it in the other group. Where it is the only one
        that is open, what was shown before comes back in its place, so that there is something beside it.
        """
        if subject.entry is None and not self.active.capable_views(subject.datum):
            return None
        group = self._other_group(self.active) if beside else self._group_of(self.active)
        page = self.find_page(subject.key)
        if page is None:
            page = self._show_new_page(group, subject, prepared)
        elif self._group_of(page) is not group:
            before = self._returning_subject(page)
            if before is not None:
                self._show_new_page(self._group_of(page), before, prepared)
            self._move(page, group)
        if prepared is not None and prepared not in self.pages:
            self.discard_page(prepared)
        page.is_pinned = True
        self._update_titles()
        self.activate(page)
        return page

    def activate(self, page: ResultViews) -> None:
        """Make a page the active one."""
        group = self._group_of(page)
        before, self.active = self.active, page
        group.setCurrentWidget(page)
        self._update_titles()
        for side in self.groups:
            side.set_quiet(side is not group)
        if page is not before:
            self.view_shown.emit(page.current)

    def close_page(self, page: ResultViews) -> None:
        """Close a page; where it was the last one, the page with the next steps is shown."""
        page.store_states()
        group, others = self._group_of(page), [other for other in self.pages if other is not page]
        if page.selection is self._selection:  # the page with the next steps is only hidden until it is needed
            page.is_pinned = False
            page.show_entry(None)
            group.show_tab(page, not others)
        else:
            if not others:
                others = self._hidden_pages()
                self._group_of(others[0]).show_tab(others[0], True)
            with QSignalBlocker(group):
                group.removeTab(group.indexOf(page))
            page.selection.leave_twins()
            page.deleteLater()
        self._update_groups()
        self._update_titles()
        if not others:
            self.page_activated.emit(page)
        elif page is self.active:
            following = next((other for other in others if self._group_of(other) is group), others[0])
            self._turn_to(following)

    def update_entries(self, entries: Iterable[Entry]) -> None:
        """Follow renamed and deleted results: titles change, and pages and windows of deleted ones close."""
        known = {id(entry.result): entry for entry in entries}
        self._replaced = self._replaced.renewed(known) if self._replaced is not None else None
        for page in self.pages:
            if page.subject is None:
                continue
            renewed = page.subject.renewed(known)
            if renewed is not None:
                page.subject = renewed
            elif page.is_pinned:
                self.close_page(page)
            elif page is not self.active:
                page.show_entry(None)
        for window in list(self.windows):
            renewed = window.subject.renewed(known)
            if renewed is None:
                window.close()
            else:
                window.show_subject(renewed)
        self._update_titles()

    def detach(self, subject: ViewSubject, kind: type[ResultView]) -> DetachedView:
        """Show a view of a result or datum in a window of its own, and no longer in the pages."""
        window = DetachedView(self, kind, subject, self._selection.make_twin(), self._offered, self._preferences)
        window.closed.connect(self._on_window_closed)
        for name in (*VIEW_SIGNALS, "edited"):
            getattr(window, name).connect(getattr(self, name))
        self.windows.append(window)
        self._update_views_of(subject.key)
        return window

    def offer(self, data: Sequence[Any]) -> None:
        """Pass the open data to the views that can show them beside a result."""
        gone = {id(datum) for datum in self._offered} - {id(datum) for datum in data}
        self._offered = data
        if self._replaced is not None and id(self._replaced.datum) in gone:
            self._replaced = None
        for page in self.pages:
            page.offer(data)
            if page.is_pinned and id(page.datum) in gone:
                self.close_page(page)
        for window in list(self.windows):
            if id(window.subject.datum) in gone:
                window.close()
            elif isinstance(window.view, SideDataView):
                window.view.offer(data)

    def store_states(self) -> None:
        """Store what the user has set in all views that are open."""
        for page in self.pages:
            page.store_states()
        for window in self.windows:
            window.store_states()

    def _remember_choices(self) -> None:
        """Remember what the user has chosen in the views, also if the program is killed later."""
        if self.isVisible():
            for page in self.pages:
                page.remember_choices()
            for window in self.windows:
                self._preferences.remember(window.view)

    def undoing(self) -> UndoView | None:
        """Return the visible view of the active page that can undo or redo something, or None."""
        return self.active.undoing()

    def saved_tabs(self, place_of: Callable[[ViewSubject], dict[str, int] | None]) -> dict[str, Any]:
        """Return what is open in which tabs and windows, as plain values for the session; ``place_of`` returns the
        place of a result or datum in the session, or None."""
        pages = [(page, page.subject) for page in self.pages if page.subject is not None]
        tabs = [
            {
                **place,
                "side": self.groups.index(self._group_of(page)),
                "pinned": page.is_pinned,
                "active": page is self.active,
                "view": page.current.id if page.current is not None else "",
            }
            for page, subject in pages
            if (place := place_of(subject)) is not None
        ]
        windows = [
            {**place, "view": window.kind.id}
            for window in self.windows
            if (place := place_of(window.subject)) is not None
        ]
        return {"tabs": tabs, "windows": windows}

    def restore_tabs(
        self, saved: Mapping[str, Any], subject_at: Callable[[Mapping[str, Any]], ViewSubject | None]
    ) -> ResultViews | None:
        """Open the tabs and windows that `saved_tabs` returned; return the active page, or None if nothing is open."""
        kinds = {kind.id: kind for kind in self._kinds()}
        active, first = None, self.active
        for tab in _list_mappings(saved.get("tabs")):
            subject = subject_at(tab)
            if subject is None or not (subject.entry or self.active.capable_views(subject.datum)):
                continue
            page = first
            if tab.get("pinned"):
                page = self._add_page(self.groups[1 if tab.get("side") == 1 else 0], self._selection.make_twin())
                page.is_pinned = True
            page.show_subject(subject)
            page.turn_to(str(tab.get("view", "")))
            active = page if tab.get("active") or active is None else active
        for window in _list_mappings(saved.get("windows")):
            subject, kind = subject_at(window), kinds.get(str(window.get("view")))
            if subject is not None and kind is not None and subject.can_be_shown_by(kind):
                self.detach(subject, kind)
        if active is not None:
            if first.subject is None:
                self._group_of(first).show_tab(first, False)
            self._update_groups()
            self.activate(active)
        return active

    def _show_new_page(self, group: PageGroup, subject: ViewSubject, prepared: ResultViews | None) -> ResultViews:
        """Show a subject in a new page, that which was prepared if there is one."""
        page = prepared or self._make_page(self._selection.make_twin())
        self._insert_page(group, page)
        page.show_subject(subject)
        return page

    def _add_page(self, group: PageGroup, selection: Selection, empty: QWidget | None = None) -> ResultViews:
        page = self._make_page(selection, empty)
        self._insert_page(group, page)
        return page

    def _insert_page(self, group: PageGroup, page: ResultViews) -> None:
        group.insert_page(page, partial(self.close_page, page))
        self._update_groups()

    def _make_page(self, selection: Selection, empty: QWidget | None = None) -> ResultViews:
        page = ResultViews(self._kinds, selection, empty or QWidget(), self._preferences)
        if selection is not self._selection:
            selection.setParent(page)
            page.places.restore(self.pages[0].places.moved_views())
        page.find_detached = self._find_detached
        page.offer(self._offered)
        for name in ("settings_wanted", "products_wanted", *VIEW_SIGNALS, "edited"):
            getattr(page, name).connect(getattr(self, name))
        page.places.view_shown.connect(self.view_shown)
        page.detach_wanted.connect(self.detach)
        return page

    def _free_page(self) -> ResultViews:
        """Return a page that is not pinned: the active one, one of its group, any other, or a new one."""
        group = self._group_of(self.active)
        free = [page for page in self.pages if not page.is_pinned]
        near = [page for page in free if page is self.active] or [
            page for page in free if self._group_of(page) is group
        ]
        if near or free:
            return next(iter((*near, *free)))
        if hidden := self._hidden_pages():
            self._group_of(hidden[0]).show_tab(hidden[0], True)
            self._move(hidden[0], group)
            return hidden[0]
        return self._add_page(group, self._selection.make_twin())

    def _hidden_pages(self) -> list[ResultViews]:
        """Return the page with the next steps in a list, if its tab is hidden."""
        return [page for group in self.groups for page in group.all_pages if page not in group.pages]

    def _group_of(self, page: ResultViews) -> PageGroup:
        return next(group for group in self.groups if group.indexOf(page) >= 0)

    def _other_group(self, page: ResultViews) -> PageGroup:
        return self.groups[1 - self.groups.index(self._group_of(page))]

    def _move(self, page: ResultViews, group: PageGroup) -> None:
        """Move a page to a group of tabs."""
        if self._group_of(page) is not group:
            with QSignalBlocker(self._group_of(page)):
                group.insert_page(page, partial(self.close_page, page))
            self._update_groups()
            self._update_titles()

    def _pin(self, page: ResultViews) -> None:
        page.is_pinned = True

    def _turn_to(self, page: ResultViews) -> None:
        """Make a page the active one as if the user had turned to it."""
        if page is not self.active:
            self.activate(page)
            self.page_activated.emit(page)

    def _on_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        """Make the page that gets the focus the active one, where two are side by side."""
        if now is None or not self.groups[1].isVisible():
            return
        for group in self.groups:
            page = group.current_page
            if page is not None and page is not self.active and page.isAncestorOf(now):
                self._turn_to(page)

    def create_tab_menu(self, page: ResultViews) -> QMenu:
        """Create the menu of a tab."""
        menu = QMenu(self)
        side = "Move to the left" if self._group_of(page) is self.groups[1] else "Split: move to the right"
        menu.addAction(side, partial(self._move_to_side, page)).setEnabled(len(self.pages) > 1)
        keep = menu.addAction("Keep this tab", partial(self._pin, page))
        keep.setEnabled(not page.is_pinned and page.subject is not None)
        both = tuple(side.current_page.entry for side in self.groups if side.current_page is not None)
        compare = menu.addAction("Compare both sides", lambda: self.compare_wanted.emit(both))
        compare.setEnabled(len(both) == 2 and None not in both)
        menu.addSeparator()
        menu.addAction("Close", partial(self.close_page, page))
        menu.addAction("Close others", partial(self._close_others, page))
        return menu

    def _move_to_side(self, page: ResultViews) -> None:
        page.is_pinned = True
        self._move(page, self._other_group(page))
        self.activate(page)

    def _close_others(self, page: ResultViews) -> None:
        self._turn_to(page)
        for other in [other for other in self.pages if other is not page]:
            self.close_page(other)

    def _update_groups(self) -> None:
        """Show the second group while it has a page; both are equally wide at first."""
        filled = [bool(group.pages) for group in self.groups]
        begins = all(filled) and any(group.isHidden() for group in self.groups)
        for group, there in zip(self.groups, filled, strict=True):
            group.setVisible(there)
            group.set_split(all(filled))
        self._update_orientation()
        if begins:
            self._split_evenly()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_orientation()

    def _update_orientation(self) -> None:
        """Put two groups side by side if they fit, otherwise one above the other."""
        fitting = self.width() >= 2 * TABS_WIDTH + self.handleWidth()
        turned = Qt.Orientation.Horizontal if fitting else Qt.Orientation.Vertical
        if self.orientation() != turned:
            self.setOrientation(turned)
            self._split_evenly()

    def _split_evenly(self) -> None:
        self.setSizes([self.width() + self.height()] * 2)

    def _update_titles(self) -> None:
        """Name each tab; results of the same name have the time of their start beside it."""
        subjects = [page.subject for page in self.pages if page.subject is not None]
        for group in self.groups:
            group.show_titles(subjects)

    def _find_detached(self, key: Any) -> set[str]:
        return {window.kind.id for window in self.windows if window.subject.key is key}

    def _on_window_closed(self, window: DetachedView) -> None:
        self.windows.remove(window)
        window.deleteLater()
        self._update_views_of(window.subject.key, window.kind.id)

    def _update_views_of(self, key: Any, wanted: str = "") -> None:
        for page in self.pages:
            if page.subject is not None and page.subject.key is key:
                page.update_views(wanted)


def _list_mappings(saved: Any) -> list[Mapping[str, Any]]:
    """Return the stored tabs or windows that have the form of such."""
    return [place for place in saved if isinstance(place, Mapping)] if isinstance(saved, list) else []
