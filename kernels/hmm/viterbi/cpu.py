"""The methods of Viterbi on the CPU (003, chapter 5)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
from antidiag.kernels.errors import ScoreOverflow
from antidiag.kernels.hmm import cpu_rows, kinds, sizes, vanishing
from antidiag.kernels.hmm.cpu_tables import Tables, probabilities, tables
from antidiag.kernels.hmm.kinds import Kind
from antidiag.kernels.hmm.parameters import HmmParameters
from antidiag.kernels.hmm.problem import HmmProblem, ViterbiAnswer, answer
from antidiag.kernels.hmm.viterbi import cpu_pieces
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor, Silent
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps

SLICE = 1 << 25
"""Cells between two looks of a serial method at whether the user cancelled."""

ROWS, PATH = 1, 2
"""Numbers of the phases in the step log. Its rows are states, its columns letters."""

Fill = Callable[[Tables, np.ndarray, HmmParameters, Monitor, PhaseLog], None]


def viterbi_serial(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TROPVITERBI (algorithm 2.6) on one thread."""
    return _run(problem, parameters, monitor, steps, _serial, kinds.ROWS)


def viterbi_probabilities(
    problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """VITERBI (algorithm 2.5) on one thread; ScoreOverflow where probabilities vanish that matter to the path."""
    tiny = cpu_pieces.tiny_tables()
    times_ms = {"compilation": time_ms(partial(_most_probable, tiny, Monitor(), Steps(), {})), "transfer": 0.0}
    if not problem.n:
        return Outcome(answer(problem, np.empty(0, np.int32)), times_ms)
    path, least = _most_probable(probabilities(problem), monitor, steps, times_ms)
    found = answer(problem, path)
    if path is None or least < vanishing.least(problem.hmm):
        _refuse_worse(problem, found, viterbi_serial(problem, {}, Silent(monitor), Steps()).answer)
    needed = sum(sizes.parts(problem, parameters, kinds.ROWS).values())
    return Outcome(found, times_ms, needed)


def _refuse_worse(problem: HmmProblem, found: ViterbiAnswer, exact: ViterbiAnswer) -> None:
    """ScoreOverflow where a path is less probable than one over logarithms, but for rounding."""
    best, mine = exact.log_probability, found.log_probability
    if mine < best and not best - mine <= vanishing.CLOSE * abs(best):
        raise ScoreOverflow(
            f"{problem.title}: probabilities become smaller than a number of 64 bits can be, and the path that is left "
            f"has log probability {mine:,.6g} instead of {best:,.6g}; choose viterbi-serial, which computes in "
            "logarithms"
        )


def _most_probable(
    model: Tables, monitor: Monitor, steps: Steps, times_ms: dict[str, float]
) -> tuple[np.ndarray | None, float]:
    """The path over probabilities, and the smallest of all in their rows; its times go to ``times_ms``."""
    clock = PhaseClock(times_ms)
    rows, path = np.zeros(len(model.seen) * model.width), np.empty(len(model.seen), np.int32)
    rows[: model.width] = model.initial
    log, least = PhaseLog(steps, ROWS, clock.started_ns), [1.0]
    _sliced(model, monitor, log, lambda first, last: least.append(cpu_rows.probabilities(rows, model, first, last)))
    clock.phase("rows")
    log, begun_ns = PhaseLog(steps, PATH, clock.started_ns), time.perf_counter_ns()
    found = cpu_rows.trace_back_probabilities(rows, model, path)
    log.add(0, (0, model.states), (0, path.size), 0, begun_ns)
    clock.phase("path")
    return path if found else None, min(least)


def viterbi_scalprod(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TROPSCALPRODVITERBI (algorithm 5.1) on one thread."""
    return _run(problem, parameters, monitor, steps, _scalar_products, kinds.SCALAR_PRODUCTS)


def viterbi_matvecprod(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TROPMATVECPRODVITERBI (algorithm 5.2): a row times a matrix for every letter."""
    return _run(problem, parameters, monitor, steps, _rows_times_matrices, kinds.ROWS)


def viterbi_matprod_smem(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """SMemViterbi: TROPMATPRODVITERBI (algorithm 5.3), every S put together before it is multiplied."""
    return _run(problem, parameters, monitor, steps, partial(_matrix_products, shared=True), kinds.MATRIX_PRODUCTS)


def viterbi_matprod_tmem(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TMemViterbi: as SMemViterbi, with the transitions read where they are."""
    return _run(problem, parameters, monitor, steps, partial(_matrix_products, shared=False), kinds.MATRIX_PRODUCTS)


def viterbi_tree(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Products of pieces in parallel, joined in a tree; then the rows of all pieces in parallel."""
    return _run(problem, parameters, monitor, steps, cpu_pieces.by_tree, kinds.TREE)


def viterbi_persistent(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Rows of all pieces in parallel from guessed starts, corrected until they are parallel to the right ones."""
    return _run(problem, parameters, monitor, steps, cpu_pieces.by_correction, kinds.PIECES)


def _run(
    problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps, fill: Fill, kind: Kind
) -> Outcome:
    """All rows, then the path back through them."""
    times_ms = {"compilation": time_ms(partial(_compiled, fill)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    if not problem.n:
        return Outcome(answer(problem, np.empty(0, np.int32)), times_ms)
    model = tables(problem)
    rows = np.empty(problem.n * model.width)
    rows[: model.width] = model.initial
    fill(model, rows, typed(HmmParameters, parameters), monitor, PhaseLog(steps, ROWS, clock.started_ns))
    clock.phase("rows")
    path = _path(model, rows, monitor, PhaseLog(steps, PATH, clock.started_ns))
    del rows  # before what the answer needs
    clock.phase("path")
    needed = sum(sizes.parts(problem, parameters, kind).values())
    return Outcome(answer(problem, path), times_ms, needed)


def _compiled(fill: Fill) -> None:
    """Run once on a tiny model, so that nothing is compiled while the clock runs."""
    model = cpu_pieces.tiny_tables()
    rows = np.zeros(len(model.seen) * model.width)
    log = PhaseLog(Steps(), ROWS, 0)
    fill(model, rows, HmmParameters(piece=1), Monitor(), log)
    _path(model, rows, Monitor(), log)


def _path(model: Tables, rows: np.ndarray, monitor: Monitor, log: PhaseLog) -> np.ndarray | None:
    path = np.empty(len(model.seen), np.int32)
    found = [False]

    def work(worker: int) -> None:
        begun_ns = time.perf_counter_ns()
        found[0] = cpu_rows.trace_back(rows, model, 0, len(path) - 1, path, stop)
        log.add(0, (0, model.states), (0, path.size), worker, begun_ns)

    stop = workers.stop_word()
    workers.share(work, 1, stop, monitor.check)
    return path if found[0] else None


def _sliced(model: Tables, monitor: Monitor, log: PhaseLog, step: Callable[[int, int], Any]) -> None:
    """``step(first, last)`` over all letters but the last, a fraction of a second at a time."""
    steps = len(model.seen) - 1
    several = max(1, SLICE // model.states**2)
    for first in range(0, steps, several):
        monitor.update(first, steps, "rows")
        last, begun_ns = min(first + several, steps), time.perf_counter_ns()
        step(first, last)
        log.add(0, (0, model.states), (first, last), 0, begun_ns)
    monitor.update(steps, steps, "rows")


def _serial(model: Tables, rows: np.ndarray, parameters: HmmParameters, monitor: Monitor, log: PhaseLog) -> None:
    def step(first: int, last: int) -> None:
        cpu_rows.serial(rows, model, first, last)

    rows[:] = np.inf
    rows[: model.width] = model.initial
    _sliced(model, monitor, log, step)


def _scalar_products(
    model: Tables, rows: np.ndarray, parameters: HmmParameters, monitor: Monitor, log: PhaseLog
) -> None:
    def step(first: int, last: int) -> None:
        cpu_rows.scalar_products(rows, model, sums, first, last)

    width = model.width
    sums = (model.columns.reshape(1, width, width) + model.emissions.reshape(-1, 1, width)).ravel()
    rows[:] = np.inf
    rows[:width] = model.initial
    _sliced(model, monitor, log, step)


def _rows_times_matrices(
    model: Tables, rows: np.ndarray, parameters: HmmParameters, monitor: Monitor, log: PhaseLog
) -> None:
    stop = workers.stop_word()

    def step(first: int, last: int) -> None:
        start = rows[first * model.width : (first + 1) * model.width].copy()
        cpu_rows.advance(start, rows, model, first, last, stop)

    _sliced(model, monitor, log, step)


def _matrix_products(
    model: Tables, rows: np.ndarray, parameters: HmmParameters, monitor: Monitor, log: PhaseLog, shared: bool
) -> None:
    """P x S for every letter, P being an identity with the initial costs above it: that row is the row of Viterbi.

    A worker takes some rows of P through all letters: no row of a product needs another.
    """
    threads = parameters.threads
    factors = cpu_pieces.identity_and(model, model.initial)
    height, steps = len(factors), len(model.seen) - 1
    bands = np.linspace(0, height // cpu_rows.BAND, threads + 1).astype(int) * cpu_rows.BAND
    stop, done = workers.stop_word(), np.zeros(threads, np.int64)

    def work(worker: int) -> None:
        band = factors[bands[worker] : bands[worker + 1]]
        several = max(1, SLICE // max(1, len(band) * model.states**2))
        for first in range(0, steps if len(band) else 0, several):
            last, begun_ns = min(first + several, steps), time.perf_counter_ns()
            stopped = cpu_rows.products(band.reshape(-1), model, first, last, shared, bands[worker] == 0, rows, stop)
            if stopped < last:
                return
            done[worker] += (last - first) * len(band)
            log.add(worker, (int(bands[worker]), int(bands[worker + 1])), (first, last), worker, begun_ns)

    workers.share(work, threads, stop, lambda: monitor.update(int(done.sum()), max(1, steps * height), "rows"))
