"""Table columns beside the tips of a tree as coloured cells, or as rings around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPolygonF

from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting.fonts_and_colours import resized_font
from antidiag.app.kit.tree.visible_branches import TreeFrame, tip_spacing
from antidiag.app.theme import Theme
from antidiag.app.views.tree.tree_colours import TreeColouring, colour_by_labels, colour_by_values
from antidiag.kernels.alignments.row_notes import NUMBER, NoteTable
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.trees.tree_layout import TreeLayout, TreeShape

CELL_PIXELS, BETWEEN, BESIDE = 13.0, 2.0, 6.0  # pixels of a cell, between two columns, and beside all of them
TITLE_FONT, LONGEST_TITLE = 11, 72.0  # pixels of the title font, and of the longest title
MOST_CLASSES = 5  # different numbers up to which a numeric column has classes
MOST_SINGLE_CELLS = 1500  # cells that are painted one by one; of more, one per pixel
ARC_POINTS = 8  # points of the curved side of a ring cell


@dataclass(frozen=True, eq=False)
class TipColumns:
    """The columns of a table with a colour for each node; a clade has one if its leaves agree."""

    table: NoteTable
    colourings: tuple[TreeColouring, ...]

    @property
    def total_width(self) -> float:
        """Pixels from the tips to the names."""
        return BESIDE + len(self.colourings) * (CELL_PIXELS + BETWEEN)

    @property
    def legend_items(self) -> tuple[LegendItem, ...]:
        """The legend of all columns."""
        return tuple(
            item
            for title, colouring in zip(self.table.titles, self.colourings, strict=True)
            for item in (LegendItem("text", f"{title}:"), *colouring.items)
        )

    def header_height(self, font: QFont) -> float:
        """Return the pixels of the upright titles."""
        metrics = QFontMetricsF(resized_font(font, TITLE_FONT))
        return min(max(map(metrics.horizontalAdvance, self.table.titles)), LONGEST_TITLE) + BETWEEN

    def describe_taxon(self, name: str) -> str:
        """Return the table's values for a name."""
        values = self.table.values.get(name, ())
        return "   ".join(f"{title} {value}" for title, value in zip(self.table.titles, values, strict=False) if value)


def create_columns(tree: Tree, table: NoteTable, theme: Theme) -> TipColumns:
    """Return the columns of a table for a tree."""
    return TipColumns(table, tuple(colour_by_column(tree, table, title, theme) for title in table.titles))


def colour_by_column(tree: Tree, table: NoteTable, title: str, theme: Theme) -> TreeColouring:
    """Return the colours of a column: a scale for many different numbers, else a colour per frequent word."""
    number = table.titles.index(title)
    words = [table.values[name][number] if name in table.values else "" for name in tree.taxa]
    said = {word for word in words if word}
    if len(said) <= MOST_CLASSES or not all(NUMBER.fullmatch(word) for word in said):
        return colour_by_labels(tree, words, theme)
    values = np.array([float(word.replace(",", "").replace("_", "")) if word else np.nan for word in words])
    known = np.zeros(len(tree))
    known[tree.leaves] = ~np.isnan(values)
    summed = np.zeros(len(tree))
    summed[tree.leaves] = np.nan_to_num(values)
    counts = tree.below(known)
    means = np.divide(tree.below(summed), counts, out=np.full(len(tree), np.nan), where=counts > 0)
    return colour_by_values(tree, means, title, theme)


def columns_of_tree(tree: Tree) -> NoteTable | None:
    """Return the values that the file of a tree gives its taxa, as a table; None where it gives none."""
    leaves = tree.leaves.tolist()
    columns = {
        title: [column[leaf] for leaf in leaves]
        for title, column in tree.node_values.items()
        if any(column[leaf] for leaf in leaves)
    }
    if not columns:
        return None
    return NoteTable(tuple(columns), dict(zip(tree.taxa, zip(*columns.values(), strict=True), strict=True)))


def count_named_taxa(tree: Tree, table: NoteTable, source: str) -> int:
    """Return how many taxa a table names; raise InputError for none."""
    found = sum(name in table.values for name in tree.taxa)
    if not found:
        raise InputError(
            f"{source}: none of the {len(table.values):,} names in the first column is a taxon of this tree"
        )
    return found


