"""SlicePlot: one slice through the cube with H as colour, the projected path, and chunk borders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor

from antidiag.app import theme
from antidiag.app.kit.plots.axis import FastPlot
from antidiag.kernels.triple.model import Cell

LETTERS = "ijk"
SIDES = ((1, 2), (0, 2), (1, 0))  # for a slice across i, j, k: its horizontal and its vertical coordinate
SMALLEST_CHUNK = 5  # pixels; borders of smaller chunks are not drawn
PATH_POINTS = 4000
LEAST_SIZE = 150, 110


class SlicePlot(FastPlot):
    """The plane across ``axis``. ``moved(cell)``: lines were dragged or a cell clicked; ``hovered(cell)``: mouse."""

    moved = Signal(object)
    hovered = Signal(object)

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis = axis
        self.cells: Cell = (1, 1, 1)
        self.place: Cell = (0, 0, 0)
        self.values: np.ndarray | None = None
        self.horizontal, self.vertical = SIDES[axis]
        self.image = pg.ImageItem(axisOrder="row-major")
        self._path = pg.PlotCurveItem()
        self._borders = pg.PlotCurveItem(connect="pairs")
        self._lit = pg.PlotCurveItem()
        self._point = pg.ScatterPlotItem(size=9, pxMode=True)
        self._lines = (pg.InfiniteLine(angle=90, movable=True), pg.InfiniteLine(angle=0, movable=True))
        for item in (self.image, self._borders, self._path, self._lit, self._point, *self._lines):
            self.addItem(item, ignoreBounds=True)
        self.invertY(True)
        self.hideButtons()
        self.setMinimumSize(*LEAST_SIZE)
        self.setAccessibleName(f"Slice across {LETTERS[axis]}")
        self._steps = (0, 0)
        for line in self._lines:
            line.sigDragged.connect(self._on_drag)
        self.scene().sigMouseMoved.connect(self._on_mouse)
        self.scene().sigMouseClicked.connect(self._on_click)
        self.getViewBox().sigRangeChanged.connect(lambda *_: self._show_borders())
        self.restyle()

    def show_cube(self, cells: Cell, names: Sequence[str], steps: tuple[int, int], path: np.ndarray | None) -> None:
        """Show a cube; ``steps`` are s and h, 0 for none; ``path`` its cells, shape (n, 3), or None."""
        self.cells, self._steps, self.values = cells, steps, None
        self.image.clear()
        self._lit.clear()
        points = np.empty((0, 3)) if path is None else path[:: max(-(-len(path) // PATH_POINTS), 1)] + 0.5
        self._path.setData(points[:, self.horizontal], points[:, self.vertical])
        self.setLabel("bottom", names[self.horizontal])
        self.setLabel("left", names[self.vertical])
        width, height = cells[self.horizontal], cells[self.vertical]
        self.getViewBox().setLimits(
            xMin=-0.3 * width, xMax=1.3 * width, yMin=-0.3 * height, yMax=1.3 * height, minXRange=3, minYRange=3
        )
        self.fit()

    def fit(self) -> None:
        """Show the whole slice."""
        self.setRange(xRange=(0, self.cells[self.horizontal]), yRange=(0, self.cells[self.vertical]), padding=0.02)

    def show_values(self, values: np.ndarray | None, tones: np.ndarray | None, lut: np.ndarray) -> None:
        """Show H of the plane, rows downwards, and its tones; None while it is computed."""
        self.values = values
        self._restyle_lines()
        if values is None or tones is None:
            self.image.clear()
            return
        self.image.setImage(tones, levels=(0, 255), lut=lut)
        self.image.setRect(QRectF(0, 0, tones.shape[1], tones.shape[0]))

    def show_place(self, place: Cell, on_path: np.ndarray | None) -> None:
        """Move to a cell; ``on_path`` are the cells in which the path crosses this plane, shape (n, 3)."""
        self.place = place
        for line, axis in zip(self._lines, (self.horizontal, self.vertical), strict=True):
            line.setValue(place[axis] + 0.5)
        self.setTitle(f"{LETTERS[self.axis]} = {place[self.axis]:,}", size="9pt", color=theme.active().text)
        points = np.empty((0, 3)) if on_path is None else on_path + 0.5
        self._point.setData(points[:, self.horizontal], points[:, self.vertical])

    def show_lit(self, box: np.ndarray | None) -> None:
        """Outline a chunk, given by its box, or none."""
        if box is None or not box[2 * self.axis] <= self.place[self.axis] < box[2 * self.axis + 1]:
            self._lit.clear()
            return
        x0, x1, y0, y1 = (int(box[2 * side + end]) for side in (self.horizontal, self.vertical) for end in (0, 1))
        self._lit.setData([x0, x1, x1, x0, x0], [y0, y0, y1, y1, y0])

    def cell_at(self, position: QPointF) -> Cell | None:
        """Return the cell at a position of the scene, or None."""
        box = self.getViewBox()
        if not box.sceneBoundingRect().contains(position):
            return None
        point = box.mapSceneToView(position)
        found = list(self.place)
        found[self.horizontal], found[self.vertical] = int(np.floor(point.x())), int(np.floor(point.y()))
        inside = all(0 <= place < size for place, size in zip(found, self.cells, strict=True))
        return (found[0], found[1], found[2]) if inside else None

    def restyle(self) -> None:
        """Use the colours of the present theme."""
        active = theme.active()
        theme.style_plot(self.getPlotItem())
        self.setBackground(active.panel)
        self._path.setPen(pg.mkPen(active.path, width=1.5, style=Qt.PenStyle.DotLine))
        self._path.setShadowPen(None)
        self._point.setBrush(QColor(active.path))
        self._point.setPen(pg.mkPen("#ffffff", width=1))
        for line in self._lines:
            line.setHoverPen(pg.mkPen(active.accent, width=3))
        self._restyle_lines()

    def _restyle_lines(self) -> None:
        """Draw lines in white over the colours of H, and in dark colours while there are none."""
        active, known = theme.active(), self.values is not None
        self._borders.setPen(pg.mkPen(QColor(255, 255, 255, 110) if known else active.border, width=1))
        self._lit.setPen(pg.mkPen(active.strip if known else active.text, width=2))
        for line in self._lines:
            line.setPen(pg.mkPen(QColor(255, 255, 255, 190) if known else active.muted, width=1))

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def _show_borders(self) -> None:
        ends: list[tuple[tuple[float, float], tuple[float, float]]] = []
        pixel = self.getViewBox().viewPixelSize()
        width, height = self.cells[self.horizontal], self.cells[self.vertical]
        for axis, unit in ((self.horizontal, pixel[0]), (self.vertical, pixel[1])):
            step = self._steps[axis == 2]
            if not step or step / max(unit, 1e-9) < SMALLEST_CHUNK:
                continue
            across = axis == self.horizontal
            for place in range(step, self.cells[axis], step):
                ends.append(((place, place), (0, height)) if across else ((0, width), (place, place)))
        x = np.array([end[0] for end in ends], float).ravel()
        y = np.array([end[1] for end in ends], float).ravel()
        self._borders.setData(x, y)

    def _on_drag(self, line) -> None:
        found = list(self.place)
        for shown, axis in zip(self._lines, (self.horizontal, self.vertical), strict=True):
            if shown is line:
                found[axis] = min(max(int(np.floor(line.value())), 0), self.cells[axis] - 1)
        self.moved.emit((found[0], found[1], found[2]))

    def _on_mouse(self, position: QPointF) -> None:
        self.hovered.emit(self.cell_at(position))

    def _on_click(self, event) -> None:
        cell = self.cell_at(event.scenePos()) if event.button() == Qt.MouseButton.LeftButton else None
        if cell is not None:
            self.moved.emit(cell)
