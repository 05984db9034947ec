"""Shortest paths between all pairs on the CPU (003, section 6.1.3)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
from antidiag.kernels.graphs import cpu_floyd, heights, kinds, ways
from antidiag.kernels.graphs.kinds import Kind
from antidiag.kernels.graphs.problem import PathsAnswer, PathsProblem
from antidiag.kernels.graphs.sizes import cells_of_distances, closing_products, host_bytes
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.semiring import MIN_PLUS, cpu_blocks
from antidiag.kernels.semiring.cpu import multiply, multiply_indexed
from antidiag.kernels.semiring.cpu_blocks import SQUARE, Layout
from antidiag.kernels.semiring.parameters import ThreadParameters
from antidiag.kernels.semiring.sizes import BLOCK
from antidiag.kernels.steps import Steps

SERIAL_STEPS = 1 << 26
"""Cells between two looks of a serial method at whether the user cancelled."""

DISTANCES, PREDECESSORS = "distances", "predecessors"


@dataclass
class Phase:
    """One phase of a run: its progress, in cells, over all its parts, which are the strips of its log.

    ``done`` cells were computed by the parts before this one.
    """

    name: str
    cells: int
    monitor: Monitor
    log: PhaseLog
    done: int = 0
    part: int = 0

    def report(self, cells: int, done: int, total: int) -> None:
        """``done`` of ``total`` of a part of so many cells."""
        self.monitor.update(self.done + cells * done // max(total, 1), max(self.cells, 1), self.name)

    def logged(self, rows: tuple[int, int], columns: tuple[int, int], worker: int, begun_ns: int) -> None:
        """These cells of the part are computed now."""
        self.log.add(self.part, rows, columns, worker, begun_ns)

    def next(self, cells: int) -> None:
        """A part of so many cells is over."""
        self.done, self.part = self.done + cells, self.part + 1

    def end(self) -> None:
        self.monitor.update(1, 1, self.name)


Distances = Callable[[PathsProblem, int, Phase], np.ndarray]


def floyd_warshall(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """FLOYDWARSHALL (algorithm 6.1), step by step on one thread."""
    return _run(problem, parameters, monitor, steps, _serial_floyd, kinds.STEPS)


def floyd_blocked(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Floyd-Warshall in blocks, all cores."""
    return _run(problem, parameters, monitor, steps, _blocked_floyd, kinds.BLOCKED)


def floyd_smem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """SMemFloyd: the matrix is squared again and again (equation 6.7); blocks are copied together first."""
    return _run(problem, parameters, monitor, steps, partial(_squared_floyd, layout="tiles"), kinds.SQUARED)


def floyd_tmem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TMemFloyd: as SMemFloyd, and blocks are read where they are."""
    return _run(problem, parameters, monitor, steps, partial(_squared_floyd, layout="rows"), kinds.SQUARED)


def bipartite_serial(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """BIPARTITEAPSP (algorithm 6.2) on one thread, products as they are defined."""
    return _run(problem, parameters, monitor, steps, partial(_bipartite, product=_plain), kinds.BIPARTITE_SERIAL)


def bipartite_smem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """SMemBipartite: BIPARTITEAPSP with blocks copied together first."""
    product = partial(_in_blocks, layout="tiles")
    return _run(problem, parameters, monitor, steps, partial(_bipartite, product=product), kinds.BIPARTITE)


def bipartite_tmem(problem: PathsProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TMemBipartite: BIPARTITEAPSP with blocks read where they are."""
    product = partial(_in_blocks, layout="rows")
    return _run(problem, parameters, monitor, steps, partial(_bipartite, product=product), kinds.BIPARTITE)


