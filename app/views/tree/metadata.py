"""What a table says of the taxa, beside the tips of a tree: columns of coloured cells, or rings around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPolygonF

from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.tree.frame import Frame, tip_spacing
from antidiag.app.kit.tree.layout import Layout, Shape
from antidiag.app.theme import Theme
from antidiag.app.views.tree.colours import Colouring, by_labels, by_values
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_notes import NUMBER, Table
from antidiag.kernels.io.tree import Tree

CELL, BETWEEN, BESIDE = 13.0, 2.0, 6.0
"""Pixels of a cell, between two columns, and beside all of them."""
TITLE_FONT, LONGEST_TITLE = 11, 72.0
"""Pixels of the font of titles, and of the longest one."""
FEW = 5
"""Different numbers up to which a column of numbers is one of classes."""
SINGLY = 1500
"""Cells of a column that are painted one by one; more are one for each pixel."""
PIECES = 8
"""Corners of the curved side of a cell of a ring."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a table, each with a colour for each node of a tree; a clade has one where all of it agree."""

    table: Table
    colourings: tuple[Colouring, ...]

    @property
    def width(self) -> float:
        """Pixels from the tips to the names."""
        return BESIDE + len(self.colourings) * (CELL + BETWEEN)

    @property
    def items(self) -> tuple[LegendItem, ...]:
        return tuple(
            item
            for title, colouring in zip(self.table.titles, self.colourings, strict=True)
            for item in (LegendItem("text", f"{title}:"), *colouring.items)
        )

    def header(self, font: QFont) -> float:
        """Pixels that the upright titles take above the columns."""
        metrics = QFontMetricsF(_titles(font))
        return min(max(map(metrics.horizontalAdvance, self.table.titles)), LONGEST_TITLE) + BETWEEN

    def about(self, name: str) -> str:
        """What the table says of a name."""
        values = self.table.values.get(name, ())
        return "   ".join(f"{title} {value}" for title, value in zip(self.table.titles, values, strict=False) if value)


def columns(tree: Tree, table: Table, theme: Theme) -> Columns:
    """The columns of a table for a tree."""
    return Columns(table, tuple(colouring(tree, table, title, theme) for title in table.titles))


def colouring(tree: Tree, table: Table, title: str, theme: Theme) -> Colouring:
    """The colours of a column: a scale where it has many different numbers, else one for each frequent word."""
    number = table.titles.index(title)
    words = [table.values[name][number] if name in table.values else "" for name in tree.taxa]
    said = {word for word in words if word}
    if len(said) <= FEW or not all(NUMBER.fullmatch(word) for word in said):
        return by_labels(tree, words, theme)
    values = np.array([float(word.replace(",", "").replace("_", "")) if word else np.nan for word in words])
    known = np.zeros(len(tree))
    known[tree.leaves] = ~np.isnan(values)
    summed = np.zeros(len(tree))
    summed[tree.leaves] = np.nan_to_num(values)
    counts = tree.below(known)
    means = np.divide(tree.below(summed), counts, out=np.full(len(tree), np.nan), where=counts > 0)
    return by_values(tree, means, title, theme)


def met(tree: Tree, table: Table, source: str) -> int:
    """How many taxa a table names; InputError where it names none."""
    found = sum(name in table.values for name in tree.taxa)
    if not found:
        raise InputError(
            f"{source}: none of its {len(table.values):,} names is that of a taxon; the first column has them"
        )
    return found


def as_plain(table: Table) -> dict[str, Any]:
    """A table as plain values, for a session."""
    return {"titles": list(table.titles), "values": {name: list(values) for name, values in table.values.items()}}


def from_plain(kept: Mapping[str, Any]) -> Table:
    """The table that `as_plain` gave."""
    return Table(tuple(kept["titles"]), {name: tuple(values) for name, values in kept["values"].items()})


def paint(painter: QPainter, layout: Layout, shown: Columns, frame: Frame, theme: Theme) -> None:
    """Draw the columns beside a straight tree, or the rings around a circular one."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    if layout.shape == Shape.CIRCULAR:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, colouring in enumerate(shown.colourings):
            _ring(painter, layout, colouring, frame, number)
    else:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for number, colouring in enumerate(shown.colourings):
            _column(painter, layout, colouring, frame, number)
        _title(painter, layout, shown, frame, theme)
    painter.restore()


def _column(painter: QPainter, layout: Layout, colouring: Colouring, frame: Frame, number: int) -> None:
    left = _left(layout, frame, number)
    tips = layout.tips
    top, bottom = frame.py(layout.first[tips] - 0.5), frame.py(layout.last[tips] + 0.5)
    seen = np.flatnonzero((bottom >= 0) & (top <= frame.height))
    if seen.size > SINGLY:
        rows = np.arange(0, int(frame.height) + 1)
        seen = np.unique(np.clip(np.searchsorted(bottom, rows), 0, tips.size - 1))
    for tip, high, low in zip(tips[seen].tolist(), top[seen].tolist(), bottom[seen].tolist(), strict=True):
        if colour := colouring.of(tip):
            room = 1 if low - high > 4 else 0
            painter.fillRect(QRectF(left, high, CELL, max(low - high - room, 1)), QColor(colour))


def _ring(painter: QPainter, layout: Layout, colouring: Colouring, frame: Frame, number: int) -> None:
    tips = layout.tips
    step = max(int(np.ceil(1 / max(tip_spacing(layout, frame), 1e-9))), 1)
    inner = float(layout.far[0]) * frame.across + BESIDE + number * (CELL + BETWEEN)
    low, high = layout.theta(layout.first[tips] - 0.5), layout.theta(layout.last[tips] + 0.5 * (2 * step - 1))
    for at in range(0, tips.size, step):
        if colour := colouring.of(int(tips[at])):
            angles = np.linspace(low[at], high[at], PIECES)
            sides = [(inner, angles), (inner + CELL, angles[::-1])]
            corners = [
                QPointF(frame.left + radius * np.cos(angle), frame.top + radius * np.sin(angle))
                for radius, side in sides
                for angle in side.tolist()
            ]
            painter.setBrush(QColor(colour))
            painter.drawPolygon(QPolygonF(corners))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _title(painter: QPainter, layout: Layout, shown: Columns, frame: Frame, theme: Theme) -> None:
    """Upright titles over the columns; they stay in sight while the rows move."""
    painter.setFont(_titles(painter.font()))
    metrics, header = QFontMetricsF(painter.font()), shown.header(painter.font())
    base = max(float(frame.py(-0.5)) - BETWEEN, header)
    band = QRectF(_left(layout, frame, 0) - BETWEEN, base - header, shown.width, header)
    painter.fillRect(band, QColor(theme.panel))
    painter.setPen(QColor(theme.muted))
    for number, title in enumerate(shown.table.titles):
        painter.save()
        painter.translate(_left(layout, frame, number) + (CELL + metrics.ascent()) / 2, base)
        painter.rotate(-90)
        painter.drawText(QPointF(0, 0), metrics.elidedText(title, Qt.TextElideMode.ElideRight, LONGEST_TITLE))
        painter.restore()


def _left(layout: Layout, frame: Frame, number: int) -> float:
    return float(frame.px(layout.far[0])) + BESIDE + number * (CELL + BETWEEN)


def _titles(font: QFont) -> QFont:
    made = QFont(font)
    made.setPixelSize(TITLE_FONT)
    return made
