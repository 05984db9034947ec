"""What of a tree is seen through a window, in pixels: branches as lines, thinned to what a screen can show.

A clade that is less than a pixel high is one line to its farthest leaf, so that the work for a picture follows
the pixels and not the leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.app.kit.tree.layout import TURN, Layout, Shape

STEM = 10
"""Pixels of the line that leads to the root."""
REACH = 9.0
"""Pixels around the mouse in which a branch is meant."""
ARC_STEP = 6
"""Pixels of one piece of an arc, where the detail is 1 or finer."""
MANY = 10_000
"""Lines from which equal ones are sought, and clades that are drawn at most in the unrooted shape."""


@dataclass(frozen=True)
class Frame:
    """A window onto a layout: a point (x, y) is at the pixels (left + x * across, top + y * down)."""

    across: float
    down: float
    left: float
    top: float
    width: float
    height: float

    def px(self, x: Any) -> Any:
        return self.left + x * self.across

    def py(self, y: Any) -> Any:
        return self.top + y * self.down

    def x(self, px: float) -> float:
        return (px - self.left) / self.across

    def y(self, py: float) -> float:
        return (py - self.top) / self.down


@dataclass(frozen=True, eq=False)
class Branches:
    """Lines in pixels, (lines, 4) as x, y, x, y, the node each belongs to, and whether it stands for a whole clade."""

    lines: np.ndarray
    owners: np.ndarray
    coarse: np.ndarray


def branches(layout: Layout, frame: Frame, detail: float = 1.0) -> Branches:
    """The lines of a tree in a window; clades less than ``detail`` pixels high are one line.

    A detail below 1 draws everything that a large print can show.
    """
    if layout.shape == Shape.UNROOTED and detail >= 1:
        parts = _parts(layout, frame.across, frame.down, _affordable(layout, frame, detail))
    else:
        parts = _kept_parts(layout, frame.across, frame.down, detail)
    if layout.shape == Shape.CIRCULAR:
        lines, owners = _circular(layout, frame, parts, ARC_STEP * max(detail, 1.0))
    else:
        lines, owners = (_rectangular if layout.shape == Shape.RECTANGULAR else _direct)(layout, frame, parts)
    lines, owners = _visible(lines, owners, frame)
    lines, owners = _different(lines, owners)
    return Branches(lines, owners, parts.tiny[owners])


def points(layout: Layout, frame: Frame, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pixels of nodes."""
    return frame.px(layout.x[nodes]), frame.py(layout.y[nodes])


def tip_spacing(layout: Layout, frame: Frame) -> float:
    """Pixels between neighbouring tips of one row."""
    if layout.straight:
        return frame.down
    if layout.shape == Shape.CIRCULAR:
        return TURN / max(layout.rows, 1) * float(layout.far[0]) * frame.across
    return 0.0


@dataclass(frozen=True, eq=False)
class _Parts:
    """What is drawn at a scale: ``nodes`` with a branch, the ``inner`` ones whose children have one; both ascending.

    ``tiny`` says of every node whether its branch stands for its whole clade.
    """

    nodes: np.ndarray
    inner: np.ndarray
    tiny: np.ndarray


def _parts(layout: Layout, across: float, down: float, least: float) -> _Parts:
    """What is drawn where clades of an extent below ``least`` are one line.

    The work follows what is drawn: of a million leaves the large clades are the first of `by_extent`.
    """
    nodes, extents = by_extent(layout)
    scale = down if layout.straight else across
    big, drawn, tiny = (np.zeros(len(layout.tree), bool) for _ in range(3))
    big[nodes[: int(np.searchsorted(-extents * scale, -least, "right"))]] = True
    big[0] = layout.inner[0]
    big &= ~layout.apart
    found = layout.tree.children_of(np.flatnonzero(big))
    drawn[found] = layout.shown[found]
    drawn[0] = not layout.apart[0]
    drawn[layout.cut_off] = True
    found = np.flatnonzero(drawn)
    tiny[found] = layout.inner[found] & ~big[found]
    return _Parts(found, np.flatnonzero(big & drawn), tiny)


