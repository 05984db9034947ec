"""Scoring and Traceback on the CPU (Li et al. 2014, table 1): what is run, and what is returned."""

from __future__ import annotations

import time
from functools import cache

import numpy as np

from antidiag.kernels.cpu.phase_times import PhaseClock, measure_ms
from antidiag.kernels.cpu.workers import make_stop_word, share_work
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple.encoding import NEGATIVE, EncodedTriple, encode_problem
from antidiag.kernels.triple.model import MOVE_ORDER, TripleProblem
from antidiag.kernels.triple.reference import OPENINGS
from antidiag.kernels.triple.serial import cpu_rows
from antidiag.kernels.triple.serial.cpu_rows import TripleGaps, TripleScores


def scoring(problem: TripleProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run Scoring: two planes of the cube, on one core."""
    return _run_serial(problem, monitor, steps, False)


def traceback(problem: TripleProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run Traceback: two planes, and the best move of every cell is kept."""
    return _run_serial(problem, monitor, steps, True)


def _run_serial(problem: TripleProblem, monitor: Monitor, steps: StepLog, keeps: bool) -> Outcome:
    encoded = encode_problem(problem)
    compiling_ms = measure_ms(lambda: _compile_serial(encoded.affine, keeps))
    clock = PhaseClock(times_ms := {"compilation": compiling_ms, "transfer": 0.0})
    score, found, bytes_used = _fill_cube(encoded, monitor, steps, clock.started_ns, keeps)
    clock.end_phase("phase 1")
    if found is None:
        return Outcome(encoded.make_answer(score), times_ms, bytes_used)
    path = _find_path(encoded, found)
    clock.end_phase("phase 2")
    return Outcome(encoded.make_answer(score, path), times_ms, bytes_used + sum(encoded.cells))


@cache
def _compile_serial(affine: bool, keeps: bool) -> None:
    """Compile, or load from the cache folder, by running on a tiny problem."""
    tiny = EncodedTriple((np.zeros(1, np.uint8),) * 3, np.zeros((1, 1), np.int32), int(affine), 0)
    _, found, _ = _fill_cube(tiny, Monitor(), StepLog(), 0, keeps)
    if found is not None:
        _find_path(tiny, found)


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


def _fill_cube(
    encoded: EncodedTriple, monitor: Monitor, steps: StepLog, started_ns: int, keeps: bool
) -> tuple[int, np.ndarray | None, int]:
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
    stop, done = make_stop_word(), [0]
    band = max(1, cpu_rows.CELLS_PER_CHECK // k_cells)

    def work(worker: int) -> None:
        for i in range(i_cells):
            for first in range(0, j_cells, band):
                if stop[0]:
                    return
                call(planes, moves, *common, i, first, min(first + band, j_cells))
            if i == 0:  # beyond the first cell, the border is no source
                planes[(1, 0, 0, *((7,) if encoded.affine else ()))] = NEGATIVE
            done[0] = i + 1

    begun_ns = time.perf_counter_ns()
    share_work(work, 1, stop, lambda: monitor.update(done[0], i_cells, "phase 1"))
    ended_ns = time.perf_counter_ns()
    end = encoded.end_cell
    steps.add(1, 0, (0, end[0]), (0, end[1]), 0, begun_ns - started_ns, ended_ns - started_ns, (0, end[2]))
    last = planes[(1 - i_cells % 2, -1, -1)]
    used = planes.nbytes + scores.profile.nbytes + (0 if moves is None else moves.nbytes)
    return int(last[7] if encoded.affine else last), moves, used
