"""The methods of Viterbi on the CPU (Hanif 2014, chapter 5)."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.errors import ScoreOverflow
from antidiag.kernels.hmm import kinds
from antidiag.kernels.hmm.kinds import ViterbiKind
from antidiag.kernels.hmm.model import underflow
from antidiag.kernels.hmm.model.problem import HmmProblem, ViterbiAnswer, make_answer
from antidiag.kernels.hmm.parameters import PieceParameters
from antidiag.kernels.hmm.rows import cpu_rows
from antidiag.kernels.hmm.rows.cpu_tables import HmmTables, build_cost_tables, build_probability_tables
from antidiag.kernels.hmm.viterbi import cpu_pieces
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.steps import StepLog

SLICE = 1 << 25
"""Cells between two checks for cancellation of a serial method."""

Fill = Callable[..., None]
"""``fill(model, rows, piece, phase)`` computes all rows; some take an option, too."""


def viterbi_probabilities(
    problem: HmmProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run VITERBI (algorithm 2.5) on one thread; ScoreOverflow where an underflow changes the path."""
    run = CpuRun(monitor, steps)
    run.compile_once(_compile_probabilities)
    if not problem.n:
        return Outcome(make_answer(problem, np.empty(0, np.int32)), run.times_ms)
    path, least = _find_most_probable_path(build_probability_tables(problem), run)
    found = make_answer(problem, path)
    if path is None or least < underflow.least_safe_number(problem.hmm):
        _refuse_worse_path(
            problem, found, viterbi_serial(problem, parameters, CancelOnlyMonitor(monitor), StepLog()).answer
        )
    needed = sum(kinds.ROWS.list_host_bytes(problem, parameters).values())
    return Outcome(found, run.times_ms, needed)


def _compile_probabilities() -> None:
    """Compile, or load from the cache folder, by running a tiny model."""
    _find_most_probable_path(cpu_pieces.make_tiny_tables(), CpuRun())


def _refuse_worse_path(problem: HmmProblem, found: ViterbiAnswer, exact: ViterbiAnswer) -> None:
    """ScoreOverflow where a path is less probable than the one from logarithms, rounding apart."""
    best, mine = exact.log_probability, found.log_probability
    if mine < best and not best - mine <= underflow.ROUNDING_SHARE * abs(best):
        raise ScoreOverflow(
            f"{problem.title}: probabilities underflow, and the path that remains has log probability {mine:,.6g} "
            f"instead of {best:,.6g}; choose viterbi-serial, which computes in logarithms"
        )


def _find_most_probable_path(model: HmmTables, run: CpuRun) -> tuple[np.ndarray | None, float]:
    """Return the path from probabilities, and the smallest number in their rows."""
    rows, least = np.zeros(len(model.seen) * model.width), [1.0]
    rows[: model.width] = model.initial

    def compute_slice(first: int, last: int) -> None:
        least.append(cpu_rows.compute_probability_rows(rows, model, first, last))

    with run.phase("rows", len(model.seen) - 1) as phase:
        _run_in_slices(model, phase, compute_slice)
    path = _find_path(model, run, lambda path: cpu_rows.trace_back_through_probabilities(rows, model, path))
    return path, min(least)


def _run_method(
    problem: HmmProblem,
    parameters: MethodParameters,
    monitor: Monitor,
    steps: StepLog,
    fill: Fill,
    kind: ViterbiKind,
    options: tuple[bool, ...] = (),
) -> Outcome:
    """Compute all rows, then trace the path back through them. The rows of the step log are states, columns letters."""
    piece = parameters.piece if isinstance(parameters, PieceParameters) else 1
    run = CpuRun(monitor, steps, parameters.worker_threads)
    run.compile_once(_compile_method, fill, *options)
    if not problem.n:
        return Outcome(make_answer(problem, np.empty(0, np.int32)), run.times_ms)
    path = _find_cheapest_path(run, build_cost_tables(problem), piece, fill, *options)
    needed = sum(kind.list_host_bytes(problem, parameters).values())
    return Outcome(make_answer(problem, path), run.times_ms, needed)


def _compile_method(fill: Fill, *options: bool) -> None:
    """Compile, or load from the cache folder, by running a tiny model."""
    _find_cheapest_path(CpuRun(), cpu_pieces.make_tiny_tables(), 1, fill, *options)


def _find_cheapest_path(run: CpuRun, model: HmmTables, piece: int, fill: Fill, *options: bool) -> np.ndarray | None:
    """Return the states of the path of least cost; None where there is no path."""
    with run.phase("rows", len(model.seen) - 1) as phase:
        rows = np.empty(len(model.seen) * model.width)
        rows[: model.width] = model.initial
        fill(model, rows, piece, phase, *options)
    return _find_path(model, run, lambda path: cpu_rows.trace_back(rows, model, 0, len(path) - 1, path, run.stop))


