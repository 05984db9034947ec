"""Where the nodes of a tree are drawn, in units of branch lengths and rows; one array operation for all nodes.

A tip is a leaf, or a clade that the user has collapsed. Tips lie in rows, a collapsed clade is some rows high.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from antidiag.kernels.io.tree import Tree

DEEPEST = 2000
"""Levels up to which inner nodes stand in the middle of their children; below, in the middle of their leaves."""

HIGHEST_CLADE = 5.0
TURN = 2 * np.pi


class Shape(StrEnum):
    RECTANGULAR = "rectangular"
    SLANTED = "slanted"
    CIRCULAR = "circular"
    UNROOTED = "unrooted"


@dataclass(frozen=True, eq=False)
class Layout:
    """Coordinates of all nodes.

    ``along`` is the way from the root (branch lengths, or 0..1 without them) and ``row`` the row, which in the
    circular shape are radius and angle; ``x`` and ``y`` are what is drawn. A node's clade spans the rows
    ``first`` to ``last`` and the ways up to ``far``; ``firsts`` and ``lasts`` are its children in the first and in the
    last of these. ``farthest`` is its leaf at the end of the longest way, ``reach``; ``angle`` is where its label
    points. Of the nodes that are ``apart`` the clades are not drawn, as leaves in them stand among others.
    """

    tree: Tree
    shape: Shape
    lengths: bool
    shown: np.ndarray
    collapsed: np.ndarray
    tips: np.ndarray
    rows: float
    along: np.ndarray
    row: np.ndarray
    first: np.ndarray
    last: np.ndarray
    firsts: np.ndarray
    lasts: np.ndarray
    far: np.ndarray
    farthest: np.ndarray
    reach: np.ndarray
    x: np.ndarray
    y: np.ndarray
    angle: np.ndarray
    apart: np.ndarray

    @property
    def straight(self) -> bool:
        """Whether rows are rows of the screen: across and down can be zoomed apart."""
        return self.shape in (Shape.RECTANGULAR, Shape.SLANTED)

    @cached_property
    def inner(self) -> np.ndarray:
        """The nodes whose children are shown, bool."""
        return self.shown & ~self.collapsed & (self.tree.degrees > 0)

    @cached_property
    def cut_off(self) -> np.ndarray:
        """The nodes of clades of several leaves that are drawn without the clade around them, which is apart."""
        below = np.flatnonzero(self.apart[self.tree.parents] & ~self.apart & self.shown & (self.tree.degrees > 0))
        return below[below > 0]

    @cached_property
    def covers(self) -> np.ndarray:
        """The node that stands for each node: itself, or the collapsed clade that it is in."""
        found = np.arange(len(self.tree))
        for node in np.flatnonzero(self.collapsed).tolist():
            found[node : self.tree.ends[node]] = node
        return found

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of all nodes that are shown."""
        if self.straight:
            return min(float(self.along.min()), 0.0), 0.0, float(self.far[0]), self.rows
        if self.shape == Shape.CIRCULAR:
            radius = float(self.far[0])
            return -radius, -radius, radius, radius
        x, y = self.x[self.shown], self.y[self.shown]
        return float(x.min()), float(y.min()), float(x.max()), float(y.max())

    def theta(self, row: np.ndarray) -> np.ndarray:
        """Angle of a row in the circular shape, clockwise from the top."""
        return _theta(row, self.rows)


def has_lengths(tree: Tree) -> bool:
    """Whether there is a branch that is longer than nothing."""
    return bool((tree.lengths > 0).any())  # what has no length is not more than 0


def layout(tree: Tree, shape: Shape, lengths: bool = True, collapsed: Collection[int] = ()) -> Layout:
    """Coordinates of a tree; ``lengths`` draws branches by their lengths, ``collapsed`` clades become one tip."""
    lengths = lengths and has_lengths(tree)
    closed = np.zeros(len(tree), bool)
    closed[list(collapsed)] = True
    closed &= tree.degrees > 0
    shown = _outside(tree, closed)
    closed &= shown
    tips = np.flatnonzero(shown & ((tree.degrees == 0) | closed))
    heights = np.zeros(len(tree))
    heights[tips] = np.clip(1 + np.log2(tree.leaf_counts[tips]) / 2, 1, HIGHEST_CLADE)
    running = np.concatenate([[0.0], np.cumsum(heights)])
    rows = running[-1]
    start, end = running[:-1], running[tree.ends]
    middle = (start + end) / 2
    along = _along(tree, shape, lengths, end - start)
    inner = shown & (tree.degrees > 0) & ~closed
    slanted = shape == Shape.SLANTED and not lengths
    firsts, lasts = np.arange(1, len(tree) + 1), np.zeros(len(tree), np.int64)
    lasts[tree.parents[1:]] = np.arange(1, len(tree))
    row = middle if slanted or tree.depths.max() > DEEPEST else _between_children(tree, middle, firsts, lasts, inner)
    ways = tree.depths.astype(float) if shape == Shape.UNROOTED and not lengths else along
    farthest = _farthest(tree, ways)
    far, reach = along[farthest], ways[farthest] - ways
    first, last = np.where(closed, start, start + 0.5), np.where(closed, end, end - 0.5)
    parts = (
        tree,
        shape,
        lengths,
        shown,
        closed,
        tips,
        float(rows),
        along,
        row,
        first,
        last,
        firsts,
        lasts,
        far,
        farthest,
        reach,
    )
    apart = np.zeros(len(tree), bool)
    if shape == Shape.UNROOTED:
        return Layout(*parts, *_unrooted(tree, _theta(middle, rows), lengths), apart)
    if shape == Shape.CIRCULAR:
        angle = _theta(row, rows)
        return Layout(*parts, along * np.cos(angle), along * np.sin(angle), angle, apart)
    return Layout(*parts, along, row, np.zeros(len(tree)), apart)


