"""JoinsView: how a tree was joined, as an animation with the distance matrix beside it."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QMenu, QSizePolicy, QSlider, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export, figure, heat
from antidiag.app.kit.flow import ToolRow
from antidiag.app.kit.legend import Legend, LegendItem
from antidiag.app.kit.result_text import number
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import choice_actions, label, menu_button, tool_button
from antidiag.app.views.joins import paint
from antidiag.app.views.joins.paint import Moment, Places
from antidiag.app.views.joins.scene import MOST_TAXA, scene
from antidiag.kernels.model import Result
from antidiag.kernels.trees.problem import TreeProblem

SPEEDS = {"0.25": "\u00bc join a second", "0.5": "\u00bd join a second", "1": "1 join a second",
          "2": "2 joins a second", "5": "5 joins a second", "20": "20 joins a second"}  # fmt: skip
FRAME_MS = 33
KEYS = {
    Qt.Key.Key_Space: "toggle", Qt.Key.Key_Right: "forward", Qt.Key.Key_Left: "back",
    Qt.Key.Key_Home: "first", Qt.Key.Key_End: "last",
}  # fmt: skip


class JoinsCanvas(QWidget):
    """Draws a moment. ``hovered`` and ``clicked`` give the two clusters of a cell, or one twice for a row."""

    hovered = Signal(object)
    clicked = Signal(object, object)
    key = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.moment: Moment | None = None
        self.places: Places | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(120)
        self.setAccessibleName("Joins of the tree, and distances of its clusters")

    def cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """The clusters of the row and the column under a place; beside the matrix the row's cluster twice."""
        if self.moment is None or self.places is None:
            return None
        found, at, taxa = self.places, self.moment.at, len(self.moment.scene.names)
        row = found.row_at(place.y())
        column = int((place.x() - found.matrix.left()) // found.row)
        if not 0 <= row < taxa or column >= taxa:
            return None
        first = self.moment.scene.node_of(row, at)
        return first, self.moment.scene.node_of(column, at) if column >= 0 else first

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        if self.moment is None:
            return
        self.places = paint.paint(painter, self.moment, self.width(), self.height(), theme.active())
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(theme.active().accent))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def mouseMoveEvent(self, event) -> None:
        self.hovered.emit(self.cell_at(event.position()))

    def mousePressEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.cell_at(event.position()), event.modifiers())

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def event(self, event: QEvent) -> bool:
        # The arrows are of the animation while it has the focus, not of the window.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in KEYS:
            self.key.emit(KEYS[Qt.Key(event.key())])
        else:
            event.ignore()


