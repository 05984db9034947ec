"""Drawing of one order of computing a chunk: the chunk as a solid, its layers, and the number of cells per step."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit.cube import colour_map as cube_colours
from antidiag.app.kit.cube import drawing
from antidiag.app.kit.cube import scene as cube_scene
from antidiag.app.kit.cube.drawing import CubeProjection, CubeViewpoint
from antidiag.app.kit.cube.scene import CubeScene, CubeSheet, CubeStroke
from antidiag.app.kit.painting import fonts_and_colours
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.kernels.triple.chunk_order import Cell, ChunkOrder

SOLID, CURVE = 0.4, 0.16  # shares of the height of the solid and of the curve
GAP = 8
LARGEST_CELL, NUMBERED_CELL = 34, 17  # pixels: largest cell, smallest cell in which its step is written


class OrderPanel(QWidget):
    """A chunk and its cells computed so far. ``hovered(cell)`` sends the cell under the mouse, or None."""

    hovered = Signal(object)

    def __init__(self, layered: bool) -> None:
        super().__init__()
        self.order = ChunkOrder(layered, 1, 1, 1)
        self.step = 0
        self.cell: Cell | None = None
        self.setMouseTracking(True)
        self.setMinimumSize(180, 240)
        self.setAccessibleName(f"Order of {self.order.name}")

    def sizeHint(self) -> QSize:
        return QSize(420, 480)

    def show_order(self, order: ChunkOrder) -> None:
        """Show an order from its first step."""
        self.order, self.cell = order, None
        self.show_step(0)

    def show_step(self, step: int) -> None:
        """Show the chunk after a step, counted from 0; after the last step all cells are computed."""
        self.step = step
        self.setAccessibleDescription(self.step_text())
        self.update()

    def show_cell(self, cell: Cell | None) -> None:
        """Mark a cell and the cells that it needs."""
        self.cell = cell
        self.update()

    def step_text(self) -> str:
        """Return a text such as 'step 12 of 84: 3 cells at once'."""
        if self.step >= self.order.step_count:
            return f"done after {self.order.step_count:,} steps"
        width = int(self.order.step_widths[self.step])
        return f"step {self.step + 1:,} of {self.order.step_count:,}: {width:,} cell{'s' * (width != 1)} at once"

    def draw_order(self, painter: QPainter, area: QRectF) -> None:
        """Draw heading, solid, layers and curve into an area."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = painter.fontMetrics().height()
        self._draw_heading(painter, area)
        top = area.top() + 2 * line + GAP
        room = area.bottom() - top
        self._draw_solid(painter, QRectF(area.left(), top, area.width(), SOLID * room))
        boxes, colours = self._cell_boxes(area), self._cell_colours()
        for cell, box in boxes.items():
            self._draw_cell(painter, cell, box, QColor.fromRgb(int(colours[cell])))
        self._draw_names(painter, boxes)
        self._draw_marks(painter, boxes)
        height = CURVE * room
        self._draw_curve(painter, QRectF(area.left() + GAP, area.bottom() - height, area.width() - 2 * GAP, height - 2))

    def cell_at(self, place: QPointF) -> Cell | None:
        """Return the cell at a position, or None."""
        found = self._cell_boxes(QRectF(self.rect())).items()
        return next((cell for cell, box in found if box.contains(place)), None)

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        self.draw_order(painter, QRectF(self.rect()))

    def mouseMoveEvent(self, event) -> None:
        self.hovered.emit(self.cell_at(event.position()))

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)

    def _draw_heading(self, painter: QPainter, area: QRectF) -> None:
        line, active = painter.fontMetrics().height(), theme.active()
        font = painter.font()
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(active.text))
        name = area.adjusted(GAP, 4, -GAP, 0)
        painter.drawText(name, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, self.order.name)
        font.setBold(False)
        painter.setFont(font)
        painter.setPen(QColor(active.muted))
        text = painter.fontMetrics().elidedText(self.step_text(), Qt.TextElideMode.ElideRight, int(name.width()))
        painter.drawText(name.translated(0, line), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, text)

    def _cell_colours(self) -> np.ndarray:
        """Return the ARGB colour of every cell: by its step, lit in the current step, blank before it is computed."""
        steps, active = self.order.cell_steps, theme.active()
        lut = cube_colours.pack_argb(cube_colours.colour_table())
        shades = lut[steps * 255 // max(self.order.step_count - 1, 1)]
        shades = np.where(steps > self.step, QColor(active.hover).rgba(), shades)
        return np.where(steps == self.step, QColor(active.recomputed).rgba(), shades).astype(np.uint32)

    def _draw_solid(self, painter: QPainter, area: QRectF) -> None:
        order, colours = self.order, self._cell_colours()
        i, j, k = (float(size) for size in (order.rows, order.columns, order.layers))
        faces = (
            (np.zeros(3), np.array([0, j, 0]), np.array([i, 0, 0]), colours[:, :, 0]),
            (np.array([i, 0, 0]), np.array([0, j, 0]), np.array([0, 0, k]), colours[-1].T),
            (np.array([0, j, 0]), np.array([i, 0, 0]), np.array([0, 0, k]), colours[:, -1].T),
        )
        sheets = tuple(CubeSheet("side", corner, u, v, np.ascontiguousarray(pixels)) for corner, u, v, pixels in faces)
        cells = order.rows, order.columns, order.layers
        lines = CubeStroke("borders", _border_lines(cells), theme.active().panel, 1.0, pairs=True)
        scene, eye = CubeScene(cells, sheets, (lines,)), CubeViewpoint()
        projection = CubeProjection(scene, eye, area.adjusted(GAP, 0, -GAP, -GAP))
        with saved_painter_state(painter):
            drawing.draw_cube(painter, scene, projection, ("", "", ""), eye)
            if self.cell is not None:
                box = np.array([edge for place in self.cell for edge in (place, place + 1)])
                marked = CubeStroke("lit", cube_scene.box_edges(box[None, :]), theme.active().text, 1.5, pairs=True)
                drawing.draw_marks(painter, (marked,), projection)

    def _cell_boxes(self, area: QRectF) -> dict[Cell, QRectF]:
        """Return the rectangle of every cell; layers are in as many rows as give the largest cells."""
        line = self.fontMetrics().height()
        top = area.top() + 2 * line + GAP
        room = area.bottom() - top
        top += SOLID * room
        height = (1 - SOLID - CURVE) * room - GAP
        order = self.order
        best, across = 0.0, 1
        for count in range(1, order.layers + 1):
            lines = -(-order.layers // count)
            size = min(
                (area.width() - GAP * (count + 1)) / (count * order.columns),
                (height - lines * (line + 2)) / (lines * order.rows),
            )
            if size > best:
                best, across = size, count
        size = min(best, LARGEST_CELL)
        left = area.left() + (area.width() - across * (size * order.columns + GAP) + GAP) / 2
        boxes = {}
        for k in range(order.layers):
            down, right = divmod(k, across)
            x, y = left + right * (size * order.columns + GAP), top + line + down * (size * order.rows + line + 2)
            for i in range(order.rows):
                for j in range(order.columns):
                    boxes[i, j, k] = QRectF(x + j * size, y + i * size, size, size)
        return boxes

    def _draw_cell(self, painter: QPainter, cell: Cell, box: QRectF, fill: QColor) -> None:
        step = int(self.order.cell_steps[cell])
        painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), fill)
        if box.width() >= NUMBERED_CELL:
            font = painter.font()
            font.setPixelSize(max(int(box.width() * 0.42), 8))
            with saved_painter_state(painter):
                painter.setFont(font)
                painter.setPen(
                    fonts_and_colours.text_colour_on(fill) if step <= self.step else QColor(theme.active().muted)
                )
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{step + 1}")

    def _draw_marks(self, painter: QPainter, boxes: dict[Cell, QRectF]) -> None:
        active = theme.active()
        for cell in (*self.order.source_cells(self.cell), self.cell) if self.cell is not None else ():
            box = boxes[cell]
            width = 2.5 if cell == self.cell else 1.2
            for colour, wide in ((QColor(active.panel), width + 1.6), (QColor(active.text), width)):
                painter.setPen(QPen(colour, wide))
                painter.drawRect(box.adjusted(1.5, 1.5, -1.5, -1.5))

    def _draw_names(self, painter: QPainter, boxes: dict[Cell, QRectF]) -> None:
        painter.setPen(QColor(theme.active().muted))
        line = painter.fontMetrics().height()
        for (i, j, k), box in boxes.items():
            if (i, j) == (0, 0):
                place = QRectF(box.left(), box.top() - line, 80, line)
                painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, f"k = {k}")

    def _draw_curve(self, painter: QPainter, area: QRectF) -> None:
        """Draw the number of cells per step, on the time scale of the slower order, and mark the current step."""
        active, widths = theme.active(), self.order.step_widths
        line = painter.fontMetrics().height()
        painter.setPen(QColor(active.muted))
        mean = f"{self.order.cell_count / self.order.step_count:,.1f} on average"
        texts = (f"cells per step; {mean}", mean)
        words = next((text for text in texts if painter.fontMetrics().horizontalAdvance(text) <= area.width()), mean)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, words)
        plot = area.adjusted(0, line + 2, 0, 0)
        slowest = ChunkOrder(True, self.order.rows, self.order.columns, self.order.layers).step_count
        shortest, shorter, _ = sorted((self.order.rows, self.order.columns, self.order.layers))
        tallest = shortest * shorter
        wide, high = plot.width() / slowest, plot.height() / max(tallest, 1)
        outline = QPolygonF([plot.bottomLeft()])
        for step, width in enumerate(widths.tolist()):
            for edge in (step, step + 1):
                outline.append(QPointF(plot.left() + edge * wide, plot.bottom() - min(width * high, plot.height())))
        outline.append(QPointF(plot.left() + len(widths) * wide, plot.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(active.boundary))
        painter.drawPolygon(outline)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        x = plot.left() + (min(self.step, self.order.step_count - 1) + 0.5) * wide
        painter.setPen(QPen(QColor(active.recomputed), max(min(wide, 4), 2)))
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))


def _border_lines(cells: tuple[int, int, int]) -> np.ndarray:
    """Return the borders of the cells on the three sides that face the viewer, two points per line."""
    i, j, k = cells
    ends: list[tuple[int, int, int]] = []
    for row in range(i + 1):
        ends += [(row, 0, 0), (row, j, 0), (row, j, 0), (row, j, k)]
    for column in range(j + 1):
        ends += [(0, column, 0), (i, column, 0), (i, column, 0), (i, column, k)]
    for layer in range(k + 1):
        ends += [(i, 0, layer), (i, j, layer), (0, j, layer), (i, j, layer)]
    return np.array(ends, float)
