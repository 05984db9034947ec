"""Shortest paths between all pairs on the CPU (Hanif 2014, section 6.1.3)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phase_times import PhaseClock, PhaseLog, measure_ms
from antidiag.kernels.graphs import algorithms, cpu_floyd, potentials, predecessors
from antidiag.kernels.graphs.algorithms import PathAlgorithm, closing_products
from antidiag.kernels.graphs.problem import PathsAnswer, PathsProblem
from antidiag.kernels.graphs.sizes import host_bytes
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.semiring import MIN_PLUS, cpu_blocks
from antidiag.kernels.semiring.cpu import add_indexed_product, add_product
from antidiag.kernels.semiring.cpu_blocks import SQUARE, Layout
from antidiag.kernels.semiring.sizes import BLOCK
from antidiag.kernels.steps import StepLog

SERIAL_STEPS = 1 << 26
"""Cells of a serial method between two checks for Cancel."""

DISTANCES, PREDECESSORS = "distances", "predecessors"


@dataclass
class PathPhase:
    """A phase of a run: its progress in cells over all its parts, which are the strips of its log.

    ``done`` are the cells of the parts before the current one.
    """

    name: str
    cells: int
    monitor: Monitor
    log: PhaseLog
    done: int = 0
    part: int = 0

    def report_progress(self, cells: int, done: int, total: int) -> None:
        """Report that ``done`` of ``total`` of the current part, of so many cells, are computed."""
        self.monitor.update(self.done + cells * done // max(total, 1), max(self.cells, 1), self.name)

    def log_cells(self, rows: tuple[int, int], columns: tuple[int, int], worker: int, begun_ns: int) -> None:
        """Log cells of the current part that a worker has computed."""
        self.log.add_event(self.part, rows, columns, worker, begun_ns)

    def begin_part(self, cells: int) -> None:
        """Begin the next part, behind one of so many cells."""
        self.done, self.part = self.done + cells, self.part + 1

    def finish_phase(self) -> None:
        """Report the end of the phase."""
        self.monitor.update(1, 1, self.name)


Distances = Callable[[PathsProblem, int, PathPhase], np.ndarray]


def floyd_warshall(problem: PathsProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """FLOYDWARSHALL (algorithm 6.1), step by step on one thread."""
    return _run_algorithm(problem, parameters, monitor, steps, _run_serial_floyd, algorithms.STEPS)


def floyd_blocked(problem: PathsProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Blocked Floyd-Warshall on all cores."""
    return _run_algorithm(problem, parameters, monitor, steps, _run_blocked_floyd, algorithms.BLOCKED)


