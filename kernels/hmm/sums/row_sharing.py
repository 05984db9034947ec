"""Threads that share every row in sums over all paths of a model with many states."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.phase_times import PhaseLog
from antidiag.kernels.cpu.workers import make_stop_word, share_work
from antidiag.kernels.hmm.rows.cpu_rows import WIDE_LANES
from antidiag.kernels.hmm.rows.cpu_tables import HmmTables
from antidiag.kernels.hmm.sums.cpu_row_sharing import (
    WORD_STRIDE,
    RowTeam,
    compute_shared_backward_rows,
    compute_shared_forward_rows,
)
from antidiag.kernels.monitor import Monitor

SLICE = 1 << 26
"""Cells of an event in the log."""

RowSlices = Callable[[int, int], bool]
"""Computes rows first to last of those that are left, as one of a team; returns whether all were computed."""


def compute_forward(
    model: HmmTables, threads: int, monitor: Monitor, log: PhaseLog, rows: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Return the divisors, and whether a path is possible; forward rows go to ``rows`` unless that is empty."""
    n = len(model.seen)
    divisors, stop = np.zeros(n), make_stop_word()

    def make_worker(team: RowTeam) -> RowSlices:
        row = model.initial.copy()
        return lambda first, last: (
            compute_shared_forward_rows(row, model, first, last, divisors, rows, team, stop) == last
        )

    return divisors, _share_rows(model, threads, monitor, log, "forward", make_worker, stop)


def compute_backward(
    model: HmmTables,
    threads: int,
    monitor: Monitor,
    log: PhaseLog,
    divisors: np.ndarray,
    rows: np.ndarray,
    pairs: np.ndarray,
) -> None:
    """Turn forward rows into posterior rows; ``pairs`` takes counts unless it is empty."""
    n = len(model.seen)
    stop = make_stop_word()

    def make_worker(team: RowTeam) -> RowSlices:
        row = np.ones(model.width)

        def compute_slice(first: int, last: int) -> bool:
            top, bottom = n - 1 - first, n - last
            stopped = compute_shared_backward_rows(row, model, bottom, top, divisors, rows, pairs, team, stop)
            return bool(stopped == bottom - 1)

        return compute_slice

    _share_rows(model, threads, monitor, log, "backward", make_worker, stop)


def _share_rows(
    model: HmmTables,
    threads: int,
    monitor: Monitor,
    log: PhaseLog,
    phase: str,
    make_worker: Callable[[RowTeam], RowSlices],
    stop: np.ndarray,
) -> bool:
    """Have all rows computed by all threads; return whether they were. Backward, the last letters come first."""
    n, several = len(model.seen), max(1, threads * SLICE // model.width**2)
    words, buffers = np.zeros(threads * WORD_STRIDE, np.int64), np.zeros((2, model.width))
    borders = [model.width * worker // (threads * WIDE_LANES) * WIDE_LANES for worker in range(threads)] + [model.width]
    ended = [False] * threads

    def work(worker: int) -> None:
        begin, end = borders[worker : worker + 2]
        compute_slice = make_worker(RowTeam(words, buffers, worker, threads, begin, end))
        for first in range(0, n, several):
            last, begun_ns = min(first + several, n), time.perf_counter_ns()
            if not compute_slice(first, last):
                return
            letters = (first, last) if phase == "forward" else (n - last, n - first)
            log.add_event(worker, (begin, min(end, model.states)), letters, worker, begun_ns)
        ended[worker] = True

    share_work(work, threads, stop, lambda: monitor.update(int(words[0]), n, phase))
    return all(ended)
