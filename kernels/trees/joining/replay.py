"""Replay of the joins of a clustering, step by step, for teaching: textbook formulas, small matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError


@dataclass(frozen=True, eq=False)
class JoinStep:
    """The clusters and distances before a join, and the join.

    ``nodes`` are the ids of the remaining clusters, n + k for the one that join k made; ``values`` their distances and
    the criterion what the method compares, float64 (clusters, clusters), NaN on the diagonal. ``pair`` are the two ids
    that are joined, and ``lengths`` of their edges; both are empty where all remaining clusters meet in one node.
    """

    nodes: tuple[int, ...]
    values: np.ndarray
    criterion: np.ndarray
    pair: tuple[int, ...] = ()
    lengths: tuple[float, ...] = ()


def replay_joins(values: np.ndarray, joins: np.ndarray, average: bool = False) -> list[JoinStep]:
    """Return every step of neighbor joining (Saitou and Nei 1987; Studier and Keppler 1988), or of UPGMA.

    Parameters
    ----------
    values : float array (n, n), the distances of n taxa, symmetric.
    joins : int array (k, 2), as in a tree's answer: the clusters that join s unites into node n + s.
    average : whether the method is UPGMA.

    Returns
    -------
    A step for each join, and a last one of the clusters that remain.

    Raises
    ------
    InputError where a join names a cluster that is not there.
    """
    count = len(values)
    nodes, table = list(range(count)), np.array(values, np.float64)
    sizes, heights = [1] * count, [0.0] * count
    steps: list[JoinStep] = []
    for number, (first, second) in enumerate(np.asarray(joins).tolist()):
        if first == second or first not in nodes or second not in nodes:
            raise InputError(f"join {number + 1} unites {first} and {second}, which are not two clusters that are left")
        i, j = nodes.index(first), nodes.index(second)
        lengths = _upgma_edge_lengths(table, i, j, heights) if average else _joined_edge_lengths(table, i, j)
        steps.append(JoinStep(tuple(nodes), table, join_criterion(table, average), (first, second), lengths))
        if average:
            row = (sizes[i] * table[i] + sizes[j] * table[j]) / (sizes[i] + sizes[j])
        else:
            row = (table[i] + table[j] - table[i, j]) / 2
        for kept, new in ((sizes, sizes[i] + sizes[j]), (heights, table[i, j] / 2), (nodes, count + number)):
            kept[i] = new
            del kept[j]
        table = table.copy()
        table[i], table[:, i], table[i, i] = row, row, 0
        table = np.delete(np.delete(table, j, 0), j, 1)
    return [*steps, JoinStep(tuple(nodes), table, join_criterion(table, average))]


def join_criterion(values: np.ndarray, average: bool = False) -> np.ndarray:
    """Return the matrix whose smallest value is joined next; NaN on the diagonal.

    For UPGMA the distance; for neighbor joining Q(i, j) = (r - 2) d(i, j) - R(i) - R(j), where R are sums of rows and r
    is the number of clusters.
    """
    found = np.array(values, np.float64)
    if not average:
        sums = values.sum(axis=1)
        found = (len(values) - 2) * found - sums[:, None] - sums[None, :]
    np.fill_diagonal(found, np.nan)
    return found


def _joined_edge_lengths(values: np.ndarray, i: int, j: int) -> tuple[float, float]:
    """Return the lengths of the edges to a pair that neighbor joining unites."""
    between, sums = float(values[i, j]), values.sum(axis=1)
    more = float(sums[i] - sums[j]) / (2 * (len(values) - 2)) if len(values) > 2 else 0.0
    return between / 2 + more, between / 2 - more


def _upgma_edge_lengths(values: np.ndarray, i: int, j: int, heights: list[float]) -> tuple[float, float]:
    """Return the lengths of the edges to a pair that UPGMA unites: the height of the join minus theirs."""
    return float(values[i, j]) / 2 - heights[i], float(values[i, j]) / 2 - heights[j]
