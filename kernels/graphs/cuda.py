"""Shortest paths between all pairs on the GPU (Hanif 2014, section 6.1.3)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.parallel_copy import copy_at_most, copy_values
from antidiag.kernels.cuda.run import LAUNCHES_AHEAD, SHORT_AHEAD, DeviceRun, LaunchPhase
from antidiag.kernels.graphs import potentials, predecessors
from antidiag.kernels.graphs.algorithms import closing_products
from antidiag.kernels.graphs.problem import PathsAnswer, PathsProblem
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring import MIN_PLUS
from antidiag.kernels.semiring import cuda as algebra
from antidiag.kernels.semiring.cuda import PAD_BLOCKS, THREADS, TILE_FILES
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog

ARRANGE = (*TILE_FILES, Path(__file__).with_name("arrange.cu"))
FLOYD = (*TILE_FILES, Path(__file__).with_name("floyd.cu"))

SHORT = 256 << 20
"""Bytes of a matrix up to which a step of blocks takes less than a millisecond."""

Distances = Callable[[PathsProblem, DeviceRun, cupy.ndarray], cupy.ndarray]
"""Compute the distances from the weights on the device; both are padded to whole tiles, and may be the same array."""


def _run_algorithm(
    problem: PathsProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog, distances: Distances
) -> Outcome:
    """Search for a negative cycle on the host; without one, compute distances, and predecessors if asked for."""
    run = DeviceRun(monitor, steps, rows=problem.n)
    if problem.graph.least_weight < 0:
        run.compile_host_code(predecessors.compile_search)
    if problem.predecessors:
        run.compile_host_code(lambda: predecessors.compile_repair(problem.dtype))
    with run.time_phase("negative cycles"):
        cycle, vertex_potentials = predecessors.search_negative_cycle(problem.graph, monitor)
        over = problem if cycle else potentials.lift_weights(problem, vertex_potentials)
    if cycle:
        return Outcome(PathsAnswer(None, None, cycle), run.times_ms)
    weights = _upload_weights(over, run)
    numbers = run.allocate_answer((problem.n, problem.n), problem.dtype)
    edges = weights.copy() if problem.predecessors else None
    on_device = distances(over, run, weights)
    del weights
    _download_distances(problem, run, on_device, numbers)
    before = None if edges is None else _find_predecessors(over, on_device, numbers, edges, run)
    del on_device, edges
    potentials.lower_distances(problem, over, vertex_potentials, numbers)
    host_bytes = numbers.nbytes + (0 if before is None else before.nbytes)
    return Outcome(PathsAnswer(numbers, before), run.times_ms, host_bytes, run.device_bytes)


def _upload_weights(problem: PathsProblem, run: DeviceRun) -> cupy.ndarray:
    """Copy the weights to the device, in the problem's type and padded with infinity to whole tiles."""
    weights, n = problem.graph.weights, problem.n
    infinite = MIN_PLUS.zero_element(problem.dtype)
    side = algebra.round_to_tiles(n, algebra.tile_side(problem.dtype))
    matrix = run.allocate_array((side, side), problem.dtype)

    def fill_rows(first: int, last: int, out: np.ndarray) -> None:
        given = weights[first:last]
        inside = out[: len(given), :n]
        copy_at_most(inside, given, infinite)
        out[: len(given), n:] = infinite
        out[len(given) :] = infinite

    run.upload_rows(matrix, fill_rows)
    return matrix


def _download_distances(problem: PathsProblem, run: DeviceRun, matrix: cupy.ndarray, into: np.ndarray) -> None:
    """Copy the distances to an array on the host, shape (n, n), without the padding.

    In int32, negative weights may have lessened what stands for infinity: such numbers become infinite again.
    """
    if problem.precision == "int32" and problem.graph.least_weight < 0:
        settle = run.compile_kernel(ARRANGE, "settle_infinities", **algebra.compile_constants(problem.dtype))
        settle((PAD_BLOCKS,), (THREADS,), (matrix, np.int64(matrix.size), problem.dtype.type(problem.limit)))
    _download_square(run, matrix, into)


def _download_square(run: DeviceRun, matrix: cupy.ndarray, into: np.ndarray) -> None:
    """Copy the first n rows and columns of a matrix to an array on the host, shape (n, n)."""
    n = len(into)
    run.download_rows(matrix[:n], lambda first, last, rows: copy_values(into[first:last], rows[:, :n]))


