"""OrdersView: LAYERED and SLOPED side by side on the same chunk, step by step."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.flow_layouts import group_widgets
from antidiag.app.kit.controls.player import Player
from antidiag.app.kit.controls.spin_boxes import SpinBox
from antidiag.app.kit.cube import cube_chunks
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.app.views.orders.order_panel import OrderPanel
from antidiag.kernels import registry
from antidiag.kernels.model import Result
from antidiag.kernels.triple import sizes
from antidiag.kernels.triple.chunk_order import Cell, ChunkOrder, steps_formula
from antidiag.kernels.triple.parameters import ChunkParameters

STEPS_PER_SECOND = 6.0
SMALL, LAYERS = 4, 6
WIDEST, MOST_LAYERS = 10, 16  # largest width and largest number of layers of the chunk that is shown
HINT = "Both compute the same cells. Space plays, arrow keys step. Point at a cell to outline the cells it needs."
FIGURE = QSize(900, 560)


class OrdersView(PaintedView):
    """A small chunk computed in both orders, with the number of steps for it and for the chunks of this run."""

    id = "orders"
    title = "Layered, sloped"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.chunks: cube_chunks.CubeChunks | None = None
        self.panels = OrderPanel(True), OrderPanel(False)
        self.counts_label = QLabel(wordWrap=True)
        self.status.setText(HINT)
        self._build()
        self._connect()
        self._show_chunk()
        self.view_state.keep_number("s", self.s)
        self.view_state.keep_number("layers", self.layers)
        self.view_state.keep_player(self.player)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return cube_chunks.is_triple(result)

    def show_result(self, result: Result | None) -> None:
        """Show the number of steps for the chunks of a result; the small chunk stays as it is."""
        self.result = result if result is not None and self.shows(result) else None
        self.chunks = cube_chunks.collect_chunks(self.result) if self.result else None
        self.player.pause()
        self._show_counts()

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw both orders, for a file."""
        half = (area.width() - theme.SPACING) / 2
        for number, panel in enumerate(self.panels):
            panel.draw_order(painter, QRectF(number * (half + theme.SPACING), 0, half, area.height()))

    def figure_size(self) -> QSize:
        """Return the size of the exported figure."""
        return FIGURE

    def figure_title(self) -> str:
        """Return the title of an exported figure."""
        return "LAYERED and SLOPED"

    def keyPressEvent(self, event) -> None:
        if not self.player.handle_key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _build(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.s, self.layers = SpinBox(), SpinBox()
        for number, value, most in ((self.s, SMALL, WIDEST), (self.layers, LAYERS, MOST_LAYERS)):
            number.setRange(1, most)
            number.setValue(value)
        self.s.setAccessibleName("Chunk width s")
        self.layers.setAccessibleName("Layers")
        self.layers.setToolTip("Layers of the chunk: |S2| + 1")
        self.player = Player("Step")
        self.player.offer_speeds({"": STEPS_PER_SECOND})
        for text, number in (("s ", self.s), ("Layers ", self.layers)):
            label = QLabel(text)
            label.setMinimumHeight(number.sizeHint().height())
            self.tools.addWidget(group_widgets(label, number))
        body, panels = QWidget(), group_widgets(*self.panels, spacing=theme.SPACING)
        column_of(self.player, (panels, 1), self.counts_label, parent=body)
        self.build_layout(body)

    def _connect(self) -> None:
        self.s.valueChanged.connect(self._show_chunk)
        self.layers.valueChanged.connect(self._show_chunk)
        self.player.moved.connect(self._show_step)
        for panel in self.panels:
            panel.hovered.connect(self._on_cell)
        self.selection.strip_changed.connect(lambda _: self._show_counts())

    def _show_chunk(self) -> None:
        self.player.pause()
        for panel in self.panels:
            panel.show_order(ChunkOrder(panel.order.layered, self.s.value(), self.s.value(), self.layers.value()))
        self.player.set_last(self.panels[0].order.step_count, 0)
        self._show_counts()

    def _show_step(self) -> None:
        for panel in self.panels:
            panel.show_step(self.player.step)

    def _on_cell(self, cell: Cell | None) -> None:
        for panel in self.panels:
            panel.show_cell(cell)
        if cell is None:
            self.status.setText(HINT)
        else:
            steps = (f"{panel.order.name} in step {panel.order.cell_steps[cell] + 1:,}" for panel in self.panels)
            self.status.setText(f"cell ({cell[0]}, {cell[1]}, {cell[2]}) of the chunk   {'   '.join(steps)}")

    def _show_counts(self) -> None:
        layered, sloped = (panel.order for panel in self.panels)
        lines = [f"Here: LAYERED {steps_formula(layered)} steps, SLOPED {steps_formula(sloped)}."]
        if self.chunks is not None:
            number = self.selection.strip
            known = number is not None and 0 <= number < self.chunks.count
            box = self.chunks.chunk_box(number if known else 0)
            sizes = (int(box[1] - box[0]), int(box[3] - box[2]), int(box[5]))
            layered, sloped = ChunkOrder(True, *sizes), ChunkOrder(False, *sizes)
            shape = f" {result_text.TIMES} ".join(f"{size:,}" for size in sizes)
            what = f"Chunk {number:,}" if known else "A chunk"
            lines.append(
                f"{what} of this run has {shape} cells: LAYERED {steps_formula(layered)} steps, SLOPED "
                f"{steps_formula(sloped)}; "
                f"LAYERED takes {layered.step_count / sloped.step_count:.1f} times as many."
            )
            lines.append(self._device_steps_text())
        self.counts_label.setText("\n".join(lines))

    def _device_steps_text(self) -> str:
        """Describe the steps that the device takes for a chunk, where a thread may compute several cells in a step."""
        result = self.result
        if result is None or not result.parameters.get("s"):
            return "This method computes one cell after another and uses neither order."
        if result.backend != "cuda":
            return "On a CPU, the cells of a step are computed in SIMD lanes; a step takes several instructions."
        mapping = result.parameters.get("mapping", "tiles")
        parameters = cast(ChunkParameters, registry.find_method(result.method).restore_parameters(result))
        layered, sloped = (
            sizes.count_device_steps(result.method, result.problem, parameters, layered=order)
            for order in (True, False)
        )
        tile = f"{layered.tile} {result_text.TIMES} {layered.tile} cells" if layered.tile > 1 else "one cell"
        return (
            f"In each step, a thread of this run's kernel computes {tile} of a layer (mapping = {mapping}): "
            f"LAYERED {layered.steps:,} steps with at most {layered.busy:,} of {layered.threads:,} threads busy, "
            f"SLOPED {sloped.steps:,} with {sloped.busy:,} of {sloped.threads:,}."
        )
