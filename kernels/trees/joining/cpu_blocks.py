"""NJ-basic and NJ-compact on the CPU: the same cell blocks that a GPU scans, shared by threads (004, 4.2 and 4.3).

Threads take rows of blocks in turns. Of a block they know the least criterion at first, sixteen pairs at a time; which
pair has it is looked for where no other block has a lesser one. Then all wait for one thread, which makes the join.

Places are numbered from 1, as in figures 5 and 6. Clusters lie densely: when two are joined, the new one takes the
place of one, and the last takes the place of the other. ``cells`` is the matrix as one array: square for NJ-basic;
folded for NJ-compact, where a pair (x, y) with y > middle is at (n + 1 - x, n + 1 - y). Only pairs x > y are used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import float_lanes as lanes
from antidiag.kernels.cpu.float_lanes import LANES
from antidiag.kernels.cpu.jit import called, compiled, inlined
from antidiag.kernels.cpu.simd import acquire, release, take_ticket
from antidiag.kernels.cpu.waiting import wait_for

SQUARE = 0
"""``middle`` of a matrix that is not folded."""
WORD = 8
"""Words between two that different threads write, so that each has a line of the cache."""
MADE, TICKET, ARRIVED = 0, WORD, 2 * WORD
"""Places in the words of a team: joins made; the next row of blocks; joins for which each thread has compared its
part, a line a thread."""
NUMBERS = 5
"""Of a best pair: criterion, greater slot, smaller slot, y, x."""


class Matrix(NamedTuple):
    """Distances of so many taxa as one array; ``middle`` SQUARE: not folded."""

    cells: np.ndarray
    taxa: int
    middle: int


class Clusters(NamedTuple):
    """Row sums, slots and nodes of the clusters, a number a place, from 1; of a folded matrix also the sums the other
    way round, that of place x at n + 1 - x."""

    sums: np.ndarray
    slots: np.ndarray
    nodes: np.ndarray
    turned: np.ndarray


class Team(NamedTuple):
    """Threads that make joins together: their words, int64, and the best pair of each, float64 (threads, WORD)."""

    words: np.ndarray
    bests: np.ndarray


def team(threads: int) -> Team:
    """A team that has made no join yet."""
    return Team(np.zeros(ARRIVED + threads * WORD, np.int64), np.empty((threads, WORD)))


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


@inlined
def _columns(row, column, side, y, r):
    """The first x of row y in a block, and the one behind the last."""
    return max(column * side, y) + 1, min(column * side + side, r) + 1


@called
def _least_of_block(matrix, clusters, r, side, row, column):
    """The least criterion of the pairs of a cell block; infinite where it has none."""
    cells, taxa, middle = matrix
    factor, vectors, least = lanes.splat(np.float64(r - 2)), lanes.splat(np.inf), np.inf
    for y in range(row * side + 1, min(row * side + side, r) + 1):
        first, end = _columns(row, column, side, y, r)
        start, step = place(y, taxa, middle)
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
    return min(lanes.least_lane(vectors), least)


@inlined
def _before(one, other):
    """Whether a best pair goes before another: by criterion, then greater slot, then smaller slot."""
    if one[0] != other[0]:
        return one[0] < other[0]
    return one[1] < other[1] or (one[1] == other[1] and one[2] < other[2])


@called
def _scan_block(matrix, clusters, r, side, row, column, best):
    """Compare the pairs of a cell block with the best so far."""
    cells, taxa, middle = matrix
    S, slots = clusters.sums, clusters.slots
    pair = np.empty(NUMBERS)
    for y in range(row * side + 1, min(row * side + side, r) + 1):
        start, step = place(y, taxa, middle)
        for x in range(*_columns(row, column, side, y, r)):
            pair[0] = (r - 2) * np.float64(cells[start + step * x]) - (S[x] + S[y])
            if pair[0] <= best[0]:
                pair[1], pair[2] = max(slots[x], slots[y]), min(slots[x], slots[y])
                pair[3], pair[4] = y, x
                if _before(pair, best):
                    best[:NUMBERS] = pair


@called
def _scan(matrix, clusters, r, side, words, best, stop):
    """The best pair of the rows of blocks that a thread takes; ``stop`` ends it early."""
    blocks = (r + side - 1) // side
    least, waiting_row, waiting_column = np.inf, -1, -1
    best[:NUMBERS] = np.inf
    row = take_ticket(words, TICKET)
    while row < blocks and acquire(stop, 0) == 0:
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
        row = take_ticket(words, TICKET)
    if waiting_row >= 0:
        _scan_block(matrix, clusters, r, side, waiting_row, waiting_column, best)


@called
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


@called
def _close_gap(matrix, clusters, r, gap):
    """Move the last cluster to a place that became free."""
    cells = matrix.cells
    S, slots, nodes, turned = clusters
    for k in range(1, r):
        if k != gap:
            cells[cell(matrix, gap, k)] = cells[cell(matrix, r, k)]
    S[gap], slots[gap], nodes[gap] = S[r], slots[r], nodes[r]
    turn(matrix, S, turned)


@compiled
def turn(matrix, sums, turned):
    """The sums the other way round, where the matrix is folded."""
    if matrix.middle != SQUARE:
        for x in range(1, matrix.taxa + 1):
            turned[matrix.taxa + 1 - x] = sums[x]


@compiled
def join(matrix, clusters, side, done, most, joined, team, worker, stop):
    """Up to ``most`` joins after the first ``done``, into a `cpu_pruned.Joined`; returns the joins done.

    All workers of a Team call it with the same numbers; worker 0 makes the joins. ``stop`` ends them early.
    """
    taxa, (words, bests) = matrix.taxa, team
    last = min(done + most, taxa - 3)
    for step in range(done, last):
        r = taxa - step
        _scan(matrix, clusters, r, side, words, bests[worker], stop)
        if worker:
            release(words, ARRIVED + worker * WORD, step + 1)
            if not wait_for(words, MADE, step + 1, stop):
                return step
            continue
        for other in range(1, len(bests)):
            if not wait_for(words, ARRIVED + other * WORD, step + 1, stop):
                return step
            if _before(bests[other], bests[0]):
                bests[0] = bests[other]
        if acquire(stop, 0) != 0:
            return step
        _make(matrix, clusters, step, bests[0], joined)
        words[TICKET] = 0
        release(words, MADE, step + 1)
    return last


@called
def _make(matrix, clusters, step, best, joined):
    """Join the best pair."""
    S, slots, nodes, _ = clusters
    joins, records = joined
    a, b, r = int(best[3]), int(best[4]), matrix.taxa - step
    if slots[a] > slots[b]:
        a, b = b, a
    joins[step, 0], joins[step, 1] = nodes[a], nodes[b]
    records[step, 0], records[step, 1], records[step, 2] = matrix.cells[cell(matrix, a, b)], S[a], S[b]
    _unite(matrix, S, r, a, b)
    nodes[a] = matrix.taxa + step
    _close_gap(matrix, clusters, r, b)
