"""Automatic parameters, work and bytes of the methods of three sequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import WORD_STRIDE, count_processors
from antidiag.kernels.memory import Footprint
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.triple.chunks.cpu import int16, layouts
from antidiag.kernels.triple.chunks.cuda import kernel_sizes
from antidiag.kernels.triple.encoding import encode_problem
from antidiag.kernels.triple.grid import CHUNK_KINDS, ChunkGrid, ChunkKind, choose_height, make_grid, refuse_layers
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import WIDTH_STEP, ChunkParameters

HEIGHT = 256
"""Usual h on a CPU."""


def choose_parameters(
    problem: TripleProblem, backend: str, multiprocessors: int | None, kind: ChunkKind
) -> Mapping[str, Any]:
    """Choose chunk width, height of subchunks, and threads for the problem and the device."""
    refuse_layers(problem, kind)
    if backend == "cuda":
        return kernel_sizes.choose_parameters(problem, kind)
    longest = max(problem.lengths[:2])
    # A chunk gives work to one thread, and its faces are copied: many small ones for few cells, large ones for many.
    # All are multiples of the lanes of a vector of 16-bit numbers.
    s = 32 if longest < 200 else 64 if kind.has_local_starts or longest < 700 else 96
    h = choose_height(problem.lengths[2], HEIGHT)
    return {"s": s, "h": h, "threads": min(count_processors(), make_grid(problem, s, None).chunks)}


def fit_parameters(problem: TripleProblem, parameters: ChunkParameters, backend: str) -> ChunkParameters:
    """Return the parameters with which a backend computes: on a CPU, chunks end where a vector does.

    Raises ParameterError for values that the mapping of a GPU cannot take.
    """
    if backend == "cpu":
        return replace(parameters, s=-(-parameters.s // WIDTH_STEP) * WIDTH_STEP)
    kernel_sizes.refuse_partial_tiles(parameters)
    return parameters


def make_run_grid(problem: TripleProblem, parameters: ChunkParameters) -> ChunkGrid:
    """Return the chunks of a run."""
    return make_grid(problem, parameters.s, parameters.subchunk_height)


def bound_recomputed_cells(problem: TripleProblem, parameters: ChunkParameters, kind: ChunkKind) -> int:
    """Bound the cells of phase 3; the path decides.

    Of each chunk on the path these are the cells below where the path leaves it, or where there are subchunks, from the
    one in which it enters. The border of the cube does not count.
    """
    if not kind.keeps_faces:
        return 0
    chunks, (m, n, layers) = make_run_grid(problem, parameters), problem.lengths
    height, width = min(chunks.s, m), min(chunks.s, n)
    # A path of chunks enters each of their rows and columns once.
    crossed = min(m * width + n * height, m * n)
    if not kind.has_subchunks:
        return crossed * layers
    return min(height * width * layers + crossed * min(chunks.h, layers), crossed * layers)


def list_notes(problem: TripleProblem, parameters: ChunkParameters, kind: ChunkKind) -> tuple[str, ...]:
    """Return a note where no chunk is cut, so that BT2 and BT3 work as BT1."""
    chunks = make_run_grid(problem, parameters)
    h, layers = parameters.subchunk_height, chunks.cells[2]
    if not (kind.has_local_starts and kind.has_subchunks) or chunks.boxes > 1:
        return ()
    return (f"No chunk is cut, because h ({h}) is not below the {layers:,} layers; phase 3 works as in BT1.",)


def count_work(problem: TripleProblem, parameters: ChunkParameters, kind: ChunkKind) -> int:
    """Count computed cells: each once, and where there is an alignment those of phase 3 again (at most)."""
    return problem.cells + bound_recomputed_cells(problem, parameters, kind)


def estimate_footprint(problem: TripleProblem, parameters: ChunkParameters, backend: str, kind: ChunkKind) -> Footprint:
    """Estimate the bytes of a method that computes chunks."""
    chunks = make_run_grid(problem, parameters)
    if backend == "cuda":
        return kernel_sizes.estimate_footprint(problem, chunks, kind, parameters.mapping)
    narrow = int16.fits_int16(encode_problem(problem), kind, chunks)
    n, number_bytes = layouts.make_box_layout(chunks, kind.layered, problem.has_affine_gaps, narrow), 2 if narrow else 4
    threads = parameters.threads
    workers = min(threads, chunks.chunks)
    axes = (2, 0, 1) if kind.layered else (0, 1, 2)
    counts = layouts.count_faces(chunks, kind, threads)
    numbers = sum(counts[axis] * size for axis, size in zip(axes, layouts.face_sizes(n), strict=True))
    scores = layouts.place_grid_scores(chunks, count_letters(problem), n, kind.layered)[1]
    host = {
        "faces of chunks": number_bytes * numbers * (2 if kind.has_local_starts else 1),
        "threads": workers * number_bytes * (n.size * (2 if kind.has_local_starts else 1) + scores),
        "progress": 8 * WORD_STRIDE * chunks.chunks,
    }
    if kind.keeps_faces:
        count, type_ = layouts.count_moves(n)
        recomputing = number_bytes * (n.size + scores) + count * np.dtype(type_).itemsize + layouts.longest_walk(n)
        host["threads"] = max(host["threads"], (workers if kind.has_local_starts else 1) * recomputing)
        host["path"] = 2 * sum(chunks.cells)
    return Footprint(host)


@dataclass(frozen=True, slots=True)
class DeviceSteps:
    """How a block of a GPU computes a chunk: in ``steps``, in each of which a thread has at most one tile of a layer.

    A tile has ``tile`` x ``tile`` cells; at most ``busy`` of its ``threads`` have one in a step.
    """

    steps: int
    tile: int
    busy: int
    threads: int


def count_device_steps(
    method_id: str, problem: TripleProblem, parameters: ChunkParameters, layered: bool
) -> DeviceSteps:
    """Return the steps of a chunk on a GPU, with this method in this order (``layered``)."""
    kind = replace(CHUNK_KINDS[method_id], layered=layered)
    chunks = make_run_grid(problem, parameters)
    shape = kernel_sizes.choose_kernel_shape(chunks, kind, problem.has_affine_gaps, parameters.mapping)
    busy = shape.tiles_per_side if layered else shape.threads
    return DeviceSteps(shape.count_steps(chunks.cells[2]), shape.tile, busy, shape.threads)


def count_letters(problem: TripleProblem) -> int:
    """Count the letters that occur, and the front letter."""
    return int(np.count_nonzero(np.bincount(np.concatenate(problem.codes)))) + 1


def estimate_scoring_footprint(problem: TripleProblem, parameters: MethodParameters, backend: str) -> Footprint:
    """Estimate the bytes of Scoring: two planes."""
    _, j, k = (length + 1 for length in problem.lengths)
    values = 8 if problem.has_affine_gaps else 1
    return Footprint({"two planes": 8 * values * (j + 1) * (k + 1), "scores": 4 * count_letters(problem) * k})


def estimate_traceback_footprint(problem: TripleProblem, parameters: MethodParameters, backend: str) -> Footprint:
    """Estimate the bytes of Traceback: two planes, and the best move of every cell."""
    planes = estimate_scoring_footprint(problem, parameters, backend)
    bytes_a_cell = 4 if problem.has_affine_gaps else 1
    i, j, k = (length + 1 for length in problem.lengths)
    return Footprint({**planes.host, "moves": bytes_a_cell * i * j * k, "path": i + j + k})
