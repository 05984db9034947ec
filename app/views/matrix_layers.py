"""What is drawn over the matrix: strips, boundaries, recomputed areas, the path and its ends.

Everything is drawn in pixels of the painter, cut to the visible part, so that a picture for a file is
as small as the one on the screen.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QTransform

from app.theme import Theme
from app.views.matrix_data import CellBlock, Span
from app.views.paths import PathIndex, path_index
from kernels.model import PairProblem, Result

LAYERS = {
    "path": "Path",
    "strips": "Strip borders",
    "boundaries": "Boundary columns",
    "chunks": "Chunk borders",
    "recomputed": "Computed again in phase 3",
    "ends": "Start and end",
}
DENSEST_STRIPS, DENSEST_BOUNDARIES = 4, 12
CELL_PIXELS = 16


@dataclass(frozen=True)
class Frame:
    """The visible part of the matrix in pixels: cell (i, j) has its centre at (x(j), y(i))."""

    transform: QTransform
    rows: Span
    columns: Span

    @property
    def width(self) -> float:
        """Pixels from one column to the next."""
        return abs(self.transform.m11())

    @property
    def height(self) -> float:
        """Pixels from one row to the next."""
        return abs(self.transform.m22())

    @property
    def shows_cells(self) -> bool:
        return min(self.width, self.height) >= CELL_PIXELS

    def x(self, j: float) -> float:
        return self.transform.m11() * j + self.transform.dx()

    def y(self, i: float) -> float:
        return self.transform.m22() * i + self.transform.dy()

    def rect(self, rows: Span, columns: Span) -> QRectF:
        """Half-open ranges of cells, cut to the visible part; empty where nothing of them is visible."""
        top, bottom = max(rows[0], self.rows[0]), min(rows[1], self.rows[1])
        left, right = max(columns[0], self.columns[0]), min(columns[1], self.columns[1])
        if top >= bottom or left >= right:
            return QRectF()
        corner = QPointF(self.x(left - 0.5), self.y(top - 0.5))
        return QRectF(corner, QPointF(self.x(right - 0.5), self.y(bottom - 0.5)))

    @property
    def area(self) -> QRectF:
        return self.rect(self.rows, self.columns)


@dataclass
class Picture:
    """What there is to draw of a result, and what of it is switched on.

    ``strip_width`` is 0 where there are no strips, ``chunk_height`` where strips are not cut into chunks.
    """

    problem: PairProblem
    strip_width: int
    chunk_height: int
    path: PathIndex | None
    end: tuple[int, int]
    recomputed: np.ndarray
    layers: set[str] = field(default_factory=lambda: set(LAYERS))
    block: CellBlock | None = None
    light_ink: np.ndarray | None = None
    hovered: tuple[int, int] | None = None
    strip: int | None = None

    @property
    def strip_axis(self) -> int:
        """0 where strips are bands of rows, 1 where they are bands of columns."""
        return 0 if self.problem.swapped else 1

    def strip_of(self, cell: tuple[int, int]) -> int | None:
        """The strip of a cell; None on the border of the matrix and where there are no strips."""
        position = cell[self.strip_axis]
        return (position - 1) // self.strip_width if self.strip_width and position else None

    def strip_span(self, strip: int) -> Span:
        """Half-open range of cells of a strip, along the strip axis."""
        length = self.problem.columns
        return strip * self.strip_width + 1, min((strip + 1) * self.strip_width, length) + 1


def picture(result: Result) -> Picture:
    """The picture of a pair result."""
    alignment = result.answer.alignment
    return Picture(
        problem=result.problem,
        strip_width=result.parameters.get("s", 0),
        chunk_height=result.parameters.get("h", 0),
        path=path_index(alignment) if alignment is not None else None,
        end=result.answer.end,
        recomputed=recomputed_areas(result),
    )


def recomputed_areas(result: Result) -> np.ndarray:
    """Cells that phase 3 computed again, shape (areas, 4): row start and end, column start and end, half-open.

    The step log counts letters: letters a..b (half-open) are the cells a + 1..b.
    """
    events = result.steps.array()
    events = events[events["phase"] == 3]
    names = ["row_start", "row_end", "column_start", "column_end"]
    if result.problem.swapped:
        names = names[2:] + names[:2]
    return np.stack([events[name] + 1 for name in names], axis=1) if events.size else np.empty((0, 4), np.int64)


def draw(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    """All layers that are switched on, from the lowest to the highest."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.muted), 1))
    painter.drawRect(frame.area)
    if what.strip_width:
        _draw_strips(painter, frame, what, theme)
    if what.chunk_height and "chunks" in what.layers:
        _draw_chunks(painter, frame, what, theme)
    if "recomputed" in what.layers:
        _draw_recomputed(painter, frame, what, theme)
    if "path" in what.layers and what.path is not None and not frame.shows_cells:
        _draw_path(painter, frame, what, theme)


