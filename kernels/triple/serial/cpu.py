"""Scoring and Traceback on the CPU (Li et al. 2014, table 1): what is run, and what is returned."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple.encoding import NEGATIVE, EncodedTriple, encode_problem
from antidiag.kernels.triple.model import MOVE_ORDER, Cell, TripleProblem
from antidiag.kernels.triple.reference import OPENINGS
from antidiag.kernels.triple.serial import cpu_rows
from antidiag.kernels.triple.serial.cpu_rows import TripleGaps, TripleScores


def _run_serial(
    problem: TripleProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog, keeps: bool
) -> Outcome:
    run, encoded = CpuRun(monitor, steps), encode_problem(problem)
    run.compile_once(_compile_serial, encoded.has_affine_gaps, keeps)
    return _compute_answer(run, encoded, keeps)


def _compile_serial(affine: bool, keeps: bool) -> None:
    """Compile, or load from the cache folder, by running on a tiny problem."""
    tiny = EncodedTriple((np.zeros(1, np.uint8),) * 3, np.zeros((1, 1), np.int32), int(affine), 0)
    _compute_answer(CpuRun(), tiny, keeps)


def _compute_answer(run: CpuRun, encoded: EncodedTriple, keeps: bool) -> Outcome:
    """Compute the cube, and the path where moves are kept."""
    i_cells, j_cells, k_cells = encoded.cells
    moves = np.empty(encoded.cells, np.int32 if encoded.has_affine_gaps else np.uint8) if keeps else None
    with run.phase("phase 1", i_cells * j_cells) as phase:
        begun_ns = time.perf_counter_ns()
        (plane,) = deque(iterate_planes(encoded, encoded.cells, phase.report, moves), maxlen=1)
        phase.report(phase.total)
        i, j, k = encoded.end_cell
        phase.log(LoggedCells((0, i), (0, j), layers=(0, k)), 0, begun_ns)
    planes_bytes = 2 * (j_cells + 1) * (k_cells + 1) * plane.itemsize * (8 if encoded.has_affine_gaps else 1)
    used = planes_bytes + 4 * encoded.letter_count * k_cells + (0 if moves is None else moves.nbytes)
    score = int(plane[(-1, -1, 7) if encoded.has_affine_gaps else (-1, -1)])
    if moves is None:
        return Outcome(encoded.make_answer(score), run.times_ms, used)
    with run.phase("phase 2"):
        path = _find_path(encoded, moves)
    return Outcome(encoded.make_answer(score, path), run.times_ms, used + sum(encoded.cells))


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
    count = cpu_rows.walk_back(found, encoded.has_affine_gaps, backwards)
    return backwards[: count - 1][::-1].copy()


def iterate_planes(
    encoded: EncodedTriple, cells: Cell, report: Callable[[int], None], moves: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """Yield H' of every plane i, of so many cells along each side; a plane is overwritten two planes later.

    With affine gaps, a cell has the values of all moves. ``report`` gets the number of finished rows of cells along k,
    some times a second. ``moves`` takes the best moves of all cells; see `cpu_rows`.
    """
    values = (8,) if encoded.has_affine_gaps else ()
    planes = np.full((2, cells[1] + 1, cells[2] + 1, *values), NEGATIVE, np.int32)
    seed = (1, 0, 0, *((7,) if encoded.has_affine_gaps else ()))
    planes[seed] = 0
    scores = make_scores(encoded, encoded.codes[2][: cells[2]])
    common, call = (
        ((make_gaps(encoded), scores), cpu_rows.affine_rows) if encoded.has_affine_gaps else ((scores,), cpu_rows.rows)
    )
    band = max(1, cpu_rows.VALUES_PER_CHECK // planes[0, 0].size)
    for i in range(cells[0]):
        for first in range(0, cells[1], band):
            report(i * cells[1] + first)
            call(planes, moves, *common, i, first, min(first + band, cells[1]))
        planes[seed] = NEGATIVE  # beyond the first cell, the border is no source
        yield planes[i % 2, 1:, 1:]


run_scoring = partial(_run_serial, keeps=False)
"""Scoring: two planes of the cube, on one core."""
run_traceback = partial(_run_serial, keeps=True)
"""Traceback: two planes, and the best move of every cell is kept."""
