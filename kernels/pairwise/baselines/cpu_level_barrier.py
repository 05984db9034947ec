"""Level by level on the CPU: threads share one level after another, with a barrier between two.

A worker's progress word counts the levels that it has finished. Nobody begins a level before all words have reached
it: that is the barrier, one acquire for each worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cpu.progress_words import wait_until_reached
from antidiag.kernels.cpu.workers import make_stop_word, share_work
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines.sizes import MOST_BATCHES, Span
from antidiag.kernels.pairwise.encoding import EncodedPair
from antidiag.kernels.pairwise.kernel_records import NEVER_BETTER, StripProgress
from antidiag.kernels.pairwise.strips.cpu_sizes import WORD
from antidiag.kernels.steps import StepLog

TOGETHER = 2**12
"""Levels whose extent is computed at a time, so that arrays of level numbers stay small."""


@dataclass(eq=False)
class LevelRun:
    """The levels of a run and the threads that share them.

    ``progress`` int64 (workers x WORD): the first word of each worker counts its finished levels. ``best`` int64
    (workers, WORD): score, row and column of each worker's best cell; beyond all scores where the end is known.
    """

    pair: EncodedPair
    count: int
    workers: int
    stop: np.ndarray = field(default_factory=make_stop_word)

    def __post_init__(self) -> None:
        self.progress = np.zeros(self.workers * WORD, np.int64)
        self.best = np.zeros((self.workers, WORD), np.int64)
        self.best[:, 0] = 0 if self.pair.is_local else NEVER_BETTER

    @property
    def nbytes(self) -> int:
        """Bytes of progress words and best cells."""
        return self.progress.nbytes + self.best.nbytes

    @property
    def finished_levels(self) -> int:
        """The number of levels that all workers have finished."""
        return int(self.progress[::WORD].min())

    def worker_progress(self, worker: int) -> StripProgress:
        """Return the progress words as a worker takes them."""
        return StripProgress(self.progress, worker, self.stop)

    def best_cell(self) -> tuple[int, tuple[int, int]]:
        """Return the greatest score of a local alignment and its cell: smallest row, then smallest column."""
        score, row, column = self.best[:, :3].T
        first = np.lexsort((column, row, -score))[0]
        return int(score[first]), (int(row[first]), int(column[first]))


@cached_njit
def wait_for_all(words, level, stop):
    """Wait until all workers have finished ``level`` levels; return False if the run was stopped."""
    stopped = False
    for word in range(0, words.size, WORD):
        stopped |= not wait_until_reached(words, word, level, stop)
    return not stopped


@inline_njit
def worker_range(first, end, worker, workers):
    """Return the half-open part of first .. end - 1 that a worker takes."""
    count = end - first
    return first + count * worker // workers, first + count * (worker + 1) // workers


@inline_njit
def border_score(distance, costs):
    """Return H of row 0 or column 0 at this distance from the corner."""
    if costs.floor == 0 or distance == 0:
        return 0
    return -(costs.open_extend + (distance - 1) * costs.extend)


def run_levels(
    levels: LevelRun,
    advance: Callable[[int, int], None],
    extent: Callable[[np.ndarray, int], tuple[Span, Span]],
    count_before: Callable[[int], int],
    monitor: Monitor,
    steps: StepLog,
    started_ns: int,
) -> None:
    """Compute all levels on threads.

    Parameters
    ----------
    levels : LevelRun
    advance : callable
        ``advance(worker, level)`` computes a worker's part of all levels before this one, or returns early on stop.
    extent : callable
        ``extent(numbers, worker)`` returns the rows and columns that a worker's part of these levels spans.
    done : callable
        ``done(level)`` counts the cells of all earlier levels.
    monitor, steps
    started_ns : int
        Start of the run.

    Raises
    ------
    Cancelled
    """
    batches = min(levels.count, MOST_BATCHES)
    ends = [levels.count * (batch + 1) // batches for batch in range(batches)]

    def work(worker: int) -> None:
        start = 0
        for batch, end in enumerate(ends):
            wait_for_all(levels.progress, start, levels.stop)
            begun_ns = time.perf_counter_ns()
            advance(worker, end)
            if levels.stop[0]:
                return
            ended_ns = time.perf_counter_ns()
            rows, columns = _span_of_levels(extent, start, end, worker)
            if rows[0] < rows[1] and columns[0] < columns[1]:
                steps.add(1, batch, rows, columns, worker, begun_ns - started_ns, ended_ns - started_ns)
            start = end

    total = count_before(levels.count)
    share_work(
        work,
        levels.workers,
        levels.stop,
        lambda: monitor.update(count_before(levels.finished_levels), total, "phase 1"),
    )


def _span_of_levels(
    extent: Callable[[np.ndarray, int], tuple[Span, Span]], start: int, end: int, worker: int
) -> tuple[Span, Span]:
    """Return the rows and columns that a worker's part of the levels start .. end - 1 spans."""
    found = [extent(np.arange(at, min(at + TOGETHER, end)), worker) for at in range(start, end, TOGETHER)]
    rows, columns = zip(*found, strict=True)
    return _join_spans(rows), _join_spans(columns)


def _join_spans(spans: Iterable[Span]) -> Span:
    """Return the least span that holds all nonempty spans; 0..0 where there is none."""
    full = [span for span in spans if span[0] < span[1]]
    return (min(low for low, _ in full), max(high for _, high in full)) if full else (0, 0)
