"""The analysis of 000 as models: what chunks cost before anything is measured (sections 4 and 5).

p are the workers (multiprocessors, or threads of a CPU), c the lanes of a worker, s the side of a chunk, h the layers
of a subchunk. A *step* is the time in which a lane computes one cell, a *parallel step* that of one antidiagonal of a
layer (LAYERED) or of one sloped plane (SLOPED).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import sqrt

from antidiag.kernels.analysis import ONE, Model, Parameters, operations, traffic
from antidiag.kernels.triple import sizes
from antidiag.kernels.triple.grid import Kind
from antidiag.kernels.triple.model import TripleProblem

LANES = {"cpu": 16, "cuda": 32}
LEAST_OPERATIONS = {False: {"cpu": 11.0, "cuda": 6.0}, True: {"cpu": 28.0, "cuda": 21.0}}
"""Fewest operations of a cell, with linear and with affine gaps: on a CPU additions and maxima of the recurrence
(serial/cpu_rows.py), on a GPU instructions with Hopper's fused add-and-maximum (chunks/linear.cuh)."""
VALUE_BYTES, START_BYTES = 4, 4
SECTIONS = {True: "000, section 4.1", False: "000, section 4.2"}
"""Of LAYERED and of SLOPED."""

Value = Callable[[TripleProblem, Parameters, str, int], float]


def parallel_steps(problem: TripleProblem, parameters: Parameters, kind: Kind) -> float:
    """Parallel steps of a chunk: (2 s - 1) (n + 1), or 2 s + n - 1, where n is the length of the third sequence."""
    chunks = sizes.chunks_of(problem, parameters, kind)
    s, layers = chunks.s, chunks.cells[2]
    return (2 * s - 1) * layers if kind.layered else 2 * s + layers - 2


def start_up(problem: TripleProblem, parameters: Parameters, backend: str, workers: int, kind: Kind) -> float:
    """Steps until the last worker may begin: sqrt(p) s^2 / c, or sqrt(p) s^3 / c."""
    s = sizes.chunks_of(problem, parameters, kind).s
    return sqrt(workers) * s ** (2 if kind.layered else 3) / LANES[backend]


def published(problem: TripleProblem, parameters: Parameters, backend: str, workers: int, kind: Kind) -> float:
    """Steps until the last chunk is done, without memory traffic: the cells of a lane, and the delay."""
    cells = problem.cells / (workers * LANES[backend])
    return cells + start_up(problem, parameters, backend, workers, kind)


def in_rounds(problem: TripleProblem, parameters: Parameters, backend: str, workers: int, kind: Kind) -> float:
    """Parallel steps of all chunks that a worker computes, one after another."""
    chunks = sizes.chunks_of(problem, parameters, kind).chunks
    return -(-chunks // min(workers, chunks)) * parallel_steps(problem, parameters, kind)


def face_cells(problem: TripleProblem, parameters: Parameters, kind: Kind) -> int:
    """Cells of the faces southwards and eastwards that chunks have for their neighbours."""
    chunks = sizes.chunks_of(problem, parameters, kind)
    i, j, k = chunks.cells
    return ((chunks.rows - 1) * j + (chunks.columns - 1) * i) * k


def border_bytes(problem: TripleProblem, parameters: Parameters, kind: Kind) -> float:
    """Bytes of faces, written once and read once, of their local starts, and of the bottoms of subchunks."""
    values = 4 if problem.affine else 1
    of_one = VALUE_BYTES * values * 2 + (START_BYTES * values if kind.starts else 0)
    found = of_one * face_cells(problem, parameters, kind)
    if kind.subchunks:
        chunks = sizes.chunks_of(problem, parameters, kind)
        bottoms = (chunks.boxes - 1) * chunks.cells[0] * chunks.cells[1]
        found += bottoms * values * (VALUE_BYTES + (START_BYTES if kind.local else 0))
    return float(found)


def shared_memory(problem: TripleProblem, parameters: Parameters, kind: Kind) -> float:
    """Bytes of shared memory as published: two layers of a chunk, or four sloped planes."""
    s = sizes.chunks_of(problem, parameters, kind).s
    return float(VALUE_BYTES * (2 if kind.layered else 4) * (s + 1) ** 2)


def models(kind: Kind) -> tuple[Model, ...]:
    """The models of a method that computes chunks."""
    section = SECTIONS[kind.layered]
    apart = lambda function: lambda problem, parameters, *_: function(problem, parameters, kind=kind)  # noqa: E731
    return (
        Model("start-up", "Start-up delay", "steps", "Steps until the last worker may begin, as published.", section,
              partial(start_up, kind=kind)),
        Model("steps", "Steps as published", "steps", "Steps until the last chunk is done, without memory traffic.",
              section, partial(published, kind=kind), grows_with_time=True),
        Model("parallel-steps", "Parallel steps of a chunk", "parallel steps",
              "Antidiagonals of all layers of a chunk, or its sloped planes, one after another.", section,
              apart(parallel_steps)),
        Model("rounds", "Parallel steps of a worker", "parallel steps",
              "Those of all chunks that a worker computes; nothing is said of how many cells a step has.", section,
              partial(in_rounds, kind=kind), grows_with_time=True),
        Model("shared", "Shared memory as published", "bytes", "Layers or sloped planes of a chunk: limits s.", section,
              apart(shared_memory)),
        _operations(partial(sizes.work, kind=kind)),
        traffic(partial(border_bytes, kind=kind), "000, sections 4 and 5",
                "Bytes of the faces of chunks, written and read, of local starts, and of the bottoms of subchunks."),
    )  # fmt: skip


def _operations(work: Callable[[TripleProblem, Parameters], float]) -> Model:
    """Those of all cells, by the gap costs of the problem."""
    made = operations(work, ONE, "000, section 3", "those of all cells, recomputed ones too")
    value: Value = lambda problem, parameters, backend, workers: (  # noqa: E731
        work(problem, parameters) * LEAST_OPERATIONS[problem.affine][backend]
    )
    return replace(made, value=value)


SERIAL = (_operations(sizes.serial_work),)
"""Of Scoring and Traceback, on one core."""
