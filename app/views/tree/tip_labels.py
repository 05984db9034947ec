"""Selects the names to write: as many as are readable, without overlaps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QFont, QFontMetricsF

from antidiag.app.kit.painting.fonts_and_colours import resized_font
from antidiag.app.kit.tree.visible_branches import TreeFrame, tip_spacing
from antidiag.kernels.trees.tree_layout import TreeLayout, TreeShape

if TYPE_CHECKING:
    from antidiag.app.views.tree.tree_painter import TreePicture

SMALLEST_FONT, LARGEST = 7.0, 12.5  # pixels of the font in narrow and in wide rows
THINNED_FONT = 9.0  # pixels of the font where only some names fit
GAP = 5
CANDIDATES = 500  # names that are tried where names could overlap
MOVING_LABELS = 60  # turned names that are written while a round tree moves: each takes 70 microseconds
EDGE = 2  # pixels between a shortened name and the edge of the window
FLAT = 1e-6
CELL = 5  # pixels of a cell of the grid of occupied places
NUMBER = re.compile(r"[-+.\deE]+")


@dataclass(frozen=True, eq=False)
class TipLabels:
    """Tips whose names are written: start, angle, and whether some names were left out."""

    tips: np.ndarray
    x: np.ndarray
    y: np.ndarray
    angle: np.ndarray
    font: QFont
    thinned: bool


def tip_text(layout: TreeLayout, node: int) -> str:
    """Return the text at a tip; for a collapsed clade its name, if that is no number, and its taxa."""
    name = layout.tree.names[node]
    if not layout.collapsed[node]:
        return name
    count = f"{layout.tree.leaf_counts[node]:,} taxa"
    return f"{name} \u00b7 {count}" if name and not NUMBER.fullmatch(name) else count


def select_labels(
    picture: TreePicture, frame: TreeFrame, lines: np.ndarray, base: QFont, before: TipLabels | None = None
) -> TipLabels:
    """Select the names to write in a window; ``lines`` are the branches. With the
    names written ``before``, round shapes reuse that selection, which is slow, while the tree moves."""
    layout, aligned, offset = picture.layout, picture.aligns_names, picture.names_offset
    spacing = tip_spacing(layout, frame)
    size = min(max(0.86 * spacing, SMALLEST_FONT), picture.label_size)
    thinned = 0.86 * spacing < SMALLEST_FONT
    font = resized_font(base, THINNED_FONT if thinned else size)
    height = QFontMetricsF(font).height()
    if layout.shape == TreeShape.UNROOTED:
        font = resized_font(base, picture.label_size - 1)
        if before is None:
            return _unrooted_labels(layout, frame, lines, font)
        x, y = name_starts(layout, frame, before.tips)
        return TipLabels(before.tips, x, y, before.angle, font, before.thinned)
    if layout.shape == TreeShape.CIRCULAR:
        return _circular_labels(layout, frame, font, aligned, thinned, before, offset)
    rows, ways = tips_in_rows(layout)
    first, last = np.searchsorted(rows, (frame.y(-height), frame.y(frame.height + height))).tolist()
    tips, y = layout.tips[first:last], frame.py(rows[first:last])
    along = np.full(tips.size, float(layout.far[0])) if aligned else ways[first:last]
    if thinned:
        step = max(int(np.ceil(height / spacing)), 1)
        # Count the step over all tips, so that names stay in place while the tree moves.
        kept = (
            np.arange(-first % step, tips.size, step)
            if aligned
            else _select_longest(along, y, height, [0, *range(step - first % step, tips.size, step)])
        )
        tips, y, along = tips[kept], y[kept], along[kept]
    return TipLabels(tips, frame.px(along) + GAP + offset, y, np.zeros(tips.size), font, thinned)


def width_to_edge(frame: TreeFrame, x: float, y: float, angle: float) -> float:
    """Return the pixels from a place in a direction to the edge of the window; infinite from outside."""
    if not (0 <= x <= frame.width and 0 <= y <= frame.height):
        return float("inf")
    ways = [float("inf")]
    for place, size, direction in ((x, frame.width, np.cos(angle)), (y, frame.height, np.sin(angle))):
        if abs(direction) > FLAT:
            ways.append(((size - EDGE if direction > 0 else EDGE) - place) / direction)
    return max(float(min(ways)), 0.0)


@lru_cache(maxsize=2)
def tips_in_rows(layout: TreeLayout) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of all tips, ascending, and their distances from the root."""
    return layout.row[layout.tips], tip_ends(layout, layout.tips)


def tip_ends(layout: TreeLayout, tips: np.ndarray) -> np.ndarray:
    """Return how far from the root tips end; a collapsed clade ends at its farthest leaf."""
    return np.where(layout.collapsed[tips], layout.far[tips], layout.along[tips])


