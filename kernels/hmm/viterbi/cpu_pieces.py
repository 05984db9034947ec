"""Viterbi in pieces of the sequence that run in parallel: by a tree of products, or by guessing and correcting.

Both give every row up to a constant, which is all that the path needs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phases import PhaseLog
from antidiag.kernels.hmm import cpu_rows
from antidiag.kernels.hmm.cpu_tables import Tables, tiny
from antidiag.kernels.hmm.parameters import HmmParameters
from antidiag.kernels.hmm.sizes import pieces
from antidiag.kernels.monitor import Monitor


def tiny_tables() -> Tables:
    """A model of two states that never forgets its start, and a sequence of four letters."""
    return tiny(np.inf, np.array([0.0, 1.0]), np.array([[1.0, 9.0], [9.0, 1.0]]), 0.0)


def identity_and(model: Tables, row: np.ndarray) -> np.ndarray:
    """A row above the (min, +) identity, padded to whole bands; what is multiplied by it stays."""
    height = -(-(model.states + 1) // cpu_rows.BAND) * cpu_rows.BAND
    matrix = np.full((height, model.width), np.inf)
    matrix[0] = row
    numbers = np.arange(model.states)
    matrix[1 + numbers, numbers] = 0.0
    return matrix


Chunk = tuple[int, tuple[int, int], tuple[int, int]]
"""What a task has computed, for the step log: piece, states and letters."""


def _on_threads(
    tasks: int, threads: int, task: Callable[[int], Chunk | None], stop: np.ndarray, poll: Callable[[], None],
    log: PhaseLog,
) -> None:  # fmt: skip
    """``task(0)`` to ``task(tasks - 1)``, every ``threads``-th on a thread; nothing more once ``stop`` is set."""

    def work(worker: int) -> None:
        for number in range(worker, tasks, threads):
            if stop[0]:
                return
            begun_ns = time.perf_counter_ns()
            if chunk := task(number):
                log.add(*chunk, worker, begun_ns)

    if tasks:
        workers.share(work, min(threads, tasks), stop, poll)


def by_correction(model: Tables, rows: np.ndarray, parameters: HmmParameters, monitor: Monitor, log: PhaseLog) -> None:
    """Rows of every piece from a guessed start, then again from the end of the piece before, while that changes one.

    A correction stops at the first row that is parallel to the guessed one, which for most models is soon; in the
    worst case, as many rounds as there are pieces.
    """
    parts, width = pieces(len(model.seen), parameters.piece), model.width
    starts = np.zeros((len(parts), width))
    starts[:, model.states :] = np.inf
    if parts:
        starts[0] = model.initial
    stop, done = workers.stop_word(), np.zeros(max(1, len(parts)), np.int64)

    def first_time(number: int) -> Chunk:
        done[number] = cpu_rows.advance(starts[number], rows, model, *parts[number], stop) - parts[number][0]
        return number, (0, model.states), parts[number]

    def again(place: int) -> Chunk:
        number = wrong[place]
        first, last = parts[number]
        parallel = cpu_rows.correct(starts[number], rows, model, first, last, stop)
        return number, (0, model.states), (first, min(parallel, last))

    threads, total = parameters.threads, len(model.seen) - 1
    _on_threads(len(parts), threads, first_time, stop, lambda: monitor.update(int(done.sum()), total, "rows"), log)
    wrong = _wrong_starts(parts, starts, rows, width)
    while wrong:
        for number in wrong:
            starts[number] = rows[parts[number][0] * width : (parts[number][0] + 1) * width]
        _on_threads(len(wrong), threads, again, stop, monitor.check, log)
        wrong = _wrong_starts(parts, starts, rows, width)


def _wrong_starts(parts: list[tuple[int, int]], starts: np.ndarray, rows: np.ndarray, width: int) -> list[int]:
    """The pieces whose start is not parallel to the last row of the piece before."""
    return [
        number
        for number in range(1, len(parts))
        if not cpu_rows.parallel(starts[number], rows, parts[number][0] * width, width)
    ]


def by_tree(model: Tables, rows: np.ndarray, parameters: HmmParameters, monitor: Monitor, log: PhaseLog) -> None:
    """Products of the pieces; products of pairs, of pairs of pairs and so on; starts from the top down; all rows."""
    parts, width, threads = pieces(len(model.seen), parameters.piece), model.width, parameters.threads
    stop, done = workers.stop_word(), np.zeros(max(1, len(parts)), np.int64)
    leaves = [np.empty((0, 0))] * len(parts)
    nothing = np.full(width, np.inf)

    def leaf(number: int) -> Chunk:
        product = identity_and(model, nothing)
        first, last = parts[number]
        cpu_rows.products(product.reshape(-1), model, first, last, False, False, rows, stop)
        leaves[number] = product
        done[number] = last - first
        return number, (0, len(product)), (first, last)

    def piece(number: int) -> Chunk:
        cpu_rows.advance(starts[number], rows, model, *parts[number], stop)
        return number, (0, model.states), parts[number]

    total = len(model.seen) - 1
    _on_threads(len(parts), threads, leaf, stop, lambda: monitor.update(int(done.sum()), total, "products"), log)
    levels = _upwards(leaves, model, threads, stop, monitor, log)
    starts = _downwards(levels, model)
    _on_threads(len(parts), threads, piece, stop, monitor.check, log)


def _upwards(
    leaves: list[np.ndarray], model: Tables, threads: int, stop: np.ndarray, monitor: Monitor, log: PhaseLog
) -> list[list[np.ndarray]]:
    """Levels of the tree of products, leaves first; a node without a partner goes up as it is."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below, above = levels[-1], levels[-1][::2]

        def join(number: int, below: list[np.ndarray] = below, above: list[np.ndarray] = above) -> Chunk | None:
            if 2 * number + 1 == len(below):
                return None
            above[number] = _product(below[2 * number], below[2 * number + 1], model)
            return number, (0, len(above[number])), (0, model.states)

        _on_threads(len(above), threads, join, stop, monitor.check, log)
        levels.append(above)
    return levels


def _product(left: np.ndarray, right: np.ndarray, model: Tables) -> np.ndarray:
    """The product of two nodes; both have a row of nothing above the states."""
    product = np.empty_like(left)
    cpu_rows.times(left.reshape(-1), right[1:].reshape(-1), product.reshape(-1), len(left), model.width, model.states)
    return product


def _downwards(levels: list[list[np.ndarray]], model: Tables) -> np.ndarray:
    """The row before each piece: a left child starts where its parent does, a right one after its left sibling."""
    starts = [model.initial]
    for level in levels[-2::-1]:
        below = []
        for number, start in enumerate(starts):
            below.append(start)
            if 2 * number + 1 < len(level):
                row = np.empty(model.width)
                left = level[2 * number][1:].reshape(-1)
                cpu_rows.row_times_matrix(start, left, model.width, model.states, row, 0)
                below.append(row)
        starts = below
    return np.array(starts)
