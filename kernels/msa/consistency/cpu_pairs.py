"""Posteriors of 16 pairs at once from their forward and backward sums; compiled.

The forward sums of all strips are computed for their borders alone. Then, from the last strip to the first, the strip
is computed once more, and beside it the same columns of the sequences read backwards: what enters a cell, times what
begins with its match, over the sum of all alignments, is its posterior. So memory is that of the borders.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.simd import acquire
from antidiag.kernels.msa.consistency.cpu_strips import (
    BORDERS,
    CELLS,
    COLUMNS,
    ENTERED,
    LANES,
    MORE_POSTERIORS,
    POSTERIORS,
    Border,
    Kept,
    Lanes,
    strip,
)
from antidiag.kernels.msa.consistency.models import PADDING, UNIT


class Room(NamedTuple):
    """Room of a thread for the borders of models, of all strips of the forward and two of the backward sums.

    ``values`` float32 (models, strips + 4, 4, rows), ``exponents`` int32 (models, strips + 4, rows), rows
    at least (m + 1) LANES;
    ``entered``, ``squares`` float32, and ``kept`` int32, for m rows of a strip; ``words`` int64 takes what is found.
    """

    values: np.ndarray
    exponents: np.ndarray
    entered: np.ndarray
    squares: np.ndarray
    kept: np.ndarray
    words: np.ndarray


@called
def _border(room, model, number):
    values = room.values[model, number]
    return Border(values[0], values[1], values[2], values[3], room.exponents[model, number])


@called
def _lanes(letters, offsets, columns):
    """The letters of y, forwards and backwards, and where lanes begin and end in either."""
    y, backwards = np.full(columns * LANES, np.uint8(PADDING)), np.full(columns * LANES, np.uint8(PADDING))
    ends, late = np.zeros(columns + 1, np.uint8), np.zeros(columns + 1, np.uint8)
    begins = np.zeros(columns + 1, np.uint8)
    starts, lengths = np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
    begins[0] = 1
    for lane in range(offsets.shape[0]):
        first, end = offsets[lane, 0], offsets[lane, 1]
        lengths[lane], starts[lane] = end - first, columns - (end - first)
        for j in range(end - first):
            y[j * LANES + lane] = letters[first + j]
            backwards[(columns - 1 - j) * LANES + lane] = letters[first + j]
        ends[end - first - 1] = late[columns - (end - first)] = 1
    starts[offsets.shape[0] :] = columns
    none = np.zeros(LANES, np.int64)
    return y, backwards, Lanes(none, begins, lengths, ends), Lanes(starts, late, lengths, ends)


@compiled
def posteriors(letters, first, end, offsets, forward, backward, room, rows, limit, stop):
    """Words of the posteriors of x = ``letters[first : end]`` with up to 16 others, and how many there are.

    ``offsets`` int64 (lanes, 2): where each y begins and ends, none empty. ``forward`` and ``backward`` are Weights of
    the models. A word is lane << 48 | row << 32 | column << 16 | units, of ``limit`` units at least; those of a
    row and lane come in falling order of columns. -1 where ``stop`` is set; more than ``room.words`` holds where that
    is too small.
    """
    x, m, models = letters[first:end], end - first, len(forward)
    columns = -(-(offsets[:, 1] - offsets[:, 0]).max() // COLUMNS) * COLUMNS
    strips = columns // COLUMNS
    y, y_backwards, lanes, back_lanes = _lanes(letters, offsets, columns)
    x_backwards = x[::-1].copy()
    inverses, exponents = np.zeros((models, LANES), np.float32), np.zeros((models, LANES), np.int32)
    for model in range(models):
        tails, kept = (backward[model].ends, backward[model].end_exponents), _kept(room)
        _clear(room, model, 0)
        for number in range(strips):
            if acquire(stop, 0) != 0:
                return -1
            left, right = _border(room, model, number), _border(room, model, number + 1)
            inverse = inverses[model], exponents[model]
            strip(x, y, lanes, number, forward[model], tails, left, right, rows, BORDERS, kept, inverse)
        _invert(kept, inverses[model], exponents[model])
        _clear(room, model, strips + 2)
    count, scratch = 0, strips + 1
    for number in range(strips - 1, -1, -1):
        back = strips - 1 - number
        for model in range(models):
            if acquire(stop, 0) != 0:
                return -1
            inverse, kept = (inverses[model], exponents[model]), _kept(room)
            tails = backward[model].ends, backward[model].end_exponents
            left, right = _border(room, model, number), _border(room, model, scratch)
            strip(x, y, lanes, number, forward[model], tails, left, right, rows, ENTERED, kept, inverse)
            left, right = _border(room, model, scratch + 1 + back % 2), _border(room, model, scratch + 2 - back % 2)
            what = MORE_POSTERIORS if model else POSTERIORS
            strip(x_backwards, y_backwards, back_lanes, back, backward[model], tails, left, right, rows, what, kept,
                  inverse)  # fmt: skip
        count = _collect(room, m, number, models, limit, count)
    return count


@called
def _kept(room):
    return Kept(room.entered, room.kept, room.squares, np.zeros(2 * LANES, np.float32), np.zeros(2 * LANES, np.int32))


@called
def _clear(room, model, number):
    room.values[model, number] = 0
    room.exponents[model, number] = 0


@called
def _invert(kept, inverses, exponents):
    """1 / the total of each lane as a number and an exponent."""
    for lane in range(LANES):
        total, other = kept.totals[lane], kept.totals[LANES + lane]
        at, other_at = kept.total_exponents[lane], kept.total_exponents[LANES + lane]
        if other > 0 and (other_at > at or total == 0):
            total, other, at, other_at = other, total, other_at, at
        if total > 0:
            total += other * (np.float32(2) ** np.float32(max(other_at - at, -126)))
            inverses[lane], exponents[lane] = np.float32(1) / total, -at


@called
def _collect(room, m, number, models, limit, count):
    """Append what stands out of a strip; lanes and columns downwards."""
    squares, words = room.squares, room.words
    share = np.float32(1) / np.float32(models)
    least = np.float32(np.float32(limit - 1) / np.float32(UNIT)) ** 2
    for i in range(m):
        largest = np.float32(0)
        row = squares[i * CELLS : (i + 1) * CELLS]
        for c in range(CELLS):
            largest = max(largest, row[c])
        if largest * share < least:
            continue
        for cell in range(CELLS - 1, -1, -1):
            if row[cell] * share >= least:
                units = np.int64(np.sqrt(row[cell] * share) * np.float32(UNIT) + np.float32(0.5))
                if units >= limit:
                    if count < words.size:
                        lane, column = cell % LANES, number * COLUMNS + cell // LANES
                        words[count] = lane << 48 | i << 32 | column << 16 | min(units, UNIT - 1)
                    count += 1
    return count
