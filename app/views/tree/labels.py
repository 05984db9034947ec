"""Which names of a tree are written, where, and how large: as many as can be read, and no two over each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PySide6.QtGui import QFont, QFontMetricsF

from antidiag.app.kit.tree.frame import Frame, tip_spacing
from antidiag.app.kit.tree.layout import Layout, Shape

SMALLEST, LARGEST = 7.0, 12.5
"""Pixels of a font, where rows are narrow and wide."""
THINNED = 9.0
"""Pixels of the font where not all names have room."""
GAP = 5
CANDIDATES = 500
"""Names that are tried at most where they could lie over each other."""
MOVING = 60
"""About so many turned names are written while a tree in a circle moves: each takes some 70 microseconds."""
EDGE = 2
"""Pixels between a name that is cut and the edge of the window."""
FLAT = 1e-6
CELL = 5
"""Pixels of a cell of the grid that knows what is taken."""
NUMBER = re.compile(r"[-+.\deE]+")


@dataclass(frozen=True, eq=False)
class Labels:
    """Tips whose names are written: where each begins, its angle, and whether some tips had to do without."""

    tips: np.ndarray
    x: np.ndarray
    y: np.ndarray
    angle: np.ndarray
    font: QFont
    thinned: bool


def text_of(layout: Layout, node: int) -> str:
    """What is written at a tip: its name; of a collapsed clade its name, if that is no number, and its taxa."""
    name = layout.tree.names[node]
    if not layout.collapsed[node]:
        return name
    count = f"{layout.tree.leaf_counts[node]:,} taxa"
    return f"{name} \u00b7 {count}" if name and not NUMBER.fullmatch(name) else count


def labels(
    layout: Layout,
    frame: Frame,
    lines: np.ndarray,
    base: QFont,
    aligned: bool,
    before: Labels | None = None,
    largest: float = LARGEST,
    offset: float = 0.0,
) -> Labels:
    """The names to write in a window where ``lines`` are the branches, ``offset`` pixels beside the tips.

    With the names written ``before``, those are written again in the round shapes, where a choice takes long: while
    the tree moves.
    """
    spacing = tip_spacing(layout, frame)
    size = min(max(0.86 * spacing, SMALLEST), largest)
    thinned = 0.86 * spacing < SMALLEST
    font = _font(base, THINNED if thinned else size)
    height = QFontMetricsF(font).height()
    if layout.shape == Shape.UNROOTED:
        font = _font(base, largest - 1)
        if before is None:
            return _scattered(layout, frame, lines, font)
        x, y = ends(layout, frame, before.tips)
        return Labels(before.tips, x, y, before.angle, font, before.thinned)
    if layout.shape == Shape.CIRCULAR:
        return _circular(layout, frame, font, aligned, thinned, before, offset)
    rows, ways = tips_in_rows(layout)
    first, last = np.searchsorted(rows, (frame.y(-height), frame.y(frame.height + height))).tolist()
    tips, y = layout.tips[first:last], frame.py(rows[first:last])
    along = np.full(tips.size, float(layout.far[0])) if aligned else ways[first:last]
    if thinned:
        step = max(int(np.ceil(height / spacing)), 1)
        # Multiples of the step in all tips, so that names stay where they are while the tree is moved.
        kept = (
            np.arange(-first % step, tips.size, step)
            if aligned
            else _longest(along, y, height, [0, *range(step - first % step, tips.size, step)])
        )
        tips, y, along = tips[kept], y[kept], along[kept]
    return Labels(tips, frame.px(along) + GAP + offset, y, np.zeros(tips.size), font, thinned)


def room(frame: Frame, x: float, y: float, angle: float) -> float:
    """Pixels from a place in a direction to the edge of the window; infinite where the place is not inside."""
    if not (0 <= x <= frame.width and 0 <= y <= frame.height):
        return float("inf")
    ways = [float("inf")]
    for place, size, direction in ((x, frame.width, np.cos(angle)), (y, frame.height, np.sin(angle))):
        if abs(direction) > FLAT:
            ways.append(((size - EDGE if direction > 0 else EDGE) - place) / direction)
    return max(float(min(ways)), 0.0)


@lru_cache(maxsize=2)
def tips_in_rows(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """The rows of all tips, which ascend, and how far from the root they end."""
    return layout.row[layout.tips], tip_ends(layout, layout.tips)


def tip_ends(layout: Layout, tips: np.ndarray) -> np.ndarray:
    """How far from the root tips end; a collapsed clade ends at its farthest leaf."""
    return np.where(layout.collapsed[tips], layout.far[tips], layout.along[tips])


def ends(layout: Layout, frame: Frame, tips: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pixels where the names of tips begin, in the round shapes."""
    cos, sin = np.cos(layout.angle[tips]), np.sin(layout.angle[tips])
    beyond = np.where(layout.collapsed[tips], layout.reach[tips], 0.0) * frame.across + GAP
    return frame.px(layout.x[tips]) + beyond * cos, frame.py(layout.y[tips]) + beyond * sin


