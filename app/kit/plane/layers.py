"""Layers over the matrix: borders, recomputed areas, the path and its ends.

All is drawn in pixels and cut to the visible part, so a file is as small as the screen.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from antidiag.app.kit.plane import path_states
from antidiag.app.kit.plane.matrix_picture import MatrixFrame, MatrixPicture
from antidiag.app.theme import Theme
from antidiag.kernels.pairwise import path_index
from antidiag.kernels.registry.matrix_values import Span
from antidiag.kernels.scoring import FreeEnds

DENSEST_STRIPS, DENSEST_BOUNDARIES, DENSEST_TILES = 4, 12, 8
SPARSE_TILES = 48  # pixels between special rows from which they are drawn in full
MANY_AREAS = 1000  # areas that are drawn one by one; of more, those on the same pixels are drawn once
PIXEL_BITS, PIXEL_OFFSET = 15, 64
PATH_TOLERANCE = 0.4  # pixels between the path and the line that is drawn
FREE_BORDER_WIDTH = 4  # pixels
POINTER_LINE = QColor(255, 255, 255, 150)


def draw_layers(painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme) -> None:
    """Draw all active layers from bottom to top."""
    draw_border(painter, frame, theme)
    _draw_free_borders(painter, frame, picture, theme)
    if picture.shows_layer("skipped"):
        _draw_skipped(painter, frame, picture, theme)
    if picture.shows_layer("boundaries"):
        _draw_boundaries(painter, frame, picture, theme)
    for layer, axis, distance in list_borders(picture):
        if picture.shows_layer(layer):
            _draw_borders(painter, frame, layer, axis, distance, theme)
    if picture.shows_layer("recomputed"):
        _draw_recomputed(painter, frame, picture, theme)
    if picture.shows_layer("path") and not frame.shows_cells:
        _draw_path(painter, frame, picture, theme)


def draw_border(painter: QPainter, frame: MatrixFrame, theme: Theme) -> None:
    """Draw the edge of the plane."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.muted), 1))
    painter.drawRect(frame.visible_area)


def free_borders(picture: MatrixPicture) -> FreeEnds:
    """Return the ends whose letters may stay unaligned, and so the borders where an alignment may start or end."""
    return picture.problem.free_ends


def _draw_free_borders(painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme) -> None:
    """Draw the borders of the matrix where an alignment may start or end in every cell."""
    ends, (rows, columns) = free_borders(picture), (len(one) + 1 for one in picture.problem.sequences)
    top, bottom = frame.visible_rect((0, 1), frame.columns), frame.visible_rect((rows - 1, rows), frame.columns)
    left, right = frame.visible_rect(frame.rows, (0, 1)), frame.visible_rect(frame.rows, (columns - 1, columns))
    width, height = FREE_BORDER_WIDTH, FREE_BORDER_WIDTH
    bars = (
        (ends.second_start, top, QRectF(top.left(), top.top(), top.width(), height)),
        (ends.second_end, bottom, QRectF(bottom.left(), bottom.bottom() - height, bottom.width(), height)),
        (ends.first_start, left, QRectF(left.left(), left.top(), width, left.height())),
        (ends.first_end, right, QRectF(right.right() - width, right.top(), width, right.height())),
    )
    for is_free, cells, bar in bars:
        if is_free and not cells.isEmpty():
            painter.fillRect(bar, QColor(theme.accent))


def list_borders(picture: MatrixPicture) -> list[tuple[str, int, int]]:
    """Return layer, axis (0: borders are rows) and distance of all borders."""
    along, across, cuts = picture.strip_axis, 1 - picture.strip_axis, picture.cuts
    every = [
        ("strips", along, cuts.strip),
        ("chunks", across, cuts.chunk),
        ("blocks", 0, cuts.block),
        ("blocks", 1, cuts.block),
        ("tiles", 0, cuts.tile),
        ("tiles", 1, cuts.tile),
    ]
    return [border for border in every if border[2]]


