"""The query as a bar with its hits below it, coloured by score, and how many hits cover each of its letters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.theme import Theme
from antidiag.app.views.search.hit_list import ShownHits

LEVELS = (40.0, 50.0, 80.0, 200.0)
"""Bit scores between two colours, those of BLAST's graphic summary."""
LIGHT_COLOURS = ("#9aa0a8", "#5aa7d6", "#2a9d76", "#d98200", "#b3261e")
DARK_COLOURS = ("#7b8490", "#56b4e9", "#3fc08f", "#f0a63a", "#ff7a70")
MARGIN, RULER, DEPTH, BAR = 10, 20, 34, 10  # pixels
ROW, GAP = 6, 3
LEAST_WIDTH = 2.0
TICKS = 6


@dataclass(frozen=True)
class QueryMap:
    """The hits that are drawn, from place ``first`` of the shown ones on; ``chosen`` is a place, or None."""

    shown: ShownHits
    first: int = 0
    chosen: int | None = None
    hovered: int | None = None

    def rows_in(self, height: float) -> int:
        """Return how many hits fit below the query."""
        return max(int((height - _top_of_hits()) // (ROW + GAP)), 0)

    def place_at(self, point: QPointF, area: QRectF) -> int | None:
        """Return the place of the hit at a point, None where there is none."""
        row = int((point.y() - area.top() - _top_of_hits()) // (ROW + GAP))
        place = self.first + row
        within = 0 <= row < self.rows_in(area.height()) and place < self.shown.order.size
        return place if within else None

    def letter_at(self, point: QPointF, area: QRectF) -> int | None:
        """Return the letter of the query, from 1, at a point."""
        length = len(self.shown.hits.query)
        letter = int((point.x() - area.left() - MARGIN) / max(area.width() - 2 * MARGIN, 1) * length) + 1
        return letter if 1 <= letter <= length else None


def score_colours(theme: Theme) -> tuple[str, ...]:
    """Return the colours of bit scores, from low to high."""
    return DARK_COLOURS if theme.name == "dark" else LIGHT_COLOURS


def score_legend(theme: Theme) -> tuple[LegendItem, ...]:
    """Return a swatch for each range of bit scores."""
    low = ("below 40 bits", "40\u201350", "50\u201380", "80\u2013200", "200 and more")
    return tuple(LegendItem("fill", text, (colour,)) for text, colour in zip(low, score_colours(theme), strict=True))


def draw_query_map(painter: QPainter, area: QRectF, picture: QueryMap, theme: Theme) -> None:
    """Draw ruler, coverage, query and hits."""
    left, width = area.left() + MARGIN, max(area.width() - 2 * MARGIN, 1)
    length = max(len(picture.shown.hits.query), 1)
    scale = width / length
    with saved_painter_state(painter):
        _draw_ruler(painter, left, area.top(), scale, length, theme)
        _draw_depth(painter, QRectF(left, area.top() + RULER, width, DEPTH), picture, theme)
        bar = QRectF(left, area.top() + RULER + DEPTH + GAP, width, BAR)
        painter.fillRect(bar, QColor(theme.accent))
        _draw_hits(painter, area, left, scale, picture, theme)


def _top_of_hits() -> float:
    return RULER + DEPTH + BAR + 3 * GAP


def _draw_ruler(painter: QPainter, left: float, top: float, scale: float, length: int, theme: Theme) -> None:
    """Write positions above the query."""
    painter.setPen(QPen(QColor(theme.muted), 1))
    metrics = painter.fontMetrics()
    step = _round_step(length / TICKS)
    for letter in [1, *range(step, length - step // 3, step), length]:
        x, text = left + (letter - 0.5) * scale, f"{letter:,}"
        width = metrics.horizontalAdvance(text)
        start = min(max(x - width / 2, left), left + length * scale - width)
        painter.drawText(QPointF(start, top + metrics.ascent()), text)
        painter.drawLine(QPointF(x, top + RULER - 3), QPointF(x, top + RULER))


def _round_step(wanted: float) -> int:
    """Return 1, 2 or 5 times a power of ten, not below ``wanted``."""
    power = 10 ** int(np.floor(np.log10(max(wanted, 1))))
    return int(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= wanted))


def count_depth(shown: ShownHits) -> np.ndarray | None:
    """Return how many of the shown hits cover each letter of the query, int64; None where hits are not aligned."""
    ranges = shown.hits.query_ranges
    if ranges is None:
        return None
    length = len(shown.hits.query)
    changes = np.bincount(ranges[shown.order, 0], minlength=length + 1).astype(np.int64)
    changes -= np.bincount(ranges[shown.order, 1], minlength=length + 1)
    return np.cumsum(changes)[:length]


def _draw_depth(painter: QPainter, area: QRectF, picture: QueryMap, theme: Theme) -> None:
    """Draw the number of hits over each letter as an area, with its maximum."""
    depth = picture.shown.values.setdefault("depth", count_depth(picture.shown))
    if depth is None or not depth.size or not depth.max():
        return
    highest, pixels = int(depth.max()), max(int(area.width()), 1)
    edges = np.linspace(0, depth.size, min(pixels, depth.size) + 1).astype(int)
    heights = np.maximum.reduceat(depth, edges[:-1]) / highest * area.height()
    points = [QPointF(area.left(), area.bottom())]
    for first, end, height in zip(edges[:-1], edges[1:], heights.tolist(), strict=True):
        y = area.bottom() - height
        points += [QPointF(area.left() + at / depth.size * area.width(), y) for at in (int(first), int(end))]
    points.append(QPointF(area.right(), area.bottom()))
    shade = QColor(theme.accent)
    shade.setAlpha(60)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(shade)
    painter.drawPolygon(QPolygonF(points))
    painter.setPen(QColor(theme.muted))
    text = f"up to {highest:,} {'hit' if highest == 1 else 'hits'}"
    painter.drawText(area.adjusted(2, 0, -2, 0), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, text)


def _draw_hits(painter: QPainter, area: QRectF, left: float, scale: float, picture: QueryMap, theme: Theme) -> None:
    shown, ranges = picture.shown, picture.shown.hits.query_ranges
    places = range(picture.first, min(picture.first + picture.rows_in(area.height()), shown.order.size))
    if ranges is None:
        painter.setPen(QColor(theme.muted))
        words = "Hits are not aligned; search with alignments to see where they lie"
        painter.drawText(QPointF(left, area.top() + _top_of_hits() + ROW + GAP), words)
        return
    rows = shown.order[places.start : places.stop]
    colours, levels = score_colours(theme), np.searchsorted(LEVELS, shown.hits.bits[rows], side="right")
    top = area.top() + _top_of_hits()
    for number, (place, row, level) in enumerate(zip(places, rows.tolist(), levels.tolist(), strict=True)):
        start, end = ranges[row].tolist()
        box = QRectF(left + start * scale, top + number * (ROW + GAP), max((end - start) * scale, LEAST_WIDTH), ROW)
        if place in (picture.chosen, picture.hovered):
            band = QColor(theme.selection)
            painter.fillRect(QRectF(area.left(), box.top() - GAP / 2, area.width(), ROW + GAP), band)
        painter.fillRect(box, QColor(colours[level]))
        if shown.hits.reverse[row]:  # an arrow to the left
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.panel))
            tip = QPolygonF([box.topLeft(), box.bottomLeft(), QPointF(box.left() + ROW / 2, box.center().y())])
            painter.drawPolygon(tip)
        if place == picture.chosen:
            painter.setPen(QPen(QColor(theme.text), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
