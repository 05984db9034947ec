"""ProfileWavefront on the CPU: threads take strips in order, each a batch of rows behind its left neighbour."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.scoring import LOCAL, EncodedProfiles
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
from antidiag.kernels.profiles.whole_table.cpu_table import complete_answer, tiny_problem
from antidiag.kernels.steps import StepLog


def align_by_strips(problem: Problem, parameters: ProfileStripParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best alignment by strips; the whole table is never in memory."""
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_once)
    return _align_in_strips(run, problem.encoded, parameters)


def _align_in_strips(run: CpuRun, encoded: EncodedProfiles, chosen: ProfileStripParameters) -> Outcome:
    """Align in strips and time the phases."""
    whole = make_strip_problem(encoded, chosen.s, chosen.T)
    kept, packed = allocate_borders(whole), cpu_strips.pack_rows(encoded.rows)
    compute_strips(run, whole, packed, kept)
    with run.phase("path") as phase:
        answer = phase.call(lambda: trace_answer(whole, packed, kept, run.stop))
    arrays = (*kept, packed, whole.first_row, whole.first_column)
    return Outcome(answer, run.times_ms, sum(one.nbytes for one in arrays))


def make_strip_problem(encoded: EncodedProfiles, s: int, batch: int) -> ProfileStripProblem:
    """Return a problem with the borders of its table, to be cut into strips and batches."""
    first_row, first_column = cpu_cells.table_borders(encoded)
    cuts = encoded.m, encoded.n, s, batch, encoded.mode
    return ProfileStripProblem(encoded, first_row, first_column, cuts, encoded.has_linear_gaps)


def allocate_borders(strip_problem: ProfileStripProblem) -> KeptStripBorders:
    """Allocate the borders of all strips and batches, and set those of the table."""
    m, n, s, batch, mode = strip_problem.cuts
    strips, batches = -(-n // s), -(-m // batch)
    columns: np.ndarray = np.empty((strips + 1, 2, m + 1), np.int32)
    columns[0, 0], columns[0, 1] = strip_problem.first_column, NEVER
    padded = -(-min(s, n) // WIDEN) * WIDEN
    rows: np.ndarray = np.empty((strips, batches - 1, 2, padded), np.int32)
    best = np.zeros((strips, 3), np.int64)
    if mode != LOCAL:  # whose scores are never negative
        best[:, 0] = NEVER
    return KeptStripBorders(columns, rows, best)


def compute_strips(
    run: CpuRun, strip_problem: ProfileStripProblem, packed: np.ndarray, borders: KeptStripBorders
) -> None:
    """Compute all strips on threads; keep their borders and the last rows of batches."""
    m, n, s, batch, _ = strip_problem.cuts
    count, batches = -(-n // s), -(-m // batch)
    turns = ProfileStripProgress(np.zeros(count * WORD, np.int64), run.stop)
    with run.phase("strips", total=count * m) as phase:

        def compute(worker: int, number: int) -> None:
            times: np.ndarray = np.zeros((batches, 2), np.int64)
            if not cpu_strips.compute_strip(strip_problem, packed, number, borders, turns, times):
                return
            columns = (number * s, min(number * s + s, n))
            for at, (begun_ns, ended_ns) in enumerate(times.tolist()):
                rows = (at * batch, min(at * batch + batch, m))
                phase.log(LoggedCells(rows, columns, number), worker, begun_ns, ended_ns=ended_ns)

        phase.share_tasks(range(count), compute, report=lambda: phase.report(int(turns.words.sum())))


def trace_answer(
    strip_problem: ProfileStripProblem, packed: np.ndarray, borders: KeptStripBorders, stop: np.ndarray
) -> ProfileAnswer:
    """Trace the path by kept borders; the answer is not complete if the run was stopped."""
    m, n, _, _, mode = strip_problem.cuts
    score, i, j = cpu_strips.find_best_end(strip_problem, borders)
    operations = np.empty(i + j, np.uint8)
    count, first, second, _ = cpu_strips.trace_path(strip_problem, packed, borders, i, j, operations, stop)
    return complete_answer(mode, (m, n), score, (first, second), (i, j), operations[: max(count, 0)][::-1])


def _compile_once() -> None:
    """Compile everything, or load it from the cache folder, by running on a tiny problem."""
    _align_in_strips(CpuRun(), tiny_problem(), ProfileStripParameters(s=64, T=16, threads=1))
