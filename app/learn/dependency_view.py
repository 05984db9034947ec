"""A dependency picture: the cells of a small example, and the cells that one cell depends on."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.kernels.dp_taxonomy import DependencyArrow, DependencyPicture, ExampleCell

CELL_WIDTH, CELL_HEIGHT = 62.0, 27.0
ARROW_SIZE, CURVATURE, PEN_WIDTH, MAX_LAYOUT_PASSES = 8.0, 0.1, 2, 4
MIN_FONT_POINTS = 5.5
MIN_CELL_DISTANCE = 1.35
"""Smallest distance of cells, in cells, that leaves arrows visible."""


class DependencyView(QWidget):
    """Paints a Picture. Each click shows the next alternative of the recurrence, then all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.picture: DependencyPicture | None = None
        self.term: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setToolTip("Click to show the alternatives of the recurrence one by one")
        theme.notifier.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(280, 150)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 110)

    def show_picture(self, picture: DependencyPicture | None) -> None:
        """Show a picture, or nothing."""
        self.picture, self.term = picture, None
        self.setAccessibleDescription(picture.note if picture else "")
        self.update()

    def mousePressEvent(self, event) -> None:
        self.show_next_term()

    def show_next_term(self) -> None:
        """Show the next alternative, or all of them after the last."""
        terms = sorted({arrow.term for arrow in self.picture.arrows}) if self.picture else []
        following = terms[0] if self.term is None and terms else (self.term or 0) + 1
        self.term = following if following in terms else None
        self.update()

    def paintEvent(self, event) -> None:
        if self.picture is not None:
            draw_picture(QPainter(self), QRectF(self.rect()), self.picture, self.term)


def draw_picture(painter: QPainter, area: QRectF, picture: DependencyPicture, term: int | None = None) -> None:
    """Draw all cells with the arrows of every alternative in its colour, or of alternative ``term`` alone."""
    colours = theme.active()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    wrapped = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
    height = QFontMetricsF(painter.font()).boundingRect(area, wrapped, picture.note).height()
    note = QRectF(area.left(), area.bottom() - height - 2, area.width(), height)
    painter.setPen(QColor(colours.muted))
    painter.drawText(note, wrapped, picture.note)
    room = QRectF(area.left(), area.top(), area.width(), note.top() - area.top() - 4)
    boxes = _fit_boxes(room, picture)
    shown = [arrow for arrow in picture.arrows if term in (None, arrow.term)]
    needed = {arrow.source for arrow in shown}
    for number, (node, box) in enumerate(zip(picture.nodes, boxes, strict=True)):
        _draw_node(painter, node, box, number in needed)
    for arrow in shown:
        _draw_arrow(painter, boxes, arrow, QColor(colours.series[arrow.term % len(colours.series)]))


def _fit_boxes(room: QRectF, picture: DependencyPicture) -> list[QRectF]:
    """Return the boxes of the cells, small enough that all arrows fit, including those that are not shown now."""
    boxes, inner = _place_boxes(room, picture), room
    for _ in range(MAX_LAYOUT_PASSES):  # arrows bend less as the boxes shrink
        reach = _arrow_bounds(boxes, picture)
        left, top = (max(over, 0.0) for over in (room.left() - reach.left(), room.top() - reach.top()))
        right, bottom = (max(over, 0.0) for over in (reach.right() - room.right(), reach.bottom() - room.bottom()))
        if not left + top + right + bottom:
            break
        inner = inner.adjusted(left, top, -right, -bottom)
        boxes = _place_boxes(inner, picture)
    return boxes


def _arrow_bounds(boxes: list[QRectF], picture: DependencyPicture) -> QRectF:
    found = QRectF(boxes[0])
    for arrow in picture.arrows:
        way, head = _arrow_path(boxes, arrow)
        found |= way.boundingRect() | head.boundingRect()
    return found.adjusted(-PEN_WIDTH, -PEN_WIDTH, PEN_WIDTH, PEN_WIDTH)