def table_to_dict(table: NoteTable | None) -> dict[str, Any]:
    """Return a table, or none, as plain values for a session."""
    if table is None:
        return {"titles": [], "values": {}}
    return {"titles": list(table.titles), "values": {name: list(values) for name, values in table.values.items()}}


def table_from_dict(saved: Mapping[str, Any]) -> NoteTable | None:
    """Return the table of `table_to_dict`."""
    if not saved["titles"]:
        return None
    return NoteTable(tuple(saved["titles"]), {name: tuple(values) for name, values in saved["values"].items()})


def paint_columns(painter: QPainter, layout: TreeLayout, shown: TipColumns, frame: TreeFrame, theme: Theme) -> None:
    """Draw the columns beside a straight tree, or rings around a circular one."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    if layout.shape == TreeShape.CIRCULAR:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, colouring in enumerate(shown.colourings):
            _paint_ring(painter, layout, colouring, frame, number)
    else:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for number, colouring in enumerate(shown.colourings):
            _paint_column(painter, layout, colouring, frame, number)
        _paint_titles(painter, layout, shown, frame, theme)
    painter.restore()


def _paint_column(
    painter: QPainter, layout: TreeLayout, colouring: TreeColouring, frame: TreeFrame, number: int
) -> None:
    left = _column_left(layout, frame, number)
    tips = layout.tips
    top, bottom = frame.py(layout.first[tips] - 0.5), frame.py(layout.last[tips] + 0.5)
    seen = np.flatnonzero((bottom >= 0) & (top <= frame.height))
    if seen.size > MOST_SINGLE_CELLS:
        rows = np.arange(0, int(frame.height) + 1)
        seen = np.unique(np.clip(np.searchsorted(bottom, rows), 0, tips.size - 1))
    for tip, high, low in zip(tips[seen].tolist(), top[seen].tolist(), bottom[seen].tolist(), strict=True):
        if colour := colouring.node_colour(tip):
            room = 1 if low - high > 4 else 0
            painter.fillRect(QRectF(left, high, CELL_PIXELS, max(low - high - room, 1)), QColor(colour))


def _paint_ring(painter: QPainter, layout: TreeLayout, colouring: TreeColouring, frame: TreeFrame, number: int) -> None:
    tips = layout.tips
    step = max(int(np.ceil(1 / max(tip_spacing(layout, frame), 1e-9))), 1)
    inner = float(layout.far[0]) * frame.across + BESIDE + number * (CELL_PIXELS + BETWEEN)
    low, high = layout.row_angles(layout.first[tips] - 0.5), layout.row_angles(layout.last[tips] + 0.5 * (2 * step - 1))
    for at in range(0, tips.size, step):
        if colour := colouring.node_colour(int(tips[at])):
            angles = np.linspace(low[at], high[at], ARC_POINTS)
            sides = [(inner, angles), (inner + CELL_PIXELS, angles[::-1])]
            corners = [
                QPointF(frame.left + radius * np.cos(angle), frame.top + radius * np.sin(angle))
                for radius, side in sides
                for angle in side.tolist()
            ]
            painter.setBrush(QColor(colour))
            painter.drawPolygon(QPolygonF(corners))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_titles(painter: QPainter, layout: TreeLayout, shown: TipColumns, frame: TreeFrame, theme: Theme) -> None:
    """Draw upright titles over the columns; they stay visible while rows move."""
    painter.setFont(resized_font(painter.font(), TITLE_FONT))
    metrics, header = QFontMetricsF(painter.font()), shown.header_height(painter.font())
    base = max(float(frame.py(-0.5)) - BETWEEN, header)
    band = QRectF(_column_left(layout, frame, 0) - BETWEEN, base - header, shown.total_width, header)
    painter.fillRect(band, QColor(theme.panel))
    painter.setPen(QColor(theme.muted))
    for number, title in enumerate(shown.table.titles):
        painter.save()
        painter.translate(_column_left(layout, frame, number) + (CELL_PIXELS + metrics.ascent()) / 2, base)
        painter.rotate(-90)
        painter.drawText(QPointF(0, 0), metrics.elidedText(title, Qt.TextElideMode.ElideRight, LONGEST_TITLE))
        painter.restore()


def _column_left(layout: TreeLayout, frame: TreeFrame, number: int) -> float:
    return float(frame.px(layout.far[0])) + BESIDE + number * (CELL_PIXELS + BETWEEN)
