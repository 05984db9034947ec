"""The methods of three sequences on the CPU (000, sections 4 and 5): what is run, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu.phases import PhaseClock, time_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps
from antidiag.kernels.triple.chunks import cpu_cube, cpu_path, int16
from antidiag.kernels.triple.chunks.cpu_cube import Cube, Worker
from antidiag.kernels.triple.encoding import Encoded, encode
from antidiag.kernels.triple.grid import KINDS, Grid, Kind, grid, refuse_layers
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import ChunkParameters

Run = Callable[[TripleProblem, Mapping[str, Any], Monitor, Steps], Outcome]


def _chunked(kind: Kind) -> Run:
    """The run of a method that computes chunks."""

    def run(problem: TripleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
        refuse_layers(problem, kind)
        encoded, own = encode(problem), typed(ChunkParameters, parameters)
        chunks = grid(problem, own.s, own.h)
        narrow = int16.fits(encoded, kind, chunks)
        times_ms = {"compilation": time_ms(lambda: _compiled(kind, encoded.affine, narrow)), "transfer": 0.0}
        cube = Cube(encoded, chunks, kind, own.threads, narrow)
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
