"""The geometry of a point: how its method cuts its table, what it keeps and what it computes again.

The table is the matrix of a pair, a product or a graph, the cube of three sequences, or the triangle of all pairs of
taxa.
"""

from __future__ import annotations

from collections.abc import Sized

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.kernels import registry
from antidiag.kernels.cuts import Cuts, Tiles
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.inputs import Inputs, Loaded
from antidiag.kernels.experiments.points import Point

MOST_LINES = 400
"""Lines closer than that could not be told apart; a part of them is drawn."""
MARGIN = 8
DEPTH = 0.4
"""Share of the room that the longest third sequence leads away."""


def shape(inputs: Inputs, count: int = 2) -> tuple[int, ...] | None:
    """Lengths of the inputs of a point, without making them; None where they are not ``count`` of them."""
    length = inputs.length
    if length is None and isinstance(inputs, Loaded):
        found = tuple(len(datum) for datum in inputs.data if isinstance(datum, Sized))
    else:
        found = length if isinstance(length, tuple) else (length or 0,) * count
    return found if len(found) == count else None


def inputs_of(point: Point) -> int:
    """How many data the method of a point takes at least; those of a peer are two."""
    try:
        return sum(taken.minimum for taken in registry.method(point.contender).problem.inputs)
    except ParameterError:  # a peer, or a method that is gone
        return 2


def cuts_of(point: Point) -> Cuts:
    """Where a point's method cuts its table; nowhere, where it is no method."""
    try:
        method = registry.method(point.contender)
    except ParameterError:  # a peer, or a method that is gone
        return Cuts()
    try:
        return method.cuts(point.parameters)
    except KeyError:  # a point that was refused has no parameters, and one of an earlier version may lack some
        return Cuts()


def is_cut(point: Point) -> bool:
    """Whether a point is of a method that cuts its table into strips, blocks or tiles."""
    return point.tiles is not None or bool(_width(cuts_of(point)))


