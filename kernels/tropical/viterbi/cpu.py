"""The methods of Viterbi on the CPU (003, chapter 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from kernels import workers
from kernels.errors import ScoreOverflow
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.phases import PhaseClock, time_ms
from kernels.steps import Steps
from kernels.tropical.viterbi import cpu_pieces, cpu_rows, sizes
from kernels.tropical.viterbi.cpu_tables import Tables, probabilities, tables
from kernels.tropical.viterbi.problem import HmmProblem, answer

SLICE = 1 << 25
"""Cells between two looks of a serial method at whether the user cancelled."""

Fill = Callable[[Tables, np.ndarray, Mapping[str, Any], Monitor], None]


def viterbi_serial(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TROPVITERBI (algorithm 2.6) on one thread."""
    return _run(problem, parameters, monitor, _serial, "viterbi-serial")


def viterbi_probabilities(
    problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """VITERBI (algorithm 2.5) on one thread; ScoreOverflow where every probability vanishes that should not."""
    tiny = cpu_pieces.tiny_tables()
    times_ms = {"compilation": time_ms(partial(_most_probable, tiny, Monitor(), {})), "transfer": 0.0}
    if not problem.n:
        return Outcome(answer(problem, np.empty(0, np.int32)), times_ms)
    path = _most_probable(probabilities(problem), monitor, times_ms)
    if path is None and viterbi_serial(problem, {}, monitor, steps).answer.states is not None:
        raise ScoreOverflow(
            f"{problem.title}: probabilities become smaller than a number of 64 bits can be; choose viterbi-serial, "
            "which computes in logarithms"
        )
    needed = sum(sizes.parts(problem, parameters, "viterbi-probabilities").values())
    return Outcome(answer(problem, path), times_ms, needed)


def _most_probable(model: Tables, monitor: Monitor, times_ms: dict[str, float]) -> np.ndarray | None:
    """The path over probabilities; its times go to ``times_ms``."""
    clock = PhaseClock(times_ms)
    rows, path = np.zeros(len(model.seen) * model.width), np.empty(len(model.seen), np.int32)
    rows[: model.width] = model.initial
    common = (rows, model.width, model.states, model.columns, model.emissions, model.seen)
    _sliced(model, monitor, model.states**2, lambda first, last: cpu_rows.probabilities(*common, first, last))
    clock.phase("rows")
    found = cpu_rows.trace_back_probabilities(*common, path)
    clock.phase("path")
    return path if found else None


def viterbi_scalprod(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TROPSCALPRODVITERBI (algorithm 5.1) on one thread."""
    return _run(problem, parameters, monitor, _scalar_products, "viterbi-scalprod")


def viterbi_matvecprod(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TROPMATVECPRODVITERBI (algorithm 5.2): a row times a matrix for every letter."""
    return _run(problem, parameters, monitor, _rows_times_matrices, "viterbi-matvecprod")


def viterbi_matprod_smem(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """SMemViterbi: TROPMATPRODVITERBI (algorithm 5.3), every S put together before it is multiplied."""
    return _run(problem, parameters, monitor, partial(_matrix_products, shared=True), "viterbi-matprod-smem")


def viterbi_matprod_tmem(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TMemViterbi: as SMemViterbi, with the transitions read where they are."""
    return _run(problem, parameters, monitor, partial(_matrix_products, shared=False), "viterbi-matprod-tmem")


def viterbi_tree(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Products of pieces in parallel, joined in a tree; then the rows of all pieces in parallel."""
    return _run(problem, parameters, monitor, cpu_pieces.by_tree, "viterbi-tree")


def viterbi_persistent(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Rows of all pieces in parallel from guessed starts, corrected until they are parallel to the right ones."""
    return _run(problem, parameters, monitor, cpu_pieces.by_correction, "viterbi-persistent")


def _run(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, fill: Fill, method: str) -> Outcome:
    """All rows, then the path back through them."""
    times_ms = {"compilation": time_ms(partial(_compiled, fill)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    if not problem.n:
        return Outcome(answer(problem, np.empty(0, np.int32)), times_ms)
    model = tables(problem)
    rows = np.empty(problem.n * model.width)
    rows[: model.width] = model.initial
    fill(model, rows, parameters, monitor)
    clock.phase("rows")
    path = _path(model, rows, monitor)
    clock.phase("path")
    needed = sum(sizes.parts(problem, parameters, method).values())
    return Outcome(answer(problem, path), times_ms, needed)


def _compiled(fill: Fill) -> None:
    """Run once on a tiny model, so that nothing is compiled while the clock runs."""
    model = cpu_pieces.tiny_tables()
    rows = np.zeros(len(model.seen) * model.width)
    fill(model, rows, {"threads": 1, "piece": 1}, Monitor())
    _path(model, rows, Monitor())


def _path(model: Tables, rows: np.ndarray, monitor: Monitor) -> np.ndarray | None:
    path = np.empty(len(model.seen), np.int32)
    found = [False]

    def work(worker: int) -> None:
        found[0] = cpu_rows.trace_back(rows, model.width, model.states, model.columns, model.emissions, model.seen, 0,
                                       len(path) - 1, path, stop)  # fmt: skip

    stop = workers.stop_word()
    workers.share(work, 1, stop, monitor.check)
    return path if found[0] else None


def _sliced(model: Tables, monitor: Monitor, cells: int, step: Callable[[int, int], Any]) -> None:
    """``step(first, last)`` over all letters but the last, a fraction of a second at a time."""
    steps = len(model.seen) - 1
    several = max(1, SLICE // max(1, cells))
    for first in range(0, steps, several):
        monitor.update(first, steps, "rows")
        step(first, min(first + several, steps))
    monitor.update(steps, steps, "rows")


def _serial(model: Tables, rows: np.ndarray, parameters: Mapping[str, Any], monitor: Monitor) -> None:
    def step(first: int, last: int) -> None:
        cpu_rows.serial(rows, model.width, model.states, model.columns, model.emissions, model.seen, first, last)

    rows[:] = np.inf
    rows[: model.width] = model.initial
    _sliced(model, monitor, model.states**2, step)


def _scalar_products(model: Tables, rows: np.ndarray, parameters: Mapping[str, Any], monitor: Monitor) -> None:
    def step(first: int, last: int) -> None:
        cpu_rows.scalar_products(rows, model.width, model.states, sums, model.seen, first, last)

    width = model.width
    sums = (model.columns.reshape(1, width, width) + model.emissions.reshape(-1, 1, width)).ravel()
    rows[:] = np.inf
    rows[:width] = model.initial
    _sliced(model, monitor, model.states**2, step)


def _rows_times_matrices(model: Tables, rows: np.ndarray, parameters: Mapping[str, Any], monitor: Monitor) -> None:
    stop = workers.stop_word()

    def step(first: int, last: int) -> None:
        start = rows[first * model.width : (first + 1) * model.width].copy()
        cpu_rows.advance(start, rows, model.width, model.states, model.transitions, model.emissions, model.seen, first,
                         last, stop)  # fmt: skip

    _sliced(model, monitor, model.states**2, step)


def _matrix_products(
    model: Tables, rows: np.ndarray, parameters: Mapping[str, Any], monitor: Monitor, shared: bool
) -> None:
    """P x S for every letter, P being an identity with the initial costs above it: that row is the row of Viterbi.

    A worker takes some rows of P through all letters: no row of a product needs another.
    """
    threads = parameters["threads"]
    factors = cpu_pieces.identity_and(model, model.initial)
    height, steps = len(factors), len(model.seen) - 1
    bands = np.linspace(0, height // cpu_rows.BAND, threads + 1).astype(int) * cpu_rows.BAND
    stop, done = workers.stop_word(), np.zeros(threads, np.int64)

    def work(worker: int) -> None:
        band = factors[bands[worker] : bands[worker + 1]]
        several = max(1, SLICE // max(1, len(band) * model.states**2))
        for first in range(0, steps if len(band) else 0, several):
            last = min(first + several, steps)
            if cpu_rows.products(band.reshape(-1), len(band), model.width, model.states, model.transitions,
                                 model.emissions, model.seen, first, last, shared, bands[worker] == 0, rows,
                                 stop) < last:  # fmt: skip
                return
            done[worker] += (last - first) * len(band)

    workers.share(work, threads, stop, lambda: monitor.update(int(done.sum()), max(1, steps * height), "rows"))
