"""Shortest paths between all pairs on the CPU (003, section 6.1.3)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from kernels import workers
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.phases import PhaseClock, time_ms
from kernels.steps import Steps
from kernels.tropical.algebra import MIN_PLUS, cpu_blocks
from kernels.tropical.algebra.cpu import multiply, multiply_indexed
from kernels.tropical.algebra.cpu_blocks import SQUARE, Blocked, Layout
from kernels.tropical.algebra.layout import BLOCK
from kernels.tropical.paths import cpu_floyd, ways
from kernels.tropical.paths.problem import PathsAnswer, PathsProblem
from kernels.tropical.paths.sizes import closing_products, host_bytes

SERIAL_STEPS = 1 << 26
"""Cells between two looks of a serial method at whether the user cancelled."""

Distances = Callable[[PathsProblem, int, Monitor], np.ndarray]


def floyd_warshall(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """FLOYDWARSHALL (algorithm 6.1), step by step on one thread."""
    return _run(problem, 1, monitor, _serial_floyd, "floyd-warshall")


def floyd_blocked(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Floyd-Warshall in blocks, all cores."""
    return _run(problem, parameters["threads"], monitor, _blocked_floyd, "floyd-blocked")


def floyd_smem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """SMemFloyd: the matrix is squared again and again (equation 6.7); blocks are copied together first."""
    return _run(problem, parameters["threads"], monitor, partial(_squared_floyd, layout="tiles"), "floyd-smem")


def floyd_tmem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TMemFloyd: as SMemFloyd, and blocks are read where they are."""
    return _run(problem, parameters["threads"], monitor, partial(_squared_floyd, layout="rows"), "floyd-tmem")


def bipartite_serial(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """BIPARTITEAPSP (algorithm 6.2) on one thread, products as they are defined."""
    return _run(problem, 1, monitor, partial(_bipartite, product=_plain), "bipartite-serial")


def bipartite_smem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """SMemBipartite: BIPARTITEAPSP with blocks copied together first."""
    product = partial(_in_blocks, layout="tiles")
    return _run(problem, parameters["threads"], monitor, partial(_bipartite, product=product), "bipartite-smem")


def bipartite_tmem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TMemBipartite: BIPARTITEAPSP with blocks read where they are."""
    product = partial(_in_blocks, layout="rows")
    return _run(problem, parameters["threads"], monitor, partial(_bipartite, product=product), "bipartite-tmem")


