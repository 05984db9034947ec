"""Scoring and Traceback on the CPU (000, table 1): what is run, and what comes back."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu.phases import PhaseClock, time_ms
from antidiag.kernels.cpu.workers import share, stop_word
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import Steps
from antidiag.kernels.triple.encoding import NEGATIVE, Encoded, encode
from antidiag.kernels.triple.model import ORDER, TripleProblem
from antidiag.kernels.triple.reference import OPENINGS
from antidiag.kernels.triple.serial import cpu_rows
from antidiag.kernels.triple.serial.cpu_rows import Gaps, Scores


def scoring(problem: TripleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Scoring: two planes of the cube, on one core."""
    return _serial(problem, monitor, steps, False)


def traceback(problem: TripleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Traceback: the same, with the best move of every cell kept."""
    return _serial(problem, monitor, steps, True)


def _serial(problem: TripleProblem, monitor: Monitor, steps: Steps, keeps: bool) -> Outcome:
    encoded = encode(problem)
    compiling_ms = time_ms(lambda: _compiled_serial(encoded.affine, keeps))
    clock = PhaseClock(times_ms := {"compilation": compiling_ms, "transfer": 0.0})
    score, found, bytes_used = _fill(encoded, monitor, steps, clock.started_ns, keeps)
    clock.phase("phase 1")
    if found is None:
        return Outcome(encoded.answer(score), times_ms, bytes_used)
    path = _path(encoded, found)
    clock.phase("phase 2")
    return Outcome(encoded.answer(score, path), times_ms, bytes_used + sum(encoded.cells))


@cache
def _compiled_serial(affine: bool, keeps: bool) -> None:
    """Compile, or load from the cache folder, by running on a tiny problem."""
    tiny = Encoded((np.zeros(1, np.uint8),) * 3, np.zeros((1, 1), np.int32), int(affine), 0)
    _, found, _ = _fill(tiny, Monitor(), Steps(), 0, keeps)
    if found is not None:
        _path(tiny, found)


def scores_of(encoded: Encoded, third: np.ndarray) -> Scores:
    """The scores of a problem, the codes of the third sequence being ``third``."""
    return Scores(encoded.table, *encoded.codes[:2], np.ascontiguousarray(encoded.table[:, third]))


def gaps_of(encoded: Encoded) -> Gaps:
    """The rule for ties and the costs of opening gaps."""
    costs = np.zeros((8, 8), np.int32)
    for (before, after), count in OPENINGS.items():
        costs[before, after] = count * encoded.open
    return Gaps(np.array(ORDER), costs)


def _path(encoded: Encoded, found: np.ndarray) -> np.ndarray:
    """The moves of the path, from the first one on; ``found`` are the best moves of all cells."""
    backwards = np.empty(sum(encoded.cells), np.uint8)
    count = cpu_rows.path(found, encoded.affine, backwards)
    return backwards[: count - 1][::-1].copy()


def _fill(
    encoded: Encoded, monitor: Monitor, steps: Steps, started_ns: int, keeps: bool
) -> tuple[int, np.ndarray | None, int]:
    """H' of the last cell, the moves where they are kept, and the bytes that were used."""
    i_cells, j_cells, k_cells = encoded.cells
    shape = (2, j_cells + 1, k_cells + 1, *((8,) if encoded.affine else ()))
    planes = np.full(shape, NEGATIVE, np.int32)
    planes[(1, 0, 0, *((7,) if encoded.affine else ()))] = 0
    moves = np.empty(encoded.cells, np.int32 if encoded.affine else np.uint8) if keeps else None
    scores = scores_of(encoded, encoded.codes[2])
    common, call = ((gaps_of(encoded), scores), cpu_rows.affine_rows) if encoded.affine else ((scores,), cpu_rows.rows)
    stop, done = stop_word(), [0]
    band = max(1, cpu_rows.CELLS // k_cells)

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
    share(work, 1, stop, lambda: monitor.update(done[0], i_cells, "phase 1"))
    ended_ns = time.perf_counter_ns()
    end = encoded.end
    steps.add(1, 0, (0, end[0]), (0, end[1]), 0, begun_ns - started_ns, ended_ns - started_ns, (0, end[2]))
    last = planes[(1 - i_cells % 2, -1, -1)]
    used = planes.nbytes + scores.profile.nbytes + (0 if moves is None else moves.nbytes)
    return int(last[7] if encoded.affine else last), moves, used
