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
from kernels.semiring.cuda import PAD_BLOCKS, THREADS, TILE_FILES
from kernels.steps import Steps

FLOYD = (*TILE_FILES, Path(__file__).with_name("floyd.cu"))
ARRANGE = (*TILE_FILES, Path(__file__).with_name("arrange.cu"))

Distances = Callable[[PathsProblem, Run], cupy.ndarray]
"""The distances of a problem, on the device, close together."""


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
    on_device = distances(over, run)
    if problem.precision == "int32" and problem.graph.lightest < 0:
        kernel = run.kernel(ARRANGE, "settle", **algebra.defines(problem.dtype))
        kernel((PAD_BLOCKS,), (THREADS,), (on_device, np.int64(on_device.size), np.int32(problem.limit)))
    found = run.down(on_device)
    predecessors = _predecessors(over, on_device, found, run) if problem.predecessors else None
    del on_device
    heights.lower(problem, over, high, found)
    host_bytes = found.nbytes + (predecessors.nbytes if predecessors is not None else 0)
    return Outcome(PathsAnswer(found, predecessors), run.times_ms, host_bytes, run.device_bytes)


def _weights(problem: PathsProblem, run: Run) -> cupy.ndarray:
    """The weights in the problem's type on the device, (n, n); what is no edge is infinite as such a number is."""
    weights, infinite = problem.graph.weights, MIN_PLUS.zero(problem.dtype)
    target = cupy.empty((problem.n, problem.n), problem.dtype)

    def fill(first: int, last: int, out: np.ndarray) -> None:
        np.minimum(weights[first:last], infinite, out=out, casting="unsafe")

    run.bring(target, fill)
    return target


def _blocked(problem: PathsProblem, run: Run) -> cupy.ndarray:
    """The next step's blocks on the diagonal and across are made on a stream beside that of all others."""
    constants, size = algebra.defines(problem.dtype), algebra.tile(problem.dtype)
    close, cross, ahead, rest = (
        run.kernel(FLOYD, f"floyd_{name}", **constants) for name in ("close", "cross", "ahead", "rest")
    )
    d = algebra.padded(run, _weights(problem, run), size, constants)
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
    return algebra.cropped(run, d, problem.n, problem.n, constants)


def _squared(problem: PathsProblem, run: Run, texture: bool) -> cupy.ndarray:
    constants = algebra.defines(problem.dtype, texture=texture)
    matrix = algebra.padded(run, _weights(problem, run), algebra.tile(problem.dtype), constants)
    with run.phase("distances") as phase:
        matrix = _closed(run, phase, matrix, closing_products(problem.n), constants)
    return algebra.cropped(run, matrix, problem.n, problem.n, constants)


def _closed(run: Run, phase: Phase, matrix: cupy.ndarray, times: int, constants: dict[str, int]) -> cupy.ndarray:
    """The matrix squared so many times; with zeros on the diagonal it can only shrink."""
    other = cupy.empty(matrix.shape, matrix.dtype)
    for number in range(times):
        algebra.multiply(run, phase, matrix, matrix, other, constants, from_zero=True, progress=(number, times))
        matrix, other = other, matrix
    return matrix


def _bipartite(problem: PathsProblem, run: Run, texture: bool) -> cupy.ndarray:
    """The four blocks of the distances out of the two blocks of the weights."""
    constants, size = algebra.defines(problem.dtype, texture=texture), algebra.tile(problem.dtype)
    first, second = (np.flatnonzero(problem.sides == side).astype(np.int32) for side in (False, True))
    sides = run.upload(first, second)
    there, back = _blocks_of_sides(run, _weights(problem, run), sides, size, constants)
    closed, far = (_identity(run, side.size, problem.dtype, size, constants) for side in (first, second))
    outward, homeward = cupy.empty(there.shape, there.dtype), cupy.empty(back.shape, back.dtype)
    with run.phase("distances") as phase:
        algebra.multiply(run, phase, there, back, closed, constants)
        closed = _closed(run, phase, closed, closing_products(first.size), constants)
        algebra.multiply(run, phase, closed, there, outward, constants, from_zero=True)
        algebra.multiply(run, phase, back, closed, homeward, constants, from_zero=True)
        algebra.multiply(run, phase, homeward, there, far, constants)
    del there, back
    distances, put = cupy.empty((problem.n, problem.n), problem.dtype), run.kernel(ARRANGE, "scatter", **constants)
    of_first, of_second = sides
    for rows, columns, part in ((of_first, of_first, closed), (of_first, of_second, outward),
                                (of_second, of_first, homeward), (of_second, of_second, far)):  # fmt: skip
        counts = np.int32(part.shape[1]), rows, np.int32(rows.size), columns, np.int32(columns.size)
        put((PAD_BLOCKS,), (THREADS,), (part, *counts, distances, np.int32(problem.n)))
    return distances


def _identity(run: Run, count: int, type: np.dtype, size: int, constants: dict[str, int]) -> cupy.ndarray:
    """The identity of so many vertices in whole tiles."""
    side = algebra.whole(count, size)
    matrix = cupy.empty((side, side), type)
    make = run.kernel(ARRANGE, "identity", **constants)
    make((PAD_BLOCKS,), (THREADS,), (matrix, np.int32(count), np.int32(side)))
    return matrix


def _blocks_of_sides(
    run: Run, weights: cupy.ndarray, sides: tuple[cupy.ndarray, ...], size: int, constants: dict[str, int]
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """The weights from the first side to the second, and back, in whole tiles."""
    take, found = run.kernel(ARRANGE, "gather", **constants), []
    for rows, columns in (sides, sides[::-1]):
        height, width = int(rows.size), int(columns.size)
        part = cupy.empty((algebra.whole(height, size), algebra.whole(width, size)), weights.dtype)
        counts = np.int32(weights.shape[0]), rows, np.int32(height), columns, np.int32(width)
        take((PAD_BLOCKS,), (THREADS,), (weights, *counts, part, *map(np.int32, part.shape)))
        found.append(part)
    return found[0], found[1]


def _predecessors(problem: PathsProblem, on_device: cupy.ndarray, distances: np.ndarray, run: Run) -> np.ndarray:
    """As on the CPU: a product of distances and edges that keeps its winners."""
    constants, size = algebra.defines(problem.dtype, indexed=True), algebra.tile(problem.dtype, indexed=True)
    left, right = (algebra.padded(run, matrix, size, constants) for matrix in (on_device, _weights(problem, run)))
    without_loops = run.kernel(ARRANGE, "without_loops", **constants)
    without_loops((PAD_BLOCKS,), (THREADS,), (right, np.int32(problem.n), np.int32(right.shape[1])))
    with run.phase("predecessors") as phase:
        _, indices = algebra.multiply_indexed(run, phase, left, right)
    del left, right
    found = np.ascontiguousarray(run.down(indices)[: problem.n, : problem.n])
    limit = problem.dtype.type(problem.limit)
    with run.timed("predecessors"):
        ways.repaired(found, distances, problem.matrix, limit, lambda done, total: run.monitor.check())
    return found
