"""The Learn workspace: its list of pages, and the GPU that the guidelines are computed for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Signal
from PySide6.QtWidgets import QListWidget, QPushButton, QStackedWidget, QWidget

from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.drawers import LEFT, FoldingPanels, PanelHolder, SidePanel
from antidiag.app.kit.controls.widgets import Card, ElidedComboBox, create_label
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.learn.classes_page import ClassesPage
from antidiag.app.learn.exercise.exercise_page import ExercisePage
from antidiag.app.learn.guideline_page import GuidelinePage
from antidiag.app.learn.guidelines import GUIDELINES
from antidiag.app.learn.lecture.lecture_page import LecturePage
from antidiag.app.learn.measured_page import MeasuredPage
from antidiag.app.learn.page_titles import CLASSES_TITLE, EXERCISES_TITLE, LECTURES_TITLE, WALKTHROUGH_TITLE
from antidiag.app.learn.walkthrough.walkthrough_page import WalkthroughPage
from antidiag.kernels.cuda import guideline_timings, guidelines
from antidiag.kernels.cuda.guidelines import CARDS, CardLimits
from antidiag.kernels.method import Method

LEFT_WIDTHS, LEFT_SHARE, PAGES_SHARE, PAGE_WIDTH = (190, 310), 1, 3, 820
"""Smallest and largest width of the list of pages in pixels, stretch of list and page, and least width of a page."""


class PageStack(QStackedWidget):
    """Pages of which only the visible one needs room, so that wide ones do not widen the others."""

    def sizeHint(self) -> QSize:
        return self.currentWidget().sizeHint() if self.count() else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self.currentWidget().minimumSizeHint() if self.count() else super().minimumSizeHint()


class LearnWorkspace(QWidget):
    """All pages of Learn. ``method_wanted(method)``: use the explained method in Analyse."""

    method_wanted = Signal(object)

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__()
        self.classes, self.walkthroughs, self.lectures = ClassesPage(methods), WalkthroughPage(methods), LecturePage()
        self.guidelines = {guideline.id: GuidelinePage(guideline) for guideline in GUIDELINES}
        self.measured = {guideline.id: MeasuredPage(guideline) for guideline in guideline_timings.GUIDELINES}
        self.exercises = ExercisePage(methods)
        self.pages, self.contents = PageStack(), QListWidget()
        self.contents.setAccessibleName("Pages")
        self.contents.setSpacing(2)
        self.card_box = ElidedComboBox()
        self.card_box.setAccessibleName("GPU")
        self.card_box.setToolTip("GPU for which the guidelines are computed")
        self.back_button, self.next_button = QPushButton("Back"), QPushButton("Next")
        guided: list[GuidelinePage | MeasuredPage] = [*self.guidelines.values(), *self.measured.values()]
        taught = (
            (CLASSES_TITLE, self.classes),
            (WALKTHROUGH_TITLE, self.walkthroughs),
            (LECTURES_TITLE, self.lectures),
            (EXERCISES_TITLE, self.exercises),
        )
        for name, page in (*taught, *((page.guideline.title, page) for page in guided)):
            self.contents.addItem(name)
            self.pages.addWidget(page)
        for limits in CARDS:
            self.card_box.addItem(limits.name, limits)
        self._devices = LatestTask(self, self._show_devices)
        self._lay_out()
        self.contents.currentRowChanged.connect(self._show_page)
        self.back_button.clicked.connect(lambda: self.step_pages(-1))
        self.next_button.clicked.connect(lambda: self.step_pages(1))
        self.card_box.currentIndexChanged.connect(lambda: self._show_limits(self.card_box.currentData()))
        self.classes.method_wanted.connect(self.method_wanted)
        self.walkthroughs.scene_wanted.connect(self._add_scene)
        self.card_box.setCurrentIndex(len(CARDS) - 1)
        self.contents.setCurrentRow(0)

    def foldings(self) -> tuple[FoldingPanels, ...]:
        """Return what holds the list of pages, and the side panel of the current page if it has one."""
        page: Any = self.pages.currentWidget()
        return self.folding, *([page.folding] if hasattr(page, "folding") else [])

    def focus_areas(self) -> list[QWidget]:
        """Return the parts between which F6 moves the focus."""
        page: Any = self.pages.currentWidget()
        sides = [panel for folding in self.foldings() for panel in folding.panels.values()]
        inner = [panel.content or panel.holder.widget() for panel in sides]
        return [inner[0], page, *inner[1:]]

    def show_lecture(self, path: Path) -> None:
        """Turn to the lectures and open one."""
        self.contents.setCurrentRow(self.pages.indexOf(self.lectures))
        self.lectures.open_lecture(path)

    def step_pages(self, by: int) -> None:
        """Turn so many pages forward or back."""
        self.contents.setCurrentRow(min(max(self.contents.currentRow() + by, 0), self.contents.count() - 1))

    def set_devices(self, count: int) -> None:
        """Offer the GPUs of this machine, and use the first one for computed and measured guidelines."""
        if count:
            for page in self.measured.values():
                page.set_device(0)
            self._devices.request(lambda monitor: [guidelines.read_card_limits(index) for index in range(count)])

    def _add_scene(self, scene: Any) -> None:
        """Show the lectures, and ask for the texts of a new scene."""
        self.contents.setCurrentRow(self.pages.indexOf(self.lectures))
        self.lectures.add_scene(scene)

    def _show_devices(self, found: list[CardLimits]) -> None:
        with QSignalBlocker(self.card_box):
            self.card_box.clear()
            for limits in (*found, *CARDS):
                self.card_box.addItem(f"{limits.name} (this machine)" if limits in found else limits.name, limits)
        self._show_limits(found[0])

    def _show_limits(self, limits: CardLimits) -> None:
        for page in self.guidelines.values():
            page.show_limits(limits)

    def _show_page(self, row: int) -> None:
        self.pages.setCurrentIndex(row)
        self.pages.updateGeometry()
        self.back_button.setEnabled(row > 0)
        self.next_button.setEnabled(row < self.contents.count() - 1)
        page: Any = self.pages.currentWidget()
        of_card = isinstance(page, GuidelinePage) and page.guideline.depends_on_card
        self._card_box.setVisible(of_card)
        self._show_page_title()

    def _show_page_title(self) -> None:
        row = self.contents.currentRow()
        self.page_title.setText(self.contents.item(row).text())
        has_heading = isinstance(self.pages.currentWidget(), GuidelinePage | MeasuredPage)
        self.page_title.setVisible(bool(self.folding.folded_sides) and not has_heading)

    def _lay_out(self) -> None:
        left = Card("Learn")
        left.setMinimumWidth(LEFT_WIDTHS[0])
        holder = PanelHolder(left)
        holder.setMaximumWidth(LEFT_WIDTHS[1])
        self.sides = {"data": holder}
        """The side panel that can be hidden, by the name of that of Analyse."""
        self.folding = FoldingPanels(self, [SidePanel("data", holder, LEFT, LEFT_WIDTHS[0])], (LEFT,), PAGE_WIDTH)
        left.box.addWidget(self.contents, 1)
        self._card_box = QWidget()
        column_of(create_label("Computed for", "muted"), self.card_box, parent=self._card_box)
        left.box.addWidget(self._card_box)
        left.box.addLayout(row_of(self.back_button, self.next_button))
        self.next_button.setObjectName("primary")
        self.page_title = create_label(kind="title")
        """The name of the page, where the list of pages is folded and the page has no heading of its own."""
        self.folding.changed.connect(self._show_page_title)
        page = column_of(self.page_title, (self.pages, 1))
        row_of((holder, LEFT_SHARE), (page, PAGES_SHARE), parent=self)
