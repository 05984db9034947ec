"""Forward sums of 16 pairs of sequences at once, in strips of 16 columns; compiled.

One sequence x is beside 16 sequences y, one a lane. Cell (i, j) of lane l, for a model of `models.PairModel`:

    M = odds[x_i, y_j] D(i-1, j-1)
    X_k = into_k M(i-1, j) + extend_k X_k(i-1, j)           a gap in y
    Y_k = into_k M(i, j-1) + extend_k Y_k(i, j-1)           a gap in x
    D = match M + leave_1 (X_1 + Y_1) + leave_2 (X_2 + Y_2)

and at the ends D(k, 0) = D(0, k) = `models.PairModel.ends`. Sums are float32, in the order above. Each lane of a strip
has an exponent of 2 of its own, changed every RENEW rows so that the largest number of its columns stays near 1: within
16 columns sums differ by less than float32 spans, over a whole row they need not. Scaling by powers of 2 is exact, so
what is computed does not depend on where it happens, and another device finds the same numbers in its own order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.float_lanes import add, load, maximum, multiply, splat, store
from antidiag.kernels.cpu.jit import called, inlined
from antidiag.kernels.msa.consistency.models import CODES, PADDING

LANES = 16
COLUMNS = 16
"""Columns of a strip."""
CELLS = LANES * COLUMNS
RENEW = 4
"""Rows after which the exponent of a strip is looked at. A match grows by less than 2^6 a row."""
POWERS = 96
"""Powers of 2 that a number is moved by at most; what is smaller is nothing beside what is there."""


class Weights(NamedTuple):
    """A model (`models.PairModel`): float32; ``ends``, ``end_exponents`` of as many letters as the longest has."""

    odds: np.ndarray
    match: np.float32
    into_1: np.float32
    into_2: np.float32
    extend_1: np.float32
    extend_2: np.float32
    leave_1: np.float32
    leave_2: np.float32
    two: bool
    ends: np.ndarray
    end_exponents: np.ndarray


class Border(NamedTuple):
    """The column between two strips, rows 0..m: D, M, Y_1, Y_2 float32 ((m + 1) LANES), and their exponents int32."""

    D: np.ndarray
    M: np.ndarray
    Y1: np.ndarray
    Y2: np.ndarray
    exponents: np.ndarray


class Lanes(NamedTuple):
    """``starts`` int64 (LANES,): the column before which a lane begins; ``lengths`` that after which it ends;
    ``begins`` and ``ends`` uint8 (columns,): whether some lane begins before a column, or ends after it."""

    starts: np.ndarray
    begins: np.ndarray
    lengths: np.ndarray
    ends: np.ndarray


class Rows(NamedTuple):
    """One row of a strip, float32 (CELLS,), the odds of its columns (CODES CELLS), and room for single vectors.

    ``exponents`` int32 (LANES,); ``powers`` float32: 0, then 2^(1 - POWERS) .. 2^POWERS.
    """

    M: np.ndarray
    X1: np.ndarray
    X2: np.ndarray
    D: np.ndarray
    odds: np.ndarray
    vector: np.ndarray
    exponents: np.ndarray
    powers: np.ndarray


def rows() -> Rows:
    """Room for a strip."""
    powers = np.exp2(np.arange(-POWERS, POWERS + 1)).astype(np.float32)
    powers[0] = 0
    M, X1, X2, D = (np.zeros(CELLS, np.float32) for _ in range(4))
    odds, vector = np.zeros(CODES * CELLS, np.float32), np.zeros(LANES, np.float32)
    return Rows(M, X1, X2, D, odds, vector, np.zeros(LANES, np.int32), powers)


@inlined
def power(powers, exponent):
    """2^exponent; 0 from -POWERS down, and 2^POWERS beyond it."""
    return powers[min(max(exponent, -POWERS), POWERS) + POWERS]


@inlined
def _exponent(value):
    """The exponent of a positive float32, so that it is 2^exponent times 1 to 2."""
    return np.int32((np.float32(value).view(np.int32) >> 23) & 255) - np.int32(127)


@called
def _begin(y, starts, strip, weights, rows):
    """Odds of a strip's columns; its row 0 in ``rows``."""
    first = strip * COLUMNS
    for c in range(COLUMNS):
        for lane in range(LANES):
            letter = y[(first + c) * LANES + lane]
            for code in range(CODES):
                rows.odds[code * CELLS + c * LANES + lane] = weights.odds[code, letter]
    rows.M[:] = 0
    rows.X1[:] = 0
    rows.X2[:] = 0
    for lane in range(LANES):
        inside = max(first + 1 - starts[lane], 1)
        rows.exponents[lane] = weights.end_exponents[min(inside, weights.ends.size - 1)]
        for c in range(COLUMNS):
            letters = first + c + 1 - starts[lane]
            value = np.float32(0)
            if letters >= 1 and y[(first + c) * LANES + lane] != PADDING:
                shift = weights.end_exponents[letters] - rows.exponents[lane]
                value = weights.ends[letters] * power(rows.powers, shift)
            rows.D[c * LANES + lane] = value