def _run_blocked_floyd(problem: PathsProblem, run: DeviceRun, d: cupy.ndarray) -> cupy.ndarray:
    """Blocked Floyd-Warshall in place: the next step's diagonal block, row and column run on a stream of their own."""
    constants, size = algebra.compile_constants(problem.dtype), algebra.tile_side(problem.dtype)
    kernels = [run.compile_kernel(FLOYD, f"floyd_{name}", **constants) for name in ("close", "cross", "ahead", "rest")]
    blocks, main = int(d.shape[0]) // size, cupy.cuda.get_current_stream()
    in_flight = SHORT_AHEAD if d.nbytes <= SHORT else LAUNCHES_AHEAD
    with (
        run.begin_phase("distances", ahead=in_flight) as phase,
        closing(_launch_steps(d, blocks, kernels, main)) as steps,
    ):
        for done in steps:
            phase.note_launch(min(done * size, problem.n), problem.n)
    return d


def _launch_steps(d: cupy.ndarray, blocks: int, kernels: list[Any], main: cupy.cuda.Stream) -> Generator[int]:
    """Launch the steps of blocks; yield the number of launched steps."""
    close, cross, ahead, rest = kernels
    beside, stride = cupy.cuda.Stream(non_blocking=True, priority=-1), np.int32(d.shape[0])
    rested = main.record(_create_event())
    try:
        for k in range(blocks):
            this, following = (d, stride, np.int32(k)), (d, stride, np.int32(k + 1))
            with beside:
                beside.wait_event(rested)
                if k == 0:
                    close((1,), (THREADS,), this)
                    cross((2 * blocks,), (THREADS,), this)
                crossed = beside.record(_create_event())
                if k + 1 < blocks:
                    ahead((2 * blocks,), (THREADS,), this)
                    close((1,), (THREADS,), following)
                    cross((2 * blocks,), (THREADS,), following)
            main.wait_event(crossed)
            rest((blocks, blocks), (THREADS,), this)
            rested = main.record(_create_event())
            yield k + 1
    finally:  # also after Cancel: the next user of the memory is on the main stream
        main.wait_event(beside.record(_create_event()))


def _create_event() -> cupy.cuda.Event:
    """Return an event without timing."""
    return cupy.cuda.Event(disable_timing=True)


def _square_weights(problem: PathsProblem, run: DeviceRun, matrix: cupy.ndarray, texture: bool) -> cupy.ndarray:
    """Square the matrix over (min, +) until paths of n - 1 edges are in it (equation 6.7)."""
    constants = algebra.compile_constants(problem.dtype, texture=texture)
    run.compile_kernel(algebra.PRODUCT, "product", **constants)  # compiled before the clock of the phase begins
    with run.begin_phase("distances") as phase:
        return _square_repeatedly(run, phase, matrix, closing_products(problem.n), constants)


def _square_repeatedly(
    run: DeviceRun, phase: LaunchPhase, matrix: cupy.ndarray, times: int, constants: dict[str, int]
) -> cupy.ndarray:
    """Square a matrix so many times; with zeros on the diagonal its numbers can only shrink."""
    other, rows = run.allocate_array(matrix.shape, matrix.dtype), int(matrix.shape[0])
    for number in range(times):
        algebra.launch_product(
            run, phase, matrix, matrix, other, constants, from_zero=True, progress=(number * rows, times * rows)
        )
        matrix, other = other, matrix
    return matrix


