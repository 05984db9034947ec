"""Roots of a tree: by ClustalW's rule, at the midpoint, or at an outgroup."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import EditedTree, reroot

RULES = ("none", "clustalw", "midpoint", "outgroup")


def place_root(tree: Tree, rule: str, outgroup: str = "") -> Tree:
    """Return the tree with a root of two branches by one of RULES; ParameterError for an unknown outgroup."""
    if rule == "none" or len(tree) < 2:
        return tree
    if rule == "outgroup":
        return root_by_outgroup(tree, outgroup)
    return root_by_means(tree) if rule == "clustalw" else root_at_midpoint(tree)


def root_by_outgroup(tree: Tree, name: str) -> Tree:
    """Place the root in the middle of the edge of one taxon."""
    leaves = [leaf for leaf in tree.leaves.tolist() if tree.names[leaf] == name]
    if len(leaves) != 1:
        raise ParameterError(f"outgroup: {name!r} names {len(leaves)} taxa of the tree; name one")
    return reroot(tree, leaves[0]).tree


def root_by_means(tree: Tree) -> Tree:
    """Place the root by ClustalW's rule: where the mean distances to the leaves on both sides are equal.

    Of all edges that have such a point the one is taken whose farthest leaf is nearest; where none has one, the
    midpoint is. Negative lengths count as 0.
    """
    lengths, counts = _positive_lengths(tree), tree.leaf_counts
    below, above = _farthest_leaves(tree, lengths)
    to_below = _sums_below(tree, lengths) / counts
    others = np.maximum(counts[0] - counts, 1)
    to_others = (_sums_to_all(tree, lengths) - to_below * counts) / others - lengths
    position = (to_others - to_below + lengths) / 2
    valid = (position >= 0) & (position <= lengths)
    valid[0] = False
    if not valid.any():
        return root_at_midpoint(tree)
    farthest = np.where(valid, np.maximum(below + position, above + lengths - position), np.inf)
    node = int(np.argmin(farthest))
    return reroot(tree, node, float(position[node] / lengths[node]) if lengths[node] else 0.5).tree


def root_at_midpoint(tree: Tree) -> Tree:
    """Place the root halfway between the two leaves that are farthest apart. Negative lengths count as 0."""
    return reroot_at_midpoint(tree).tree


def reroot_at_midpoint(tree: Tree) -> EditedTree:
    """Place the root as `root_at_midpoint`, and return also where each node came from."""
    lengths = _positive_lengths(tree)
    below, above = _farthest_leaves(tree, lengths)
    longest = below + above + lengths
    longest[0] = -1
    half = longest.max() / 2
    middle = (longest >= longest.max() * (1 - 1e-12)) & (below <= half) & (below + lengths >= half)
    middle[0] = False
    node = int(np.argmax(middle)) if middle.any() else int(np.argmax(longest))
    position = (half - below[node]) / lengths[node] if lengths[node] else 0.5
    return reroot(tree, node, float(np.clip(position, 0, 1)))


def _positive_lengths(tree: Tree) -> np.ndarray:
    """Return lengths with negative and missing ones as 0."""
    return np.maximum(np.nan_to_num(tree.lengths), 0)


def _sums_below(tree: Tree, lengths: np.ndarray) -> np.ndarray:
    """Return the sum of the distances from each node to the leaves below it."""
    from_root = tree.from_root(lengths)
    leaf = tree.degrees == 0
    return tree.below(np.where(leaf, from_root, 0.0)) - from_root * tree.leaf_counts


def _sums_to_all(tree: Tree, lengths: np.ndarray) -> np.ndarray:
    """Return the sum of the distances from each node to all leaves.

    An edge down is nearer to the leaves below it, and farther from all others.
    """
    counts = tree.leaf_counts
    at_root = _sums_below(tree, lengths)[0]
    return at_root + tree.from_root(lengths * (counts[0] - 2.0 * counts))


def _farthest_leaves(tree: Tree, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distance from each node to the farthest leaf below it, and from its parent to the farthest not below
    it."""
    nodes, parents, edges = len(tree), tree.parents.tolist(), lengths.tolist()
    below, second, above = [0.0] * nodes, [0.0] * nodes, [0.0] * nodes
    for node in range(nodes - 1, 0, -1):
        reach, parent = below[node] + edges[node], parents[node]
        if reach >= below[parent]:
            below[parent], second[parent] = reach, below[parent]
        elif reach > second[parent]:
            second[parent] = reach
    for node in range(1, nodes):
        parent = parents[node]
        reach = below[node] + edges[node]
        beside = second[parent] if reach == below[parent] else below[parent]
        above[node] = max(beside, above[parent] + edges[parent] if parent else 0.0)
    return np.array(below), np.array(above)