def _find_path(model: HmmTables, run: CpuRun, trace_back: Callable[[np.ndarray], bool]) -> np.ndarray | None:
    """Return the states that ``trace_back(path)`` writes; None where it finds no path."""
    path, found = np.empty(len(model.seen), np.int32), [False]

    def compute(worker: int, task: int) -> None:
        found[task] = trace_back(path)

    with run.phase("path") as phase:
        phase.share_tasks(range(1), compute, lambda task: LoggedCells((0, model.states), (0, path.size)))
    return path if found[0] else None


def _run_in_slices(model: HmmTables, phase: CpuPhase, compute: Callable[[int, int], None]) -> None:
    """Call ``compute(first, last)`` over all letters but the last on one thread, a fraction of a second at a time."""
    letters = len(model.seen) - 1
    several = max(1, SLICE // model.states**2)

    def work(worker: int) -> None:
        for first in range(0, letters, several):
            last, begun_ns = min(first + several, letters), time.perf_counter_ns()
            compute(first, last)
            if phase.run.stop[0]:
                return
            phase.done[worker] += last - first
            phase.log(LoggedCells((0, model.states), (first, last)), worker, begun_ns)

    phase.share(work, threads=1)


def _fill_rows_serially(model: HmmTables, rows: np.ndarray, piece: int, phase: CpuPhase) -> None:
    """Fill the rows state by state."""
    rows[model.width :] = np.inf
    _run_in_slices(model, phase, lambda first, last: cpu_rows.compute_rows_serially(rows, model, first, last))


def _fill_rows_from_sums(model: HmmTables, rows: np.ndarray, piece: int, phase: CpuPhase) -> None:
    """Fill the rows from sums of transition and emission made beforehand."""
    width = model.width
    sums = (model.columns.reshape(1, width, width) + model.emissions.reshape(-1, 1, width)).ravel()
    rows[width:] = np.inf
    _run_in_slices(model, phase, lambda first, last: cpu_rows.compute_rows_from_sums(rows, model, sums, first, last))


def _fill_rows_by_matrices(model: HmmTables, rows: np.ndarray, piece: int, phase: CpuPhase) -> None:
    """Fill the rows by a row times a matrix for every letter."""

    def compute_slice(first: int, last: int) -> None:
        start = rows[first * model.width : (first + 1) * model.width].copy()
        cpu_rows.compute_rows(start, rows, model, first, last, phase.run.stop)

    _run_in_slices(model, phase, compute_slice)


def _fill_rows_by_products(model: HmmTables, rows: np.ndarray, piece: int, phase: CpuPhase, shared: bool) -> None:
    """Multiply P x S for every letter; P begins as an identity with the initial costs above it, whose row is Viterbi's.

    A worker takes some rows of P through all letters: no row of a product needs another.
    """
    threads, stop = phase.run.threads, phase.run.stop
    factors = cpu_pieces.stack_row_on_identity(model, model.initial)
    height, letters = len(factors), len(model.seen) - 1
    bands = (np.linspace(0, height // cpu_rows.BAND, threads + 1).astype(int) * cpu_rows.BAND).tolist()

    def work(worker: int) -> None:
        begin, end = bands[worker : worker + 2]
        band, several = factors[begin:end], max(1, SLICE // max(1, (end - begin) * model.states**2))
        for first in range(0, letters if begin < end else 0, several):
            last, begun_ns = min(first + several, letters), time.perf_counter_ns()
            cpu_rows.multiply_letter_matrices(band.reshape(-1), model, first, last, shared, begin == 0, rows, stop)
            if stop[0]:
                return
            phase.done[worker] += (last - first) * (end - begin)
            phase.log(LoggedCells((begin, end), (first, last), worker), worker, begun_ns)

    phase.share(work, lambda: phase.report(int(phase.done.sum()) // height))


viterbi_serial = partial(_run_method, fill=_fill_rows_serially, kind=kinds.ROWS)
"""Run TROPVITERBI (algorithm 2.6) on one thread."""
viterbi_scalprod = partial(_run_method, fill=_fill_rows_from_sums, kind=kinds.SCALAR_PRODUCTS)
"""Run TROPSCALPRODVITERBI (algorithm 5.1) on one thread."""
viterbi_matvecprod = partial(_run_method, fill=_fill_rows_by_matrices, kind=kinds.ROWS)
"""Run TROPMATVECPRODVITERBI (algorithm 5.2): a row times a matrix for every letter."""
viterbi_matprod_smem = partial(_run_method, fill=_fill_rows_by_products, kind=kinds.MATRIX_PRODUCTS, options=(True,))
"""Run SMemViterbi (algorithm 5.3): every S is put together before it is multiplied."""
viterbi_matprod_tmem = partial(_run_method, fill=_fill_rows_by_products, kind=kinds.MATRIX_PRODUCTS, options=(False,))
"""Run TMemViterbi (algorithm 5.3): the transitions are read where they are."""
viterbi_tree = partial(_run_method, fill=cpu_pieces.fill_rows_by_tree, kind=kinds.TREE)
"""Multiply pieces in parallel, join them in a tree, then compute the rows of all pieces in parallel."""
viterbi_persistent = partial(_run_method, fill=cpu_pieces.fill_rows_by_correction, kind=kinds.PIECES)
"""Compute the rows of all pieces in parallel from guessed starts, and correct them."""
