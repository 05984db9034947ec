"""Compiled forward sums of 16 pairs of sequences at once, in strips of 16 columns.

One sequence x is aligned with 16 sequences y, one per lane. Cell (i, j) of a lane, for a `PairModel`:

    M = odds[x_i, y_j] D(i-1, j-1)
    X_k = into_k M(i-1, j) + extend_k X_k(i-1, j)           a gap in y
    Y_k = into_k M(i, j-1) + extend_k Y_k(i, j-1)           a gap in x
    D = match M + leave_1 (X_1 + Y_1) + leave_2 (X_2 + Y_2)

with D(k, 0) = D(0, k) = `PairModel.end_weights` at the borders. Sums are float32, in this order. Each lane of a strip
has its own exponent of 2, renewed every RENEW rows so that its largest number stays near 1: within 16 columns sums
differ by less than the range of float32, over a whole row they need not. Scaling by powers of 2 is exact, so results do
not depend on where it happens, and a GPU finds the same numbers in its own order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.float_lanes import add, load, maximum, multiply, splat, store
from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.msa.consistency.posteriors.pair_models import CODES, PADDING

LANES = 16
COLUMNS = 16
"""Columns of a strip."""
CELLS = LANES * COLUMNS
RENEW = 4
"""Rows after which the exponent of a strip is renewed. A match grows by less than 2^6 per row."""
POWERS = 96
"""Largest power of 2 by which a number is scaled; smaller numbers do not matter beside larger ones."""


class PairModelWeights(NamedTuple):
    """Weights of a `PairModel`, float32; ``ends`` and ``end_exponents`` reach to the longest sequence."""

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


class PosteriorStripBorder(NamedTuple):
    """The column between two strips, rows 0 to m: D, M, Y_1, Y_2 float32 ((m + 1) LANES), and exponents int32."""

    D: np.ndarray
    M: np.ndarray
    Y1: np.ndarray
    Y2: np.ndarray
    exponents: np.ndarray


class LaneBounds(NamedTuple):
    """Where lanes begin and end.

    ``starts`` int64 (LANES,) is the column before which a lane begins, ``lengths`` the column after which it ends.
    ``begins`` and ``ends`` uint8 (columns,): whether some lane begins before a column, or ends after it.
    """

    starts: np.ndarray
    begins: np.ndarray
    lengths: np.ndarray
    ends: np.ndarray


class StripRow(NamedTuple):
    """One row of a strip, float32 (CELLS,), the odds of its columns (CODES CELLS), and a buffer for one vector.

    ``exponents`` int32 (LANES,); ``powers`` float32: 0, then 2^(1 - POWERS) to 2^POWERS.
    """

    M: np.ndarray
    X1: np.ndarray
    X2: np.ndarray
    D: np.ndarray
    odds: np.ndarray
    vector: np.ndarray
    exponents: np.ndarray
    powers: np.ndarray


def allocate_strip_row() -> StripRow:
    """Allocate the row of a strip."""
    powers = np.exp2(np.arange(-POWERS, POWERS + 1)).astype(np.float32)
    powers[0] = 0
    M, X1, X2, D = (np.zeros(CELLS, np.float32) for _ in range(4))
    odds, vector = np.zeros(CODES * CELLS, np.float32), np.zeros(LANES, np.float32)
    return StripRow(M, X1, X2, D, odds, vector, np.zeros(LANES, np.int32), powers)


@inline_njit
def power_of_two(powers, exponent):
    """Return 2^exponent; 0 from -POWERS down, 2^POWERS above it."""
    return powers[min(max(exponent, -POWERS), POWERS) + POWERS]


@inline_njit
def _float_exponent(value):
    """Return the exponent of a positive float32, which is 2^exponent times 1 to 2."""
    return np.int32((np.float32(value).view(np.int32) >> 23) & 255) - np.int32(127)


@inner_njit
def _start_strip(y, starts, strip, weights, rows):
    """Store the odds of a strip's columns and its row 0."""
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
                value = weights.ends[letters] * power_of_two(rows.powers, shift)
            rows.D[c * LANES + lane] = value


@inner_njit
def _rescale_lanes(rows, two):
    """Rescale each lane so that its largest number is near 1."""
    largest = load(rows.D, 0)
    for c in range(COLUMNS):
        largest = maximum(largest, maximum(load(rows.D, c * LANES), load(rows.M, c * LANES)))
    store(rows.vector, 0, largest)
    changed = False
    for lane in range(LANES):
        value = rows.vector[lane]
        rows.vector[lane] = 1
        if value > 0:
            shift = _float_exponent(value)
            if abs(shift) > 4:
                rows.vector[lane] = power_of_two(rows.powers, -shift)
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


@inline_njit
def _border_factors(rows, exponents, at):
    """Return 2 to the difference of a border's exponents and those of the strip, as a vector."""
    for lane in range(LANES):
        rows.vector[lane] = power_of_two(rows.powers, exponents[at + lane] - rows.exponents[lane])
    return load(rows.vector, 0)


@inline_njit
def _enter_lanes(rows, weights, starts, column, row, value):
    """Return ``value`` with D(row, 0) in lanes whose first column this is."""
    store(rows.vector, 0, value)
    for lane in range(LANES):
        if starts[lane] == column:
            shift = weights.end_exponents[row] - rows.exponents[lane]
            rows.vector[lane] = weights.ends[row] * power_of_two(rows.powers, shift)
    return load(rows.vector, 0)