def _run(problem: PathsProblem, threads: int, monitor: Monitor, distances: Distances, method: str) -> Outcome:
    """A negative cycle, else the distances, else also the predecessors."""
    times_ms = {"compilation": time_ms(partial(_compiled, distances, problem)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    cycle = ways.negative_cycle(problem.graph, monitor)
    clock.phase("negative cycles")
    if cycle:
        return Outcome(PathsAnswer(None, None, cycle), times_ms)
    found = distances(problem, threads, monitor)
    if problem.precision == "int32":
        found[found >= problem.limit] = MIN_PLUS.zero(np.int32)
    clock.phase("distances")
    before = _predecessors(problem, found, threads, monitor) if problem.predecessors else None
    if problem.predecessors:
        clock.phase("predecessors")
    return Outcome(PathsAnswer(found, before), times_ms, host_bytes(problem, method))


def _compiled(distances: Distances, problem: PathsProblem) -> None:
    """Run once on three vertices, the fewest that are squared, so that nothing is compiled while the clock runs."""
    from kernels.tropical.paths.graph import from_weights

    graph = from_weights(np.array([[0.0, 1.0, np.inf], [-1.0, 0.0, np.inf], [np.inf, np.inf, 0.0]]))
    tiny = PathsProblem(graph, problem.precision, problem.predecessors)
    found = distances(tiny, 1, Monitor())
    if problem.graph.lightest < 0:
        ways.negative_cycle(graph, Monitor())
    if problem.predecessors:
        _predecessors(tiny, found, 1, Monitor())


def _predecessors(problem: PathsProblem, distances: np.ndarray, threads: int, monitor: Monitor) -> np.ndarray:
    """For every pair the smallest vertex before the last: a product of distances and edges that keeps its winners."""
    zero = MIN_PLUS.zero(problem.dtype)
    edges = problem.matrix.copy()
    np.fill_diagonal(edges, zero)
    left, right = (cpu_blocks.from_matrix(matrix, zero) for matrix in (distances, edges))
    least = cpu_blocks.empty(problem.n, problem.n, zero, problem.dtype)
    indices = np.full(least.data.size, -1, np.int32)
    multiply_indexed(left, right, least, indices, threads, monitor, "predecessors")
    limit = problem.dtype.type(problem.limit)
    return ways.repaired(cpu_blocks.to_matrix(least, indices), distances, problem.matrix, limit, monitor)


def _serial_floyd(problem: PathsProblem, threads: int, monitor: Monitor) -> np.ndarray:
    d, row = problem.matrix.copy(), np.empty(problem.n, problem.dtype)
    several = max(1, SERIAL_STEPS // problem.n**2)
    stop = workers.stop_word()
    for k in range(0, problem.n, several):
        monitor.update(k, problem.n, "distances")
        cpu_floyd.serial_steps(d, row, k, min(k + several, problem.n), stop)
    return d


def _blocked_floyd(problem: PathsProblem, threads: int, monitor: Monitor) -> np.ndarray:
    """The steps of blocks; threads meet three times in each."""
    matrix = cpu_blocks.from_matrix(problem.matrix, MIN_PLUS.zero(problem.dtype))
    d, blocks = matrix.data, matrix.blocks[0]
    stop, done = workers.stop_word(), np.zeros(threads, np.int64)
    meeting = threading.Barrier(threads)
    total = max(1, blocks * (blocks - 1) ** 2)

    def work(worker: int) -> None:
        scratch = np.empty(SQUARE, problem.dtype)
        first, last = worker * blocks // threads, (worker + 1) * blocks // threads
        try:
            for k in range(blocks):
                if worker == 0:
                    cpu_floyd.close_block(d, (k * blocks + k) * SQUARE, scratch[:BLOCK])
                meeting.wait()
                cpu_floyd.relax_cross(d, blocks, k, worker, threads, scratch, stop)
                meeting.wait()
                cpu_floyd.relax_rest(d, blocks, k, first, last, stop, done, worker)
                if stop[0]:
                    meeting.abort()
                    return
                meeting.wait()
        except threading.BrokenBarrierError:
            return
        except BaseException:
            meeting.abort()
            raise

    workers.share(work, threads, stop, lambda: monitor.update(int(done.sum()), total, "distances"))
    return cpu_blocks.to_matrix(matrix)


def _squared_floyd(problem: PathsProblem, threads: int, monitor: Monitor, layout: Layout) -> np.ndarray:
    matrix = cpu_blocks.from_matrix(problem.matrix, MIN_PLUS.zero(problem.dtype), layout)
    squared = _squared(matrix, closing_products(problem.n), threads, monitor)
    return cpu_blocks.to_matrix(squared)


def _squared(matrix: Blocked, times: int, threads: int, monitor: Monitor) -> Blocked:
    """The matrix multiplied with itself so many times over; with zeros on the diagonal it can only shrink."""
    for number in range(times):
        product = matrix._replace(data=matrix.data.copy())
        multiply(matrix, matrix, product, MIN_PLUS, threads, monitor, (number, times), "distances")
        matrix = product
    return matrix


Product = Callable[[np.ndarray, np.ndarray, "np.ndarray | None", int, Monitor], np.ndarray]


def _bipartite(problem: PathsProblem, threads: int, monitor: Monitor, product: Product) -> np.ndarray:
    """The four blocks of the distances out of the two blocks of the weights (algorithm 6.2, powers by squaring)."""
    first, second = (np.flatnonzero(problem.sides == side) for side in (False, True))
    there, back = problem.matrix[np.ix_(first, second)], problem.matrix[np.ix_(second, first)]
    ones = [MIN_PLUS.identity(side.size, problem.dtype) for side in (first, second)]
    closed = product(there, back, ones[0], threads, monitor)
    for _ in range(closing_products(first.size)):
        closed = product(closed, closed, closed, threads, monitor)
    outward = product(closed, there, None, threads, monitor)
    homeward = product(back, closed, None, threads, monitor)
    distances = np.empty((problem.n, problem.n), problem.dtype)
    distances[np.ix_(first, first)] = closed
    distances[np.ix_(first, second)] = outward
    distances[np.ix_(second, first)] = homeward
    distances[np.ix_(second, second)] = product(homeward, there, ones[1], threads, monitor)
    return distances


def _plain(a: np.ndarray, b: np.ndarray, plus: np.ndarray | None, threads: int, monitor: Monitor) -> np.ndarray:
    """The product as it is defined, plus another matrix, in slices between which the user may cancel."""
    c = np.full((len(a), b.shape[1]), MIN_PLUS.zero(a.dtype), a.dtype) if plus is None else plus.copy()
    rows = max(1, SERIAL_STEPS // max(1, b.size))
    b = np.ascontiguousarray(b)
    for first in range(0, len(a), rows):
        monitor.update(first, len(a), "distances")
        some = np.ascontiguousarray(a[first : first + rows])
        cpu_floyd.plain_product(some, b, c[first : first + rows], workers.stop_word())
    return c


def _in_blocks(
    a: np.ndarray, b: np.ndarray, plus: np.ndarray | None, threads: int, monitor: Monitor, layout: Layout
) -> np.ndarray:
    zero = MIN_PLUS.zero(a.dtype)
    left, right = (cpu_blocks.from_matrix(matrix, zero, layout) for matrix in (a, b))
    c = (
        cpu_blocks.empty(len(a), b.shape[1], zero, a.dtype, layout)
        if plus is None
        else cpu_blocks.from_matrix(plus, zero, layout)
    )
    multiply(left, right, c, MIN_PLUS, threads, monitor, phase="distances")
    return cpu_blocks.to_matrix(c)
