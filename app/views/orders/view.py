"""OrdersView: LAYERED and SLOPED side by side, stepping through the same chunk."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QSpinBox, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export, result_text
from antidiag.app.kit.cube import data
from antidiag.app.kit.flow import ToolRow, together
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Elided, tool_button
from antidiag.app.views.orders.data import Cell, Order, formula
from antidiag.app.views.orders.panel import OrderPanel
from antidiag.kernels.model import Result
from antidiag.kernels.triple import sizes

TICK_MS = 160
SMALL, LAYERS = 4, 6
WIDEST, DEEPEST = 10, 16
"""Cells across and layers of the chunk that is shown, at first and at most."""
HINT = "Both compute the same cells. Space plays, the arrow keys step; a cell is outlined with those that it needs"
FIGURE = QSize(900, 560)


class OrdersView(QWidget):
    """A small chunk, computed in both orders; and what the count of steps is in the chunks of this run."""

    id = "orders"
    title = "Layered, sloped"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.found: data.Chunks | None = None
        self.panels = OrderPanel(True), OrderPanel(False)
        self._timer = QTimer(self, interval=TICK_MS)
        self._run, self._status = QLabel(), Elided(HINT)
        self._run.setWordWrap(True)
        self._build()
        self._connect()
        self._show_chunk()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return data.is_triple(result)

    @property
    def step(self) -> int:
        """The step that is shown, from 0."""
        return self.slider.value()

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def show_result(self, result: Result | None) -> None:
        """Take the chunks of a result; the small chunk stays as it is."""
        self.result = result if result is not None and self.shows(result) else None
        self.found = data.chunks(self.result) if self.result else None
        self.pause()
        self._tell_run()

    def play(self) -> None:
        """Step on by itself, from the start again after the end."""
        if self.step >= self.slider.maximum():
            self.slider.setValue(0)
        self._timer.start()
        self._play.setText("Pause")

    def pause(self) -> None:
        self._timer.stop()
        self._play.setText("Play")

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Both orders, for a file."""
        half = (area.width() - theme.SPACING) / 2
        for number, panel in enumerate(self.panels):
            panel.draw(painter, QRectF(number * (half + theme.SPACING), 0, half, area.height()))

    def figure_size(self) -> QSize:
        """As wide as a page; the layers need the height."""
        return FIGURE

    def save(self) -> None:
        """Ask for a file and write the figure as PNG or SVG."""
        export.ask_and_save(self, "orders", FIGURE, self.draw_figure, "LAYERED and SLOPED")

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        export.copy(FIGURE, self.draw_figure)

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.pause()

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_Space:
            self._toggle()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._move(1 if event.key() == Qt.Key.Key_Right else -1)
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.s, self.layers = QSpinBox(), QSpinBox()
        for number, value, most in ((self.s, SMALL, WIDEST), (self.layers, LAYERS, DEEPEST)):
            number.setRange(1, most)
            number.setValue(value)
        self.s.setAccessibleName("Chunk width s")
        self.layers.setAccessibleName("Layers")
        self.layers.setToolTip("Layers of the chunk: |S2| + 1")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Step")
        self._play = tool_button("Play", "Play the steps (Space)", self._toggle)
        tools = QWidget()
        row = ToolRow(tools)
        for text, number in (("s ", self.s), ("Layers ", self.layers)):
            label = QLabel(text)
            label.setMinimumHeight(number.sizeHint().height())
            row.addWidget(together(label, number))
        row.addWidget(tool_button("\u2212 1", "One step back (Left)", lambda: self._move(-1)))
        row.addWidget(self._play)
        row.addWidget(tool_button("+ 1", "One step on (Right)", lambda: self._move(1)))
        row.addWidget(tool_button("Copy", "Copy the figure", self.copy))
        row.addWidget(tool_button("Save\u2026", "Save the figure as PNG or SVG", self.save))
        sides = QHBoxLayout()
        sides.setSpacing(theme.SPACING)
        for panel in self.panels:
            sides.addWidget(panel, 1)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addWidget(tools)
        box.addWidget(self.slider)
        box.addLayout(sides, 1)
        box.addWidget(self._run)
        box.addWidget(self._status)

    def _connect(self) -> None:
        self.s.valueChanged.connect(self._show_chunk)
        self.layers.valueChanged.connect(self._show_chunk)
        self.slider.valueChanged.connect(self._on_step)
        self._timer.timeout.connect(self._tick)
        for panel in self.panels:
            panel.hovered.connect(self._on_cell)
        self.selection.strip_changed.connect(lambda _: self._tell_run())
        theme.notifier.changed.connect(self.update)

    def _show_chunk(self) -> None:
        """A chunk of another size, from its first step."""
        self.pause()
        for panel in self.panels:
            panel.show_order(Order(panel.order.layered, self.s.value(), self.s.value(), self.layers.value()))
        self.slider.setRange(0, self.panels[0].order.steps)
        self.slider.setValue(0)
        self._on_step(0)
        self._tell_run()

    def _on_step(self, step: int) -> None:
        for panel in self.panels:
            panel.show_step(step)

    def _tick(self) -> None:
        self._move(1, stays=True)
        if self.step >= self.slider.maximum():
            self.pause()

    def _move(self, by: int, stays: bool = False) -> None:
        if not stays:
            self.pause()
        self.slider.setValue(self.step + by)

    def _toggle(self) -> None:
        self.pause() if self.playing else self.play()

    def _on_cell(self, cell: Cell | None) -> None:
        for panel in self.panels:
            panel.show_cell(cell)
        if cell is None:
            self._status.setText(HINT)
        else:
            steps = (f"{panel.order.name} in step {panel.order.step_of[cell] + 1:,}" for panel in self.panels)
            self._status.setText(f"cell ({cell[0]}, {cell[1]}, {cell[2]}) of the chunk   {'   '.join(steps)}")

    def _tell_run(self) -> None:
        """The counts of steps of the small chunk, and of one of this run."""
        layered, sloped = (panel.order for panel in self.panels)
        told = [f"Here: LAYERED {formula(layered)} steps, SLOPED {formula(sloped)}."]
        if self.found is not None:
            number = self.selection.strip
            known = number is not None and 0 <= number < self.found.count
            box = self.found.box(number if known else 0)
            sizes = (int(box[1] - box[0]), int(box[3] - box[2]), int(box[5]))
            layered, sloped = Order(True, *sizes), Order(False, *sizes)
            shape = f" {result_text.TIMES} ".join(f"{size:,}" for size in sizes)
            what = f"Chunk {number:,}" if known else "A chunk"
            told.append(
                f"{what} of this run has {shape} cells: LAYERED {formula(layered)} steps, SLOPED {formula(sloped)}; "
                f"LAYERED takes {layered.steps / sloped.steps:.1f} times as many."
            )
            told.append(self._told_of_kernel())
        self._run.setText("\n".join(told))

    def _told_of_kernel(self) -> str:
        """The steps that the device really takes for a chunk: a thread may have several cells in one."""
        result = self.result
        if result is None or not result.parameters.get("s"):
            return "This method goes cell by cell, in no such order."
        if result.backend != "cuda":
            return "On a CPU the cells of a step are the lanes of vectors, so that a step takes several instructions."
        mapping = result.parameters.get("mapping", "tiles")
        given = result.method, result.problem, result.parameters
        layered, sloped = (sizes.device_steps(*given, layered=order) for order in (True, False))
        of = f"{layered.tile} {result_text.TIMES} {layered.tile} cells" if layered.tile > 1 else "one cell"
        return (
            f"The kernel of this run has {of} of a layer for a thread and step (mapping = {mapping}): "
            f"LAYERED {layered.steps:,} steps with {layered.busy:,} of "
            f"{layered.threads:,} threads busy at most, SLOPED {sloped.steps:,} with {sloped.busy:,} of "
            f"{sloped.threads:,}."
        )
