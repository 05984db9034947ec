"""The probability of a sequence in numbers of extended range, compiled.

A state has a number times a power of two. As long as all states are near each other they have the same power, and a row
is multiplied as it is; otherwise every state has a power of its own. No state is lost, however improbable it is.
"""

from __future__ import annotations

import math

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.hmm.rows.cpu_rows import POLL_LETTERS
from antidiag.kernels.hmm.sums.cpu_forward_backward import _multiply_row

NEGLIGIBLE_POWER = -1000
"""A state this many powers of two below the largest is left out of sums..."""
SAFE_NUMBER = 2.0**-900
"""...which is exact unless the sum is smaller than this number."""
RESCALE_BELOW = 2.0**-50
"""Rows are scaled up when their largest number is below this."""
IMPOSSIBLE = -(1 << 62)


@cached_njit
def compute_scaled_rows(numbers, powers, model, first, last, least, stop):
    """Compute the rows of letters ``first`` to ``last``; before the first letter, ``numbers`` are the initial
    probabilities.

    ``numbers`` (float64) and ``powers`` (int64) have shape (width,). Where every number is 0, or at least ``least``, no
    product of the next letter underflows. Return where it stopped: before ``last`` where no path is possible.
    """
    width, states, emissions, seen = model.width, model.states, model.emissions, model.seen
    following = np.zeros(width)
    for k in range(first, last):
        if k % POLL_LETTERS == 0 and stop[0] != 0:
            return k
        if k > 0:
            if _have_one_power(numbers, powers, states, least):
                _multiply_row(numbers, model.transitions, width, states, following)
                numbers[:] = following
            else:
                _multiply_scaled_row(numbers, powers, model.transitions, width, states, following)
        for i in range(states):
            emission = emissions[seen[k] * width + i]
            if numbers[i] * emission < SAFE_NUMBER and numbers[i] > 0.0 and emission > 0.0:
                numbers[i], power = math.frexp(numbers[i])
                emission, more = math.frexp(emission)
                powers[i] += power + more
            numbers[i] *= emission
        if not _level_powers(numbers, powers, states):
            return k
    return last


@inner_njit
def _have_one_power(numbers, powers, states, least):
    """Return whether all possible states have the power of the first one, and none is too small."""
    near = True
    for i in range(states):
        near &= powers[i] == powers[0] and (numbers[i] == 0.0 or numbers[i] >= least)
    return near


@inner_njit
def _level_powers(numbers, powers, states):
    """Keep the largest number near 1, and powers equal where possible; return whether any state is possible."""
    most, equal = 0.0, True
    for i in range(states):
        most = max(most, numbers[i])
        equal &= powers[i] == powers[0]
    if equal and (most == 0.0 or most > RESCALE_BELOW):
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
            if powers[i] + power - highest > NEGLIGIBLE_POWER:
                numbers[i] = math.ldexp(numbers[i], powers[i] - highest)
                powers[i] = highest
        else:
            powers[i] = highest
    return True


@inner_njit
def _multiply_scaled_row(numbers, powers, matrix, width, states, target):
    """Multiply the row by the matrix where states have powers of their own."""
    highest = powers[:states].max()
    scaled = np.zeros(width)
    for i in range(states):
        if powers[i] - highest > NEGLIGIBLE_POWER:
            scaled[i] = math.ldexp(numbers[i], powers[i] - highest)
    _multiply_row(scaled, matrix, width, states, target)
    before, power_before = numbers.copy(), powers.copy()
    for j in range(states):
        numbers[j], powers[j] = target[j], highest
        if target[j] < SAFE_NUMBER:
            numbers[j], powers[j] = _sum_scaled_column(before, power_before, matrix, j, width, states)


@inner_njit
def _sum_scaled_column(numbers, powers, matrix, j, width, states):
    """Return one sum of products as a number and a power, relative to the largest product."""
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
            if apart > NEGLIGIBLE_POWER:
                total += math.ldexp(number * factor, apart)
    return total, highest
