"""NJ-basic and NJ-compact on the CPU, with the cell blocks of the GPU (Liu, Schmidt and Maskell 2009, 4.2 and 4.3).

Threads take rows of blocks in turns. For a block they first find only the smallest criterion, sixteen pairs at a time;
the pair that has it is looked for where no other block has a smaller one. Then all wait for one thread, which makes the
join.

Places are numbered from 1, as in figures 5 and 6. Clusters lie densely: when two are joined, the new one takes the
place of one, and the last takes the place of the other. ``cells`` is the matrix as one array: square for NJ-basic;
folded for NJ-compact, where a pair (x, y) with y > middle is at (n + 1 - x, n + 1 - y). Only pairs x > y are used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import float_lanes as lanes
from antidiag.kernels.cpu.float_lanes import LANES
from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.progress_words import wait_until_reached
from antidiag.kernels.cpu.simd import fetch_add, load_acquire, store_release

SQUARE = 0
"""``middle`` of a matrix that is not folded."""
WORD = 8
"""Words between two that different threads write, so that each has its own cache line."""
MADE, TICKET, ARRIVED = 0, WORD, 2 * WORD
"""Offsets in the words of a team: joins made; the next row of blocks; the joins that each thread has compared for."""
NUMBERS = 5
"""Numbers of a best pair: criterion, greater slot, smaller slot, y, x."""


class TriangleMatrix(NamedTuple):
    """Distances of so many taxa as one array; ``middle`` is SQUARE where it is not folded."""

    cells: np.ndarray
    taxa: int
    middle: int


class BlockClusters(NamedTuple):
    """Row sums, slots and nodes of the clusters, one per place, from 1.

    ``turned`` holds, for a folded matrix, the sums in reverse: that of place x at n + 1 - x.
    """

    sums: np.ndarray
    slots: np.ndarray
    nodes: np.ndarray
    turned: np.ndarray


class JoinTeam(NamedTuple):
    """Threads that make joins together: their words, int64, and the best pair of each, float64 (threads, WORD)."""

    words: np.ndarray
    bests: np.ndarray


def make_team(threads: int) -> JoinTeam:
    """Return a team that has made no join yet."""
    return JoinTeam(np.zeros(ARRIVED + threads * WORD, np.int64), np.empty((threads, WORD)))


@inline_njit
def row_place(y, taxa, middle):
    """Return where row y begins, and the step from one x to the next."""
    if middle == SQUARE or y <= middle:
        return y * (taxa + 1), 1
    return (taxa + 1 - y) * (taxa + 1) + (taxa + 1), -1


@inner_njit
def pair_place(matrix, y, x):
    """Return where the pair of two places is."""
    low, high = min(x, y), max(x, y)
    start, step = row_place(low, matrix.taxa, matrix.middle)
    return start + step * high


@cached_njit
def fill_triangle(rows, first, matrix):
    """Write the part above the diagonal of some rows of a square matrix, from row ``first`` on, to a
    `TriangleMatrix`."""
    cells, taxa, middle = matrix
    for row in range(rows.shape[0]):
        y = first + row + 1
        start, step = row_place(y, taxa, middle)
        for x in range(y + 1, taxa + 1):
            cells[start + step * x] = rows[row, x - 1]


@inline_njit
def _block_columns(row, column, side, y, r):
    """Return the first x of row y in a block, and the one after the last."""
    return max(column * side, y) + 1, min(column * side + side, r) + 1


@inner_njit
def _least_of_block(matrix, clusters, r, side, row, column):
    """Return the smallest criterion of the pairs of a cell block; infinite where it has none."""
    cells, taxa, middle = matrix
    factor, vectors, least = lanes.splat(np.float64(r - 2)), lanes.splat(np.inf), np.inf
    for y in range(row * side + 1, min(row * side + side, r) + 1):
        first, end = _block_columns(row, column, side, y, r)
        start, step = row_place(y, taxa, middle)
        sums, at, to = clusters.sums, start + first, first
        if step < 0:
            sums, at, to = clusters.turned, start - end + 1, taxa + 2 - end
        own = clusters.sums[y]
        vector, whole = lanes.splat(own), (end - first) // LANES * LANES
        for p in range(0, whole, LANES):
            product = lanes.multiply(factor, lanes.to_double(lanes.load(cells, at + p)))
            both = lanes.add(lanes.load(sums, to + p), vector)
            vectors = lanes.minimum(lanes.subtract(product, both), vectors)
        for p in range(whole, end - first):
            least = min(least, (r - 2) * np.float64(cells[at + p]) - (sums[to + p] + own))
    return min(lanes.minimum_lane(vectors), least)


@inline_njit
def _pair_precedes(first, second):
    """Return whether a best pair precedes another: by criterion, then greater slot, then smaller slot."""
    if first[0] != second[0]:
        return first[0] < second[0]
    return first[1] < second[1] or (first[1] == second[1] and first[2] < second[2])


@inner_njit
def _scan_block(matrix, clusters, r, side, row, column, best):
    """Compare the pairs of a cell block with the best so far."""
    cells, taxa, middle = matrix
    S, slots = clusters.sums, clusters.slots
    pair = np.empty(NUMBERS)
    for y in range(row * side + 1, min(row * side + side, r) + 1):
        start, step = row_place(y, taxa, middle)
        for x in range(*_block_columns(row, column, side, y, r)):
            pair[0] = (r - 2) * np.float64(cells[start + step * x]) - (S[x] + S[y])
            if pair[0] <= best[0]:
                pair[1], pair[2] = max(slots[x], slots[y]), min(slots[x], slots[y])
                pair[3], pair[4] = y, x
                if _pair_precedes(pair, best):
                    best[:NUMBERS] = pair


@inner_njit
def _scan_rows(matrix, clusters, r, side, words, best, stop):
    """Find the best pair of the rows of blocks that a thread takes; ``stop`` ends it early."""
    blocks = (r + side - 1) // side
    least, waiting_row, waiting_column = np.inf, -1, -1
    best[:NUMBERS] = np.inf
    row = fetch_add(words, TICKET)
    while row < blocks and load_acquire(stop, 0) == 0:
        for column in range(row, blocks):
            found = _least_of_block(matrix, clusters, r, side, row, column)
            if found < least:
                least, waiting_row, waiting_column = found, row, column
                best[:NUMBERS] = np.inf
            elif found == least:
                if waiting_row >= 0:
                    _scan_block(matrix, clusters, r, side, waiting_row, waiting_column, best)
                    waiting_row = -1
                _scan_block(matrix, clusters, r, side, row, column, best)
        row = fetch_add(words, TICKET)
    if waiting_row >= 0:
        _scan_block(matrix, clusters, r, side, waiting_row, waiting_column, best)


@inner_njit
def _join_clusters(matrix, S, r, a, b):
    """Put the cluster of a and b in place a; the distances to it and the sums of the others follow."""
    cells = matrix.cells
    between = np.float64(cells[pair_place(matrix, a, b)])
    for k in range(1, r + 1):
        if k != a and k != b:
            here = pair_place(matrix, a, k)
            both = np.float64(cells[here]) + np.float64(cells[pair_place(matrix, b, k)])
            cells[here] = 0.5 * (both - between)
            S[k] = (S[k] - both) + np.float64(cells[here])
    S[a] = 0.5 * ((S[a] + S[b]) - r * between)


@inner_njit
def _close_gap(matrix, clusters, r, gap):
    """Move the last cluster to a place that became free."""
    cells = matrix.cells
    S, slots, nodes, turned = clusters
    for k in range(1, r):
        if k != gap:
            cells[pair_place(matrix, gap, k)] = cells[pair_place(matrix, r, k)]
    S[gap], slots[gap], nodes[gap] = S[r], slots[r], nodes[r]
    turn_sums(matrix, S, turned)


@inner_njit
def turn_sums(matrix, sums, turned):
    """Write the reversed sums, where the matrix is folded."""
    if matrix.middle != SQUARE:
        for x in range(1, matrix.taxa + 1):
            turned[matrix.taxa + 1 - x] = sums[x]


call_turn_sums = cached_njit(turn_sums)
"""`turn_sums` for calls from Python."""


@cached_njit
def make_joins(matrix, clusters, side, done, join_limit, joined, team, worker, stop):
    """Make up to ``join_limit`` joins after the first ``done``, into a `cpu_pruned.JoinArrays`; return the joins done.

    All workers of a team call it with the same numbers; worker 0 makes the joins. ``stop`` ends them early.
    """
    taxa, (words, bests) = matrix.taxa, team
    last = min(done + join_limit, taxa - 3)
    for step in range(done, last):
        r = taxa - step
        _scan_rows(matrix, clusters, r, side, words, bests[worker], stop)
        if worker:
            store_release(words, ARRIVED + worker * WORD, step + 1)
            if not wait_until_reached(words, MADE, step + 1, stop):
                return step
            continue
        for other in range(1, len(bests)):
            if not wait_until_reached(words, ARRIVED + other * WORD, step + 1, stop):
                return step
            if _pair_precedes(bests[other], bests[0]):
                bests[0] = bests[other]
        if load_acquire(stop, 0) != 0:
            return step
        _make_join(matrix, clusters, step, bests[0], joined)
        words[TICKET] = 0
        store_release(words, MADE, step + 1)
    return last


@inner_njit
def _make_join(matrix, clusters, step, best, joined):
    """Join the best pair."""
    S, slots, nodes, _ = clusters
    joins, records = joined
    a, b, r = int(best[3]), int(best[4]), matrix.taxa - step
    if slots[a] > slots[b]:
        a, b = b, a
    joins[step, 0], joins[step, 1] = nodes[a], nodes[b]
    records[step, 0], records[step, 1], records[step, 2] = matrix.cells[pair_place(matrix, a, b)], S[a], S[b]
    _join_clusters(matrix, S, r, a, b)
    nodes[a] = matrix.taxa + step
    _close_gap(matrix, clusters, r, b)
