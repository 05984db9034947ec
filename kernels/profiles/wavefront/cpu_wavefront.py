"""ProfileWavefront on the CPU: threads take strips in order, each a batch of rows behind its left neighbour."""

from __future__ import annotations

import itertools
import threading
from functools import cache

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phase_times import measure_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.scoring import GLOBAL, EncodedProfiles
from antidiag.kernels.profiles.parameters import ProfileStripParameters
from antidiag.kernels.profiles.problem import Problem, ProfileAnswer
from antidiag.kernels.profiles.wavefront import cpu_strips
from antidiag.kernels.profiles.wavefront.cpu_strips import (
    WIDEN,
    WORD,
    KeptStripBorders,
    ProfileStripProblem,
    ProfileStripProgress,
)
from antidiag.kernels.profiles.whole_table import cpu_cells
from antidiag.kernels.profiles.whole_table.cpu_cells import NEVER
from antidiag.kernels.profiles.whole_table.cpu_table import ProfileTableRun, complete_answer, tiny_problem
from antidiag.kernels.steps import StepLog


def align_by_strips(problem: Problem, parameters: ProfileStripParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best alignment by strips; the whole table is never in memory."""
    compilation_ms = measure_ms(_compile_once)
    return _align_in_strips(ProfileTableRun.start_run(problem.encoded, compilation_ms, monitor, steps), parameters)


def _align_in_strips(run: ProfileTableRun, chosen: ProfileStripParameters) -> Outcome:
    """Align in strips and time the phases."""
    whole = make_strip_problem(run.made, chosen.s, chosen.T)
    kept, packed = allocate_borders(whole), cpu_strips.pack_rows(whole.rows)
    compute_strips(run, whole, packed, kept, chosen.threads)
    run.clock.end_phase("strips")
    answer = trace_answer(run.made, whole, packed, kept, run.monitor)
    run.clock.end_phase("path")
    arrays = (*kept, packed, whole.first_row, whole.first_column)
    return Outcome(answer, run.times_ms, sum(one.nbytes for one in arrays))


def make_strip_problem(encoded: EncodedProfiles, s: int, batch: int) -> ProfileStripProblem:
    """Return a problem with the borders of its table, to be cut into strips and batches."""
    first_row: np.ndarray = np.zeros(encoded.n + 1, np.int32)
    first_column: np.ndarray = np.zeros(encoded.m + 1, np.int32)
    if encoded.mode == GLOBAL:
        first_row[1:] = -cpu_cells.border_costs(encoded.column_open, encoded.column_extend)
        first_column[1:] = -cpu_cells.border_costs(encoded.row_open, encoded.row_extend)
    return ProfileStripProblem(
        encoded.rows,
        encoded.columns,
        encoded.row_bias,
        encoded.column_bias,
        encoded.row_open,
        encoded.row_extend,
        encoded.column_open,
        encoded.column_extend,
        cpu_cells.score_finish(encoded),
        first_row,
        first_column,
        (encoded.m, encoded.n, s, batch, encoded.mode),
        encoded.linear,
    )


def allocate_borders(strip_problem: ProfileStripProblem) -> KeptStripBorders:
    """Allocate the borders of all strips and batches, and set those of the table."""
    m, n, s, batch, _ = strip_problem.cuts
    strips, batches = -(-n // s), -(-m // batch)
    columns: np.ndarray = np.empty((strips + 1, 2, m + 1), np.int32)
    columns[0, 0], columns[0, 1] = strip_problem.first_column, NEVER
    padded = -(-min(s, n) // WIDEN) * WIDEN
    rows: np.ndarray = np.empty((strips, batches - 1, 2, padded), np.int32)
    return KeptStripBorders(columns, rows, np.zeros((strips, 3), np.int64))


def compute_strips(
    run: ProfileTableRun,
    strip_problem: ProfileStripProblem,
    packed: np.ndarray,
    borders: KeptStripBorders,
    threads: int,
) -> None:
    """Compute all strips on threads; keep their borders and the last rows of batches."""
    m, n, s, batch, _ = strip_problem.cuts
    count, batches = -(-n // s), -(-m // batch)
    turns, tickets = ProfileStripProgress(np.zeros(count * WORD, np.int64), workers.make_stop_word()), itertools.count()
    log, lock = run.phase_log(1), threading.Lock()

    def work(worker: int) -> None:
        times: np.ndarray = np.zeros((batches, 2), np.int64)
        while not turns.stop[0]:
            with lock:
                number = next(tickets)
            if number >= count or not cpu_strips.compute_strip(strip_problem, packed, number, borders, turns, times):
                return
            columns = (number * s, min(number * s + s, n))
            for at, (begun_ns, ended_ns) in enumerate((times - log.started_ns).tolist()):
                rows = (at * batch, min(at * batch + batch, m))
                run.steps.add(1, number, rows, columns, worker, begun_ns, ended_ns)

    total = count * m
    workers.share_work(
        work, min(threads, count), turns.stop, lambda: run.monitor.update(int(turns.words.sum()), total, "strips")
    )


def trace_answer(
    encoded: EncodedProfiles,
    strip_problem: ProfileStripProblem,
    packed: np.ndarray,
    borders: KeptStripBorders,
    monitor: Monitor,
) -> ProfileAnswer:
    """Trace the path by kept borders, on a worker thread that hears Cancel."""
    stop, found = workers.make_stop_word(), []
    score, i, j = cpu_strips.find_best_end(strip_problem, borders)
    operations = np.empty(i + j, np.uint8)

    def work(worker: int) -> None:
        found.append(cpu_strips.trace_path(strip_problem, packed, borders, i, j, operations, stop))

    workers.share_work(work, 1, stop, monitor.check)
    count, first, second, _ = found[0]
    return complete_answer(
        encoded.mode, (encoded.m, encoded.n), score, (first, second), (i, j), operations[:count][::-1]
    )


@cache
def _compile_once() -> None:
    """Compile everything, or load it from the cache folder, by running on a tiny problem."""
    _align_in_strips(
        ProfileTableRun.start_run(tiny_problem(), 0.0, Monitor(), StepLog()),
        ProfileStripParameters(s=64, T=16, threads=1),
    )
