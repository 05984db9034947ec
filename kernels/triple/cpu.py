"""The methods of three sequences on the CPU (000, sections 4 and 5): what is run, and what comes back."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.phases import PhaseClock, time_ms
from kernels.steps import Steps
from kernels.triple import cpu_cube, cpu_path, cpu_serial, short
from kernels.triple.cpu_cube import Cube, Worker
from kernels.triple.encoding import NEGATIVE, Encoded, encode
from kernels.triple.grid import KINDS, Grid, Kind, grid, refuse_layers
from kernels.triple.model import ORDER, TripleProblem
from kernels.triple.reference import OPENINGS
from kernels.workers import share, stop_word

Run = Callable[[TripleProblem, Mapping[str, Any], Monitor, Steps], Outcome]


def _chunked(kind: Kind) -> Run:
    """The run of a method that computes chunks."""

    def run(problem: TripleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
        refuse_layers(problem, kind)
        encoded = encode(problem)
        chunks = grid(problem, parameters["s"], parameters.get("h") if kind.subchunks else None)
        narrow = short.fits(encoded, kind, chunks)
        times_ms = {"compilation": time_ms(lambda: _compiled(kind, encoded.affine, narrow)), "transfer": 0.0}
        cube = Cube(encoded, chunks, kind, parameters["threads"], narrow)
        return _run(cube, times_ms, monitor, steps)

    return run


def _run(cube: Cube, times_ms: dict[str, float], monitor: Monitor, steps: Steps) -> Outcome:
    clock = PhaseClock(times_ms)
    bytes_1 = cpu_cube.compute(cube, monitor, steps, clock.started_ns)
    clock.phase("phase 1")
    if not cube.kind.keeps:
        return Outcome(cube.encoded.answer(int(cube.last[0])), times_ms, cube.nbytes + bytes_1)
    pieces = cpu_path.parts(cube) if cube.kind.starts else []
    if pieces:
        clock.phase("phase 2")
    workers = [Worker(cube, number, moves=True) for number in range(min(cube.workers, len(pieces) or 1))]
    if pieces:
        moves = cpu_path.moves(cube, pieces, workers, monitor, steps, clock.started_ns)
    else:
        moves = cpu_path.moves_backwards(cube, workers[0], monitor, steps, clock.started_ns)
    clock.phase("phase 3")
    bytes_3 = sum(worker.nbytes for worker in workers)
    return Outcome(cube.encoded.answer(int(cube.last[0]), moves), times_ms, cube.nbytes + max(bytes_1, bytes_3))


@cache
def _compiled(kind: Kind, affine: bool, narrow: bool) -> None:
    """Compile, or load from the cache folder, by running on a tiny problem."""
    codes = np.array([1, 0], np.uint8)
    encoded = Encoded((codes, codes, codes), np.zeros((2, 2), np.int32), int(affine), 1)
    cube = Cube(encoded, grid_of_two(kind), kind, 1, narrow)
    _run(cube, {}, Monitor(), Steps())


def grid_of_two(kind: Kind) -> Grid:
    """Two cells a side."""
    return Grid((2, 2, 2), 16, 1 if kind.subchunks else 2)


layered, sloped = _chunked(KINDS["layered"]), _chunked(KINDS["sloped"])
layered_bt1, layered_bt2, layered_bt3 = (_chunked(KINDS[f"layered-bt{number}"]) for number in (1, 2, 3))
sloped_bt1, sloped_bt2, sloped_bt3 = (_chunked(KINDS[f"sloped-bt{number}"]) for number in (1, 2, 3))
sloped_checkpointed = _chunked(KINDS["sloped-checkpointed"])


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


def _path(encoded: Encoded, found: np.ndarray) -> np.ndarray:
    """The moves of the path, from the first one on; ``found`` are the best moves of all cells."""
    backwards = np.empty(sum(encoded.cells), np.uint8)
    count = cpu_serial.path(found, encoded.affine, backwards)
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
    profile = np.ascontiguousarray(encoded.table[:, encoded.codes[2]])
    if encoded.affine:
        costs = np.zeros((8, 8), np.int32)
        for (before, after), count in OPENINGS.items():
            costs[before, after] = count * encoded.open
        common: tuple = (np.array(ORDER), costs, encoded.table, *encoded.codes[:2], profile)
        call = cpu_serial.affine_rows
    else:
        common, call = (encoded.table, *encoded.codes[:2], profile), cpu_serial.rows
    stop, done = stop_word(), [0]
    band = max(1, cpu_serial.CELLS // k_cells)

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
    used = planes.nbytes + profile.nbytes + (0 if moves is None else moves.nbytes)
    return int(last[7] if encoded.affine else last), moves, used
