"""What is drawn over the matrix: borders, recomputed areas, the path and its ends.

Everything is drawn in pixels of the painter, cut to the visible part, so that a picture for a file is
as small as the one on the screen.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from antidiag.app.kit import paths
from antidiag.app.kit.plane import states
from antidiag.app.kit.plane.data import Span
from antidiag.app.kit.plane.picture import Frame, Picture
from antidiag.app.theme import Theme

DENSEST_STRIPS, DENSEST_BOUNDARIES, DENSEST_TILES = 4, 12, 8
SPARSE_TILES = 48
"""Pixels between special rows from which they are drawn in full; denser ones are fainter and thinner."""
MANY = 1000
"""Areas that are drawn one by one; of more, those that fall on the same pixels are drawn once."""
PIXEL_BITS, PIXEL_OFFSET = 15, 64
PATH_TOLERANCE = 0.4
"""Pixels between the path and the line that is drawn of it."""
POINTER_LINE = QColor(255, 255, 255, 150)


def draw(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    """All layers that are switched on, from the lowest to the highest."""
    draw_border(painter, frame, theme)
    if what.shows("boundaries"):
        _draw_boundaries(painter, frame, what, theme)
    for layer, axis, distance in borders(what):
        if what.shows(layer):
            _draw_borders(painter, frame, layer, axis, distance, theme)
    if what.shows("recomputed"):
        _draw_recomputed(painter, frame, what, theme)
    if what.shows("path") and not frame.shows_cells:
        _draw_path(painter, frame, what, theme)


def draw_border(painter: QPainter, frame: Frame, theme: Theme) -> None:
    """The edge of the plane."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.muted), 1))
    painter.drawRect(frame.area)


def borders(what: Picture) -> list[tuple[str, int, int]]:
    """Layer, axis (0: the borders are rows) and distance of all borders there are."""
    along, across, cuts = what.strip_axis, 1 - what.strip_axis, what.cuts
    every = [
        ("strips", along, cuts.strip),
        ("chunks", across, cuts.chunk),
        ("blocks", 0, cuts.block),
        ("blocks", 1, cuts.block),
        ("tiles", 0, cuts.tile),
        ("tiles", 1, cuts.tile),
    ]
    return [border for border in every if border[2]]


