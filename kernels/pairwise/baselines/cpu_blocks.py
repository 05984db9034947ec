"""BlockedAntidiagonal and EnhancedBA on the CPU (Li et al. 2012, section III).

Threads share each antidiagonal of s x s blocks. A block needs the row above it (H and E), the column on its left (H
and F) and the corner between them. The two methods differ in where these come from and in what they keep of a block:

    BlockedAntidiagonal   every H, E and F of the matrix is kept, int32 (3, m, n); the path is traced over them
    EnhancedBA            ``above`` int32 (2, n): H and E of the lowest finished row of each column;
                          ``beside`` int32 (2, m): H and F of the last finished column of each row;
                          ``corners`` int32: H of the corner of each diagonal of blocks, which both others have lost

With two-piece gap costs, E and F of the second piece are kept beside those of the first: in two more matrices, and in a
third row of ``above`` and ``beside``.

Blocks are numbered (p, q) from 0; level p + q holds the blocks of one antidiagonal. A thread computes 16 of them at
once, one block a lane: element 16 x + l of the arrays of a group belongs to lane l. Lanes of blocks that the matrix
cuts off compute numbers beyond it, which nobody reads.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cpu.progress_words import wait_until_all_reached
from antidiag.kernels.cpu.simd import (
    LANES,
    add,
    any_lane,
    greater_lanes,
    load,
    load_acquire,
    maximum,
    splat,
    store,
    store_release,
    subtract,
)
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines.block_borders import BlockBorders, initial_block_borders
from antidiag.kernels.pairwise.baselines.cpu_level_barrier import (
    LevelRun,
    border_score,
    run_levels,
    update_best_cell,
    worker_range,
)
from antidiag.kernels.pairwise.baselines.sizes import (
    WALK_STEPS,
    Span,
    block_worker_bytes,
    make_block_grid,
    matrix_extent,
)
from antidiag.kernels.pairwise.encoding import NEGATIVE, EncodedPair, encode_pair, make_tiny_pair
from antidiag.kernels.pairwise.kernel_records import PairCosts, pair_costs, second_piece
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import AntidiagonalBlocks
from antidiag.kernels.pairwise.strips.start_states import (
    FROM_DIAGONAL,
    FROM_E,
    FROM_E2,
    FROM_F,
    FROM_F2,
    finish_path,
)
from antidiag.kernels.steps import StepLog

ABOVE_H, ABOVE_E, BESIDE_H, BESIDE_F, ROW_F, EDGES = 0, 1, 2, 3, 4, 5
"""Rows of ``edge``, int32 (5, 16 (s + 1)): H and E above each column, from element 16 on, with the corner before them;
H and F on the left of each row; F of the row that is computed."""
ABOVE_E2, BESIDE_F2, ROW_F2, TWO_PIECE_EDGES = 5, 6, 7, 8
"""The same of the second piece of gap costs, where there is one."""


class BlockInputs(NamedTuple):
    """The encoded sequences: row letters as offsets into ``table`` (flat), and column letters."""

    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    costs: PairCosts


class StoredMatrix(NamedTuple):
    """All values of the matrix; int32, (m, n) each."""

    H: np.ndarray
    E: np.ndarray
    F: np.ndarray


class SecondMatrix(NamedTuple):
    """E and F of the second piece of gap costs, as `StoredMatrix` has those of the first."""

    E: np.ndarray
    F: np.ndarray


class MatrixBlock(NamedTuple):
    """A block of the matrix: the rows above it, the columns on its left, and its size, in cells."""

    top: int
    left: int
    height: int
    width: int


class BlockGroup(NamedTuple):
    """Neighbouring blocks of a level, one a lane: the block row of the first one, and their number."""

    level: int
    first: int
    blocks: int


class BlockWorkspace(NamedTuple):
    """Work space of a thread: int32 scores (16 s) of a row of its blocks, and their ``edge`` (see EDGES)."""

    scores: np.ndarray
    edge: np.ndarray


def blocked_antidiagonal(
    problem: PairProblem, parameters: AntidiagonalBlocks, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the best alignment by BlockedAntidiagonal: all values are stored, and the path is traced over them."""
    pair = encode_pair(problem)
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_kernels, True, pair.second is not None)
    stored = np.empty((1 + 2 * len(pair.gap_pieces), pair.rows.size, pair.columns.size), np.int32)
    matrix, second_matrix = StoredMatrix(*stored[:3]), SecondMatrix(*stored[3:]) if pair.second else None
    levels, nbytes = _run_blocks(run, pair, parameters, matrix, second_matrix, _make_empty_borders())
    score, end = levels.best_end(matrix.H[-1], matrix.H[:, -1])
    alignment, path_bytes = _trace_path(run, pair, matrix, second_matrix, end)
    return Outcome(PairAnswer(score, alignment.end, alignment), run.times_ms, nbytes + stored.nbytes + path_bytes)


