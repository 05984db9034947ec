"""The answer of a placement: a tree with its lengths and its root, and joins that make it."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.io.tree import Tree, sum_from_root
from antidiag.kernels.trees.placement.problem import PlacedProblem
from antidiag.kernels.trees.problem import TreeAnswer
from antidiag.kernels.trees.rooting import place_root


def make_placed_tree(problem: PlacedProblem, order: np.ndarray, parents: np.ndarray, lengths: np.ndarray) -> TreeAnswer:
    """Return the answer of a placement.

    Parameters
    ----------
    problem : PlacedProblem
    order : int64 (taxa,), the taxon that each leaf is
    parents : int32 (nodes,), of leaves, which come first, and inner nodes; -1 for the root
    lengths : float64 (nodes,), of the edges above the nodes; negative ones become 0
    """
    taxa = problem.taxa
    renumbered = np.concatenate([order, np.arange(taxa, parents.size)])
    moved, above = np.empty_like(parents), np.empty_like(lengths)
    moved[renumbered], above[renumbered] = np.where(parents < 0, -1, renumbered[parents]), np.maximum(lengths, 0.0)
    above[moved < 0] = np.nan
    names = [*problem.names, *[""] * (parents.size - taxa)]
    tree = Tree.from_parents(names, moved, above, problem.title)
    return TreeAnswer(place_root(tree, problem.root, problem.outgroup), list_joins(moved, taxa))


def list_joins(parents: np.ndarray, taxa: int) -> np.ndarray:
    """Return joins that make a tree whose root has three children, int32 (taxa - 3, 2); the first nodes are leaves.

    A node is joined after the nodes below it: they are sorted by their distance from the root.
    """
    inner = np.arange(taxa, parents.size)
    if inner.size < 2:
        return np.empty((0, 2), np.int32)
    depth = sum_from_root(parents, np.ones(parents.size, np.int64))
    made = inner[parents[inner] >= 0]
    made = made[np.argsort(-depth[made], kind="stable")]
    number = np.arange(parents.size)
    number[made] = taxa + np.arange(made.size)
    children = np.argsort(parents, kind="stable")
    starts = np.searchsorted(parents[children], made)
    return np.stack([number[children[starts]], number[children[starts + 1]]], 1).astype(np.int32)
