"""The page "Step by step": the animation of a method, with a second one beside it and an editable input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QStackedWidget, QWidget

from antidiag.app import theme
from antidiag.app.kit import ask
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.drawers import fold_page_side
from antidiag.app.kit.controls.forms import ParameterForm
from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.player import Player
from antidiag.app.kit.controls.widgets import Card, ElidedComboBox, VerticalScrollArea, tool_button
from antidiag.app.kit.figures import export
from antidiag.app.kit.focus import guard_from_wheel
from antidiag.app.kit.play import play_figure
from antidiag.app.kit.play.view_options import COLOURINGS, PlayLook
from antidiag.app.kit.tasks.saving_card import SavingCard, WriteFile
from antidiag.app.learn.walkthrough.animation_view import AnimationView
from antidiag.app.learn.walkthrough.best_paths_bar import BestPathsBar
from antidiag.app.learn.walkthrough.cell_detail import CellDetail
from antidiag.app.learn.walkthrough.measured_runs import MeasuredRuns
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.registry.lectures import SIZE, LectureScene, ScenePlay, SceneView
from antidiag.kernels.scoring_options import SECOND_COSTS, TWO_PIECES
from antidiag.kernels.walkthroughs import html_page, walkthrough
from antidiag.kernels.walkthroughs.animation import Animation
from antidiag.kernels.walkthroughs.shared_clock import BY_MEASURED, BY_STEPS, BY_TIME, SharedClock

SIDE_WIDTH = 330
FIGURE_SIZE = QSize(1200, 800)
FILTERS = (
    "PNG image (*.png);;SVG drawing (*.svg);;PDF drawing (*.pdf);;Animated WebP (*.webp);;"
    "Animated GIF with ffmpeg (*.gif);;MP4 video with ffmpeg (*.mp4);;HTML page (*.html)"
)
SUFFIXES = (*play_figure.STILL, *play_figure.MOVING, ".html")
NO_SECOND = "No second method"


class WalkthroughPage(QWidget):
    """Animates one or two methods of a problem on one clock. ``scene_wanted(scene)``: add this state to a lecture."""

    scene_wanted = Signal(object)

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__()
        self.methods = tuple(
            method for method in methods if method.teaching.walkthrough_name or method.teaching.no_walkthrough_reason
        )
        self.animation_views = AnimationView(), AnimationView()
        self.controls, self.cell_detail = Player("Step"), CellDetail()
        self.method_box, self.second_box = ElidedComboBox(), ElidedComboBox()
        self.clock_box, self.colouring_box = ElidedComboBox(), ElidedComboBox()
        self.path_box, self.best_paths_bar = QCheckBox("Returned path"), BestPathsBar()
        self.form = ParameterForm(wide_texts=True)
        self.clock, self.measured_runs = SharedClock((), BY_STEPS), MeasuredRuns()
        self.last_view = 0
        self._fill_boxes()
        self._lay_out()
        self.saving = SavingCard(self)
        self._connect_signals()

    @property
    def animations(self) -> tuple[Animation, ...]:
        """The shown animations."""
        return self.clock.plays

    @property
    def first_method(self) -> Method | None:
        """The first method."""
        return self.method_box.currentData()

    @property
    def second_method(self) -> Method | None:
        """The second method, or None."""
        return self.second_box.currentData()

    @property
    def clock_unit(self) -> str:
        """The unit of the shared clock; steps while measured runs are shown."""
        return BY_STEPS if self.clock_box.currentData() == BY_MEASURED else self.clock_box.currentData()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self.methods and not self.animations:
            self.choose_methods(self.methods[0])

    def choose_methods(
        self, method: Method, beside: Method | None = None, values: Mapping[str, Any] | None = None
    ) -> None:
        """Animate a method, with another one beside it, for these input values."""
        with QSignalBlocker(self.method_box), QSignalBlocker(self.second_box):
            self.method_box.setCurrentIndex(self.method_box.findData(method))
            self._offer_second()
            self.second_box.setCurrentIndex(max(self.second_box.findData(beside), 0))
        self._build_form(values or {})
        self._make_animations(0)
        self._show_page()

    def show_tick(self, tick: int) -> None:
        """Show all animations at a tick of the clock."""
        for stage, step in zip(self.animation_views, self.clock.steps_at(tick), strict=False):
            stage.show_step(step)
        self.controls.label.setText(f"{self.clock.format_tick(tick)} {self.clock_unit.split()[-1]}")
        self._show_detail()

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw all animations side by side, for a file."""
        wide = area.width() / max(len(self.animations), 1)
        margin = theme.MARGIN
        for number in range(len(self.animations)):
            part = QRectF(area.left() + number * wide, area.top(), wide, area.height())
            self.animation_views[number].draw_figure(painter, part.adjusted(margin, margin, -margin, -margin))

    def save_animation(self) -> None:
        """Ask for a file and write a picture of this step, an animation of all steps, or an HTML page."""
        name = ask.join_name(*(animation.title for animation in self.animations), "animation") + ".png"
        path = ask.save_path(self, "Save animation", name, FILTERS, SUFFIXES)
        if path is not None and self.animations:
            self.saving.save(path, self.animation_writer(path))

    def animation_writer(self, path: Path) -> WriteFile:
        """Return what writes the animation as it is now in the format of the suffix, on any thread."""
        clock, step = self.clock, self.controls.step
        if path.suffix.lower() == ".html":
            title = " and ".join(play.title for play in self.animations)
            return lambda path, monitor: write_bytes(path, [html_page.make_page(clock, title, [], step).encode()])
        looks = [stage.look for stage, _ in zip(self.animation_views, self.animations, strict=False)]
        moving = path.suffix.lower() in play_figure.MOVING
        ticks = list(range(clock.last_tick + 1)) if moving else [step]
        return lambda path, monitor: play_figure.save_plays(path, clock, looks, ticks, FIGURE_SIZE, monitor)

    def copy_figure(self) -> None:
        """Copy the picture of this step to the clipboard."""
        export.copy_figure(FIGURE_SIZE, self.draw_figure)

    def make_scene(self) -> LectureScene:
        """Return the shown state as a scene without texts that plays up to this step."""
        staged = []
        for method, made in self._stagings():
            defaults = {parameter.name: parameter.default for parameter in made.all_parameters}
            typed = self._typed_values(made).items()
            staged.append(ScenePlay(method.id, {name: value for name, value in typed if value != defaults[name]}))
        cell = self.animation_views[0].pinned_cell
        place: tuple[Any, ...] = ()
        if cell is not None:
            place = (self.animations[0].tables[cell[0]].name, *cell[1:3], *((cell[3],) if cell[3] else ()))
        view = SceneView(self.colouring_box.currentData(), (), place, self.path_box.isChecked())
        title = " and ".join(play.title for play in self.animations)
        clock, last, size = self.clock_unit, self.controls.step, SIZE
        if self.clock_box.currentData() == BY_MEASURED:
            clock, last, size = BY_MEASURED, -1, self.measured_runs.size_box.value()
        return LectureScene("scene", title, (), (), "", tuple(staged), clock, 0, last, view, size)

    def keyPressEvent(self, event) -> None:
        if not self.controls.handle_key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _fill_boxes(self) -> None:
        for problem, found in groupby(self.methods, key=lambda method: method.problem_type):
            if self.method_box.count():
                self.method_box.insertSeparator(self.method_box.count())
            for method in found:
                self.method_box.addItem(
                    method.name if method.teaching.walkthrough_name else f"{method.name} (no animation)", method
                )
                tip = f"{problem.label}: {method.summary}"
                self.method_box.setItemData(self.method_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        for name in (BY_STEPS, BY_TIME, BY_MEASURED):
            self.clock_box.addItem(f"Same {name}", name)
        for name, words in COLOURINGS.items():
            self.colouring_box.addItem(words, name)
        for box, name, tip in (
            (self.method_box, "Method", "Method to animate"),
            (self.second_box, "Second method", "Another method of the same problem, on the same clock"),
            (self.clock_box, "Clock", "Clock shared by both animations: step number, model time or measured time"),
            (self.colouring_box, "Colours", "Meaning of the cell colours"),
        ):
            box.setAccessibleName(name)
            box.setToolTip(tip)

    def _offer_second(self) -> None:
        self.second_box.clear()
        self.second_box.addItem(NO_SECOND, None)
        for method in self.methods:
            if self.first_method in (None, method) or not (
                method.teaching.walkthrough_name and self.first_method.teaching.walkthrough_name
            ):
                continue
            if method.problem_type is self.first_method.problem_type:
                self.second_box.addItem(method.name, method)
        self.second_box.setEnabled(self.second_box.count() > 1)

    def _connect_signals(self) -> None:
        self.method_box.currentIndexChanged.connect(self._on_method_changed)
        self.second_box.currentIndexChanged.connect(self._on_second_changed)
        self.clock_box.currentIndexChanged.connect(lambda: self._change_clock())
        self.form.changed.connect(self._on_form_changed)
        self.controls.moved.connect(lambda: self.show_tick(self.controls.step))
        self.colouring_box.currentIndexChanged.connect(lambda: self._update_looks())
        self.path_box.toggled.connect(lambda: self._update_looks())
        self.best_paths_bar.changed.connect(self._update_looks)
        for number, stage in enumerate(self.animation_views):
            stage.cell_pointed.connect(lambda cell, number=number: self._on_cell_pointed(number))
            stage.step_wanted.connect(lambda step, number=number: self.controls.go_to(self.clock.tick_of(number, step)))

    def _on_method_changed(self) -> None:
        if self.first_method is not None:
            self.choose_methods(self.first_method)

    def _on_second_changed(self) -> None:
        self._build_form(self.form.values())
        self._make_animations(0)
        self._show_page()

    def _build_form(self, values: Mapping[str, Any]) -> None:
        """Build the form of the parameters of both methods, and keep typed values."""
        declared: dict[str, Parameter] = {}
        for _, made in self._stagings():
            for parameter in made.all_parameters:
                declared.setdefault(parameter.name, parameter)
        self.form.set_parameters(declared.values())
        self.form.set_values({**{name: parameter.default for name, parameter in declared.items()}, **values})
        self._show_used_rows()

    def _show_used_rows(self) -> None:
        """Show the costs of the second gap piece where gaps have two."""
        for name in SECOND_COSTS:
            self.form.show_row(name, self.form.values().get("gap_model") == TWO_PIECES)
        self.form.setMinimumHeight(self.form.sizeHint().height())

    def _on_form_changed(self) -> None:
        self._show_used_rows()
        self._make_animations(None)

    def _stagings(self) -> list[tuple[Method, walkthrough.Walkthrough]]:
        """Return the chosen methods that have a walkthrough, each with its walkthrough."""
        found = [
            (method, walkthrough.load_walkthrough(method))
            for method in (self.first_method, self.second_method)
            if method is not None
        ]
        return [(method, made) for method, made in found if made is not None]

    def _typed_values(self, made: walkthrough.Walkthrough) -> dict[str, Any]:
        values = self.form.values()
        return {parameter.name: values[parameter.name] for parameter in made.all_parameters if parameter.name in values}

    def _make_animations(self, tick: int | None) -> None:
        """Animate the typed input, keep the tick where possible, and show errors of the input."""
        made, errors = [], self.form.entry_errors()
        try:
            made = [staged.make_animation(self._typed_values(staged)) for _, staged in self._stagings()]
        except AntidiagError as error:
            errors = (*errors, str(error))
        self.form.show_error("\n".join(errors))
        if self.first_method is not None and not self.first_method.teaching.walkthrough_name:
            self._show_nothing(
                f"{self.first_method.name} has no animation. {self.first_method.teaching.no_walkthrough_reason}"
            )
            return
        if errors or not made:
            return
        at = self.controls.step if tick is None else tick
        self.clock = SharedClock(tuple(made), self.clock_unit)
        at = min(at, self.clock.last_tick)
        self.controls.set_last(self.clock.last_tick, at)
        for shown, play in zip(self.animation_views, [*made, None][:2], strict=True):
            shown.setVisible(play is not None)
            shown.show_animation(play)
        self._update_looks()
        self.show_tick(at)

    def _show_nothing(self, why: str) -> None:
        self.clock = SharedClock((), self.clock_unit)
        self.controls.set_last(0, 0)
        for number, stage in enumerate(self.animation_views):
            stage.setVisible(not number)
            stage.show_animation(None)
        self.form.show_error(why)

    def _change_clock(self) -> None:
        step = self.clock.steps_at(self.controls.step)[0] if self.animations else -1
        self.clock = SharedClock(self.animations, self.clock_unit)
        self._show_page()
        self.controls.set_last(self.clock.last_tick, self.clock.tick_of(0, step) if self.animations else 0)
        self.show_tick(self.controls.step)

    def _show_page(self) -> None:
        measured = self.clock_box.currentData() == BY_MEASURED
        self._pages.setCurrentIndex(int(measured))
        self.measured_runs.show_methods(
            [method for method in (self.first_method, self.second_method) if method is not None]
        )
        for widget in (self.form, self.colouring_box, self.path_box, self.cell_detail):
            widget.setVisible(not measured)

    def _update_looks(self) -> None:
        of_paths = self.colouring_box.currentData() == "paths"
        self.best_paths_bar.setVisible(of_paths)
        if of_paths and self.animations and self.best_paths_bar.animation is not self.animations[0]:
            self.best_paths_bar.show_animation(self.animations[0])
        for number, stage in enumerate(self.animation_views):
            shares = self.best_paths_bar.cell_shares() if of_paths and not number else {}
            meaning, path = (
                PlayLook().meaning if number else self.best_paths_bar.shares_meaning,
                self.path_box.isChecked(),
            )
            colouring = self.colouring_box.currentData()
            stage.look = replace(stage.look, colouring=colouring, path=path, shares=shares, meaning=meaning)
            stage.update_view()

    def _on_cell_pointed(self, number: int) -> None:
        self.last_view = number
        self._show_detail()

    def _show_detail(self) -> None:
        number = min(self.last_view, len(self.animations) - 1)
        if number >= 0:
            self.cell_detail.show_look(self.animations[number], self.animation_views[number].look)

    def _lay_out(self) -> None:
        inner = QWidget()
        choices = self.method_box, self.second_box, self.clock_box, self.colouring_box, self.path_box
        side = column_of(*choices, self.form, (self.cell_detail, 100), parent=inner)
        side.addStretch(1)
        self.form.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        card = Card("Animation")
        card.setFixedWidth(SIDE_WIDTH)
        scene = tool_button(
            "Scene\u2026", "Add this to the open lecture", lambda: self.scene_wanted.emit(self.make_scene())
        )
        card.header.addWidget(scene)
        card.header.addWidget(tool_button("Copy", "Copy the picture", self.copy_figure))
        save = tool_button("", "Save this step, an animation, or an HTML page", self.save_animation)
        set_icon(save, "save")
        card.header.addWidget(save)
        card.box.addWidget(VerticalScrollArea(inner), 1)
        middle, animated, self._pages = Card(""), QWidget(), QStackedWidget()
        middle.heading.hide()
        views = row_of(*((stage, 1) for stage in self.animation_views), spacing=2 * theme.SPACING)
        column_of((views, 1), self.best_paths_bar, self.controls, parent=animated)
        self.animation_views[1].hide()
        self.best_paths_bar.hide()
        self._pages.addWidget(animated)
        self._pages.addWidget(self.measured_runs)
        middle.box.addWidget(self._pages, 1)
        holder, self.folding = fold_page_side(self, card, SIDE_WIDTH)
        guard_from_wheel(card)
        row_of((middle, 1), holder, parent=self)
