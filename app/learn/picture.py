"""A dependency picture: the cells of a small example, and which of them one cell needs."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.kernels.dynamic_class import Arrow, Node, Picture

WIDTH, HEIGHT = 62.0, 27.0
"""Pixels of a cell, where there is room."""
ARROW, CURVE, PEN, TRIES = 8.0, 0.1, 2, 4
LEAST_POINTS = 5.5
LEAST_GAP = 1.35
"""Distance of cells in cells, at which arrows are seen between them."""


class PictureWidget(QWidget):
    """Paints a Picture. A click shows one alternative of the recurrence after another, then all again."""

    def __init__(self) -> None:
        super().__init__()
        self.picture: Picture | None = None
        self.term: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setToolTip("Click to see the alternatives of the recurrence one by one")
        theme.notifier.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(280, 150)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 110)

    def show_picture(self, picture: Picture | None) -> None:
        self.picture, self.term = picture, None
        self.setAccessibleDescription(picture.note if picture else "")
        self.update()

    def mousePressEvent(self, event) -> None:
        self.step()

    def step(self) -> None:
        """The next alternative, or all of them after the last."""
        terms = sorted({arrow.term for arrow in self.picture.arrows}) if self.picture else []
        following = terms[0] if self.term is None and terms else (self.term or 0) + 1
        self.term = following if following in terms else None
        self.update()

    def paintEvent(self, event) -> None:
        if self.picture is not None:
            draw(QPainter(self), QRectF(self.rect()), self.picture, self.term)


def draw(painter: QPainter, area: QRectF, picture: Picture, term: int | None = None) -> None:
    """All cells; arrows of every alternative in a colour of its own, or those of ``term`` alone."""
    colours = theme.active()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    wrapped = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
    height = QFontMetricsF(painter.font()).boundingRect(area, wrapped, picture.note).height()
    note = QRectF(area.left(), area.bottom() - height - 2, area.width(), height)
    painter.setPen(QColor(colours.muted))
    painter.drawText(note, wrapped, picture.note)
    room = QRectF(area.left(), area.top(), area.width(), note.top() - area.top() - 4)
    boxes = _laid_out(room, picture)
    shown = [arrow for arrow in picture.arrows if term in (None, arrow.term)]
    needed = {arrow.source for arrow in shown}
    for number, (node, box) in enumerate(zip(picture.nodes, boxes, strict=True)):
        _draw_node(painter, node, box, number in needed)
    for arrow in shown:
        _draw_arrow(painter, boxes, arrow, QColor(colours.series[arrow.term % len(colours.series)]))


def _laid_out(room: QRectF, picture: Picture) -> list[QRectF]:
    """The cells, in so much of the room that the arrows have theirs, those that are not shown just now as well."""
    boxes, inner = _boxes(room, picture), room
    for _ in range(TRIES):  # in less room arrows are bent less
        reach = _reach(boxes, picture)
        left, top = (max(over, 0.0) for over in (room.left() - reach.left(), room.top() - reach.top()))
        right, bottom = (max(over, 0.0) for over in (reach.right() - room.right(), reach.bottom() - room.bottom()))
        if not left + top + right + bottom:
            break
        inner = inner.adjusted(left, top, -right, -bottom)
        boxes = _boxes(inner, picture)
    return boxes


def _reach(boxes: list[QRectF], picture: Picture) -> QRectF:
    """What all arrows cover."""
    found = QRectF(boxes[0])
    for arrow in picture.arrows:
        way, head = _way(boxes, arrow)
        found |= way.boundingRect() | head.boundingRect()
    return found.adjusted(-PEN, -PEN, PEN, PEN)


def _boxes(area: QRectF, picture: Picture) -> list[QRectF]:
    across, down = max(node.x for node in picture.nodes), max(node.y for node in picture.nodes)
    width = min(WIDTH, area.width() / (LEAST_GAP * across + 1.1))
    height = min(HEIGHT, area.height() / (LEAST_GAP * down + 1.1))
    steps = [min((room - size) / max(count, 1), 2.1 * size) for room, size, count in (
        (area.width() - 4, width, across), (area.height() - 4, height, down))]  # fmt: skip
    left = area.left() + (area.width() - steps[0] * across - width) / 2
    top = area.top() + (area.height() - steps[1] * down - height) / 2
    return [QRectF(left + steps[0] * node.x, top + steps[1] * node.y, width, height) for node in picture.nodes]


def _draw_node(painter: QPainter, node: Node, box: QRectF, needed: bool) -> None:
    colours = theme.active()
    wanted = node.role == "wanted"
    painter.setPen(QPen(QColor(colours.accent if wanted or needed else colours.border), 2 if wanted else 1.2))
    painter.setBrush(QColor(colours.accent if wanted else colours.selection if needed else colours.panel))
    painter.drawRoundedRect(box, 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.save()
    size = box.width() / max(painter.fontMetrics().horizontalAdvance(node.label) + 6, 1)
    font = painter.font()
    font.setPointSizeF(font.pointSizeF() * min(size, 1))
    painter.setFont(font)
    if font.pointSizeF() >= LEAST_POINTS:
        painter.setPen(QColor(colours.accent_text if wanted else colours.text if needed else colours.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, node.label)
    painter.restore()


def _draw_arrow(painter: QPainter, boxes: list[QRectF], arrow: Arrow, colour: QColor) -> None:
    way, head = _way(boxes, arrow)
    painter.setPen(QPen(colour, PEN))
    painter.drawPath(way)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(head)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _way(boxes: list[QRectF], arrow: Arrow) -> tuple[QPainterPath, QPolygonF]:
    """From the edge of one cell to the edge of another, in a curve around what is between; and the arrow's head."""
    source, target = boxes[arrow.source], boxes[arrow.target]
    control = (source.center() + target.center()) * 0.5
    if _between(boxes, arrow.source, arrow.target):
        control += _bend(boxes, source, target)
    start = source.center() + (control - source.center()) * _inside(source, control - source.center())
    end = target.center() - (target.center() - control) * _inside(target, target.center() - control)
    way = QPainterPath(start)
    way.quadTo(control, end)
    along = end - control
    along /= max((along.x() ** 2 + along.y() ** 2) ** 0.5, 1e-6)
    wing = QPointF(-along.y(), along.x()) * (ARROW / 2)
    return way, QPolygonF([end, end - along * ARROW + wing, end - along * ARROW - wing])


