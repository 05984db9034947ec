"""Level by level on the CPU: threads share one level after another, with a barrier between two.

A worker's progress word counts the levels that it has finished. Nobody begins a level before all words have reached
it: that is the barrier, one acquire for each worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.cpu.jit import inline_njit
from antidiag.kernels.cpu.progress_words import call_wait_until_all_reached
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.pairwise.baselines.sizes import MOST_BATCHES, Span
from antidiag.kernels.pairwise.encoding import EncodedPair, EndCell, choose_end
from antidiag.kernels.pairwise.kernel_records import NEVER_BETTER, StripProgress

TOGETHER = 2**12
"""Levels whose extent is computed at a time, so that arrays of level numbers stay small."""


@dataclass(eq=False)
class LevelRun:
    """The levels of a run and the threads that share them.

    ``progress`` int64 (threads x WORD_STRIDE): the first word of each worker counts its finished levels. ``best`` int64
    (threads, WORD_STRIDE): score, row and column of each worker's best cell; beyond all scores where the end is known.
    """

    run: CpuRun
    pair: EncodedPair
    count: int

    def __post_init__(self) -> None:
        self.progress = np.zeros(self.run.threads * WORD_STRIDE, np.int64)
        self.best = np.zeros((self.run.threads, WORD_STRIDE), np.int64)
        self.best[:, 0] = 0 if self.pair.is_local else NEVER_BETTER

    @property
    def nbytes(self) -> int:
        """Bytes of progress words and best cells."""
        return self.progress.nbytes + self.best.nbytes

    @property
    def finished_levels(self) -> int:
        """The number of levels that all workers have finished."""
        return int(self.progress[::WORD_STRIDE].min())

    def best_end(self, last_row: np.ndarray, last_column: np.ndarray) -> tuple[int, Span]:
        """Return the best score and its cell by the tie rule; the arrays as in `EncodedPair.best_border_end`."""
        if self.pair.is_local:
            end = choose_end(EndCell(*map(int, best[:3])) for best in self.best)
        else:
            end = self.pair.best_border_end(last_row, last_column)
        return end.score, end.cell


@inline_njit
def worker_range(first, end, worker, workers):
    """Return the half-open part of first .. end - 1 that a worker takes."""
    count = end - first
    return first + count * worker // workers, first + count * (worker + 1) // workers


@inline_njit
def border_score(row, column, costs, second=None):
    """Return H of a cell of row 0 or column 0; ``second`` is the second piece of gap costs, or None."""
    distance = max(row, column)
    if distance == 0 or (costs.top_is_free if row == 0 else costs.left_is_free):
        return 0
    score = -(costs.open_extend + (distance - 1) * costs.extend)
    if second is not None:
        score = max(score, -(second.open_extend + (distance - 1) * second.extend))
    return score


@inline_njit
def update_best_cell(best, score, row, column):
    """Merge a cell into ``best`` (score, row, column) by the tie rule: smallest row, then smallest column."""
    if score > best[0] or (score == best[0] and (row < best[1] or (row == best[1] and column < best[2]))):
        best[0] = score
        best[1] = row
        best[2] = column


def run_levels(
    levels: LevelRun,
    advance: Callable[[np.ndarray, StripProgress, int], None],
    extent: Callable[[np.ndarray, int], tuple[Span, Span]],
    count_before: Callable[[int], int],
) -> None:
    """Compute all levels on threads, which is phase 1.

    Parameters
    ----------
    levels : LevelRun
    advance : callable
        ``advance(best, progress, level)`` computes a worker's part of all levels before this one, or returns early on
        stop.
    extent : callable
        ``extent(numbers, worker)`` returns the rows and columns that a worker's part of these levels spans.
    count_before : callable
        ``count_before(level)`` counts the cells of all earlier levels.

    Raises
    ------
    Cancelled
    """
    run, batches = levels.run, min(levels.count, MOST_BATCHES)
    ends = [levels.count * (batch + 1) // batches for batch in range(batches)]

    def work(worker: int) -> None:
        start, progress = 0, StripProgress(levels.progress, worker, run.stop)
        for batch, end in enumerate(ends):
            call_wait_until_all_reached(levels.progress, start, run.stop)
            begun_ns = time.perf_counter_ns()
            advance(levels.best[worker], progress, end)
            if run.stop[0]:
                return
            rows, columns = _span_of_levels(extent, start, end, worker)
            if rows[0] < rows[1] and columns[0] < columns[1]:
                phase.log(LoggedCells(rows, columns, batch), worker, begun_ns)
            start = end

    with run.phase("phase 1", count_before(levels.count)) as phase:
        phase.share(work, lambda: phase.report(count_before(levels.finished_levels)))


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
