"""Strips of the table, and the path through them, compiled: what `profile-wavefront` is made of on the CPU.

A strip is ``s`` columns, computed in batches of ``T`` rows. What it hands on is its last column (H and F); what it
keeps for the path is the last row (H and E) of every batch. From these borders any tile of T x s cells can be computed
again, and only those are that the path goes through.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.clock import now_ns
from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.simd import LANES, release
from antidiag.kernels.cpu.waiting import wait_for
from antidiag.kernels.profiles.cpu_cells import FROM_E, FROM_F, NEVER, Finish
from antidiag.kernels.profiles.cpu_tile import ALL, GROUP, RING, Factors, Gaps, Rings, tile
from antidiag.kernels.profiles.scoring import GLOBAL, LOCAL

WORD = 8
"""Progress words are so many apart, a cache line."""
WIDEN = 2 * LANES
"""Strips are padded to whole pairs of vectors."""


class Border(NamedTuple):
    """A column between two strips: H and F, int32 (m + 1)."""

    h: np.ndarray
    f: np.ndarray


class Whole(NamedTuple):
    """A problem as strips are cut from it; see `Encoded`. ``first_row`` and ``first_column`` are H of the table's
    borders (int32, n + 1 and m + 1), ``cuts`` is (m, n, s, T, mode). ``linear``: whether no gap costs to
    open."""

    rows: np.ndarray
    columns: np.ndarray
    row_bias: np.ndarray
    column_bias: np.ndarray
    row_open: np.ndarray
    row_extend: np.ndarray
    column_open: np.ndarray
    column_extend: np.ndarray
    finish: Finish
    first_row: np.ndarray
    first_column: np.ndarray
    cuts: tuple[int, int, int, int, int]
    linear: bool


class Kept(NamedTuple):
    """Borders that are kept for the path. ``columns`` int32 (strips + 1, 2, m + 1): H and F; ``rows`` int32 (strips,
    batches, 2, padded s): H and E. ``best`` int64 (strips, 3): score, row and column in the strip."""

    columns: np.ndarray
    rows: np.ndarray
    best: np.ndarray


class Turns(NamedTuple):
    """How far the strips are (int64, one in WORD), and the word that stops all."""

    words: np.ndarray
    stop: np.ndarray


@compiled
def packed_rows(rows):
    """Rows (int16, symbols x (m + 1)) in fours, int32, flat, as `cpu_tile.Factors` has them."""
    symbols, m = rows.shape[0], rows.shape[1] - 1
    pairs = (symbols + 1) // 2
    found = np.zeros((m + GROUP - 1) // GROUP * pairs * GROUP * 2, np.int16)
    for x in range(symbols):
        for i in range(m):
            found[(((i // GROUP) * pairs + x // 2) * GROUP + i % GROUP) * 2 + x % 2] = rows[x, i]
    return found.view(np.int32)


@called
def cut(whole, packed, left):
    """The strip that begins behind column ``left``: factors and gaps."""
    _, n, s, _, _ = whole.cuts
    real, symbols = min(s, n - left), whole.columns.shape[0]
    width = (real + WIDEN - 1) // WIDEN * WIDEN
    pairs = (symbols + 1) // 2
    columns, bias = np.zeros(pairs * width * 2, np.int16), np.zeros(width, np.int32)
    for x in range(symbols):
        for j in range(real):
            columns[((x // 2) * width + j) * 2 + x % 2] = whole.columns[x, left + j]
    bias[:real] = whole.column_bias[left : left + real]
    source, sums = np.zeros(width + LANES, np.int32), np.zeros(width + LANES, np.int32)
    total = np.int64(0)
    for j in range(width + 1):
        if j > 0 and j <= real:
            total += whole.column_extend[left + j - 1]
        sums[LANES - 1 + j] = total
        source[LANES - 1 + j] = total - (whole.column_open[left + j] if j < real else 0)
    return (
        Factors(packed, columns.view(np.int32), pairs, width, whole.row_bias, bias),
        Gaps(whole.row_open, whole.row_extend, source, sums, whole.linear),
    )


@called
def rings_of(rows, width):
    """Room for so many rows of a strip."""
    size = rows * (width + LANES)
    h, e, f, scores = (np.full(size, np.int32(NEVER)), np.full(size, np.int32(NEVER)), np.full(size, np.int32(NEVER)),
                       np.zeros(size, np.int32))  # fmt: skip
    return Rings(h, e, f, np.empty(GROUP * width, np.int32), scores)


@compiled
def strip(whole, packed, number, kept, turns, times):
    """All rows of a strip, each batch after the strip on the left has computed it.

    ``times`` (int64, batches x 2) take begin and end of each batch. Whether it was not told to stop.
    """
    m, n, s, batch, mode = whole.cuts
    left = number * s
    real = min(s, n - left)
    factors, gaps = cut(whole, packed, left)
    rings = rings_of(np.int64(GROUP), factors.width)
    rings.h[LANES - 1 : LANES + real] = whole.first_row[left : left + real + 1]
    before = Border(kept.columns[number, 0], kept.columns[number, 1])
    behind = Border(kept.columns[number + 1, 0], kept.columns[number + 1, 1])
    behind.h[0], behind.f[0] = whole.first_row[left + real], NEVER
    end = (mode, m, real, np.int64(left + real == n))
    for at, top in enumerate(range(0, m, batch)):
        bottom = min(top + batch, m)
        if number > 0 and not wait_for(turns.words, (number - 1) * WORD, bottom, turns.stop):
            return False
        times[at, 0] = now_ns()
        place = (top, bottom, np.int64(0), np.int64(RING))
        if not tile(factors, whole.finish, gaps, rings, place, before, behind, kept.best[number], end, turns.stop):
            return False
        if bottom < m:
            row = (bottom & RING) * (factors.width + LANES) + LANES
            kept.rows[number, at, 0, : factors.width] = rings.h[row : row + factors.width]
            if whole.linear:
                before_it = ((bottom - 1) & RING) * (factors.width + LANES) + LANES
                kept.rows[number, at, 1, : factors.width] = (
                    rings.h[before_it : before_it + factors.width] - whole.row_extend[bottom - 1]
                )
            else:
                kept.rows[number, at, 1, : factors.width] = rings.e[row : row + factors.width]
        times[at, 1] = now_ns()
        release(turns.words, number * WORD, bottom)
    return True


@compiled
def best_end(whole, kept):
    """Score and cell where the best path ends: the smallest row, then column, of equal ones."""
    m, n, s, _, mode = whole.cuts
    if mode == GLOBAL:
        return np.int64(kept.columns[kept.columns.shape[0] - 1, 0, m]), m, n
    score, i, j = np.int64(0), 0, (0 if mode == LOCAL else n)
    for number in range(kept.best.shape[0]):
        found, row, column = kept.best[number, 0], kept.best[number, 1], kept.best[number, 2] + number * s
        if found > score or (found == score and row > 0 and (row < i or (row == i and column < j))):
            score, i, j = found, row, column
    return score, i, j


@compiled
def path(whole, packed, kept, i, j, operations, stop):
    """The path that ends in cell (i, j), its last operation first, into ``operations`` (uint8); how many, the cell
    where it starts, and how many tiles were computed again. -1 where it was told to stop."""
    m, n, s, batch, mode = whole.cuts
    zero = np.int64(0)  # a constant would have everything that takes it compiled once more
    state, count, tiles = zero, zero, zero
    rings, behind = rings_of(zero, zero), Border(np.empty(m + 1, np.int32), np.empty(m + 1, np.int32))
    factors, gaps = cut(whole, packed, zero)
    size, width, last = 0, 0, -1
    nothing = np.array([2**62, 0, 0])  # no cell is better: where the path ends is known
    while not begins(mode, i, j, state):
        number, at = max(j - 1, 0) // s, max(i - 1, 0) // batch
        left, top, bottom = number * s, at * batch, i
        if number != last:
            factors, gaps = cut(whole, packed, left)
            width, last = factors.width, number
        rows = bottom - top + 1
        if rows * (width + LANES) > size or size == 0:
            size = (min(batch, m) + 1) * ((min(s, n) + WIDEN - 1) // WIDEN * WIDEN + LANES)
            rings = rings_of(min(batch, m) + 1, (min(s, n) + WIDEN - 1) // WIDEN * WIDEN)
        real = min(s, n - left)
        if at == 0:
            rings.h[LANES : LANES + width] = NEVER
            rings.h[LANES : LANES + real] = whole.first_row[left + 1 : left + 1 + real]
            rings.e[LANES : LANES + width] = NEVER
        else:
            rings.h[LANES : LANES + width] = kept.rows[number, at - 1, 0, :width]
            rings.e[LANES : LANES + width] = kept.rows[number, at - 1, 1, :width]
        before = Border(kept.columns[number, 0], kept.columns[number, 1])
        rings.h[LANES - 1] = before.h[top]
        if not tile(factors, whole.finish, gaps, rings, (top, bottom, top, np.int64(ALL)), before, behind, nothing,
                    (mode, m, real, zero), stop):  # fmt: skip
            return -1, i, j, tiles
        tiles += 1
        count, i, j, state = walk(whole, rings, width + LANES, top, left, i, j, state, operations, count)
    return count, i, j, tiles


@called
def begins(mode, i, j, state):
    """Whether a path begins in a cell, as far as borders of the table decide it; -1 stands for a local one's begin."""
    if state < 0:
        return True
    return (i == 0 and j == 0) if mode == GLOBAL else (state == 0 and (i == 0 or j == 0))