class JoinsView(QWidget):
    """The order of the joins: play, step, slide; the clusters and their distances are linked with all views."""

    id = "joins"
    title = "Joins"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.map_name = "viridis"
        self.canvas, self._legend, self.told = JoinsCanvas(), Legend(), label(wrap=True)
        self._clock = QTimer(self, interval=FRAME_MS)
        self._clock.timeout.connect(self._tick)
        self._before = 0.0
        self._build()
        self.canvas.hovered.connect(self._on_hover)
        self.canvas.clicked.connect(self._on_click)
        self.canvas.key.connect(lambda name: getattr(self, name)())
        selection.taxa_changed.connect(self._on_taxa)
        theme.notifier.changed.connect(self.canvas.update)
        self.show_result(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(result.problem, TreeProblem) and 2 <= result.problem.taxa <= MOST_TAXA

    @property
    def moment(self) -> Moment | None:
        return self.canvas.moment

    @property
    def playing(self) -> bool:
        return self._clock.isActive()

    def show_result(self, result: Result | None) -> None:
        """Show the joins of a result from the first one, or nothing; what is there already stays as it is."""
        found = result if result is not None and self.shows(result) else None
        if found is None or found is not self.result:
            self.pause()
            self.canvas.moment = None
            if found is not None:
                made = scene(found.problem.matrix, found.answer.joins)
                self.canvas.moment = Moment(made, map_name=self.map_name, chosen=self.selection.taxa)
                self.what.setEnabled(not made.average)
                self.what.setCurrentIndex(0)
                self.slider.setRange(0, made.end)
        self.result = found
        self._tools.setEnabled(found is not None)
        self.go_to(self.moment.time if self.moment else 0)

    def go_to(self, at: float) -> None:
        """Show the moment after so many joins."""
        if self.moment is not None:
            self.moment.time = min(max(at, 0.0), float(self.moment.scene.end))
            if not set(self.moment.hovered or ()) <= set(self.moment.scene.step(self.moment.at).nodes):
                self.moment.hovered = None
            self.slider.blockSignals(True)
            self.slider.setValue(self.moment.at)
            self.slider.blockSignals(False)
        self._tell()
        self.canvas.update()

    def play(self) -> None:
        """Go on from here, or from the first join where all are made."""
        if self.moment is None or self.playing:
            return
        if self.moment.at >= self.moment.scene.end:
            self.go_to(0)
        self._before = time.monotonic()
        self._clock.start()
        self.play_button.setText("Pause")

    def pause(self) -> None:
        self._clock.stop()
        self.play_button.setText("Play")

    def toggle(self) -> None:
        self.pause() if self.playing else self.play()

    def step(self, by: int) -> None:
        """One join further, or back."""
        self.pause()
        if self.moment is not None:
            self.go_to(self.moment.at + by)

    def forward(self) -> None:
        self.step(1)

    def back(self) -> None:
        self.step(-1)

    def first(self) -> None:
        self.pause()
        self.go_to(0)

    def last(self) -> None:
        self.pause()
        self.go_to(self.slider.maximum())

    def set_criterion(self, on: bool) -> None:
        """Show what neighbor joining compares in place of the distances."""
        if self.moment is not None:
            self.moment.criterion = on
        self._tell()
        self.canvas.update()

    def set_map(self, name: str) -> None:
        self.map_name = name
        if self.moment is not None:
            self.moment.map_name = name
        self._tell()
        self.canvas.update()

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """What is seen, with its words and legend, for a file."""
        figure.draw(painter, area, self.told.text(), self._legend.items, self._draw)

    def figure_size(self) -> QSize:
        return figure.size(self.canvas.width(), self.canvas.height(), self._legend.items)

    def copy(self) -> None:
        """Put the picture on the clipboard."""
        export.copy(self.figure_size(), self.draw_figure)

    def save(self) -> None:
        """Ask for a file and write the picture."""
        export.ask_and_save(self, "joins", self.figure_size(), self.draw_figure, self.told.text())

    def hideEvent(self, event) -> None:
        self.pause()
        super().hideEvent(event)

    def _build(self) -> None:
        self.play_button = tool_button("Play", "Play or pause (Space)", self.toggle)
        self.speed, self.what = QComboBox(), QComboBox()
        for value, text in SPEEDS.items():
            self.speed.addItem(text, float(value))
        self.speed.setCurrentIndex(list(SPEEDS).index("1"))
        self.speed.setAccessibleName("Speed of the animation")
        self.what.addItems(["Distances", "Criterion Q"])
        self.what.setToolTip("What the matrix shows: distances of clusters, or Q, which is least for the pair joined")
        self.what.setAccessibleName("What the matrix shows")
        self.what.currentIndexChanged.connect(lambda index: self.set_criterion(index == 1))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Joins made")
        self.slider.valueChanged.connect(self._on_slide)
        self._count = QLabel()
        maps = QMenu(self)
        choice_actions(maps, "Colour map", heat.MAPS, self.map_name, self.set_map)
        self._tools = QWidget()
        box = QVBoxLayout(self._tools)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        upper, below = QHBoxLayout(), QWidget()
        lower = ToolRow(below)
        for widget in (
            tool_button("|\u25c0", "The first join (Home)", self.first),
            tool_button("\u25c0", "One join back (Left)", self.back),
            self.play_button,
            tool_button("\u25b6", "One join further (Right)", self.forward),
            tool_button("\u25b6|", "The last join (End)", self.last),
        ):
            upper.addWidget(widget)
        upper.addWidget(self.slider, 1)
        upper.addWidget(self._count)
        lower.addWidget(self.speed)
        lower.addWidget(self.what)
        lower.addWidget(menu_button("Colours", "Colours of the matrix", maps))
        lower.addWidget(tool_button("Copy", "Copy the picture", self.copy))
        lower.addWidget(tool_button("Save\u2026", "Save the picture as PNG, SVG or PDF", self.save))
        box.addLayout(upper)
        box.addWidget(below)
        column = QVBoxLayout(self)
        column.setSpacing(theme.SPACING)
        column.addWidget(self._tools)
        column.addWidget(self.told)
        column.addWidget(self.canvas, 1)
        column.addWidget(self._legend)
        self.told.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.told.setAlignment(Qt.AlignmentFlag.AlignTop)

    def _draw(self, painter: QPainter, width: float, height: float) -> None:
        paint.paint(painter, self.moment, width, height, theme.active())

    def _tick(self) -> None:
        now = time.monotonic()
        passed, self._before = now - self._before, now
        self.go_to(self.moment.time + passed * float(self.speed.currentData()))
        if self.moment.time >= self.moment.scene.end:
            self.pause()

    def _on_slide(self, value: int) -> None:
        self.pause()
        self.go_to(value)

    def _tell(self) -> None:
        moment = self.moment
        if moment is None:
            for widget in (self.told, self._count):
                widget.setText("")
            self._legend.show_items(())
            return
        at, end = moment.at, moment.scene.end
        self._count.setText(f"{at:,} of {end:,}")
        self.told.setText(self._about(moment.hovered) if moment.hovered else moment.scene.text(at))
        what = "Q" if moment.criterion and not moment.scene.average else "distance"
        low, high = (number(float(heat.short(level).replace("\u2212", "-"))) for level in moment.levels(at))
        items = [LegendItem("gradient", f"{what} {low} to {high}", heat.swatches(moment.map_name))]
        if moment.scene.coming(at):
            items.append(LegendItem("outline", "joined next", (theme.active().path,)))
        self._legend.show_items(tuple(items))

    def _about(self, pair: tuple[int, int]) -> str:
        """The distance, and for neighbor joining Q, of two clusters."""
        scene_, at = self.moment.scene, self.moment.at
        step, names = scene_.step(at), [scene_.label(node) for node in pair]
        if pair[0] == pair[1]:
            count = len(scene_.taxa(pair[0]))
            return f"{names[0]}: a cluster of {count:,} taxa" if count > 1 else names[0]
        i, j = (step.nodes.index(node) for node in pair)
        told = f"{names[0]} and {names[1]}: distance {heat.short(float(step.values[i, j]))}"
        return told if scene_.average else f"{told}, Q {heat.short(float(step.criterion[i, j]))}"

    def _on_hover(self, pair: tuple[int, int] | None) -> None:
        if self.moment is not None and self.moment.hovered != pair:
            self.moment.hovered = pair
            self._tell()
            self.canvas.update()

    def _on_click(self, pair: tuple[int, int] | None, modifiers: Qt.KeyboardModifier) -> None:
        if self.moment is None:
            return
        names = {name for node in pair or () for name in self.moment.scene.taxa(node)}
        more = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        self.selection.choose_taxa(names | self.selection.taxa if modifiers & more else names)

    def _on_taxa(self, names: frozenset[str]) -> None:
        if self.moment is not None:
            self.moment.chosen = names
            self.canvas.update()
