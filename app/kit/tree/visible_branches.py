"""The visible part of a tree in pixels: branches as lines, thinned to what a screen can show.

A clade less than a pixel high is one line to its farthest leaf, so the work follows the pixels, not the leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.trees.tree_layout import TURN, TreeLayout, TreeShape

STEM = 10  # pixels of the line that leads to the root
HIT_DISTANCE = 9.0  # pixels around the mouse within which a branch is hit
ARC_STEP = 6  # pixels of one piece of an arc where the detail is 1 or finer
MOST_LINES = 10_000  # lines from which duplicates are removed, and most clades drawn in the unrooted shape


@dataclass(frozen=True)
class TreeFrame:
    """A window onto a layout: point (x, y) is at pixels (left + x * across, top + y * down)."""

    across: float
    down: float
    left: float
    top: float
    width: float
    height: float

    def px(self, x: Any) -> Any:
        """Return the horizontal pixels of tree coordinates."""
        return self.left + x * self.across

    def py(self, y: Any) -> Any:
        """Return the vertical pixels of tree coordinates."""
        return self.top + y * self.down

    def x(self, px: float) -> float:
        """Return the tree coordinate of a horizontal pixel."""
        return (px - self.left) / self.across

    def y(self, py: float) -> float:
        """Return the tree coordinate of a vertical pixel."""
        return (py - self.top) / self.down


@dataclass(frozen=True, eq=False)
class VisibleBranches:
    """Lines in pixels, (lines, 4) as x, y, x, y; the node of each, and whether it stands for a whole clade."""

    lines: np.ndarray
    owners: np.ndarray
    coarse: np.ndarray

    def node_at(self, x: float, y: float) -> int | None:
        """Return the node whose branch is at a position, or None."""
        away = line_distances(self.lines, x, y)
        return int(self.owners[away.argmin()]) if away.min(initial=np.inf) <= HIT_DISTANCE else None


def find_visible_branches(layout: TreeLayout, frame: TreeFrame, detail: float = 1.0) -> VisibleBranches:
    """Return the lines of a tree in a window; clades less than ``detail`` pixels high are one line. A detail below 1
    suits a large print."""
    if layout.shape == TreeShape.UNROOTED and detail >= 1:
        parts = _find_drawn_nodes(layout, frame.across, frame.down, _least_extent(layout, frame, detail))
    else:
        parts = _cached_drawn_nodes(layout, frame.across, frame.down, detail)
    if layout.shape == TreeShape.CIRCULAR:
        lines, owners = _circular_lines(layout, frame, parts, ARC_STEP * max(detail, 1.0))
    else:
        lines, owners = (_rectangular_lines if layout.shape == TreeShape.RECTANGULAR else _straight_lines)(
            layout, frame, parts
        )
    lines, owners = _clip_lines(lines, owners, frame)
    lines, owners = _remove_duplicates(lines, owners)
    return VisibleBranches(lines, owners, parts.tiny[owners])


def node_pixels(layout: TreeLayout, frame: TreeFrame, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels of nodes."""
    return frame.px(layout.x[nodes]), frame.py(layout.y[nodes])


def tip_spacing(layout: TreeLayout, frame: TreeFrame) -> float:
    """Return the pixels between neighbouring tips."""
    if layout.is_straight:
        return frame.down
    if layout.shape == TreeShape.CIRCULAR:
        return TURN / max(layout.rows, 1) * float(layout.far[0]) * frame.across
    return 0.0


@dataclass(frozen=True, eq=False)
class _DrawnNodes:
    """The drawn nodes at a scale: ``nodes`` with a branch, ``inner`` ones with visible children; both ascending.
    ``tiny`` says for every node whether its branch stands for its whole clade."""

    nodes: np.ndarray
    inner: np.ndarray
    tiny: np.ndarray


def _find_drawn_nodes(layout: TreeLayout, across: float, down: float, least: float) -> _DrawnNodes:
    """Find what is drawn if clades of an extent below ``least`` are one line; the work follows what is drawn."""
    nodes, extents = sort_by_extent(layout)
    scale = down if layout.is_straight else across
    big, drawn, tiny = (np.zeros(len(layout.tree), bool) for _ in range(3))
    big[nodes[: int(np.searchsorted(-extents * scale, -least, "right"))]] = True
    big[0] = layout.has_visible_children[0]
    big &= ~layout.apart
    found = layout.tree.children_of(np.flatnonzero(big))
    drawn[found] = layout.shown[found]
    drawn[0] = not layout.apart[0]
    drawn[layout.detached_clades] = True
    found = np.flatnonzero(drawn)
    tiny[found] = layout.has_visible_children[found] & ~big[found]
    return _DrawnNodes(found, np.flatnonzero(big & drawn), tiny)


