"""Forward and backward rows by several threads, compiled: each has some columns of every product, and all numbers are
those of one thread (cpu_sums.py).

A thread writes its part of a row to a buffer that all see, and waits until all have; then it makes the whole row of it
for itself. Two buffers take turns: who writes the one after the next has been waited for, and so has read this one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.simd import release
from antidiag.kernels.cpu.waiting import wait_for
from antidiag.kernels.hmm.sums.cpu_sums import add_scaled, columns_times

WORD = 8
"""Distance of progress words in int64: each has a cache line of its own."""


class Team(NamedTuple):
    """Threads that share rows: ``words`` int64, a progress word each, WORD apart; ``buffers`` float64 (2, width). This
    one is number ``worker`` of ``workers``, and has the columns ``begin`` to ``end``."""

    words: np.ndarray
    buffers: np.ndarray
    worker: int
    workers: int
    begin: int
    end: int


@compiled
def meet(team, done, stop):
    """Say that so many rows are done, and wait until all say so; False where all are to stop."""
    release(team.words, team.worker * WORD, done)
    met = True
    for other in range(team.workers):
        met = wait_for(team.words, other * WORD, done, stop) and met
    return met


@compiled
def forward_together(row, model, first, last, divisors, rows, team, stop):
    """As ``forward``, which all threads call with a ``row`` of their own."""
    width, states, emissions, seen = model.width, model.states, model.emissions, model.seen
    begin, end = team.begin, team.end
    for k in range(first, last):
        following = team.buffers[k & 1]
        if k == 0:
            following[begin:end] = row[begin:end]
        else:
            columns_times(row, model.transitions, width, states, following, begin, end)
        for i in range(begin, min(end, states)):
            following[i] *= emissions[seen[k] * width + i]
        if not meet(team, k + 1, stop):
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


@compiled
def backward_together(row, model, first, last, divisors, rows, pairs, team, stop):
    """As ``backward``, which all threads call with a ``row`` of their own, and with the same ``pairs``."""
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
            columns_times(ready, columns, width, states, before, begin, end)
        if not meet(team, seen.shape[0] - k, stop):
            return k
        for i in range(begin, min(end, states)):
            rows[k * width + i] *= row[i]
        if k > 0:
            row[:] = before
    return first - 1
