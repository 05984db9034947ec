"""The tree of the joins of a clustering: edge lengths, the end of neighbor joining, and the root."""

from __future__ import annotations

from collections.abc import Sequence as Sequences

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.trees.problem import JoinedProblem, TreeAnswer, TreeProblem
from antidiag.kernels.trees.rooting import place_root

RECORD = 3
"""Numbers kept of a join: the distance of the two clusters, and the row sum of each."""


def working_matrix(problem: TreeProblem, stride: int = 1) -> np.ndarray:
    """Return the distances in the precision of the problem, (n, width), where ``stride`` divides the width."""
    taxa = problem.taxa
    matrix = np.zeros((taxa, -(-taxa // stride) * stride), problem.dtype)
    matrix[:, :taxa] = problem.matrix.values
    return matrix


def make_joined_tree(
    problem: JoinedProblem,
    joins: np.ndarray,
    records: np.ndarray,
    last_nodes: np.ndarray,
    distances: np.ndarray,
    inner_names: Sequences[str] | None = None,
) -> TreeAnswer:
    """Return the answer of neighbor joining.

    ``joins`` is int32 (n - 3, 2) and ``records`` float64 (n - 3, 3) as the loops write them; ``last_nodes`` are the
    nodes (one to three) that are not joined, in the order of their places, and ``distances`` their distances, square.
    ``inner_names`` name the nodes that the joins made.
    """
    taxa, made = problem.taxa, len(joins)
    middle = taxa + made
    nodes = middle + (last_nodes.size > 1)
    parents, lengths = np.full(nodes, -1), np.full(nodes, np.nan)
    clusters = taxa - np.arange(made)
    between, skew = records[:, 0], (records[:, 1] - records[:, 2]) / (clusters - 2)
    parents[joins] = taxa + np.arange(made)[:, None]
    lengths[joins[:, 0]], lengths[joins[:, 1]] = 0.5 * (between + skew), 0.5 * (between - skew)
    if last_nodes.size > 1:
        parents[last_nodes] = middle
        lengths[last_nodes] = _meeting_lengths(distances.astype(np.float64))
    if problem.negative == "zero":
        _remove_negative_lengths(lengths, joins, last_nodes)
    inner = [*(inner_names or [""] * made), *[""] * (nodes - middle)]
    tree = Tree.from_parents([*problem.names, *inner], parents, lengths, problem.title)
    return TreeAnswer(place_root(tree, problem.root, problem.outgroup), joins)


def make_upgma_tree(problem: TreeProblem, joins: np.ndarray, heights: np.ndarray) -> TreeAnswer:
    """Return the answer of UPGMA: the length of an edge is the difference of the heights at its ends."""
    of_nodes = np.concatenate([np.zeros(problem.taxa), heights])
    lengths = heights[:, None] - of_nodes[joins]
    return TreeAnswer(Tree.from_joins(problem.matrix.names, joins, lengths, problem.matrix.name), joins)


def _meeting_lengths(distances: np.ndarray) -> np.ndarray:
    """Return lengths from two or three nodes to the point where they meet."""
    if len(distances) == 2:
        return np.full(2, distances[0, 1] / 2)
    ab, ac, bc = distances[0, 1], distances[0, 2], distances[1, 2]
    return 0.5 * np.array([(ab + ac) - bc, (ab + bc) - ac, (ac + bc) - ab])


def _remove_negative_lengths(lengths: np.ndarray, joins: np.ndarray, last_nodes: np.ndarray) -> None:
    """Set negative lengths to 0 and subtract them from the neighbouring edge, so that their sum stays."""
    first, second = joins.T
    a, b = lengths[first], lengths[second]
    lengths[first], lengths[second] = _balance_lengths(a, b), _balance_lengths(b, a)
    if last_nodes.size > 1:
        ends = lengths[last_nodes]
        ends = ends + np.roll(np.minimum(ends, 0), 1)
        lengths[last_nodes] = np.maximum(ends, 0)


def _balance_lengths(length: np.ndarray, neighbour: np.ndarray) -> np.ndarray:
    """Return a length, minus what the neighbouring edge lacks."""
    return np.maximum(np.where(length < 0, 0, length + np.minimum(neighbour, 0)), 0)