def _place_boxes(area: QRectF, picture: DependencyPicture) -> list[QRectF]:
    across, down = max(node.x for node in picture.nodes), max(node.y for node in picture.nodes)
    width = min(CELL_WIDTH, area.width() / (MIN_CELL_DISTANCE * across + 1.1))
    height = min(CELL_HEIGHT, area.height() / (MIN_CELL_DISTANCE * down + 1.1))
    step_x = min((area.width() - 4 - width) / max(across, 1), 2.1 * width)
    step_y = min((area.height() - 4 - height) / max(down, 1), 2.1 * height)
    left = area.left() + (area.width() - step_x * across - width) / 2
    top = area.top() + (area.height() - step_y * down - height) / 2
    return [QRectF(left + step_x * node.x, top + step_y * node.y, width, height) for node in picture.nodes]


def _draw_node(painter: QPainter, node: ExampleCell, box: QRectF, needed: bool) -> None:
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
    if font.pointSizeF() >= MIN_FONT_POINTS:
        painter.setPen(QColor(colours.accent_text if wanted else colours.text if needed else colours.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, node.label)
    painter.restore()


def _draw_arrow(painter: QPainter, boxes: list[QRectF], arrow: DependencyArrow, colour: QColor) -> None:
    way, head = _arrow_path(boxes, arrow)
    painter.setPen(QPen(colour, PEN_WIDTH))
    painter.drawPath(way)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(head)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _arrow_path(boxes: list[QRectF], arrow: DependencyArrow) -> tuple[QPainterPath, QPolygonF]:
    """Return the curve from the edge of one cell to that of another, around cells between, and the arrow head."""
    source, target = boxes[arrow.source], boxes[arrow.target]
    control = (source.center() + target.center()) * 0.5
    if _is_blocked(boxes, arrow.source, arrow.target):
        control += _control_offset(boxes, source, target)
    start = source.center() + (control - source.center()) * _share_inside(source, control - source.center())
    end = target.center() - (target.center() - control) * _share_inside(target, target.center() - control)
    way = QPainterPath(start)
    way.quadTo(control, end)
    along = end - control
    along /= max((along.x() ** 2 + along.y() ** 2) ** 0.5, 1e-6)
    wing = QPointF(-along.y(), along.x()) * (ARROW_SIZE / 2)
    return way, QPolygonF([end, end - along * ARROW_SIZE + wing, end - along * ARROW_SIZE - wing])


def _control_offset(boxes: list[QRectF], source: QRectF, target: QRectF) -> QPointF:
    """Return the offset of the control point of a curve, away from the middle of the picture."""
    along = target.center() - source.center()
    length = (along.x() ** 2 + along.y() ** 2) ** 0.5
    across = QPointF(along.y(), -along.x()) * (1 / length)
    x, y = (sum(places) / len(boxes) for places in zip(*(box.center().toTuple() for box in boxes), strict=True))
    outward = (source.center() + target.center()) * 0.5 - QPointF(x, y)
    side = 1 if QPointF.dotProduct(across, outward) >= 0 else -1
    size = abs(across.x()) * source.width() + abs(across.y()) * source.height()
    return across * side * (size + CURVATURE * length)


def _is_blocked(boxes: list[QRectF], source: int, target: int) -> bool:
    """Whether a straight line between two cells crosses others."""
    line = QPainterPath(boxes[source].center())
    line.lineTo(boxes[target].center())
    others = (box for number, box in enumerate(boxes) if number not in (source, target))
    return any(line.intersects(box.adjusted(2, 2, -2, -2)) for box in others)


def _share_inside(box: QRectF, along: QPointF) -> float:
    """Return the share of a line from the middle of a box that is inside it."""
    parts = [half / abs(step) for half, step in ((box.width() / 2, along.x()), (box.height() / 2, along.y())) if step]
    return min(parts, default=0.0)