def _solve_bipartite(problem: PathsProblem, run: DeviceRun, weights: cupy.ndarray, texture: bool) -> cupy.ndarray:
    """Compute the four blocks of the distances from the two blocks of the weights (algorithm 6.2), in place."""
    constants, size = algebra.compile_constants(problem.dtype, texture=texture), algebra.tile_side(problem.dtype)
    first, second = (np.flatnonzero(problem.sides == side).astype(np.int32) for side in (False, True))
    sides = run.upload_together(first, second)
    there, back = _gather_sides(run, weights, sides, size, constants)
    closed, far = (_identity_matrix(run, side.size, problem.dtype, size, constants) for side in (first, second))
    outward, homeward = run.allocate_array(there.shape, there.dtype), run.allocate_array(back.shape, back.dtype)
    run.compile_kernel(algebra.PRODUCT, "product", **constants)
    with run.begin_phase("distances") as phase:
        algebra.launch_product(run, phase, there, back, closed, constants)
        closed = _square_repeatedly(run, phase, closed, closing_products(first.size), constants)
        algebra.launch_product(run, phase, closed, there, outward, constants, from_zero=True)
        algebra.launch_product(run, phase, back, closed, homeward, constants, from_zero=True)
        algebra.launch_product(run, phase, homeward, there, far, constants)
    del there, back
    put = run.compile_kernel(ARRANGE, "scatter_part", **constants)
    of_first, of_second = sides
    blocks = (
        (of_first, of_first, closed),
        (of_first, of_second, outward),
        (of_second, of_first, homeward),
        (of_second, of_second, far),
    )
    for rows, columns, part in blocks:
        counts = np.int32(part.shape[1]), rows, np.int32(rows.size), columns, np.int32(columns.size)
        put((PAD_BLOCKS,), (THREADS,), (part, *counts, weights, np.int32(weights.shape[0])))
    return weights


def _identity_matrix(run: DeviceRun, count: int, type: np.dtype, size: int, constants: dict[str, int]) -> cupy.ndarray:
    """Return the identity matrix of so many vertices in whole tiles."""
    side = algebra.round_to_tiles(count, size)
    matrix = run.allocate_array((side, side), type)
    make = run.compile_kernel(ARRANGE, "set_identity", **constants)
    make((PAD_BLOCKS,), (THREADS,), (matrix, np.int32(count), np.int32(side)))
    return matrix


def _gather_sides(
    run: DeviceRun, weights: cupy.ndarray, sides: tuple[cupy.ndarray, ...], size: int, constants: dict[str, int]
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Return the weights from the first side to the second, and back, in whole tiles."""
    take, found = run.compile_kernel(ARRANGE, "gather_part", **constants), []
    for rows, columns in (sides, sides[::-1]):
        height, width = int(rows.size), int(columns.size)
        part = run.allocate_array(
            (algebra.round_to_tiles(height, size), algebra.round_to_tiles(width, size)), weights.dtype
        )
        counts = np.int32(weights.shape[0]), rows, np.int32(height), columns, np.int32(width)
        take((PAD_BLOCKS,), (THREADS,), (weights, *counts, part, *map(np.int32, part.shape)))
        found.append(part)
    return found[0], found[1]


def _find_predecessors(
    problem: PathsProblem, on_device: cupy.ndarray, distances: np.ndarray, edges: cupy.ndarray, run: DeviceRun
) -> np.ndarray:
    """Return the predecessors: a product of distances and edges that keeps the vertex of each least sum."""
    n, constants = problem.n, algebra.compile_constants(problem.dtype, indexed=True)
    clear_diagonal = run.compile_kernel(ARRANGE, "clear_diagonal", **constants)
    clear_diagonal((PAD_BLOCKS,), (THREADS,), (edges, np.int32(n), np.int32(edges.shape[1])))
    run.compile_kernel(algebra.INDEXED_PRODUCT, "indexed_product", **constants)
    found = run.allocate_answer((n, n), np.int32)
    with run.begin_phase("predecessors") as phase:
        _, indices = algebra.launch_indexed_product(run, phase, on_device, edges)
    _download_square(run, indices, found)
    limit = problem.dtype.type(problem.limit)
    with run.time_phase("predecessors"):
        predecessors.repair_all(found, distances, problem.matrix, limit, lambda done, total: run.monitor.check())
    return found


floyd_blocked = partial(_run_algorithm, distances=_run_blocked_floyd)
"""Blocked Floyd-Warshall: four launches per diagonal block."""
floyd_smem = partial(_run_algorithm, distances=partial(_square_weights, texture=False))
"""SMemFloyd: repeated squaring (equation 6.7), with factors loaded into shared memory."""
floyd_tmem = partial(_run_algorithm, distances=partial(_square_weights, texture=True))
"""TMemFloyd: repeated squaring, with factors read through textures."""
bipartite_smem = partial(_run_algorithm, distances=partial(_solve_bipartite, texture=False))
"""SMemBipartite: BIPARTITEAPSP (algorithm 6.2), powers by squaring."""
bipartite_tmem = partial(_run_algorithm, distances=partial(_solve_bipartite, texture=True))
"""TMemBipartite: BIPARTITEAPSP, with factors read through textures."""