def enhanced_ba(problem: PairProblem, parameters: AntidiagonalBlocks, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best score and its end cell by EnhancedBA; only block borders are stored."""
    pair = encode_pair(problem)
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_kernels, False, pair.second is not None)
    borders = _make_initial_borders(pair, parameters.s)
    levels, nbytes = _run_blocks(run, pair, parameters, None, None, borders)
    score, end = levels.best_end(borders.above[0], borders.last_column)
    return Outcome(pair.make_answer(score, end), run.times_ms, nbytes + sum(array.nbytes for array in borders))


def _make_empty_borders() -> BlockBorders:
    return BlockBorders(*np.empty((2, 2, 0), np.int32), *np.empty((2, 0), np.int32))


def _make_initial_borders(pair: EncodedPair, s: int) -> BlockBorders:
    """Return the borders of EnhancedBA; what is beside a block that the matrix cuts lies beyond the last column."""
    return initial_block_borders(pair, s)._replace(last_column=np.zeros(pair.rows.size, np.int32))


def _prepare_letters(pair: EncodedPair) -> BlockInputs:
    return BlockInputs(pair.rows * np.uint16(pair.letter_count), pair.columns, pair.table.ravel(), pair_costs(pair))


def _run_blocks(
    run: CpuRun,
    pair: EncodedPair,
    parameters: AntidiagonalBlocks,
    matrix: StoredMatrix | None,
    second_matrix: SecondMatrix | None,
    borders: BlockBorders,
) -> tuple[LevelRun, int]:
    """Compute all blocks; return the level run with its best cells, and the bytes used beside matrix and borders."""
    s, m, n = parameters.s, pair.rows.size, pair.columns.size
    grid, letters = make_block_grid(m, n, s), _prepare_letters(pair)
    levels = LevelRun(run, pair, grid.level_count)

    def extent(numbers: np.ndarray, worker: int) -> tuple[Span, Span]:
        low, high = worker_range(*grid.row_span(numbers), worker, run.threads)
        return matrix_extent(numbers, low, high, s, (m, n))

    advance = partial(advance_blocks, letters, matrix, borders, s, second_piece(pair), second_matrix)
    run_levels(levels, advance, extent, grid.count_before)
    letter_bytes = sum(array.nbytes for array in (pair.rows, pair.columns, letters.rows))
    return levels, letter_bytes + block_worker_bytes(run.threads, s, len(pair.gap_pieces))


@inline_njit
def block_at(p, q, s, m, n):
    """Return block (p, q) of a matrix of m x n cells."""
    top, left = p * s, q * s
    return MatrixBlock(top, left, min(s, m - top), min(s, n - left))


@inline_njit
def load_edges_from_matrix(H, E, F, costs, block, lane, edge, second, second_matrix):
    """Load the values around a block from the whole matrix; on the matrix border they are computed."""
    top, left, height, width = block
    for c in range(width):
        place, column = (c + 1) * LANES + lane, left + c
        edge[ABOVE_H, place] = H[top - 1, column] if top > 0 else border_score(0, column + 1, costs, second)
        edge[ABOVE_E, place] = E[top - 1, column] if top > 0 else NEGATIVE
        if second_matrix is not None:
            edge[ABOVE_E2, place] = second_matrix.E[top - 1, column] if top > 0 else NEGATIVE
    for r in range(height):
        place, row = r * LANES + lane, top + r
        edge[BESIDE_H, place] = H[row, left - 1] if left > 0 else border_score(row + 1, 0, costs, second)
        edge[BESIDE_F, place] = F[row, left - 1] if left > 0 else NEGATIVE
        if second_matrix is not None:
            edge[BESIDE_F2, place] = second_matrix.F[row, left - 1] if left > 0 else NEGATIVE
    edge[ABOVE_H, lane] = H[top - 1, left - 1] if top > 0 and left > 0 else border_score(top, left, costs, second)


@inline_njit
def load_edges_from_borders(above, beside, corner, block, lane, edge, second):
    """Load the values around a block from the borders that its neighbours left."""
    top, left, height, width = block
    edge[ABOVE_H, lane] = corner
    for c in range(width):
        edge[ABOVE_H, (c + 1) * LANES + lane] = above[0, left + c]
        edge[ABOVE_E, (c + 1) * LANES + lane] = above[1, left + c]
        if second is not None:
            edge[ABOVE_E2, (c + 1) * LANES + lane] = above[2, left + c]
    for r in range(height):
        edge[BESIDE_H, r * LANES + lane] = beside[0, top + r]
        edge[BESIDE_F, r * LANES + lane] = beside[1, top + r]
        if second is not None:
            edge[BESIDE_F2, r * LANES + lane] = beside[2, top + r]


@inline_njit
def store_borders(above, beside, block, s, lane, edge, second):
    """Store the last column of a block for its neighbour, and the last row of a block that is not cut."""
    top, left, height, width = block
    for r in range(height):
        beside[0, top + r] = edge[BESIDE_H, r * LANES + lane]
        beside[1, top + r] = edge[BESIDE_F, r * LANES + lane]
        if second is not None:
            beside[2, top + r] = edge[BESIDE_F2, r * LANES + lane]
    if height == s:
        store_bottom_row(above, left, width, lane, edge, second)


@inline_njit
def store_bottom_row(above, left, width, lane, edge, second):
    """Store a row of a block for the blocks below it."""
    for c in range(width):
        above[0, left + c] = edge[ABOVE_H, (c + 1) * LANES + lane]
        above[1, left + c] = edge[ABOVE_E, (c + 1) * LANES + lane]
        if second is not None:
            above[2, left + c] = edge[ABOVE_E2, (c + 1) * LANES + lane]


@inline_njit
def compute_row(r, s, scores, edge, costs, second):
    """Compute row ``r`` of 16 blocks, update the values around the next row, and return the greatest H of each."""
    open_extend, extend, floor = splat(costs.open_extend), splat(costs.extend), splat(costs.floor)
    diagonal, h, f = load(edge[ABOVE_H], 0), load(edge[BESIDE_H], r * LANES), load(edge[BESIDE_F], r * LANES)
    store(edge[ABOVE_H], 0, h)
    greatest, t = floor, h
    if second is not None:
        second_opening, second_extend = splat(second.open_extend), splat(second.extend)
        f_second, u = load(edge[BESIDE_F2], r * LANES), h
    for c in range(s):
        place = (c + 1) * LANES
        above_h = load(edge[ABOVE_H], place)
        e = maximum(subtract(load(edge[ABOVE_E], place), extend), subtract(above_h, open_extend))
        if second is None:
            f = maximum(subtract(f, extend), subtract(t, open_extend))
        else:
            f = maximum(subtract(f, extend), subtract(u, open_extend))
            f_second = maximum(subtract(f_second, second_extend), subtract(t, second_opening))
        t = maximum(maximum(add(diagonal, load(scores, c * LANES)), e), floor)
        if second is not None:
            e_second = load(edge[ABOVE_E2], place)
            e_second = maximum(subtract(e_second, second_extend), subtract(above_h, second_opening))
            t = maximum(t, e_second)
            u = maximum(t, f_second)
            store(edge[ABOVE_E2], place, e_second)
            store(edge[ROW_F2], place, f_second)
            h = maximum(u, f)
        else:
            h = maximum(t, f)
        store(edge[ABOVE_H], place, h)
        store(edge[ABOVE_E], place, e)
        store(edge[ROW_F], place, f)
        diagonal, greatest = above_h, maximum(greatest, h)
    store(edge[BESIDE_H], r * LANES, h)
    store(edge[BESIDE_F], r * LANES, f)
    if second is not None:
        store(edge[BESIDE_F2], r * LANES, f_second)
    return greatest


@inline_njit
def compute_blocks(letters, matrix, above, last_column, s, best, group, room, second, second_matrix):
    """Compute the cells of a group of blocks, row by row."""
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
        greatest = compute_row(r, s, scores, edge, costs, second)
        cut = count - 1
        if matrix is None and (first + cut) * s + r == m - 1 and r < s - 1:
            left = (level - first - cut) * s
            store_bottom_row(above, left, min(s, n - left), cut, edge, second)
        rightmost = level - first - (n - 1) // s
        if matrix is None and 0 <= rightmost < count and (first + rightmost) * s + r < m:
            last_column[(first + rightmost) * s + r] = edge[ABOVE_H, (n - (n - 1) // s * s) * LANES + rightmost]
        improved = any_lane(greater_lanes(greatest, splat(np.int32(max(best[0] - 1, 0)))))
        if improved or matrix is not None:
            for lane in range(count):
                row, left = (first + lane) * s + r, (level - first - lane) * s
                width = min(s, n - left) if row < m else 0
                if improved:
                    for c in range(width):
                        update_best_cell(best, np.int64(edge[ABOVE_H, (c + 1) * LANES + lane]), row + 1, left + c + 1)
                if matrix is not None:
                    for c in range(width):
                        H[row, left + c] = edge[ABOVE_H, (c + 1) * LANES + lane]
                        E[row, left + c] = edge[ABOVE_E, (c + 1) * LANES + lane]
                        F[row, left + c] = edge[ROW_F, (c + 1) * LANES + lane]
                if second_matrix is not None:
                    for c in range(width):
                        second_matrix.E[row, left + c] = edge[ABOVE_E2, (c + 1) * LANES + lane]
                        second_matrix.F[row, left + c] = edge[ROW_F2, (c + 1) * LANES + lane]


@cached_njit
def advance_blocks(letters, matrix, borders, s, second, second_matrix, best, progress, until):
    """Compute a worker's blocks of the levels before ``until``; return early on stop."""
    above, beside, corners, last_column = borders
    if matrix is not None:
        H, E, F = matrix
    words, worker, stop = progress
    m, n, workers = letters.rows.size, letters.columns.size, words.size // WORD_STRIDE
    block_rows, block_columns = -(-m // s), -(-n // s)
    edge = np.zeros((EDGES if second is None else TWO_PIECE_EDGES, (s + 1) * LANES), np.int32)
    room = BlockWorkspace(np.zeros(s * LANES, np.int32), edge)
    level = words[worker * WORD_STRIDE]
    while level < until and wait_until_all_reached(words, level, stop):
        low, high = max(level - block_columns + 1, 0), min(level, block_rows - 1) + 1
        first, end = worker_range(low, high, worker, workers)
        for group in range(first, end, LANES):
            if load_acquire(stop, 0) != 0:
                return
            count = min(LANES, end - group)
            for lane in range(count):
                p, q = group + lane, level - group - lane
                block = block_at(p, q, s, m, n)
                if matrix is None:
                    corner = corners[block_rows - 1 - p + q]
                    load_edges_from_borders(above, beside, corner, block, lane, edge, second)
                else:
                    load_edges_from_matrix(H, E, F, letters.costs, block, lane, edge, second, second_matrix)
            blocks = BlockGroup(level, group, count)
            compute_blocks(letters, matrix, above, last_column, s, best, blocks, room, second, second_matrix)
            if matrix is None:
                for lane in range(count):
                    p, q = group + lane, level - group - lane
                    corners[block_rows - 1 - p + q] = edge[ABOVE_H, s * LANES + lane]
                    store_borders(above, beside, block_at(p, q, s, m, n), s, lane, edge, second)
        level += 1
        store_release(words, worker * WORD_STRIDE, level)


def _trace_path(
    run: CpuRun, pair: EncodedPair, matrix: StoredMatrix, second_matrix: SecondMatrix | None, end: Span
) -> tuple[Alignment, int]:
    """Return the path that ends in a cell, and the bytes that tracing it took; this is phase 2."""
    operations = np.empty(sum(end), np.uint8)
    place = np.array([*end, FROM_DIAGONAL, 0], np.int64)
    with run.phase("phase 2", operations.size) as phase:
        letters, second = _prepare_letters(pair), second_piece(pair)
        while not trace_stored_values(matrix, letters, place, operations, WALK_STEPS, second, second_matrix):
            phase.report(int(place[3]))
        row, column, _, count = (int(number) for number in place)
        alignment = finish_path(pair, (row, column), end, operations[:count])
    return alignment, 2 * operations.nbytes + letters.rows.nbytes


@cached_njit
def trace_stored_values(matrix, letters, place, operations, most_steps, second, second_matrix):
    """Trace the path over stored values for at most ``most`` steps; return whether it is complete.

    ``place`` int64: row, column, where the path comes from (FROM_DIAGONAL: not in a gap), operations so far; updated.
    A global path is complete at the border of the matrix: what is left is one gap.
    """
    H, E, F = matrix
    row_letters, column_letters, table, costs = letters
    row, column, came, count = place[0], place[1], place[2], place[3]
    over = False
    for _ in range(most_steps):
        over = row == 0 or column == 0 or (came == FROM_DIAGONAL and costs.floor == 0 and H[row - 1, column - 1] == 0)
        if over:
            break
        h, e, f = H[row - 1, column - 1], E[row - 1, column - 1], F[row - 1, column - 1]
        if came == FROM_DIAGONAL:
            inside = row > 1 and column > 1
            diagonal = H[row - 2, column - 2] if inside else border_score(row - 1, column - 1, costs, second)
            if h == diagonal + table[row_letters[row - 1] + column_letters[column - 1]]:
                operations[count] = DIAGONAL
                row, column, count = row - 1, column - 1, count + 1
            else:
                came = FROM_E if h == e else FROM_F
                if second_matrix is not None and h != e:
                    came = FROM_E2 if h == second_matrix.E[row - 1, column - 1] else FROM_F if h == f else FROM_F2
        elif came in (FROM_E, FROM_E2):
            above = H[row - 2, column - 1] if row > 1 else border_score(0, column, costs, second)
            opens = e == above - costs.open_extend
            if second_matrix is not None and came == FROM_E2:
                opens = second_matrix.E[row - 1, column - 1] == above - second.open_extend
            operations[count] = UP
            row, count = row - 1, count + 1
            came = FROM_DIAGONAL if opens else came
        else:
            beside = H[row - 1, column - 2] if column > 1 else border_score(row, 0, costs, second)
            opens = f == beside - costs.open_extend
            if second_matrix is not None and came == FROM_F2:
                opens = second_matrix.F[row - 1, column - 1] == beside - second.open_extend
            operations[count] = LEFT
            column, count = column - 1, count + 1
            came = FROM_DIAGONAL if opens else came
    place[0], place[1], place[2], place[3] = row, column, came, count
    return over


def _compile_kernels(whole: bool, two_pieces: bool) -> None:
    """Compile the kernels, or load them from the cache folder, by running a tiny pair."""
    pair, parameters = make_tiny_pair(two_pieces=two_pieces), AntidiagonalBlocks(s=1, threads=1)
    if not whole:
        _run_blocks(CpuRun(), pair, parameters, None, None, _make_initial_borders(pair, 1))
        return
    matrix = StoredMatrix(*np.zeros((3, 1, 1), np.int32))
    second_matrix = SecondMatrix(*np.zeros((2, 1, 1), np.int32)) if two_pieces else None
    _run_blocks(CpuRun(), pair, parameters, matrix, second_matrix, _make_empty_borders())
    _trace_path(CpuRun(), pair, matrix, second_matrix, (1, 1))
