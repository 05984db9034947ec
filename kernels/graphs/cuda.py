"""Shortest paths between all pairs on the GPU (003, section 6.1.3)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda.run import LAUNCHES_AHEAD, Phase, Run
from antidiag.kernels.cuda.transfers import touched
from antidiag.kernels.graphs import cuda_panels, heights, kinds, ways
from antidiag.kernels.graphs.cuda_moving import Found, Weights
from antidiag.kernels.graphs.cuda_panels import FLOYD
from antidiag.kernels.graphs.problem import PathsAnswer, PathsProblem
from antidiag.kernels.graphs.sizes import NONE, closing_products, narrow, overlaps
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring import FINITE_LIMIT
from antidiag.kernels.semiring import cuda as algebra
from antidiag.kernels.semiring.cuda import PAD_BLOCKS, THREADS, TILE_FILES
from antidiag.kernels.steps import Steps

ARRANGE = (*TILE_FILES, Path(__file__).with_name("arrange.cu"))

SHORT = 256 << 20
"""Bytes of a matrix up to which a step of blocks takes less than a millisecond."""
STEPS_AHEAD = 64
"""Such steps that are queued beyond the one that is waited for: threads that find memory may keep the host so long."""

Distances = Callable[[PathsProblem, Run, Weights], cupy.ndarray]
"""The distances of a problem, on the device, perhaps in whole tiles."""


def floyd_blocked(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Floyd-Warshall in blocks: four launches for every block on the diagonal."""
    return _run(problem, monitor, steps, _blocked, panels=overlaps(problem, kinds.BLOCKED))


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


def _run(problem: PathsProblem, monitor: Monitor, steps: Steps, distances: Distances, panels: bool = False) -> Outcome:
    """A negative cycle (looked for on the host), else the distances, by panels or as given, else also predecessors."""
    run = Run(monitor, steps, rows=problem.n)
    with run.timed("negative cycles"):
        cycle, high = ways.search(problem.graph, monitor)
        over = problem if cycle else heights.lifted(problem, high)
    if cycle:
        return Outcome(PathsAnswer(None, None, cycle), run.times_ms)
    narrowed = narrow(problem)
    if panels and cuda_panels.fits(problem):
        numbers = cuda_panels.distances(problem, over, run, narrowed)
        heights.lower(problem, over, high, numbers)
        return Outcome(PathsAnswer(numbers), run.times_ms, numbers.nbytes, run.device_bytes)
    weights, found = Weights(over, run, narrowed), Found.distances(problem, run, narrowed)
    weights.bring()
    with touched(found.numbers):
        on_device = distances(over, run, weights)
    found.fetch(on_device)
    numbers = found.numbers
    del found
    predecessors = _predecessors(over, on_device, numbers, weights, run) if problem.predecessors else None
    del on_device, weights
    heights.lower(problem, over, high, numbers)
    host_bytes = numbers.nbytes + (predecessors.nbytes if predecessors is not None else 0)
    return Outcome(PathsAnswer(numbers, predecessors), run.times_ms, host_bytes, run.device_bytes)


def _blocked(problem: PathsProblem, run: Run, weights: Weights) -> cupy.ndarray:
    """The next step's blocks on the diagonal and across are made on a stream beside that of all others."""
    constants, size = algebra.defines(problem.dtype), algebra.tile(problem.dtype)
    kernels = [run.kernel(FLOYD, f"floyd_{name}", **constants) for name in ("close", "cross", "ahead", "rest")]
    d = weights.laid_out(algebra.whole(problem.n, size))
    blocks, main = int(d.shape[0]) // size, cupy.cuda.get_current_stream()
    in_flight = STEPS_AHEAD if d.nbytes <= SHORT else LAUNCHES_AHEAD
    with run.phase("distances", ahead=in_flight) as phase, closing(_steps(d, blocks, kernels, main)) as steps:
        for done in steps:
            phase.launched(min(done * size, problem.n), problem.n)
    return d


