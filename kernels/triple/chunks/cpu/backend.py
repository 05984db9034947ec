"""The methods of three sequences on the CPU (Li et al. 2014, sections 4 and 5): what is run, and what is returned."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from antidiag.kernels.cpu.phase_times import PhaseClock, measure_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple.chunks.cpu import int16, path
from antidiag.kernels.triple.chunks.cpu.chunked_cube import ChunkedCube, ChunkWorker, compute_cube
from antidiag.kernels.triple.encoding import EncodedTriple, encode_problem
from antidiag.kernels.triple.grid import CHUNK_KINDS, ChunkGrid, ChunkKind, make_grid, refuse_layers
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import ChunkParameters

BackendRun = Callable[[TripleProblem, ChunkParameters, Monitor, StepLog], Outcome]


def _make_backend(kind: ChunkKind) -> BackendRun:
    """Make the backend of a method that computes chunks."""

    def run(problem: TripleProblem, parameters: ChunkParameters, monitor: Monitor, steps: StepLog) -> Outcome:
        refuse_layers(problem, kind)
        encoded = encode_problem(problem)
        chunks = make_grid(problem, parameters.s, parameters.subchunk_height)
        narrow = int16.fits_int16(encoded, kind, chunks)
        times_ms = {"compilation": measure_ms(lambda: _compile_method(kind, encoded.affine, narrow)), "transfer": 0.0}
        cube = ChunkedCube(encoded, chunks, kind, parameters.threads, narrow)
        return _compute_answer(cube, times_ms, monitor, steps)

    return run


def _compute_answer(cube: ChunkedCube, times_ms: dict[str, float], monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute all chunks, then the path where the method keeps faces."""
    clock = PhaseClock(times_ms)
    bytes_1 = compute_cube(cube, monitor, steps, clock.started_ns)
    clock.end_phase("phase 1")
    if not cube.kind.keeps_faces:
        return Outcome(cube.encoded.make_answer(int(cube.last[0])), times_ms, cube.host_bytes + bytes_1)
    pieces = path.find_parts(cube) if cube.kind.has_local_starts else []
    if pieces:
        clock.end_phase("phase 2")
    workers = [ChunkWorker(cube, number, moves=True) for number in range(min(cube.workers, len(pieces) or 1))]
    if pieces:
        moves = path.compute_moves(cube, pieces, workers, monitor, steps, clock.started_ns)
    else:
        moves = path.compute_moves_backwards(cube, workers[0], monitor, steps, clock.started_ns)
    clock.end_phase("phase 3")
    bytes_3 = sum(worker.host_bytes for worker in workers)
    return Outcome(
        cube.encoded.make_answer(int(cube.last[0]), moves), times_ms, cube.host_bytes + max(bytes_1, bytes_3)
    )


@cache
def _compile_method(kind: ChunkKind, affine: bool, narrow: bool) -> None:
    """Compile, or load from the cache folder, by running on a tiny problem."""
    codes = np.array([1, 0], np.uint8)
    encoded = EncodedTriple((codes, codes, codes), np.zeros((2, 2), np.int32), int(affine), 1)
    cube = ChunkedCube(encoded, grid_of_two(kind), kind, 1, narrow)
    _compute_answer(cube, {}, Monitor(), StepLog())


def grid_of_two(kind: ChunkKind) -> ChunkGrid:
    """Two cells a side."""
    return ChunkGrid((2, 2, 2), 16, 1 if kind.has_subchunks else 2)


layered, sloped = _make_backend(CHUNK_KINDS["layered"]), _make_backend(CHUNK_KINDS["sloped"])
layered_bt1, layered_bt2, layered_bt3 = (_make_backend(CHUNK_KINDS[f"layered-bt{number}"]) for number in (1, 2, 3))
sloped_bt1, sloped_bt2, sloped_bt3 = (_make_backend(CHUNK_KINDS[f"sloped-bt{number}"]) for number in (1, 2, 3))
sloped_checkpointed = _make_backend(CHUNK_KINDS["sloped-checkpointed"])
