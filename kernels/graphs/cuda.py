"""Shortest paths between all pairs on the GPU (003, section 6.1.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from kernels.cuda.run import Phase, Run
from kernels.graphs import heights, ways
from kernels.graphs.problem import PathsAnswer, PathsProblem
from kernels.graphs.sizes import closing_products
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.semiring import MIN_PLUS
from kernels.semiring import cuda as algebra
from kernels.semiring.cuda import THREADS, TILE_FILES
from kernels.steps import Steps

FLOYD = (*TILE_FILES, Path(__file__).with_name("floyd.cu"))

Distances = Callable[[PathsProblem, Run], np.ndarray]


def floyd_blocked(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Floyd-Warshall in blocks: four launches for every block on the diagonal."""
    return _run(problem, monitor, steps, _blocked)


def floyd_smem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """SMemFloyd: repeated squaring (equation 6.7), factors by ordinary loads into shared memory."""
    return _run(problem, monitor, steps, partial(_squared, texture=False))


def floyd_tmem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TMemFloyd: as SMemFloyd, factors through the texture path."""
    return _run(problem, monitor, steps, partial(_squared, texture=True))


def bipartite_smem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """SMemBipartite: BIPARTITEAPSP (algorithm 6.2), powers by squaring."""
    return _run(problem, monitor, steps, partial(_bipartite, texture=False))


def bipartite_tmem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TMemBipartite: as SMemBipartite, factors through the texture path."""
    return _run(problem, monitor, steps, partial(_bipartite, texture=True))


def _run(problem: PathsProblem, monitor: Monitor, steps: Steps, distances: Distances) -> Outcome:
    """A negative cycle (looked for on the host), else the distances, else also the predecessors."""
    run = Run(monitor, steps)
    with run.timed("negative cycles"):
        cycle, high = ways.search(problem.graph, monitor)
        over = problem if cycle else heights.lifted(problem, high)
    if cycle:
        return Outcome(PathsAnswer(None, None, cycle), run.times_ms)
    found = distances(over, run)
    if problem.precision == "int32":
        found[found >= problem.limit] = MIN_PLUS.zero(np.int32)
    predecessors = _predecessors(over, found, run) if problem.predecessors else None
    heights.lower(problem, over, high, found)
    host_bytes = found.nbytes + (predecessors.nbytes if predecessors is not None else 0)
    return Outcome(PathsAnswer(found, predecessors), run.times_ms, host_bytes, run.device_bytes)


def _blocked(problem: PathsProblem, run: Run) -> np.ndarray:
    """The next step's blocks on the diagonal and across are made on a stream beside that of all others."""
    constants, size = algebra.defines(problem.dtype), algebra.tile(problem.dtype)
    close, cross, ahead, rest = (
        run.kernel(FLOYD, f"floyd_{name}", **constants) for name in ("close", "cross", "ahead", "rest")
    )
    d = algebra.padded(run, run.up(problem.matrix), size, constants)
    stride = int(d.shape[0])
    blocks = stride // size
    main, beside = cupy.cuda.get_current_stream(), cupy.cuda.Stream(non_blocking=True, priority=-1)

    def arguments(k: int) -> tuple[cupy.ndarray, np.int32, np.int32]:
        return d, np.int32(stride), np.int32(k)

    with run.phase("distances") as phase:
        rested = main.record()
        try:
            for k in range(blocks):
                with beside:
                    beside.wait_event(rested)
                    if k == 0:
                        close((1,), (THREADS,), arguments(0))
                        cross((2 * blocks,), (THREADS,), arguments(0))
                    crossed = beside.record()
                    if k + 1 < blocks:
                        ahead((2 * blocks,), (THREADS,), arguments(k))
                        close((1,), (THREADS,), arguments(k + 1))
                        cross((2 * blocks,), (THREADS,), arguments(k + 1))
                main.wait_event(crossed)
                rest((blocks, blocks), (THREADS,), arguments(k))
                rested = main.record()
                phase.launched(k + 1, blocks)
        finally:  # also where the run is cancelled: what takes its memory next is on the main stream
            main.wait_event(beside.record())
        phase.launched(blocks, blocks)
    return run.down(algebra.cropped(run, d, problem.n, problem.n, constants))


def _squared(problem: PathsProblem, run: Run, texture: bool) -> np.ndarray:
    constants = algebra.defines(problem.dtype, texture=texture)
    matrix = algebra.padded(run, run.up(problem.matrix), algebra.tile(problem.dtype), constants)
    with run.phase("distances") as phase:
        matrix = _closed(run, phase, matrix, closing_products(problem.n), constants)
    return run.down(algebra.cropped(run, matrix, problem.n, problem.n, constants))


def _closed(run: Run, phase: Phase, matrix: cupy.ndarray, times: int, constants: dict[str, int]) -> cupy.ndarray:
    """The matrix squared so many times; with zeros on the diagonal it can only shrink."""
    other = cupy.empty(matrix.shape, matrix.dtype)
    for number in range(times):
        algebra.multiply(run, phase, matrix, matrix, other, constants, from_zero=True, progress=(number, times))
        matrix, other = other, matrix
    return matrix


def _bipartite(problem: PathsProblem, run: Run, texture: bool) -> np.ndarray:
    """The four blocks of the distances out of the two blocks of the weights."""
    constants, size = algebra.defines(problem.dtype, texture=texture), algebra.tile(problem.dtype)
    first, second = (np.flatnonzero(problem.sides == side) for side in (False, True))
    there, back, *ones = (
        algebra.padded(run, run.up(matrix), size, constants)
        for matrix in (
            problem.matrix[np.ix_(first, second)],
            problem.matrix[np.ix_(second, first)],
            *(MIN_PLUS.identity(side.size, problem.dtype) for side in (first, second)),
        )
    )
    closed, far = ones
    outward, homeward = cupy.empty(there.shape, there.dtype), cupy.empty(back.shape, back.dtype)
    with run.phase("distances") as phase:
        algebra.multiply(run, phase, there, back, closed, constants)
        closed = _closed(run, phase, closed, closing_products(first.size), constants)
        algebra.multiply(run, phase, closed, there, outward, constants, from_zero=True)
        algebra.multiply(run, phase, back, closed, homeward, constants, from_zero=True)
        algebra.multiply(run, phase, homeward, there, far, constants)
    distances = np.empty((problem.n, problem.n), problem.dtype)
    for rows, columns, part in ((first, first, closed), (first, second, outward), (second, first, homeward),
                                (second, second, far)):  # fmt: skip
        if rows.size and columns.size:
            distances[np.ix_(rows, columns)] = run.down(algebra.cropped(run, part, rows.size, columns.size, constants))
    return distances


def _predecessors(problem: PathsProblem, distances: np.ndarray, run: Run) -> np.ndarray:
    """As on the CPU: a product of distances and edges that keeps its winners."""
    constants, size = algebra.defines(problem.dtype, indexed=True), algebra.tile(problem.dtype, indexed=True)
    edges = problem.matrix.copy()
    np.fill_diagonal(edges, MIN_PLUS.zero(problem.dtype))
    left, right = (algebra.padded(run, run.up(matrix), size, constants) for matrix in (distances, edges))
    with run.phase("predecessors") as phase:
        _, indices = algebra.multiply_indexed(run, phase, left, right)
    found = np.ascontiguousarray(run.down(indices)[: problem.n, : problem.n])
    limit = problem.dtype.type(problem.limit)
    with run.timed("predecessors"):
        ways.repaired(found, distances, problem.matrix, limit, lambda done, total: run.monitor.check())
    return found
