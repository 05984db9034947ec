"""One order of computing a chunk, drawn: the chunk as a solid, its layers side by side, and the cells of each step."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit import ink
from antidiag.app.kit.cube import colours as cube_colours
from antidiag.app.kit.cube import drawing
from antidiag.app.kit.cube import scene as cube_scene
from antidiag.app.kit.cube.drawing import Eye, Projection
from antidiag.app.kit.cube.scene import Scene, Sheet, Stroke
from antidiag.app.views.orders.data import Cell, Order

SOLID, CURVE = 0.4, 0.16
"""Shares of the height for the solid and for the curve."""
GAP = 8
LARGEST_CELL, NUMBERED_CELL = 34, 17
"""Pixels of a cell at most, and from which its step is written in it."""


class OrderPanel(QWidget):
    """Shows how far a chunk is computed after a step. ``hovered(cell)``: the cell under the mouse, or None."""

    hovered = Signal(object)

    def __init__(self, layered: bool) -> None:
        super().__init__()
        self.order = Order(layered, 1, 1, 1)
        self.step = 0
        self.cell: Cell | None = None
        self.setMouseTracking(True)
        self.setMinimumSize(180, 240)
        self.setAccessibleName(f"Order of {self.order.name}")

    def sizeHint(self) -> QSize:
        return QSize(420, 480)

    def show_order(self, order: Order) -> None:
        self.order, self.cell = order, None
        self.show_step(0)

    def show_step(self, step: int) -> None:
        """Show the chunk after a step, from 0; beyond the last one all is computed."""
        self.step = step
        self.setAccessibleDescription(self.told())
        self.update()

    def show_cell(self, cell: Cell | None) -> None:
        """Mark a cell and what it needs."""
        self.cell = cell
        self.update()

    def told(self) -> str:
        """'Step 12 of 84: 3 cells', or that it is done."""
        if self.step >= self.order.steps:
            return f"done after {self.order.steps:,} steps"
        width = int(self.order.widths[self.step])
        return f"step {self.step + 1:,} of {self.order.steps:,}: {width:,} cell{'s' * (width != 1)} at once"

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Heading, solid, layers and curve in an area."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = painter.fontMetrics().height()
        self._draw_heading(painter, area)
        top = area.top() + 2 * line + GAP
        room = area.bottom() - top
        self._draw_solid(painter, QRectF(area.left(), top, area.width(), SOLID * room))
        boxes = self._boxes(area)
        for cell, box in boxes.items():
            self._draw_cell(painter, cell, box)
        self._draw_names(painter, boxes)
        self._draw_marks(painter, boxes)
        height = CURVE * room
        self._draw_curve(painter, QRectF(area.left() + GAP, area.bottom() - height, area.width() - 2 * GAP, height - 2))

    def cell_at(self, place: QPointF) -> Cell | None:
        """The cell of a layer under a place."""
        found = self._boxes(QRectF(self.rect())).items()
        return next((cell for cell, box in found if box.contains(place)), None)

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        self.draw(painter, QRectF(self.rect()))

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
        painter.drawText(name.translated(0, line), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, self.told())

    def _colours(self) -> np.ndarray:
        """Colour (ARGB) of every cell: by its step, the newest ones lit, those to come like the background."""
        steps, active = self.order.step_of, theme.active()
        lut = cube_colours.argb(cube_colours.lut())
        shades = lut[steps * 255 // max(self.order.steps - 1, 1)]
        shades = np.where(steps > self.step, QColor(active.hover).rgba(), shades)
        return np.where(steps == self.step, QColor(active.recomputed).rgba(), shades).astype(np.uint32)

    def _draw_solid(self, painter: QPainter, area: QRectF) -> None:
        """The sides of the chunk towards the viewer."""
        order, colours = self.order, self._colours()
        i, j, k = (float(size) for size in (order.rows, order.columns, order.layers))
        faces = (
            (np.zeros(3), np.array([0, j, 0]), np.array([i, 0, 0]), colours[:, :, 0]),
            (np.array([i, 0, 0]), np.array([0, j, 0]), np.array([0, 0, k]), colours[-1].T),
            (np.array([0, j, 0]), np.array([i, 0, 0]), np.array([0, 0, k]), colours[:, -1].T),
        )
        sheets = tuple(Sheet("side", corner, u, v, np.ascontiguousarray(pixels)) for corner, u, v, pixels in faces)
        cells = order.rows, order.columns, order.layers
        lines = Stroke("borders", _lattice(cells), theme.active().panel, 1.0, pairs=True)
        scene, eye = Scene(cells, sheets, (lines,)), Eye()
        projection = Projection(scene, eye, area.adjusted(GAP, 0, -GAP, -GAP))
        painter.save()
        drawing.draw(painter, scene, projection, ("", "", ""), eye)
        if self.cell is not None:
            box = np.array([edge for place in self.cell for edge in (place, place + 1)])
            marked = Stroke("lit", cube_scene.box_edges(box[None, :]), theme.active().text, 1.5, pairs=True)
            drawing.draw_marks(painter, (marked,), projection)
        painter.restore()

    def _boxes(self, area: QRectF) -> dict[Cell, QRectF]:
        """Where every cell is drawn: layers in as many lines as give the largest cells."""
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

    def _draw_cell(self, painter: QPainter, cell: Cell, box: QRectF) -> None:
        active, step = theme.active(), int(self.order.step_of[cell])
        done, now = step <= self.step, step == self.step
        lut = cube_colours.lut()
        colour = QColor(*lut[step * 255 // max(self.order.steps - 1, 1)].tolist())
        fill = QColor(active.recomputed) if now else colour if done else QColor(active.hover)
        painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), fill)
        if box.width() >= NUMBERED_CELL:
            font = painter.font()
            font.setPixelSize(max(int(box.width() * 0.42), 8))
            painter.save()
            painter.setFont(font)
            painter.setPen(ink.on(fill) if done or now else QColor(active.muted))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{step + 1}")
            painter.restore()

    def _draw_marks(self, painter: QPainter, boxes: dict[Cell, QRectF]) -> None:
        """Outline the cell that is pointed at, and those that it needs."""
        active = theme.active()
        for cell in (*self.order.sources(self.cell), self.cell) if self.cell is not None else ():
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
        """Cells of each step, as many steps across as the slower order takes, and where we are."""
        active, widths = theme.active(), self.order.widths
        line = painter.fontMetrics().height()
        painter.setPen(QColor(active.muted))
        mean = f"{self.order.cells / self.order.steps:,.1f} on average"
        words = next(
            (text for text in (f"cells at once, step by step; {mean}", f"cells at once; {mean}")
             if painter.fontMetrics().horizontalAdvance(text) <= area.width()),
            mean,
        )  # fmt: skip
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, words)
        plot = area.adjusted(0, line + 2, 0, 0)
        slowest = Order(True, self.order.rows, self.order.columns, self.order.layers).steps
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
        x = plot.left() + (min(self.step, self.order.steps - 1) + 0.5) * wide
        painter.setPen(QPen(QColor(active.recomputed), max(min(wide, 4), 2)))
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))


def _lattice(cells: tuple[int, int, int]) -> np.ndarray:
    """Borders of the cells on the three sides towards the viewer, two points a line."""
    i, j, k = cells
    ends: list[tuple[int, int, int]] = []
    for row in range(i + 1):
        ends += [(row, 0, 0), (row, j, 0), (row, j, 0), (row, j, k)]
    for column in range(j + 1):
        ends += [(0, column, 0), (i, column, 0), (i, column, 0), (i, column, k)]
    for layer in range(k + 1):
        ends += [(i, 0, layer), (i, j, layer), (0, j, layer), (i, j, layer)]
    return np.array(ends, float)
