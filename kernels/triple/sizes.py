"""Sizes of the methods of three sequences: automatic parameters, work, and the bytes they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.memory import Footprint
from antidiag.kernels.parameters import typed
from antidiag.kernels.triple.chunks import cpu_sizes, cuda_sizes, int16
from antidiag.kernels.triple.encoding import encode
from antidiag.kernels.triple.grid import KINDS, Grid, Kind, grid, refuse_layers
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import ChunkParameters

Parameters = Mapping[str, Any]


def automatic(problem: TripleProblem, backend: str, multiprocessors: int | None, kind: Kind) -> Parameters:
    """Chunk width, height of subchunks, and threads that suit the problem and the device."""
    refuse_layers(problem, kind)
    if backend == "cuda":
        return cuda_sizes.automatic(problem, kind)
    longest = max(problem.lengths[:2])
    # A chunk gives work to one thread, and its faces are copied: many small ones for few cells, large ones for many.
    # All are multiples of the lanes of a vector of 16-bit numbers.
    s = 32 if longest < 200 else 64 if kind.starts or longest < 700 else 96
    return {"s": s, "h": 256, "threads": min(cores(), grid(problem, s, None).chunks)}


def chunks_of(problem: TripleProblem, parameters: Parameters, kind: Kind) -> Grid:
    """The chunks of a run."""
    own = typed(ChunkParameters, parameters)
    return grid(problem, own.s, own.h if kind.subchunks else None)


def recomputed(problem: TripleProblem, parameters: Parameters, kind: Kind) -> int:
    """Cells of phase 3, at most (the path decides): of each chunk on the path those below where the path leaves it,
    or where there are subchunks, from the one in which it enters. The border of the cube does not count."""
    if not kind.keeps:
        return 0
    chunks, (m, n, layers) = chunks_of(problem, parameters, kind), problem.lengths
    height, width = min(chunks.s, m), min(chunks.s, n)
    # A path of chunks enters each of their rows and columns once.
    crossed = min(m * width + n * height, m * n)
    if not kind.subchunks:
        return crossed * layers
    return min(height * width * layers + crossed * min(chunks.h, layers), crossed * layers)


def notes(problem: TripleProblem, parameters: Parameters, kind: Kind) -> tuple[str, ...]:
    """Where no chunk is cut, BT2 and BT3 do what BT1 does."""
    chunks = chunks_of(problem, parameters, kind)
    if not (kind.starts and kind.subchunks) or chunks.boxes > 1:
        return ()
    h, layers = typed(ChunkParameters, parameters).h, chunks.cells[2]
    return (f"h={h} cuts no chunk, for there are {layers:,} layers: phase 3 works as in BT1; choose a smaller h.",)


def work(problem: TripleProblem, parameters: Parameters, kind: Kind) -> int:
    """Cells computed: each once, and where there is an alignment those of phase 3 again (at most; the path decides)."""
    return problem.cells + recomputed(problem, parameters, kind)


def footprint(problem: TripleProblem, parameters: Parameters, backend: str, kind: Kind) -> Footprint:
    """Bytes of a method that computes chunks."""
    chunks = chunks_of(problem, parameters, kind)
    if backend == "cuda":
        return cuda_sizes.footprint(problem, chunks, kind, typed(ChunkParameters, parameters).mapping)
    narrow = int16.fits(encode(problem), kind, chunks)
    n, number_bytes = cpu_sizes.box_layout(chunks, kind.layered, problem.affine, narrow), 2 if narrow else 4
    threads = typed(ChunkParameters, parameters).threads
    workers = min(threads, chunks.chunks)
    axes = (2, 0, 1) if kind.layered else (0, 1, 2)
    counts = cpu_sizes.face_counts(chunks, kind, threads)
    numbers = sum(counts[axis] * size for axis, size in zip(axes, cpu_sizes.face_sizes(n), strict=True))
    scores = cpu_sizes.score_tables(chunks, letters(problem), n, kind.layered)[1]
    host = {
        "faces of chunks": number_bytes * numbers * (2 if kind.starts else 1),
        "threads": workers * number_bytes * (n.size * (2 if kind.starts else 1) + scores),
        "progress": 8 * cpu_sizes.WORD * chunks.chunks,
    }
    if kind.keeps:
        count, type_ = cpu_sizes.moves(n)
        recomputing = number_bytes * (n.size + scores) + count * np.dtype(type_).itemsize + cpu_sizes.longest_walk(n)
        host["threads"] = max(host["threads"], (workers if kind.starts else 1) * recomputing)
        host["path"] = 2 * sum(chunks.cells)
    return Footprint(host)


@dataclass(frozen=True, slots=True)
class DeviceSteps:
    """How a block of a GPU computes a chunk: in ``steps``, in each of which a thread has ``tile`` x ``tile`` cells of a
    layer, or none; ``busy`` of its ``threads`` have one in a step, at most."""

    steps: int
    tile: int
    busy: int
    threads: int


def device_steps(method_id: str, problem: TripleProblem, parameters: Parameters, layered: bool) -> DeviceSteps:
    """The steps of a chunk of a run on a GPU; ``layered``: in this order, whichever the method has."""
    kind = replace(KINDS[method_id], layered=layered)
    chunks, own = chunks_of(problem, parameters, kind), typed(ChunkParameters, parameters)
    shape = cuda_sizes.shape(chunks, kind, problem.affine, own.mapping)
    busy = shape.side if layered else shape.threads
    return DeviceSteps(shape.steps(chunks.cells[2]), shape.tile, busy, shape.threads)


def letters(problem: TripleProblem) -> int:
    """Letters that occur, and the front letter."""
    return int(np.count_nonzero(np.bincount(np.concatenate(problem.codes)))) + 1


def serial_automatic(problem: TripleProblem, backend: str, multiprocessors: int | None) -> Parameters:
    """The baselines have nothing to choose."""
    return {}


def serial_work(problem: TripleProblem, parameters: Parameters) -> int:
    """Cells computed: each once."""
    return problem.cells


def scoring_footprint(problem: TripleProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of Scoring: two planes."""
    _, j, k = (length + 1 for length in problem.lengths)
    values = 8 if problem.affine else 1
    return Footprint({"two planes": 8 * values * (j + 1) * (k + 1), "scores": 4 * letters(problem) * k})


def traceback_footprint(problem: TripleProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of Traceback: the planes, and the best move of every cell."""
    planes = scoring_footprint(problem, parameters, backend)
    bytes_a_cell = 4 if problem.affine else 1
    i, j, k = (length + 1 for length in problem.lengths)
    return Footprint({**planes.host, "moves": bytes_a_cell * i * j * k, "path": i + j + k})
