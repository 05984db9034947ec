"""Forward and posterior rows of a model: computed by the calling thread, or shared by the threads of a run."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, LoggedCells
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.hmm.rows.cpu_rows import WIDE_LANES
from antidiag.kernels.hmm.rows.cpu_tables import HmmTables
from antidiag.kernels.hmm.sums.cpu_forward_backward import RowTeam, compute_backward_rows, compute_forward_rows

SLICE = 1 << 26
"""Cells of a thread between two checks for cancellation; a slice is an event in the log."""

ComputeSlice = Callable[[int, int], bool]
"""Computes the rows of letters first to last - 1; returns whether all were computed."""


def compute_forward(model: HmmTables, phase: CpuPhase, rows: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the logarithm of the probability of the letters, and the divisors of the forward rows.

    Parameters
    ----------
    model : HmmTables
        Probabilities.
    phase : CpuPhase
        Counts letters.
    rows : ndarray of float64, flat
        Takes the forward rows, (letters, width), unless it is empty.
    """
    divisors, stop = np.zeros(len(model.seen)), phase.run.stop

    def prepare(team: RowTeam | None) -> ComputeSlice:
        row = model.initial.copy()
        return lambda first, last: compute_forward_rows(row, model, first, last, divisors, rows, team, stop) == last

    is_possible = _compute_rows(model, phase, prepare, is_backward=False)
    return float(np.log(divisors).sum()) if is_possible else -np.inf, divisors


def compute_posterior(model: HmmTables, phase: CpuPhase, pairs: np.ndarray) -> tuple[float, np.ndarray | None]:
    """Return the logarithm of the probability, and the posterior rows, flat; None where the sequence is impossible.

    The phase counts every letter twice. ``pairs`` (float64, width x width, flat) takes counts unless it is empty.
    """
    rows, stop = np.zeros(len(model.seen) * model.width), phase.run.stop
    found, divisors = compute_forward(model, phase, rows)
    if found == -np.inf:
        return found, None

    def prepare(team: RowTeam | None) -> ComputeSlice:
        row = np.ones(model.width)
        return lambda first, last: (
            compute_backward_rows(row, model, first, last - 1, divisors, rows, pairs, team, stop) == first - 1
        )

    _compute_rows(model, phase, prepare, is_backward=True)
    return found, rows


def _compute_rows(
    model: HmmTables, phase: CpuPhase, prepare: Callable[[RowTeam | None], ComputeSlice], is_backward: bool
) -> bool:
    """Compute all rows; return whether they were computed. Every thread prepares a function for itself."""
    threads, width = phase.run.threads, model.width
    if threads == 1:
        return compute_slices(model, phase, prepare(None), is_backward)
    words, buffers = np.zeros(threads * WORD_STRIDE, np.int64), np.zeros((2, width))
    borders = [width * worker // (threads * WIDE_LANES) * WIDE_LANES for worker in range(threads)] + [width]
    ended = [False] * threads

    def work(worker: int) -> None:
        begin, end = borders[worker : worker + 2]
        compute = prepare(RowTeam(words, buffers, worker, begin, end))
        ended[worker] = compute_slices(model, phase, compute, is_backward, worker, (begin, min(end, model.states)))

    phase.share(work)
    return all(ended)


def compute_slices(
    model: HmmTables,
    phase: CpuPhase,
    compute: ComputeSlice,
    is_backward: bool = False,
    worker: int = 0,
    states: tuple[int, int] | None = None,
) -> bool:
    """Compute the rows of all letters in slices, from the end if they are backward rows, until one is not complete.

    Return whether all were computed. A run of one thread reports its progress; it does so on the calling thread.
    """
    n, threads = len(model.seen), phase.run.threads
    several = max(1, threads * SLICE // model.width**2)
    for start in range(0, n, several):
        if threads == 1:
            phase.report()
        begun_ns, end = time.perf_counter_ns(), min(start + several, n)
        first, last = (n - end, n - start) if is_backward else (start, end)
        if not compute(first, last):
            return False
        phase.log(LoggedCells(states or (0, model.states), (first, last), worker), worker, begun_ns)
        if worker == 0:
            phase.done[0] += end - start
    return True
