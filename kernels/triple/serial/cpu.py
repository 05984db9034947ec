"""Scoring and Traceback on the CPU (Li et al. 2014, table 1): what is run, and what is returned."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple.encoding import NEGATIVE, EncodedTriple, encode_problem
from antidiag.kernels.triple.model import MOVE_ORDER, TripleProblem
from antidiag.kernels.triple.reference import OPENINGS
from antidiag.kernels.triple.serial import cpu_rows
from antidiag.kernels.triple.serial.cpu_rows import TripleGaps, TripleScores


def scoring(problem: TripleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: StepLog) -> Outcome:
    """Run Scoring: two planes of the cube, on one core."""
    return _run_serial(problem, monitor, steps, False)


def traceback(problem: TripleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: StepLog) -> Outcome:
    """Run Traceback: two planes, and the best move of every cell is kept."""
    return _run_serial(problem, monitor, steps, True)


def _run_serial(problem: TripleProblem, monitor: Monitor, steps: StepLog, keeps: bool) -> Outcome:
    run, encoded = CpuRun(monitor, steps), encode_problem(problem)
    run.compile(lambda: _compile_serial(encoded.affine, keeps))
    return _compute_answer(run, encoded, keeps)


@cache
def _compile_serial(affine: bool, keeps: bool) -> None:
    """Compile, or load from the cache folder, by running on a tiny problem."""
    tiny = EncodedTriple((np.zeros(1, np.uint8),) * 3, np.zeros((1, 1), np.int32), int(affine), 0)
    _compute_answer(CpuRun(), tiny, keeps)


def _compute_answer(run: CpuRun, encoded: EncodedTriple, keeps: bool) -> Outcome:
    """Compute the cube, and the path where moves are kept."""
    with run.phase("phase 1", encoded.cells[0]) as phase:
        score, found, bytes_used = _fill_cube(phase, encoded, keeps)
    if found is None:
        return Outcome(encoded.make_answer(score), run.times_ms, bytes_used)
    with run.phase("phase 2"):
        path = _find_path(encoded, found)
    return Outcome(encoded.make_answer(score, path), run.times_ms, bytes_used + sum(encoded.cells))


def make_scores(encoded: EncodedTriple, third: np.ndarray) -> TripleScores:
    """Return the scores of a problem, the codes of the third sequence being ``third``."""
    return TripleScores(encoded.table, *encoded.codes[:2], np.ascontiguousarray(encoded.table[:, third]))


def make_gaps(encoded: EncodedTriple) -> TripleGaps:
    """Return the rule for ties and the costs of opening gaps."""
    costs = np.zeros((8, 8), np.int32)
    for (before, after), count in OPENINGS.items():
        costs[before, after] = count * encoded.open
    return TripleGaps(np.array(MOVE_ORDER), costs)


def _find_path(encoded: EncodedTriple, found: np.ndarray) -> np.ndarray:
    """Return the moves of the path, from the first one on; ``found`` are the best moves of all cells."""
    backwards = np.empty(sum(encoded.cells), np.uint8)
    count = cpu_rows.walk_back(found, encoded.affine, backwards)
    return backwards[: count - 1][::-1].copy()


def _fill_cube(phase: CpuPhase, encoded: EncodedTriple, keeps: bool) -> tuple[int, np.ndarray | None, int]:
    """Return H' of the last cell, the moves where they are kept, and the bytes that were used."""
    i_cells, j_cells, k_cells = encoded.cells
    shape = (2, j_cells + 1, k_cells + 1, *((8,) if encoded.affine else ()))
    planes = np.full(shape, NEGATIVE, np.int32)
    planes[(1, 0, 0, *((7,) if encoded.affine else ()))] = 0
    moves = np.empty(encoded.cells, np.int32 if encoded.affine else np.uint8) if keeps else None
    scores = make_scores(encoded, encoded.codes[2])
    common, call = (
        ((make_gaps(encoded), scores), cpu_rows.affine_rows) if encoded.affine else ((scores,), cpu_rows.rows)
    )
    stop, begun_ns = phase.run.stop, time.perf_counter_ns()
    band = max(1, cpu_rows.CELLS_PER_CHECK // k_cells)

    def work(worker: int) -> None:
        for i in range(i_cells):
            for first in range(0, j_cells, band):
                if stop[0]:
                    return
                call(planes, moves, *common, i, first, min(first + band, j_cells))
            if i == 0:  # beyond the first cell, the border is no source
                planes[(1, 0, 0, *((7,) if encoded.affine else ()))] = NEGATIVE
            phase.done[0] += 1

    phase.share(work)
    end = encoded.end_cell
    phase.log(LoggedCells((0, end[0]), (0, end[1]), layers=(0, end[2])), 0, begun_ns)
    last = planes[(1 - i_cells % 2, -1, -1)]
    used = planes.nbytes + scores.profile.nbytes + (0 if moves is None else moves.nbytes)
    return int(last[7] if encoded.affine else last), moves, used
