"""Viterbi in pieces of the sequence that run in parallel: by a tree of products, or by guessing and correcting.

Both compute every row up to a constant, which is all that the path needs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phase_times import PhaseLog
from antidiag.kernels.hmm.parameters import PieceParameters
from antidiag.kernels.hmm.rows import cpu_rows
from antidiag.kernels.hmm.rows.cpu_tables import HmmTables, build_tiny_tables
from antidiag.kernels.hmm.sizes import split_pieces
from antidiag.kernels.monitor import Monitor


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


LoggedTask = tuple[int, tuple[int, int], tuple[int, int]]
"""What a task has computed, for the step log: piece, states and letters."""


def _run_tasks(
    tasks: int,
    threads: int,
    task: Callable[[int], LoggedTask | None],
    stop: np.ndarray,
    poll: Callable[[], None],
    log: PhaseLog,
) -> None:
    """Run ``task(0)`` to ``task(tasks - 1)`` on threads; no more begin once ``stop`` is set."""

    def work(worker: int) -> None:
        for number in range(worker, tasks, threads):
            if stop[0]:
                return
            begun_ns = time.perf_counter_ns()
            if chunk := task(number):
                log.add_event(*chunk, worker, begun_ns)

    if tasks:
        workers.share_work(work, min(threads, tasks), stop, poll)


def fill_rows_by_correction(
    model: HmmTables, rows: np.ndarray, parameters: PieceParameters, monitor: Monitor, log: PhaseLog
) -> None:
    """Compute the rows of every piece from a guessed start, then again from the end of the piece before, while that
    changes.

    A correction stops at the first row that is parallel to the guessed one, which for most models is soon; in the worst
    case, there are as many rounds as pieces.
    """
    parts, width = split_pieces(len(model.seen), parameters.piece), model.width
    starts = np.zeros((len(parts), width))
    starts[:, model.states :] = np.inf
    if parts:
        starts[0] = model.initial
    stop, done = workers.make_stop_word(), np.zeros(max(1, len(parts)), np.int64)

    def compute_guessed(number: int) -> LoggedTask:
        done[number] = cpu_rows.compute_rows(starts[number], rows, model, *parts[number], stop) - parts[number][0]
        return number, (0, model.states), parts[number]

    def correct_piece(index: int) -> LoggedTask:
        number = wrong[index]
        first, last = parts[number]
        parallel = cpu_rows.correct_rows(starts[number], rows, model, first, last, stop)
        return number, (0, model.states), (first, min(parallel, last))

    threads, total = parameters.threads, len(model.seen) - 1
    report = lambda: monitor.update(int(done.sum()), total, "rows")  # noqa: E731
    _run_tasks(len(parts), threads, compute_guessed, stop, report, log)
    wrong = _find_wrong_starts(parts, starts, rows, width)
    while wrong:
        for number in wrong:
            starts[number] = rows[parts[number][0] * width : (parts[number][0] + 1) * width]
        _run_tasks(len(wrong), threads, correct_piece, stop, monitor.check, log)
        wrong = _find_wrong_starts(parts, starts, rows, width)


def _find_wrong_starts(parts: list[tuple[int, int]], starts: np.ndarray, rows: np.ndarray, width: int) -> list[int]:
    """Find the pieces whose start is not parallel to the last row of the piece before."""
    return [
        number
        for number in range(1, len(parts))
        if not cpu_rows.are_parallel(starts[number], rows, parts[number][0] * width, width)
    ]


def fill_rows_by_tree(
    model: HmmTables, rows: np.ndarray, parameters: PieceParameters, monitor: Monitor, log: PhaseLog
) -> None:
    """Multiply the matrices of pieces, join products in a tree, compute starts from the top down, then all rows."""
    parts, width, threads = split_pieces(len(model.seen), parameters.piece), model.width, parameters.threads
    stop, done = workers.make_stop_word(), np.zeros(max(1, len(parts)), np.int64)
    leaves = [np.empty((0, 0))] * len(parts)
    nothing = np.full(width, np.inf)

    def multiply_piece(number: int) -> LoggedTask:
        product = stack_row_on_identity(model, nothing)
        first, last = parts[number]
        cpu_rows.multiply_letter_matrices(product.reshape(-1), model, first, last, False, False, rows, stop)
        leaves[number] = product
        done[number] = last - first
        return number, (0, len(product)), (first, last)

    def compute_piece(number: int) -> LoggedTask:
        cpu_rows.compute_rows(starts[number], rows, model, *parts[number], stop)
        return number, (0, model.states), parts[number]

    total = len(model.seen) - 1
    report = lambda: monitor.update(int(done.sum()), total, "products")  # noqa: E731
    _run_tasks(len(parts), threads, multiply_piece, stop, report, log)
    levels = _multiply_up(leaves, model, threads, stop, monitor, log)
    starts = _compute_starts_down(levels, model)
    _run_tasks(len(parts), threads, compute_piece, stop, monitor.check, log)


def _multiply_up(
    leaves: list[np.ndarray], model: HmmTables, threads: int, stop: np.ndarray, monitor: Monitor, log: PhaseLog
) -> list[list[np.ndarray]]:
    """Return the levels of the tree of products, leaves first; a node without a partner goes up unchanged."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below, above = levels[-1], levels[-1][::2]

        def join_pair(
            number: int, below: list[np.ndarray] = below, above: list[np.ndarray] = above
        ) -> LoggedTask | None:
            if 2 * number + 1 == len(below):
                return None
            above[number] = _multiply_nodes(below[2 * number], below[2 * number + 1], model)
            return number, (0, len(above[number])), (0, model.states)

        _run_tasks(len(above), threads, join_pair, stop, monitor.check, log)
        levels.append(above)
    return levels


def _multiply_nodes(left: np.ndarray, right: np.ndarray, model: HmmTables) -> np.ndarray:
    """Multiply two nodes; both have a row of nothing above the states."""
    product = np.empty_like(left)
    cpu_rows.multiply_matrices(
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
                cpu_rows.multiply_row(start, left, model.width, model.states, row, 0)
                below.append(row)
        starts = below
    return np.array(starts)