@called
def _renew(rows, two):
    """Have the largest number of each lane near 1 again."""
    largest = load(rows.D, 0)
    for c in range(COLUMNS):
        largest = maximum(largest, maximum(load(rows.D, c * LANES), load(rows.M, c * LANES)))
    store(rows.vector, 0, largest)
    changed = False
    for lane in range(LANES):
        value = rows.vector[lane]
        rows.vector[lane] = 1
        if value > 0:
            shift = _exponent(value)
            if abs(shift) > 4:
                rows.vector[lane] = power(rows.powers, -shift)
                rows.exponents[lane] += max(min(shift, np.int32(POWERS)), np.int32(-POWERS))
                changed = True
    if not changed:
        return
    factor = load(rows.vector, 0)
    for c in range(0, CELLS, LANES):
        store(rows.D, c, multiply(load(rows.D, c), factor))
        store(rows.M, c, multiply(load(rows.M, c), factor))
        store(rows.X1, c, multiply(load(rows.X1, c), factor))
        if two:
            store(rows.X2, c, multiply(load(rows.X2, c), factor))


@inlined
def _factors(rows, exponents, at):
    """2 to what the exponents of a border's row are above those of the strip, as a vector."""
    for lane in range(LANES):
        rows.vector[lane] = power(rows.powers, exponents[at + lane] - rows.exponents[lane])
    return load(rows.vector, 0)


@inlined
def _entering(rows, weights, starts, column, row, value):
    """``value`` with D(row, 0) in the lanes whose first column this is."""
    store(rows.vector, 0, value)
    for lane in range(LANES):
        if starts[lane] == column:
            shift = weights.end_exponents[row] - rows.exponents[lane]
            rows.vector[lane] = weights.ends[row] * power(rows.powers, shift)
    return load(rows.vector, 0)


class Kept(NamedTuple):
    """What the forward strip leaves for the backward one: ``entered`` float32 (m CELLS), D(i-1, j-1) of every cell, and
    its ``exponents`` int32 (m LANES). ``squares`` float32 (m CELLS): squares of the posteriors of the models so far.

    ``totals`` float32 (2 LANES,), ``total_exponents`` int32: sums over all alignments that end with a gap in x (the
    first LANES), and that do not.
    """

    entered: np.ndarray
    exponents: np.ndarray
    squares: np.ndarray
    totals: np.ndarray
    total_exponents: np.ndarray


BORDERS, ENTERED, POSTERIORS, MORE_POSTERIORS = 0, 1, 2, 3
"""What `strip` is run for: borders and totals, what enters each cell, or posteriors of a first or another model."""


@inlined
def accumulate(sums, exponents, slot, value, exponent, powers):
    """``sums[slot]`` grows by ``value`` 2^exponent; both are kept as numbers from 1 to 2 with an exponent."""
    if value > 0:
        shift = _exponent(value)
        value, exponent = value * power(powers, -shift), exponent + shift
        above = exponent - exponents[slot]
        if sums[slot] == 0:
            sums[slot], exponents[slot] = value, exponent
        elif above > 0:
            sums[slot], exponents[slot] = sums[slot] * power(powers, -above) + value, exponent
        else:
            sums[slot] += value * power(powers, above)
        shift = _exponent(sums[slot])
        sums[slot] *= power(powers, -shift)
        exponents[slot] += shift


@called
def _end_of_column(M, lengths, column, i, m, rows, tails, kept):
    """All alignments whose last match is in a lane's last column, and in row i."""
    store(rows.vector, 0, M)
    ends, end_exponents = tails
    for lane in range(LANES):
        if lengths[lane] == column + 1:
            value, exponent = rows.vector[lane] * ends[m - i], rows.exponents[lane] + end_exponents[m - i]
            accumulate(kept.totals, kept.total_exponents, LANES + lane, value, exponent, rows.powers)


@called
def _end_of_rows(lengths, first, rows, tails, kept):
    """All alignments whose last match is in the last row, before the last column."""
    ends, end_exponents = tails
    for c in range(COLUMNS):
        for lane in range(LANES):
            left = lengths[lane] - (first + c + 1)
            if left > 0:
                value = rows.M[c * LANES + lane] * ends[left]
                exponent = rows.exponents[lane] + end_exponents[left]
                accumulate(kept.totals, kept.total_exponents, lane, value, exponent, rows.powers)


