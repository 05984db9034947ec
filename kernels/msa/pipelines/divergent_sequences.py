"""Divergent sequences are aligned last (ClustalW): the tree that is followed, and identities along the guide tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import prune_leaves

MeanIdentity = Callable[[int, int, int, int], float]
"""Returns the mean identity, 0 to 1, of two alignments along the guide tree, by their first leaves and numbers of
leaves in the order of the followed tree."""


class LeafDistances:
    """Distances between the leaves of a tree, in their order; edges without a length count 0."""

    def __init__(self, tree: Tree) -> None:
        self.depths = tree.distances[tree.leaves]
        # The deepest node above two neighbouring leaves is the one whose second child begins with the later leaf.
        before = np.cumsum(tree.degrees == 0) - (tree.degrees == 0)
        self.joints: np.ndarray = np.zeros(max(self.depths.size - 1, 0))
        for node in np.flatnonzero(tree.degrees > 0).tolist():
            for child in tree.children(node).tolist()[1:]:
                self.joints[before[child] - 1] = tree.distances[node]

    def distances_from(self, leaf: int) -> np.ndarray:
        """Return the distances from a leaf to all leaves, float64."""
        joint = np.empty(self.depths.size)
        joint[leaf] = self.depths[leaf]
        joint[leaf + 1 :] = np.minimum.accumulate(self.joints[leaf:])
        joint[:leaf] = np.minimum.accumulate(self.joints[:leaf][::-1])[::-1]
        return self.depths + self.depths[leaf] - 2 * joint

    def nearest_leaf(self, leaf: int) -> int:
        """Return the nearest other leaf."""
        ways = self.distances_from(leaf)
        ways[leaf] = np.inf
        return int(np.argmin(ways))


def nearest_distances(tree: Tree) -> np.ndarray:
    """Return the distance of each leaf to the nearest other, float64; infinite if there is none."""
    nodes, parents, lengths = len(tree), tree.parents.tolist(), np.nan_to_num(tree.lengths).tolist()
    below = np.where(tree.degrees == 0, 0.0, np.inf).tolist()
    second = [np.inf] * nodes  # distances down to the nearest leaf, and to the nearest one below another child
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


def delay_divergent(tree: Tree, delay: float) -> tuple[Tree, MeanIdentity]:
    """Return the tree that is followed, and a function of the mean identity of two alignments.

    A leaf is divergent if its nearest other leaf has at most ``delay`` per cent of equal letters, which is 1 - distance
    along the tree. Divergent leaves are removed and put above all others, nearest first.
    """
    paths, count = LeafDistances(tree), tree.leaves.size
    nearest = nearest_distances(tree)
    late = 100 * (1 - nearest) <= delay
    if count < 3:
        late[:] = False
    elif count - late.sum() < 2:
        late[:] = True
        first = int(np.argmin(nearest))
        late[[first, paths.nearest_leaf(first)]] = False
    if not late.any():
        return tree, _mean_identity(paths, np.zeros(0))
    kept = prune_leaves(tree, tree.leaves[late]).tree
    order = _order_by_nearness(paths, late)
    means = np.array([paths.distances_from(leaf).sum() / (count - 1) for leaf in order])
    return _append_leaves(kept, [tree.taxa[leaf] for leaf in order]), _mean_identity(LeafDistances(kept), means)


def _order_by_nearness(paths: LeafDistances, late: np.ndarray) -> list[int]:
    """Order divergent leaves: each is the nearest to those aligned before it."""
    waiting, order = np.flatnonzero(late), list[int]()
    done: np.ndarray = np.zeros(waiting.size, bool)
    near = np.array([paths.distances_from(leaf)[~late].min() for leaf in waiting.tolist()])
    for _ in range(waiting.size):
        place = int(np.argmin(near))
        order.append(int(waiting[place]))
        done[place] = True
        near = np.where(done, np.inf, np.minimum(near, paths.distances_from(order[-1])[waiting]))
    return order


def _append_leaves(tree: Tree, names: list[str]) -> Tree:
    """Append leaves to a tree, each beside all nodes so far."""
    nodes, added = len(tree), len(names)
    # Old nodes keep their order behind the new ones above them; a new leaf stands last, and so comes second.
    parents = np.concatenate([np.arange(-1, added - 1), tree.parents + added, np.arange(added)[::-1]])
    parents[added] = added - 1
    labels = ("",) * added + tree.names + tuple(names)
    lengths = np.concatenate([np.full(added, np.nan), tree.lengths, np.full(added, np.nan)])
    return Tree.from_parents(labels, parents, lengths, tree.name) if nodes else tree


def _mean_identity(paths: LeafDistances, late: np.ndarray) -> MeanIdentity:
    """Return a function of mean identities; ``late`` are the mean distances of divergent leaves to all others."""
    sums, kept = np.concatenate([[0.0], np.cumsum(paths.depths)]), paths.depths.size

    def mean(first: int, second: int, rows: int, others: int) -> float:
        if second >= kept:
            return min(max(1 - float(late[second - kept]), 0.0), 1.0)
        depths = (sums[first + rows] - sums[first]) / rows + (sums[second + others] - sums[second]) / others
        return min(max(float(1 - (depths - 2 * paths.joints[second - 1])), 0.0), 1.0)

    return mean
