"""Levels on the CPU: threads share one level after another, and wait for each other between two.

A worker's progress word counts the levels it has finished. Nobody begins a level before all words have reached it:
that is the barrier, one acquire a worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.cpu.waiting import wait_for
from antidiag.kernels.cpu.workers import share, stop_word
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines.sizes import MOST_BATCHES, Span
from antidiag.kernels.pairwise.encoding import Encoded
from antidiag.kernels.pairwise.records import NEVER_BETTER, Progress
from antidiag.kernels.pairwise.strips.cpu_sizes import WORD
from antidiag.kernels.steps import Steps

TOGETHER = 2**12
"""Levels whose extent is found at a time: their numbers are arrays beside which the others are to stay large."""


@dataclass(eq=False)
class Levels:
    """The levels of a run and the threads that share them.

    ``progress`` int64 (workers x WORD): the first word of each worker counts its finished levels. ``best`` int64
    (workers, WORD): score, row and column of each worker's best cell; beyond all scores where the end is known.
    """

    pair: Encoded
    count: int
    workers: int
    stop: np.ndarray = field(default_factory=stop_word)

    def __post_init__(self) -> None:
        self.progress = np.zeros(self.workers * WORD, np.int64)
        self.best = np.zeros((self.workers, WORD), np.int64)
        self.best[:, 0] = 0 if self.pair.local else NEVER_BETTER

    @property
    def nbytes(self) -> int:
        return self.progress.nbytes + self.best.nbytes

    @property
    def reached(self) -> int:
        """Levels that all workers have finished."""
        return int(self.progress[::WORD].min())

    def progress_of(self, worker: int) -> Progress:
        """The progress words, as a worker takes them."""
        return Progress(self.progress, worker, self.stop)

    def best_cell(self) -> tuple[int, tuple[int, int]]:
        """The greatest score of a local alignment and its cell: smallest row, then smallest column."""
        score, row, column = self.best[:, :3].T
        first = np.lexsort((column, row, -score))[0]
        return int(score[first]), (int(row[first]), int(column[first]))


@compiled
def all_reach(words, level, stop):
    """Wait until all workers have finished ``level`` levels; False where all are to stop."""
    told_to_stop = False
    for word in range(0, words.size, WORD):
        told_to_stop |= not wait_for(words, word, level, stop)
    return not told_to_stop


@inlined
def share_of(first, end, worker, workers):
    """The part of first .. end - 1 that a worker takes, half-open."""
    count = end - first
    return first + count * worker // workers, first + count * (worker + 1) // workers


@inlined
def border(distance, costs):
    """H of row 0 or column 0, so far from the corner."""
    if costs.floor == 0 or distance == 0:
        return 0
    return -(costs.open_extend + (distance - 1) * costs.extend)


def compute(
    levels: Levels,
    advance: Callable[[int, int], None],
    extent: Callable[[np.ndarray, int], tuple[Span, Span]],
    done: Callable[[int], int],
    monitor: Monitor,
    steps: Steps,
    started_ns: int,
) -> None:
    """All levels on threads; raises Cancelled.

    ``advance(worker, level)`` computes a worker's part up to a level, or until it is told to stop. ``extent(numbers,
    worker)`` says which rows and columns its part of some levels spans; ``done(level)`` counts earlier levels' cells.
    """
    batches = min(levels.count, MOST_BATCHES)
    ends = [levels.count * (batch + 1) // batches for batch in range(batches)]

    def work(worker: int) -> None:
        start = 0
        for batch, end in enumerate(ends):
            all_reach(levels.progress, start, levels.stop)
            begun_ns = time.perf_counter_ns()
            advance(worker, end)
            if levels.stop[0]:
                return
            ended_ns = time.perf_counter_ns()
            rows, columns = _extent(extent, start, end, worker)
            if rows[0] < rows[1] and columns[0] < columns[1]:
                steps.add(1, batch, rows, columns, worker, begun_ns - started_ns, ended_ns - started_ns)
            start = end

    total = done(levels.count)
    share(work, levels.workers, levels.stop, lambda: monitor.update(done(levels.reached), total, "phase 1"))


def _extent(
    extent: Callable[[np.ndarray, int], tuple[Span, Span]], start: int, end: int, worker: int
) -> tuple[Span, Span]:
    """Rows and columns that a worker's part of the levels start .. end - 1 spans."""
    found = [extent(np.arange(at, min(at + TOGETHER, end)), worker) for at in range(start, end, TOGETHER)]
    rows, columns = zip(*found, strict=True)
    return _hull(rows), _hull(columns)


def _hull(spans: Iterable[Span]) -> Span:
    """The least span that holds all spans that hold something; 0..0 where none does."""
    full = [span for span in spans if span[0] < span[1]]
    return (min(low for low, _ in full), max(high for _, high in full)) if full else (0, 0)
