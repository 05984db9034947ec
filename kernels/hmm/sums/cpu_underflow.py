"""The probability of a sequence where states fall behind others by more than a number of 64 bits can tell, compiled.

A state has a number times a power of two. As long as all are near each other they have the same power, and a row is
multiplied as it is; else every state has a power of its own. No state is lost, however improbable it is.
"""

from __future__ import annotations

import math

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.hmm.cpu_rows import POLL
from antidiag.kernels.hmm.sums.cpu_sums import _row_times_matrix

LEFT_OUT = -1000
"""A state so many powers of two below the largest is left out of sums..."""
SMALL = 2.0**-900
"""...which then lack nothing, unless they are smaller than this part of it."""
LOW = 2.0**-50
"""Rows are made larger when their largest number is below that."""
IMPOSSIBLE = -(1 << 62)


@compiled
def forward(numbers, powers, model, first, last, least, stop):
    """Rows of the letters ``first`` to ``last``; before the first of all, ``numbers`` are the initial probabilities.

    ``numbers`` (float64) and ``powers`` (int64) have shape (width,). Where every number is 0, or at least ``least``, no
    product of the next letter is too small for a number. Returns where it stopped: before ``last`` where no path is
    possible.
    """
    width, states, emissions, seen = model.width, model.states, model.emissions, model.seen
    following = np.zeros(width)
    for k in range(first, last):
        if k % POLL == 0 and stop[0] != 0:
            return k
        if k > 0:
            if _near(numbers, powers, states, least):
                _row_times_matrix(numbers, model.transitions, width, states, following)
                numbers[:] = following
            else:
                _times_apart(numbers, powers, model.transitions, width, states, following)
        for i in range(states):
            emission = emissions[seen[k] * width + i]
            if numbers[i] * emission < SMALL and numbers[i] > 0.0 and emission > 0.0:
                numbers[i], power = math.frexp(numbers[i])
                emission, more = math.frexp(emission)
                powers[i] += power + more
            numbers[i] *= emission
        if not _levelled(numbers, powers, states):
            return k
    return last


@called
def _near(numbers, powers, states, least):
    """Whether all possible states have the power of the first one, and none is too small."""
    near = True
    for i in range(states):
        near &= powers[i] == powers[0] and (numbers[i] == 0.0 or numbers[i] >= least)
    return near


@called
def _levelled(numbers, powers, states):
    """Keep the largest number near 1, and powers equal where numbers allow it; whether any state is possible."""
    most, equal = 0.0, True
    for i in range(states):
        most = max(most, numbers[i])
        equal &= powers[i] == powers[0]
    if equal and (most == 0.0 or most > LOW):
        return most > 0.0
    highest = IMPOSSIBLE
    for i in range(states):
        if numbers[i] > 0.0:
            _, power = math.frexp(numbers[i])
            highest = max(highest, powers[i] + power)
    if highest == IMPOSSIBLE:
        return False
    for i in range(states):
        if numbers[i] > 0.0:
            _, power = math.frexp(numbers[i])
            if powers[i] + power - highest > LEFT_OUT:
                numbers[i] = math.ldexp(numbers[i], powers[i] - highest)
                powers[i] = highest
        else:
            powers[i] = highest
    return True


@called
def _times_apart(numbers, powers, matrix, width, states, target):
    """The row times the matrix, where states have powers of their own."""
    highest = powers[:states].max()
    scaled = np.zeros(width)
    for i in range(states):
        if powers[i] - highest > LEFT_OUT:
            scaled[i] = math.ldexp(numbers[i], powers[i] - highest)
    _row_times_matrix(scaled, matrix, width, states, target)
    before, power_before = numbers.copy(), powers.copy()
    for j in range(states):
        numbers[j], powers[j] = target[j], highest
        if target[j] < SMALL:
            numbers[j], powers[j] = _sum_apart(before, power_before, matrix, j, width, states)


@called
def _sum_apart(numbers, powers, matrix, j, width, states):
    """One sum of products, relative to the largest of them."""
    highest = IMPOSSIBLE
    for i in range(states):
        if numbers[i] > 0.0 and matrix[i * width + j] > 0.0:
            _, power = math.frexp(numbers[i])
            _, more = math.frexp(matrix[i * width + j])
            highest = max(highest, powers[i] + power + more)
    if highest == IMPOSSIBLE:
        return 0.0, 0
    total = 0.0
    for i in range(states):
        if numbers[i] > 0.0 and matrix[i * width + j] > 0.0:
            number, power = math.frexp(numbers[i])
            factor, more = math.frexp(matrix[i * width + j])
            apart = powers[i] + power + more - highest
            if apart > LEFT_OUT:
                total += math.ldexp(number * factor, apart)
    return total, highest
