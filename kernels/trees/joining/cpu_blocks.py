"""NJ-basic and NJ-compact on the CPU: the same cell blocks that a GPU scans, one after another (004, 4.2 and 4.3).

Places are numbered from 1, as in figures 5 and 6. Clusters lie densely: when two are joined, the new one takes the
place of one, and the last takes the place of the other. ``cells`` is the matrix as one array: square for NJ-basic;
folded for NJ-compact, where a pair (x, y) with y > middle is at (n + 1 - x, n + 1 - y). Only pairs x > y are used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernels.cpu.jit import compiled, inlined

SQUARE = 0
"""``middle`` of a matrix that is not folded."""


class Matrix(NamedTuple):
    """Distances of so many taxa as one array; ``middle`` SQUARE: not folded."""

    cells: np.ndarray
    taxa: int
    middle: int


class Clusters(NamedTuple):
    """Row sums, slots and nodes of the clusters, a number a place, from 1."""

    sums: np.ndarray
    slots: np.ndarray
    nodes: np.ndarray


@inlined
def place(y, taxa, middle):
    """Where row y begins, and the step from one x to the next."""
    if middle == SQUARE or y <= middle:
        return y * (taxa + 1), 1
    return (taxa + 1 - y) * (taxa + 1) + (taxa + 1), -1


@compiled
def cell(matrix, y, x):
    """Where the pair of two places is."""
    low, high = min(x, y), max(x, y)
    start, step = place(low, matrix.taxa, matrix.middle)
    return start + step * high


@compiled
def fill(rows, first, matrix):
    """Write what some rows of a square matrix, from row ``first`` on, have above the diagonal to a Matrix."""
    cells, taxa, middle = matrix
    for row in range(rows.shape[0]):
        y = first + row + 1
        start, step = place(y, taxa, middle)
        for x in range(y + 1, taxa + 1):
            cells[start + step * x] = rows[row, x - 1]


@compiled
def _scan_block(matrix, clusters, r, side, row, column, best):
    """Compare the pairs of a cell block with the best so far: (criterion, greater slot, smaller slot, y, x)."""
    cells, taxa, middle = matrix
    S, slots, _ = clusters
    for y in range(row * side + 1, min(row * side + side, r) + 1):
        start, step = place(y, taxa, middle)
        for x in range(max(column * side, y) + 1, min(column * side + side, r) + 1):
            criterion = (r - 2) * np.float64(cells[start + step * x]) - (S[x] + S[y])
            if criterion > best[0]:
                continue
            high, low = float(max(slots[x], slots[y])), float(min(slots[x], slots[y]))
            if criterion < best[0] or high < best[1] or (high == best[1] and low < best[2]):
                best[0], best[1], best[2], best[3], best[4] = criterion, high, low, y, x


@compiled
def _unite(matrix, S, r, a, b):
    """Put the cluster of a and b in place a; the distances to it and the sums of the others follow."""
    cells = matrix.cells
    between = np.float64(cells[cell(matrix, a, b)])
    for k in range(1, r + 1):
        if k != a and k != b:
            here = cell(matrix, a, k)
            both = np.float64(cells[here]) + np.float64(cells[cell(matrix, b, k)])
            cells[here] = 0.5 * (both - between)
            S[k] = (S[k] - both) + np.float64(cells[here])
    S[a] = 0.5 * ((S[a] + S[b]) - r * between)


@compiled
def _close_gap(matrix, clusters, r, gap):
    """Move the last cluster to a place that became free."""
    cells = matrix.cells
    S, slots, nodes = clusters
    for k in range(1, r):
        if k != gap:
            cells[cell(matrix, gap, k)] = cells[cell(matrix, r, k)]
    S[gap], slots[gap], nodes[gap] = S[r], slots[r], nodes[r]


@compiled
def join(matrix, clusters, side, done, most, joined, stop):
    """Up to ``most`` joins after the first ``done``, into a `cpu_pruned.Joined`; returns the joins done.

    ``stop`` ends them early.
    """
    taxa, (S, slots, nodes), (joins, records) = matrix.taxa, clusters, joined
    best = np.empty(5)
    last = min(done + most, taxa - 3)
    for step in range(done, last):
        r = taxa - step
        best[:] = np.inf
        blocks = (r + side - 1) // side
        for row in range(blocks):
            for column in range(row, blocks):
                if not stop[0]:
                    _scan_block(matrix, clusters, r, side, row, column, best)
        if stop[0]:
            return step
        a, b = int(best[3]), int(best[4])
        if slots[a] > slots[b]:
            a, b = b, a
        joins[step, 0], joins[step, 1] = nodes[a], nodes[b]
        records[step, 0], records[step, 1], records[step, 2] = matrix.cells[cell(matrix, a, b)], S[a], S[b]
        _unite(matrix, S, r, a, b)
        nodes[a] = taxa + step
        _close_gap(matrix, clusters, r, b)
    return last