def floyd_smem(problem: PathsProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """SMemFloyd: repeated squaring (equation 6.7) of a matrix in contiguous blocks."""
    return _run_algorithm(
        problem, parameters, monitor, steps, partial(_square_repeatedly, layout="tiles"), algorithms.SQUARED
    )


def floyd_tmem(problem: PathsProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """TMemFloyd: repeated squaring of a row-major matrix, whose blocks are read through the caches."""
    return _run_algorithm(
        problem, parameters, monitor, steps, partial(_square_repeatedly, layout="rows"), algorithms.SQUARED
    )


def bipartite_serial(problem: PathsProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """BIPARTITEAPSP (algorithm 6.2) on one thread, with products by the definition."""
    return _run_algorithm(
        problem,
        parameters,
        monitor,
        steps,
        partial(_solve_bipartite, product=_multiply_serially),
        algorithms.BIPARTITE_SERIAL,
    )


def bipartite_smem(problem: PathsProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """SMemBipartite: BIPARTITEAPSP with contiguous blocks."""
    product = partial(_multiply_in_blocks, layout="tiles")
    return _run_algorithm(
        problem, parameters, monitor, steps, partial(_solve_bipartite, product=product), algorithms.BIPARTITE
    )


def bipartite_tmem(problem: PathsProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """TMemBipartite: BIPARTITEAPSP with row-major matrices."""
    product = partial(_multiply_in_blocks, layout="rows")
    return _run_algorithm(
        problem, parameters, monitor, steps, partial(_solve_bipartite, product=product), algorithms.BIPARTITE
    )


def _run_algorithm(
    problem: PathsProblem,
    parameters: MethodParameters,
    monitor: Monitor,
    steps: StepLog,
    distances: Distances,
    algorithm: PathAlgorithm,
) -> Outcome:
    """Search for a negative cycle; without one, compute distances, and predecessors if asked for."""
    threads = parameters.worker_threads
    monitor.check()
    times_ms = {"compilation": measure_ms(partial(_compile_algorithm, distances, problem)), "transfer": 0.0}
    monitor.check()
    clock = PhaseClock(times_ms)
    logs = [PhaseLog(steps, number, clock.started_ns) for number in (1, 2, 3)]
    cycle, vertex_potentials = predecessors.search_negative_cycle(problem.graph, monitor, logs[0])
    over = problem if cycle else potentials.lift_weights(problem, vertex_potentials)
    clock.end_phase("negative cycles")
    if cycle:
        return Outcome(PathsAnswer(None, None, cycle), times_ms)
    phase = PathPhase(DISTANCES, algorithm.cells(problem), monitor, logs[1])
    found = distances(over, threads, phase)
    phase.finish_phase()
    if problem.precision == "int32":
        found[found >= problem.limit] = MIN_PLUS.zero_element(np.int32)
    before = None
    if problem.predecessors:
        clock.end_phase(DISTANCES)
        before = _find_predecessors(over, found, threads, monitor, logs[2])
    potentials.lower_distances(problem, over, vertex_potentials, found)
    clock.end_phase(PREDECESSORS if problem.predecessors else DISTANCES)
    return Outcome(PathsAnswer(found, before), times_ms, host_bytes(problem, algorithm))


def _compile_algorithm(distances: Distances, problem: PathsProblem) -> None:
    """Run on three vertices, the fewest that are squared, so that all code is compiled before the clock starts."""
    from antidiag.kernels.graphs.graph import from_weights

    graph = from_weights(np.array([[0.0, 1.0, np.inf], [-1.0, 0.0, np.inf], [np.inf, np.inf, 0.0]]))
    tiny = PathsProblem(graph, problem.precision, problem.predecessors)
    log = PhaseLog(StepLog(), 0, 0)
    found = distances(tiny, 1, PathPhase(DISTANCES, 1, Monitor(), log))
    if problem.graph.least_weight < 0:
        predecessors.find_negative_cycle(graph, Monitor())
    if problem.predecessors:
        _find_predecessors(tiny, found, 1, Monitor(), log)


def _find_predecessors(
    problem: PathsProblem, distances: np.ndarray, threads: int, monitor: Monitor, log: PhaseLog
) -> np.ndarray:
    """Return the predecessors: a product of distances and edges that keeps the vertex of each minimum."""
    zero = MIN_PLUS.zero_element(problem.dtype)
    left, right = (
        cpu_blocks.block_matrix(distances, zero),
        cpu_blocks.block_matrix(_weights_without_loops(problem), zero),
    )
    least = cpu_blocks.filled_blocks(problem.n, problem.n, zero, problem.dtype)
    indices = np.full(least.data.size, -1, np.int32)
    cells, limit = (problem.n**3, problem.n**2), problem.dtype.type(problem.limit)
    phase = PathPhase(PREDECESSORS, sum(cells), monitor, log)
    add_indexed_product(left, right, least, indices, threads, partial(phase.report_progress, cells[0]), phase.log_cells)
    phase.begin_part(cells[0])
    del left, right
    found = cpu_blocks.unblock_matrix(least, indices)
    return predecessors.repair_all(found, distances, problem.matrix, limit, partial(phase.report_progress, cells[1]))


def _weights_without_loops(problem: PathsProblem) -> np.ndarray:
    """Return the weights with an infinite diagonal."""
    edges = problem.matrix.copy()
    np.fill_diagonal(edges, MIN_PLUS.zero_element(problem.dtype))
    return edges


def _run_serial_floyd(problem: PathsProblem, threads: int, phase: PathPhase) -> np.ndarray:
    d, row = problem.matrix.copy(), np.empty(problem.n, problem.dtype)
    several = max(1, SERIAL_STEPS // problem.n**2)
    stop = workers.make_stop_word()
    for k in range(0, problem.n, several):
        phase.report_progress(phase.cells, k, problem.n)
        begun_ns = time.perf_counter_ns()
        cpu_floyd.run_serial_steps(d, row, k, min(k + several, problem.n), stop)
        phase.log.add_event(k // several, (0, problem.n), (0, problem.n), 0, begun_ns)
    return d


def _run_blocked_floyd(problem: PathsProblem, threads: int, phase: PathPhase) -> np.ndarray:
    """Run the steps of blocks, which are the strips of the log, with three barriers per step.

    Row k and column k of the blocks, which threads take in turns, are no rectangle and are not logged.
    """
    matrix = cpu_blocks.block_matrix(problem.matrix, MIN_PLUS.zero_element(problem.dtype))
    d, blocks = matrix.data, matrix.blocks[0]
    stop, done = workers.make_stop_word(), np.zeros(threads, np.int64)
    meeting = threading.Barrier(threads)
    total, n = blocks * (blocks - 1) ** 2, problem.n

    def rest(k: int, first: int, last: int, worker: int) -> None:
        begun_ns = time.perf_counter_ns()
        cpu_floyd.relax_rest(d, blocks, k, first, last, stop, done, worker)
        if first < last:
            phase.log.add_event(k, (first * BLOCK, min(last * BLOCK, n)), (0, n), worker, begun_ns)

    def close(k: int, scratch: np.ndarray) -> None:
        begun_ns, within = time.perf_counter_ns(), (k * BLOCK, min((k + 1) * BLOCK, n))
        cpu_floyd.close_block(d, (k * blocks + k) * SQUARE, scratch[:BLOCK])
        phase.log.add_event(k, within, within, 0, begun_ns)

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

    workers.share_work(work, threads, stop, lambda: phase.report_progress(phase.cells, int(done.sum()), total))
    return cpu_blocks.unblock_matrix(matrix)


def _square_repeatedly(problem: PathsProblem, threads: int, phase: PathPhase, layout: Layout) -> np.ndarray:
    """Square the matrix repeatedly; with zeros on the diagonal its numbers can only shrink."""
    matrix, cells = cpu_blocks.block_matrix(problem.matrix, MIN_PLUS.zero_element(problem.dtype), layout), problem.n**3
    for _ in range(closing_products(problem.n)):
        product = matrix._replace(data=matrix.data.copy())
        add_product(matrix, matrix, product, MIN_PLUS, threads, partial(phase.report_progress, cells), phase.log_cells)
        phase.begin_part(cells)
        matrix = product
    return cpu_blocks.unblock_matrix(matrix)


Product = Callable[[np.ndarray, np.ndarray, "np.ndarray | None", int, PathPhase], np.ndarray]


def _solve_bipartite(problem: PathsProblem, threads: int, phase: PathPhase, product: Product) -> np.ndarray:
    """Compute the four blocks of the distances from the two blocks of the weights (algorithm 6.2, by squaring)."""
    first, second = (np.flatnonzero(problem.sides == side) for side in (False, True))
    there, back = problem.matrix[np.ix_(first, second)], problem.matrix[np.ix_(second, first)]
    ones = [MIN_PLUS.identity_matrix(side.size, problem.dtype) for side in (first, second)]
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


def _multiply_serially(
    a: np.ndarray, b: np.ndarray, plus: np.ndarray | None, threads: int, phase: PathPhase
) -> np.ndarray:
    """Return a product by the definition plus another matrix, with a check for Cancel between slices."""
    c = np.full((len(a), b.shape[1]), MIN_PLUS.zero_element(a.dtype), a.dtype) if plus is None else plus.copy()
    rows, cells = max(1, SERIAL_STEPS // max(1, b.size)), len(a) * b.size
    b = np.ascontiguousarray(b)
    for first in range(0, len(a), rows):
        phase.report_progress(cells, first, len(a))
        begun_ns, last = time.perf_counter_ns(), min(first + rows, len(a))
        cpu_floyd.multiply_serially(np.ascontiguousarray(a[first:last]), b, c[first:last], workers.make_stop_word())
        phase.log_cells((first, last), (0, b.shape[1]), 0, begun_ns)
    phase.begin_part(cells)
    return c


def _multiply_in_blocks(
    a: np.ndarray, b: np.ndarray, plus: np.ndarray | None, threads: int, phase: PathPhase, layout: Layout
) -> np.ndarray:
    cells = len(a) * b.size
    zero = MIN_PLUS.zero_element(a.dtype)
    left, right = (cpu_blocks.block_matrix(matrix, zero, layout) for matrix in (a, b))
    c = (
        cpu_blocks.filled_blocks(len(a), b.shape[1], zero, a.dtype, layout)
        if plus is None
        else cpu_blocks.block_matrix(plus, zero, layout)
    )
    add_product(left, right, c, MIN_PLUS, threads, partial(phase.report_progress, cells), phase.log_cells)
    phase.begin_part(cells)
    return cpu_blocks.unblock_matrix(c)
