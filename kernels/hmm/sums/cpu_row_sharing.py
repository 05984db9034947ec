"""Forward and backward rows by several threads, compiled; all numbers equal those of one thread (`cpu_sums`).

Each thread computes some columns of every product, writes them to a shared buffer, waits until all threads have, and
then makes the whole row for itself. Two buffers take turns: a thread that writes the one after the next has been waited
for, and so has read this one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.progress_words import wait_until_reached
from antidiag.kernels.cpu.simd import store_release
from antidiag.kernels.hmm.sums.cpu_forward_backward import add_scaled, multiply_columns

WORD_STRIDE = 8
"""Distance of progress words in int64: each has its own cache line."""


class RowTeam(NamedTuple):
    """Threads that share rows: ``words`` int64, a progress word each, WORD apart; ``buffers`` float64 (2, width).

    This thread is number ``worker`` of ``workers``, and has the columns ``begin`` to ``end``.
    """

    words: np.ndarray
    buffers: np.ndarray
    worker: int
    workers: int
    begin: int
    end: int


@cached_njit
def wait_for_team(team, done, stop):
    """Signal that so many rows are done, and wait until all threads have as many; False where all are to stop."""
    store_release(team.words, team.worker * WORD_STRIDE, done)
    met = True
    for other in range(team.workers):
        met = wait_until_reached(team.words, other * WORD_STRIDE, done, stop) and met
    return met


@cached_njit
def compute_shared_forward_rows(row, model, first, last, divisors, rows, team, stop):
    """Compute forward rows as `cpu_sums.forward` does; all threads call it with a ``row`` of their own."""
    width, states, emissions, seen = model.width, model.states, model.emissions, model.seen
    begin, end = team.begin, team.end
    for k in range(first, last):
        following = team.buffers[k & 1]
        if k == 0:
            following[begin:end] = row[begin:end]
        else:
            multiply_columns(row, model.transitions, width, states, following, begin, end)
        for i in range(begin, min(end, states)):
            following[i] *= emissions[seen[k] * width + i]
        if not wait_for_team(team, k + 1, stop):
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


@cached_njit
def compute_shared_backward_rows(row, model, first, last, divisors, rows, pairs, team, stop):
    """Compute posterior rows as `cpu_sums.backward` does.

    All threads call it with a ``row`` of their own, and with the same ``pairs``.
    """
    states, width, columns, emissions, seen = model.states, model.width, model.columns, model.emissions, model.seen
    begin, end = team.begin, team.end
    ready = np.zeros(width)
    for k in range(last, first - 1, -1):
        before = team.buffers[k & 1]
        for i in range(states):
            reached = rows[k * width + i] > 0.0
            ready[i] = row[i] * emissions[seen[k] * width + i] / divisors[k] if reached else 0.0
        if k > 0:
            if pairs.shape[0] > 0:
                for i in range(begin, min(end, states)):
                    add_scaled(pairs[i * width : (i + 1) * width], ready, rows[(k - 1) * width + i])
            multiply_columns(ready, columns, width, states, before, begin, end)
        if not wait_for_team(team, seen.shape[0] - k, stop):
            return k
        for i in range(begin, min(end, states)):
            rows[k * width + i] *= row[i]
        if k > 0:
            row[:] = before
    return first - 1
