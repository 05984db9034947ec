"""The places of the views of a result: in tabs, or in a second group of tabs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QTabWidget, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.flow_layouts import group_widgets
from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.lazy_widget import LazyWidget
from antidiag.app.kit.controls.widgets import quiet_button
from antidiag.app.kit.focus import focus_view
from antidiag.app.kit.view_protocols import ResultView, view_widget

TABS, BESIDE = "tabs", "beside"
PLACES = (TABS, BESIDE)
TABS_WIDTH, TABS_HEIGHT = 280, 140
"""Least pixels of the tabs, whatever a view asks for, so that the window never grows by itself. Two groups of tabs that
do not fit side by side are stacked."""
LOW_TABS_HEIGHT = 120
"""Least pixels of the tabs in a low window."""


class ViewHolder(LazyWidget):
    """Holds a view, which is made when it is first shown."""

    def __init__(self, kind: type[ResultView], make: Callable[[type[ResultView]], ResultView]) -> None:
        super().__init__(lambda: view_widget(make(kind)))
        self.kind = kind

    @property
    def view(self) -> ResultView:
        """The view, made now if it was not yet."""
        return self.content


class ViewPlaces(QSplitter):
    """Shows views in tabs and in a second group of tabs; ``make(kind)`` makes a view.

    Signals: ``view_shown(view)`` when a view becomes visible and must show the current result; ``detach_wanted(id)``
    to show a view in a window of its own.
    """

    view_shown = Signal(object)
    detach_wanted = Signal(str)

    def __init__(self, make: Callable[[type[ResultView]], ResultView]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._make = make
        self._holders: dict[str, ViewHolder] = {}
        self._able: list[type[ResultView]] = []
        self._place: dict[str, str] = {}
        self.tabs, self.beside = QTabWidget(), QTabWidget()
        self.setChildrenCollapsible(False)
        self.setHandleWidth(theme.MARGIN)
        for tabs in (self.tabs, self.beside):
            tabs.setDocumentMode(True)
            tabs.tabBar().setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            tabs.tabBar().customContextMenuRequested.connect(lambda at, tabs=tabs: self._open_menu(tabs, at))
            tabs.currentChanged.connect(lambda index, tabs=tabs: self._on_tab(tabs, index))
            tabs.tabBarClicked.connect(lambda _, tabs=tabs: QTimer.singleShot(0, self, lambda: _focus_current(tabs)))
            self.addWidget(tabs)
        self.beside.hide()
        self.split_button = quiet_button("", "Show this view beside the others")
        self.split_button.setAccessibleName("Show this view beside the others")
        self.window_button = quiet_button("", "Show this view in a separate window")
        self.window_button.setAccessibleName("Show this view in a separate window")
        self.back_button = quiet_button("", "Move this view back to the tabs")
        self.back_button.setAccessibleName("Move this view back to the tabs")
        for button, icon in ((self.split_button, "beside"), (self.window_button, "float"), (self.back_button, "hide")):
            set_icon(button, icon)
        self.split_button.clicked.connect(lambda: self._move_current(self.tabs, BESIDE))
        self.window_button.clicked.connect(self._detach_current)
        self.back_button.clicked.connect(lambda: self._move_current(self.beside, TABS))
        self._corner = group_widgets(self.split_button, self.window_button)
        self.tabs.setCornerWidget(self._corner)
        self.beside.setCornerWidget(self.back_button)
        self._show_beside(False)

    def moved_views(self) -> dict[str, str]:
        """Return the place of each view that is not in the tabs, by its id."""
        return {name: place for name, place in self._place.items() if place != TABS}

    def restore(self, places: dict[str, str]) -> None:
        """Restore the places that `moved_views` returned."""
        self._place = {str(name): place for name, place in places.items() if place in PLACES}

    def show_views(self, able: Sequence[type[ResultView]], wanted: str) -> list[ResultView]:
        """Show these views, each in its place, turn to the wanted one, and return the visible ones.

        Only visible views are made, so that a result with many views appears at once.
        """
        self._able = list(able)
        placed: dict[str, list[type[ResultView]]] = {place: [] for place in PLACES}
        for kind in able:
            placed[self._place.get(kind.id, TABS)].append(kind)
        if not placed[TABS]:
            placed[TABS], placed[BESIDE] = placed[BESIDE], []
        wanted_in = (self.tabs, placed[TABS]), (self.beside, placed[BESIDE])
        for tabs, kinds in wanted_in:
            tabs.blockSignals(True)
            self._take_away(tabs, kinds)
        for tabs, kinds in wanted_in:
            self._put_in(tabs, kinds)
        if all(kind.id != wanted for kind in placed[TABS]):
            self.tabs.setCurrentIndex(0)
        self._show_beside(self.beside.count() > 0)
        for tabs in (self.tabs, self.beside):
            tabs.blockSignals(False)
        self.split_button.setEnabled(self.tabs.count() > 1)
        self.turn_to(wanted)
        return self.seen()

    def _take_away(self, tabs: QTabWidget, kinds: Sequence[type[ResultView]]) -> None:
        """Remove the tabs of other kinds. The rest stay: inserting all again would take longer than most views need."""
        for index in reversed(range(tabs.count())):
            if _tab_holder(tabs.widget(index)).kind not in kinds:
                tabs.removeTab(index)

    def _put_in(self, tabs: QTabWidget, kinds: Sequence[type[ResultView]]) -> None:
        """Insert the tabs of these kinds that are missing, in this order."""
        for index, kind in enumerate(kinds):
            if tabs.widget(index) is not self._find_holder(kind):
                tabs.insertTab(index, self._find_holder(kind), kind.title)

    def set_low(self, low: bool) -> None:
        """Let the tabs of a low window be lower than their view asks for."""
        self.tabs.setMinimumHeight(LOW_TABS_HEIGHT if low else 0)

    def put_beside_tabs(self, *buttons: QWidget) -> None:
        """Put further buttons before those at the end of the tabs."""
        for button in reversed(buttons):
            cast(QHBoxLayout, self._corner.layout()).insertWidget(0, button)

    def find_view(self, kind: type[ResultView]) -> ResultView:
        """Return the view of a kind, made if it was not yet."""
        return self._find_holder(kind).view

    def seen(self) -> list[ResultView]:
        """Return the visible views."""
        return [_tab_holder(tabs.currentWidget()).view for tabs in (self.tabs, self.beside) if tabs.count()]

    @property
    def current(self) -> ResultView | None:
        """The view of the current tab."""
        return _tab_holder(self.tabs.currentWidget()).view if self.tabs.count() else None

    def shown(self) -> tuple[str, ...]:
        """Return the ids of all views: first the tabs in their order, then the others."""
        inside = [_tab_holder(self.tabs.widget(index)).kind.id for index in range(self.tabs.count())]
        return tuple(inside + [kind.id for kind in self._able if kind.id not in inside])

    def turn_to(self, view_id: str) -> None:
        """Show the view of this id, wherever it is."""
        for tabs in (self.tabs, self.beside):
            for index in range(tabs.count()):
                if _tab_holder(tabs.widget(index)).kind.id == view_id:
                    tabs.setCurrentIndex(index)

    def put(self, view_id: str, place: str) -> None:
        """Move a view to another place."""
        self._place[view_id] = place
        shown = _tab_holder(self.tabs.currentWidget()).kind.id if self.tabs.count() else ""
        for view in self.show_views(self._able, view_id if place == TABS else shown):
            self.view_shown.emit(view)
        if place == BESIDE:
            self._split_evenly()
            self.turn_to(view_id)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_orientation()

    def _show_beside(self, there: bool) -> None:
        """Show one or two groups of tabs; two may be as narrow as one."""
        for tabs in (self.tabs, self.beside):
            tabs.setMinimumSize(*((TABS_WIDTH // 2, TABS_HEIGHT) if there else (TABS_WIDTH, 0)))
        self._update_orientation()
        self.beside.setVisible(there)

    def _update_orientation(self) -> None:
        """Put two groups of tabs side by side if they fit, otherwise stack them."""
        fitting = self.width() >= 2 * TABS_WIDTH + self.handleWidth()
        turned = Qt.Orientation.Horizontal if fitting else Qt.Orientation.Vertical
        if self.orientation() != turned:
            self.setOrientation(turned)
            self._split_evenly()

    def _split_evenly(self) -> None:
        self.setSizes([self.width() + self.height()] * 2)

    def _find_holder(self, kind: type[ResultView]) -> ViewHolder:
        if kind.id not in self._holders:
            self._holders[kind.id] = ViewHolder(kind, self._make)
        return self._holders[kind.id]

    def _detach_current(self) -> None:
        if self.tabs.count():
            self.detach_wanted.emit(_tab_holder(self.tabs.currentWidget()).kind.id)

    def _move_current(self, tabs: QTabWidget, place: str) -> None:
        if tabs.count():
            self.put(_tab_holder(tabs.currentWidget()).kind.id, place)

    def _on_tab(self, tabs: QTabWidget, index: int) -> None:
        if index >= 0:
            self.view_shown.emit(_tab_holder(tabs.widget(index)).view)

    def _open_menu(self, tabs: QTabWidget, at: QPoint) -> None:
        index = tabs.tabBar().tabAt(at)
        if index < 0:
            return
        name, menu = _tab_holder(tabs.widget(index)).kind.id, QMenu(self)
        beside = menu.addAction("Show beside the others", lambda: self.put(name, BESIDE))
        beside.setEnabled(tabs is self.tabs and tabs.count() > 1)
        menu.addAction("Show in a separate window", lambda: self.detach_wanted.emit(name))
        menu.addAction("Move back to the tabs", lambda: self.put(name, TABS)).setEnabled(tabs is self.beside)
        menu.exec(tabs.tabBar().mapToGlobal(at))


def _focus_current(tabs: QTabWidget) -> None:
    """Give the focus to the view of a clicked tab, so that the next keys are meant for it."""
    if tabs.count():
        focus_view(tabs.currentWidget())


def _tab_holder(page: QWidget) -> ViewHolder:
    """Return the page of a tab with its type."""
    return cast(ViewHolder, page)
