"""The tree of a play as far as it has grown: leaves in a column, joins to their left."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.painting.fonts_and_colours import resized_font
from antidiag.kernels.walkthroughs.animation import Animation, format_number


def draw_growing_tree(painter: QPainter, area: QRectF, play: Animation, step: int, line: float) -> None:
    """Draw leaves at the right, and joins at their height; those of this step are highlighted."""
    active = theme.active()
    painter.setFont(resized_font(painter.font(), max(line * 0.74, 8)))
    order = _leaf_order(play)
    label = max((painter.fontMetrics().horizontalAdvance(name) for name in play.leaves), default=0) + 6
    high = min(area.height() / max(len(order), 1), 2.4 * line)
    top = area.top() + (area.height() - high * len(order)) / 2
    tallest = max((branch.height for branch in play.branches), default=1.0) or 1.0
    room = area.width() - label - line

    def x_of(height: float) -> float:
        return area.right() - label - room * height / tallest

    places = {leaf: (x_of(0.0), top + (row + 0.5) * high) for row, leaf in enumerate(order)}
    painter.setPen(QColor(active.text))
    for leaf in order:
        x, y = places[leaf]
        painter.drawText(QRectF(x + 5, y - high / 2, label, high), Qt.AlignmentFlag.AlignVCenter, play.leaves[leaf])
    for branch in sorted(play.branches, key=lambda one: one.step):
        ends = [places[child] for child in branch.children]
        x, y = x_of(branch.height), sum(end[1] for end in ends) / len(ends)
        places[branch.node] = x, y
        if branch.step > step:
            continue
        painter.setPen(QPen(QColor(active.recomputed if branch.step == step else active.text), 2))
        for (child_x, child_y), length in zip(ends, branch.lengths or (None,) * len(ends), strict=True):
            painter.drawLine(QLineF(x, child_y, child_x, child_y))
            words = "" if length is None else format_number(round(length, 9))
            if high >= line and painter.fontMetrics().horizontalAdvance(words) <= max(child_x - x - 3, 2 * line):
                box = QRectF(x + 3, child_y - line, max(child_x - x, 2 * line), line)
                painter.drawText(box, Qt.AlignmentFlag.AlignBottom, words)
        painter.drawLine(QLineF(x, min(end[1] for end in ends), x, max(end[1] for end in ends)))


def _leaf_order(play: Animation) -> list[int]:
    """Return the leaves from top to bottom without crossing edges."""
    children = {branch.node: branch.children for branch in play.branches}
    inner = {child for branch in play.branches for child in branch.children}
    order: list[int] = []

    def walk(node: int) -> None:
        if node < len(play.leaves):
            order.append(node)
        for child in children.get(node, ()):
            walk(child)

    for root in [*(node for node in children if node not in inner)]:
        walk(root)
    return [*order, *(leaf for leaf in range(len(play.leaves)) if leaf not in order)]
