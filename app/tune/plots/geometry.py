"""The geometry of a point: how its method cuts the matrix, what it keeps and what it computes again."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app import theme
from kernels import registry
from kernels.cuts import Cuts
from kernels.errors import ParameterError
from kernels.experiments.inputs import Inputs, Loaded
from kernels.experiments.points import Point
from kernels.io.sequences import SEQUENCE
from kernels.model import Sequence

MOST_LINES = 400
"""Lines closer than that could not be told apart; a part of them is drawn."""
MARGIN = 8


def shape(inputs: Inputs, count: int = 2) -> tuple[int, ...] | None:
    """Lengths of the inputs of a point, without making them; None where they are not ``count`` sequences."""
    length = inputs.length
    if length is None and isinstance(inputs, Loaded):
        found = tuple(len(datum) for datum in inputs.data if isinstance(datum, Sequence))
    else:
        found = length if isinstance(length, tuple) else (length or 0,) * count
    return found if len(found) == count else None


def cuts_of(point: Point) -> Cuts:
    """Where a point's method cuts the matrix of a pair; nowhere, where it is no such method."""
    try:
        method = registry.method(point.contender)
    except ParameterError:  # a peer, or a method that is gone
        return Cuts()
    inputs = method.problem.inputs
    pair = sum(taken.minimum for taken in inputs) == 2 and all(taken.kind is SEQUENCE for taken in inputs)
    try:
        return method.cuts(point.parameters) if pair else Cuts()
    except KeyError:  # a point that was refused has no parameters, and one of an earlier version may lack some
        return Cuts()


def is_cut(point: Point) -> bool:
    """Whether a point is of a method that cuts the matrix of a pair into strips, or into blocks."""
    return bool(_width(cuts_of(point)))


class GeometryPicture(QWidget):
    """The matrix with the strips (s) and chunks (h) of a point, and the band that phase 3 computes again."""

    def __init__(self) -> None:
        super().__init__()
        self._point: Point | None = None
        self._cuts = Cuts()
        self._shape: tuple[int, int] | None = None
        self.setMinimumHeight(160)
        self.setAccessibleName("Geometry of the chosen point")

    def sizeHint(self) -> QSize:
        return QSize(300, 180)

    def show_point(self, point: Point | None, lengths: tuple[int, ...] | None) -> None:
        """Draw the cuts of a point of a pair; nothing where the method cuts nothing."""
        known = point is not None and lengths is not None and len(lengths) == 2 and is_cut(point)
        self._point = point if known else None
        self._cuts = cuts_of(point) if known and point is not None else Cuts()
        self._shape = (min(lengths), max(lengths)) if known and lengths else None
        self.setVisible(known)
        self.update()

    def text(self) -> str:
        """The same in words."""
        if self._point is None or self._shape is None:
            return ""
        (rows, columns), width, height = self._shape, _width(self._cuts), self._cuts.chunk
        strips = -(-columns // width)
        text = f"{strips:,} strip{'' if strips == 1 else 's'} of {width:,} columns over {rows:,} rows"
        if height:
            chunks = strips * -(-rows // height)
            text += f", {chunks:,} chunk{'' if chunks == 1 else 's'} of {height:,} rows"
        if self._point.work > self._point.cells:
            text += f"; {(self._point.work - self._point.cells) / self._point.cells:.1%} of the cells computed again"
        return text.replace("%", " %") + "."

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._point is None or self._shape is None:
            return
        painter, colours = QPainter(self), theme.active()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rows, columns = self._shape
        room = QRectF(self.rect()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        scale = min(room.width() / columns, room.height() / rows)
        box = QRectF(room.left(), room.top(), columns * scale, rows * scale)
        painter.fillRect(box, QColor(colours.hover))
        self._draw_recomputed(painter, box)
        painter.setPen(QPen(QColor(colours.accent), 1))
        for share in _borders(columns, _width(self._cuts)):
            x = box.left() + share * box.width()
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        if self._cuts.chunk:
            painter.setPen(QPen(QColor(colours.boundary), 1))
            for share in _borders(rows, self._cuts.chunk):
                y = box.top() + share * box.height()
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        painter.setPen(QPen(QColor(colours.text), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)

    def _draw_recomputed(self, painter: QPainter, box: QRectF) -> None:
        """The pieces on a path along the main diagonal, where the method computes some again."""
        point, shape_of = self._point, self._shape
        if point is None or shape_of is None or point.work <= point.cells:
            return
        rows, columns = shape_of
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


def _width(cuts: Cuts) -> int:
    """Columns of a strip, or of a block."""
    return cuts.strip or cuts.block


def _borders(length: int, width: int) -> list[float]:
    """Where pieces end, as shares of the length; at most MOST_LINES of them."""
    step = width * max(1, -(-length // (width * MOST_LINES)))
    return [place / length for place in range(step, length, step)]