class StripOutputs(NamedTuple):
    """What a forward strip leaves for the backward strip.

    ``entered`` float32 (m CELLS): D(i-1, j-1) of each cell; ``exponents`` int32 (m LANES) are theirs. ``squares``
    float32 (m CELLS): sums of squared posteriors of the models so far. ``totals`` float32 and ``total_exponents`` int32
    (2 LANES,): sums over all alignments that end with a gap in x (first LANES), and over all others.
    """

    entered: np.ndarray
    exponents: np.ndarray
    squares: np.ndarray
    totals: np.ndarray
    total_exponents: np.ndarray


BORDERS, ENTERED, POSTERIORS, MORE_POSTERIORS = 0, 1, 2, 3
"""The purpose of a strip: borders and totals, sums that enter each cell, or posteriors of a first or a further
model."""


@inline_njit
def add_scaled(sums, exponents, slot, value, exponent, powers):
    """Add ``value`` 2^exponent to ``sums[slot]``; sums are numbers from 1 to 2 with an exponent."""
    if value > 0:
        shift = _float_exponent(value)
        value, exponent = value * power_of_two(powers, -shift), exponent + shift
        above = exponent - exponents[slot]
        if sums[slot] == 0:
            sums[slot], exponents[slot] = value, exponent
        elif above > 0:
            sums[slot], exponents[slot] = sums[slot] * power_of_two(powers, -above) + value, exponent
        else:
            sums[slot] += value * power_of_two(powers, above)
        shift = _float_exponent(sums[slot])
        sums[slot] *= power_of_two(powers, -shift)
        exponents[slot] += shift


@inner_njit
def _add_column_totals(M, lengths, column, i, m, rows, tails, outputs):
    """Add all alignments whose last match is in row i and a lane's last column."""
    store(rows.vector, 0, M)
    ends, end_exponents = tails
    for lane in range(LANES):
        if lengths[lane] == column + 1:
            value, exponent = rows.vector[lane] * ends[m - i], rows.exponents[lane] + end_exponents[m - i]
            add_scaled(outputs.totals, outputs.total_exponents, LANES + lane, value, exponent, rows.powers)


@inner_njit
def _add_row_totals(lengths, first, rows, tails, outputs):
    """Add all alignments whose last match is in the last row, before the last column."""
    ends, end_exponents = tails
    for c in range(COLUMNS):
        for lane in range(LANES):
            left = lengths[lane] - (first + c + 1)
            if left > 0:
                value = rows.M[c * LANES + lane] * ends[left]
                exponent = rows.exponents[lane] + end_exponents[left]
                add_scaled(outputs.totals, outputs.total_exponents, lane, value, exponent, rows.powers)


@inner_njit
def _posterior_scales(rows, outputs, row, inverses, inverse_exponents, low, high):
    """Return two powers of 2 for each lane whose product scales D M / total of a row."""
    for lane in range(LANES):
        shift = outputs.exponents[row * LANES + lane] + rows.exponents[lane] + inverse_exponents[lane]
        low[lane] = power_of_two(rows.powers, shift >> 1)
        high[lane] = power_of_two(rows.powers, shift - (shift >> 1)) if inverses[lane] > 0 else 0


@inner_njit
def compute_strip(x, y, lanes, number, weights, tails, left, right, rows, purpose, outputs, inverses):
    """Compute all rows of strip ``number`` between its borders ``left`` and ``right``.

    ``x`` are codes of m letters, ``y`` codes (columns LANES), PADDING where a lane has no letter. ``tails`` are the end
    weights of the reversed model; ``inverses`` float32, int32 (LANES,) are 1 / totals, for posteriors. ``what`` is
    BORDERS, ENTERED, POSTERIORS or MORE_POSTERIORS.
    """
    starts, begins, lengths, ends = lanes
    _start_strip(y, starts, number, weights, rows)
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
            _rescale_lanes(rows, two)
        odds, at, mirrored = x[i] * CELLS, (i + 1) * LANES, m * CELLS - (i + 1) * CELLS
        if purpose >= POSTERIORS:
            _posterior_scales(rows, outputs, m - 1 - i, inverses[0], inverses[1], low, high)
            half, other = load(low, 0), load(high, 0)
        diagonal = multiply(load(left.D, i * LANES), _border_factors(rows, left.exponents, i * LANES))
        factor = _border_factors(rows, left.exponents, at)
        M, Y1 = multiply(load(left.M, at), factor), multiply(load(left.Y1, at), factor)
        Y2 = multiply(load(left.Y2, at), factor) if two else Y1
        for c in range(COLUMNS):
            place = c * LANES
            if begins[first + c]:
                diagonal = _enter_lanes(rows, weights, starts, first + c, i, diagonal)
            if purpose == ENTERED:
                store(outputs.entered, i * CELLS + place, diagonal)
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
            if purpose >= POSTERIORS:
                at_cell = mirrored + last - place
                entered = multiply(load(outputs.entered, at_cell), half)
                posterior = multiply(multiply(entered, multiply(M, other)), inverse)
                square = multiply(posterior, posterior)
                if purpose == MORE_POSTERIORS:
                    square = add(load(outputs.squares, at_cell), square)
                store(outputs.squares, at_cell, square)
            elif purpose == BORDERS and ends[first + c]:
                _add_column_totals(M, lengths, first + c, i + 1, m, rows, tails, outputs)
        store(right.D, at, load(rows.D, last))
        store(right.M, at, M)
        store(right.Y1, at, Y1)
        if two:
            store(right.Y2, at, Y2)
        for lane in range(LANES):
            right.exponents[at + lane] = rows.exponents[lane]
            if purpose == ENTERED:
                outputs.exponents[i * LANES + lane] = rows.exponents[lane]
    if purpose == BORDERS:
        _add_row_totals(lengths, first, rows, tails, outputs)
