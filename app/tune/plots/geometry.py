"""The geometry of a point: how its method partitions a matrix, cube or triangle of taxa, and what it recomputes."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import astuple

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.kernels import registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.sweeps.sweep_inputs import Loaded, SweepInputs
from antidiag.kernels.table_cuts import TableCuts, TableTiles
from antidiag.kernels.text import format_count

MAX_LINES = 400
"""Most lines that are drawn; of more, every n-th one."""
MARGIN = 8
DEPTH = 0.4
"""Largest depth of a cube, as a share of the smaller side of the picture."""


def input_lengths(inputs: SweepInputs, count: int = 2) -> tuple[int, ...] | None:
    """Return the lengths of the inputs without generating them, or None unless there are ``count`` of them."""
    length = inputs.length
    if length is None and isinstance(inputs, Loaded):
        found = tuple(len(datum) for datum in inputs.data if isinstance(datum, Sized))
    else:
        found = length if isinstance(length, tuple) else (length or 0,) * count
    return found if len(found) == count else None


def input_count(point: MeasuredPoint) -> int:
    """Return the smallest number of inputs of the method of a point, 2 for a peer."""
    try:
        return sum(taken.minimum for taken in registry.find_method(point.contender).problem_type.inputs)
    except ParameterError:  # a peer, or a method that is gone
        return 2


def cuts_of(point: MeasuredPoint) -> TableCuts:
    """Return how the method of a point partitions its table; no cuts for a peer."""
    try:
        method = registry.find_method(point.contender)
    except ParameterError:  # a peer, or a method that is gone
        return TableCuts()
    try:
        cuts = method.picture.table_cuts(method.parameters.restore(point.parameters))
    except TypeError:  # a refused point has no parameters, and one of an earlier version may lack some
        return TableCuts()
    return TableCuts() if None in astuple(cuts) else cuts


def is_cut(point: MeasuredPoint) -> bool:
    """Whether the method of a point partitions its table into strips, blocks or tiles."""
    return point.tiles is not None or bool(_piece_width(cuts_of(point)))


class GeometryPicture(QWidget):
    """The table of a point with its strips (s), chunks (h) or blocks, and the cells that phase 3 recomputes."""

    def __init__(self) -> None:
        super().__init__()
        self._point: MeasuredPoint | None = None
        self._cuts = TableCuts()
        self._shape: tuple[int, ...] = ()
        self._tiles: TableTiles | None = None
        self.setMinimumHeight(160)
        self.setAccessibleName("Geometry of the chosen point")

    def sizeHint(self) -> QSize:
        return QSize(300, 180)

    def show_point(self, point: MeasuredPoint | None, lengths: tuple[int, ...] | None) -> None:
        """Draw the partition of a point; hide where there is none, or where its sizes are unknown."""
        self._tiles = point.tiles if point else None
        if self._tiles:
            lengths = self._tiles.rows, self._tiles.columns
        known = point is not None and lengths is not None and len(lengths) <= 3 and all(lengths) and is_cut(point)
        self._point = point if known else None
        self._cuts = TableCuts()
        if known and point is not None:
            self._cuts = TableCuts(block=self._tiles.side) if self._tiles else cuts_of(point)
        self._shape = _oriented_shape(lengths, self._cuts) if known and lengths else ()
        self.setVisible(known)
        self.update()

    def describe_geometry(self) -> str:
        """Describe the geometry in words."""
        if self._point is None:
            return ""
        if self._tiles:
            return f"{_describe_tiles(self._tiles)}."
        text = (_describe_taxa, _describe_pair, _describe_cube)[len(self._shape) - 1](self._shape, self._cuts)
        if self._point.work > self._point.cells:
            text += f"; {(self._point.work - self._point.cells) / self._point.cells:.1%} of the cells recomputed"
        return text.replace("%", " %") + "."

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._point is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRectF(self.rect()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        (self._draw_triangle, self._draw_matrix, self._draw_cube)[len(self._shape) - 1](painter, room)

    def _draw_matrix(self, painter: QPainter, room: QRectF) -> None:
        colours, (rows, columns) = theme.active(), self._shape
        box = _fit_box(room, rows, columns)
        painter.fillRect(box, QColor(colours.hover))
        self._draw_recomputed(painter, box)
        down = self._cuts.chunk or (0 if self._cuts.strip else self._cuts.block)
        _draw_borders(painter, box, columns, _piece_width(self._cuts), colours.accent, across=True)
        if down:
            _draw_borders(
                painter, box, rows, down, colours.boundary if self._cuts.chunk else colours.accent, across=False
            )
        _draw_frame(painter, box)

    def _draw_cube(self, painter: QPainter, room: QRectF) -> None:
        """Draw chunks on the face of the first two sequences, and subchunks along the third in depth."""
        colours, (rows, columns, layers) = theme.active(), self._shape
        longest = max(self._shape)
        depth = DEPTH * layers / longest * min(room.width(), room.height())
        face = _fit_box(room.adjusted(0, depth, -depth, 0), rows, columns)
        face.moveTopLeft(QPointF(room.left(), room.top() + depth))
        away = QPointF(depth, -depth)
        painter.setPen(QPen(QColor(colours.text), 1))
        for corner in (face.topLeft(), face.topRight(), face.bottomRight()):
            painter.drawLine(corner, corner + away)
        painter.drawPolyline([face.topLeft() + away, face.topRight() + away, face.bottomRight() + away])
        painter.setPen(QPen(QColor(colours.boundary), 1))
        for share in _border_shares(layers, self._cuts.layers) if self._cuts.layers else ():
            painter.drawPolyline(
                [corner + away * share for corner in (face.topLeft(), face.topRight(), face.bottomRight())]
            )
        painter.fillRect(face, QColor(colours.hover))
        for across, length in ((True, columns), (False, rows)):
            _draw_borders(painter, face, length, self._cuts.block, colours.accent, across)
        _draw_frame(painter, face)

    def _draw_triangle(self, painter: QPainter, room: QRectF) -> None:
        colours, taxa = theme.active(), self._shape[0]
        box = _fit_box(room, taxa, taxa)
        triangle = [box.topLeft(), box.bottomLeft(), box.bottomRight(), box.topLeft()]
        path = QPainterPath()
        path.addPolygon(triangle)
        painter.fillPath(path, QColor(colours.hover))
        painter.save()
        painter.setClipPath(path)
        for across in (True, False):
            _draw_borders(painter, box, taxa, self._cuts.block, colours.accent, across)
        painter.restore()
        painter.setPen(QPen(QColor(colours.text), 1.5))
        painter.drawPolyline(triangle)

    def _draw_recomputed(self, painter: QPainter, box: QRectF) -> None:
        """Draw the pieces on a path along the main diagonal, where the method recomputes some."""
        point = self._point
        if point is None or point.work <= point.cells:
            return
        rows, columns = self._shape
        width, height = _piece_width(self._cuts), self._cuts.chunk or rows
        colour = QColor(theme.active().recomputed)
        colour.setAlpha(110)
        pieces = min(-(-columns // width), MAX_LINES)
        for number in range(pieces):
            left, right = number / pieces, (number + 1) / pieces
            top = int(left * rows) // height * height / rows
            bottom = min(1.0, (int(right * rows) // height + 1) * height / rows)
            corner = QPointF(box.left() + left * box.width(), box.top() + top * box.height())
            size = QSizeF((right - left) * box.width(), (bottom - top) * box.height())
            painter.fillRect(QRectF(corner, size), colour)


def _oriented_shape(lengths: tuple[int, ...], cuts: TableCuts) -> tuple[int, ...]:
    """Return rows and columns with the longer sequence as columns where the method uses strips."""
    return (min(lengths), max(lengths)) if len(lengths) == 2 and cuts.strip else lengths


def _describe_pair(shape_of: tuple[int, ...], cuts: TableCuts) -> str:
    (rows, columns), width, height = shape_of, _piece_width(cuts), cuts.chunk
    if not cuts.strip:
        return f"{_block_counts(rows, width, columns)} blocks of {width:,} x {width:,} cells of {rows:,} x {columns:,}"
    strips = -(-columns // width)
    text = f"{format_count(strips, 'strip')} of {width:,} columns over {rows:,} rows"
    return text + (f", {format_count(strips * -(-rows // height), 'chunk')} of {height:,} rows" if height else "")


def _describe_tiles(tiles: TableTiles) -> str:
    side = f"{tiles.side:,} x {tiles.side:,} numbers"
    return f"{_block_counts(tiles.rows, tiles.side, tiles.columns)} tiles of {side}: {tiles.of}"


def _describe_cube(shape_of: tuple[int, ...], cuts: TableCuts) -> str:
    rows, columns, layers = (length + 1 for length in shape_of)
    text = (
        f"{_block_counts(rows, cuts.block, columns)} chunks of {cuts.block:,} x {cuts.block:,} cells and "
        f"{layers:,} layers"
    )
    boxes = -(-layers // cuts.layers) if cuts.layers else 1
    return text + (f", each of {boxes:,} subchunks of {cuts.layers:,} layers" if boxes > 1 else "")


def _describe_taxa(shape_of: tuple[int, ...], cuts: TableCuts) -> str:
    taxa, side = shape_of[0], cuts.block
    across = -(-taxa // side)
    return f"{across * (across + 1) // 2:,} blocks of {side:,} x {side:,} pairs of {taxa:,} taxa at the first join"


def _block_counts(rows: int, side: int, columns: int) -> str:
    down, across = -(-rows // side), -(-columns // side)
    return f"{down:,} x {across:,}"


def _fit_box(room: QRectF, rows: int, columns: int) -> QRectF:
    """Return the largest box with these proportions at the upper left of an area."""
    scale = min(room.width() / columns, room.height() / rows)
    return QRectF(room.left(), room.top(), columns * scale, rows * scale)


def _draw_borders(painter: QPainter, box: QRectF, length: int, width: int, colour: str, across: bool) -> None:
    """Draw lines where pieces of ``width`` end, ``across`` the columns or down the rows."""
    painter.setPen(QPen(QColor(colour), 1))
    for share in _border_shares(length, width):
        x, y = box.left() + share * box.width(), box.top() + share * box.height()
        if across:
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        else:
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))


def _draw_frame(painter: QPainter, box: QRectF) -> None:
    painter.setPen(QPen(QColor(theme.active().text), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)


def _piece_width(cuts: TableCuts) -> int:
    return cuts.strip or cuts.block


def _border_shares(length: int, width: int) -> list[float]:
    """Return where pieces end as shares of the length, at most MAX_LINES of them."""
    step = width * max(1, -(-length // (width * MAX_LINES)))
    return [place / length for place in range(step, length, step)]
