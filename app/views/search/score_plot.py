"""The distribution of the scores of a whole database, the curve that is expected by chance, and where hits begin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.theme import Theme
from antidiag.app.views.search.hit_list import HitList
from antidiag.kernels.model import sequence_lengths

LEFT, BOTTOM, TOP, RIGHT = 46, 34, 8, 10  # pixels around the plot
LEAST_COUNT = 0.5
LENGTH_CLASSES = 50
LEAST_AXIS, BEYOND_CHANCE = 20, 2.5
"""Least end of the axis, and how far it reaches beyond the scores that are expected."""
TICKS = 6


@dataclass(frozen=True, eq=False)
class ScoreDistribution:
    """How many sequences reach each score (whole units of the matrix from 0), and how many are expected to by chance.

    The last count holds all greater scores. ``limit`` is the least score whose E-value is allowed.
    """

    counts: np.ndarray
    expected: np.ndarray
    limit: float | None

    @property
    def last_score(self) -> int:
        """The end of the axis: what is expected and some more; the last place holds all greater scores.

        Otherwise few high scores would press what matters, where hits begin, into a corner.
        """
        reached, wide = np.flatnonzero(self.counts), np.flatnonzero(self.expected >= LEAST_COUNT)
        chance = max(int(wide[-1]) if wide.size else 0, int(self.limit or 0), LEAST_AXIS)
        highest = int(reached[-1]) if reached.size else 0
        return min(max(chance + 2, highest + 2), int(BEYOND_CHANCE * chance), self.counts.size)

    def shown_counts(self) -> np.ndarray:
        """Return the counts of the axis; the last one is that of all greater scores too."""
        shown = self.counts[: self.last_score].copy()
        shown[-1] += self.counts[self.last_score :].sum()
        return shown


def distribute_scores(hits: HitList) -> ScoreDistribution:
    """Return the distribution of the scores of one query.

    A sequence of L of all n letters reaches a score s by chance with the probability 1 - exp(-E(s) L / n), where E(s)
    is the E-value (Karlin and Altschul 1990); each searched strand counts. A prepared database is taken as one of
    sequences of the mean length.
    """
    problem, answer = hits.problem, hits.answer
    counts = answer.histogram[hits.query_number]
    database, scale = problem.database, problem.scoring.scale
    scores = np.arange(counts.size + 1, dtype=float) * scale
    letters, count = max(database.letter_count, 1), max(database.count, 1)
    lengths = sequence_lengths(database.sequences) if len(database.sequences) else np.array([letters / count])
    sizes = np.quantile(lengths, (np.arange(LENGTH_CLASSES) + 0.5) / LENGTH_CLASSES)
    every = np.stack(
        [
            answer.statistics.evalues(scores, len(hits.query), np.full(scores.shape, size), letters, count)
            for size in np.maximum(sizes, 1)
        ]
    )
    every = np.minimum.accumulate(every, axis=1) * len(problem.strands)
    beyond = count * -np.expm1(-every * (sizes / letters)[:, None]).mean(axis=0)
    within = np.flatnonzero(np.median(every, axis=0) <= problem.max_evalue)
    return ScoreDistribution(counts, beyond[:-1] - beyond[1:], float(within[0]) if within.size else None)


def plot_legend(theme: Theme) -> tuple[LegendItem, ...]:
    """Return what bars and lines mean."""
    return (
        LegendItem("fill", "sequences of the database", (theme.phases[0],)),
        LegendItem("line", "expected by chance", (theme.series[1], theme.panel)),
        LegendItem("dashes", "E-value limit", (theme.muted, theme.panel)),
        LegendItem("line", "chosen hit", (theme.path, theme.panel)),
    )


def draw_distribution(
    painter: QPainter, area: QRectF, found: ScoreDistribution, chosen_score: float | None, theme: Theme
) -> None:
    """Draw counts as bars on a logarithmic axis, the expected curve, and the limit."""
    plot = area.adjusted(LEFT, TOP, -RIGHT, -BOTTOM)
    if plot.width() < 20 or plot.height() < 20:
        return
    last, counts = found.last_score, found.shown_counts()
    highest = max(float(counts.max(initial=1)), float(found.expected[:last].max(initial=1.0)), 10.0)
    axes = _Axes(plot, last, np.log10(LEAST_COUNT), np.log10(highest) + 0.1)
    with saved_painter_state(painter):
        _draw_axes(painter, axes, bool(found.counts[last:].any()), theme)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.phases[0]))
        for score in np.flatnonzero(counts).tolist():
            top = axes.y(float(counts[score]))
            painter.drawRect(QRectF(axes.x(score), top, max(axes.width - (axes.width > 4), 1), plot.bottom() - top))
        _draw_curve(painter, axes, found.expected[:last], theme)
        if found.limit is not None:
            _draw_line(painter, axes, found.limit, QPen(QColor(theme.muted), 1.5, Qt.PenStyle.DashLine))
        if chosen_score is not None:
            _draw_line(painter, axes, min(chosen_score, last - 1) + 0.5, QPen(QColor(theme.path), 2))


@dataclass(frozen=True)
class _Axes:
    """The plot: scores 0 .. last across, the logarithm of counts upwards."""

    plot: QRectF
    last: int
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.plot.width() / self.last

    def x(self, score: float) -> float:
        return self.plot.left() + score * self.width

    def y(self, count: float) -> float:
        share = (np.log10(max(count, LEAST_COUNT)) - self.low) / (self.high - self.low)
        return self.plot.bottom() - float(np.clip(share, 0, 1)) * self.plot.height()


def _draw_axes(painter: QPainter, axes: _Axes, is_cut: bool, theme: Theme) -> None:
    plot, metrics = axes.plot, painter.fontMetrics()
    grid = QPen(QColor(theme.border), 1)
    for power in range(int(np.ceil(axes.low)), int(np.floor(axes.high)) + 1):
        y = axes.y(10.0**power)
        painter.setPen(grid)
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        painter.setPen(QColor(theme.muted))
        box = QRectF(plot.left() - LEFT, y - 10, LEFT - 6, 20)
        text = f"{10**power:,}" if power < 5 else f"1e{power}"
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    step = max(int(np.ceil(axes.last / TICKS / 5) * 5), 5)
    for score in range(0, axes.last, step):
        x = axes.x(score + 0.5)
        painter.setPen(grid)
        painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 4))
        painter.setPen(QColor(theme.muted))
        text = f"{score:,}"
        painter.drawText(QPointF(x - metrics.horizontalAdvance(text) / 2, plot.bottom() + 5 + metrics.ascent()), text)
    painter.drawLine(plot.bottomLeft(), plot.bottomRight())
    words = QRectF(plot.left(), plot.bottom() + BOTTOM - metrics.height(), plot.width(), metrics.height())
    more = f"score; {axes.last - 1:,} and more at the end" if is_cut else "score"
    painter.drawText(words, Qt.AlignmentFlag.AlignRight, more)


def _draw_curve(painter: QPainter, axes: _Axes, expected: np.ndarray, theme: Theme) -> None:
    points = [
        QPointF(axes.x(score + 0.5), axes.y(float(count)))
        for score, count in enumerate(expected.tolist())
        if count >= LEAST_COUNT
    ]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.series[1]), 2))
    painter.drawPolyline(QPolygonF(points))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _draw_line(painter: QPainter, axes: _Axes, score: float, pen: QPen) -> None:
    x = axes.x(score)
    painter.setPen(pen)
    painter.drawLine(QPointF(x, axes.plot.top()), QPointF(x, axes.plot.bottom()))


def score_at(found: ScoreDistribution, area: QRectF, point: QPointF) -> int | None:
    """Return the score at a point of the plot, None beside it."""
    plot = area.adjusted(LEFT, TOP, -RIGHT, -BOTTOM)
    if not plot.contains(point):
        return None
    return min(int((point.x() - plot.left()) / plot.width() * found.last_score), found.counts.size - 1)
