"""Sequences that are like no other are aligned last (ClustalW): the tree that is followed then, and how alike its
alignments are along the guide tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import prune

Alike = Callable[[int, int, int, int], float]
"""The mean share of equal letters between two alignments, 0 to 1, along the guide tree: of their first leaves in the
order of the tree that is followed, and how many each has."""


class Paths:
    """Ways between the leaves of a tree, in their order; edges without a length count nothing."""

    def __init__(self, tree: Tree) -> None:
        self.depths = tree.distances[tree.leaves]
        # The deepest node above two leaves that follow each other is the one whose second child the later begins.
        before = np.cumsum(tree.degrees == 0) - (tree.degrees == 0)
        self.joints: np.ndarray = np.zeros(max(self.depths.size - 1, 0))
        for node in np.flatnonzero(tree.degrees > 0).tolist():
            for child in tree.children(node).tolist()[1:]:
                self.joints[before[child] - 1] = tree.distances[node]

    def of(self, leaf: int) -> np.ndarray:
        """The way from a leaf to all, float64; 0 to itself."""
        joint = np.empty(self.depths.size)
        joint[leaf] = self.depths[leaf]
        joint[leaf + 1 :] = np.minimum.accumulate(self.joints[leaf:])
        joint[:leaf] = np.minimum.accumulate(self.joints[:leaf][::-1])[::-1]
        return self.depths + self.depths[leaf] - 2 * joint

    def nearest(self, leaf: int) -> int:
        """The nearest other leaf."""
        ways = self.of(leaf)
        ways[leaf] = np.inf
        return int(np.argmin(ways))


def nearest_ways(tree: Tree) -> np.ndarray:
    """The way from each leaf to the nearest other, float64; infinite where there is none."""
    nodes, parents, lengths = len(tree), tree.parents.tolist(), np.nan_to_num(tree.lengths).tolist()
    below = np.where(tree.degrees == 0, 0.0, np.inf).tolist()
    second = [np.inf] * nodes  # the way down to the nearest leaf, and that below another child
    for node in range(nodes - 1, 0, -1):
        way, parent = below[node] + lengths[node], parents[node]
        if way < below[parent]:
            below[parent], second[parent] = way, below[parent]
        elif way < second[parent]:
            second[parent] = way
    above = [np.inf] * nodes
    for node in range(1, nodes):
        parent, way = parents[node], below[node] + lengths[node]
        beside = second[parent] if way == below[parent] else below[parent]
        above[node] = lengths[node] + min(beside, above[parent])
    return np.array(above)[tree.leaves]


def delayed(tree: Tree, delay: float) -> tuple[Tree, Alike]:
    """The tree that is followed, and how alike its alignments are.

    A leaf whose nearest other has ``delay`` per cent of equal letters or less is taken out and put above all others, of
    those the one first that is the nearest to what is aligned by then. Equal letters are 1 - the way along the tree.
    """
    paths, count = Paths(tree), tree.leaves.size
    nearest = nearest_ways(tree)
    late = 100 * (1 - nearest) <= delay
    if count < 3:
        late[:] = False
    elif count - late.sum() < 2:
        late[:] = True
        first = int(np.argmin(nearest))
        late[[first, paths.nearest(first)]] = False
    if not late.any():
        return tree, _alike(paths, np.zeros(0))
    kept = prune(tree, tree.leaves[late]).tree
    order = _by_nearness(paths, late)
    means = np.array([paths.of(leaf).sum() / (count - 1) for leaf in order])
    return _behind(kept, [tree.taxa[leaf] for leaf in order]), _alike(Paths(kept), means)


def _by_nearness(paths: Paths, late: np.ndarray) -> list[int]:
    """The leaves that wait, each the nearest to what is aligned when its turn comes."""
    waiting, order = np.flatnonzero(late), list[int]()
    done: np.ndarray = np.zeros(waiting.size, bool)
    near = np.array([paths.of(leaf)[~late].min() for leaf in waiting.tolist()])
    for _ in range(waiting.size):
        place = int(np.argmin(near))
        order.append(int(waiting[place]))
        done[place] = True
        near = np.where(done, np.inf, np.minimum(near, paths.of(order[-1])[waiting]))
    return order


def _behind(tree: Tree, names: list[str]) -> Tree:
    """The tree with further leaves, each put beside all that is there."""
    nodes, added = len(tree), len(names)
    # Old nodes keep their order behind the new ones above them; a new leaf stands behind all, and so comes second.
    parents = np.concatenate([np.arange(-1, added - 1), tree.parents + added, np.arange(added)[::-1]])
    parents[added] = added - 1
    labels = ("",) * added + tree.names + tuple(names)
    lengths = np.concatenate([np.full(added, np.nan), tree.lengths, np.full(added, np.nan)])
    return Tree.from_parents(labels, parents, lengths, tree.name) if nodes else tree


def _alike(paths: Paths, late: np.ndarray) -> Alike:
    """``late`` are the mean ways of the leaves that wait to all others, in their order."""
    sums, kept = np.concatenate([[0.0], np.cumsum(paths.depths)]), paths.depths.size

    def mean(first: int, second: int, rows: int, others: int) -> float:
        if second >= kept:
            return min(max(1 - float(late[second - kept]), 0.0), 1.0)
        depths = (sums[first + rows] - sums[first]) / rows + (sums[second + others] - sums[second]) / others
        return min(max(float(1 - (depths - 2 * paths.joints[second - 1])), 0.0), 1.0)

    return mean