def name_starts(layout: TreeLayout, frame: TreeFrame, tips: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels where names of tips begin in round shapes."""
    cos, sin = np.cos(layout.angle[tips]), np.sin(layout.angle[tips])
    beyond = np.where(layout.collapsed[tips], layout.reach[tips], 0.0) * frame.across + GAP
    return frame.px(layout.x[tips]) + beyond * cos, frame.py(layout.y[tips]) + beyond * sin


def _select_longest(along: np.ndarray, y: np.ndarray, height: float, starts: list[int]) -> np.ndarray:
    """Of the tips from each of ``starts`` to the next, select the farthest-reaching one whose name crosses no tip."""
    if not along.size:
        return np.zeros(0, np.int64)
    kept, last = [], -np.inf
    for low, high in zip(starts, [*starts[1:], along.size], strict=True):
        best = low + int(np.argmax(along[low:high]))
        near = slice(*np.searchsorted(y, (y[best] - height / 2, y[best] + height / 2)))
        if y[best] - last >= height and along[near].max() <= along[best]:
            kept.append(best)
            last = float(y[best])
    return np.array(kept, np.int64)


def _circular_labels(
    layout: TreeLayout,
    frame: TreeFrame,
    font: QFont,
    aligned: bool,
    thinned: bool,
    before: TipLabels | None,
    offset: float,
) -> TipLabels:
    spacing, line = max(tip_spacing(layout, frame), 1e-9), QFontMetricsF(font).height()
    tips = layout.tips if before is None else before.tips[:: max(before.tips.size // MOVING_LABELS, 1)]
    numbers = np.arange(tips.size)
    along = np.full(tips.size, float(layout.far[0])) if aligned else tip_ends(layout, tips)
    stretch = np.divide(along, layout.along[tips], out=np.ones(tips.size), where=layout.along[tips] != 0)
    x, y = frame.px(layout.x[tips] * stretch), frame.py(layout.y[tips] * stretch)
    seen = numbers[(x >= -line) & (x <= frame.width + line) & (y >= -line) & (y <= frame.height + line)]
    if thinned and before is None:
        step = max(int(np.ceil(line / spacing)), 1)
        rows = layout.row[tips[seen]] * spacing
        seen = (
            seen[seen % step == 0]
            if aligned
            else seen[
                _select_longest(along[seen], rows, line, np.flatnonzero(np.diff(seen // step, prepend=-1)).tolist())
            ]
        )
    angle, radius = layout.angle[tips[seen]], along[seen] * frame.across + GAP + offset
    return TipLabels(
        tips[seen], frame.left + radius * np.cos(angle), frame.top + radius * np.sin(angle), angle, font, thinned
    )


def _unrooted_labels(layout: TreeLayout, frame: TreeFrame, lines: np.ndarray, font: QFont) -> TipLabels:
    """Select names along their branches where no branch and no other name is; the farthest tips first."""
    metrics, tips = QFontMetricsF(font), layout.tips
    x, y = name_starts(layout, frame, tips)
    angle = layout.angle[tips]
    seen = np.flatnonzero((x >= 0) & (x <= frame.width) & (y >= 0) & (y <= frame.height))
    along = layout.along[tips[seen]]
    starts = np.arange(0, seen.size, max(seen.size // CANDIDATES, 1))
    parts = zip(starts.tolist(), [*starts[1:].tolist(), seen.size][: starts.size], strict=True)
    best = np.array([low + int(np.argmax(along[low:high])) for low, high in parts], np.int64)
    tried = seen[best[np.argsort(-along[best], kind="stable")]]
    taken = _occupied_cells(lines, frame)
    kept = []
    for at in tried.tolist():
        length = metrics.horizontalAdvance(tip_text(layout, int(tips[at])))
        cells = _text_cells(x[at], y[at], angle[at], length, metrics.height(), taken.shape)
        if not taken[cells].any():
            taken[cells] = True
            kept.append(at)
    chosen = np.sort(np.array(kept, np.int64))
    return TipLabels(tips[chosen], x[chosen], y[chosen], angle[chosen], font, len(kept) < seen.size)


def _occupied_cells(lines: np.ndarray, frame: TreeFrame) -> np.ndarray:
    """Return the cells of the window that branches cross, bool."""
    taken = np.zeros((int(frame.height // CELL) + 2, int(frame.width // CELL) + 2), bool)
    pieces = np.ceil(np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]) / CELL).astype(np.int64)
    pieces = np.clip(pieces, 1, 400)
    line = np.repeat(np.arange(len(lines)), pieces)
    share = (np.arange(line.size) - np.repeat(np.cumsum(pieces) - pieces, pieces) + 0.5) / pieces[line]
    columns = ((lines[line, 0] + share * (lines[line, 2] - lines[line, 0])) // CELL).astype(np.int64)
    rows = ((lines[line, 1] + share * (lines[line, 3] - lines[line, 1])) // CELL).astype(np.int64)
    inside = (rows >= 0) & (columns >= 0) & (rows < taken.shape[0]) & (columns < taken.shape[1])
    taken[rows[inside], columns[inside]] = True
    return taken


def _text_cells(
    x: float, y: float, angle: float, length: float, height: float, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of the grid cells that a text covers inside the window."""
    along = np.arange(CELL / 2, length + CELL, CELL)[:, None]
    aside = np.array([-0.35, 0.0, 0.35])[None, :] * height
    columns = ((x + along * np.cos(angle) - aside * np.sin(angle)) // CELL).astype(np.int64).ravel()
    rows = ((y + along * np.sin(angle) + aside * np.cos(angle)) // CELL).astype(np.int64).ravel()
    inside = (rows >= 0) & (columns >= 0) & (rows < shape[0]) & (columns < shape[1])
    return rows[inside], columns[inside]
