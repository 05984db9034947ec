"""Compiled sweep of pairs side by side: each lane of a vector is a pair (Rognes 2011); rows are its shorter sequence.

All lanes begin in the cell (0, 0). A pair that is smaller than the largest of its group goes on beyond its last row and
column, where nobody reads: what is there never comes back. H, E (vertical) and F (horizontal) are those of
`kernels.pairwise`, E and F with opening and extension of a gap added, so that a gap opens where E equals the H above,
and F the H on the left. Gap costs are a tuple of one piece or two, for which Numba compiles a version each; E2 and F2
belong to the second piece. No value leaves the type of the lanes (`lane_groups.fits_16_bits`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.full_registers import load_register
from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.cpu.lane_moves import transpose_block
from antidiag.kernels.cpu.simd import (
    add,
    any_lane,
    bit_or,
    equal_lanes,
    greater_lanes,
    lane_count,
    maximum,
    select_lanes,
    splat_like,
    store,
    subtract,
)
from antidiag.kernels.cpu.table_lookup import TABLE_SIZE, look_up_lanes

NEGATIVE = -(2**30)
IS_DIAGONAL, IS_E, OPENS_E, OPENS_F, IS_ZERO = 1, 2, 4, 8, 16
IS_E2, IS_F, OPENS_E2, OPENS_F2 = 32, 64, 128, 256
"""Decisions of a cell, bits of a byte; with two pieces of gap costs, of 16 bits."""


class PairArrays(NamedTuple):
    """Pairs as compiled code takes them: letters uint8, first letters and lengths of rows and columns, int64."""

    codes: np.ndarray
    row_begins: np.ndarray
    column_begins: np.ndarray
    rows: np.ndarray
    columns: np.ndarray


class PairScoring(NamedTuple):
    """Scores and settings.

    ``table`` has the type of the lanes: the score of a row letter and a column letter is at row letter * ``stride`` +
    column letter; the column letter ``padding`` scores 0. ``lowest`` is the least number of that type. ``pieces`` are
    one or two costs of a gap, each of its first letter and of each further one. ``settings`` int64 are whether the mode
    is local, and whether the top, left, bottom and right borders are free.
    """

    table: np.ndarray
    stride: int
    padding: int
    lowest: int
    pieces: tuple[tuple[int, int], ...]
    settings: np.ndarray


class LaneWork(NamedTuple):
    """Work space of a thread; all arrays are flat, and but for the last two of the type of the lanes.

    ``places`` (rows * lanes): where the scores of the row letters begin. ``letters`` and ``scores`` (columns * lanes),
    ``H`` ((columns + 1) * lanes), ``E`` (pieces * (columns + 1) * lanes), ``block`` (lanes * lanes). ``decisions``
    (cells * lanes): bits of each cell, of lane l at [(row * columns + column) * lanes + l]. ``best`` int64 (3 * lanes):
    score, row and column of the best end of each pair.
    """

    places: np.ndarray
    letters: np.ndarray
    scores: np.ndarray
    H: np.ndarray
    E: np.ndarray
    block: np.ndarray
    decisions: np.ndarray
    best: np.ndarray


class LaneGroup(NamedTuple):
    """Pairs side by side: ``first`` to before ``last``, their most rows and columns, and the rows of the smallest."""

    first: int
    last: int
    rows: int
    columns: int
    least_rows: int


@inner_njit
def border_score(length, pieces, is_free):
    """Return H of a cell of row 0 or column 0 after so many letters."""
    if length == 0 or is_free:
        return 0
    first, second = pieces[0], pieces[-1]
    return -min(first[0] + first[1] * (length - 1), second[0] + second[1] * (length - 1))


@inline_njit
def is_transposed(lookup, scoring):
    """Return whether the scores of a row are looked up lane by lane: the table is larger than a vector."""
    return lookup is not None and scoring.table.size > TABLE_SIZE


@inner_njit
def place_letters(lookup, pairs, group, scoring, work, lanes):
    """Lay the letters of rows and columns of all lanes side by side, or those of columns one lane after another."""
    places, letters, codes = work.places, work.letters, pairs.codes
    width = (group.columns + lanes - 1) // lanes * lanes
    step, apart = (1, width) if is_transposed(lookup, scoring) else (lanes, 1)
    for at in range(group.rows * lanes):
        places[at] = 0
    for at in range(width * lanes):
        letters[at] = scoring.padding
    for lane in range(group.last - group.first):
        pair = group.first + lane
        for i in range(pairs.rows[pair]):
            places[i * lanes + lane] = codes[pairs.row_begins[pair] + i] * scoring.stride
        for j in range(pairs.columns[pair]):
            letters[lane * apart + j * step] = codes[pairs.column_begins[pair] + j]


@inner_njit
def fill_scores(lookup, row, columns, scoring, work, like):
    """Store the scores of a row with all columns, lanes side by side."""
    table, lanes = scoring.table, lane_count(like)
    places, letters, scores, block = work.places, work.letters, work.scores, work.block
    first = row * lanes
    if lookup is None:
        for j in range(columns):
            for lane in range(lanes):
                at = j * lanes + lane
                scores[at] = table[np.int64(places[first + lane]) + letters[at]]
    elif table.size <= TABLE_SIZE:
        entries, place = load_register(table, 0), load_register(places, first)
        for at in range(0, columns * lanes, lanes):
            store(scores, at, look_up_lanes(entries, add(place, load_register(letters, at))))
    else:
        width = (columns + lanes - 1) // lanes * lanes
        for j in range(0, width, lanes):
            for lane in range(lanes):
                entries = load_register(table, np.int64(places[first + lane]))
                store(block, lane * lanes, look_up_lanes(entries, load_register(letters, lane * width + j)))
            transpose_block(block, lookup, 0, scores, j * lanes)


@inline_njit
def bits_where(flags, bits, like):
    """Return ``bits`` in the flagged lanes and 0 in the others."""
    return select_lanes(flags, splat_like(like, bits), splat_like(like, 0))


@inner_njit
def take_border_ends(row, pairs, group, settings, work, lanes):
    """Merge the cells of a row where paths that are not local may end into the best ones, by the tie rule."""
    free_bottom, free_right = settings[3] != 0, settings[4] != 0
    if row < group.least_rows and not free_right:
        return
    H, best = work.H, work.best
    for lane in range(group.last - group.first):
        rows, last = pairs.rows[group.first + lane], pairs.columns[group.first + lane]
        if row == rows or (free_right and row < rows):
            for j in range(0 if row == rows and free_bottom else last, last + 1):
                value = np.int64(H[j * lanes + lane])
                if value > best[lane]:
                    best[lane], best[lanes + lane], best[2 * lanes + lane] = value, row, j


@inner_njit
def load_last_rows(pairs, group, block, lanes):
    """Return the rows of each pair as a vector."""
    for lane in range(lanes):
        block[lane] = pairs.rows[min(group.first + lane, group.last - 1)]
    return load_register(block, 0)


@inline_njit
def copy_lanes(values, block, best, first, lanes):
    """Copy the lanes of a vector to the best ends."""
    store(block, 0, values)
    for lane in range(lanes):
        best[first + lane] = block[lane]


@inner_njit
def sweep_tables(lookup, pairs, group, scoring, work, with_paths, stop):
    """Compute the tables of a group of pairs row by row, and the best end of each pair by the tie rule.

    Parameters
    ----------
    lookup : ndarray of int64, shape (lanes,), or None
        Offsets of the rows of ``work.block``; None where scores are looked up one by one.
    pairs, group, scoring, work : PairArrays, LaneGroup, PairScoring, LaneWork
    with_paths : bool
        Whether the decisions of all cells are stored.
    stop : ndarray of int64, shape (1,)
        Not 0: return early.
    """
    pieces, settings = scoring.pieces, scoring.settings
    scores, H, E, E2, decisions = work.scores, work.H, work.E, work.E[work.E.size // 2 :], work.decisions
    local, free_top, free_left = settings[0] != 0, settings[1] != 0, settings[2] != 0
    n, lowest, best = group.columns, scoring.lowest, work.best
    zero = splat_like(load_register(H, 0), 0)
    lanes, one = lane_count(zero), splat_like(zero, 1)
    opening, extension = splat_like(zero, pieces[0][0]), splat_like(zero, pieces[0][1])
    opening2, extension2 = splat_like(zero, pieces[-1][0]), splat_like(zero, pieces[-1][1])
    floor = splat_like(zero, 0 if local else lowest)
    no_gap = splat_like(zero, lowest + max(pieces[0][1], pieces[-1][1]))
    for j in range(n + 1):
        store(H, j * lanes, splat_like(zero, border_score(j, pieces, local or free_top)))
        store(E, j * lanes, no_gap)
        if len(pieces) == 2:
            store(E2, j * lanes, no_gap)
    for lane in range(lanes):
        best[lane], best[lanes + lane], best[2 * lanes + lane] = NEGATIVE, 0, 0
    if not local:
        take_border_ends(0, pairs, group, settings, work, lanes)
    best_value, best_row, best_column = zero, zero, zero
    last_row = load_last_rows(pairs, group, work.block, lanes)
    for i in range(group.rows):
        if stop[0] != 0:
            return
        fill_scores(lookup, i, n, scoring, work, zero)
        diagonal, left = load_register(H, 0), splat_like(zero, border_score(i + 1, pieces, local or free_left))
        store(H, 0, left)
        F, F2, row_best, row_column, column = no_gap, no_gap, zero, zero, one
        for at in range(0, n * lanes, lanes):
            up, beside = load_register(H, at + lanes), left
            vertical = maximum(subtract(load_register(E, at + lanes), extension), up)
            F = maximum(subtract(F, extension), left)
            aligned = add(diagonal, load_register(scores, at))
            from_E, from_F = subtract(vertical, opening), subtract(F, opening)
            value = maximum(maximum(maximum(aligned, floor), from_E), from_F)
            if len(pieces) == 2:
                vertical2 = maximum(subtract(load_register(E2, at + lanes), extension2), up)
                F2 = maximum(subtract(F2, extension2), left)
                from_E2 = subtract(vertical2, opening2)
                value = maximum(maximum(value, from_E2), subtract(F2, opening2))
                store(E2, at + lanes, vertical2)
            if with_paths:
                found = bit_or(
                    bits_where(equal_lanes(value, aligned), IS_DIAGONAL, zero),
                    bits_where(equal_lanes(value, from_E), IS_E, zero),
                )
                found = bit_or(found, bits_where(equal_lanes(vertical, up), OPENS_E, zero))
                found = bit_or(found, bits_where(equal_lanes(F, beside), OPENS_F, zero))
                found = bit_or(found, bits_where(equal_lanes(value, zero), IS_ZERO, zero))
                if len(pieces) == 2:
                    found = bit_or(found, bits_where(equal_lanes(value, from_E2), IS_E2, zero))
                    found = bit_or(found, bits_where(equal_lanes(value, from_F), IS_F, zero))
                    found = bit_or(found, bits_where(equal_lanes(vertical2, up), OPENS_E2, zero))
                    found = bit_or(found, bits_where(equal_lanes(F2, beside), OPENS_F2, zero))
                store(decisions, i * n * lanes + at, found)
                if local:
                    row_column = select_lanes(greater_lanes(value, row_best), column, row_column)
                    column = add(column, one)
            if local:
                row_best = maximum(row_best, value)
            diagonal, left = up, value
            store(H, at + lanes, value)
            store(E, at + lanes, vertical)
        if local:
            row_best = select_lanes(greater_lanes(last_row, splat_like(zero, i)), row_best, zero)
            improved = greater_lanes(row_best, best_value)
            if any_lane(improved):
                best_value = maximum(best_value, row_best)
                best_row = select_lanes(improved, splat_like(zero, i + 1), best_row)
                best_column = select_lanes(improved, row_column, best_column)
        else:
            take_border_ends(i + 1, pairs, group, settings, work, lanes)
    if local:
        copy_lanes(best_value, work.block, best, 0, lanes)
        copy_lanes(best_row, work.block, best, lanes, lanes)
        copy_lanes(best_column, work.block, best, 2 * lanes, lanes)
