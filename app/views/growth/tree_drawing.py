"""Drawing of the guide tree during a multiple alignment, and of the stages of the run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import texts, theme
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.results.phase_times import PhaseTime, phase_colour
from antidiag.app.kit.tree.visible_branches import (
    STEM,
    TreeFrame,
    VisibleBranches,
    find_visible_branches,
)
from antidiag.kernels.msa.tree_growth import DONE, UNDER_WAY, WAITING, TreeGrowth
from antidiag.kernels.trees.tree_layout import TreeLayout, TreeShape, lay_out_tree

MARGIN = 8.0
NAMES = 0.25  # largest share of the width for names
DISC, ROOM = 3.0, 9.0  # pixels of a node's disc, and of the lowest row with discs
ARROW = 12.0


@dataclass(eq=False)
class GrowthPicture:
    """Draws the tree at a moment, and finds the node at a position."""

    growth: TreeGrowth
    layout: TreeLayout = field(init=False)
    _drawn: VisibleBranches | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.layout = lay_out_tree(self.growth.tree, TreeShape.RECTANGULAR, lengths=False)

    def draw_tree(self, painter: QPainter, area: QRectF, states: np.ndarray) -> None:
        """Draw the tree with its nodes in these states, and names where they can be read."""
        found, font = self.layout, painter.fontMetrics()
        down = area.height() / max(found.rows, 1)
        named = down >= font.height() * 0.8
        names = NAMES * area.width() if named else 0.0
        across = (area.width() - STEM - 2 * MARGIN - names) / max(float(found.far[0]), 1e-12)
        frame = TreeFrame(across, down, area.left() + STEM + MARGIN, area.top(), area.right(), area.bottom())
        self._drawn = find_visible_branches(found, frame)
        # A line for a whole clade has the state of its root, which is aligned last.
        for state in (WAITING, DONE, UNDER_WAY):
            lines = self._drawn.lines[states[self._drawn.owners] == state]
            painter.setPen(QPen(QColor(state_colour(state)), 1.0 if state == WAITING else 2.0))
            painter.drawLines([QLineF(*line) for line in lines.tolist()])
        if down >= ROOM:
            self._draw_nodes(painter, frame, states)
        if named:
            self._draw_names(painter, frame, area)

    def node_at(self, place: QPointF) -> int | None:
        """Return the node whose branch is at a position, or None."""
        return self._drawn.node_at(place.x(), place.y()) if self._drawn is not None else None

    def _draw_nodes(self, painter: QPainter, frame: TreeFrame, states: np.ndarray) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for node in self.growth.inner_nodes.tolist():
            painter.setBrush(QColor(state_colour(int(states[node]))))
            size = DISC * (1.6 if states[node] == UNDER_WAY else 1)
            painter.drawEllipse(QPointF(frame.px(self.layout.along[node]), frame.py(self.layout.row[node])), size, size)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_names(self, painter: QPainter, frame: TreeFrame, area: QRectF) -> None:
        painter.setPen(QColor(theme.active().text))
        font, tree = painter.fontMetrics(), self.growth.tree
        for leaf in tree.leaves.tolist():
            x = float(frame.px(self.layout.along[leaf])) + MARGIN
            text = font.elidedText(tree.names[leaf], Qt.TextElideMode.ElideRight, int(area.right() - x))
            painter.drawText(QPointF(x, float(frame.py(self.layout.row[leaf])) + font.ascent() / 2 - 1), text)


def state_colour(state: int) -> str:
    """Return the colour of a waiting, running or finished node."""
    active = theme.active()
    return {WAITING: active.border, UNDER_WAY: active.recomputed, DONE: active.accent}[state]


def legend_items() -> tuple[LegendItem, ...]:
    """Return the legend of the states of a node."""
    words = {DONE: "aligned", UNDER_WAY: "being aligned", WAITING: "waits for its children"}
    return tuple(LegendItem("line", text, (state_colour(state),)) for state, text in words.items())


def stages_height(line: float) -> float:
    """Return the height of the row of stages for this height of a line of text."""
    return 2 * line + 3 * MARGIN


def draw_stages(painter: QPainter, area: QRectF, times: tuple[PhaseTime, ...], current: str) -> None:
    """Draw the stages as boxes with their times and shares; ``current`` has a frame."""
    if not times:
        return
    active, font = theme.active(), painter.fontMetrics()
    names = tuple(time.name for time in times)
    width = (area.width() - ARROW * (len(times) - 1)) / len(times)
    for place, time in enumerate(times):
        box = QRectF(area.left() + place * (width + ARROW), area.top() + 1, width, area.height() - 2)
        painter.fillRect(box, QColor(active.hover))
        share = QRectF(box.left(), box.bottom() - 4, box.width() * time.share, 4)
        painter.fillRect(share, QColor(phase_colour(time.name, names, active.phases)))
        lit = time.name == current
        painter.setPen(QPen(QColor(active.recomputed if lit else active.border), 2 if lit else 1))
        painter.drawRect(box)
        painter.setPen(QColor(active.text))
        words = (time.name, f"{texts.format_duration(time.time_ms)} \N{MIDDLE DOT} {time.share:.0%}")
        for number, text in enumerate(words):
            line = QRectF(box.left() + 4, box.top() + 4 + number * font.height(), box.width() - 8, font.height())
            shown = font.elidedText(text, Qt.TextElideMode.ElideRight, int(line.width()))
            painter.drawText(line, Qt.AlignmentFlag.AlignCenter, shown)
        if place:
            painter.setPen(QColor(active.muted))
            middle = QPointF(box.left() - ARROW / 2, box.center().y())
            for end in (-4, 4):
                painter.drawLine(QPointF(middle.x() - 2, middle.y() + end), QPointF(middle.x() + 2, middle.y()))