@lru_cache(maxsize=2)
def sort_by_extent(layout: TreeLayout) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes with visible children, largest clades first, and their extents at a scale of 1."""
    nodes = np.flatnonzero(layout.has_visible_children)
    extents = _clade_extents(layout, 1.0, 1.0)[nodes]
    order = np.argsort(-extents, kind="stable")
    return nodes[order], extents[order]


_cached_drawn_nodes = lru_cache(maxsize=2)(
    _find_drawn_nodes
)  # cached for the last scales: a tree that is panned keeps its scale


def _clade_extents(layout: TreeLayout, across: float, down: float) -> np.ndarray:
    """Return the height of every clade in pixels; in the unrooted shape, its longest path."""
    if layout.is_straight:
        return (layout.last - layout.first) * down
    if layout.shape == TreeShape.CIRCULAR:
        return (layout.last - layout.first) / max(layout.rows, 1) * TURN * np.abs(layout.far) * across
    return layout.reach * across


def _least_extent(layout: TreeLayout, frame: TreeFrame, detail: float) -> float:
    """Return the least extent of a drawn clade in the unrooted shape, where clades overlap."""
    extent, x, y = _clade_extents(layout, frame.across, frame.down), frame.px(layout.x), frame.py(layout.y)
    near = layout.has_visible_children & (extent >= detail) & (np.abs(x - frame.width / 2) - extent <= frame.width / 2)
    near &= np.abs(y - frame.height / 2) - extent <= frame.height / 2
    found = extent[near]
    most = int(MOST_LINES / detail**2)
    return detail if found.size <= most else float(np.partition(found, found.size - most)[found.size - most])


def _rectangular_lines(layout: TreeLayout, frame: TreeFrame, parts: _DrawnNodes) -> tuple[np.ndarray, np.ndarray]:
    top, bottom = frame.y(-2), frame.y(frame.height + 2)
    row = layout.row[parts.nodes]
    across = parts.nodes[(row >= top) & (row <= bottom)]
    down = parts.inner[(layout.last[parts.inner] >= top) & (layout.first[parts.inner] <= bottom)]
    y = frame.py(layout.row[across])
    ends = np.where(parts.tiny[across], layout.far[across], layout.along[across])
    x = frame.px(layout.along[down])
    lines = np.empty((across.size + down.size, 4))
    lines[: across.size] = np.stack([_branch_starts(layout, frame, across), y, frame.px(ends), y], axis=1)
    lower, upper = frame.py(layout.row[layout.firsts[down]]), frame.py(layout.row[layout.lasts[down]])
    lines[across.size :] = np.stack([x, lower, x, upper], axis=1)
    return lines, np.concatenate([across, down])


def _straight_lines(layout: TreeLayout, frame: TreeFrame, parts: _DrawnNodes) -> tuple[np.ndarray, np.ndarray]:
    """Return a straight line from each parent to each child."""
    nodes = parts.nodes if layout.is_straight else parts.nodes[parts.nodes > 0]
    ends = np.where(parts.tiny[nodes], layout.farthest[nodes], nodes)
    ends_x, ends_y = node_pixels(layout, frame, ends)
    from_x, from_y = node_pixels(layout, frame, np.maximum(layout.tree.parents[nodes], 0))
    if layout.is_straight:
        from_x = np.where(nodes == 0, from_x - STEM, from_x)
    return np.stack([from_x, from_y, ends_x, ends_y], axis=1), nodes


def _circular_lines(
    layout: TreeLayout, frame: TreeFrame, parts: _DrawnNodes, piece: float
) -> tuple[np.ndarray, np.ndarray]:
    nodes = parts.nodes[parts.nodes > 0]
    nodes = nodes[_is_near_window(layout, frame, nodes, layout.reach[nodes])]
    angle = layout.angle[nodes]
    near = layout.along[layout.tree.parents[nodes]]
    ends = np.where(parts.tiny[nodes], layout.far[nodes], layout.along[nodes])
    cos, sin = np.cos(angle), np.sin(angle)
    spokes = np.stack([frame.px(near * cos), frame.py(near * sin), frame.px(ends * cos), frame.py(ends * sin)], axis=1)
    turn = (layout.last[parts.inner] - layout.first[parts.inner]) / max(layout.rows, 1) * TURN
    curved = parts.inner[_is_near_window(layout, frame, parts.inner, turn * np.abs(layout.along[parts.inner]))]
    arcs, owners = _arc_lines(layout, frame, curved, piece)
    return np.concatenate([spokes, arcs]), np.concatenate([nodes, owners])


def _is_near_window(layout: TreeLayout, frame: TreeFrame, nodes: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Whether anything within ``reach`` of these nodes, or their branch, can be visible."""
    along = layout.along
    way = (reach + np.maximum(along[nodes] - along[np.maximum(layout.tree.parents[nodes], 0)], 0)) * frame.across
    x, y = node_pixels(layout, frame, nodes)
    inside = np.abs(x - frame.width / 2) - way <= frame.width / 2
    return inside & (np.abs(y - frame.height / 2) - way <= frame.height / 2)


