"""Sums over all paths, compiled: forward and backward rows, and the counts of Baum-Welch.

A forward row A[k] holds for every state the probability of the letters up to k and of being in the state there, divided
by the probability of those letters. The divisors are kept: the sum of their logarithms is the logarithm of the
probability of the sequence. Backward rows are divided by the same numbers. ``model`` is `cpu_tables.HmmTables`.

Threads can share every row, and all numbers stay the same: each computes some columns of a product, writes them to a
shared buffer, waits until all threads have, and then makes the whole row for itself. Two buffers take turns: a thread
that writes the one after the next has been waited for, and so has read this one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.progress_words import wait_at_barrier
from antidiag.kernels.hmm.rows.cpu_rows import LANES, POLL_LETTERS, WIDE_LANES
from antidiag.kernels.semiring.cpu_tile import plus_times_piece, plus_times_row


class RowTeam(NamedTuple):
    """One of the threads that share rows: number ``worker``, which has the columns ``begin`` to ``end``.

    All have the same ``words``, int64, a progress word each, and ``buffers``, float64 (2, width).
    """

    words: np.ndarray
    buffers: np.ndarray
    worker: int
    begin: int
    end: int


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
def compute_forward_rows(row, model, first, last, divisors, rows, team, stop):
    """Compute forward rows of letters ``first`` to ``last``; ``row`` holds A[first - 1], or the initial probabilities.

    Rows go to ``rows`` (flat) unless that is empty. ``team`` is None where one thread does all; else all threads of a
    team call this, with a ``row`` of their own. Return where it stopped: before ``last`` where no path is possible (a
    divisor is then 0).
    """
    width, emissions, seen = model.width, model.emissions, model.seen
    transitions, states = model.transitions, model.states
    begin, end, following = 0, width, np.empty(width)
    if team is not None:
        begin, end = team.begin, team.end
    for k in range(first, last):
        if team is not None:
            following = team.buffers[k & 1]
        elif k % POLL_LETTERS == 0 and stop[0] != 0:
            return k
        if k == 0:
            following[begin:end] = row[begin:end]
        else:
            multiply_columns(row, transitions, width, states, following, begin, end)
        for i in range(begin, min(end, states)):
            following[i] *= emissions[seen[k] * width + i]
        if team is not None and not wait_at_barrier(team.words, team.worker, k + 1, stop):
            return k
        total = 0.0
        for i in range(states):
            total += following[i]
        divisors[k] = total
        if total == 0.0:
            return k
        for i in range(states):
            row[i] = following[i] / total
        if rows.shape[0] > 0:
            rows[k * width + begin : k * width + end] = row[begin:end]
    return last


@inner_njit
def add_scaled(target, row, factor):
    """Add ``row`` times ``factor`` to ``target``."""
    for j in range(target.shape[0]):
        target[j] += factor * row[j]


@cached_njit
def compute_backward_rows(row, model, first, last, divisors, rows, pairs, team, stop):
    """Turn forward rows of letters ``last`` down to ``first`` into posterior rows; ``row`` starts as the backward row.

    Unless ``pairs`` (width x width, flat) is empty, it takes the sum over letters of A[k - 1] and what comes after:
    times the transitions, the expected number of each. ``team`` as for forward rows. Return where it stopped.
    """
    states, width, columns, emissions, seen = model.states, model.width, model.columns, model.emissions, model.seen
    begin, end, ready, before = 0, width, np.zeros(width), np.empty(width)
    if team is not None:
        begin, end = team.begin, team.end
    for k in range(last, first - 1, -1):
        if team is not None:
            before = team.buffers[k & 1]
        elif k % POLL_LETTERS == 0 and stop[0] != 0:
            return k
        for i in range(states):
            # Unreachable states change no other state, and their numbers could overflow.
            reached = rows[k * width + i] > 0.0
            ready[i] = row[i] * emissions[seen[k] * width + i] / divisors[k] if reached else 0.0
        if k > 0:
            if pairs.shape[0] > 0:
                for i in range(begin, min(end, states)):
                    add_scaled(pairs[i * width : (i + 1) * width], ready, rows[(k - 1) * width + i])
            multiply_columns(ready, columns, width, states, before, begin, end)
        if team is not None and not wait_at_barrier(team.words, team.worker, seen.shape[0] - k, stop):
            return k
        for i in range(begin, min(end, states)):
            rows[k * width + i] *= row[i]
        if k > 0:
            row[:] = before
    return first - 1


@cached_njit
def count_letters(rows, model, first, last, counts):
    """Add posterior rows by letter to ``counts`` (a row per symbol, flat)."""
    states, width, seen = model.states, model.width, model.seen
    for k in range(first, last):
        for i in range(states):
            counts[seen[k] * width + i] += rows[k * width + i]
