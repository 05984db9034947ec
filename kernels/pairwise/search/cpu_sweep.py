"""Compiled kernel of a search on the CPU: one query against as many sequences side by side as a register has lanes.

Each lane holds one sequence of the database (Rognes 2011, SWIPE), so that no lane waits for another. With H, E and F as
in page.md, the values are stored relative to the least number of their type, which saturating arithmetic never leaves:
that number is the 0 at which a local alignment begins, and

    h = max(diagonal + score, E, F)     opened = h - (open + extend)
    E = max(E - extend, opened)         F = max(F - extend, opened)

needs no further maximum with 0. A lane whose best value is the greatest number of the type may have been cut off there;
its sequence is computed again with wider numbers. Letters of the database are taken `COLUMNS` at a time, whose values
stay in registers while the query passes; H and E of the last of them go through memory, one vector each for a letter of
the query. Scores of the columns with each letter of the query are looked up once per column (the profile).

    letters uint8, lanes side by side: letters[column * lanes + lane]; sequences that have ended hold PADDING
    table   (32 * 32): score of query letter and database letter, flat
    rows    int64 (query): where the scores of a query letter begin in the profile
    used    int64: letters that occur in the query, ascending
    profile (letters * COLUMNS * lanes) work space
    edge    (2 * query * lanes): H and E of the last column, H of a letter before its E
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.full_registers import (
    add_saturating,
    load_register,
    look_up_letters,
    subtract_saturating,
)
from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.simd import lane_count, maximum, splat_like, store
from antidiag.kernels.pairwise.search.score_blocks import PADDING

COLUMNS = 4
"""Letters of each sequence that are in registers at a time."""
PIECE = 256
"""Letters of all lanes that are laid side by side at a time: they stay in the first cache."""


@inline_njit
def compute_cell(diagonal, score, E, F, best, opening, extend):
    """Return H of a cell, E of the cell to its right, F of the cell below, and the best H so far."""
    h = maximum(maximum(add_saturating(diagonal, score), E), F)
    opened = subtract_saturating(h, opening)
    E = maximum(subtract_saturating(E, extend), opened)
    F = maximum(subtract_saturating(F, extend), opened)
    return h, E, F, maximum(best, h)


@inline_njit
def fill_profile(table, used, letters, at, profile, like):
    """Look up the scores of COLUMNS columns, the first at ``at``, with every letter that occurs in the query."""
    lanes = lane_count(like)
    for number in range(used.size):
        for column in range(COLUMNS):
            score = look_up_letters(table, used[number] * 32, letters, at + column * lanes, like)
            store(profile, (number * COLUMNS + column) * lanes, score)


@inner_njit
def place_side_by_side(codes, starts, ends, columns, lanes, letters):
    """Lay sequences side by side: letter j of sequence l at ``letters[j * lanes + l]``, padding after its end."""
    for first in range(0, columns, PIECE):
        until = min(first + PIECE, columns)
        for lane in range(lanes):
            start, end = (starts[lane], ends[lane]) if lane < starts.size else (0, 0)
            last = max(min(until, end - start), first)
            for j in range(first, last):
                letters[j * lanes + lane] = codes[start + j]
            for j in range(last, until):
                letters[j * lanes + lane] = PADDING


@inner_njit
def sweep_segment(letters, columns, table, used, rows, costs, work, lane_best, stop):
    """Compute the letters of a query from one boundary to the next with the sequence of each lane.

    Parameters
    ----------
    letters, table, used, rows
        See the module; ``columns`` is a multiple of COLUMNS.
    costs : (int, int)
        ``open + extend`` and ``extend``; both fit in the type of the table.
    work : tuple of three arrays of the type of the table
        ``profile``, ``edge``, and ``above`` (2 * columns * lanes): H and F above the segment, H of a column before its
        F, which become those below it.
    lane_best : array of the type of the table
        The best value of each lane so far, relative to the least number.
    stop : ndarray of int64, shape (1,)
        Not 0: return early.
    """
    profile, edge, above = work
    best = load_register(lane_best, 0)
    lanes = lane_count(best)
    zero = splat_like(best, np.iinfo(edge.dtype).min)
    opening, extend = splat_like(best, costs[0]), splat_like(best, costs[1])
    for at in range(0, 2 * rows.size * lanes, lanes):
        store(edge, at, zero)
    corner = zero
    for column in range(0, columns, COLUMNS):
        if stop[0] != 0:
            return
        fill_profile(table, used, letters, column * lanes, profile, best)
        top = 2 * column * lanes
        d0, F0 = corner, load_register(above, top + lanes)
        d1, F1 = load_register(above, top), load_register(above, top + 3 * lanes)
        d2, F2 = load_register(above, top + 2 * lanes), load_register(above, top + 5 * lanes)
        d3, F3 = load_register(above, top + 4 * lanes), load_register(above, top + 7 * lanes)
        corner = load_register(above, top + 6 * lanes)
        h3 = corner
        for row in range(rows.size):
            at, place = rows[row], 2 * row * lanes
            left, E = load_register(edge, place), load_register(edge, place + lanes)
            h0, E, F0, best = compute_cell(d0, load_register(profile, at), E, F0, best, opening, extend)
            h1, E, F1, best = compute_cell(d1, load_register(profile, at + lanes), E, F1, best, opening, extend)
            h2, E, F2, best = compute_cell(d2, load_register(profile, at + 2 * lanes), E, F2, best, opening, extend)
            h3, E, F3, best = compute_cell(d3, load_register(profile, at + 3 * lanes), E, F3, best, opening, extend)
            d0, d1, d2, d3 = left, h0, h1, h2
            store(edge, place, h3)
            store(edge, place + lanes, E)
        store(above, top, d1)
        store(above, top + lanes, F0)
        store(above, top + 2 * lanes, d2)
        store(above, top + 3 * lanes, F1)
        store(above, top + 4 * lanes, d3)
        store(above, top + 5 * lanes, F2)
        store(above, top + 6 * lanes, h3)
        store(above, top + 7 * lanes, F3)
    store(lane_best, 0, best)


@inner_njit
def number_letters(query, stride, rows, used):
    """Fill ``rows`` with where the scores of each letter begin in the profile; return the letters that occur."""
    numbers = np.full(32, -1, np.int64)
    for letter in query:
        numbers[letter] = 0
    count = 0
    for letter in range(32):
        if numbers[letter] == 0:
            numbers[letter], used[count] = count, letter
            count += 1
    for row in range(query.size):
        rows[row] = numbers[query[row]] * stride
    return used[:count]


@cached_njit
def score_sequences(sequences, queries, table, costs, segment, work, scores, done, stop):
    """Compute the score of every query with every sequence, as many sequences at a time as there are lanes.

    Parameters
    ----------
    sequences : (codes, starts, ends)
        Letters, uint8, and the ranges of the sequences, int64; neighbours should be of like lengths.
    queries : (codes, offsets)
        Letters of all queries, uint8, and their offsets, int64.
    table : ndarray of int8, int16 or int32, shape (32 * 32,)
        Scores by query letter and database letter.
    costs : (int, int)
        ``open + extend`` and ``extend``.
    segment : int
        Letters of a query that are computed at a time, whose H and E stay in a cache.
    work : tuple
        ``letters`` uint8 (columns * lanes), ``profile`` (32 * COLUMNS * lanes), ``edge`` (2 * segment * lanes),
        ``above`` (2 * columns * lanes), ``lane_best`` (lanes); columns are the letters of the longest sequence, rounded
        up to COLUMNS. All but the first have the type of the table.
    scores : ndarray of int32, shape (queries, sequences)
        Receives the scores. One that equals the range of the type may have been cut off.
    done : ndarray of int64, shape (1,)
        Grows with the cells that are done.
    stop : ndarray of int64, shape (1,)
        Not 0: return early.
    """
    codes, starts, ends = sequences
    letters, profile, edge, above, lane_best = work
    query_codes, query_offsets = queries
    lanes, least = lane_best.size, np.iinfo(edge.dtype).min
    rows, used = np.empty(segment, np.int64), np.empty(32, np.int64)
    for first in range(0, starts.size, lanes):
        until = min(first + lanes, starts.size)
        longest = total = 0
        for number in range(first, until):
            longest = max(longest, ends[number] - starts[number])
            total += ends[number] - starts[number]
        columns = (longest + COLUMNS - 1) // COLUMNS * COLUMNS
        place_side_by_side(codes, starts[first:until], ends[first:until], columns, lanes, letters)
        for number in range(query_offsets.size - 1):
            lane_best[:] = least
            above[: 2 * columns * lanes] = least
            for row in range(query_offsets[number], query_offsets[number + 1], segment):
                query = query_codes[row : min(row + segment, query_offsets[number + 1])]
                occurring = number_letters(query, COLUMNS * lanes, rows, used)
                parts = (profile, edge, above)
                sweep_segment(letters, columns, table, occurring, rows[: query.size], costs, parts, lane_best, stop)
                if stop[0] != 0:
                    return
            for lane in range(until - first):
                scores[number, first + lane] = np.int64(lane_best[lane]) - least
            done[0] += total * (query_offsets[number + 1] - query_offsets[number])
