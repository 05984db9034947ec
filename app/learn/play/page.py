"""The page "Step by step": any method that has a play, another one beside it, and the input typed in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QMessageBox,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit import export
from antidiag.app.kit.forms import ParameterForm
from antidiag.app.kit.icons import dress
from antidiag.app.kit.play import figure
from antidiag.app.kit.play.look import COLOURINGS, Look
from antidiag.app.kit.widgets import Card, Combo, VerticalScroll, label, tool_button
from antidiag.app.learn.play.detail import Detail
from antidiag.app.learn.play.measured import MeasuredRuns
from antidiag.app.learn.play.stage import Stage
from antidiag.app.learn.play.transport import Transport
from antidiag.app.learn.play.ways import WaysBar
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays import html, staging
from antidiag.kernels.plays.clock import BY_MEASURED, BY_STEPS, BY_TIME, Clock
from antidiag.kernels.plays.model import Play
from antidiag.kernels.registry.lectures import Scene, Staged, View

LEAST_SIDE, SIDE_WIDTH = 250, 330
FIGURE = QSize(1200, 800)
FILTERS = (
    "PNG image (*.png);;SVG drawing (*.svg);;PDF drawing (*.pdf);;Animated WebP (*.webp);;"
    "Animated GIF, by ffmpeg (*.gif);;MP4 film, by ffmpeg (*.mp4);;Page for a browser (*.html)"
)
SUFFIXES = (*figure.STILL, *figure.MOVING, ".html")
ALONE = "Nothing beside it"


class PlayPage(QWidget):
    """Plays one method, or two of one problem side by side on one clock.

    ``scene_wanted(scene)``: what is shown is to become a scene of a lecture.
    """

    scene_wanted = Signal(object)

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__()
        self.methods = tuple(method for method in methods if method.staging or method.unplayed)
        self.stages, self.transport, self.detail = (Stage(), Stage()), Transport(), Detail()
        self.method, self.beside, self.by, self.colouring = Combo(), Combo(), Combo(), Combo()
        self.path, self.ways = QCheckBox("The path that is returned"), WaysBar()
        self.form, self.error = ParameterForm(), label("", "error", wrap=True)
        self.clock, self.measured = Clock((), BY_STEPS), MeasuredRuns()
        self.last_stage = 0
        self._fill()
        self._lay_out()
        self._connect()

    @property
    def plays(self) -> tuple[Play, ...]:
        return self.clock.plays

    @property
    def chosen(self) -> Method | None:
        return self.method.currentData()

    @property
    def second(self) -> Method | None:
        return self.beside.currentData()

    @property
    def unit(self) -> str:
        """What the plays have in common; they keep their steps where real runs are shown in their place."""
        return BY_STEPS if self.by.currentData() == BY_MEASURED else self.by.currentData()

    def showEvent(self, event) -> None:
        """The first play is made when somebody looks: the start of the window does not wait for it."""
        super().showEvent(event)
        if self.methods and not self.plays:
            self.choose(self.methods[0])

    def choose(self, method: Method, beside: Method | None = None, values: Mapping[str, Any] | None = None) -> None:
        """Play this method, with another beside it, of these values."""
        for box in (self.method, self.beside):
            box.blockSignals(True)
        self.method.setCurrentIndex(self.method.findData(method))
        self._offer_beside()
        self.beside.setCurrentIndex(max(self.beside.findData(beside), 0))
        for box in (self.method, self.beside):
            box.blockSignals(False)
        self._declare(values or {})
        self._make(0)
        self._turn()

    def show_tick(self, tick: int) -> None:
        """Show all plays at a tick of the clock."""
        for stage, step in zip(self.stages, self.clock.steps(tick), strict=False):
            stage.show_step(step)
        self.transport.place.setText(f"{self.clock.told(tick)} {self.unit.split()[-1]}")
        self._explain()

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """All stages side by side, for a file."""
        wide = area.width() / max(len(self.plays), 1)
        for number, _ in enumerate(self.plays):
            margin = theme.MARGIN
            part = QRectF(area.left() + number * wide, area.top(), wide, area.height())
            self.stages[number].draw(painter, part.adjusted(margin, margin, -margin, -margin))

    def save(self) -> None:
        """Ask for a file: a picture of this step, an animation of all, or a page that plays in a browser."""
        name, kind = QFileDialog.getSaveFileName(self, "Save play", "play.png", FILTERS)
        if name and self.plays:
            path = export.with_suffix(name, kind, SUFFIXES)
            try:
                self.write(path)
            except InputError as error:
                QMessageBox.warning(self, "Save play", str(error))

    def write(self, path: Path) -> None:
        """Write what is shown, by the suffix; InputError where that fails."""
        if path.suffix.lower() == ".html":
            title = " and ".join(play.title for play in self.plays)
            write_bytes(path, [html.page(self.clock, title, [], self.transport.tick).encode()])
            return
        looks = [stage.look for stage, _ in zip(self.stages, self.plays, strict=False)]
        moving = path.suffix.lower() in figure.MOVING
        ticks = list(range(self.clock.last + 1)) if moving else [self.transport.tick]
        figure.save(path, self.clock, looks, ticks, FIGURE)

    def copy(self) -> None:
        export.copy(FIGURE, self.draw_figure)

    def scene(self) -> Scene:
        """What is shown, as a scene that plays up to here; its texts are still to be written."""
        values, staged = self.form.values(), []
        for method in (self.chosen, self.second):
            made = staging.of(method) if method else None
            if method is not None and made is not None:
                own = {one.name: values[one.name] for one in made.declared
                       if one.name in values and values[one.name] != one.default}  # fmt: skip
                staged.append(Staged(method.id, own))
        cell = self.stages[0].pinned
        place: tuple[Any, ...] = ()
        if cell is not None:
            place = (self.plays[0].tables[cell[0]].name, *cell[1:3], *((cell[3],) if cell[3] else ()))
        view = View(self.colouring.currentData(), (), place, self.path.isChecked())
        title = " and ".join(play.title for play in self.plays)
        if self.by.currentData() == BY_MEASURED:
            size = self.measured.amount.value()
            return Scene("scene", title, (), (), "", tuple(staged), BY_MEASURED, 0, -1, view, size)
        return Scene("scene", title, (), (), "", tuple(staged), self.unit, 0, self.transport.tick, view)

    def keyPressEvent(self, event) -> None:
        if not self.transport.key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    # Choices

    def _fill(self) -> None:
        for problem, found in groupby(self.methods, key=lambda method: method.problem):
            if self.method.count():
                self.method.insertSeparator(self.method.count())
            for method in found:
                self.method.addItem(method.name if method.staging else f"{method.name} (not played)", method)
                self.method.setItemData(self.method.count() - 1, f"{problem.label}: {method.summary}",
                                        Qt.ItemDataRole.ToolTipRole)  # fmt: skip
        for name in (BY_STEPS, BY_TIME, BY_MEASURED):
            self.by.addItem(f"Same {name}", name)
        for name, words in COLOURINGS.items():
            self.colouring.addItem(words, name)
        for box, name, tip in (
            (self.method, "Method", "The method that is played"),
            (self.beside, "Beside it", "Another method of the same problem, on the same clock"),
            (
                self.by,
                "Clock",
                "What two plays have in common: the number of the step, the time of the model, or that of real runs",
            ),
            (self.colouring, "Colours", "What the colours of the cells say"),
        ):
            box.setAccessibleName(name)
            box.setToolTip(tip)

    def _offer_beside(self) -> None:
        self.beside.clear()
        self.beside.addItem(ALONE, None)
        for method in self.methods:
            if self.chosen in (None, method) or not (method.staging and self.chosen.staging):
                continue
            if method.problem is self.chosen.problem:
                self.beside.addItem(method.name, method)
        self.beside.setEnabled(self.beside.count() > 1)

    def _connect(self) -> None:
        self.method.currentIndexChanged.connect(self._take_method)
        self.beside.currentIndexChanged.connect(self._take_beside)
        self.by.currentIndexChanged.connect(lambda: self._keep_time())
        self.form.changed.connect(lambda: self._make(None))
        self.transport.ticked.connect(self.show_tick)
        self.colouring.currentIndexChanged.connect(lambda: self._relook())
        self.path.toggled.connect(lambda: self._relook())
        self.ways.changed.connect(self._relook)
        for number, stage in enumerate(self.stages):
            stage.pointed.connect(lambda cell, number=number: self._take_cell(number))
            stage.jumped.connect(lambda step, number=number: self.transport.go(self.clock.tick(number, step)))

    def _take_method(self) -> None:
        if self.chosen is not None:
            self.choose(self.chosen)

    def _take_beside(self) -> None:
        self._declare(self.form.values())
        self._make(0)
        self._turn()

    def _declare(self, values: Mapping[str, Any]) -> None:
        """A form of what both methods declare; values that were typed stay."""
        declared: dict[str, Parameter] = {}
        for method in (self.chosen, self.second):
            made = staging.of(method) if method else None
            for parameter in made.declared if made else ():
                declared.setdefault(parameter.name, parameter)
        self.form.set_parameters(declared.values())
        self.form.set_values({**{name: one.default for name, one in declared.items()}, **values})
        self.form.setMinimumHeight(self.form.sizeHint().height())

    # Plays

    def _make(self, tick: int | None) -> None:
        """Play what is typed; the tick stays where it can, and what cannot be played is said."""
        values, made, told = self.form.values(), [], self.form.errors()
        try:
            for method in (self.chosen, self.second):
                if method is not None and (staged := staging.of(method)) is not None:
                    own = {one.name: values[one.name] for one in staged.declared if one.name in values}
                    made.append(staged.make(own))
        except AntidiagError as error:
            told = (*told, str(error))
        self.error.setText("\n".join(told))
        self.error.setVisible(bool(told))
        if self.chosen is not None and not self.chosen.staging:
            self._show_nothing(f"{self.chosen.name} is not played. {self.chosen.unplayed}")
            return
        if told or not made:
            return
        at = self.transport.tick if tick is None else tick
        self.clock = Clock(tuple(made), self.unit)
        at = min(at, self.clock.last)
        self.transport.set_last(self.clock.last, at)
        for shown, play in zip(self.stages, [*made, None][:2], strict=True):
            shown.setVisible(play is not None)
            shown.show_play(play)
        self._relook()
        self.show_tick(at)

    def _show_nothing(self, why: str) -> None:
        """No play, and the reason."""
        self.clock = Clock((), self.unit)
        self.transport.set_last(0, 0)
        for number, stage in enumerate(self.stages):
            stage.setVisible(not number)
            stage.show_play(None)
        self.error.setText(why)
        self.error.setVisible(True)

    def _keep_time(self) -> None:
        step = self.clock.steps(self.transport.tick)[0] if self.plays else -1
        self.clock = Clock(self.plays, self.unit)
        self._turn()
        self.transport.set_last(self.clock.last, self.clock.tick(0, step) if self.plays else 0)
        self.show_tick(self.transport.tick)

    def _turn(self) -> None:
        """Plays, or in their place what was measured."""
        measured = self.by.currentData() == BY_MEASURED
        self._room.setCurrentIndex(int(measured))
        self.measured.show_methods([method for method in (self.chosen, self.second) if method is not None])
        for widget in (self.form, self.colouring, self.path, self.detail):
            widget.setVisible(not measured)

    def _relook(self) -> None:
        of_paths = self.colouring.currentData() == "paths"
        self.ways.setVisible(of_paths)
        if of_paths and self.plays and self.ways.play is not self.plays[0]:
            self.ways.show_play(self.plays[0])
        for number, stage in enumerate(self.stages):
            shares = self.ways.shares() if of_paths and not number else {}
            look: Look = replace(stage.look, colouring=self.colouring.currentData(), path=self.path.isChecked(),
                                 shares=shares, meaning=Look().meaning if number else self.ways.meaning)  # fmt: skip
            stage.look = look
            stage.refresh()

    def _take_cell(self, number: int) -> None:
        self.last_stage = number
        self._explain()

    def _explain(self) -> None:
        number = min(self.last_stage, len(self.plays) - 1)
        if number >= 0:
            self.detail.show_look(self.plays[number], self.stages[number].look)

    # Layout

    def _lay_out(self) -> None:
        inner = QWidget()
        side = QVBoxLayout(inner)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(theme.SPACING)
        for widget in (self.method, self.beside, self.by, self.colouring, self.path, self.form, self.error):
            side.addWidget(widget)
        side.addWidget(self.detail, 100)
        side.addStretch(1)
        self.error.hide()
        self.form.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        card = Card("Play")
        card.setMinimumWidth(LEAST_SIDE)
        card.setMaximumWidth(SIDE_WIDTH)
        card.header.addWidget(tool_button("Scene\u2026", "Make this a scene of the lecture that is open",
                                          lambda: self.scene_wanted.emit(self.scene())))  # fmt: skip
        card.header.addWidget(tool_button("Copy", "Copy the picture", self.copy))
        save = tool_button("", "Save this step, an animation, or a page for a browser", self.save)
        dress(save, "save")
        card.header.addWidget(save)
        card.box.addWidget(VerticalScroll(inner), 1)
        middle, shown = Card(""), QHBoxLayout()
        middle.heading.hide()
        shown.setSpacing(2 * theme.SPACING)
        for stage in self.stages:
            shown.addWidget(stage, 1)
        self.stages[1].hide()
        played, self._room = QWidget(), QStackedWidget()
        box = QVBoxLayout(played)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addLayout(shown, 1)
        box.addWidget(self.ways)
        self.ways.hide()
        box.addWidget(self.transport)
        self._room.addWidget(played)
        self._room.addWidget(self.measured)
        middle.box.addWidget(self._room, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.SPACING)
        row.addWidget(middle, 1)
        row.addWidget(card)