def draw_ends(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    """Marks at the start and the end of the alignment, and where its sub-paths meet."""
    if what.shows("states"):
        states.draw(painter, frame, what)
    if not what.shows("ends"):
        return
    ends = [("end", what.end)]
    if what.path is not None:
        ends.insert(0, ("start", what.path.alignment.start))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for name, (i, j) in ends:
        if frame.rows[0] <= i < frame.rows[1] and frame.columns[0] <= j < frame.columns[1]:
            _draw_end(painter, frame, name, (i, j), theme)


def draw_pointer(painter: QPainter, frame: Frame, what: Picture, theme: Theme, line: QColor = POINTER_LINE) -> None:
    """The hovered cell and strip, whoever hovers them."""
    if what.strip is not None and what.cuts.strip:
        span = what.strip_span(what.strip)
        shade = QColor(theme.accent)
        shade.setAlpha(60)
        painter.fillRect(_band(frame, what.strip_axis, span), shade)
    if what.hovered is None:
        return
    i, j = what.hovered
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    row, column = frame.rect((i, i + 1), frame.columns), frame.rect(frame.rows, (j, j + 1))
    for band in (row, column):
        if min(band.width(), band.height()) < 3 and not band.isEmpty():
            painter.setPen(QPen(line, 1, Qt.PenStyle.DotLine))
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


def densest(layer: str) -> int:
    """The least pixels between borders of a layer that are drawn; denser ones would hide the colours."""
    return DENSEST_TILES if layer == "tiles" else DENSEST_STRIPS


def spacing(frame: Frame, axis: int, distance: int) -> float:
    """Pixels from one border to the next."""
    return distance * (frame.height if axis == 0 else frame.width)


def _draw_boundaries(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    """The last column of each strip, which was kept."""
    width = what.cuts.strip
    if spacing(frame, what.strip_axis, width) < DENSEST_BOUNDARIES:
        return
    low, high = frame.rows if what.strip_axis == 0 else frame.columns
    shade = QColor(theme.boundary)
    shade.setAlpha(110)
    for strip in range(max((low - 1) // width, 0), (high - 2) // width + 1):
        end = what.strip_span(strip)[1]
        painter.fillRect(_at_least(_band(frame, what.strip_axis, (end - 1, end)), 2), shade)


def _draw_borders(painter: QPainter, frame: Frame, layer: str, axis: int, distance: int, theme: Theme) -> None:
    """Lines where one strip, chunk, block or tile ends and the next begins; as much as there is room for."""
    apart = spacing(frame, axis, distance)
    if apart < densest(layer):
        return
    painter.setPen(_border_pen(layer, apart, frame, theme))
    low, high = frame.rows if axis == 0 else frame.columns
    first = 1 if layer == "tiles" else 0
    for number in range(max((low - 1) // distance, first), (high - 2) // distance + 1):
        band = _band(frame, axis, (number * distance + 1, number * distance + 2))
        if not band.isEmpty():
            painter.drawLine(band.topLeft(), band.topRight() if axis == 0 else band.bottomLeft())


def _border_pen(layer: str, apart: float, frame: Frame, theme: Theme) -> QPen:
    """Strips and blocks have white lines, fainter the denser they are; chunks dotted ones; tiles coloured ones."""
    if layer == "tiles":
        line = QColor(theme.special)
        line.setAlpha(round(min(40 + 215 * (apart - DENSEST_TILES) / (SPARSE_TILES - DENSEST_TILES), 255)))
        return QPen(line, 2 if apart >= SPARSE_TILES else 1)
    line = QColor(theme.strip)
    if layer == "chunks":
        line.setAlpha(150)
        return QPen(line, 1, Qt.PenStyle.DotLine)
    line.setAlpha(round(min(24 + 6 * (apart - DENSEST_STRIPS), 200)))
    return QPen(line, 2 if frame.shows_cells else 1)


def _draw_recomputed(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    shade = QColor(theme.recomputed)
    painter.setPen(QPen(shade, 1.5))
    shade.setAlpha(20 if frame.shows_cells else 45)
    painter.setBrush(shade)
    painter.drawRects([QRectF(QPointF(*box[:2]), QPointF(*box[2:])) for box in visible_areas(frame, what.recomputed)])
    painter.setBrush(Qt.BrushStyle.NoBrush)


def visible_areas(frame: Frame, areas: np.ndarray) -> list[list[float]]:
    """Left, top, right and bottom of what is visible of some areas, in pixels; of MANY, each place only once."""
    boxes = frame.rects(areas)
    if len(boxes) > MANY:
        boxes = np.rint(boxes).astype(np.int64) + PIXEL_OFFSET
        keys = (boxes << np.arange(4) * PIXEL_BITS).sum(axis=1)
        order = np.argsort(keys)
        boxes = boxes[order[np.diff(keys[order], prepend=-1) != 0]] - PIXEL_OFFSET
    return boxes.tolist()


def path_line(frame: Frame, what: Picture) -> QPolygonF:
    """The visible part of the path as a line in pixels, with no more points than it needs."""
    cells = what.path.sample(frame.rows, frame.columns)
    if not len(cells):
        return QPolygonF()
    points = paths.thinned(frame.points(cells), PATH_TOLERANCE)
    return QPolygonF([QPointF(x, y) for x, y in points.tolist()])


def _draw_path(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    line = path_line(frame, what)
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
    top = min(max(place.y() - 10, frame.area.top()), frame.area.bottom() - 20)
    label = QRectF(left, top, width, 20)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(0, 0, 0, 170))
    painter.drawRoundedRect(label, 3, 3)
    painter.setPen(QColor("#ffffff"))
    painter.drawText(label, Qt.AlignmentFlag.AlignCenter, name)


def _band(frame: Frame, axis: int, span: Span) -> QRectF:
    """A range of positions on an axis, across the visible part."""
    return frame.rect(span, frame.columns) if axis == 0 else frame.rect(frame.rows, span)


def _at_least(rect: QRectF, size: float) -> QRectF:
    """``rect`` widened to ``size`` pixels where it is thinner, unless it is empty."""
    if rect.isEmpty():
        return rect
    across, down = max(size - rect.width(), 0) / 2, max(size - rect.height(), 0) / 2
    return rect.adjusted(-across, -down, across, down)
