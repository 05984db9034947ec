"""What a path through a model weighs, compiled: how often each step is taken, and the sum of all, rounded once."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled

SETS, SMALL = 4, 64  # a power of two
"""Counters of neighbouring letters are apart, where the model has so few states that they are often the same."""


@compiled
def log_probability(path, seen, logs, states):
    """The natural logarithm of the probability of ``path`` (int32, one state a letter), which goes into ``states``.

    ``seen`` (uint8) is the symbol of every letter, ``logs`` are initial (l,), transitions (l, l) and emissions
    (m + 1, l). A logarithm that is used n times counts n times itself, rounded; the sum of all that is rounded once.
    """
    letters, count, symbols = path.size, logs[0].size, logs[2].shape[0]
    sets = SETS if count <= SMALL else 1
    pairs, seen_in = np.zeros(sets * count * count, np.int32), np.zeros(sets * symbols * count, np.int32)
    before = 0
    for k in range(letters):
        state, which = path[k], k & (sets - 1)
        states[k] = state
        seen_in[(which * symbols + seen[k]) * count + state] += 1
        if k > 0:
            pairs[(which * count + before) * count + state] += 1
        before = state
    return _of_counts(path[0], pairs, seen_in, sets, logs)


@compiled
def of_counts(first, pairs, seen_in, logs):
    """The same of a path from the state ``first`` on, of which a device has counted how often each pair of states and
    each state with each symbol occurs: int32, flat."""
    return _of_counts(first, pairs, seen_in, 1, logs)


@called
def _of_counts(first, pairs, seen_in, sets, logs):
    initial, transitions, emissions = logs
    total = initial[first], 0.0
    total = _with_all(total, pairs, sets, transitions)
    total = _with_all(total, seen_in, sets, emissions)
    return total[0] + total[1] if np.isfinite(total[0]) else total[0]


@called
def _with_all(total, counts, sets, logs):
    """A sum with what it lacks (Knuth's two-sum), and logarithms as often as they are counted."""
    high, low = total
    size = logs.size
    flat = logs.ravel()
    for at in range(size):
        times = 0
        for which in range(sets):
            times += counts[which * size + at]
        if times > 0:
            term = times * flat[at]
            after = high + term
            of_term = after - high
            low += (high - (after - of_term)) + (term - of_term)
            high = after
    return high, low
