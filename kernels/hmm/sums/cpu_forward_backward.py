"""Sums over all paths, compiled: forward and backward rows, and the counts of Baum-Welch.

A forward row A[k] holds for every state the probability of the letters up to k and of being in the state there, divided
by the probability of those letters. The divisors are kept: the sum of their logarithms is the logarithm of the
probability of the sequence. Backward rows are divided by the same numbers. ``model`` is `cpu_tables.Tables`.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.hmm.rows.cpu_rows import LANES, POLL_LETTERS, WIDE_LANES
from antidiag.kernels.semiring.cpu_tile import plus_times_piece, plus_times_row


@inner_njit
def _multiply_row(row, matrix, width, states, target):
    """Set ``target`` to row x matrix over ordinary numbers."""
    multiply_columns(row, matrix, width, states, target, 0, width)


@inner_njit
def multiply_columns(row, matrix, width, states, target, begin, end):
    """Set the columns ``begin`` to ``end`` of ``target`` to row x matrix.

    ``begin`` is a multiple of WIDE, and ``end`` is one or ``width``, so that every number is the same whoever computes
    it.
    """
    target[begin:end] = 0.0
    j = begin
    while j + WIDE_LANES <= end:
        plus_times_row(row, matrix, target, (0, j, j), (width, width, width), states)
        j += WIDE_LANES
    while j < end:
        plus_times_piece(row, matrix, target, (0, j, j), (width, width, width), states)
        j += LANES


@cached_njit
def compute_forward_rows(row, model, first, last, divisors, rows, stop):
    """Compute forward rows of letters ``first`` to ``last``; ``row`` holds A[first - 1], or the initial probabilities.

    Rows go to ``rows`` (flat) unless that is empty. Return where it stopped: before ``last`` where no path is possible
    (a divisor is then 0).
    """
    width, emissions, seen = model.width, model.emissions, model.seen
    transitions, states = model.transitions, model.states
    following = np.empty(width)
    for k in range(first, last):
        if k % POLL_LETTERS == 0 and stop[0] != 0:
            return k
        if k == 0:
            following[:] = row
        else:
            _multiply_row(row, transitions, width, states, following)
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


@inner_njit
def add_scaled(target, row, factor):
    """Add ``row`` times ``factor`` to ``target``."""
    for j in range(target.shape[0]):
        target[j] += factor * row[j]


@cached_njit
def compute_backward_rows(row, model, first, last, divisors, rows, pairs, stop):
    """Turn forward rows of letters ``last`` down to ``first`` into posterior rows; ``row`` starts as the backward row.

    Unless ``pairs`` (width x width, flat) is empty, it takes the sum over letters of A[k - 1] and what comes after:
    times the transitions, the expected number of each. Return where it stopped.
    """
    states, width, columns, emissions, seen = model.states, model.width, model.columns, model.emissions, model.seen
    ready, before = np.zeros(width), np.empty(width)
    for k in range(last, first - 1, -1):
        if k % POLL_LETTERS == 0 and stop[0] != 0:
            return k
        for i in range(states):
            # Unreachable states change no other state, and their numbers could overflow.
            reached = rows[k * width + i] > 0.0
            ready[i] = row[i] * emissions[seen[k] * width + i] / divisors[k] if reached else 0.0
        for i in range(states):
            rows[k * width + i] *= row[i]
        if k > 0:
            if pairs.shape[0] > 0:
                for i in range(states):
                    add_scaled(pairs[i * width : (i + 1) * width], ready, rows[(k - 1) * width + i])
            _multiply_row(ready, columns, width, states, before)
            row[:] = before
    return first - 1


@cached_njit
def count_letters(rows, model, first, last, counts):
    """Add posterior rows by letter to ``counts`` (a row per symbol, flat)."""
    states, width, seen = model.states, model.width, model.seen
    for k in range(first, last):
        for i in range(states):
            counts[seen[k] * width + i] += rows[k * width + i]
