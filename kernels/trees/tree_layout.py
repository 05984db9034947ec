"""Coordinates of the nodes of a tree, in units of branch lengths and rows, for all nodes at once.

A tip is a leaf or a collapsed clade. Tips lie in rows; a collapsed clade is several rows high.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from antidiag.kernels.io.tree import Tree

DEEPEST = 2000  # levels up to which inner nodes stand between their children; in deeper trees, between their leaves

HIGHEST_CLADE = 5.0
TURN = 2 * np.pi


class TreeShape(StrEnum):
    RECTANGULAR = "rectangular"
    SLANTED = "slanted"
    CIRCULAR = "circular"
    UNROOTED = "unrooted"


@dataclass(frozen=True, eq=False)
class TreeLayout:
    """Coordinates of all nodes.

    ``along`` is the distance from the root (branch lengths, or 0..1) and ``row`` the row: radius and angle in the
    circular shape; ``x`` and ``y`` are drawn. A clade spans rows ``first`` to ``last`` and distances up to ``far``;
    ``firsts`` and ``lasts`` are its children in these rows. ``farthest`` is its most distant leaf, ``reach`` away;
    ``angle`` is the direction of its label. Clades that are ``apart`` have others' leaves among theirs and are not
    drawn.
    """

    tree: Tree
    shape: TreeShape
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
    def is_straight(self) -> bool:
        """Whether rows are rows of the screen, so that across and down zoom separately."""
        return self.shape in (TreeShape.RECTANGULAR, TreeShape.SLANTED)

    @cached_property
    def has_visible_children(self) -> np.ndarray:
        """The nodes whose children are visible, bool."""
        return self.shown & ~self.collapsed & (self.tree.degrees > 0)

    @cached_property
    def detached_clades(self) -> np.ndarray:
        """The nodes of clades that are drawn although the clade around them is not."""
        below = np.flatnonzero(self.apart[self.tree.parents] & ~self.apart & self.shown & (self.tree.degrees > 0))
        return below[below > 0]

    @cached_property
    def visible_node(self) -> np.ndarray:
        """The visible node for each node: itself, or the collapsed clade around it."""
        found = np.arange(len(self.tree))
        for node in np.flatnonzero(self.collapsed).tolist():
            found[node : self.tree.ends[node]] = node
        return found

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of all visible nodes."""
        if self.is_straight:
            return min(float(self.along.min()), 0.0), 0.0, float(self.far[0]), self.rows
        if self.shape == TreeShape.CIRCULAR:
            radius = float(self.far[0])
            return -radius, -radius, radius, radius
        x, y = self.x[self.shown], self.y[self.shown]
        return float(x.min()), float(y.min()), float(x.max()), float(y.max())

    def row_angles(self, row: np.ndarray) -> np.ndarray:
        """Return the angles of rows in the circular shape, clockwise from the top."""
        return _row_angles(row, self.rows)


def has_lengths(tree: Tree) -> bool:
    """Whether any branch is longer than zero."""
    return bool((tree.lengths > 0).any())  # NaN, a missing length, is not greater


def lay_out_tree(tree: Tree, shape: TreeShape, lengths: bool = True, collapsed: Collection[int] = ()) -> TreeLayout:
    """Lay a tree out; ``lengths`` draws branches by length, ``collapsed`` clades become tips."""
    lengths = lengths and has_lengths(tree)
    closed = np.zeros(len(tree), bool)
    closed[list(collapsed)] = True
    closed &= tree.degrees > 0
    shown = _find_visible(tree, closed)
    closed &= shown
    tips = np.flatnonzero(shown & ((tree.degrees == 0) | closed))
    heights = np.zeros(len(tree))
    heights[tips] = np.clip(1 + np.log2(tree.leaf_counts[tips]) / 2, 1, HIGHEST_CLADE)
    running = np.concatenate([[0.0], np.cumsum(heights)])
    rows = running[-1]
    start, end = running[:-1], running[tree.ends]
    middle = (start + end) / 2
    along = _root_distances(tree, shape, lengths, end - start)
    inner = shown & (tree.degrees > 0) & ~closed
    slanted = shape == TreeShape.SLANTED and not lengths
    firsts, lasts = np.arange(1, len(tree) + 1), np.zeros(len(tree), np.int64)
    lasts[tree.parents[1:]] = np.arange(1, len(tree))
    row = middle if slanted or tree.depths.max() > DEEPEST else _centre_on_children(tree, middle, firsts, lasts, inner)
    ways = tree.depths.astype(float) if shape == TreeShape.UNROOTED and not lengths else along
    farthest = _farthest_leaves(tree, ways)
    far, reach = along[farthest], ways[farthest] - ways
    first, last = np.where(closed, start, start + 0.5), np.where(closed, end, end - 0.5)
    x, y, angle = along, row, np.zeros(len(tree))
    if shape == TreeShape.UNROOTED:
        x, y, angle = _equal_angle_layout(tree, _row_angles(middle, rows), lengths)
    elif shape == TreeShape.CIRCULAR:
        angle = _row_angles(row, rows)
        x, y = along * np.cos(angle), along * np.sin(angle)
    spans = along, row, first, last, firsts, lasts, far, farthest, reach
    return TreeLayout(
        tree, shape, lengths, shown, closed, tips, float(rows), *spans, x, y, angle, np.zeros(len(tree), bool)
    )


