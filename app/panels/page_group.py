"""A group of tabs, each of which holds the page of a result or datum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, cast

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QTabBar, QTabWidget

from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.widgets import quiet_button
from antidiag.app.panels.view_places import TABS_HEIGHT, TABS_WIDTH
from antidiag.app.panels.view_subject import ViewSubject
from antidiag.app.panels.viewer import ResultViews

MAX_LETTERS, MIN_LETTERS = 50, 9
"""Letters of average width of the widest and of the narrowest title; tabs that do not fit are scrolled."""


CLOSE_ICON = QSize(10, 10)
"""Pixels of the cross that closes a tab."""


class TabTitle(NamedTuple):
    """The whole title of a tab, and a short one by which it differs from the others."""

    full: str
    short: str


class PageTabBar(QTabBar):
    """Tabs as wide as their titles in bold letters. If these do not fit, short titles are shown, and where these do not
    fit either, they are shortened in the middle.

    Qt measures the selected title, which the style draws bold, in normal letters, and cuts it at both ends.
    """

    def __init__(self) -> None:
        super().__init__()
        self._titles: list[TabTitle] = []
        self.setElideMode(Qt.TextElideMode.ElideNone)

    def show_titles(self, titles: Sequence[TabTitle]) -> None:
        """Show the titles of all tabs."""
        self._titles = list(titles)
        self.fit_titles()

    def fit_titles(self) -> None:
        """Shorten the titles as far as the width of the tabs asks for."""
        metrics, shown = self._metrics(), [index for index in range(len(self._titles)) if self.isTabVisible(index)]
        letter, extra = metrics.averageCharWidth(), sum(self._extra_width(index) for index in shown)

        def width_of(title: str) -> int:
            return metrics.horizontalAdvance(title) + 1

        available = self.parentWidget().width() - extra
        titles = [self._titles[index].full for index in shown]
        if sum(map(width_of, titles)) > available:
            titles = [self._titles[index].short for index in shown]
        wanted = [min(width_of(title), MAX_LETTERS * letter) for title in titles]
        widths = share_width(available, wanted, MIN_LETTERS * letter)
        for index, title, width in zip(shown, titles, widths, strict=True):
            text = metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, width)
            if self.tabText(index) != (escaped := text.replace("&", "&&")):
                self.setTabText(index, escaped)

    def tabSizeHint(self, index: int) -> QSize:
        text = self.tabText(index).replace("&&", "&")
        return QSize(
            self._metrics().horizontalAdvance(text) + 1 + self._extra_width(index), super().tabSizeHint(index).height()
        )

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def _extra_width(self, index: int) -> int:
        """Return the pixels of a tab beside its title: margins and button."""
        text = QFontMetrics(self.font()).size(int(Qt.TextFlag.TextShowMnemonic), self.tabText(index)).width()
        return super().tabSizeHint(index).width() - text

    def _metrics(self) -> QFontMetrics:
        bold = QFont(self.font())
        bold.setBold(True)
        return QFontMetrics(bold)


def share_width(available: int, wanted: Sequence[int], least: int) -> list[int]:
    """Return widths of at most what is wanted that fit together: narrow ones are whole, the others are alike.

    None is below ``least`` unless it wants less, even if they do not fit then.
    """
    widths, rest, left = list(wanted), available, len(wanted)
    for index in sorted(range(len(wanted)), key=lambda index: wanted[index]):
        widths[index] = min(wanted[index], max(rest // left, least))
        rest, left = rest - widths[index], left - 1
    return widths


class PageGroup(QTabWidget):
    """Tabs with titles and buttons. Signals: ``page_chosen(page)`` and ``page_kept(page)`` are a click and a double
    click on a tab; ``menu_wanted(page, position)`` asks for its menu."""

    page_chosen = Signal(object)
    page_kept = Signal(object)
    menu_wanted = Signal(object, QPoint)

    def __init__(self) -> None:
        super().__init__()
        self._bar = PageTabBar()
        self.setTabBar(self._bar)
        self.setObjectName("results")
        self.setDocumentMode(True)
        self.setMovable(True)
        self.setTabBarAutoHide(True)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.currentChanged.connect(partial(self._send_page, self.page_chosen))
        bar = self._bar
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
        button.setIconSize(CLOSE_ICON)
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

    def show_titles(self, subjects: Sequence[ViewSubject]) -> None:
        """Name each tab; ``subjects`` are those of all tabs, also of other groups, from which it must differ."""
        names, titles = (Counter(getattr(subject, kind) for subject in subjects) for kind in ("name", "title"))
        shown = []
        for index, page in enumerate(self.all_pages):
            subject = page.subject
            if subject is None:
                title, tip = TabTitle("No result", "No result"), "No result"
            elif subject.result is not None and titles[subject.title] > 1:
                title = TabTitle(f"{subject.start_text} {subject.title}", f"{subject.start_text} {subject.name}")
                tip = f"{subject.title}, {subject.start_text}"
            else:
                tip = subject.title
                title = TabTitle(tip, subject.name if names[subject.name] == 1 else tip)
            shown.append(title)
            self.setTabToolTip(index, tip)
        self._bar.show_titles(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bar.fit_titles()

    def _send_page(self, signal: SignalInstance, index: int) -> None:
        if index >= 0:
            signal.emit(self.widget(index))

    def _ask_menu(self, position: QPoint) -> None:
        index = self.tabBar().tabAt(position)
        if index >= 0:
            self.menu_wanted.emit(self.widget(index), self.tabBar().mapToGlobal(position))
