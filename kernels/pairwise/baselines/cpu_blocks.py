"""BlockedAntidiagonal and EnhancedBA on the CPU (001, section III): threads share an antidiagonal of s x s blocks.

A block needs the row above it (H and E), the column on its left (H and F) and the corner between them. The two
methods differ in where these come from and what becomes of a block:

    BlockedAntidiagonal   every H, E and F of the matrix is kept, int32 (3, m, n); the path is walked back over them
    EnhancedBA            ``above`` int32 (2, n): H and E of the lowest finished row of each column;
                          ``beside`` int32 (2, m): H and F of the last finished column of each row;
                          ``corners`` int32: H of the corner of each diagonal of blocks, which both others have lost

Blocks are numbered (p, q) from 0; level p + q holds the blocks of one antidiagonal. A thread computes 16 of them at
once, a lane a block: element 16 x + l of the arrays of a group belongs to lane l. Lanes of blocks that the matrix
cuts off compute numbers beyond it, which nobody reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.cpu.phases import PhaseClock, time_ms
from antidiag.kernels.cpu.simd import (
    LANES,
    acquire,
    add,
    any_lane,
    greater,
    load,
    maximum,
    release,
    splat,
    store,
    subtract,
)
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines.borders import BlockBorders, block_borders
from antidiag.kernels.pairwise.baselines.cpu_levels import Levels, all_reach, border, compute, share_of
from antidiag.kernels.pairwise.baselines.sizes import WALK_STEPS, Span, block_worker_bytes, blocks, extent_of
from antidiag.kernels.pairwise.encoding import NEGATIVE, Encoded, encode, tiny_pair
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import BlockParameters
from antidiag.kernels.pairwise.records import Costs, costs_of
from antidiag.kernels.pairwise.strips.cpu_sizes import WORD
from antidiag.kernels.pairwise.strips.path import FROM_DIAGONAL, FROM_E, FROM_F, finished
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps

ABOVE_H, ABOVE_E, BESIDE_H, BESIDE_F, ROW_F, EDGES = 0, 1, 2, 3, 4, 5
"""Rows of ``edge``, int32 (5, 16 (s + 1)): H and E above each column, from element 16 on, with the corner before them;
H and F on the left of each row; F of the row that is computed."""


class Letters(NamedTuple):
    """What is aligned: letters of the rows, as offsets into ``table`` (flat), and of the columns."""

    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    costs: Costs


class Matrix(NamedTuple):
    """Every value; int32, (m, n) each."""

    H: np.ndarray
    E: np.ndarray
    F: np.ndarray


class Block(NamedTuple):
    """A block: the rows above it, the columns on its left, and its size, in cells."""

    top: int
    left: int
    height: int
    width: int


class Group(NamedTuple):
    """Neighbouring blocks of a level, a lane each: the row of blocks of the first one, and how many they are."""

    level: int
    first: int
    blocks: int


class Room(NamedTuple):
    """Where a thread computes a group: int32 scores (16 s) of a row of its blocks, and their ``edge`` (see EDGES)."""

    scores: np.ndarray
    edge: np.ndarray


def blocked_antidiagonal(
    problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """The best alignment: every value of the matrix is stored, and the path is walked back over them."""
    pair = encode(problem)
    times_ms = {"compilation": time_ms(lambda: _compiled(True)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    stored = np.empty((3, pair.rows.size, pair.columns.size), np.int32)
    matrix, chosen = Matrix(*stored), typed(BlockParameters, parameters)
    levels, nbytes = _compute(pair, chosen, matrix, _no_borders(), monitor, steps, clock.started_ns)
    score, end = levels.best_cell() if pair.local else (int(matrix.H[-1, -1]), matrix.H.shape)
    clock.phase("phase 1")
    alignment, path_bytes = _walk(pair, matrix, end, monitor)
    clock.phase("phase 2")
    return Outcome(PairAnswer(score, alignment.end, alignment), times_ms, nbytes + stored.nbytes + path_bytes)


def enhanced_ba(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best score and the cell where it ends; only block borders are stored."""
    pair = encode(problem)
    times_ms = {"compilation": time_ms(lambda: _compiled(False)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    chosen = typed(BlockParameters, parameters)
    borders = block_borders(pair, chosen.s)
    levels, nbytes = _compute(pair, chosen, None, borders, monitor, steps, clock.started_ns)
    m, n = pair.rows.size, pair.columns.size
    score, end = levels.best_cell() if pair.local else (int(borders.above[0, n - 1]), (m, n))
    clock.phase("phase 1")
    return Outcome(pair.answer(score, end), times_ms, nbytes + sum(array.nbytes for array in borders))


def _no_borders() -> BlockBorders:
    return BlockBorders(np.empty((2, 0), np.int32), np.empty((2, 0), np.int32), np.empty(0, np.int32))


def _letters(pair: Encoded) -> Letters:
    return Letters(pair.rows * np.uint16(pair.letters), pair.columns, pair.table.ravel(), costs_of(pair))


def _compute(
    pair: Encoded,
    parameters: BlockParameters,
    matrix: Matrix | None,
    borders: BlockBorders,
    monitor: Monitor,
    steps: Steps,
    started_ns: int,
) -> tuple[Levels, int]:
    """All blocks; the levels with their best cells, and the bytes that were used beside matrix and borders."""
    s, workers = parameters.s, parameters.threads
    m, n = pair.rows.size, pair.columns.size
    grid, letters = blocks(m, n, s), _letters(pair)
    levels = Levels(pair, grid.levels, workers)

    def advance(worker: int, level: int) -> None:
        advance_blocks(letters, matrix, borders, s, levels.best[worker], levels.progress_of(worker), level)

    def extent(numbers: np.ndarray, worker: int) -> tuple[Span, Span]:
        low, high = share_of.py_func(*grid.span(numbers), worker, workers)
        return extent_of(numbers, low, high, s, (m, n))

    compute(levels, advance, extent, grid.before, monitor, steps, started_ns)
    letter_bytes = sum(array.nbytes for array in (pair.rows, pair.columns, letters.rows))
    return levels, letter_bytes + block_worker_bytes(workers, s)


@inlined
def block_at(p, q, s, m, n):
    """Block (p, q) of a matrix of m x n cells."""
    top, left = p * s, q * s
    return Block(top, left, min(s, m - top), min(s, n - left))


@inlined
def enter_from_matrix(H, E, F, costs, block, lane, edge):
    """Fetch what surrounds a block from the whole matrix; on its border values are computed."""
    top, left, height, width = block
    for c in range(width):
        edge[ABOVE_H, (c + 1) * LANES + lane] = H[top - 1, left + c] if top > 0 else border(left + c + 1, costs)
        edge[ABOVE_E, (c + 1) * LANES + lane] = E[top - 1, left + c] if top > 0 else NEGATIVE
    for r in range(height):
        edge[BESIDE_H, r * LANES + lane] = H[top + r, left - 1] if left > 0 else border(top + r + 1, costs)
        edge[BESIDE_F, r * LANES + lane] = F[top + r, left - 1] if left > 0 else NEGATIVE
    edge[ABOVE_H, lane] = H[top - 1, left - 1] if top > 0 and left > 0 else border(max(top, left), costs)


@inlined
def enter_from_borders(above, beside, corner, block, lane, edge):
    """Fetch what surrounds a block from the borders of its neighbours."""
    top, left, height, width = block
    edge[ABOVE_H, lane] = corner
    for c in range(width):
        edge[ABOVE_H, (c + 1) * LANES + lane] = above[0, left + c]
        edge[ABOVE_E, (c + 1) * LANES + lane] = above[1, left + c]
    for r in range(height):
        edge[BESIDE_H, r * LANES + lane] = beside[0, top + r]
        edge[BESIDE_F, r * LANES + lane] = beside[1, top + r]


@inlined
def leave_to_borders(above, beside, block, s, lane, edge):
    """Put the last column of a block where its neighbour finds it, and the last row of those that are not cut."""
    top, left, height, width = block
    for r in range(height):
        beside[0, top + r] = edge[BESIDE_H, r * LANES + lane]
        beside[1, top + r] = edge[BESIDE_F, r * LANES + lane]
    if height == s:
        leave_row(above, left, width, lane, edge)


@inlined
def leave_row(above, left, width, lane, edge):
    """Put a row of a block where the blocks below find it."""
    for c in range(width):
        above[0, left + c] = edge[ABOVE_H, (c + 1) * LANES + lane]
        above[1, left + c] = edge[ABOVE_E, (c + 1) * LANES + lane]


@inlined
def keep_best(best, edge, lane, row, left, width):
    """Bring a row of a block into ``best`` by the tie rule."""
    for c in range(width):
        score = np.int64(edge[ABOVE_H, (c + 1) * LANES + lane])
        column = left + c + 1
        equal = score == best[0] and (row < best[1] or (row == best[1] and column < best[2]))
        if score > best[0] or equal:
            best[0] = score
            best[1] = row
            best[2] = column


@inlined
def compute_row(r, s, scores, edge, costs):
    """Row ``r`` of 16 blocks; what surrounds them becomes that of the rows below. The greatest H of each."""
    open_extend, extend, floor = splat(costs.open_extend), splat(costs.extend), splat(costs.floor)
    diagonal, h, f = load(edge[ABOVE_H], 0), load(edge[BESIDE_H], r * LANES), load(edge[BESIDE_F], r * LANES)
    store(edge[ABOVE_H], 0, h)
    greatest, t = floor, h
    for c in range(s):
        place = (c + 1) * LANES
        above_h = load(edge[ABOVE_H], place)
        e = maximum(subtract(load(edge[ABOVE_E], place), extend), subtract(above_h, open_extend))
        f = maximum(subtract(f, extend), subtract(t, open_extend))
        t = maximum(maximum(add(diagonal, load(scores, c * LANES)), e), floor)
        h = maximum(t, f)
        store(edge[ABOVE_H], place, h)
        store(edge[ABOVE_E], place, e)
        store(edge[ROW_F], place, f)
        diagonal, greatest = above_h, maximum(greatest, h)
    store(edge[BESIDE_H], r * LANES, h)
    store(edge[BESIDE_F], r * LANES, f)
    return greatest


@inlined
def compute_blocks(letters, matrix, above, s, best, group, room):
    """The cells of a group of blocks, row by row."""
    row_letters, column_letters, table, costs = letters
    level, first, count = group
    scores, edge = room
    if matrix is not None:
        H, E, F = matrix
    m, n = row_letters.size, column_letters.size
    for r in range(s):
        for lane in range(count):
            top, left = (first + lane) * s, (level - first - lane) * s
            if top + r < m:
                letter = row_letters[top + r]
                for c in range(min(s, n - left)):
                    scores[c * LANES + lane] = table[letter + column_letters[left + c]]
        greatest = compute_row(r, s, scores, edge, costs)
        cut = count - 1
        if matrix is None and (first + cut) * s + r == m - 1 and r < s - 1:
            left = (level - first - cut) * s
            leave_row(above, left, min(s, n - left), cut, edge)
        improved = any_lane(greater(greatest, splat(np.int32(max(best[0] - 1, 0)))))
        if improved or matrix is not None:
            for lane in range(count):
                row, left = (first + lane) * s + r, (level - first - lane) * s
                width = min(s, n - left) if row < m else 0
                if improved:
                    keep_best(best, edge, lane, row + 1, left, width)
                if matrix is not None:
                    for c in range(width):
                        H[row, left + c] = edge[ABOVE_H, (c + 1) * LANES + lane]
                        E[row, left + c] = edge[ABOVE_E, (c + 1) * LANES + lane]
                        F[row, left + c] = edge[ROW_F, (c + 1) * LANES + lane]


@compiled
def advance_blocks(letters, matrix, borders, s, best, progress, until):
    """Compute a worker's blocks of the levels before ``until``, or until told to stop."""
    above, beside, corners = borders
    if matrix is not None:
        H, E, F = matrix
    words, worker, stop = progress
    m, n, workers = letters.rows.size, letters.columns.size, words.size // WORD
    block_rows, block_columns = -(-m // s), -(-n // s)
    edge = np.zeros((EDGES, (s + 1) * LANES), np.int32)
    room = Room(np.zeros(s * LANES, np.int32), edge)
    level = words[worker * WORD]
    while level < until and all_reach(words, level, stop):
        low, high = max(level - block_columns + 1, 0), min(level, block_rows - 1) + 1
        first, end = share_of(low, high, worker, workers)
        for group in range(first, end, LANES):
            if acquire(stop, 0) != 0:
                return
            count = min(LANES, end - group)
            for lane in range(count):
                p, q = group + lane, level - group - lane
                block = block_at(p, q, s, m, n)
                if matrix is None:
                    enter_from_borders(above, beside, corners[block_rows - 1 - p + q], block, lane, edge)
                else:
                    enter_from_matrix(H, E, F, letters.costs, block, lane, edge)
            compute_blocks(letters, matrix, above, s, best, Group(level, group, count), room)
            if matrix is None:
                for lane in range(count):
                    p, q = group + lane, level - group - lane
                    corners[block_rows - 1 - p + q] = edge[ABOVE_H, s * LANES + lane]
                    leave_to_borders(above, beside, block_at(p, q, s, m, n), s, lane, edge)
        level += 1
        release(words, worker * WORD, level)


def _walk(pair: Encoded, matrix: Matrix, end: tuple[int, int], monitor: Monitor) -> tuple[Alignment, int]:
    """The path that ends there, and the bytes that finding it took."""
    operations = np.empty(sum(end), np.uint8)
    place = np.array([*end, FROM_DIAGONAL, 0], np.int64)
    letters = _letters(pair)
    while not walk_values(matrix, letters, place, operations, WALK_STEPS):
        monitor.update(int(place[3]), operations.size, "phase 2")
    row, column, _, count = (int(number) for number in place)
    return finished(pair, (row, column), end, operations[:count]), 2 * operations.nbytes + letters.rows.nbytes


@compiled
def walk_values(matrix, letters, place, operations, most):
    """Walk back over the values of a matrix for at most so many steps; whether the walk is over.

    ``place`` int64: row, column, where the path comes from (FROM_DIAGONAL: not in a gap), operations so far; updated.
    A global walk is over at the border: what is left is one gap.
    """
    H, E, F = matrix
    row_letters, column_letters, table, costs = letters
    row, column, came, count = place[0], place[1], place[2], place[3]
    over = False
    for _ in range(most):
        over = row == 0 or column == 0 or (came == FROM_DIAGONAL and costs.floor == 0 and H[row - 1, column - 1] == 0)
        if over:
            break
        h, e, f = H[row - 1, column - 1], E[row - 1, column - 1], F[row - 1, column - 1]
        if came == FROM_DIAGONAL:
            inside = row > 1 and column > 1
            diagonal = H[row - 2, column - 2] if inside else border(max(row, column) - 1, costs)
            if h == diagonal + table[row_letters[row - 1] + column_letters[column - 1]]:
                operations[count] = DIAGONAL
                row, column, count = row - 1, column - 1, count + 1
            else:
                came = FROM_E if h == e else FROM_F
        elif came == FROM_E:
            above = H[row - 2, column - 1] if row > 1 else border(column, costs)
            operations[count] = UP
            row, count = row - 1, count + 1
            came = FROM_DIAGONAL if e == above - costs.open_extend else FROM_E
        else:
            beside = H[row - 1, column - 2] if column > 1 else border(row, costs)
            operations[count] = LEFT
            column, count = column - 1, count + 1
            came = FROM_DIAGONAL if f == beside - costs.open_extend else FROM_F
    place[0], place[1], place[2], place[3] = row, column, came, count
    return over


@cache
def _compiled(whole: bool) -> None:
    """Compile, or load from the cache folder, by running on a tiny pair."""
    pair = tiny_pair()
    parameters, matrix = BlockParameters(s=1, threads=1), Matrix(*np.zeros((3, 1, 1), np.int32))
    borders = _no_borders() if whole else block_borders(pair, 1)
    _compute(pair, parameters, matrix if whole else None, borders, Monitor(), Steps(), 0)
    if whole:
        _walk(pair, matrix, (1, 1), Monitor())
