"""Compiled kernels of pruning on the CPU: which blocks of a strip are skipped, and what stands for their borders.

A block is what a strip computes at a time: its columns, and rows cuts[b] + 1 .. cuts[b + 1]. Every best alignment that
enters it crosses its border in H or in a gap state; G of the row above and K of the column on the left are at least
both. A block is skipped where each of these values plus the most that can be gained behind it is less than ``least``.

Why the answer stays the same, ties included: values that depend on skipped blocks are too low or right, never too
high, because a maximum over fewer paths is no greater. Through a cell of a best alignment, the part up to it and the
most that can be gained behind it make ``least`` or more; so none of its blocks is skipped, and by induction from its
start its values are right. In each choice on its way back, a predecessor that is as good as the chosen one lies on a
best alignment, too, and has its right value; all others are too low to be taken for one. So the same is chosen.

Skipped borders are not written. A block that is computed beside one takes MARK for them, a number below all scores. In
16 bits such numbers have no room: they are raised to the least that the true values can be. H of two cells d rows and
columns apart differs by d (best score + extend) + open at most, since the path to one can be cut, or be continued by a
gap, on its way to the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.pairwise.encoding import NEGATIVE

MARK = NEGATIVE // 2
"""Stands for a value that was not computed: no score is as low, and costs subtracted from it do not wrap around."""


class BlockBounds(NamedTuple):
    """What decides which blocks of a strip are skipped; numbers are int64.

    ``is_on`` 0: none is. ``row_gains`` int32 (m + 1) as in `PruningBounds`, ``column_gains`` int32 (width of the tile)
    those behind the columns of the strip, in lane order. ``first_gain``: that of the column on its left.
    ``columns_left`` and ``columns_behind`` are the columns behind that column and behind the strip. ``least``,
    ``row_cost`` and ``column_cost`` as in `PruningBounds`. ``cuts`` int64 (blocks + 1): the rows at which blocks end,
    from 0 on. ``skipped`` uint8 (strips, blocks): 1 where a block was skipped, and ``own`` is the row of the strip.
    ``rise`` and ``opening``: neighbouring values of H differ by at most the first, plus once the second.
    """

    is_on: int
    row_gains: np.ndarray
    column_gains: np.ndarray
    first_gain: int
    columns_left: int
    columns_behind: int
    least: int
    row_cost: int
    column_cost: int
    floor: int
    cuts: np.ndarray
    skipped: np.ndarray
    own: int
    rise: int
    opening: int


NO_BOUNDS = BlockBounds(
    0,
    np.zeros(1, np.int32),
    np.zeros(1, np.int32),
    *(0,) * 7,
    np.zeros(2, np.int64),
    np.zeros((1, 1), np.uint8),
    0,
    0,
    0,
)
"""No block is skipped."""


@inner_njit
def can_skip_block(bounds, edge, left, block):
    """Return whether no best alignment passes a block; borders as in cpu_tile_kernels.py."""
    row, last = bounds.cuts[block], bounds.cuts[block + 1]
    rows_left, m = bounds.row_gains.size - 1 - row, bounds.row_gains.size - 1
    own, skipped = bounds.own, bounds.skipped
    least = bounds.least
    by_rows = bounds.row_gains[row] - bounds.column_cost * max(bounds.columns_behind - rows_left, 0)
    by_columns = bounds.first_gain - bounds.row_cost * max(m - last - bounds.columns_left, 0)
    if bounds.floor == 0 and min(by_rows, by_columns) >= least:
        return False
    has_corner = own == 0 or block == 0 or skipped[own - 1, block - 1] == 0
    if has_corner and left[0, row] + min(by_rows, by_columns) >= least:
        return False
    if block == 0 or skipped[own, block - 1] == 0:
        greatest, with_gain = np.int32(MARK), np.int32(MARK)
        for part in range(1, edge.shape[0]):
            for at in range(edge.shape[1]):
                greatest = max(greatest, edge[part, at])
                with_gain = max(with_gain, np.int32(edge[part, at] + bounds.column_gains[at]))
        less = bounds.row_cost * max(rows_left - bounds.columns_left, 0)
        if min(greatest + by_rows, with_gain - less) >= least:
            return False
    if own == 0 or skipped[own - 1, block] == 0:
        greatest, with_gain = np.int32(MARK), np.int32(MARK)
        for part in range(1, left.shape[0]):
            for i in range(row + 1, last + 1):
                greatest = max(greatest, left[part, i])
                with_gain = max(with_gain, np.int32(left[part, i] + bounds.row_gains[i]))
        less = bounds.column_cost * max(bounds.columns_left - rows_left, 0)
        if min(greatest + by_columns, with_gain - less) >= least:
            return False
    return True


@inner_njit
def skip_blocks(bounds, edge, block, left_row, until):
    """Skip a block, and those below it that skipped blocks surround; return the block behind them.

    The strip on the left has reached ``left_row``; blocks below row ``until`` are left for later. What can be gained
    falls from block to block, so a block below a skipped one, right of skipped ones, can be skipped.
    """
    own, skipped, cuts = bounds.own, bounds.skipped, bounds.cuts
    if block == 0 or skipped[own, block - 1] == 0:
        edge[:] = MARK
    skipped[own, block] = 1
    block += 1
    if own == 0 or skipped[own - 1, block - 1] == 0:
        return block
    until = min(until, left_row)
    while block + 1 < cuts.size and cuts[block + 1] <= until and skipped[own - 1, block] != 0:
        skipped[own, block] = 1
        block += 1
    return block


@inner_njit
def fill_skipped_borders(bounds, edge, left, block, is_short):
    """Mark the borders that skipped blocks left unwritten; ``is_short``: raise all so that 16 bits hold them."""
    row, last = bounds.cuts[block], bounds.cuts[block + 1]
    own, skipped = bounds.own, bounds.skipped
    if own > 0 and block > 0 and skipped[own - 1, block - 1] != 0:
        left[:, row] = MARK
    if own > 0 and skipped[own - 1, block] != 0:
        left[:, row + 1 : last + 1] = MARK
    if is_short:
        greatest = np.int32(MARK)
        for at in range(edge.shape[1]):
            greatest = max(greatest, edge[0, at])
        for i in range(row, last + 1):
            greatest = max(greatest, left[0, i])
        least = greatest - bounds.rise * (edge.shape[1] + last - row) - bounds.opening
        raise_values(edge, 0, edge.shape[1], np.int32(max(least, bounds.floor)))
        raise_values(left, row, last + 1, np.int32(max(least, bounds.floor)))


@inline_njit
def raise_values(values, start, end, least):
    """Raise a part of the rows of an array to ``least``."""
    for part in range(values.shape[0]):
        for at in range(start, end):
            values[part, at] = max(values[part, at], least)