def draw_ends(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    """Marks at the start and the end of the alignment."""
    if "ends" not in what.layers or what.end == (0, 0):
        return
    ends = [("end", what.end)]
    if what.path is not None:
        ends.insert(0, ("start", what.path.alignment.start))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for name, (i, j) in ends:
        if frame.rows[0] <= i < frame.rows[1] and frame.columns[0] <= j < frame.columns[1]:
            _draw_end(painter, frame, name, (i, j), theme)


def draw_pointer(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    """The hovered cell and strip, whoever hovers them."""
    if what.strip is not None and what.strip_width:
        span = what.strip_span(what.strip)
        shade = QColor(theme.accent)
        shade.setAlpha(60)
        painter.fillRect(_band(frame, what, span), shade)
    if what.hovered is None:
        return
    i, j = what.hovered
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    row, column = frame.rect((i, i + 1), frame.columns), frame.rect(frame.rows, (j, j + 1))
    for band in (row, column):
        if min(band.width(), band.height()) < 3 and not band.isEmpty():
            painter.setPen(QPen(QColor(255, 255, 255, 150), 1, Qt.PenStyle.DotLine))
            middle = band.center()
            ends = (band.left(), middle.y(), band.right(), middle.y())
            if band is column:
                ends = (middle.x(), band.top(), middle.x(), band.bottom())
            painter.drawLine(*(QPointF(*pair) for pair in (ends[:2], ends[2:])))
    cell = frame.rect((i, i + 1), (j, j + 1))
    if not cell.isEmpty() and min(frame.width, frame.height) >= 3:
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(cell)


def strip_spacing(frame: Frame, what: Picture) -> float:
    """Pixels from one strip border to the next."""
    return what.strip_width * (frame.height if what.strip_axis == 0 else frame.width)


def chunk_spacing(frame: Frame, what: Picture) -> float:
    """Pixels from one chunk border to the next."""
    return what.chunk_height * (frame.width if what.strip_axis == 0 else frame.height)


def _draw_strips(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    spacing = strip_spacing(frame, what)
    low, high = frame.rows if what.strip_axis == 0 else frame.columns
    first, last = max((low - 1) // what.strip_width, 0), (high - 2) // what.strip_width
    if "boundaries" in what.layers and spacing >= DENSEST_BOUNDARIES:
        shade = QColor(theme.boundary)
        shade.setAlpha(110)
        for strip in range(first, last + 1):
            end = what.strip_span(strip)[1]
            painter.fillRect(_at_least(_band(frame, what, (end - 1, end)), 2), shade)
    if "strips" in what.layers and spacing >= DENSEST_STRIPS:
        line = QColor(theme.strip)
        line.setAlpha(round(min(24 + 6 * (spacing - DENSEST_STRIPS), 200)))
        for strip in range(first, last + 1):
            start = what.strip_span(strip)[0]
            band = _band(frame, what, (start, start + 1))
            if not band.isEmpty():
                painter.setPen(QPen(line, 2 if frame.shows_cells else 1))
                painter.drawLine(band.topLeft(), band.topRight() if what.strip_axis == 0 else band.bottomLeft())


def _draw_chunks(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    """Dotted lines across the strips, where one chunk ends and the next begins."""
    if chunk_spacing(frame, what) < DENSEST_STRIPS:
        return
    line = QColor(theme.strip)
    line.setAlpha(150)
    painter.setPen(QPen(line, 1, Qt.PenStyle.DotLine))
    low, high = frame.columns if what.strip_axis == 0 else frame.rows
    for chunk in range(max((low - 1) // what.chunk_height, 0), (high - 2) // what.chunk_height + 1):
        span = chunk * what.chunk_height + 1, chunk * what.chunk_height + 2
        band = frame.rect(frame.rows, span) if what.strip_axis == 0 else frame.rect(span, frame.columns)
        if not band.isEmpty():
            painter.drawLine(band.topLeft(), band.bottomLeft() if what.strip_axis == 0 else band.topRight())


def _draw_recomputed(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    areas = what.recomputed
    seen = (areas[:, 0] < frame.rows[1]) & (areas[:, 1] > frame.rows[0])
    seen &= (areas[:, 2] < frame.columns[1]) & (areas[:, 3] > frame.columns[0])
    shade = QColor(theme.recomputed)
    painter.setPen(QPen(shade, 1.5))
    shade.setAlpha(20 if frame.shows_cells else 45)
    painter.setBrush(shade)
    painter.drawRects([frame.rect((a, b), (c, d)) for a, b, c, d in areas[seen].tolist()])
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_path(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    cells = what.path.sample(frame.rows, frame.columns)
    if len(cells) < 2:
        return
    line = QPolygonF([QPointF(frame.x(j), frame.y(i)) for i, j in cells.tolist()])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for colour, width in ((QColor(0, 0, 0, 110), 4.5), (QColor(theme.path), 2.5)):
        painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.drawPolyline(line)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _draw_end(painter: QPainter, frame: Frame, name: str, cell: tuple[int, int], theme: Theme) -> None:
    centre, size = QPointF(frame.x(cell[1]), frame.y(cell[0])), 6.0
    if frame.shows_cells:
        box = frame.rect((cell[0], cell[0] + 1), (cell[1], cell[1] + 1))
        _draw_label(painter, frame, name, QPointF(box.right() + 2, box.top() - 2), -box.width() - 4)
        return
    painter.setPen(QPen(QColor("#ffffff"), 2))
    painter.setBrush(QColor(theme.path))
    box = QRectF(centre.x() - size, centre.y() - size, 2 * size, 2 * size)
    painter.drawEllipse(box) if name == "start" else painter.drawRect(box)
    _draw_label(painter, frame, name, centre + QPointF(size + 2, 0), -2 * size - 4)


def _draw_label(painter: QPainter, frame: Frame, name: str, place: QPointF, otherwise: float) -> None:
    """A word to the right of ``place``, or to the left of ``otherwise`` beyond it where there is no room."""
    width = painter.fontMetrics().horizontalAdvance(name) + 8
    left = place.x() if place.x() + width < frame.area.right() else place.x() + otherwise - width
    label = QRectF(left, place.y() - 10, width, 20)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(0, 0, 0, 170))
    painter.drawRoundedRect(label, 3, 3)
    painter.setPen(QColor("#ffffff"))
    painter.drawText(label, Qt.AlignmentFlag.AlignCenter, name)


def _band(frame: Frame, what: Picture, span: Span) -> QRectF:
    """A range of strip positions, across the visible part."""
    return frame.rect(span, frame.columns) if what.strip_axis == 0 else frame.rect(frame.rows, span)


def _at_least(rect: QRectF, size: float) -> QRectF:
    """``rect`` widened to ``size`` pixels where it is thinner, unless it is empty."""
    if rect.isEmpty():
        return rect
    across, down = max(size - rect.width(), 0) / 2, max(size - rect.height(), 0) / 2
    return rect.adjusted(-across, -down, across, down)