@called
def walk(whole, rings, length, top, left, i, j, state, operations, count):
    """The path through a tile: how many operations there are now, the cell, and the state in which it leaves; the state
    is -1 where it begins inside."""
    mode = whole.cuts[4]
    h, e, f, scores = rings.h, rings.e, rings.f, rings.scores
    while not begins(mode, i, j, state) and (i > top or i == 0) and (j > left or j == 0):
        if i == 0 or j == 0:
            operations[count] = FROM_F if i == 0 else FROM_E
            count += 1
            i, j = (i, j - 1) if i == 0 else (i - 1, j)
            continue
        at = (i - top) * length + LANES - 1 + j - left
        if state == 0:
            if mode == LOCAL and h[at] == 0:
                return count, i, j, np.int64(-1)
            if h[at] == h[at - length - 1] + scores[at - length]:
                operations[count] = 0
                count += 1
                i, j = i - 1, j - 1
                continue
            state = FROM_E if h[at] == e[at] else FROM_F
        operations[count] = state
        count += 1
        if state == FROM_E:
            if e[at] == h[at - length] - whole.row_open[i - 1] - whole.row_extend[i - 1]:
                state = 0
            i -= 1
        else:
            if f[at] == h[at - 1] - whole.column_open[j - 1] - whole.column_extend[j - 1]:
                state = 0
            j -= 1
    return count, i, j, state