def draw_ends(painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme) -> None:
    """Mark the start and the end of the alignment, and where sub-paths meet."""
    if picture.shows_layer("states"):
        path_states.draw_marks(painter, frame, picture)
    if not picture.shows_layer("ends"):
        return
    ends = [("end", picture.end)]
    if picture.path is not None:
        ends.insert(0, ("start", picture.path.alignment.start))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for name, (i, j) in ends:
        if frame.rows[0] <= i < frame.rows[1] and frame.columns[0] <= j < frame.columns[1]:
            _draw_end(painter, frame, name, (i, j), theme)


def draw_pointer(
    painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme, line: QColor = POINTER_LINE
) -> None:
    """Draw the hovered cell and strip."""
    if picture.strip is not None and picture.cuts.strip:
        span = picture.strip_span(picture.strip)
        shade = QColor(theme.accent)
        shade.setAlpha(60)
        painter.fillRect(_axis_band(frame, picture.strip_axis, span), shade)
    if picture.hovered is None:
        return
    i, j = picture.hovered
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    row, column = frame.visible_rect((i, i + 1), frame.columns), frame.visible_rect(frame.rows, (j, j + 1))
    for band in (row, column):
        if min(band.width(), band.height()) < 3 and not band.isEmpty():
            painter.setPen(QPen(line, 1, Qt.PenStyle.DotLine))
            middle = band.center()
            ends = (band.left(), middle.y(), band.right(), middle.y())
            if band is column:
                ends = (middle.x(), band.top(), middle.x(), band.bottom())
            painter.drawLine(*(QPointF(*pair) for pair in (ends[:2], ends[2:])))
    cell = frame.visible_rect((i, i + 1), (j, j + 1))
    if not cell.isEmpty() and min(frame.column_width, frame.row_height) >= 3:
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(cell)


def least_spacing(layer: str) -> int:
    """Return the least pixels between drawn borders of a layer; denser ones would hide the colours."""
    return DENSEST_TILES if layer == "tiles" else DENSEST_STRIPS


def border_spacing(frame: MatrixFrame, axis: int, distance: int) -> float:
    """Return the pixels from one border to the next."""
    return distance * (frame.row_height if axis == 0 else frame.column_width)


