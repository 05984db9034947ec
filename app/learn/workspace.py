"""The Learn workspace: pages one after another, and the card that the guidelines are computed for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.widgets import Card, Combo, label
from antidiag.app.learn.classes import ClassesPage
from antidiag.app.learn.exercise.page import ExercisePage
from antidiag.app.learn.guideline_page import GuidelinePage
from antidiag.app.learn.guidelines import GUIDELINES
from antidiag.app.learn.lecture.page import LecturePage
from antidiag.app.learn.measured_page import MeasuredPage
from antidiag.app.learn.play.page import PlayPage
from antidiag.kernels.cuda import guidelines, measured
from antidiag.kernels.cuda.guidelines import CARDS, Limits
from antidiag.kernels.method import Method

LEFT_WIDTHS, LEFT_SHARE, PAGES_SHARE = (190, 310), 1, 3
"""Pixels of the list of pages, at least and at most, and how it shares the width with the page."""
CLASSES, PLAYS, LECTURES, EXERCISES = "The four classes", "Step by step", "Lectures", "Exercises"


class LearnWorkspace(QWidget):
    """``method_wanted(method)``: the user wants to run a method that was explained."""

    method_wanted = Signal(object)

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__()
        self.classes, self.plays, self.lectures = ClassesPage(methods), PlayPage(methods), LecturePage()
        self.guidelines = {guideline.id: GuidelinePage(guideline) for guideline in GUIDELINES}
        self.measured = {guideline.id: MeasuredPage(guideline) for guideline in measured.GUIDELINES}
        self.exercises = ExercisePage(methods)
        self.pages, self.contents = QStackedWidget(), QListWidget()
        self.contents.setAccessibleName("Pages")
        self.contents.setSpacing(2)
        self.card = Combo()
        self.card.setAccessibleName("Card")
        self.card.setToolTip("The GPU that the guidelines are computed for")
        self.back, self.forward = QPushButton("Back"), QPushButton("Next")
        guided: list[GuidelinePage | MeasuredPage] = [*self.guidelines.values(), *self.measured.values()]
        taught = ((CLASSES, self.classes), (PLAYS, self.plays), (LECTURES, self.lectures), (EXERCISES, self.exercises))
        for name, page in (*taught, *((page.guideline.title, page) for page in guided)):
            self.contents.addItem(name)
            self.pages.addWidget(page)
        for limits in CARDS:
            self.card.addItem(limits.name, limits)
        self._devices = Latest(self)
        self._devices.finished.connect(self._take_devices)
        self._lay_out()
        self.contents.currentRowChanged.connect(self._turn)
        self.back.clicked.connect(lambda: self.step(-1))
        self.forward.clicked.connect(lambda: self.step(1))
        self.card.currentIndexChanged.connect(lambda: self._show_card(self.card.currentData()))
        self.classes.method_wanted.connect(self.method_wanted)
        self.plays.scene_wanted.connect(self._add_scene)
        self.card.setCurrentIndex(len(CARDS) - 1)
        self.contents.setCurrentRow(0)

    def step(self, by: int) -> None:
        """The next page, or the one before."""
        self.contents.setCurrentRow(min(max(self.contents.currentRow() + by, 0), self.contents.count() - 1))

    def set_devices(self, count: int) -> None:
        """So many GPUs are at hand: ask what they can do, and compute for, and measure on, the first of them."""
        if count:
            for page in self.measured.values():
                page.set_device(0)
            self._devices.request(lambda monitor: [guidelines.of_device(index) for index in range(count)])

    def _add_scene(self, scene: Any) -> None:
        """Turn to the lectures, and write the texts of a new scene."""
        self.contents.setCurrentRow(self.pages.indexOf(self.lectures))
        self.lectures.add(scene)

    def _take_devices(self, found: list[Limits]) -> None:
        self.card.blockSignals(True)
        self.card.clear()
        for limits in (*found, *CARDS):
            self.card.addItem(f"{limits.name} (at hand)" if limits in found else limits.name, limits)
        self.card.blockSignals(False)
        self._show_card(found[0])

    def _show_card(self, limits: Any) -> None:
        if isinstance(limits, Limits):
            for page in self.guidelines.values():
                page.show_card(limits)

    def _turn(self, row: int) -> None:
        self.pages.setCurrentIndex(row)
        self.back.setEnabled(row > 0)
        self.forward.setEnabled(row < self.contents.count() - 1)
        page: Any = self.pages.currentWidget()
        of_card = isinstance(page, GuidelinePage) and page.guideline.of_card
        self._card_box.setVisible(of_card)

    def _lay_out(self) -> None:
        left = Card("Learn")
        left.setMinimumWidth(LEFT_WIDTHS[0])
        left.setMaximumWidth(LEFT_WIDTHS[1])
        self.sides = {"data": left}
        """What is at the left and can be hidden; named as the panel there in Analyse."""
        left.box.addWidget(self.contents, 1)
        self._card_box = QWidget()
        card = QVBoxLayout(self._card_box)
        card.setContentsMargins(0, 0, 0, 0)
        card.addWidget(label("Computed for", "muted"))
        card.addWidget(self.card)
        left.box.addWidget(self._card_box)
        steps = QHBoxLayout()
        steps.addWidget(self.back)
        steps.addWidget(self.forward)
        left.box.addLayout(steps)
        self.forward.setObjectName("primary")
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(left, LEFT_SHARE)
        box.addWidget(self.pages, PAGES_SHARE)
