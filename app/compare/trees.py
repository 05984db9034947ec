"""Two trees: their splits in numbers, and both beside each other with a line from leaf to leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QScrollArea, QToolTip, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.tree.frame import Frame, branches
from antidiag.app.kit.tree.layout import Shape, layout
from antidiag.app.kit.widgets import label
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import ordered_like
from antidiag.kernels.io.tree_splits import distance, split_hashes
from antidiag.kernels.model import Result

ROW, MOST_ROWS = 15.0, 2000
LEAST_NAMES, NAMES_SHARE, BESIDE = 40.0, 0.24, 4.0
"""Pixels and part of the width that the names of one tree take at least and at most, and pixels beside them."""


def tree_of(result: Result) -> Tree | None:
    """The tree of a result, where it made one."""
    found: Any = getattr(result.answer, "tree", None)
    return found if isinstance(found, Tree) else None


def comparable(first: Result, second: Result) -> bool:
    """Whether both are trees of the same taxa, each with a name of its own."""
    trees = tree_of(first), tree_of(second)
    if any(tree is None for tree in trees):
        return False
    taxa = [set(tree.taxa) for tree in trees]
    return taxa[0] == taxa[1] and all(len(names) == tree.leaves.size for names, tree in zip(taxa, trees, strict=True))


@dataclass(frozen=True, eq=False)
class Compared:
    """Two trees, the second in the order of the first; how many splits each has, and how many are in one alone."""

    first: Tree
    second: Tree
    splits: tuple[int, int]
    apart: int

    @property
    def common(self) -> int:
        return (sum(self.splits) - self.apart) // 2


def compare(first: Tree, second: Tree) -> Compared:
    """Compare two trees of the same taxa."""
    turned = ordered_like(second, first.taxa).tree
    return Compared(first, turned, (len(split_hashes(first)), len(split_hashes(turned))), distance(first, turned))


class Tanglegram(QWidget):
    """Both trees, their roots outside, and a line between the two places of each taxon."""

    def __init__(self) -> None:
        super().__init__()
        self._compared: Compared | None = None
        self._cut: list[tuple[QRectF, str]] = []
        theme.notifier.changed.connect(self.update)

    def show_trees(self, compared: Compared) -> None:
        self._compared = compared
        rows = max(compared.first.leaves.size, 8)
        self.setMinimumHeight(int(min(rows, MOST_ROWS) * ROW) + 20)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, active = QPainter(self), theme.active()
        painter.fillRect(self.rect(), QColor(active.panel))
        if self._compared is None:
            return
        painter.setFont(theme.small_font(self.font()))
        trees, self._cut = (self._compared.first, self._compared.second), []
        names = self._names_width(QFontMetricsF(painter.font()))
        third = (self.width() - 2 * names) / 3
        places = []
        for tree, mirrored in zip(trees, (False, True), strict=True):
            places.append(self._draw_tree(painter, tree, third, names, mirrored))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        order = {name: number for number, name in enumerate(trees[1].taxa)}
        left, right = third + names + 8, self.width() - third - names - 8
        for place, name in enumerate(trees[0].taxa):
            other = order[name]
            painter.setPen(
                QPen(QColor(active.border if place == other else active.warning), 1.0 if place == other else 1.6)
            )
            painter.drawLine(QLineF(left, places[0][place], right, places[1][other]))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            under = [name for box, name in self._cut if box.contains(QPointF(event.pos()))]
            QToolTip.showText(event.globalPos(), under[0] if under else "", self)
            return True
        return super().event(event)

    def _names_width(self, metrics: QFontMetricsF) -> float:
        """Pixels for the longest name, which is in both trees."""
        widest = max(map(metrics.horizontalAdvance, self._compared.first.taxa), default=0.0)
        return min(max(widest + BESIDE, LEAST_NAMES), NAMES_SHARE * self.width())

    def _draw_tree(self, painter: QPainter, tree: Tree, room: float, names: float, mirrored: bool) -> list[float]:
        """Draw a tree at its side with its names; the height of each leaf."""
        active, made = theme.active(), layout(tree, Shape.RECTANGULAR)
        down = (self.height() - 20) / made.rows
        across = (room - 24) / (made.bounds[2] or 1)
        frame = Frame(across, down, 14, 10, room, self.height())
        lines = branches(made, frame).lines.copy()
        if mirrored:
            lines[:, 0::2] = self.width() - lines[:, 0::2]
        painter.setPen(QPen(QColor(active.text), 1))
        painter.drawLines([QLineF(*line) for line in lines.tolist()])
        heights = (10 + made.row[tree.leaves] * down).tolist()
        metrics = QFontMetricsF(painter.font())
        if down >= 0.8 * metrics.height():
            side = Qt.AlignmentFlag.AlignRight if mirrored else Qt.AlignmentFlag.AlignLeft
            painter.setPen(QColor(active.text))
            start = self.width() - room - names if mirrored else room
            for name, height in zip(tree.taxa, heights, strict=True):
                box = QRectF(start, height - metrics.height(), names, 2 * metrics.height())
                shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, names)
                if shown != name:
                    self._cut.append((QRectF(start, height - down / 2, names, down), name))
                painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, shown)
        return heights


class TreesPage(QWidget):
    """The splits of two trees in words, and the tanglegram."""

    def __init__(self) -> None:
        super().__init__()
        self.told, self.picture, area = label(wrap=True), Tanglegram(), QScrollArea()
        area.setWidget(self.picture)
        area.setWidgetResizable(True)
        box = QVBoxLayout(self)
        box.addWidget(self.told)
        box.addWidget(area, 1)

    def show_trees(self, compared: Compared, names: tuple[str, str]) -> None:
        """Two trees and what their results are called; the first is at the left."""
        (first, second), common = compared.splits, compared.common
        most = first + second
        share = f", {compared.apart / most:.1%} of those that could be".replace("%", " %") if most else ""
        same = "Both trees have the same splits. " if not compared.apart else ""
        self.told.setText(
            f"{same}{common:,} splits are in both trees, {first - common:,} only in the first ({names[0]}) and "
            f"{second - common:,} only in the second ({names[1]}): Robinson and Foulds' distance is "
            f"{compared.apart:,}{share}. The second tree is turned so that few lines cross; "
            "those that still do are coloured."
        )
        self.picture.show_trees(compared)
