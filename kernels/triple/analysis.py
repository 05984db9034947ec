"""Cost models of chunks, before anything is measured (Li et al. 2014, sections 4 and 5).

p are the workers (multiprocessors, or threads of a CPU), c the lanes of a worker, s the side of a chunk, h the layers
of a subchunk. A *step* is the time in which a lane computes one cell, a *parallel step* that of one antidiagonal of a
layer (LAYERED) or of one sloped plane (SLOPED).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import sqrt
from typing import Any

from antidiag.kernels.cost_estimate import count_all_cells
from antidiag.kernels.cost_models import ONE_OPERATION, CostModel, operations_model, traffic_model
from antidiag.kernels.triple import sizes
from antidiag.kernels.triple.grid import ChunkKind
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import ChunkParameters

LANES = {"cpu": 16, "cuda": 32}
LEAST_OPERATIONS = {False: {"cpu": 11.0, "cuda": 6.0}, True: {"cpu": 28.0, "cuda": 21.0}}
"""Fewest operations of a cell, with linear and with affine gaps.

On a CPU these are additions and maxima of the recurrence (serial/cpu_rows.py), on a GPU instructions with Hopper's
fused add-and-maximum (chunks/cuda/linear.cuh).
"""
VALUE_BYTES, START_BYTES = 4, 4
ORDER_SECTIONS = {True: "Li et al. 2014, section 4.1", False: "Li et al. 2014, section 4.2"}
"""Sources of LAYERED (True) and of SLOPED (False)."""

Value = Callable[[TripleProblem, Any, str, int], float]


def count_parallel_steps(problem: TripleProblem, parameters: ChunkParameters, kind: ChunkKind) -> float:
    """Count parallel steps of a chunk: (2 s - 1) (n + 1), or 2 s + n - 1, n letters in the third sequence."""
    chunks = sizes.make_run_grid(problem, parameters)
    s, layers = chunks.s, chunks.cells[2]
    return (2 * s - 1) * layers if kind.layered else 2 * s + layers - 2


def estimate_start_up(
    problem: TripleProblem, parameters: ChunkParameters, backend: str, workers: int, kind: ChunkKind
) -> float:
    """Count steps until the last worker may begin: sqrt(p) s^2 / c, or sqrt(p) s^3 / c."""
    s = sizes.make_run_grid(problem, parameters).s
    return sqrt(workers) * s ** (2 if kind.layered else 3) / LANES[backend]


def estimate_published_steps(
    problem: TripleProblem, parameters: ChunkParameters, backend: str, workers: int, kind: ChunkKind
) -> float:
    """Count steps until the last chunk is done, without memory traffic: the cells of a lane, and the delay."""
    cells = problem.cells / (workers * LANES[backend])
    return cells + estimate_start_up(problem, parameters, backend, workers, kind)


def count_worker_steps(
    problem: TripleProblem, parameters: ChunkParameters, backend: str, workers: int, kind: ChunkKind
) -> float:
    """Count parallel steps of all chunks that a worker computes, one after another."""
    chunks = sizes.make_run_grid(problem, parameters).chunks
    return -(-chunks // min(workers, chunks)) * count_parallel_steps(problem, parameters, kind)


def count_face_cells(problem: TripleProblem, parameters: ChunkParameters, kind: ChunkKind) -> int:
    """Count cells of the faces southwards and eastwards that chunks have for their neighbours."""
    chunks = sizes.make_run_grid(problem, parameters)
    i, j, k = chunks.cells
    return ((chunks.rows - 1) * j + (chunks.columns - 1) * i) * k


def count_border_bytes(problem: TripleProblem, parameters: ChunkParameters, kind: ChunkKind) -> float:
    """Count bytes of faces, written once and read once, of their local starts, and of bottoms of subchunks."""
    values = 4 if problem.has_affine_gaps else 1
    of_one = VALUE_BYTES * values * 2 + (START_BYTES * values if kind.has_local_starts else 0)
    found = of_one * count_face_cells(problem, parameters, kind)
    if kind.has_subchunks:
        chunks = sizes.make_run_grid(problem, parameters)
        bottoms = (chunks.boxes - 1) * chunks.cells[0] * chunks.cells[1]
        found += bottoms * values * (VALUE_BYTES + (START_BYTES if kind.starts_per_subchunk else 0))
    return float(found)


def count_shared_bytes(problem: TripleProblem, parameters: ChunkParameters, kind: ChunkKind) -> float:
    """Count bytes of shared memory as published: two layers of a chunk, or four sloped planes."""
    s = sizes.make_run_grid(problem, parameters).s
    return float(VALUE_BYTES * (2 if kind.layered else 4) * (s + 1) ** 2)


def list_chunk_models(kind: ChunkKind) -> tuple[CostModel, ...]:
    """List the cost models of a method that computes chunks."""
    section = ORDER_SECTIONS[kind.layered]

    def on_any_device(function: Callable[..., float]) -> Value:
        return lambda problem, parameters, backend, workers: function(problem, parameters, kind=kind)

    rows: tuple[tuple[str, str, str, str, Value], ...] = (
        (
            "start-up",
            "Start-up delay",
            "steps",
            "Steps until the last worker may begin, as published.",
            partial(estimate_start_up, kind=kind),
        ),
        (
            "steps",
            "Steps as published",
            "steps",
            "Steps until the last chunk is done, without memory traffic.",
            partial(estimate_published_steps, kind=kind),
        ),
        (
            "parallel-steps",
            "Parallel steps of a chunk",
            "parallel steps",
            "Antidiagonals of all layers of a chunk, or its sloped planes, one after another.",
            on_any_device(count_parallel_steps),
        ),
        (
            "rounds",
            "Parallel steps of a worker",
            "parallel steps",
            "Parallel steps of all chunks that a worker computes, however many cells a step has.",
            partial(count_worker_steps, kind=kind),
        ),
        (
            "shared",
            "Shared memory as published",
            "bytes",
            "Layers or sloped planes of a chunk: limits s.",
            on_any_device(count_shared_bytes),
        ),
    )
    faces = "Bytes of the faces of chunks, written and read, of local starts, and of the bottoms of subchunks."
    return (
        *(
            CostModel(name, label, unit, text, section, value, grows_with_time=name in ("steps", "rounds"))
            for name, label, unit, text, value in rows
        ),
        _model_operations(partial(sizes.count_work, kind=kind)),
        traffic_model(partial(count_border_bytes, kind=kind), "Li et al. 2014, sections 4 and 5", faces),
    )


def _model_operations(work: Callable[[TripleProblem, Any], float]) -> CostModel:
    """Return the model of the operations of all cells, by the gap costs of the problem."""
    made = operations_model(work, ONE_OPERATION, "Li et al. 2014, section 3", "those of all cells, recomputed ones too")
    value: Value = lambda problem, parameters, backend, workers: (  # noqa: E731
        work(problem, parameters) * LEAST_OPERATIONS[problem.has_affine_gaps][backend]
    )
    return replace(made, value=value)


SERIAL = (_model_operations(count_all_cells),)
"""Models of Scoring and Traceback, on one core."""