def _longest(along: np.ndarray, y: np.ndarray, height: float, starts: list[int]) -> np.ndarray:
    """Of the tips from each of ``starts`` to the next, the one that reaches farthest if no other tip beside it would
    cross its name."""
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


def _circular(
    layout: Layout, frame: Frame, font: QFont, aligned: bool, thinned: bool, before: Labels | None, offset: float
) -> Labels:
    spacing, line = max(tip_spacing(layout, frame), 1e-9), QFontMetricsF(font).height()
    tips = layout.tips if before is None else before.tips[:: max(before.tips.size // MOVING, 1)]
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
            else seen[_longest(along[seen], rows, line, np.flatnonzero(np.diff(seen // step, prepend=-1)).tolist())]
        )
    angle, radius = layout.angle[tips[seen]], along[seen] * frame.across + GAP + offset
    return Labels(
        tips[seen],
        frame.left + radius * np.cos(angle),
        frame.top + radius * np.sin(angle),
        angle,
        font,
        thinned,
    )


def _scattered(layout: Layout, frame: Frame, lines: np.ndarray, font: QFont) -> Labels:
    """Names along their branches, where no branch and no other name is.

    Tips are tried that are the farthest from the root among their neighbours, and of these the farthest first.
    """
    metrics, tips = QFontMetricsF(font), layout.tips
    x, y = ends(layout, frame, tips)
    angle = layout.angle[tips]
    seen = np.flatnonzero((x >= 0) & (x <= frame.width) & (y >= 0) & (y <= frame.height))
    along = layout.along[tips[seen]]
    starts = np.arange(0, seen.size, max(seen.size // CANDIDATES, 1))
    parts = zip(starts.tolist(), [*starts[1:].tolist(), seen.size][: starts.size], strict=True)
    best = np.array([low + int(np.argmax(along[low:high])) for low, high in parts], np.int64)
    tried = seen[best[np.argsort(-along[best], kind="stable")]]
    taken = _crossed(lines, frame)
    kept = []
    for at in tried.tolist():
        length = metrics.horizontalAdvance(text_of(layout, int(tips[at])))
        cells = _cells(x[at], y[at], angle[at], length, metrics.height(), taken.shape)
        if not taken[cells].any():
            taken[cells] = True
            kept.append(at)
    chosen = np.sort(np.array(kept, np.int64))
    return Labels(tips[chosen], x[chosen], y[chosen], angle[chosen], font, len(kept) < seen.size)


def _crossed(lines: np.ndarray, frame: Frame) -> np.ndarray:
    """The cells of the window that branches cross, bool."""
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


def _cells(
    x: float, y: float, angle: float, length: float, height: float, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the grid that a text lies on, without those outside the window."""
    along = np.arange(CELL / 2, length + CELL, CELL)[:, None]
    aside = np.array([-0.35, 0.0, 0.35])[None, :] * height
    columns = ((x + along * np.cos(angle) - aside * np.sin(angle)) // CELL).astype(np.int64).ravel()
    rows = ((y + along * np.sin(angle) + aside * np.cos(angle)) // CELL).astype(np.int64).ravel()
    inside = (rows >= 0) & (columns >= 0) & (rows < shape[0]) & (columns < shape[1])
    return rows[inside], columns[inside]


def _font(base: QFont, pixels: float) -> QFont:
    font = QFont(base)
    font.setPixelSize(max(round(pixels), 1))
    return font