def _draw_boundaries(painter: QPainter, frame: MatrixFrame, what: MatrixPicture, theme: Theme) -> None:
    """Draw the last column of each strip, which was stored."""
    width = what.cuts.strip
    if border_spacing(frame, what.strip_axis, width) < DENSEST_BOUNDARIES:
        return
    low, high = frame.rows if what.strip_axis == 0 else frame.columns
    shade = QColor(theme.boundary)
    shade.setAlpha(110)
    for strip in range(max((low - 1) // width, 0), (high - 2) // width + 1):
        end = what.strip_span(strip)[1]
        painter.fillRect(_widen(_axis_band(frame, what.strip_axis, (end - 1, end)), 2), shade)


def _draw_borders(painter: QPainter, frame: MatrixFrame, layer: str, axis: int, distance: int, theme: Theme) -> None:
    """Draw lines between strips, chunks, blocks or tiles, if they are not too dense."""
    apart = border_spacing(frame, axis, distance)
    if apart < least_spacing(layer):
        return
    painter.setPen(_border_pen(layer, apart, frame, theme))
    low, high = frame.rows if axis == 0 else frame.columns
    first = 1 if layer == "tiles" else 0
    for number in range(max((low - 1) // distance, first), (high - 2) // distance + 1):
        band = _axis_band(frame, axis, (number * distance + 1, number * distance + 2))
        if not band.isEmpty():
            painter.drawLine(band.topLeft(), band.topRight() if axis == 0 else band.bottomLeft())


def _border_pen(layer: str, apart: float, frame: MatrixFrame, theme: Theme) -> QPen:
    """Return the pen of a border: white lines for strips and blocks, dotted for chunks, coloured for tiles."""
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


def _draw_recomputed(painter: QPainter, frame: MatrixFrame, what: MatrixPicture, theme: Theme) -> None:
    shade = QColor(theme.recomputed)
    painter.setPen(QPen(shade, 1.5))
    shade.setAlpha(20 if frame.shows_cells else 45)
    painter.setBrush(shade)
    painter.drawRects([QRectF(QPointF(*box[:2]), QPointF(*box[2:])) for box in visible_boxes(frame, what.recomputed)])
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_skipped(painter: QPainter, frame: MatrixFrame, what: MatrixPicture, theme: Theme) -> None:
    """Veil the blocks that pruning did not compute."""
    veil = QColor(theme.panel)
    veil.setAlpha(170)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(veil)
    painter.drawRects([QRectF(QPointF(*box[:2]), QPointF(*box[2:])) for box in visible_boxes(frame, what.skipped)])
    painter.setBrush(Qt.BrushStyle.NoBrush)


def visible_boxes(frame: MatrixFrame, areas: np.ndarray) -> list[list[float]]:
    """Return left, top, right and bottom of visible areas in pixels; of many, each place once."""
    boxes = frame.visible_rects(areas)
    if len(boxes) > MANY_AREAS:
        boxes = np.rint(boxes).astype(np.int64) + PIXEL_OFFSET
        keys = (boxes << np.arange(4) * PIXEL_BITS).sum(axis=1)
        order = np.argsort(keys)
        boxes = boxes[order[np.diff(keys[order], prepend=-1) != 0]] - PIXEL_OFFSET
    return boxes.tolist()


def visible_path_line(frame: MatrixFrame, picture: MatrixPicture) -> QPolygonF:
    """Return the visible part of the path as a simplified line in pixels."""
    cells = picture.path.sample_cells(frame.rows, frame.columns)
    if not len(cells):
        return QPolygonF()
    points = path_index.simplify_line(frame.cell_points(cells), PATH_TOLERANCE)
    return QPolygonF([QPointF(x, y) for x, y in points.tolist()])


def _draw_path(painter: QPainter, frame: MatrixFrame, what: MatrixPicture, theme: Theme) -> None:
    line = visible_path_line(frame, what)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for colour, width in ((QColor(0, 0, 0, 110), 4.5), (QColor(theme.path), 2.5)):
        painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.drawPolyline(line)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _draw_end(painter: QPainter, frame: MatrixFrame, name: str, cell: tuple[int, int], theme: Theme) -> None:
    centre, size = QPointF(frame.x(cell[1]), frame.y(cell[0])), 6.0
    if frame.shows_cells:
        box = frame.visible_rect((cell[0], cell[0] + 1), (cell[1], cell[1] + 1))
        _draw_label(painter, frame, name, QPointF(box.right() + 2, box.top() - 2), -box.width() - 4)
        return
    painter.setPen(QPen(QColor("#ffffff"), 2))
    painter.setBrush(QColor(theme.path))
    box = QRectF(centre.x() - size, centre.y() - size, 2 * size, 2 * size)
    painter.drawEllipse(box) if name == "start" else painter.drawRect(box)
    _draw_label(painter, frame, name, centre + QPointF(size + 2, 0), -2 * size - 4)


def _draw_label(painter: QPainter, frame: MatrixFrame, name: str, place: QPointF, otherwise: float) -> None:
    """Write a word right of ``place``, or left of it by ``otherwise`` if there is no room."""
    width = painter.fontMetrics().horizontalAdvance(name) + 8
    left = place.x() if place.x() + width < frame.visible_area.right() else place.x() + otherwise - width
    top = min(max(place.y() - 10, frame.visible_area.top()), frame.visible_area.bottom() - 20)
    label = QRectF(left, top, width, 20)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(0, 0, 0, 170))
    painter.drawRoundedRect(label, 3, 3)
    painter.setPen(QColor("#ffffff"))
    painter.drawText(label, Qt.AlignmentFlag.AlignCenter, name)


def _axis_band(frame: MatrixFrame, axis: int, span: Span) -> QRectF:
    """Return a range of positions on an axis across the visible part."""
    return frame.visible_rect(span, frame.columns) if axis == 0 else frame.visible_rect(frame.rows, span)


def _widen(rect: QRectF, size: float) -> QRectF:
    """Widen a rectangle to ``size`` pixels unless it is empty."""
    if rect.isEmpty():
        return rect
    across, down = max(size - rect.width(), 0) / 2, max(size - rect.height(), 0) / 2
    return rect.adjusted(-across, -down, across, down)
