"""The matrix on the screen: image, axes, layers; mouse and keys zoom and pan."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QTransform

from antidiag.app.kit.plane import cells, matrix_picture
from antidiag.app.kit.plane.matrix_picture import MatrixFrame
from antidiag.app.kit.plane.profile_borders import ProfilePlane
from antidiag.app.kit.plots.axis import LABEL_HEIGHT, FastPlot, PlotAxis, create_plot, label_width
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.registry.matrix_values import Span

SETTLE_MS = 40
PAN, ZOOM = 0.15, 0.6
WHEEL = 1.002
"""Factor of the zoom for an eighth of a degree that the wheel turns; a notch has 120 of them."""
WIDEST_PLOT = 4000
# Draws over the image: visible part, its pixels, and whether to show the pointer.
Draw = Callable[[QPainter, MatrixFrame, QRectF, bool], None]


class MatrixViewBox(pg.ViewBox):
    """Drags move the matrix; with Shift they draw a window to zoom to. The wheel calls ``zoom_at(factor, place)``."""

    zoom_at: Callable[[float, QPointF], object]

    def wheelEvent(self, event, axis=None) -> None:
        if axis is not None:  # over an axis, which is zoomed alone
            super().wheelEvent(event, axis)
            return
        self.zoom_at(WHEEL ** -event.delta(), self.mapToView(event.pos()))
        event.accept()

    def mouseDragEvent(self, event, axis=None) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.setMouseMode(self.RectMode if shift else self.PanMode)
        super().mouseDragEvent(event, axis)


class LetterAxis(PlotAxis):
    """An axis of whole numbers from 0 to ``length``, with thousands separators."""

    length = 0
    _major_spacing = 0.0

    def tickSpacing(self, minimum, maximum, size):
        levels = [(max(spacing, 1), offset) for spacing, offset in super().tickSpacing(minimum, maximum, size)][:2]
        self._major_spacing = levels[0][0]
        return levels

    def tickStrings(self, values, scale, spacing):
        """Label as many major ticks as fit side by side; label minor ticks only if all of them fit."""
        upright = self.orientation in ("left", "right")
        low, high = sorted(self.range)
        room = (self.height() if upright else self.width()) / max(high - low, 1e-9) * spacing
        steps = (1, 2, 5, 10) if spacing >= self._major_spacing else (1,)
        needed = LABEL_HEIGHT if upright else label_width(self, (f"{round(value):,}" for value in values))
        every = next((step for step in steps if step * room >= needed), 0)
        return [f"{round(value):,}" if every and round(value / spacing) % every == 0 else "" for value in values]

    def tickValues(self, minimum, maximum, size):
        inside = max(min(minimum, maximum), 0), min(max(minimum, maximum), self.length)
        levels = super().tickValues(minimum, maximum, size)
        return [(spacing, [v for v in values if inside[0] <= v <= inside[1]]) for spacing, values in levels]


class MatrixOverlay(pg.GraphicsObject):
    """Draws everything over the image in pixels."""

    def __init__(self, draw: Draw, frame_of: Callable[[QTransform], MatrixFrame]) -> None:
        super().__init__()
        self._draw, self._frame_of = draw, frame_of
        self.shows_pointer = True

    def boundingRect(self) -> QRectF:
        return self.viewRect() or QRectF()

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()
        super().viewTransformChanged()

    def paint(self, painter: QPainter, *_) -> None:
        transform = painter.worldTransform()
        frame, view = self._frame_of(transform), transform.mapRect(self.boundingRect())
        painter.save()
        painter.setWorldTransform(QTransform())
        painter.setClipRect(view, Qt.ClipOperation.IntersectClip)
        self._draw(painter, frame, view, self.shows_pointer)
        painter.restore()


class MatrixPlot(FastPlot):
    """Shows cells 0..m x 0..n: images, and over them what ``draw`` draws. ``settled(rows, columns, pixels)`` follows a
    change of the window after a short rest; ``hovered(cell or None)``, ``clicked(cell)`` and ``zoomed_into(cell)`` (a
    double click) follow the mouse; ``key`` is sent with a key of the view, "f" also where there is no more to show.
    ``find_anchor(cell)`` returns the cell that stays where it is when the wheel turns at a cell."""

    settled = Signal(object, object, object)
    hovered = Signal(object)
    clicked = Signal(object)
    zoomed_into = Signal(object)
    key = Signal(str)

    def __init__(self, draw: Draw) -> None:
        axes = {"left": LetterAxis("left"), "bottom": LetterAxis("bottom")}
        super().__init__(create_plot(axes, MatrixViewBox(enableMenu=False)))
        self.box = self.getPlotItem().getViewBox()
        self.box.invertY(True)
        self.box.zoom_at = self._zoom_at
        self.find_anchor: Callable[[tuple[int, int]], tuple[int, int]] = lambda cell: cell
        self.lengths = (0, 0)
        self.border = 0
        self._images = [pg.ImageItem(axisOrder="row-major") for _ in range(2)]
        self._layers = MatrixOverlay(draw, self.visible_frame)
        for order, item in enumerate([*self._images, self._layers]):
            item.setZValue(order)
            self.addItem(item, ignoreBounds=True)
        self.hideButtons()
        self._rest = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._rest.timeout.connect(self._emit_settled)
        self.box.sigRangeChanged.connect(lambda *_: self._rest.start())
        self.scene().sigMouseMoved.connect(self._on_mouse_move)
        self.scene().sigMouseClicked.connect(self._on_mouse_click)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_plane(self, problem: PairProblem | ProfilePlane | None, names: tuple[str, str] = ("", "")) -> None:
        """Show another problem, still empty; ``names`` label the axes."""
        for image in self._images:
            image.clear()
        if problem is not None:
            self.lengths = len(problem.first), len(problem.second)
            for side, length in zip(("left", "bottom"), self.lengths, strict=True):
                self.getAxis(side).length = length
            self.setLabel("left", f"{names[0]} (i)")
            self.setLabel("bottom", f"{names[1]} (j)")
            self._limit_view()
        self.redraw_layers()

    @property
    def is_settling(self) -> bool:
        """Whether ``settled`` is still to come."""
        return self._rest.isActive()

    def settle_later(self) -> None:
        """Emit ``settled`` after a short rest."""
        self._rest.start()

    def redraw_layers(self) -> None:
        """Redraw the layers over the image."""
        self._layers.update()

    def show_image(self, number: int, rows: Span, columns: Span, tones: np.ndarray, lut: np.ndarray) -> None:
        """Show the overview (0) or the window (1): uint8 pixels of a range of cells, and their colours."""
        image = self._images[number]
        image.setImage(tones, levels=(0, 255), lut=lut)
        image.setRect(QRectF(columns[0] - 0.5, rows[0] - 0.5, columns[1] - columns[0], rows[1] - rows[0]))

    def clear_image(self, number: int) -> None:
        """Hide the overview (0) or the window (1)."""
        self._images[number].clear()

    def show_overview(self, shown: bool) -> None:
        """Set whether the overview is drawn around the window."""
        self._images[0].setVisible(shown)

    def visible_frame(self, transform: QTransform | None = None) -> MatrixFrame:
        """Return the visible part; ``transform`` leads from cells to pixels, by default of the widget."""
        if transform is None:
            transform = self.box.childTransform() * self.box.sceneTransform() * self.viewportTransform()
        (left, right), (top, bottom) = self.box.viewRange()
        rows, columns = (
            (max(int(np.floor(low + 0.5)), 0), min(int(np.ceil(high + 0.5)), length + 1))
            for low, high, length in ((top, bottom, self.lengths[0]), (left, right, self.lengths[1]))
        )
        return MatrixFrame(transform, rows, columns)

    def show_pointer(self, shown: bool) -> None:
        """Set whether the pointer is drawn; figures leave it out."""
        self._layers.shows_pointer = shown

    def show_all(self) -> None:
        """Show the whole matrix."""
        self.show_window((0, self.lengths[0] + 1), (0, self.lengths[1] + 1))

    def show_window(self, rows: Span, columns: Span) -> None:
        """Show half-open ranges of cells, none below the ``border``."""
        left, top = (
            self.border * (high - low) / max(room - self.border, 1)
            for (low, high), room in ((columns, self.box.width()), (rows, self.box.height()))
        )
        self.box.setRange(
            xRange=(columns[0] - 0.5 - left, columns[1] - 0.5),
            yRange=(rows[0] - 0.5 - top, rows[1] - 0.5),
            padding=0.02,
        )

    def show_cell(self, cell: tuple[int, int], pixels: float) -> None:
        """Centre a cell, ``pixels`` wide and high."""
        header = (max(cells.HEADER, self.border) + 8) / pixels if pixels >= matrix_picture.CELL_PIXELS else 0
        spans = (
            _range_around(centre, size / pixels, length, header)
            for centre, size, length in zip(
                cell[::-1], (self.box.width(), self.box.height()), self.lengths[::-1], strict=True
            )
        )
        self.box.setRange(**dict(zip(("xRange", "yRange"), spans, strict=True)), padding=0)

    def set_square(self, square: bool) -> None:
        """Keep cells square, or stretch the matrix over the plot."""
        self.box.setAspectLocked(square, 1)
        self._limit_view()

    def zoom_by(self, factor: float, centre: QPointF | None = None) -> None:
        """Zoom by a factor around a place, or the centre; what is larger than the matrix is not shown."""
        rect, (m, n) = self.box.viewRect(), self.lengths
        if factor > 1 and rect.width() * factor > n + 1 and rect.height() * factor > m + 1:
            self.key.emit("f")
            return
        self.box.scaleBy((factor, factor), centre)
        self.box.sigRangeChangedManually.emit(self.box.state["mouseEnabled"])

    def _zoom_at(self, factor: float, place: QPointF) -> None:
        """Zoom by the wheel; the cell below the pointer, or a cell of the path near it, stays where it is."""
        cell = round(place.y()), round(place.x())
        anchor = self.find_anchor(cell)
        self.zoom_by(factor, place if anchor == cell else QPointF(anchor[1], anchor[0]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves: dict[int, tuple[float, float]] = {
            Qt.Key.Key_Left: (-PAN, 0),
            Qt.Key.Key_Right: (PAN, 0),
            Qt.Key.Key_Up: (0, -PAN),
            Qt.Key.Key_Down: (0, PAN),
        }
        zooms: dict[int, float] = {Qt.Key.Key_Plus: ZOOM, Qt.Key.Key_Equal: ZOOM, Qt.Key.Key_Minus: 1 / ZOOM}
        if event.key() in moves:
            x, y = moves[event.key()]
            rect = self.box.viewRect()
            self.box.translateBy(x=x * rect.width(), y=y * rect.height())
            self.box.sigRangeChangedManually.emit(self.box.state["mouseEnabled"])
        elif event.key() in zooms:
            self.zoom_by(zooms[event.key()])
        elif (
            event.text().lower() in ("0", "f", "p", "1") and not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            self.key.emit(event.text().lower())
        else:
            event.ignore()

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_rest"):
            self._rest.start()

    def cell_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return the cell at a place of the scene, or None outside of the matrix."""
        if not self.box.sceneBoundingRect().contains(position):
            return None
        point = self.box.mapSceneToView(position)
        cell = round(point.y()), round(point.x())
        return cell if all(0 <= x <= length for x, length in zip(cell, self.lengths, strict=True)) else None

    def _limit_view(self) -> None:
        """Let the matrix leave the view, but not get lost."""
        m, n = self.lengths
        square = self.box.state["aspectLocked"] is not False
        margin = 4 * max(m, n) + WIDEST_PLOT if square else max(m, n) / 4 + 4
        self.box.setLimits(xMin=-margin, xMax=n + margin, yMin=-margin, yMax=m + margin, minXRange=3, minYRange=3)

    def _emit_settled(self) -> None:
        frame = self.visible_frame()
        area, ratio = frame.visible_area, self.devicePixelRatioF()
        pixels = max(round(area.height() * ratio), 1), max(round(area.width() * ratio), 1)
        self.settled.emit(frame.rows, frame.columns, pixels)

    def _on_mouse_move(self, position: QPointF) -> None:
        self.hovered.emit(self.cell_at(position))

    def _on_mouse_click(self, event) -> None:
        cell = self.cell_at(event.scenePos())
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if cell is not None:
            (self.zoomed_into if event.double() else self.clicked).emit(cell)
        elif event.double():
            self.key.emit("f")


def _range_around(centre: float, size: float, length: int, margin: float) -> tuple[float, float]:
    """Return a range of ``size`` cells around ``centre``, moved to show mostly the cells 0..length."""
    low, high = -0.5 - margin, length + 0.5 + margin
    start = min(max(centre - size / 2, low), high - size) if size < high - low else (low + high - size) / 2
    return start, start + size
