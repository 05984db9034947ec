"""The methods of Viterbi on the CPU (Hanif 2014, chapter 5)."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phase_times import PhaseClock, PhaseLog, measure_ms
from antidiag.kernels.errors import ScoreOverflow
from antidiag.kernels.hmm import kinds
from antidiag.kernels.hmm.kinds import ViterbiKind
from antidiag.kernels.hmm.model import underflow
from antidiag.kernels.hmm.model.problem import HmmProblem, ViterbiAnswer, make_answer
from antidiag.kernels.hmm.parameters import PieceParameters, TextureParameters
from antidiag.kernels.hmm.rows import cpu_rows
from antidiag.kernels.hmm.rows.cpu_tables import HmmTables, build_cost_tables, build_probability_tables
from antidiag.kernels.hmm.viterbi import cpu_pieces
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog

SLICE = 1 << 25
"""Cells between two checks for cancellation of a serial method."""

ROWS, PATH = 1, 2
"""Numbers of the phases in the step log. Its rows are states, its columns letters."""

Fill = Callable[[HmmTables, np.ndarray, Any, Monitor, PhaseLog], None]


def viterbi_serial(problem: HmmProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run TROPVITERBI (algorithm 2.6) on one thread."""
    return _run_method(problem, parameters, monitor, steps, _fill_rows_serially, kinds.ROWS)


