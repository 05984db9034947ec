"""Compiled posteriors of 16 pairs at once from forward and backward sums.

A first pass computes the forward sums of all strips and keeps their borders alone. From the last strip to the first,
each strip is then computed again beside the same columns of the reversed sequences: the sum that enters a cell, times
the sum that leaves its match, over the sum of all alignments, is the posterior. Memory is that of the borders.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.simd import load_acquire
from antidiag.kernels.msa.consistency.posteriors.cpu_strips import (
    BORDERS,
    CELLS,
    COLUMNS,
    ENTERED,
    LANES,
    MORE_POSTERIORS,
    POSTERIORS,
    LaneBounds,
    PosteriorStripBorder,
    StripOutputs,
    compute_strip,
)
from antidiag.kernels.msa.consistency.posteriors.pair_models import PADDING, UNIT


class PosteriorBuffers(NamedTuple):
    """Buffers of one thread: borders of all forward strips and of two backward strips, for each model.

    ``values`` float32 (models, strips + 4, 4, rows) and ``exponents`` int32 (models, strips + 4, rows), with at least
    (m + 1) LANES rows. ``entered`` and ``squares`` float32 and ``kept`` int32 hold m rows of a strip. ``words`` int64
    takes entries.
    """

    values: np.ndarray
    exponents: np.ndarray
    entered: np.ndarray
    squares: np.ndarray
    kept: np.ndarray
    words: np.ndarray


@inner_njit
def _select_border(room, model, number):
    """Return a border of a model as views of the buffers."""
    values = room.values[model, number]
    return PosteriorStripBorder(values[0], values[1], values[2], values[3], room.exponents[model, number])


@inner_njit
def _arrange_lanes(letters, offsets, columns):
    """Return the letters of y in both directions, and where each lane begins and ends."""
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
    return y, backwards, LaneBounds(none, begins, lengths, ends), LaneBounds(starts, late, lengths, ends)


@cached_njit
def compute_posteriors(letters, first, end, offsets, forward, backward, room, rows, limit, stop):
    """Compute posteriors of x = ``letters[first : end]`` with up to 16 other sequences; return the number of entries.

    ``offsets`` int64 (lanes, 2): first and end of each y, none empty. ``forward`` and ``backward`` are
    `PairModelWeights`. An entry is lane << 48 | row << 32 | column << 16 | units, of at least ``limit`` units; entries
    of a row and lane come in falling order of columns. Returns -1 if ``stop`` is set, and more than ``room.words``
    holds if that is too small.
    """
    x, m, models = letters[first:end], end - first, len(forward)
    columns = -(-(offsets[:, 1] - offsets[:, 0]).max() // COLUMNS) * COLUMNS
    strips = columns // COLUMNS
    y, y_backwards, lanes, back_lanes = _arrange_lanes(letters, offsets, columns)
    x_backwards = x[::-1].copy()
    inverses, exponents = np.zeros((models, LANES), np.float32), np.zeros((models, LANES), np.int32)
    for model in range(models):
        tails, kept = (backward[model].ends, backward[model].end_exponents), _make_strip_outputs(room)
        _clear_border(room, model, 0)
        for number in range(strips):
            if load_acquire(stop, 0) != 0:
                return -1
            left, right = _select_border(room, model, number), _select_border(room, model, number + 1)
            inverse = inverses[model], exponents[model]
            compute_strip(x, y, lanes, number, forward[model], tails, left, right, rows, BORDERS, kept, inverse)
        _invert_totals(kept, inverses[model], exponents[model])
        _clear_border(room, model, strips + 2)
    count, scratch = 0, strips + 1
    for number in range(strips - 1, -1, -1):
        back = strips - 1 - number
        for model in range(models):
            if load_acquire(stop, 0) != 0:
                return -1
            inverse, kept = (inverses[model], exponents[model]), _make_strip_outputs(room)
            tails = backward[model].ends, backward[model].end_exponents
            left, right = _select_border(room, model, number), _select_border(room, model, scratch)
            compute_strip(x, y, lanes, number, forward[model], tails, left, right, rows, ENTERED, kept, inverse)
            left = _select_border(room, model, scratch + 1 + back % 2)
            right = _select_border(room, model, scratch + 2 - back % 2)
            what = MORE_POSTERIORS if model else POSTERIORS
            compute_strip(
                x_backwards,
                y_backwards,
                back_lanes,
                back,
                backward[model],
                tails,
                left,
                right,
                rows,
                what,
                kept,
                inverse,
            )
        count = _collect_entries(room, m, number, models, limit, count)
    return count


@inner_njit
def _make_strip_outputs(room):
    """Return the outputs of a strip as views of the buffers."""
    return StripOutputs(
        room.entered, room.kept, room.squares, np.zeros(2 * LANES, np.float32), np.zeros(2 * LANES, np.int32)
    )


@inner_njit
def _clear_border(room, model, number):
    """Set a border of a model to 0."""
    room.values[model, number] = 0
    room.exponents[model, number] = 0


@inner_njit
def _invert_totals(outputs, inverses, exponents):
    """Store 1 / total of each lane as a number and an exponent of 2."""
    for lane in range(LANES):
        total, other = outputs.totals[lane], outputs.totals[LANES + lane]
        at, other_at = outputs.total_exponents[lane], outputs.total_exponents[LANES + lane]
        if other > 0 and (other_at > at or total == 0):
            total, other, at, other_at = other, total, other_at, at
        if total > 0:
            total += other * (np.float32(2) ** np.float32(max(other_at - at, -126)))
            inverses[lane], exponents[lane] = np.float32(1) / total, -at


@inner_njit
def _collect_entries(room, m, number, models, limit, count):
    """Append the entries of a strip, in falling order of lanes and columns; return how many there are."""
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
