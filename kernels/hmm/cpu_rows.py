"""The recurrence of Viterbi, compiled: rows of costs one after another, and the path back through them.

A row M[k] holds for every state the least cost of reaching it after k letters, before the state's own letter:
M[0] is the initial cost, and M[k] = (M[k - 1] + E[letter k]) x T over (min, +) (003, equations 2.20 and 5.3). Rows are
padded to whole vectors with states that nothing reaches. Numbers are whole and below 2**53, so that float64 adds
them exactly, in any order. ``model`` is `cpu_tables.Tables`.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.semiring.cpu_tile import BAND, ROW_VECTORS, min_plus_band, min_plus_piece, min_plus_row

LANES = 8
WIDE = LANES * ROW_VECTORS
POLL = 64
"""Letters between two looks at whether the user cancelled."""


@compiled
def row_times_matrix(row, matrix, width, states, target, at):
    """``target[at : at + width]`` becomes row x matrix; ``matrix`` is flat, its rows ``width`` apart."""
    target[at : at + width] = np.inf
    j = 0
    while j + WIDE <= width:
        min_plus_row(row, matrix, target, (0, j, at + j), (width, width, width), states)
        j += WIDE
    while j < width:
        min_plus_piece(row, matrix, target, (0, j, at + j), (width, width, width), states)
        j += LANES


@compiled
def advance(start, rows, model, first, last, stop):
    """Rows ``first + 1`` to ``last``, with ``start`` as row ``first``; arrays are flat. Returns where it stopped."""
    width, emissions, seen = model.width, model.emissions, model.seen
    transitions, states = model.transitions, model.states
    ready = np.empty(width)
    for k in range(first, last):
        if k % POLL == 0 and stop[0] != 0:
            return k
        emission = seen[k] * width
        for i in range(width):
            before = start[i] if k == first else rows[k * width + i]
            ready[i] = before + emissions[emission + i]
        row_times_matrix(ready, transitions, width, states, rows, (k + 1) * width)
    return last


@compiled
def correct(start, rows, model, first, last, stop):
    """As `advance`, over rows that another start gave, until a row differs from the old one by a constant alone.

    From there on the old rows are as good: which state wins depends on differences only. Returns the row where that
    was so; ``last + 1`` when it never came to that.
    """
    width, emissions, seen = model.width, model.emissions, model.seen
    transitions, states = model.transitions, model.states
    ready, row = np.empty(width), start.copy()
    for k in range(first, last):
        if k % POLL == 0 and stop[0] != 0:
            return k
        emission = seen[k] * width
        for i in range(width):
            ready[i] = row[i] + emissions[emission + i]
        row_times_matrix(ready, transitions, width, states, row, 0)
        if parallel(row, rows, (k + 1) * width, width):
            return k + 1
        rows[(k + 1) * width : (k + 2) * width] = row
    return last + 1


@compiled
def parallel(row, rows, at, width):
    """Whether two rows differ by a constant; states that nothing reaches must be the same."""
    known, difference = False, 0.0
    for i in range(width):
        mine, other = row[i], rows[at + i]
        if np.isinf(mine) or np.isinf(other):
            if mine != other:
                return False
        elif not known:
            known, difference = True, mine - other
        elif mine - other != difference:
            return False
    return True


@compiled
def trace_back(rows, model, first, last, path, stop):
    """States of the letters ``last`` down to ``first``; ``path[last]`` is known where another letter follows it.

    Returns whether a path exists.
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


@compiled
def serial(rows, model, first, last):
    """TROPVITERBI (algorithm 2.6) as published: state by state, one predecessor after another."""
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


@compiled
def probabilities(rows, model, first, last):
    """VITERBI (algorithm 2.5): as `serial`, with products of probabilities, of which the largest wins.

    Every row is scaled by a power of two, which rounds nothing, so that long sequences do not end in zero. Returns the
    smallest number of a row that is not zero: a state that has fallen behind so far.
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


@compiled
def scalar_products(rows, model, tables, first, last):
    """TROPSCALPRODVITERBI (algorithm 5.1): as `serial`, from sums S of transition and emission made beforehand.

    ``tables`` holds one S for every symbol, transposed and flat: there are no more different ones.
    """
    states, width, seen = model.states, model.width, model.seen
    for k in range(first, last):
        row, table, target = k * width, seen[k] * width * width, (k + 1) * width
        for state in range(states):
            least = np.inf
            for before in range(states):
                way = tables[table + state * width + before] + rows[row + before]
                if way < least:
                    least = way
            rows[target + state] = least


@compiled
def trace_back_probabilities(rows, model, path):
    """As `trace_back`, all letters, where rows are probabilities."""
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


@compiled
def times(left, right, target, height, width, depth):
    """``target`` becomes left x right; heights are whole bands, widths whole vectors."""
    target[:] = np.inf
    for i in range(0, height, BAND):
        for j in range(0, width, LANES):
            min_plus_band(left, right, target, (i * width, j, i * width + j), (width, width, width), depth)


@compiled
def products(rows_of, model, first, last, shared, follow, rows, stop):
    """``rows_of`` x S[first] x ... x S[last - 1], rows flat, all at once and in place; returns where it stopped.

    With ``shared``, S is put together for each letter, as a block in shared memory is; else the emission is added to
    the left factor and the transitions are read where they are. Row 0 goes to ``rows[k + 1]`` where ``follow``.
    """
    states, width, transitions, emissions, seen = (
        model.states, model.width, model.transitions, model.emissions, model.seen
    )  # fmt: skip
    size, height = rows_of.size, rows_of.size // width
    left, table = np.empty(size), transitions.copy()
    for k in range(first, last):
        if k % POLL == 0 and stop[0] != 0:
            return k
        emission = seen[k] * width
        left[:] = rows_of
        for i in range(width):
            cost = emissions[emission + i]
            if shared:
                for j in range(width):
                    table[i * width + j] = transitions[i * width + j] + cost
            else:
                for at in range(i, size, width):
                    left[at] += cost
        times(left, table, rows_of, height, width, states)
        if follow:
            rows[(k + 1) * width : (k + 2) * width] = rows_of[:width]
    return last