def _run(
    problem: PathsProblem,
    parameters: Mapping[str, Any],
    monitor: Monitor,
    steps: Steps,
    distances: Distances,
    kind: Kind,
) -> Outcome:
    """A negative cycle, else the distances, else also the predecessors."""
    threads = typed(ThreadParameters, parameters).threads
    times_ms = {"compilation": time_ms(partial(_compiled, distances, problem)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    logs = [PhaseLog(steps, number, clock.started_ns) for number in (1, 2, 3)]
    cycle, high = ways.search(problem.graph, monitor, logs[0])
    over = problem if cycle else heights.lifted(problem, high)
    clock.phase("negative cycles")
    if cycle:
        return Outcome(PathsAnswer(None, None, cycle), times_ms)
    phase = Phase(DISTANCES, cells_of_distances(problem, kind), monitor, logs[1])
    found = distances(over, threads, phase)
    phase.end()
    if problem.precision == "int32":
        found[found >= problem.limit] = MIN_PLUS.zero(np.int32)
    before = None
    if problem.predecessors:
        clock.phase(DISTANCES)
        before = _predecessors(over, found, threads, monitor, logs[2])
    heights.lower(problem, over, high, found)
    clock.phase(PREDECESSORS if problem.predecessors else DISTANCES)
    return Outcome(PathsAnswer(found, before), times_ms, host_bytes(problem, kind))


def _compiled(distances: Distances, problem: PathsProblem) -> None:
    """Run once on three vertices, the fewest that are squared, so that nothing is compiled while the clock runs."""
    from antidiag.kernels.graphs.graph import from_weights

    graph = from_weights(np.array([[0.0, 1.0, np.inf], [-1.0, 0.0, np.inf], [np.inf, np.inf, 0.0]]))
    tiny = PathsProblem(graph, problem.precision, problem.predecessors)
    log = PhaseLog(Steps(), 0, 0)
    found = distances(tiny, 1, Phase(DISTANCES, 1, Monitor(), log))
    if problem.graph.lightest < 0:
        ways.negative_cycle(graph, Monitor())
    if problem.predecessors:
        _predecessors(tiny, found, 1, Monitor(), log)


def _predecessors(
    problem: PathsProblem, distances: np.ndarray, threads: int, monitor: Monitor, log: PhaseLog
) -> np.ndarray:
    """For every pair the smallest vertex before the last: a product of distances and edges that keeps its winners."""
    zero = MIN_PLUS.zero(problem.dtype)
    left, right = cpu_blocks.from_matrix(distances, zero), cpu_blocks.from_matrix(_edges(problem), zero)
    least = cpu_blocks.empty(problem.n, problem.n, zero, problem.dtype)
    indices = np.full(least.data.size, -1, np.int32)
    cells, limit = (problem.n**3, problem.n**2), problem.dtype.type(problem.limit)
    phase = Phase(PREDECESSORS, sum(cells), monitor, log)
    multiply_indexed(left, right, least, indices, threads, partial(phase.report, cells[0]), phase.logged)
    phase.next(cells[0])
    del left, right
    found = cpu_blocks.to_matrix(least, indices)
    return ways.repaired(found, distances, problem.matrix, limit, partial(phase.report, cells[1]))


def _edges(problem: PathsProblem) -> np.ndarray:
    """The weights without the way from a vertex to itself."""
    edges = problem.matrix.copy()
    np.fill_diagonal(edges, MIN_PLUS.zero(problem.dtype))
    return edges


def _serial_floyd(problem: PathsProblem, threads: int, phase: Phase) -> np.ndarray:
    d, row = problem.matrix.copy(), np.empty(problem.n, problem.dtype)
    several = max(1, SERIAL_STEPS // problem.n**2)
    stop = workers.stop_word()
    for k in range(0, problem.n, several):
        phase.report(phase.cells, k, problem.n)
        begun_ns = time.perf_counter_ns()
        cpu_floyd.serial_steps(d, row, k, min(k + several, problem.n), stop)
        phase.log.add(k // several, (0, problem.n), (0, problem.n), 0, begun_ns)
    return d


def _blocked_floyd(problem: PathsProblem, threads: int, phase: Phase) -> np.ndarray:
    """The steps of blocks, which are the strips of the log; threads meet three times in each.

    The blocks of row k and of column k, which a thread takes in turns, are no rectangle that the log could tell.
    """
    matrix = cpu_blocks.from_matrix(problem.matrix, MIN_PLUS.zero(problem.dtype))
    d, blocks = matrix.data, matrix.blocks[0]
    stop, done = workers.stop_word(), np.zeros(threads, np.int64)
    meeting = threading.Barrier(threads)
    total, n = blocks * (blocks - 1) ** 2, problem.n

    def rest(k: int, first: int, last: int, worker: int) -> None:
        begun_ns = time.perf_counter_ns()
        cpu_floyd.relax_rest(d, blocks, k, first, last, stop, done, worker)
        if first < last:
            phase.log.add(k, (first * BLOCK, min(last * BLOCK, n)), (0, n), worker, begun_ns)

    def close(k: int, scratch: np.ndarray) -> None:
        begun_ns, within = time.perf_counter_ns(), (k * BLOCK, min((k + 1) * BLOCK, n))
        cpu_floyd.close_block(d, (k * blocks + k) * SQUARE, scratch[:BLOCK])
        phase.log.add(k, within, within, 0, begun_ns)

    def work(worker: int) -> None:
        scratch = np.empty(SQUARE, problem.dtype)
        first, last = worker * blocks // threads, (worker + 1) * blocks // threads
        try:
            for k in range(blocks):
                if worker == 0:
                    close(k, scratch)
                meeting.wait()
                cpu_floyd.relax_cross(d, blocks, k, worker, threads, scratch, stop)
                meeting.wait()
                rest(k, first, last, worker)
                if stop[0]:
                    meeting.abort()
                    return
                meeting.wait()
        except threading.BrokenBarrierError:
            return
        except BaseException:
            meeting.abort()
            raise

    workers.share(work, threads, stop, lambda: phase.report(phase.cells, int(done.sum()), total))
    return cpu_blocks.to_matrix(matrix)


def _squared_floyd(problem: PathsProblem, threads: int, phase: Phase, layout: Layout) -> np.ndarray:
    """The matrix multiplied with itself again and again; with zeros on the diagonal it can only shrink."""
    matrix, cells = cpu_blocks.from_matrix(problem.matrix, MIN_PLUS.zero(problem.dtype), layout), problem.n**3
    for _ in range(closing_products(problem.n)):
        product = matrix._replace(data=matrix.data.copy())
        multiply(matrix, matrix, product, MIN_PLUS, threads, partial(phase.report, cells), phase.logged)
        phase.next(cells)
        matrix = product
    return cpu_blocks.to_matrix(matrix)


Product = Callable[[np.ndarray, np.ndarray, "np.ndarray | None", int, Phase], np.ndarray]


def _bipartite(problem: PathsProblem, threads: int, phase: Phase, product: Product) -> np.ndarray:
    """The four blocks of the distances out of the two blocks of the weights (algorithm 6.2, powers by squaring)."""
    first, second = (np.flatnonzero(problem.sides == side) for side in (False, True))
    there, back = problem.matrix[np.ix_(first, second)], problem.matrix[np.ix_(second, first)]
    ones = [MIN_PLUS.identity(side.size, problem.dtype) for side in (first, second)]
    closed = product(there, back, ones[0], threads, phase)
    for _ in range(closing_products(first.size)):
        closed = product(closed, closed, closed, threads, phase)
    outward = product(closed, there, None, threads, phase)
    homeward = product(back, closed, None, threads, phase)
    distances = np.empty((problem.n, problem.n), problem.dtype)
    distances[np.ix_(first, first)] = closed
    distances[np.ix_(first, second)] = outward
    distances[np.ix_(second, first)] = homeward
    distances[np.ix_(second, second)] = product(homeward, there, ones[1], threads, phase)
    return distances


def _plain(a: np.ndarray, b: np.ndarray, plus: np.ndarray | None, threads: int, phase: Phase) -> np.ndarray:
    """The product as it is defined, plus another matrix, in slices between which the user may cancel."""
    c = np.full((len(a), b.shape[1]), MIN_PLUS.zero(a.dtype), a.dtype) if plus is None else plus.copy()
    rows, cells = max(1, SERIAL_STEPS // max(1, b.size)), len(a) * b.size
    b = np.ascontiguousarray(b)
    for first in range(0, len(a), rows):
        phase.report(cells, first, len(a))
        begun_ns, last = time.perf_counter_ns(), min(first + rows, len(a))
        cpu_floyd.plain_product(np.ascontiguousarray(a[first:last]), b, c[first:last], workers.stop_word())
        phase.logged((first, last), (0, b.shape[1]), 0, begun_ns)
    phase.next(cells)
    return c


def _in_blocks(
    a: np.ndarray, b: np.ndarray, plus: np.ndarray | None, threads: int, phase: Phase, layout: Layout
) -> np.ndarray:
    cells = len(a) * b.size
    zero = MIN_PLUS.zero(a.dtype)
    left, right = (cpu_blocks.from_matrix(matrix, zero, layout) for matrix in (a, b))
    c = (
        cpu_blocks.empty(len(a), b.shape[1], zero, a.dtype, layout)
        if plus is None
        else cpu_blocks.from_matrix(plus, zero, layout)
    )
    multiply(left, right, c, MIN_PLUS, threads, partial(phase.report, cells), phase.logged)
    phase.next(cells)
    return cpu_blocks.to_matrix(c)