def _bend(boxes: list[QRectF], source: QRectF, target: QRectF) -> QPointF:
    """How far from the straight line the control point of a curve is, away from the middle of the picture."""
    along = target.center() - source.center()
    length = (along.x() ** 2 + along.y() ** 2) ** 0.5
    across = QPointF(along.y(), -along.x()) * (1 / length)
    x, y = (sum(places) / len(boxes) for places in zip(*(box.center().toTuple() for box in boxes), strict=True))
    outward = (source.center() + target.center()) * 0.5 - QPointF(x, y)
    side = 1 if QPointF.dotProduct(across, outward) >= 0 else -1
    size = abs(across.x()) * source.width() + abs(across.y()) * source.height()
    return across * side * (size + CURVE * length)


def _between(boxes: list[QRectF], source: int, target: int) -> bool:
    """Whether a straight line between two cells runs over others."""
    line = QPainterPath(boxes[source].center())
    line.lineTo(boxes[target].center())
    others = (box for number, box in enumerate(boxes) if number not in (source, target))
    return any(line.intersects(box.adjusted(2, 2, -2, -2)) for box in others)


def _inside(box: QRectF, along: QPointF) -> float:
    """The part of a line from the middle of a box that is inside of it."""
    parts = [half / abs(step) for half, step in ((box.width() / 2, along.x()), (box.height() / 2, along.y())) if step]
    return min(parts, default=0.0)
