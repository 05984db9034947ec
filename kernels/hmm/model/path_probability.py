"""The probability of a path, compiled: steps are counted, and the sum of their logarithms is rounded once."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit

COUNTER_SETS, FEW_STATES = 4, 64  # a power of two
"""Models of so few states count neighbouring letters in separate sets of counters: they often increment the same
counter.
"""


@cached_njit
def score_path(path, seen, logs, states):
    """Return the natural logarithm of the probability of ``path`` (int32, one state per letter), and copy it to
    ``states``.

    ``seen`` (uint8) is the symbol of every letter, ``logs`` are initial (l,), transitions (l, l) and emissions (m + 1,
    l). A logarithm that is used n times counts n times itself, rounded; the sum of all is rounded once.
    """
    letters, count, symbols = path.size, logs[0].size, logs[2].shape[0]
    sets = COUNTER_SETS if count <= FEW_STATES else 1
    pairs, seen_in = np.zeros(sets * count * count, np.int32), np.zeros(sets * symbols * count, np.int32)
    before = 0
    for k in range(letters):
        state, which = path[k], k & (sets - 1)
        states[k] = state
        seen_in[(which * symbols + seen[k]) * count + state] += 1
        if k > 0:
            pairs[(which * count + before) * count + state] += 1
        before = state
    return _sum_counted_logs(path[0], pairs, seen_in, sets, logs)


@cached_njit
def score_counts(first, pairs, emitted, logs):
    """Return the natural logarithm of the probability of a path that begins in the state ``first``, from its counts.

    ``pairs`` and ``seen_in``, int32 and flat, say how often each pair of states and each state with each symbol occurs.
    """
    return _sum_counted_logs(first, pairs, emitted, 1, logs)


@inner_njit
def _sum_counted_logs(first, pairs, emitted, sets, logs):
    """Sum the logarithms of a path from its counts."""
    initial, transitions, emissions = logs
    total = initial[first], 0.0
    total = _add_counted_logs(total, pairs, sets, transitions)
    total = _add_counted_logs(total, emitted, sets, emissions)
    return total[0] + total[1] if np.isfinite(total[0]) else total[0]


@inner_njit
def _add_counted_logs(total, counts, sets, logs):
    """Add logarithms as often as they are counted to a sum and its rounding error (Knuth's two-sum)."""
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
