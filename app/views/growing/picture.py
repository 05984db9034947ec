"""The tree of a multiple alignment as it fills, and the stages of the run, painted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import texts, theme
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.phase_times import PhaseTime, colour_of
from antidiag.app.kit.tree.frame import REACH, STEM, Branches, Frame, branches, line_distances
from antidiag.app.kit.tree.layout import Layout, Shape, layout
from antidiag.kernels.msa.growth import DONE, UNDER_WAY, WAITING, Growth

MARGIN = 8.0
NAMES = 0.25
"""The share of the width that names take at most."""
DISC, ROOM = 3.0, 9.0
"""Pixels of the disc of a node, and of a row from which on nodes have one."""
ARROW = 12.0


@dataclass(eq=False)
class GrowthPicture:
    """Draws a growth at a moment, and knows which node is where."""

    growth: Growth
    layout: Layout = field(init=False)
    _drawn: Branches | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.layout = layout(self.growth.tree, Shape.RECTANGULAR, lengths=False)

    def draw(self, painter: QPainter, area: QRectF, states: np.ndarray) -> None:
        """The tree by ``states`` of its nodes (`Growth.states`), names beside it where they can be read."""
        found, font = self.layout, painter.fontMetrics()
        down = area.height() / max(found.rows, 1)
        named = down >= font.height() * 0.8
        names = NAMES * area.width() if named else 0.0
        across = (area.width() - STEM - 2 * MARGIN - names) / max(float(found.far[0]), 1e-12)
        frame = Frame(across, down, area.left() + STEM + MARGIN, area.top(), area.right(), area.bottom())
        self._drawn = branches(found, frame)
        # A line that stands for a clade is done when its node is, which is last of all in it.
        for state in (WAITING, DONE, UNDER_WAY):
            of = self._drawn.lines[states[self._drawn.owners] == state]
            painter.setPen(QPen(QColor(colour(state)), 1.0 if state == WAITING else 2.0))
            painter.drawLines([QLineF(*line) for line in of.tolist()])
        if down >= ROOM:
            self._draw_nodes(painter, frame, states)
        if named:
            self._draw_names(painter, frame, area)

    def node_at(self, place: QPointF) -> int | None:
        """The node whose branch is under a place of the last picture."""
        if self._drawn is None or not len(self._drawn.lines):
            return None
        away = line_distances(self._drawn.lines, place.x(), place.y())
        nearest = int(away.argmin())
        return int(self._drawn.owners[nearest]) if away[nearest] <= REACH else None

    def _draw_nodes(self, painter: QPainter, frame: Frame, states: np.ndarray) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for node in self.growth.inner.tolist():
            painter.setBrush(QColor(colour(int(states[node]))))
            size = DISC * (1.6 if states[node] == UNDER_WAY else 1)
            at = QPointF(frame.px(self.layout.along[node]), frame.py(self.layout.row[node]))
            painter.drawEllipse(at, size, size)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_names(self, painter: QPainter, frame: Frame, area: QRectF) -> None:
        painter.setPen(QColor(theme.active().text))
        font, tree = painter.fontMetrics(), self.growth.tree
        for leaf in tree.leaves.tolist():
            x = float(frame.px(self.layout.along[leaf])) + MARGIN
            text = font.elidedText(tree.names[leaf], Qt.TextElideMode.ElideRight, int(area.right() - x))
            painter.drawText(QPointF(x, float(frame.py(self.layout.row[leaf])) + font.ascent() / 2 - 1), text)


def colour(state: int) -> str:
    """Of what waits, is under way, or is done."""
    active = theme.active()
    return {WAITING: active.border, UNDER_WAY: active.recomputed, DONE: active.accent}[state]


def legend() -> tuple[LegendItem, ...]:
    words = {DONE: "aligned", UNDER_WAY: "being aligned", WAITING: "waits for what is below it"}
    return tuple(LegendItem("line", text, (colour(state),)) for state, text in words.items())


def stages_height(line: float) -> float:
    """Pixels of the row of stages, for a line of text of so many."""
    return 2 * line + 3 * MARGIN


def draw_stages(painter: QPainter, area: QRectF, times: tuple[PhaseTime, ...], current: str) -> None:
    """The stages as boxes in their order, each with its time, its share below; ``current`` is framed."""
    if not times:
        return
    active, font = theme.active(), painter.fontMetrics()
    names = tuple(time.name for time in times)
    width = (area.width() - ARROW * (len(times) - 1)) / len(times)
    for place, time in enumerate(times):
        box = QRectF(area.left() + place * (width + ARROW), area.top() + 1, width, area.height() - 2)
        painter.fillRect(box, QColor(active.hover))
        share = QRectF(box.left(), box.bottom() - 4, box.width() * time.share, 4)
        painter.fillRect(share, QColor(colour_of(time.name, names, active.phases)))
        painter.setPen(QPen(QColor(active.recomputed if time.name == current else active.border),
                            2 if time.name == current else 1))  # fmt: skip
        painter.drawRect(box)
        painter.setPen(QColor(active.text))
        words = (time.name, f"{texts.duration(time.time_ms)} \N{MIDDLE DOT} {time.share:.0%}")
        for number, text in enumerate(words):
            line = QRectF(box.left() + 4, box.top() + 4 + number * font.height(), box.width() - 8, font.height())
            shown = font.elidedText(text, Qt.TextElideMode.ElideRight, int(line.width()))
            painter.drawText(line, Qt.AlignmentFlag.AlignCenter, shown)
        if place:
            painter.setPen(QColor(active.muted))
            middle = QPointF(box.left() - ARROW / 2, box.center().y())
            for end in (-4, 4):
                painter.drawLine(QPointF(middle.x() - 2, middle.y() + end), QPointF(middle.x() + 2, middle.y()))