@called
def _scales(rows, kept, row, inverses, inverse_exponents, low, high):
    """Two powers of 2 for each lane, that together make D M / total of the sums of a row."""
    for lane in range(LANES):
        shift = kept.exponents[row * LANES + lane] + rows.exponents[lane] + inverse_exponents[lane]
        low[lane] = power(rows.powers, shift >> 1)
        high[lane] = power(rows.powers, shift - (shift >> 1)) if inverses[lane] > 0 else 0


@called
def strip(x, y, lanes, number, weights, tails, left, right, rows, what, kept, inverses):
    """All rows of strip ``number``; ``left`` and ``right`` are its borders.

    ``x`` codes of m letters; ``y`` codes (columns LANES), PADDING where a lane has no letter; ``lanes`` as `Lanes`;
    ``tails`` the ends of the model read backwards; ``inverses`` float32, int32 (LANES,): 1 / the totals, for
    posteriors; ``what`` it is run for.
    """
    starts, begins, lengths, ends = lanes
    _begin(y, starts, number, weights, rows)
    into_1, extend_1, leave_1 = splat(weights.into_1), splat(weights.extend_1), splat(weights.leave_1)
    into_2, extend_2, leave_2 = splat(weights.into_2), splat(weights.extend_2), splat(weights.leave_2)
    match, two, first, last = splat(weights.match), weights.two, number * COLUMNS, CELLS - LANES
    low, high, m = np.empty(LANES, np.float32), np.empty(LANES, np.float32), x.size
    low[:] = 0
    half, other, inverse = load(low, 0), load(low, 0), load(inverses[0], 0)
    store(right.D, 0, load(rows.D, last))
    for lane in range(LANES):
        right.exponents[lane] = rows.exponents[lane]
    for i in range(m):
        if i % RENEW == 0:
            _renew(rows, two)
        odds, at, mirrored = x[i] * CELLS, (i + 1) * LANES, m * CELLS - (i + 1) * CELLS
        if what >= POSTERIORS:
            _scales(rows, kept, m - 1 - i, inverses[0], inverses[1], low, high)
            half, other = load(low, 0), load(high, 0)
        diagonal = multiply(load(left.D, i * LANES), _factors(rows, left.exponents, i * LANES))
        factor = _factors(rows, left.exponents, at)
        M, Y1 = multiply(load(left.M, at), factor), multiply(load(left.Y1, at), factor)
        Y2 = multiply(load(left.Y2, at), factor) if two else Y1
        for c in range(COLUMNS):
            place = c * LANES
            if begins[first + c]:
                diagonal = _entering(rows, weights, starts, first + c, i, diagonal)
            if what == ENTERED:
                store(kept.entered, i * CELLS + place, diagonal)
            above = load(rows.M, place)
            X1 = add(multiply(above, into_1), multiply(load(rows.X1, place), extend_1))
            Y1 = add(multiply(M, into_1), multiply(Y1, extend_1))
            if two:
                X2 = add(multiply(above, into_2), multiply(load(rows.X2, place), extend_2))
                Y2 = add(multiply(M, into_2), multiply(Y2, extend_2))
                store(rows.X2, place, X2)
            M = multiply(load(rows.odds, odds + place), diagonal)
            D = add(multiply(M, match), multiply(add(X1, Y1), leave_1))
            if two:
                D = add(D, multiply(add(X2, Y2), leave_2))
            diagonal = load(rows.D, place)
            store(rows.D, place, D)
            store(rows.M, place, M)
            store(rows.X1, place, X1)
            if what >= POSTERIORS:
                at_cell = mirrored + last - place
                entered = multiply(load(kept.entered, at_cell), half)
                posterior = multiply(multiply(entered, multiply(M, other)), inverse)
                square = multiply(posterior, posterior)
                if what == MORE_POSTERIORS:
                    square = add(load(kept.squares, at_cell), square)
                store(kept.squares, at_cell, square)
            elif what == BORDERS and ends[first + c]:
                _end_of_column(M, lengths, first + c, i + 1, m, rows, tails, kept)
        store(right.D, at, load(rows.D, last))
        store(right.M, at, M)
        store(right.Y1, at, Y1)
        if two:
            store(right.Y2, at, Y2)
        for lane in range(LANES):
            right.exponents[at + lane] = rows.exponents[lane]
            if what == ENTERED:
                kept.exponents[i * LANES + lane] = rows.exponents[lane]
    if what == BORDERS:
        _end_of_rows(lengths, first, rows, tails, kept)