class GeometryPicture(QWidget):
    """The table with the strips (s), chunks (h) or blocks of a point, and what a path lets phase 3 compute again."""

    def __init__(self) -> None:
        super().__init__()
        self._point: Point | None = None
        self._cuts = Cuts()
        self._shape: tuple[int, ...] = ()
        self._tiles: Tiles | None = None
        self.setMinimumHeight(160)
        self.setAccessibleName("Geometry of the chosen point")

    def sizeHint(self) -> QSize:
        return QSize(300, 180)

    def show_point(self, point: Point | None, lengths: tuple[int, ...] | None) -> None:
        """Draw the cuts of a point; nothing where the method cuts nothing, or where its sizes are not known."""
        self._tiles = point.tiles if point else None
        if self._tiles:
            lengths = self._tiles.rows, self._tiles.columns
        known = point is not None and lengths is not None and len(lengths) <= 3 and all(lengths) and is_cut(point)
        self._point = point if known else None
        self._cuts = Cuts()
        if known and point is not None:
            self._cuts = Cuts(block=self._tiles.side) if self._tiles else cuts_of(point)
        self._shape = _turned(lengths, self._cuts) if known and lengths else ()
        self.setVisible(known)
        self.update()

    def text(self) -> str:
        """The same in words."""
        if self._point is None:
            return ""
        if self._tiles:
            return f"{_of_tiles(self._tiles)}."
        text = (_of_taxa, _of_a_pair, _of_a_cube)[len(self._shape) - 1](self._shape, self._cuts)
        if self._point.work > self._point.cells:
            text += f"; {(self._point.work - self._point.cells) / self._point.cells:.1%} of the cells computed again"
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
        box = _fitted(room, rows, columns)
        painter.fillRect(box, QColor(colours.hover))
        self._draw_recomputed(painter, box)
        down = self._cuts.chunk or (0 if self._cuts.strip else self._cuts.block)
        _rule(painter, box, columns, _width(self._cuts), colours.accent, across=True)
        if down:
            _rule(painter, box, rows, down, colours.boundary if self._cuts.chunk else colours.accent, across=False)
        _frame(painter, box)

    def _draw_cube(self, painter: QPainter, room: QRectF) -> None:
        """Chunks on the face of the first two sequences, and subchunks along the third, which leads away."""
        colours, (rows, columns, layers) = theme.active(), self._shape
        longest = max(self._shape)
        depth = DEPTH * layers / longest * min(room.width(), room.height())
        face = _fitted(room.adjusted(0, depth, -depth, 0), rows, columns)
        face.moveTopLeft(QPointF(room.left(), room.top() + depth))
        away = QPointF(depth, -depth)
        painter.setPen(QPen(QColor(colours.text), 1))
        for corner in (face.topLeft(), face.topRight(), face.bottomRight()):
            painter.drawLine(corner, corner + away)
        painter.drawPolyline([face.topLeft() + away, face.topRight() + away, face.bottomRight() + away])
        painter.setPen(QPen(QColor(colours.boundary), 1))
        for share in _borders(layers, self._cuts.layers) if self._cuts.layers else ():
            painter.drawPolyline(
                [corner + away * share for corner in (face.topLeft(), face.topRight(), face.bottomRight())]
            )
        painter.fillRect(face, QColor(colours.hover))
        for across, length in ((True, columns), (False, rows)):
            _rule(painter, face, length, self._cuts.block, colours.accent, across)
        _frame(painter, face)

    def _draw_triangle(self, painter: QPainter, room: QRectF) -> None:
        """The pairs of all taxa at the first join, in blocks."""
        colours, taxa = theme.active(), self._shape[0]
        box = _fitted(room, taxa, taxa)
        triangle = [box.topLeft(), box.bottomLeft(), box.bottomRight(), box.topLeft()]
        path = QPainterPath()
        path.addPolygon(triangle)
        painter.fillPath(path, QColor(colours.hover))
        painter.save()
        painter.setClipPath(path)
        for across in (True, False):
            _rule(painter, box, taxa, self._cuts.block, colours.accent, across)
        painter.restore()
        painter.setPen(QPen(QColor(colours.text), 1.5))
        painter.drawPolyline(triangle)

    def _draw_recomputed(self, painter: QPainter, box: QRectF) -> None:
        """The pieces on a path along the main diagonal, where the method computes some again."""
        point = self._point
        if point is None or point.work <= point.cells:
            return
        rows, columns = self._shape
        width, height = _width(self._cuts), self._cuts.chunk or rows
        colour = QColor(theme.active().recomputed)
        colour.setAlpha(110)
        pieces = min(-(-columns // width), MOST_LINES)
        for number in range(pieces):
            left, right = number / pieces, (number + 1) / pieces
            top = int(left * rows) // height * height / rows
            bottom = min(1.0, (int(right * rows) // height + 1) * height / rows)
            painter.fillRect(
                QRectF(box.left() + left * box.width(), box.top() + top * box.height(),
                       (right - left) * box.width(), (bottom - top) * box.height()), colour)  # fmt: skip


def _turned(lengths: tuple[int, ...], cuts: Cuts) -> tuple[int, ...]:
    """Rows and columns as strips have them: along the longer sequence; what is cut into blocks stays as it is."""
    return (min(lengths), max(lengths)) if len(lengths) == 2 and cuts.strip else lengths


def _of_a_pair(shape_of: tuple[int, ...], cuts: Cuts) -> str:
    (rows, columns), width, height = shape_of, _width(cuts), cuts.chunk
    if not cuts.strip:
        return f"{_blocks(rows, width, columns)} blocks of {width:,} x {width:,} cells of {rows:,} x {columns:,}"
    strips = -(-columns // width)
    text = f"{strips:,} strip{'' if strips == 1 else 's'} of {width:,} columns over {rows:,} rows"
    if height:
        chunks = strips * -(-rows // height)
        text += f", {chunks:,} chunk{'' if chunks == 1 else 's'} of {height:,} rows"
    return text


def _of_tiles(tiles: Tiles) -> str:
    side = f"{tiles.side:,} x {tiles.side:,} numbers"
    return f"{_blocks(tiles.rows, tiles.side, tiles.columns)} tiles of {side}: {tiles.of}"


def _of_a_cube(shape_of: tuple[int, ...], cuts: Cuts) -> str:
    rows, columns, layers = (length + 1 for length in shape_of)
    text = f"{_blocks(rows, cuts.block, columns)} chunks of {cuts.block:,} x {cuts.block:,} cells and {layers:,} layers"
    boxes = -(-layers // cuts.layers) if cuts.layers else 1
    return text + (f", each of {boxes:,} subchunks of {cuts.layers:,} layers" if boxes > 1 else "")


def _of_taxa(shape_of: tuple[int, ...], cuts: Cuts) -> str:
    taxa, side = shape_of[0], cuts.block
    across = -(-taxa // side)
    return f"{across * (across + 1) // 2:,} blocks of {side:,} x {side:,} pairs of {taxa:,} taxa at the first join"


def _blocks(rows: int, side: int, columns: int) -> str:
    down, across = -(-rows // side), -(-columns // side)
    return f"{down:,} x {across:,}"


def _fitted(room: QRectF, rows: int, columns: int) -> QRectF:
    """The largest part of the room with these proportions, at its upper left."""
    scale = min(room.width() / columns, room.height() / rows)
    return QRectF(room.left(), room.top(), columns * scale, rows * scale)


def _rule(painter: QPainter, box: QRectF, length: int, width: int, colour: str, across: bool) -> None:
    """Lines where pieces of ``width`` end: ``across`` the columns, or down the rows."""
    painter.setPen(QPen(QColor(colour), 1))
    for share in _borders(length, width):
        x, y = box.left() + share * box.width(), box.top() + share * box.height()
        ends = (QPointF(x, box.top()), QPointF(x, box.bottom())) if across else (
            QPointF(box.left(), y), QPointF(box.right(), y))  # fmt: skip
        painter.drawLine(*ends)


def _frame(painter: QPainter, box: QRectF) -> None:
    painter.setPen(QPen(QColor(theme.active().text), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)


def _width(cuts: Cuts) -> int:
    """Columns of a strip, or of a block."""
    return cuts.strip or cuts.block


def _borders(length: int, width: int) -> list[float]:
    """Where pieces end, as shares of the length; at most MOST_LINES of them."""
    step = width * max(1, -(-length // (width * MOST_LINES)))
    return [place / length for place in range(step, length, step)]
