"""Compiled strips of the table and the path through them: ProfileWavefront on the CPU.

A strip has ``s`` columns and is computed in batches of ``T`` rows. It hands on its last column (H and F), and keeps the
last row (H and E) of every batch. From these borders any tile of T x s cells can be computed again; only tiles on the
path are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.clock import now_ns
from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.progress_words import wait_until_reached
from antidiag.kernels.cpu.simd import LANES, store_release
from antidiag.kernels.profiles.column_scores.scoring import FIRST_END, LOCAL, SECOND_END, EncodedProfiles
from antidiag.kernels.profiles.wavefront.cpu_tile import (
    ALL,
    GROUP,
    RING,
    TileFactors,
    TileGapCosts,
    TileRings,
    compute_tile,
)
from antidiag.kernels.profiles.whole_table.cpu_cells import FROM_E, FROM_F, NEVER, path_begins

WORD = 8
"""Distance of progress words: a cache line."""
WIDEN = 2 * LANES
"""Strips are padded to pairs of vectors."""


class ProfileStripBorder(NamedTuple):
    """A column between two strips: H and F, int32 (m + 1)."""

    h: np.ndarray
    f: np.ndarray


class ProfileStripProblem(NamedTuple):
    """A problem from which strips are cut.

    ``first_row`` and ``first_column`` are H of the table's borders (int32, n + 1 and m + 1), ``cuts`` is (m, n, s, T,
    mode). ``linear``: no gap costs anything to open.
    """

    encoded: EncodedProfiles
    first_row: np.ndarray
    first_column: np.ndarray
    cuts: tuple[int, int, int, int, int]
    has_linear_gaps: bool


class KeptStripBorders(NamedTuple):
    """Borders that are kept for the path.

    ``columns`` int32 (strips + 1, 2, m + 1): H and F. ``rows`` int32 (strips, batches, 2, padded s): H and E. ``best``
    int64 (strips, 3): score, row and column in the strip.
    """

    columns: np.ndarray
    rows: np.ndarray
    best: np.ndarray


class ProfileStripProgress(NamedTuple):
    """The finished rows of each strip (int64, one in WORD), and the word that stops all."""

    words: np.ndarray
    stop: np.ndarray


@cached_njit
def pack_rows(rows):
    """Pack rows (int16, symbols x (m + 1)) in fours, int32, flat, as in `TileFactors`."""
    symbols, m = rows.shape[0], rows.shape[1] - 1
    pairs = (symbols + 1) // 2
    found = np.zeros((m + GROUP - 1) // GROUP * pairs * GROUP * 2, np.int16)
    for x in range(symbols):
        for i in range(m):
            found[(((i // GROUP) * pairs + x // 2) * GROUP + i % GROUP) * 2 + x % 2] = rows[x, i]
    return found.view(np.int32)


@inner_njit
def cut_strip(strip_problem, packed, left):
    """Return factors and gap costs of the strip behind column ``left``."""
    _, n, s, _, _ = strip_problem.cuts
    real, symbols = min(s, n - left), strip_problem.encoded.columns.shape[0]
    width = (real + WIDEN - 1) // WIDEN * WIDEN
    pairs = (symbols + 1) // 2
    columns, bias = np.zeros(pairs * width * 2, np.int16), np.zeros(width, np.int32)
    for x in range(symbols):
        for j in range(real):
            columns[((x // 2) * width + j) * 2 + x % 2] = strip_problem.encoded.columns[x, left + j]
    bias[:real] = strip_problem.encoded.column_bias[left : left + real]
    source, sums = np.zeros(width + LANES, np.int32), np.zeros(width + LANES, np.int32)
    total = np.int64(0)
    for j in range(width + 1):
        if j > 0 and j <= real:
            total += strip_problem.encoded.column_extend[left + j - 1]
        sums[LANES - 1 + j] = total
        source[LANES - 1 + j] = total - (strip_problem.encoded.column_open[left + j] if j < real else 0)
    return (
        TileFactors(packed, columns.view(np.int32), pairs, width, strip_problem.encoded.row_bias, bias),
        TileGapCosts(
            strip_problem.encoded.row_open,
            strip_problem.encoded.row_extend,
            source,
            sums,
            strip_problem.has_linear_gaps,
        ),
    )


@inner_njit
def allocate_rings(rows, width):
    """Allocate rings for so many rows of a strip."""
    size = rows * (width + LANES)
    h = np.full(size, np.int32(NEVER))
    e = np.full(size, np.int32(NEVER))
    f = np.full(size, np.int32(NEVER))
    scores = np.zeros(size, np.int32)
    return TileRings(h, e, f, np.empty(GROUP * width, np.int32), scores)


@cached_njit
def compute_strip(strip_problem, packed, number, borders, turns, times):
    """Compute all rows of a strip, each batch after the strip on the left has finished it.

    ``times`` (int64, batches x 2) takes begin and end of each batch. Returns False if it was stopped.
    """
    m, n, s, batch, mode = strip_problem.cuts
    left = number * s
    real = min(s, n - left)
    factors, gaps = cut_strip(strip_problem, packed, left)
    rings = allocate_rings(np.int64(GROUP), factors.width)
    rings.h[LANES - 1 : LANES + real] = strip_problem.first_row[left : left + real + 1]
    before = ProfileStripBorder(borders.columns[number, 0], borders.columns[number, 1])
    behind = ProfileStripBorder(borders.columns[number + 1, 0], borders.columns[number + 1, 1])
    behind.h[0], behind.f[0] = strip_problem.first_row[left + real], NEVER
    end = (mode, m, real, np.int64(left + real == n))
    for at, top in enumerate(range(0, m, batch)):
        bottom = min(top + batch, m)
        if number > 0 and not wait_until_reached(turns.words, (number - 1) * WORD, bottom, turns.stop):
            return False
        times[at, 0] = now_ns()
        place = (top, bottom, np.int64(0), np.int64(RING))
        if not compute_tile(
            factors, strip_problem.encoded, gaps, rings, place, before, behind, borders.best[number], end, turns.stop
        ):
            return False
        if bottom < m:
            row = (bottom & RING) * (factors.width + LANES) + LANES
            borders.rows[number, at, 0, : factors.width] = rings.h[row : row + factors.width]
            if strip_problem.has_linear_gaps:
                before_it = ((bottom - 1) & RING) * (factors.width + LANES) + LANES
                borders.rows[number, at, 1, : factors.width] = (
                    rings.h[before_it : before_it + factors.width] - strip_problem.encoded.row_extend[bottom - 1]
                )
            else:
                borders.rows[number, at, 1, : factors.width] = rings.e[row : row + factors.width]
        times[at, 1] = now_ns()
        store_release(turns.words, number * WORD, bottom)
    return True


@cached_njit
def find_best_end(strip_problem, borders):
    """Return score and end of the best path; of equal ones the smallest row, then column."""
    m, n, s, _, mode = strip_problem.cuts
    score, i, j = np.int64(borders.columns[borders.columns.shape[0] - 1, 0, m]), m, n
    if mode == LOCAL:
        score, i, j = np.int64(0), 0, 0
    if mode & SECOND_END != 0 and borders.columns[0, 0, m] >= score:
        score, i, j = np.int64(borders.columns[0, 0, m]), m, 0
    if mode & FIRST_END != 0 and strip_problem.first_row[n] >= score:
        score, i, j = np.int64(strip_problem.first_row[n]), 0, n
    for number in range(borders.best.shape[0]):
        found, row, column = borders.best[number, 0], borders.best[number, 1], borders.best[number, 2] + number * s
        if found > score or (found == score and row > 0 and (row < i or (row == i and column < j))):
            score, i, j = found, row, column
    return score, i, j


@inner_njit
def compute_kept_tile(strip_problem, borders, factors, gaps, rings, number, at, bottom, behind, stop):
    """Compute the rows of batch ``at`` of a strip up to ``bottom`` from kept borders, with all rows in the rings.

    Returns False if it was stopped.
    """
    m, n, s, batch, mode = strip_problem.cuts
    left, top, width = number * s, at * batch, factors.width
    real = min(s, n - left)
    if at == 0:
        rings.h[LANES : LANES + width] = NEVER
        rings.h[LANES : LANES + real] = strip_problem.first_row[left + 1 : left + 1 + real]
        rings.e[LANES : LANES + width] = NEVER
    else:
        rings.h[LANES : LANES + width] = borders.rows[number, at - 1, 0, :width]
        rings.e[LANES : LANES + width] = borders.rows[number, at - 1, 1, :width]
    before = ProfileStripBorder(borders.columns[number, 0], borders.columns[number, 1])
    rings.h[LANES - 1] = before.h[top]
    nothing = np.array([2**62, 0, 0])  # no cell is better, since no end of a path is needed
    rows, end = (top, bottom, top, np.int64(ALL)), (mode, m, real, np.int64(0))
    return compute_tile(factors, strip_problem.encoded, gaps, rings, rows, before, behind, nothing, end, stop)


@cached_njit
def trace_path(strip_problem, packed, borders, i, j, operations, stop):
    """Trace the path that ends in cell (i, j) into ``operations`` (uint8), last operation first.

    Returns their number (-1 if stopped), the cell where the path starts, and how many tiles were computed again.
    """
    m, n, s, batch, mode = strip_problem.cuts
    zero = np.int64(0)  # a literal would compile everything that takes it once more
    state, count, tiles = zero, zero, zero
    rings, behind = allocate_rings(zero, zero), ProfileStripBorder(np.empty(m + 1, np.int32), np.empty(m + 1, np.int32))
    factors, gaps = cut_strip(strip_problem, packed, zero)
    size, width, last = 0, 0, -1
    while state >= 0 and not path_begins(mode, i, j, state):
        number, at = max(j - 1, 0) // s, max(i - 1, 0) // batch
        left, top, bottom = number * s, at * batch, i
        if number != last:
            factors, gaps = cut_strip(strip_problem, packed, left)
            width, last = factors.width, number
        rows = bottom - top + 1
        if rows * (width + LANES) > size or size == 0:
            size = (min(batch, m) + 1) * ((min(s, n) + WIDEN - 1) // WIDEN * WIDEN + LANES)
            rings = allocate_rings(min(batch, m) + 1, (min(s, n) + WIDEN - 1) // WIDEN * WIDEN)
        if not compute_kept_tile(strip_problem, borders, factors, gaps, rings, number, at, bottom, behind, stop):
            return -1, i, j, tiles
        tiles += 1
        count, i, j, state = trace_tile_path(
            strip_problem, rings, width + LANES, top, left, i, j, state, operations, count
        )
    return count, i, j, tiles


@inner_njit
def trace_tile_path(strip_problem, rings, length, top, left, i, j, state, operations, count):
    """Trace the path through a tile; state -1 means that the path begins inside.

    Returns the number of operations, the cell, and the state in which the path leaves.
    """
    mode = strip_problem.cuts[4]
    h, e, f, scores = rings.h, rings.e, rings.f, rings.scores
    while not path_begins(mode, i, j, state) and (i > top or i == 0) and (j > left or j == 0):
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
            if (
                e[at]
                == h[at - length] - strip_problem.encoded.row_open[i - 1] - strip_problem.encoded.row_extend[i - 1]
            ):
                state = 0
            i -= 1
        else:
            if (
                f[at]
                == h[at - 1] - strip_problem.encoded.column_open[j - 1] - strip_problem.encoded.column_extend[j - 1]
            ):
                state = 0
            j -= 1
    return count, i, j, state
