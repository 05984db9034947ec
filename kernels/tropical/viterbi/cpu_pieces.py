"""Viterbi in pieces of the sequence that run in parallel: by a tree of products, or by guessing and correcting.

Both give every row up to a constant, which is all that the path needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kernels import workers
from kernels.monitor import Monitor
from kernels.tropical.viterbi import cpu_rows
from kernels.tropical.viterbi.cpu_tables import Tables, tiny
from kernels.tropical.viterbi.sizes import pieces


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


def _on_threads(tasks: int, threads: int, task: Callable[[int], Any], stop: np.ndarray, poll: Callable[[], None]):
    """``task(0)`` to ``task(tasks - 1)``, every ``threads``-th on a thread; nothing more once ``stop`` is set."""

    def work(worker: int) -> None:
        for number in range(worker, tasks, threads):
            if stop[0]:
                return
            task(number)

    if tasks:
        workers.share(work, min(threads, tasks), stop, poll)


def by_correction(model: Tables, rows: np.ndarray, parameters: Mapping[str, Any], monitor: Monitor) -> None:
    """Rows of every piece from a guessed start, then again from the end of the piece before, while that changes one.

    A correction stops at the first row that is parallel to the guessed one, which for most models is soon; in the
    worst case, as many rounds as there are pieces.
    """
    parts, width = pieces(len(model.seen), parameters["piece"]), model.width
    starts = np.zeros((len(parts), width))
    starts[:, model.states :] = np.inf
    if parts:
        starts[0] = model.initial
    stop, done = workers.stop_word(), np.zeros(max(1, len(parts)), np.int64)
    common = (width, model.states, model.transitions, model.emissions, model.seen)

    def first_time(number: int) -> None:
        done[number] = cpu_rows.advance(starts[number], rows, *common, *parts[number], stop) - parts[number][0]

    def again(place: int) -> None:
        number = wrong[place]
        cpu_rows.correct(starts[number], rows, *common, *parts[number], stop)

    threads, total = parameters["threads"], len(model.seen) - 1
    _on_threads(len(parts), threads, first_time, stop, lambda: monitor.update(int(done.sum()), total, "rows"))
    wrong = _wrong_starts(parts, starts, rows, width)
    while wrong:
        for number in wrong:
            starts[number] = rows[parts[number][0] * width : (parts[number][0] + 1) * width]
        _on_threads(len(wrong), threads, again, stop, monitor.check)
        wrong = _wrong_starts(parts, starts, rows, width)


def _wrong_starts(parts: list[tuple[int, int]], starts: np.ndarray, rows: np.ndarray, width: int) -> list[int]:
    """The pieces whose start is not parallel to the last row of the piece before."""
    return [
        number
        for number in range(1, len(parts))
        if not cpu_rows.parallel(starts[number], rows, parts[number][0] * width, width)
    ]


def by_tree(model: Tables, rows: np.ndarray, parameters: Mapping[str, Any], monitor: Monitor) -> None:
    """Products of the pieces; products of pairs, of pairs of pairs and so on; starts from the top down; all rows."""
    parts, width, threads = pieces(len(model.seen), parameters["piece"]), model.width, parameters["threads"]
    stop, done = workers.stop_word(), np.zeros(max(1, len(parts)), np.int64)
    leaves = [np.empty((0, 0))] * len(parts)
    nothing = np.full(width, np.inf)
    height = len(identity_and(model, nothing))
    common = (width, model.states, model.transitions, model.emissions, model.seen)

    def leaf(number: int) -> None:
        product = identity_and(model, nothing)
        first, last = parts[number]
        cpu_rows.products(product.reshape(-1), height, *common, first, last, False, False, rows, stop)
        leaves[number] = product
        done[number] = last - first

    def piece(number: int) -> None:
        cpu_rows.advance(starts[number], rows, *common, *parts[number], stop)

    total = len(model.seen) - 1
    _on_threads(len(parts), threads, leaf, stop, lambda: monitor.update(int(done.sum()), total, "products"))
    levels = _upwards(leaves, model, threads, stop, monitor)
    starts = _downwards(levels, model)
    _on_threads(len(parts), threads, piece, stop, monitor.check)


def _upwards(
    leaves: list[np.ndarray], model: Tables, threads: int, stop: np.ndarray, monitor: Monitor
) -> list[list[np.ndarray]]:
    """Levels of the tree of products, leaves first; a node without a partner goes up as it is."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below, above = levels[-1], levels[-1][::2]

        def join(number: int, below: list[np.ndarray] = below, above: list[np.ndarray] = above) -> None:
            if 2 * number + 1 < len(below):
                above[number] = _product(below[2 * number], below[2 * number + 1], model)

        _on_threads(len(above), threads, join, stop, monitor.check)
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