def _steps(d: cupy.ndarray, blocks: int, kernels: list[Any], main: cupy.cuda.Stream) -> Generator[int]:
    """Launch the steps of blocks one after the other; yields how many are launched."""
    close, cross, ahead, rest = kernels
    beside, stride = cupy.cuda.Stream(non_blocking=True, priority=-1), np.int32(d.shape[0])
    rested = main.record(_event())
    try:
        for k in range(blocks):
            this, following = (d, stride, np.int32(k)), (d, stride, np.int32(k + 1))
            with beside:
                beside.wait_event(rested)
                if k == 0:
                    close((1,), (THREADS,), this)
                    cross((2 * blocks,), (THREADS,), this)
                crossed = beside.record(_event())
                if k + 1 < blocks:
                    ahead((2 * blocks,), (THREADS,), this)
                    close((1,), (THREADS,), following)
                    cross((2 * blocks,), (THREADS,), following)
            main.wait_event(crossed)
            rest((blocks, blocks), (THREADS,), this)
            rested = main.record(_event())
            yield k + 1
    finally:  # also where the run is cancelled: what takes its memory next is on the main stream
        main.wait_event(beside.record(_event()))


def _event() -> cupy.cuda.Event:
    """One that tells no time."""
    return cupy.cuda.Event(disable_timing=True)


def _squared(problem: PathsProblem, run: Run, weights: Weights, texture: bool) -> cupy.ndarray:
    constants = algebra.defines(problem.dtype, texture=texture)
    matrix = weights.laid_out(algebra.whole(problem.n, algebra.tile(problem.dtype)))
    run.kernel(algebra.PRODUCT, "product", **constants)  # compiled before the clock of the phase begins
    with run.phase("distances") as phase:
        return _closed(run, phase, matrix, closing_products(problem.n), constants)


def _closed(run: Run, phase: Phase, matrix: cupy.ndarray, times: int, constants: dict[str, int]) -> cupy.ndarray:
    """The matrix squared so many times; with zeros on the diagonal it can only shrink."""
    other = cupy.empty(matrix.shape, matrix.dtype)
    for number in range(times):
        algebra.multiply(run, phase, matrix, matrix, other, constants, from_zero=True, progress=(number, times))
        matrix, other = other, matrix
    return matrix


def _bipartite(problem: PathsProblem, run: Run, weights: Weights, texture: bool) -> cupy.ndarray:
    """The four blocks of the distances out of the two blocks of the weights."""
    constants, size = algebra.defines(problem.dtype, texture=texture), algebra.tile(problem.dtype)
    first, second = (np.flatnonzero(problem.sides == side).astype(np.int32) for side in (False, True))
    sides = run.upload(first, second)
    there, back = _blocks_of_sides(run, weights.laid_out(problem.n), sides, size, constants)
    closed, far = (_identity(run, side.size, problem.dtype, size, constants) for side in (first, second))
    outward, homeward = cupy.empty(there.shape, there.dtype), cupy.empty(back.shape, back.dtype)
    run.kernel(algebra.PRODUCT, "product", **constants)
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


def _predecessors(
    problem: PathsProblem, on_device: cupy.ndarray, distances: np.ndarray, weights: Weights, run: Run
) -> np.ndarray:
    """As on the CPU: a product of distances and edges that keeps its winners."""
    constants, n = algebra.defines(problem.dtype, indexed=True), problem.n
    left = algebra.padded(run, on_device, algebra.tile(problem.dtype, indexed=True), constants)
    right = weights.laid_out(int(left.shape[0]))
    without_loops = run.kernel(ARRANGE, "without_loops", **constants)
    without_loops((PAD_BLOCKS,), (THREADS,), (right, np.int32(n), np.int32(right.shape[1])))
    run.kernel(algebra.INDEXED_PRODUCT, "indexed_product", **constants)
    with run.phase("predecessors") as phase:
        _, indices = algebra.multiply_indexed(run, phase, left, right)
    del left, right
    found = Found(run, n, indices.dtype, FINITE_LIMIT, n <= NONE).fetch(indices)
    limit = problem.dtype.type(problem.limit)
    with run.timed("predecessors"):
        ways.repaired(found, distances, problem.matrix, limit, lambda done, total: run.monitor.check())
    return found
