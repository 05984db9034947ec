"""The threads of sums over all paths of a model with many states: all share every row (cpu_together.py)."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.phases import PhaseLog
from antidiag.kernels.cpu.workers import share, stop_word
from antidiag.kernels.hmm.cpu_rows import WIDE
from antidiag.kernels.hmm.cpu_tables import Tables
from antidiag.kernels.hmm.sums.cpu_together import WORD, Team, backward_together, forward_together
from antidiag.kernels.monitor import Monitor

SLICE = 1 << 26
"""Cells of an event in the log."""

Rows = Callable[[Team, int, int], bool]
"""Does some rows by one of a team, the letters first to last of those that are left; whether all were done."""


def forward(model: Tables, threads: int, monitor: Monitor, log: PhaseLog, rows: np.ndarray) -> tuple[np.ndarray, bool]:
    """The divisors, and whether a path is possible; forward rows go to ``rows``, where that has room."""
    n = len(model.seen)
    divisors, stop = np.zeros(n), stop_word()

    def part(team: Team) -> Callable[[int, int], bool]:
        row = model.initial.copy()
        return lambda first, last: forward_together(row, model, first, last, divisors, rows, team, stop) == last

    done = _shared(model, threads, monitor, log, "forward", part, stop)
    return divisors, done


def backward(
    model: Tables, threads: int, monitor: Monitor, log: PhaseLog, divisors: np.ndarray, rows: np.ndarray,
    pairs: np.ndarray,
) -> None:  # fmt: skip
    """Forward rows become posterior rows; ``pairs`` takes counts where it is not empty."""
    n = len(model.seen)
    stop = stop_word()

    def part(team: Team) -> Callable[[int, int], bool]:
        row = np.ones(model.width)

        def some(first: int, last: int) -> bool:
            top, bottom = n - 1 - first, n - last
            found = backward_together(row, model, bottom, top, divisors, rows, pairs, team, stop)
            return bool(found == bottom - 1)

        return some

    _shared(model, threads, monitor, log, "backward", part, stop)


def _shared(
    model: Tables, threads: int, monitor: Monitor, log: PhaseLog, phase: str,
    part: Callable[[Team], Callable[[int, int], bool]], stop: np.ndarray,
) -> bool:  # fmt: skip
    """Have all rows done by all threads; whether they were. Backward, the first letters are the last ones."""
    n, several = len(model.seen), max(1, threads * SLICE // model.width**2)
    words, buffers = np.zeros(threads * WORD, np.int64), np.zeros((2, model.width))
    borders = [model.width * worker // (threads * WIDE) * WIDE for worker in range(threads)] + [model.width]
    ended = [False] * threads

    def work(worker: int) -> None:
        begin, end = borders[worker : worker + 2]
        do = part(Team(words, buffers, worker, threads, begin, end))
        for first in range(0, n, several):
            last, begun_ns = min(first + several, n), time.perf_counter_ns()
            if not do(first, last):
                return
            letters = (first, last) if phase == "forward" else (n - last, n - first)
            log.add(worker, (begin, min(end, model.states)), letters, worker, begun_ns)
        ended[worker] = True

    share(work, threads, stop, lambda: monitor.update(int(words[0]), n, phase))
    return all(ended)
