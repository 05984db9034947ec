"""The page of the four classes: every method in its class, with its recurrence and what its cells need."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.flow import Flow
from antidiag.app.kit.widgets import Card, VerticalScroll, label, quiet_button
from antidiag.app.learn.picture import PictureWidget
from antidiag.kernels.dynamic_class import CLASSES, DynamicClass
from antidiag.kernels.method import Method
from antidiag.kernels.registry import classes

LEAST_DETAIL, DETAIL_WIDTH, PICTURE_HEIGHT = 230, 340, 165
INTRODUCTION = (
    "A recurrence is serial where a level needs only the level before, and monadic where each alternative has one "
    "recursive term. These two questions say what can be computed at the same time."
)


class ClassCard(Card):
    """One class: what defines it, what its cells need, and the methods that belong to it."""

    chosen = Signal(object)

    def __init__(self, cls: DynamicClass, methods: Sequence[Method]) -> None:
        super().__init__(f"{cls.name.capitalize()} ({cls.abbreviation})")
        self.cls = cls
        self.methods = tuple(method for method in classes.members(cls.id) if method in methods)
        self.buttons: dict[str, QToolButton] = {}
        self.picture = PictureWidget()
        self.box.addWidget(label(cls.meaning, "muted", wrap=True))
        self.picture.setFixedHeight(PICTURE_HEIGHT)
        self.box.addWidget(self.picture)
        for problem, found in groupby(self.methods, key=lambda method: method.problem):
            self.box.addWidget(label(problem.label, wrap=True))
            self.box.addWidget(self._links(tuple(found)))
        self.box.addStretch(1)
        self.show_of(self.methods[0] if self.methods else None)

    def show_of(self, method: Method | None) -> None:
        """Show the picture of a method."""
        place = method.problem.placement if method else None
        self.picture.show_picture(place.picture if place else None)

    def _links(self, methods: Sequence[Method]) -> QWidget:
        holder = QWidget()
        flow = Flow(holder)
        flow.setSpacing(2)
        for method in methods:
            button = quiet_button(method.name, method.summary)
            button.setCheckable(True)
            button.clicked.connect(lambda _, method=method: self.chosen.emit(method))
            self.buttons[method.id] = button
            flow.addWidget(button)
        return holder


class ClassesPage(QWidget):
    """The four classes as a table, and beside it the method that was clicked. ``method_wanted``: use it in Analyse."""

    method_wanted = Signal(object)

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__()
        self.method: Method | None = None
        self.cards = {cls.id: ClassCard(cls, methods) for cls in CLASSES}
        self.detail = Card("")
        self.recurrence, self.why, self.parallelism = (label(wrap=True) for _ in range(3))
        self.recurrence.setFont(theme.fixed_font())
        self.recurrence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.picture = PictureWidget()
        self.use = QPushButton("Use it in Analyse")
        self.use.clicked.connect(lambda: self.method_wanted.emit(self.method))
        self._lay_out()
        for card in self.cards.values():
            card.chosen.connect(self.choose)
        first = next((method for card in self.cards.values() for method in card.methods), None)
        if first is not None:
            self.choose(first)

    def choose(self, method: Method) -> None:
        """Explain this method."""
        place = method.problem.placement
        if place is None:
            return
        self.method = method
        self.detail.heading.setText(method.name)
        self.recurrence.setText(place.recurrence)
        self.why.setText(place.why)
        self.parallelism.setText(place.cls.parallelism)
        self.picture.show_picture(place.picture)
        self.cards[place.cls.id].show_of(method)
        for card in self.cards.values():
            for identifier, button in card.buttons.items():
                button.setChecked(identifier == method.id)

    def _lay_out(self) -> None:
        inner = QWidget()
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.SPACING)
        grid.addWidget(label(INTRODUCTION, wrap=True), 0, 0, 1, 3)
        for column, words in enumerate(("monadic: one recursive term", "polyadic: several recursive terms"), start=1):
            grid.addWidget(_title(words), 1, column)
        for row, (words, serial) in enumerate((("serial", True), ("non-\nserial", False)), start=2):
            grid.addWidget(_title(words), row, 0)
            for column, monadic in enumerate((True, False), start=1):
                (cls,) = (c for c in CLASSES if (c.serial, c.monadic) == (serial, monadic))
                grid.addWidget(self.cards[cls.id], row, column)
            grid.setRowStretch(row, 1)
        for column in (1, 2):
            grid.setColumnStretch(column, 1)
        parts = {
            "Recurrence": self.recurrence,
            "Why it belongs here": self.why,
            "What is parallel": self.parallelism,
            "What a cell needs": self.picture,
        }
        for caption, widget in parts.items():
            self.detail.box.addWidget(label(caption, "muted"))
            self.detail.box.addWidget(widget, 1 if widget is self.picture else 0)
        self.detail.box.addWidget(self.use)
        self.detail.setMinimumWidth(LEAST_DETAIL)
        self.detail.setMaximumWidth(DETAIL_WIDTH)
        side = QVBoxLayout()
        side.addWidget(self.detail)
        side.addStretch(1)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(VerticalScroll(inner), 2)
        box.addLayout(side, 1)


def _title(words: str) -> QLabel:
    made = label(words, "heading")
    made.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return made
