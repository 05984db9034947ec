"""The page of the four classes of dynamic programming, with recurrence and dependencies of each method."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QToolButton, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.drawers import fold_page_side
from antidiag.app.kit.controls.flow_layouts import FlowLayout
from antidiag.app.kit.controls.widgets import Card, VerticalScrollArea, create_label, quiet_button
from antidiag.app.learn.dependency_view import DependencyView
from antidiag.kernels.dp_taxonomy import DP_CLASSES, DpClass
from antidiag.kernels.method import Method
from antidiag.kernels.registry import dp_class_members

MIN_DETAIL_WIDTH, MAX_DETAIL_WIDTH, PICTURE_HEIGHT = 230, 340, 165
MIDDLE_WIDTH = 560
"""Pixels of the classes below which the details fold; more than the classes need, so that the page never scrolls for
both."""
INTRODUCTION = (
    "A recurrence is serial if each level depends on the previous level only, and monadic if each alternative has one "
    "recursive term. These two properties determine what can be computed in parallel."
)


class ClassCard(Card):
    """One class: its definition, the dependencies of a cell, and its methods. ``chosen``: a method was clicked."""

    chosen = Signal(object)

    def __init__(self, cls: DpClass, methods: Sequence[Method]) -> None:
        super().__init__(f"{cls.name.capitalize()} ({cls.abbreviation})")
        self.cls = cls
        self.methods = tuple(method for method in dp_class_members.find_class_members(cls.id) if method in methods)
        self.buttons: dict[str, QToolButton] = {}
        self.picture = DependencyView()
        self.box.addWidget(create_label(cls.meaning, "muted", wrap=True))
        self.picture.setFixedHeight(PICTURE_HEIGHT)
        self.box.addWidget(self.picture)
        for problem, found in groupby(self.methods, key=lambda method: method.problem_type):
            self.box.addWidget(create_label(problem.label, wrap=True))
            self.box.addWidget(self._method_buttons(tuple(found)))
        self.box.addStretch(1)
        self.show_method(self.methods[0] if self.methods else None)

    def show_method(self, method: Method | None) -> None:
        """Show the dependencies of a method."""
        place = method.problem_type.dp_classification if method else None
        self.picture.show_picture(place.picture if place else None)

    def _method_buttons(self, methods: Sequence[Method]) -> QWidget:
        holder = QWidget()
        flow = FlowLayout(holder)
        flow.setSpacing(2)
        for method in methods:
            button = quiet_button(method.name, method.summary)
            button.setCheckable(True)
            button.clicked.connect(lambda _, method=method: self.chosen.emit(method))
            self.buttons[method.id] = button
            flow.addWidget(button)
        return holder


class ClassesPage(QWidget):
    """The four classes as a table beside the chosen method. ``method_wanted``: use the method in Analyse."""

    method_wanted = Signal(object)

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__()
        self.method: Method | None = None
        self.cards = {cls.id: ClassCard(cls, methods) for cls in DP_CLASSES}
        self.detail = Card("")
        self.recurrence, self.reason, self.parallelism = (create_label(wrap=True) for _ in range(3))
        self.recurrence.setFont(theme.fixed_font())
        self.recurrence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.picture = DependencyView()
        self.use_button = QPushButton("Use in Analyse")
        self.use_button.clicked.connect(lambda: self.method_wanted.emit(self.method))
        self._lay_out()
        for card in self.cards.values():
            card.chosen.connect(self.choose_method)
            card.chosen.connect(lambda _: self.folding.show_panel("method"))
        first = next((method for card in self.cards.values() for method in card.methods), None)
        if first is not None:
            self.choose_method(first)

    def choose_method(self, method: Method) -> None:
        """Explain this method."""
        place = method.problem_type.dp_classification
        if place is None:
            return
        self.method = method
        self.detail.heading.setText(method.name)
        self.recurrence.setText(place.recurrence)
        self.reason.setText(place.explanation)
        self.parallelism.setText(place.dp_class.parallelism)
        self.picture.show_picture(place.picture)
        self.cards[place.dp_class.id].show_method(method)
        for card in self.cards.values():
            for identifier, button in card.buttons.items():
                button.setChecked(identifier == method.id)

    def _lay_out(self) -> None:
        inner = QWidget()
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.SPACING)
        grid.addWidget(create_label(INTRODUCTION, wrap=True), 0, 0, 1, 3)
        for column, words in enumerate(("monadic: one recursive term", "polyadic: several recursive terms"), start=1):
            grid.addWidget(_heading_label(words), 1, column)
        for row, (words, serial) in enumerate((("serial", True), ("non-\nserial", False)), start=2):
            grid.addWidget(_heading_label(words), row, 0)
            for column, monadic in enumerate((True, False), start=1):
                (cls,) = (c for c in DP_CLASSES if (c.serial, c.monadic) == (serial, monadic))
                grid.addWidget(self.cards[cls.id], row, column)
            grid.setRowStretch(row, 1)
        for column in (1, 2):
            grid.setColumnStretch(column, 1)
        parts = {
            "Recurrence": self.recurrence,
            "Why this class": self.reason,
            "Parallelism": self.parallelism,
            "Dependencies of a cell": self.picture,
        }
        for caption, widget in parts.items():
            self.detail.box.addWidget(create_label(caption, "muted"))
            self.detail.box.addWidget(widget, 1 if widget is self.picture else 0)
        self.detail.box.addWidget(self.use_button)
        self.detail.setMinimumWidth(MIN_DETAIL_WIDTH)
        self.detail.setMaximumWidth(MAX_DETAIL_WIDTH)
        side = QWidget()
        column_of(self.detail, parent=side).addStretch(1)
        holder, self.folding = fold_page_side(self, side, MIN_DETAIL_WIDTH, MIDDLE_WIDTH)
        row_of((VerticalScrollArea(inner), 2), (holder, 1), parent=self)


def _heading_label(words: str) -> QLabel:
    made = create_label(words, "heading")
    made.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return made
