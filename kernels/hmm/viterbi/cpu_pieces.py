"""Viterbi in pieces of the sequence that run in parallel: by a tree of products, or by guessing and correcting.

Both compute every row up to a constant, which is all that the path needs.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, LoggedCells
from antidiag.kernels.hmm.rows import cpu_rows
from antidiag.kernels.hmm.rows.cpu_tables import HmmTables, build_tiny_tables
from antidiag.kernels.hmm.sizes import split_pieces


def make_tiny_tables() -> HmmTables:
    """Return a model of two states that never forgets its start, and a sequence of four letters."""
    return build_tiny_tables(np.inf, np.array([0.0, 1.0]), np.array([[1.0, 9.0], [9.0, 1.0]]), 0.0)


def stack_row_on_identity(model: HmmTables, row: np.ndarray) -> np.ndarray:
    """Stack a row on the (min, +) identity, padded to whole bands."""
    height = -(-(model.states + 1) // cpu_rows.BAND) * cpu_rows.BAND
    matrix = np.full((height, model.width), np.inf)
    matrix[0] = row
    numbers = np.arange(model.states)
    matrix[1 + numbers, numbers] = 0.0
    return matrix


def fill_rows_by_correction(model: HmmTables, rows: np.ndarray, piece: int, phase: CpuPhase) -> None:
    """Compute the rows of every piece from a guessed start, then again from the end of the piece before, while that
    changes.

    A correction stops at the first row that is parallel to the guessed one, which for most models is soon; in the worst
    case, there are as many rounds as pieces.
    """
    parts, width, stop = split_pieces(len(model.seen), piece), model.width, phase.run.stop
    starts = np.zeros((len(parts), width))
    starts[:, model.states :] = np.inf
    if parts:
        starts[0] = model.initial
    firsts, reached = [first for first, _ in parts], [first for first, _ in parts]

    def compute_guessed(worker: int, number: int) -> None:
        reached[number] = cpu_rows.compute_rows(starts[number], rows, model, *parts[number], stop)

    def correct_piece(worker: int, number: int) -> None:
        first, last = parts[number]
        reached[number] = min(cpu_rows.correct_rows(starts[number], rows, model, first, last, stop), last)

    def cells_of_piece(number: int) -> LoggedCells:
        return LoggedCells((0, model.states), (firsts[number], reached[number]), number)

    phase.share_tasks(
        range(len(parts)), compute_guessed, cells_of_piece, lambda: phase.report(sum(reached) - sum(firsts))
    )
    while wrong := _find_wrong_starts(parts, starts, rows, width):
        for number in wrong:
            starts[number] = rows[firsts[number] * width : (firsts[number] + 1) * width]
        phase.share_tasks(wrong, correct_piece, cells_of_piece, phase.run.monitor.check)


def _find_wrong_starts(parts: list[tuple[int, int]], starts: np.ndarray, rows: np.ndarray, width: int) -> list[int]:
    """Find the pieces whose start is not parallel to the last row of the piece before."""
    return [
        number
        for number in range(1, len(parts))
        if not cpu_rows.call_are_parallel(starts[number], rows, parts[number][0] * width, width)
    ]


def fill_rows_by_tree(model: HmmTables, rows: np.ndarray, piece: int, phase: CpuPhase) -> None:
    """Multiply the matrices of pieces, join products in a tree, compute starts from the top down, then all rows."""
    parts, stop = split_pieces(len(model.seen), piece), phase.run.stop
    leaves, finished = [np.empty((0, 0))] * len(parts), [0] * len(parts)
    nothing = np.full(model.width, np.inf)

    def multiply_piece(worker: int, number: int) -> None:
        product, (first, last) = stack_row_on_identity(model, nothing), parts[number]
        cpu_rows.multiply_letter_matrices(product.reshape(-1), model, first, last, False, False, rows, stop)
        leaves[number], finished[number] = product, last - first

    def compute_piece(worker: int, number: int) -> None:
        cpu_rows.compute_rows(starts[number], rows, model, *parts[number], stop)

    phase.share_tasks(
        range(len(parts)),
        multiply_piece,
        lambda number: LoggedCells((0, len(leaves[number])), parts[number], number),
        lambda: phase.report(sum(finished)),
    )
    levels = [leaves]
    while len(levels[-1]) > 1:
        levels.append(_join_pairs(levels[-1], model, phase))
    starts = _compute_starts_down(levels, model)
    phase.share_tasks(
        range(len(parts)),
        compute_piece,
        lambda number: LoggedCells((0, model.states), parts[number], number),
        phase.run.monitor.check,
    )


def _join_pairs(below: list[np.ndarray], model: HmmTables, phase: CpuPhase) -> list[np.ndarray]:
    """Return the next level of the tree of products; a node without a partner goes up unchanged."""
    above = below[::2]

    def join_pair(worker: int, number: int) -> None:
        above[number] = _multiply_nodes(below[2 * number], below[2 * number + 1], model)

    phase.share_tasks(
        range(len(below) // 2),
        join_pair,
        lambda number: LoggedCells((0, len(above[number])), (0, model.states), number),
        phase.run.monitor.check,
    )
    return above


def _multiply_nodes(left: np.ndarray, right: np.ndarray, model: HmmTables) -> np.ndarray:
    """Multiply two nodes; both have a row of nothing above the states."""
    product = np.empty_like(left)
    cpu_rows.call_multiply_matrices(
        left.reshape(-1), right[1:].reshape(-1), product.reshape(-1), len(left), model.width, model.states
    )
    return product


def _compute_starts_down(levels: list[list[np.ndarray]], model: HmmTables) -> np.ndarray:
    """Return the row before each piece: a left child starts where its parent does, a right one behind the left."""
    starts = [model.initial]
    for level in levels[-2::-1]:
        below = []
        for number, start in enumerate(starts):
            below.append(start)
            if 2 * number + 1 < len(level):
                row = np.empty(model.width)
                left = level[2 * number][1:].reshape(-1)
                cpu_rows.call_multiply_row(start, left, model.width, model.states, row, 0)
                below.append(row)
        starts = below
    return np.array(starts)