@lru_cache(maxsize=2)
def by_extent(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """The nodes whose children are shown, those of the largest clades first, and the extents, at a scale of 1."""
    nodes = np.flatnonzero(layout.inner)
    extents = _extent(layout, 1.0, 1.0)[nodes]
    order = np.argsort(-extents, kind="stable")
    return nodes[order], extents[order]


_kept_parts = lru_cache(maxsize=2)(_parts)
"""The same for the scales of the last pictures: while a tree is panned, its scale stays."""


def _extent(layout: Layout, across: float, down: float) -> np.ndarray:
    """Height of every clade in pixels; in the unrooted shape, the length of its longest way."""
    if layout.straight:
        return (layout.last - layout.first) * down
    if layout.shape == Shape.CIRCULAR:
        return (layout.last - layout.first) / max(layout.rows, 1) * TURN * np.abs(layout.far) * across
    return layout.reach * across


def _affordable(layout: Layout, frame: Frame, detail: float) -> float:
    """The least extent of a clade that is drawn in the unrooted shape, where many clades lie over each other."""
    extent, x, y = _extent(layout, frame.across, frame.down), frame.px(layout.x), frame.py(layout.y)
    near = layout.inner & (extent >= detail) & (np.abs(x - frame.width / 2) - extent <= frame.width / 2)
    near &= np.abs(y - frame.height / 2) - extent <= frame.height / 2
    found = extent[near]
    most = int(MANY / detail**2)
    return detail if found.size <= most else float(np.partition(found, found.size - most)[found.size - most])


def _rectangular(layout: Layout, frame: Frame, parts: _Parts) -> tuple[np.ndarray, np.ndarray]:
    top, bottom = frame.y(-2), frame.y(frame.height + 2)
    row = layout.row[parts.nodes]
    across = parts.nodes[(row >= top) & (row <= bottom)]
    down = parts.inner[(layout.last[parts.inner] >= top) & (layout.first[parts.inner] <= bottom)]
    y = frame.py(layout.row[across])
    ends = np.where(parts.tiny[across], layout.far[across], layout.along[across])
    x = frame.px(layout.along[down])
    lines = np.empty((across.size + down.size, 4))
    lines[: across.size] = np.stack([_starts(layout, frame, across), y, frame.px(ends), y], axis=1)
    lower, upper = frame.py(layout.row[layout.firsts[down]]), frame.py(layout.row[layout.lasts[down]])
    lines[across.size :] = np.stack([x, lower, x, upper], axis=1)
    return lines, np.concatenate([across, down])


def _direct(layout: Layout, frame: Frame, parts: _Parts) -> tuple[np.ndarray, np.ndarray]:
    """A straight line from each parent to each child."""
    nodes = parts.nodes if layout.straight else parts.nodes[parts.nodes > 0]
    ends = np.where(parts.tiny[nodes], layout.farthest[nodes], nodes)
    ends_x, ends_y = points(layout, frame, ends)
    from_x, from_y = points(layout, frame, np.maximum(layout.tree.parents[nodes], 0))
    if layout.straight:
        from_x = np.where(nodes == 0, from_x - STEM, from_x)
    return np.stack([from_x, from_y, ends_x, ends_y], axis=1), nodes


def _circular(layout: Layout, frame: Frame, parts: _Parts, piece: float) -> tuple[np.ndarray, np.ndarray]:
    nodes = parts.nodes[parts.nodes > 0]
    nodes = nodes[_near(layout, frame, nodes, layout.reach[nodes])]
    angle = layout.angle[nodes]
    near = layout.along[layout.tree.parents[nodes]]
    ends = np.where(parts.tiny[nodes], layout.far[nodes], layout.along[nodes])
    cos, sin = np.cos(angle), np.sin(angle)
    spokes = np.stack([frame.px(near * cos), frame.py(near * sin), frame.px(ends * cos), frame.py(ends * sin)], axis=1)
    turn = (layout.last[parts.inner] - layout.first[parts.inner]) / max(layout.rows, 1) * TURN
    curved = parts.inner[_near(layout, frame, parts.inner, turn * np.abs(layout.along[parts.inner]))]
    arcs, owners = _arcs(layout, frame, curved, piece)
    return np.concatenate([spokes, arcs]), np.concatenate([nodes, owners])


def _near(layout: Layout, frame: Frame, nodes: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Whether anything within ``reach`` of these nodes, or the branch above them, can be in the window."""
    along = layout.along
    way = (reach + np.maximum(along[nodes] - along[np.maximum(layout.tree.parents[nodes], 0)], 0)) * frame.across
    x, y = points(layout, frame, nodes)
    inside = np.abs(x - frame.width / 2) - way <= frame.width / 2
    return inside & (np.abs(y - frame.height / 2) - way <= frame.height / 2)


def _arcs(layout: Layout, frame: Frame, nodes: np.ndarray, piece: float) -> tuple[np.ndarray, np.ndarray]:
    """The arcs from the first to the last child of each node, in straight lines of ``piece`` pixels."""
    start, end = layout.angle[layout.firsts[nodes]], layout.angle[layout.lasts[nodes]]
    radius = layout.along[nodes]
    pieces = np.ceil(np.abs((end - start) * radius) * frame.across / piece).astype(np.int64)
    pieces = np.clip(pieces, 1, 720)
    owner = np.repeat(np.arange(nodes.size), pieces)
    number = np.arange(owner.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    step = ((end - start) / pieces)[owner]
    low = start[owner] + number * step
    r = radius[owner]
    lines = [
        frame.px(r * np.cos(low)), frame.py(r * np.sin(low)),
        frame.px(r * np.cos(low + step)), frame.py(r * np.sin(low + step)),
    ]  # fmt: skip
    return np.stack(lines, axis=1), nodes[owner]


def _starts(layout: Layout, frame: Frame, nodes: np.ndarray) -> np.ndarray:
    starts = frame.px(layout.along[np.maximum(layout.tree.parents[nodes], 0)])
    return np.where(nodes == 0, starts - STEM, starts)


def _visible(lines: np.ndarray, owners: np.ndarray, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """The lines that touch the window; those along its sides are cut, so that no coordinate is huge."""
    low_x, high_x = np.minimum(lines[:, 0], lines[:, 2]), np.maximum(lines[:, 0], lines[:, 2])
    low_y, high_y = np.minimum(lines[:, 1], lines[:, 3]), np.maximum(lines[:, 1], lines[:, 3])
    seen = (high_x >= -2) & (low_x <= frame.width + 2) & (high_y >= -2) & (low_y <= frame.height + 2)
    lines, owners = lines[seen], owners[seen]
    level, upright = lines[:, 1] == lines[:, 3], lines[:, 0] == lines[:, 2]
    lines[level, 0::2] = np.clip(lines[level, 0::2], -4, frame.width + 4)
    lines[upright, 1::2] = np.clip(lines[upright, 1::2], -4, frame.height + 4)
    return lines, owners


def _different(lines: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without the lines that would fall on the same half pixels as another one."""
    if len(lines) < MANY:
        return lines, owners
    cells = np.round(lines * 2).astype(np.int64)
    keys = ((cells[:, 0] * 65_537 + cells[:, 1]) * 65_537 + cells[:, 2]) * 65_537 + cells[:, 3]
    _, first = np.unique(keys, return_index=True)
    return lines[first], owners[first]


def starts_of(layout: Layout, frame: Frame, node: int) -> tuple[float, float]:
    """Pixels where the branch above a node begins."""
    parent = max(int(layout.tree.parents[node]), 0)
    if layout.shape == Shape.RECTANGULAR:
        return float(frame.px(layout.along[parent])), float(frame.py(layout.row[node]))
    if layout.shape == Shape.CIRCULAR:
        r, angle = float(layout.along[parent]), float(layout.angle[node])
        return float(frame.px(r * np.cos(angle))), float(frame.py(r * np.sin(angle)))
    return float(frame.px(layout.x[parent])), float(frame.py(layout.y[parent]))


def line_distances(lines: np.ndarray, x: float, y: float) -> np.ndarray:
    """Pixels from a place to each line."""
    start, step = lines[:, :2], lines[:, 2:] - lines[:, :2]
    square = np.maximum((step**2).sum(axis=1), 1e-12)
    share = np.clip(((x - start[:, 0]) * step[:, 0] + (y - start[:, 1]) * step[:, 1]) / square, 0, 1)
    return np.hypot(start[:, 0] + share * step[:, 0] - x, start[:, 1] + share * step[:, 1] - y)
