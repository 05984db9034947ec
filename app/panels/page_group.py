"""A group of tabs, each of which holds the page of a result or datum."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal, SignalInstance
from PySide6.QtWidgets import QTabBar, QTabWidget

from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.widgets import quiet_button
from antidiag.app.panels.view_places import TABS_HEIGHT, TABS_WIDTH
from antidiag.app.panels.viewer import ResultViews
from antidiag.app.texts import shorten_name

MAX_TITLE = 34
"""Most letters of the title of a tab."""


class PageGroup(QTabWidget):
    """Tabs with titles and buttons. Signals: ``page_chosen(page)`` and ``page_kept(page)`` are a click and a double
    click on a tab; ``menu_wanted(page, position)`` asks for its menu."""

    page_chosen = Signal(object)
    page_kept = Signal(object)
    menu_wanted = Signal(object, QPoint)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("results")
        self.setDocumentMode(True)
        self.setMovable(True)
        self.setTabBarAutoHide(True)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.currentChanged.connect(partial(self._send_page, self.page_chosen))
        bar: QTabBar = self.tabBar()
        bar.setAccessibleName("Open results")
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        bar.customContextMenuRequested.connect(self._ask_menu)
        bar.tabBarClicked.connect(partial(self._send_page, self.page_chosen))
        bar.tabBarDoubleClicked.connect(partial(self._send_page, self.page_kept))

    @property
    def all_pages(self) -> list[ResultViews]:
        """All pages in the order of their tabs, also a hidden one."""
        return [cast(ResultViews, self.widget(index)) for index in range(self.count())]

    @property
    def pages(self) -> list[ResultViews]:
        """The pages whose tabs are not hidden."""
        return [page for index, page in enumerate(self.all_pages) if self.isTabVisible(index)]

    @property
    def current_page(self) -> ResultViews | None:
        """The page that is visible; None without pages."""
        return cast(ResultViews, self.currentWidget()) if self.pages else None

    def insert_page(self, page: ResultViews, close: Callable[[], object]) -> None:
        """Add a tab for a page, with a button that calls ``close``; the page leaves another group."""
        with QSignalBlocker(self):
            index = self.addTab(page, "")
        button = quiet_button("", "Close this tab (Ctrl+W)")
        button.setAccessibleName("Close this tab")
        set_icon(button, "hide")
        button.clicked.connect(lambda: close())
        self.tabBar().setTabButton(index, QTabBar.ButtonPosition.RightSide, button)

    def show_tab(self, page: ResultViews, shown: bool) -> None:
        """Show or hide the tab of a page."""
        with QSignalBlocker(self):
            self.setTabVisible(self.indexOf(page), shown)

    def set_split(self, split: bool) -> None:
        """Be one of two groups, with a title and a button to close it, or the only one."""
        self.setTabBarAutoHide(not split)
        self.setMinimumSize(*((TABS_WIDTH // 2, TABS_HEIGHT) if split else (TABS_WIDTH, 0)))

    def set_quiet(self, quiet: bool) -> None:
        """Draw the selected tab quietly, because the other side is used."""
        bar = self.tabBar()
        if bar.property("quiet") != quiet:
            bar.setProperty("quiet", quiet)
            bar.style().unpolish(bar)
            bar.style().polish(bar)

    def show_titles(self, counts: Mapping[str, int]) -> None:
        """Name each tab; of ``counts`` results with the same title, by the time of their start too."""
        for index, page in enumerate(self.all_pages):
            subject = page.subject
            title = subject.title if subject is not None else "No result"
            words = shorten_name(title, MAX_TITLE)
            if subject is not None and subject.result is not None and counts.get(title, 0) > 1:
                started = f"{subject.result.started.astimezone():%H:%M:%S}"
                title, words = f"{title}, {started}", f"{started} {words}"
            self.setTabText(index, words.replace("&", "&&"))
            self.setTabToolTip(index, title)

    def _send_page(self, signal: SignalInstance, index: int) -> None:
        if index >= 0:
            signal.emit(self.widget(index))

    def _ask_menu(self, position: QPoint) -> None:
        index = self.tabBar().tabAt(position)
        if index >= 0:
            self.menu_wanted.emit(self.widget(index), self.tabBar().mapToGlobal(position))
