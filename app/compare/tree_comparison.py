"""Compares two trees: splits in numbers, and a tanglegram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QScrollArea, QToolTip, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.controls.widgets import create_label
from antidiag.app.kit.tree.visible_branches import TreeFrame, find_visible_branches
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import order_like
from antidiag.kernels.io.tree_splits import robinson_foulds_distance, split_hashes
from antidiag.kernels.model import Result
from antidiag.kernels.trees.tree_layout import TreeShape, lay_out_tree

ROW_HEIGHT, MAX_ROWS = 15.0, 2000
MIN_NAMES_WIDTH, NAMES_SHARE, NAMES_PADDING = 40.0, 0.24, 4.0
"""Least pixels and largest share of the width for the names of one tree, and pixels beside them."""


def find_tree(result: Result) -> Tree | None:
    """Return the tree of a result, or None."""
    found: Any = getattr(result.answer, "tree", None)
    return found if isinstance(found, Tree) else None


def are_comparable(first: Result, second: Result) -> bool:
    """Whether both results are trees of the same, distinct taxa."""
    trees = find_tree(first), find_tree(second)
    if any(tree is None for tree in trees):
        return False
    taxa = [set(tree.taxa) for tree in trees]
    return taxa[0] == taxa[1] and all(len(names) == tree.leaves.size for names, tree in zip(taxa, trees, strict=True))


@dataclass(frozen=True, eq=False)
class TreeComparison:
    """Two trees, the second sorted like the first, their numbers of splits, and the splits in only one of them."""

    first: Tree
    second: Tree
    splits: tuple[int, int]
    different_splits: int

    @property
    def common_splits(self) -> int:
        """Splits that are in both trees."""
        return (sum(self.splits) - self.different_splits) // 2


def compare_trees(first: Tree, second: Tree) -> TreeComparison:
    """Compare two trees of the same taxa."""
    turned = order_like(second, first.taxa).tree
    return TreeComparison(
        first, turned, (len(split_hashes(first)), len(split_hashes(turned))), robinson_foulds_distance(first, turned)
    )


class Tanglegram(QWidget):
    """Two trees with their roots outside, and a line between both leaves of each taxon."""

    def __init__(self) -> None:
        super().__init__()
        self._compared: TreeComparison | None = None
        self._elided_names: list[tuple[QRectF, str]] = []
        theme.notifier.changed.connect(self.update)

    def show_trees(self, compared: TreeComparison) -> None:
        """Show this comparison."""
        self._compared = compared
        rows = max(compared.first.leaves.size, 8)
        self.setMinimumHeight(int(min(rows, MAX_ROWS) * ROW_HEIGHT) + 20)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, active = QPainter(self), theme.active()
        painter.fillRect(self.rect(), QColor(active.panel))
        if self._compared is None:
            return
        painter.setFont(theme.small_font(self.font()))
        trees, self._elided_names = (self._compared.first, self._compared.second), []
        names = self._names_width(QFontMetricsF(painter.font()))
        third = (self.width() - 2 * names) / 3
        places = [self._draw_tree(painter, tree, third, names, tree is trees[1]) for tree in trees]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        order = {name: number for number, name in enumerate(trees[1].taxa)}
        left, right = third + names + 8, self.width() - third - names - 8
        for place, name in enumerate(trees[0].taxa):
            other = order[name]
            colour, thickness = (active.border, 1.0) if place == other else (active.warning, 1.6)
            painter.setPen(QPen(QColor(colour), thickness))
            painter.drawLine(QLineF(left, places[0][place], right, places[1][other]))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            under = [name for box, name in self._elided_names if box.contains(QPointF(event.pos()))]
            QToolTip.showText(event.globalPos(), under[0] if under else "", self)
            return True
        return super().event(event)

    def _names_width(self, metrics: QFontMetricsF) -> float:
        widest = max(map(metrics.horizontalAdvance, self._compared.first.taxa), default=0.0)
        return min(max(widest + NAMES_PADDING, MIN_NAMES_WIDTH), NAMES_SHARE * self.width())

    def _draw_tree(self, painter: QPainter, tree: Tree, room: float, names: float, mirrored: bool) -> list[float]:
        """Draw a tree at its side with its names; return the height of each leaf."""
        active, made = theme.active(), lay_out_tree(tree, TreeShape.RECTANGULAR)
        down = (self.height() - 20) / made.rows
        across = (room - 24) / (made.bounds[2] or 1)
        frame = TreeFrame(across, down, 14, 10, room, self.height())
        lines = find_visible_branches(made, frame).lines.copy()
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
                    self._elided_names.append((QRectF(start, height - down / 2, names, down), name))
                painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, shown)
        return heights


class TreesPage(QWidget):
    """Shows how many splits two trees share, and their tanglegram."""

    def __init__(self) -> None:
        super().__init__()
        self.summary, self.picture, area = create_label(wrap=True), Tanglegram(), QScrollArea()
        area.setWidget(self.picture)
        area.setWidgetResizable(True)
        box = QVBoxLayout(self)
        box.addWidget(self.summary)
        box.addWidget(area, 1)

    def show_trees(self, compared: TreeComparison, names: tuple[str, str]) -> None:
        """Show two trees and the names of their results; the first is at the left."""
        (first, second), common = compared.splits, compared.common_splits
        most = first + second
        share = f" ({texts.format_percent(compared.different_splits / most)} of the maximum)" if most else ""
        same = "Both trees have the same splits. " if not compared.different_splits else ""
        self.summary.setText(
            f"{same}{common:,} splits are in both trees, {first - common:,} only in the first ({names[0]}) and "
            f"{second - common:,} only in the second ({names[1]}). The Robinson-Foulds distance is "
            f"{compared.different_splits:,}{share}. The second tree is rotated so that few lines cross; these are "
            "coloured."
        )
        self.picture.show_trees(compared)