def at_places(tree: Tree, places: np.ndarray, rows: int, collapsed: Collection[int] = ()) -> Layout:
    """Coordinates of a tree whose leaves stand where something else does: ``places``, float64 (nodes,), has their rows,
    out of ``rows``, NaN for leaves that stand nowhere; those of a collapsed clade stand together. Branches have their
    lengths, where there are some. Children may stand in any order, but clades with others among their leaves are
    apart."""
    lengths = has_lengths(tree)
    closed = np.zeros(len(tree), bool)
    closed[list(collapsed)] = True
    shown = _outside(tree, closed)
    closed &= shown
    leaf = tree.degrees == 0
    tips = np.flatnonzero(shown & (leaf | closed))
    places, apart = _filled(tree, places), _apart(tree, places)
    last = tree.highest_below(np.where(leaf, places, -np.inf))
    first = -tree.highest_below(np.where(leaf, -places, -np.inf))
    middle = (first + last) / 2
    firsts, lasts = _outer_children(tree, middle)
    inner = shown & ~leaf & ~closed
    row = middle if tree.depths.max() > DEEPEST else _between_children(tree, middle, firsts, lasts, inner)
    along = _along(tree, Shape.RECTANGULAR, lengths, last - first)
    farthest = _farthest(tree, along)
    far, reach = along[farthest], along[farthest] - along
    return Layout(
        tree, Shape.RECTANGULAR, lengths, shown, closed, tips, float(rows), along, row, first, last, firsts, lasts,
        far, farthest, reach, along, row, np.zeros(len(tree)), apart,
    )  # fmt: skip


def _apart(tree: Tree, places: np.ndarray) -> np.ndarray:
    """Which clades have leaves of others among theirs, or have such a clade in them; leaves without a place stand
    nowhere."""
    there = np.flatnonzero(~np.isnan(places))
    _, first, rank = np.unique(places[there], return_index=True, return_inverse=True)
    own, low, high = np.zeros(len(tree), np.int64), np.full(len(tree), -np.inf), np.full(len(tree), -np.inf)
    own[there[first]] = 1  # of leaves that share a place, one counts
    low[there], high[there] = -rank, rank
    low, high = -tree.highest_below(low), tree.highest_below(high)
    return tree.below(high - low + 1 > np.maximum(tree.below(own), 1)) > 0


def _filled(tree: Tree, places: np.ndarray) -> np.ndarray:
    """A leaf that stands nowhere is where the first one of the smallest clade around it stands that has any."""
    leaf = tree.degrees == 0
    first = -tree.highest_below(np.where(leaf & ~np.isnan(places), -places, -np.inf))
    above = np.where(np.isfinite(first), np.arange(len(tree)), np.maximum(tree.parents, 0))
    while not np.array_equal(above, above[above]):
        above = above[above]
    return np.where(leaf & np.isnan(places), first[above], places)


def _outer_children(tree: Tree, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The children of each node that stand in the first and in the last row, int64; 0 of leaves."""
    firsts, lasts = np.zeros(len(tree), np.int64), np.zeros(len(tree), np.int64)
    order = 1 + np.argsort(rows[1:], kind="stable")
    lasts[tree.parents[order]] = order
    firsts[tree.parents[order[::-1]]] = order[::-1]
    return firsts, lasts


def _theta(row: np.ndarray, rows: float) -> np.ndarray:
    return row / max(rows, 1) * TURN - TURN / 4


def _along(tree: Tree, shape: Shape, lengths: bool, rows: np.ndarray) -> np.ndarray:
    """How far from the root each node is drawn; without lengths, tips stand in a line, at 1."""
    if lengths:
        return tree.distances
    if shape == Shape.SLANTED:
        return 1 - np.maximum(rows - 1, 0) / max(rows[0] - 1, 1)
    heights = tree.highest_below(tree.depths) - tree.depths
    return 1 - heights / max(heights[0], 1)


def _farthest(tree: Tree, along: np.ndarray) -> np.ndarray:
    """The leaf farthest from the root below each node."""
    leaves = tree.leaves[np.argsort(along[tree.leaves], kind="stable")]
    rank = np.full(len(tree), -1)
    rank[leaves] = np.arange(leaves.size)
    return leaves[tree.highest_below(rank)]


def _outside(tree: Tree, closed: np.ndarray) -> np.ndarray:
    """The nodes that are not below a collapsed one."""
    covers = closed.astype(np.int64)
    above = tree.from_root(covers)
    above[1:] += covers[0] - covers[1:]
    return above == 0


def _between_children(
    tree: Tree, rows: np.ndarray, firsts: np.ndarray, lasts: np.ndarray, inner: np.ndarray
) -> np.ndarray:
    """Rows where each inner node stands between its first and its last child, from the deepest level up."""
    found = rows.copy()
    nodes = np.flatnonzero(inner)
    nodes = nodes[np.argsort(-tree.depths[nodes], kind="stable")]
    for level in np.split(nodes, np.flatnonzero(np.diff(tree.depths[nodes])) + 1):
        found[level] = (found[firsts[level]] + found[lasts[level]]) / 2
    return found


def _unrooted(tree: Tree, angle: np.ndarray, lengths: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Equal-angle coordinates: each clade gets a sector in proportion to its tips, its branch the middle of it."""
    length = np.nan_to_num(tree.lengths) if lengths else np.ones(len(tree))
    return tree.from_root(length * np.cos(angle)), tree.from_root(length * np.sin(angle)), angle
