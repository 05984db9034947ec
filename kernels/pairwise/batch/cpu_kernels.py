"""Small pairs of a batch in compiled code: groups of them side by side, then the path of each by its decisions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.full_registers import load_register
from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.simd import lane_count
from antidiag.kernels.pairwise.batch.cpu_lanes import (
    IS_DIAGONAL,
    IS_E,
    IS_E2,
    IS_F,
    IS_ZERO,
    OPENS_E,
    OPENS_E2,
    OPENS_F,
    OPENS_F2,
    LaneGroup,
    place_letters,
    sweep_tables,
)

IN_E, IN_F, IN_E2, IN_F2 = 1, 2, 3, 4
"""States of the walk back inside a gap."""


class PairResults(NamedTuple):
    """The results of pairs: scores (pairs,) int32, starts and ends (pairs, 2) int32, and operations, uint8.

    The operations of a pair are the ``counts`` (pairs,) int64 before its place in ``room_ends`` (pairs,) int64.
    """

    scores: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    counts: np.ndarray
    room_ends: np.ndarray
    operations: np.ndarray


@inner_njit
def gap_state(found, pieces):
    """Return the gap in which a path reaches a cell: E before F, and the first piece before the second."""
    if found & IS_E:
        return IN_E
    if len(pieces) == 1:
        return IN_F
    if found & IS_E2:
        return IN_E2
    return IN_F if found & IS_F else IN_F2


@inner_njit
def opening_of(state):
    """Return the decision by which the gap of a state opens in a cell; 0 outside gaps."""
    if state == IN_E:
        return OPENS_E
    if state == IN_F:
        return OPENS_F
    return OPENS_E2 * (state == IN_E2) + OPENS_F2 * (state == IN_F2)


@inner_njit
def walk_back(decisions, width, lanes, lane, row, column, scoring, operations, room_end):
    """Write the operations of the path to a cell, the last one before ``room_end``; return its start and the number.

    The pair is in one of the ``lanes`` of ``decisions``, of tables of ``width`` columns.
    """
    pieces, settings = scoring.pieces, scoring.settings
    local, free_top, free_left = settings[0] != 0, settings[1] != 0, settings[2] != 0
    i, j, state, count = row, column, 0, 0
    while i > 0 and j > 0:
        found = decisions[((i - 1) * width + j - 1) * lanes + lane]
        if state == 0:
            if local and found & IS_ZERO:
                break
            if not found & IS_DIAGONAL:
                state = gap_state(found, pieces)
        count += 1
        taken = state if state < IN_E2 else state - 2
        operations[room_end - count] = taken
        if found & opening_of(state):
            state = 0
        i -= taken != 2
        j -= taken != 1
    if not local:
        if i > 0 and not free_left:
            for _ in range(i):
                count += 1
                operations[room_end - count] = 1
            i = 0
        elif j > 0 and not free_top:
            for _ in range(j):
                count += 1
                operations[room_end - count] = 2
            j = 0
    return i, j, count


@inner_njit
def make_group(pairs, first, lanes, most_cells):
    """Return a group of pairs, in their order by size, that begins with pair ``first``.

    A pair joins a group only where the table of all of them takes no more cells than two tables would.
    """
    height, width, last = pairs.rows[first], pairs.columns[first], first + 1
    least = height
    while last < min(first + lanes, pairs.rows.size):
        rows, columns = pairs.rows[last], pairs.columns[last]
        new_height, new_width = max(height, rows), max(width, columns)
        cells = new_height * new_width
        if cells > most_cells or cells > height * width + rows * columns:
            break
        height, width, least, last = new_height, new_width, min(least, rows), last + 1
    return LaneGroup(first, last, height, width, least)


@cached_njit
def compute_pairs(lookup, pairs, numbers, scoring, work, most_cells, with_paths, results, done, stop):
    """Compute pairs, in an order in which neighbours are alike.

    Parameters
    ----------
    lookup, pairs, scoring, work, with_paths, stop
        See `sweep_tables`.
    numbers : ndarray of int64, shape (pairs,)
        The number of each pair in ``results``.
    most_cells : int
        Cells of a table for which ``work`` has room; each of the pairs has so many at most.
    results : PairResults
        Receives the results.
    done : ndarray of int64, shape (1,)
        Grows with the cells that are done.
    """
    scores, starts, ends, counts, room_ends, operations = results
    lanes, first = lane_count(load_register(work.H, 0)), 0
    while first < numbers.size:
        group = make_group(pairs, first, lanes, most_cells)
        place_letters(lookup, pairs, group, scoring, work, lanes)
        sweep_tables(lookup, pairs, group, scoring, work, with_paths, stop)
        if stop[0] != 0:
            return
        for lane in range(group.last - first):
            number, row, column = numbers[first + lane], work.best[lanes + lane], work.best[2 * lanes + lane]
            scores[number] = work.best[lane]
            if with_paths:
                ends[number, 0], ends[number, 1] = row, column
                i, j, count = walk_back(
                    work.decisions, group.columns, lanes, lane, row, column, scoring, operations, room_ends[number]
                )
                starts[number, 0], starts[number, 1], counts[number] = i, j, count
            done[0] += pairs.rows[first + lane] * pairs.columns[first + lane]
        first = group.last


@cached_njit
def gather_operations(numbers, results, is_swapped, offsets, together):
    """Copy the operations of some pairs together, those of the k-th from ``offsets[k]`` on.

    Both gaps are exchanged where the rows are the second sequence.
    """
    for k in range(numbers.size):
        number = numbers[k]
        begin = results.room_ends[number] - results.counts[number]
        for at in range(results.counts[number]):
            operation = results.operations[begin + at]
            together[offsets[k] + at] = 3 - operation if is_swapped[number] and operation else operation