def _arc_lines(layout: TreeLayout, frame: TreeFrame, nodes: np.ndarray, piece: float) -> tuple[np.ndarray, np.ndarray]:
    """Return arcs from the first to the last child of each node as lines of ``piece`` pixels."""
    start, end = layout.angle[layout.firsts[nodes]], layout.angle[layout.lasts[nodes]]
    radius = layout.along[nodes]
    pieces = np.ceil(np.abs((end - start) * radius) * frame.across / piece).astype(np.int64)
    pieces = np.clip(pieces, 1, 720)
    owner = np.repeat(np.arange(nodes.size), pieces)
    number = np.arange(owner.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    step = ((end - start) / pieces)[owner]
    low = start[owner] + number * step
    r = radius[owner]
    ends = [(frame.px(r * np.cos(angle)), frame.py(r * np.sin(angle))) for angle in (low, low + step)]
    return np.stack([*ends[0], *ends[1]], axis=1), nodes[owner]


def _branch_starts(layout: TreeLayout, frame: TreeFrame, nodes: np.ndarray) -> np.ndarray:
    starts = frame.px(layout.along[np.maximum(layout.tree.parents[nodes], 0)])
    return np.where(nodes == 0, starts - STEM, starts)


def _clip_lines(lines: np.ndarray, owners: np.ndarray, frame: TreeFrame) -> tuple[np.ndarray, np.ndarray]:
    """Keep lines that touch the window, and cut those along its sides, to avoid huge coordinates."""
    low_x, high_x = np.minimum(lines[:, 0], lines[:, 2]), np.maximum(lines[:, 0], lines[:, 2])
    low_y, high_y = np.minimum(lines[:, 1], lines[:, 3]), np.maximum(lines[:, 1], lines[:, 3])
    seen = (high_x >= -2) & (low_x <= frame.width + 2) & (high_y >= -2) & (low_y <= frame.height + 2)
    lines, owners = lines[seen], owners[seen]
    level, upright = lines[:, 1] == lines[:, 3], lines[:, 0] == lines[:, 2]
    lines[level, 0::2] = np.clip(lines[level, 0::2], -4, frame.width + 4)
    lines[upright, 1::2] = np.clip(lines[upright, 1::2], -4, frame.height + 4)
    return lines, owners


def _remove_duplicates(lines: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Remove lines that fall on the same half pixels as another."""
    if len(lines) < MOST_LINES:
        return lines, owners
    cells = np.round(lines * 2).astype(np.int64)
    keys = ((cells[:, 0] * 65_537 + cells[:, 1]) * 65_537 + cells[:, 2]) * 65_537 + cells[:, 3]
    _, first = np.unique(keys, return_index=True)
    return lines[first], owners[first]


def branch_start(layout: TreeLayout, frame: TreeFrame, node: int) -> tuple[float, float]:
    """Return the pixels at which the branch above a node begins."""
    parent = max(int(layout.tree.parents[node]), 0)
    if layout.shape == TreeShape.RECTANGULAR:
        return float(frame.px(layout.along[parent])), float(frame.py(layout.row[node]))
    if layout.shape == TreeShape.CIRCULAR:
        r, angle = float(layout.along[parent]), float(layout.angle[node])
        return float(frame.px(r * np.cos(angle))), float(frame.py(r * np.sin(angle)))
    return float(frame.px(layout.x[parent])), float(frame.py(layout.y[parent]))


def line_distances(lines: np.ndarray, x: float, y: float) -> np.ndarray:
    """Return the distances in pixels from a place to each line."""
    start, step = lines[:, :2], lines[:, 2:] - lines[:, :2]
    square = np.maximum((step**2).sum(axis=1), 1e-12)
    share = np.clip(((x - start[:, 0]) * step[:, 0] + (y - start[:, 1]) * step[:, 1]) / square, 0, 1)
    return np.hypot(start[:, 0] + share * step[:, 0] - x, start[:, 1] + share * step[:, 1] - y)
