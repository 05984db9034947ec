"""The recurrence of Viterbi, compiled: rows of costs in sequence, and the path back through them.

A row M[k] holds for every state the least cost of reaching it after k letters, before the state's own letter: M[0] is
the initial cost, and M[k] = (M[k - 1] + E[letter k]) x T over (min, +) (Hanif 2014, equations 2.20 and 5.3). Rows are
padded to whole vectors with unreachable states. Numbers are whole and below 2**53, so that float64 adds them exactly,
in any order. ``model`` is `cpu_tables.Tables`.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.semiring.cpu_tile import BAND, ROW_VECTORS, min_plus_band, min_plus_piece, min_plus_row

LANES = 8
WIDE_LANES = LANES * ROW_VECTORS
POLL_LETTERS = 64
"""Letters between two checks for cancellation."""


@inner_njit
def multiply_row(row, matrix, width, states, target, offset):
    """Set ``target[at : at + width]`` to row x matrix; ``matrix`` is flat with rows of ``width`` numbers."""
    target[offset : offset + width] = np.inf
    j = 0
    while j + WIDE_LANES <= width:
        min_plus_row(row, matrix, target, (0, j, offset + j), (width, width, width), states)
        j += WIDE_LANES
    while j < width:
        min_plus_piece(row, matrix, target, (0, j, offset + j), (width, width, width), states)
        j += LANES


call_multiply_row = cached_njit(multiply_row)
"""`multiply_row` for calls from Python."""


@cached_njit
def compute_rows(start, rows, model, first, last, stop):
    """Compute rows ``first + 1`` to ``last`` from ``start``, which is row ``first``; arrays are flat.

    Return the row at which it stopped.
    """
    width, emissions, seen = model.width, model.emissions, model.seen
    transitions, states = model.transitions, model.states
    ready = np.empty(width)
    for k in range(first, last):
        if k % POLL_LETTERS == 0 and stop[0] != 0:
            return k
        emission = seen[k] * width
        for i in range(width):
            before = start[i] if k == first else rows[k * width + i]
            ready[i] = before + emissions[emission + i]
        multiply_row(ready, transitions, width, states, rows, (k + 1) * width)
    return last


@cached_njit
def correct_rows(start, rows, model, first, last, stop):
    """Compute rows again from another start, until a row differs from the stored one by a constant alone.

    From there on the stored rows are as good, for the winner depends on differences only. Return that row; ``last + 1``
    where there is none.
    """
    width, emissions, seen = model.width, model.emissions, model.seen
    transitions, states = model.transitions, model.states
    ready, row = np.empty(width), start.copy()
    for k in range(first, last):
        if k % POLL_LETTERS == 0 and stop[0] != 0:
            return k
        emission = seen[k] * width
        for i in range(width):
            ready[i] = row[i] + emissions[emission + i]
        multiply_row(ready, transitions, width, states, row, 0)
        if are_parallel(row, rows, (k + 1) * width, width):
            return k + 1
        rows[(k + 1) * width : (k + 2) * width] = row
    return last + 1


@inner_njit
def are_parallel(row, rows, offset, width):
    """Return whether two rows differ by a constant; unreachable states must be the same in both."""
    known, difference = False, 0.0
    for i in range(width):
        mine, other = row[i], rows[offset + i]
        if np.isinf(mine) or np.isinf(other):
            if mine != other:
                return False
        elif not known:
            known, difference = True, mine - other
        elif mine - other != difference:
            return False
    return True


call_are_parallel = cached_njit(are_parallel)
"""`are_parallel` for calls from Python."""


@cached_njit
def trace_back(rows, model, first, last, path, stop):
    """Find the states of letters ``last`` down to ``first``; ``path[last + 1]`` must be known unless ``last`` is the
    last letter.

    Return whether a path exists.
    """
    states, width, columns, emissions, seen = model.states, model.width, model.columns, model.emissions, model.seen
    for k in range(last, first - 1, -1):
        if k % 4096 == 0 and stop[0] != 0:
            return False
        final = k == seen.shape[0] - 1
        best, winner = np.inf, -1
        column = 0 if final else path[k + 1] * width
        for i in range(states):
            way = rows[k * width + i] + emissions[seen[k] * width + i]
            if not final:
                way += columns[column + i]
            if way < best:
                best, winner = way, i
        if winner < 0:
            return False
        path[k] = winner
    return True


@cached_njit
def compute_rows_serially(rows, model, first, last):
    """Compute rows as TROPVITERBI (algorithm 2.6) is published: state by state, one predecessor after another."""
    states, width, columns, emissions, seen = model.states, model.width, model.columns, model.emissions, model.seen
    for k in range(first, last):
        row, emission, target = k * width, seen[k] * width, (k + 1) * width
        for state in range(states):
            least = np.inf
            for before in range(states):
                way = columns[state * width + before] + emissions[emission + before] + rows[row + before]
                if way < least:
                    least = way
            rows[target + state] = least


@cached_njit
def compute_probability_rows(rows, model, first, last):
    """Compute rows by VITERBI (algorithm 2.5): the greatest product of probabilities instead of the least sum of costs.

    Every row is scaled by a power of two, which rounds nothing, so that long sequences do not end in zero. Return the
    smallest number of any row that is not zero.
    """
    states, width, columns, emissions, seen = model.states, model.width, model.columns, model.emissions, model.seen
    least = 1.0
    for k in range(first, last):
        row, emission, target, most = k * width, seen[k] * width, (k + 1) * width, 0.0
        for state in range(states):
            greatest = 0.0
            for before in range(states):
                way = columns[state * width + before] * emissions[emission + before] * rows[row + before]
                if way > greatest:
                    greatest = way
            rows[target + state] = greatest
            most = max(most, greatest)
        if most > 0.0:
            scale = 2.0 ** -np.floor(np.log2(most))
            for state in range(states):
                rows[target + state] *= scale
                if 0.0 < rows[target + state] < least:
                    least = rows[target + state]
    return least


@cached_njit
def compute_rows_from_sums(rows, model, sums, first, last):
    """Compute rows by TROPSCALPRODVITERBI (algorithm 5.1), from sums of transition and emission made beforehand.

    ``tables`` holds these sums for every symbol, transposed and flat.
    """
    states, width, seen = model.states, model.width, model.seen
    for k in range(first, last):
        row, table, target = k * width, seen[k] * width * width, (k + 1) * width
        for state in range(states):
            least = np.inf
            for before in range(states):
                way = sums[table + state * width + before] + rows[row + before]
                if way < least:
                    least = way
            rows[target + state] = least


@cached_njit
def trace_back_through_probabilities(rows, model, path):
    """Find the states of all letters from rows of probabilities. Return whether a path exists."""
    states, width, columns, emissions, seen = model.states, model.width, model.columns, model.emissions, model.seen
    for k in range(seen.shape[0] - 1, -1, -1):
        greatest, winner = 0.0, -1
        for i in range(states):
            way = rows[k * width + i] * emissions[seen[k] * width + i]
            if k < seen.shape[0] - 1:
                way *= columns[path[k + 1] * width + i]
            if way > greatest:
                greatest, winner = way, i
        if winner < 0:
            return False
        path[k] = winner
    return True


@inner_njit
def multiply_matrices(left, right, target, height, width, depth):
    """Set ``target`` to left x right; heights are whole bands, widths whole vectors."""
    target[:] = np.inf
    for i in range(0, height, BAND):
        for j in range(0, width, LANES):
            min_plus_band(left, right, target, (i * width, j, i * width + j), (width, width, width), depth)


call_multiply_matrices = cached_njit(multiply_matrices)
"""`multiply_matrices` for calls from Python."""


@cached_njit
def multiply_letter_matrices(left_rows, model, first, last, shared, store_first_row, rows, stop):
    """Multiply ``rows_of`` by S[first] x ... x S[last - 1] in place, and return the letter at which it stopped.

    With ``shared``, S is put together for each letter, as a block of a GPU does in shared memory; otherwise the
    emission is added to the left factor and transitions are read in place. With ``follow``, row 0 also goes to ``rows[k
    + 1]``.
    """
    states, width, seen = model.states, model.width, model.seen
    transitions, emissions = model.transitions, model.emissions
    size, height = left_rows.size, left_rows.size // width
    left, table = np.empty(size), transitions.copy()
    for k in range(first, last):
        if k % POLL_LETTERS == 0 and stop[0] != 0:
            return k
        emission = seen[k] * width
        left[:] = left_rows
        for i in range(width):
            cost = emissions[emission + i]
            if shared:
                for j in range(width):
                    table[i * width + j] = transitions[i * width + j] + cost
            else:
                for at in range(i, size, width):
                    left[at] += cost
        multiply_matrices(left, table, left_rows, height, width, states)
        if store_first_row:
            rows[(k + 1) * width : (k + 2) * width] = left_rows[:width]
    return last
