"""The methods of three sequences on the CPU (Li et al. 2014, sections 4 and 5): what is run, and what is returned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
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
        cpu_run = CpuRun(monitor, steps, parameters.threads)
        cpu_run.compile_once(_compile_method, kind, encoded.has_affine_gaps, narrow)
        return _compute_answer(ChunkedCube(encoded, chunks, kind, cpu_run, narrow))

    return run


def _compute_answer(cube: ChunkedCube) -> Outcome:
    """Compute all chunks, then the path where the method keeps faces."""
    run, encoded = cube.run, cube.encoded
    with run.phase("phase 1", cube.grid.chunks * cube.grid.cells[2]) as phase:
        thread_bytes = compute_cube(cube, phase)
    moves, score = None, int(cube.last[0])
    if cube.kind.keeps_faces:
        pieces = []
        if cube.kind.has_local_starts:
            with run.phase("phase 2"):
                pieces = path.find_parts(cube)
        with run.phase("phase 3", len(pieces) or sum(encoded.end_cell), number=3) as phase:
            workers = [ChunkWorker(cube, number, moves=True) for number in range(min(run.threads, len(pieces) or 1))]
            if pieces:
                moves = path.compute_moves(cube, pieces, workers, phase)
            else:
                moves = path.compute_moves_backwards(cube, workers[0], phase)
        thread_bytes = max(thread_bytes, sum(worker.host_bytes for worker in workers))
    return Outcome(encoded.make_answer(score, moves), run.times_ms, cube.host_bytes + thread_bytes)


def _compile_method(kind: ChunkKind, affine: bool, narrow: bool) -> None:
    """Compile, or load from the cache folder, by running on a tiny problem."""
    codes = np.array([1, 0], np.uint8)
    encoded = EncodedTriple((codes, codes, codes), np.zeros((2, 2), np.int32), int(affine), 1)
    grid = ChunkGrid((2, 2, 2), 16, 1 if kind.has_subchunks else 2)
    _compute_answer(ChunkedCube(encoded, grid, kind, CpuRun(), narrow))


layered, sloped = _make_backend(CHUNK_KINDS["layered"]), _make_backend(CHUNK_KINDS["sloped"])
layered_bt1, layered_bt2, layered_bt3 = (_make_backend(CHUNK_KINDS[f"layered-bt{number}"]) for number in (1, 2, 3))
sloped_bt1, sloped_bt2, sloped_bt3 = (_make_backend(CHUNK_KINDS[f"sloped-bt{number}"]) for number in (1, 2, 3))
sloped_checkpointed = _make_backend(CHUNK_KINDS["sloped-checkpointed"])
