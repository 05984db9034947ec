"""Where each view of a result is: among the tabs, beside them, or in a window of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QSplitter, QTabWidget, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.flow_layouts import group_widgets
from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.lazy_widget import LazyWidget
from antidiag.app.kit.controls.widgets import quiet_button
from antidiag.app.kit.view_protocols import ResultView, view_widget

TABS, BESIDE, WINDOW = "tabs", "beside", "window"
PLACES = (TABS, BESIDE, WINDOW)
TABS_WIDTH, TABS_HEIGHT = 280, 140
"""Tabs may be this narrow, whatever a view would like, so that the window never grows by itself; where two do not fit
beside each other, they stand one above the other, and may be this low."""
WINDOW_SIZE = 900, 640


class Holder(LazyWidget):
    """The place of a view."""

    def __init__(self, kind: type[ResultView], make: Callable[[type[ResultView]], ResultView]) -> None:
        super().__init__(lambda: view_widget(make(kind)))
        self.kind = kind

    @property
    def view(self) -> ResultView:
        return self.content


class ViewWindow(QWidget):
    """A view in a window of its own; closing it puts the view back among the tabs."""

    closed = Signal()

    def __init__(self, parent: QWidget, holder: Holder) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(f"{holder.kind.title} - Antidiag")
        self.holder = holder
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(theme.SPACING, theme.SPACING, theme.SPACING, theme.SPACING)
        self._box.addWidget(holder)
        holder.show()
        self.resize(*WINDOW_SIZE)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


class Places(QSplitter):
    """Tabs, tabs beside them, and windows, over views of which each has its place; ``make`` makes one that is new.

    ``looked(view)``: a view came to be seen, and must show what is shown now.
    ``moved``: a view has another place, which `placed` tells.
    """

    looked = Signal(object)
    moved = Signal()

    def __init__(self, make: Callable[[type[ResultView]], ResultView]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._make = make
        self._holders: dict[str, Holder] = {}
        self._able: list[type[ResultView]] = []
        self._place: dict[str, str] = {}
        self._windows: dict[str, ViewWindow] = {}
        self.tabs, self.beside = QTabWidget(), QTabWidget()
        self.setChildrenCollapsible(False)
        self.setHandleWidth(theme.MARGIN)
        for tabs in (self.tabs, self.beside):
            tabs.setDocumentMode(True)
            tabs.tabBar().setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            tabs.tabBar().customContextMenuRequested.connect(lambda at, tabs=tabs: self._menu(tabs, at))
            tabs.currentChanged.connect(lambda index, tabs=tabs: self._look(tabs, index))
            self.addWidget(tabs)
        self.beside.hide()
        self.split_button = quiet_button("", "Show this view beside the others")
        self.split_button.setAccessibleName("Show this view beside the others")
        self.window_button = quiet_button("", "Show this view in a window of its own")
        self.window_button.setAccessibleName("Show this view in a window of its own")
        self.back_button = quiet_button("", "Put this view back among the others")
        self.back_button.setAccessibleName("Put this view back among the others")
        for button, icon in ((self.split_button, "beside"), (self.window_button, "float"), (self.back_button, "hide")):
            set_icon(button, icon)
        self.split_button.clicked.connect(lambda: self._move_current(self.tabs, BESIDE))
        self.window_button.clicked.connect(lambda: self._move_current(self.tabs, WINDOW))
        self.back_button.clicked.connect(lambda: self._move_current(self.beside, TABS))
        self.tabs.setCornerWidget(group_widgets(self.split_button, self.window_button))
        self.beside.setCornerWidget(self.back_button)
        self._show_beside(False)

    def placed(self) -> dict[str, str]:
        """The views that are not among the tabs, by their ids."""
        return {name: place for name, place in self._place.items() if place != TABS}

    def restore(self, places: dict[str, str]) -> None:
        """Put views where `placed` said that they are; windows open when there is something to show."""
        self._place = {str(name): place for name, place in places.items() if place in PLACES}

    def show_views(self, able: Sequence[type[ResultView]], wanted: str) -> list[ResultView]:
        """Have just these views, each in its place, and turn the tabs to the one that is wanted; those now seen.

        Only those are made, so that a result of many views is there at once.
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
        for kind in placed[WINDOW]:
            self._open(kind)
        for name in [name for name in self._windows if all(kind.id != name for kind in able)]:
            self._drop(name)
        self._show_beside(self.beside.count() > 0)
        for tabs in (self.tabs, self.beside):
            tabs.blockSignals(False)
        self.split_button.setEnabled(self.tabs.count() > 1)
        self.turn_to(wanted)
        return self.seen()

    def _take_away(self, tabs: QTabWidget, kinds: Sequence[type[ResultView]]) -> None:
        """Have no tabs of other kinds. Those that stay are not touched: to put all in anew would take longer than most
        views take to show a result."""
        for index in reversed(range(tabs.count())):
            if _held(tabs.widget(index)).kind not in kinds:
                tabs.removeTab(index)

    def _put_in(self, tabs: QTabWidget, kinds: Sequence[type[ResultView]]) -> None:
        """Have tabs of all these kinds, in this order, which those that are there have already."""
        for index, kind in enumerate(kinds):
            if tabs.widget(index) is not self._holder(kind):
                tabs.insertTab(index, self._holder(kind), kind.title)

    def seen(self) -> list[ResultView]:
        """The views that are on the screen."""
        found = [_held(tabs.currentWidget()).view for tabs in (self.tabs, self.beside) if tabs.count()]
        return [*found, *(window.holder.view for window in self._windows.values())]

    @property
    def current(self) -> ResultView | None:
        """The view that the tabs are turned to."""
        return _held(self.tabs.currentWidget()).view if self.tabs.count() else None

    def shown(self) -> tuple[str, ...]:
        """Ids of the views that there are, in the order of the tabs; those elsewhere last."""
        inside = [_held(self.tabs.widget(index)).kind.id for index in range(self.tabs.count())]
        return tuple(inside + [kind.id for kind in self._able if kind.id not in inside])

    def turn_to(self, view_id: str) -> None:
        """Look at the view of this id, wherever it is."""
        for tabs in (self.tabs, self.beside):
            for index in range(tabs.count()):
                if _held(tabs.widget(index)).kind.id == view_id:
                    tabs.setCurrentIndex(index)
        if view_id in self._windows:
            self._windows[view_id].raise_()

    def put(self, view_id: str, place: str) -> None:
        """Give a view another place."""
        self._place[view_id] = place
        self._drop(view_id)
        shown = _held(self.tabs.currentWidget()).kind.id if self.tabs.count() else ""
        for view in self.show_views(self._able, view_id if place == TABS else shown):
            self.looked.emit(view)
        if place == BESIDE:
            self._halve()
            self.turn_to(view_id)
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _show_beside(self, there: bool) -> None:
        """Have two halves, or one, which together may be as narrow as one."""
        for tabs in (self.tabs, self.beside):
            tabs.setMinimumSize(*((TABS_WIDTH // 2, TABS_HEIGHT) if there else (TABS_WIDTH, 0)))
        self._turn()
        self.beside.setVisible(there)

    def _turn(self) -> None:
        """Two halves beside each other where there is room, else one above the other."""
        fitting = self.width() >= 2 * TABS_WIDTH + self.handleWidth()
        turned = Qt.Orientation.Horizontal if fitting else Qt.Orientation.Vertical
        if self.orientation() != turned:
            self.setOrientation(turned)
            self._halve()

    def _halve(self) -> None:
        self.setSizes([self.width() + self.height()] * 2)

    def _holder(self, kind: type[ResultView]) -> Holder:
        if kind.id not in self._holders:
            self._holders[kind.id] = Holder(kind, self._make)
        return self._holders[kind.id]

    def _open(self, kind: type[ResultView]) -> None:
        if kind.id not in self._windows:
            window = self._windows[kind.id] = ViewWindow(self, self._holder(kind))
            window.closed.connect(lambda name=kind.id: self.put(name, TABS))
            window.show()

    def _drop(self, view_id: str) -> None:
        if window := self._windows.pop(view_id, None):
            window.closed.disconnect()
            window.holder.setParent(self)
            window.holder.hide()
            window.close()
            window.deleteLater()

    def _move_current(self, tabs: QTabWidget, place: str) -> None:
        if tabs.count():
            self.put(_held(tabs.currentWidget()).kind.id, place)

    def _look(self, tabs: QTabWidget, index: int) -> None:
        if index >= 0:
            self.looked.emit(_held(tabs.widget(index)).view)

    def _menu(self, tabs: QTabWidget, at: QPoint) -> None:
        index = tabs.tabBar().tabAt(at)
        if index < 0:
            return
        name, menu = _held(tabs.widget(index)).kind.id, QMenu(self)
        choices: dict[str, tuple[str, Callable[[], bool]]] = {
            BESIDE: ("Show beside the others", lambda: tabs is self.tabs and tabs.count() > 1),
            WINDOW: ("Show in a window of its own", lambda: True),
            TABS: ("Put back among the others", lambda: tabs is self.beside),
        }
        for place, (text, able) in choices.items():
            menu.addAction(text, lambda place=place: self.put(name, place)).setEnabled(able())
        menu.exec(tabs.tabBar().mapToGlobal(at))


def _held(page: QWidget) -> Holder:
    """The page of a tab as the holder that it is."""
    return cast(Holder, page)