def lay_out_at_rows(tree: Tree, leaf_rows: np.ndarray, rows: int, collapsed: Collection[int] = ()) -> TreeLayout:
    """Lay a tree out whose leaves stand in given rows: ``places``, float64 (nodes,), NaN for leaves without a row.
    Leaves of a collapsed clade stand together. Clades that have other leaves among theirs are ``apart``."""
    lengths = has_lengths(tree)
    closed = np.zeros(len(tree), bool)
    closed[list(collapsed)] = True
    shown = _find_visible(tree, closed)
    closed &= shown
    leaf = tree.degrees == 0
    tips = np.flatnonzero(shown & (leaf | closed))
    leaf_rows, apart = _fill_missing_rows(tree, leaf_rows), _find_mixed_clades(tree, leaf_rows)
    last = tree.highest_below(np.where(leaf, leaf_rows, -np.inf))
    first = -tree.highest_below(np.where(leaf, -leaf_rows, -np.inf))
    middle = (first + last) / 2
    firsts, lasts = _first_and_last_children(tree, middle)
    inner = shown & ~leaf & ~closed
    row = middle if tree.depths.max() > DEEPEST else _centre_on_children(tree, middle, firsts, lasts, inner)
    along = _root_distances(tree, TreeShape.RECTANGULAR, lengths, last - first)
    farthest = _farthest_leaves(tree, along)
    far, reach = along[farthest], along[farthest] - along
    spans = along, row, first, last, firsts, lasts, far, farthest, reach
    where, upright = (tree, TreeShape.RECTANGULAR, lengths, shown, closed, tips, float(rows)), np.zeros(len(tree))
    return TreeLayout(*where, *spans, along, row, upright, apart)


def _find_mixed_clades(tree: Tree, places: np.ndarray) -> np.ndarray:
    """Return which clades have leaves of others among theirs, or contain such a clade."""
    there = np.flatnonzero(~np.isnan(places))
    _, first, rank = np.unique(places[there], return_index=True, return_inverse=True)
    own, low, high = np.zeros(len(tree), np.int64), np.full(len(tree), -np.inf), np.full(len(tree), -np.inf)
    own[there[first]] = 1  # leaves in the same row count once
    low[there], high[there] = -rank, rank
    low, high = -tree.highest_below(low), tree.highest_below(high)
    return tree.below(high - low + 1 > np.maximum(tree.below(own), 1)) > 0


def _fill_missing_rows(tree: Tree, places: np.ndarray) -> np.ndarray:
    """Give leaves without a row that of the first leaf of the smallest clade around them that has one."""
    leaf = tree.degrees == 0
    first = -tree.highest_below(np.where(leaf & ~np.isnan(places), -places, -np.inf))
    above = np.where(np.isfinite(first), np.arange(len(tree)), np.maximum(tree.parents, 0))
    while not np.array_equal(above, above[above]):
        above = above[above]
    return np.where(leaf & np.isnan(places), first[above], places)


def _first_and_last_children(tree: Tree, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the children of each node in the first and the last row, int64; 0 for leaves."""
    firsts, lasts = np.zeros(len(tree), np.int64), np.zeros(len(tree), np.int64)
    order = 1 + np.argsort(rows[1:], kind="stable")
    lasts[tree.parents[order]] = order
    firsts[tree.parents[order[::-1]]] = order[::-1]
    return firsts, lasts


def _row_angles(row: np.ndarray, rows: float) -> np.ndarray:
    return row / max(rows, 1) * TURN - TURN / 4


def _root_distances(tree: Tree, shape: TreeShape, lengths: bool, rows: np.ndarray) -> np.ndarray:
    """Return the drawn distance of each node from the root; without lengths, tips are at 1."""
    if lengths:
        return tree.distances
    if shape == TreeShape.SLANTED:
        return 1 - np.maximum(rows - 1, 0) / max(rows[0] - 1, 1)
    heights = tree.highest_below(tree.depths) - tree.depths
    return 1 - heights / max(heights[0], 1)


def _farthest_leaves(tree: Tree, along: np.ndarray) -> np.ndarray:
    """Return the leaf farthest from the root below each node."""
    leaves = tree.leaves[np.argsort(along[tree.leaves], kind="stable")]
    rank = np.full(len(tree), -1)
    rank[leaves] = np.arange(leaves.size)
    return leaves[tree.highest_below(rank)]


def _find_visible(tree: Tree, closed: np.ndarray) -> np.ndarray:
    """Return the nodes that are not below a collapsed one."""
    covers = closed.astype(np.int64)
    above = tree.from_root(covers)
    above[1:] += covers[0] - covers[1:]
    return above == 0


def _centre_on_children(
    tree: Tree, rows: np.ndarray, firsts: np.ndarray, lasts: np.ndarray, inner: np.ndarray
) -> np.ndarray:
    """Return rows with each inner node between its first and last child, from the deepest level up."""
    found = rows.copy()
    nodes = np.flatnonzero(inner)
    nodes = nodes[np.argsort(-tree.depths[nodes], kind="stable")]
    for level in np.split(nodes, np.flatnonzero(np.diff(tree.depths[nodes])) + 1):
        found[level] = (found[firsts[level]] + found[lasts[level]]) / 2
    return found


def _equal_angle_layout(tree: Tree, angle: np.ndarray, lengths: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return equal-angle coordinates: each clade gets a sector in proportion to its tips."""
    length = np.nan_to_num(tree.lengths) if lengths else np.ones(len(tree))
    return tree.from_root(length * np.cos(angle)), tree.from_root(length * np.sin(angle)), angle