def viterbi_probabilities(
    problem: HmmProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run VITERBI (algorithm 2.5) on one thread; ScoreOverflow where an underflow changes the path."""
    tiny = cpu_pieces.make_tiny_tables()
    times_ms = {
        "compilation": measure_ms(partial(_find_most_probable_path, tiny, Monitor(), StepLog(), {})),
        "transfer": 0.0,
    }
    if not problem.n:
        return Outcome(make_answer(problem, np.empty(0, np.int32)), times_ms)
    path, least = _find_most_probable_path(build_probability_tables(problem), monitor, steps, times_ms)
    found = make_answer(problem, path)
    if path is None or least < underflow.least_safe_number(problem.hmm):
        exact = viterbi_serial(problem, parameters, CancelOnlyMonitor(monitor), StepLog()).answer
        _refuse_worse_path(problem, found, exact)
    needed = sum(kinds.ROWS.list_host_bytes(problem, parameters).values())
    return Outcome(found, times_ms, needed)


def _refuse_worse_path(problem: HmmProblem, found: ViterbiAnswer, exact: ViterbiAnswer) -> None:
    """ScoreOverflow where a path is less probable than the one from logarithms, rounding apart."""
    best, mine = exact.log_probability, found.log_probability
    if mine < best and not best - mine <= underflow.ROUNDING_SHARE * abs(best):
        raise ScoreOverflow(
            f"{problem.title}: probabilities underflow, and the path that remains has log probability {mine:,.6g} "
            f"instead of {best:,.6g}; choose viterbi-serial, which computes in logarithms"
        )


def _find_most_probable_path(
    model: HmmTables, monitor: Monitor, steps: StepLog, times_ms: dict[str, float]
) -> tuple[np.ndarray | None, float]:
    """Return the path from probabilities, and the smallest number in their rows."""
    clock = PhaseClock(times_ms)
    rows, path = np.zeros(len(model.seen) * model.width), np.empty(len(model.seen), np.int32)
    rows[: model.width] = model.initial
    log, least = PhaseLog(steps, ROWS, clock.started_ns), [1.0]
    _run_in_slices(
        model,
        monitor,
        log,
        lambda first, last: least.append(cpu_rows.compute_probability_rows(rows, model, first, last)),
    )
    clock.end_phase("rows")
    log, begun_ns = PhaseLog(steps, PATH, clock.started_ns), time.perf_counter_ns()
    found = cpu_rows.trace_back_through_probabilities(rows, model, path)
    log.add_event(0, (0, model.states), (0, path.size), 0, begun_ns)
    clock.end_phase("path")
    return path if found else None, min(least)


def viterbi_scalprod(problem: HmmProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run TROPSCALPRODVITERBI (algorithm 5.1) on one thread."""
    return _run_method(problem, parameters, monitor, steps, _fill_rows_from_sums, kinds.SCALAR_PRODUCTS)


def viterbi_matvecprod(problem: HmmProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run TROPMATVECPRODVITERBI (algorithm 5.2): a row times a matrix for every letter."""
    return _run_method(problem, parameters, monitor, steps, _fill_rows_by_matrices, kinds.ROWS)


def viterbi_matprod_smem(
    problem: HmmProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run SMemViterbi (algorithm 5.3): every S is put together before it is multiplied."""
    return _run_method(
        problem, parameters, monitor, steps, partial(_fill_rows_by_products, shared=True), kinds.MATRIX_PRODUCTS
    )


def viterbi_matprod_tmem(
    problem: HmmProblem, parameters: TextureParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run TMemViterbi (algorithm 5.3): the transitions are read where they are."""
    return _run_method(
        problem, parameters, monitor, steps, partial(_fill_rows_by_products, shared=False), kinds.MATRIX_PRODUCTS
    )


def viterbi_tree(problem: HmmProblem, parameters: PieceParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Multiply pieces in parallel, join them in a tree, then compute the rows of all pieces in parallel."""
    return _run_method(problem, parameters, monitor, steps, cpu_pieces.fill_rows_by_tree, kinds.TREE)


def viterbi_persistent(problem: HmmProblem, parameters: PieceParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute the rows of all pieces in parallel from guessed starts, and correct them."""
    return _run_method(problem, parameters, monitor, steps, cpu_pieces.fill_rows_by_correction, kinds.PIECES)


def _run_method(
    problem: HmmProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog, fill: Fill, kind: ViterbiKind
) -> Outcome:
    """Compute all rows, then trace the path back through them."""
    times_ms = {"compilation": measure_ms(partial(_compile_method, fill)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    if not problem.n:
        return Outcome(make_answer(problem, np.empty(0, np.int32)), times_ms)
    model = build_cost_tables(problem)
    rows = np.empty(problem.n * model.width)
    rows[: model.width] = model.initial
    fill(model, rows, parameters, monitor, PhaseLog(steps, ROWS, clock.started_ns))
    clock.end_phase("rows")
    path = _find_path(model, rows, monitor, PhaseLog(steps, PATH, clock.started_ns))
    del rows  # before what the answer needs
    clock.end_phase("path")
    needed = sum(kind.list_host_bytes(problem, parameters).values())
    return Outcome(make_answer(problem, path), times_ms, needed)


def _compile_method(fill: Fill) -> None:
    """Run once on a tiny model, so that nothing is compiled while the clock runs."""
    model = cpu_pieces.make_tiny_tables()
    rows = np.zeros(len(model.seen) * model.width)
    log = PhaseLog(StepLog(), ROWS, 0)
    fill(model, rows, PieceParameters(piece=1, threads=1), Monitor(), log)
    _find_path(model, rows, Monitor(), log)


def _find_path(model: HmmTables, rows: np.ndarray, monitor: Monitor, log: PhaseLog) -> np.ndarray | None:
    """Trace the path back; None where there is none."""
    path = np.empty(len(model.seen), np.int32)
    found = [False]

    def work(worker: int) -> None:
        begun_ns = time.perf_counter_ns()
        found[0] = cpu_rows.trace_back(rows, model, 0, len(path) - 1, path, stop)
        log.add_event(0, (0, model.states), (0, path.size), worker, begun_ns)

    stop = workers.make_stop_word()
    workers.share_work(work, 1, stop, monitor.check)
    return path if found[0] else None


def _run_in_slices(model: HmmTables, monitor: Monitor, log: PhaseLog, step: Callable[[int, int], Any]) -> None:
    """Call ``step(first, last)`` over all letters but the last, a fraction of a second at a time."""
    steps = len(model.seen) - 1
    several = max(1, SLICE // model.states**2)
    for first in range(0, steps, several):
        monitor.update(first, steps, "rows")
        last, begun_ns = min(first + several, steps), time.perf_counter_ns()
        step(first, last)
        log.add_event(0, (0, model.states), (first, last), 0, begun_ns)
    monitor.update(steps, steps, "rows")


def _fill_rows_serially(
    model: HmmTables, rows: np.ndarray, parameters: MethodParameters, monitor: Monitor, log: PhaseLog
) -> None:
    """Fill the rows state by state."""

    def compute_slice(first: int, last: int) -> None:
        cpu_rows.compute_rows_serially(rows, model, first, last)

    rows[:] = np.inf
    rows[: model.width] = model.initial
    _run_in_slices(model, monitor, log, compute_slice)


def _fill_rows_from_sums(
    model: HmmTables, rows: np.ndarray, parameters: MethodParameters, monitor: Monitor, log: PhaseLog
) -> None:
    """Fill the rows from sums of transition and emission made beforehand."""

    def compute_slice(first: int, last: int) -> None:
        cpu_rows.compute_rows_from_sums(rows, model, sums, first, last)

    width = model.width
    sums = (model.columns.reshape(1, width, width) + model.emissions.reshape(-1, 1, width)).ravel()
    rows[:] = np.inf
    rows[:width] = model.initial
    _run_in_slices(model, monitor, log, compute_slice)


def _fill_rows_by_matrices(
    model: HmmTables, rows: np.ndarray, parameters: MethodParameters, monitor: Monitor, log: PhaseLog
) -> None:
    """Fill the rows by a row times a matrix for every letter."""
    stop = workers.make_stop_word()

    def compute_slice(first: int, last: int) -> None:
        start = rows[first * model.width : (first + 1) * model.width].copy()
        cpu_rows.compute_rows(start, rows, model, first, last, stop)

    _run_in_slices(model, monitor, log, compute_slice)


def _fill_rows_by_products(
    model: HmmTables, rows: np.ndarray, parameters: ThreadParameters, monitor: Monitor, log: PhaseLog, shared: bool
) -> None:
    """Multiply P x S for every letter; P begins as an identity with the initial costs above it, whose row is Viterbi's.

    A worker takes some rows of P through all letters: no row of a product needs another.
    """
    threads = parameters.threads
    factors = cpu_pieces.stack_row_on_identity(model, model.initial)
    height, steps = len(factors), len(model.seen) - 1
    bands = np.linspace(0, height // cpu_rows.BAND, threads + 1).astype(int) * cpu_rows.BAND
    stop, done = workers.make_stop_word(), np.zeros(threads, np.int64)

    def work(worker: int) -> None:
        band = factors[bands[worker] : bands[worker + 1]]
        several = max(1, SLICE // max(1, len(band) * model.states**2))
        for first in range(0, steps if len(band) else 0, several):
            last, begun_ns = min(first + several, steps), time.perf_counter_ns()
            stopped = cpu_rows.multiply_letter_matrices(
                band.reshape(-1), model, first, last, shared, bands[worker] == 0, rows, stop
            )
            if stopped < last:
                return
            done[worker] += (last - first) * len(band)
            log.add_event(worker, (int(bands[worker]), int(bands[worker + 1])), (first, last), worker, begun_ns)

    workers.share_work(work, threads, stop, lambda: monitor.update(int(done.sum()), max(1, steps * height), "rows"))
