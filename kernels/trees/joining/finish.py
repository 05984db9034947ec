"""From the joins of a clustering to its tree: lengths, the end of neighbor joining, and the root."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.trees.problem import TreeAnswer, TreeProblem
from antidiag.kernels.trees.rooting import rooted

RECORD = 3
"""Numbers kept of a join: the distance of the two clusters, and the row sum of each."""


def working_matrix(problem: TreeProblem, stride: int = 1) -> np.ndarray:
    """The distances in the precision of the problem, (n, width), rows as long as a multiple of ``stride``."""
    taxa = problem.taxa
    matrix = np.zeros((taxa, -(-taxa // stride) * stride), problem.dtype)
    matrix[:, :taxa] = problem.matrix.values
    return matrix


def finish(
    problem: TreeProblem, joins: np.ndarray, records: np.ndarray, left: np.ndarray, apart: np.ndarray
) -> TreeAnswer:
    """The answer of neighbor joining.

    ``joins`` is int32 (n - 3, 2) and ``records`` float64 (n - 3, 3) as the loops write them; ``left`` are the nodes
    (one to three) that are not joined, in the order of their places, and ``apart`` their distances, square.
    """
    taxa, made = problem.taxa, len(joins)
    middle = taxa + made
    nodes = middle + (left.size > 1)
    parents, lengths = np.full(nodes, -1), np.full(nodes, np.nan)
    clusters = taxa - np.arange(made)
    between, skew = records[:, 0], (records[:, 1] - records[:, 2]) / (clusters - 2)
    parents[joins] = taxa + np.arange(made)[:, None]
    lengths[joins[:, 0]], lengths[joins[:, 1]] = 0.5 * (between + skew), 0.5 * (between - skew)
    if left.size > 1:
        parents[left] = middle
        lengths[left] = _meeting(apart.astype(np.float64))
    if problem.negative == "zero":
        _lift(lengths, joins, left)
    names = [*problem.matrix.names, *[""] * (nodes - taxa)]
    tree = Tree.from_parents(names, parents, lengths, problem.matrix.name)
    return TreeAnswer(rooted(tree, problem.root, problem.outgroup), joins)


def rooted_by_heights(problem: TreeProblem, joins: np.ndarray, heights: np.ndarray) -> TreeAnswer:
    """The answer of UPGMA: an edge is as long as the difference of the heights at its ends."""
    of_nodes = np.concatenate([np.zeros(problem.taxa), heights])
    lengths = heights[:, None] - of_nodes[joins]
    return TreeAnswer(Tree.from_joins(problem.matrix.names, joins, lengths, problem.matrix.name), joins)


def _meeting(apart: np.ndarray) -> np.ndarray:
    """Lengths from two or three nodes to the point where they meet."""
    if len(apart) == 2:
        return np.full(2, apart[0, 1] / 2)
    ab, ac, bc = apart[0, 1], apart[0, 2], apart[1, 2]
    return 0.5 * np.array([(ab + ac) - bc, (ab + bc) - ac, (ac + bc) - ab])


def _lift(lengths: np.ndarray, joins: np.ndarray, left: np.ndarray) -> None:
    """Make negative lengths 0 and take what they lacked from the edge beside them, which keeps their sum."""
    first, second = joins.T
    a, b = lengths[first], lengths[second]
    lengths[first], lengths[second] = _balanced(a, b), _balanced(b, a)
    if left.size > 1:
        ends = lengths[left]
        ends = ends + np.roll(np.minimum(ends, 0), 1)
        lengths[left] = np.maximum(ends, 0)


def _balanced(own: np.ndarray, beside: np.ndarray) -> np.ndarray:
    """A length, with what the edge beside it lacks."""
    return np.maximum(np.where(own < 0, 0, own + np.minimum(beside, 0)), 0)
