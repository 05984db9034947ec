"""Sums over all paths, compiled: forward and backward rows, and what Baum and Welch count.

A forward row A[k] holds for every state the probability of the letters up to k and of being in the state there, divided
by the probability of those letters; the divisors are kept, and the sum of their logarithms is the logarithm of the
probability of the sequence. Backward rows are divided by the same numbers. ``model`` is `cpu_tables.Tables`.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.hmm.cpu_rows import LANES, POLL, WIDE
from antidiag.kernels.semiring.cpu_tile import plus_times_piece, plus_times_row


@called
def _row_times_matrix(row, matrix, width, states, target):
    """``target`` becomes row x matrix over ordinary numbers."""
    columns_times(row, matrix, width, states, target, 0, width)


@called
def columns_times(row, matrix, width, states, target, begin, end):
    """The same of the columns ``begin`` to ``end`` alone; ``begin`` is a multiple of WIDE, and ``end`` is one or
    ``width``, so that every number is the same whoever computes it."""
    target[begin:end] = 0.0
    j = begin
    while j + WIDE <= end:
        plus_times_row(row, matrix, target, (0, j, j), (width, width, width), states)
        j += WIDE
    while j < end:
        plus_times_piece(row, matrix, target, (0, j, j), (width, width, width), states)
        j += LANES


@compiled
def forward(row, model, first, last, divisors, rows, stop):
    """Forward rows of the letters ``first`` to ``last``; ``row`` holds A[first - 1], or the initial probabilities.

    Rows go to ``rows`` (flat) where that has room for them. Returns where it stopped: before ``last`` where no path
    is possible (a divisor is then 0).
    """
    width, emissions, seen = model.width, model.emissions, model.seen
    transitions, states = model.transitions, model.states
    following = np.empty(width)
    for k in range(first, last):
        if k % POLL == 0 and stop[0] != 0:
            return k
        if k == 0:
            following[:] = row
        else:
            _row_times_matrix(row, transitions, width, states, following)
        total = 0.0
        for i in range(states):
            following[i] *= emissions[seen[k] * width + i]
            total += following[i]
        divisors[k] = total
        if total == 0.0:
            return k
        for i in range(states):
            row[i] = following[i] / total
        if rows.shape[0] > 0:
            rows[k * width : (k + 1) * width] = row
    return last


@called
def add_scaled(target, row, factor):
    for j in range(target.shape[0]):
        target[j] += factor * row[j]


@compiled
def backward(row, model, first, last, divisors, rows, pairs, stop):
    """From letter ``last`` down to ``first``, forward rows become posterior rows; ``row`` starts as the backward row.

    Where ``pairs`` (width x width, flat) is not empty, it takes the sum over letters of A[k - 1] and what comes after:
    times the transitions, the expected number of each. Returns where it stopped.
    """
    states, width, columns, emissions, seen = model.states, model.width, model.columns, model.emissions, model.seen
    ready, before = np.zeros(width), np.empty(width)
    for k in range(last, first - 1, -1):
        if k % POLL == 0 and stop[0] != 0:
            return k
        for i in range(states):
            # What cannot be reached matters to nothing that can, and may be more probable than numbers can tell.
            reached = rows[k * width + i] > 0.0
            ready[i] = row[i] * emissions[seen[k] * width + i] / divisors[k] if reached else 0.0
        for i in range(states):
            rows[k * width + i] *= row[i]
        if k > 0:
            if pairs.shape[0] > 0:
                for i in range(states):
                    add_scaled(pairs[i * width : (i + 1) * width], ready, rows[(k - 1) * width + i])
            _row_times_matrix(ready, columns, width, states, before)
            row[:] = before
    return first - 1


@compiled
def count_letters(rows, model, first, last, counts):
    """Posterior rows summed by letter into ``counts`` (a row a symbol, flat)."""
    states, width, seen = model.states, model.width, model.seen
    for k in range(first, last):
        for i in range(states):
            counts[seen[k] * width + i] += rows[k * width + i]
