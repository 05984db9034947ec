"""Shortest paths between all pairs on the CPU (Hanif 2014, section 6.1.3)."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import count

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.graphs import algorithms, cpu_floyd, potentials, predecessors
from antidiag.kernels.graphs.algorithms import PathAlgorithm, closing_products
from antidiag.kernels.graphs.predecessors import CYCLES, TINY_GRAPH
from antidiag.kernels.graphs.problem import PathsAnswer, PathsProblem
from antidiag.kernels.graphs.sizes import host_bytes
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.semiring import MIN_PLUS, cpu_blocks
from antidiag.kernels.semiring.cpu import add_indexed_product, add_product, multiply_matrices
from antidiag.kernels.semiring.cpu_blocks import SQUARE, Layout
from antidiag.kernels.semiring.sizes import BLOCK
from antidiag.kernels.steps import StepLog

SERIAL_STEPS = 1 << 26
"""Cells of an event in the log of a serial method."""

DISTANCES, PREDECESSORS = "distances", "predecessors"

Distances = Callable[..., np.ndarray]
"""Computes the distances of a problem in a run, which is a phase; some take the layout of matrices, too."""


def _run_algorithm(
    problem: PathsProblem,
    parameters: MethodParameters,
    monitor: Monitor,
    steps: StepLog,
    distances: Distances,
    algorithm: PathAlgorithm,
    layout: tuple[Layout | None, ...] = (),
) -> Outcome:
    """Search for a negative cycle; without one, compute distances, and predecessors if asked for."""
    run = CpuRun(monitor, steps, parameters.worker_threads)
    is_lifted = problem.graph.least_weight < 0
    run.compile_once(_compile_algorithm, distances, layout, problem.precision, problem.predecessors, is_lifted)
    with run.phase(CYCLES) as phase:
        cycle, vertex_potentials = predecessors.search_negative_cycle(problem.graph, monitor, phase)
        over = problem if cycle else potentials.lift_weights(problem, vertex_potentials)
    if cycle:
        return Outcome(PathsAnswer(None, None, cycle), run.times_ms)
    found = distances(over, run, *layout)
    monitor.update(1, 1, DISTANCES)
    if problem.precision == "int32":
        found[found >= problem.limit] = MIN_PLUS.zero_element(np.int32)
    before = _find_predecessors(over, found, run) if problem.predecessors else None
    with run.phase(DISTANCES):
        potentials.lower_distances(problem, over, vertex_potentials, found)
    return Outcome(PathsAnswer(found, before), run.times_ms, host_bytes(problem, algorithm))


def _compile_algorithm(
    distances: Distances, layout: tuple[Layout | None, ...], precision: str, predecessors_too: bool, is_lifted: bool
) -> None:
    """Compile all code of a run, or load it from the cache folder, by running a tiny problem."""
    tiny = PathsProblem(TINY_GRAPH, precision, predecessors_too)
    found = distances(tiny, CpuRun(), *layout)
    if is_lifted:
        predecessors.compile_search()
    if predecessors_too:
        _find_predecessors(tiny, found, CpuRun())


def _find_predecessors(problem: PathsProblem, distances: np.ndarray, run: CpuRun) -> np.ndarray:
    """Return the predecessors: a product of distances and edges that keeps the vertex of each minimum."""
    n, zero, limit = problem.n, MIN_PLUS.zero_element(problem.dtype), problem.dtype.type(problem.limit)
    with run.phase(PREDECESSORS, n**3 + n**2) as phase:
        left, right = (cpu_blocks.block_matrix(a, zero) for a in (distances, _weights_without_loops(problem)))
        least = cpu_blocks.filled_blocks(n, n, zero, problem.dtype)
        indices = np.full(least.data.size, -1, np.int32)
        add_indexed_product(left, right, least, indices, phase)
        del left, right
        found = cpu_blocks.unblock_matrix(least, indices)
        predecessors.repair_all(
            found, distances, problem.matrix, limit, lambda done, total: phase.report(n**3 + n * done)
        )
    return found


def _weights_without_loops(problem: PathsProblem) -> np.ndarray:
    """Return the weights with an infinite diagonal."""
    edges = problem.matrix.copy()
    np.fill_diagonal(edges, MIN_PLUS.zero_element(problem.dtype))
    return edges


def _run_serial_floyd(problem: PathsProblem, run: CpuRun) -> np.ndarray:
    d, row, n = problem.matrix.copy(), np.empty(problem.n, problem.dtype), problem.n
    several = max(1, SERIAL_STEPS // n**2)

    def compute(worker: int, k: int) -> None:
        cpu_floyd.run_serial_steps(d, row, k, min(k + several, n), run.stop)

    starts = range(0, n, several)
    with run.phase(DISTANCES, len(starts)) as phase:
        phase.share_tasks(starts, compute, lambda k: LoggedCells((0, n), (0, n), k // several))
    return d


def _run_blocked_floyd(problem: PathsProblem, run: CpuRun) -> np.ndarray:
    """Run the steps of blocks, which are the strips of the log, with three barriers per step.

    Row k and column k of the blocks, which threads take in turns, are no rectangle and are not logged.
    """
    matrix = cpu_blocks.block_matrix(problem.matrix, MIN_PLUS.zero_element(problem.dtype))
    d, blocks, n, threads = matrix.data, matrix.blocks[0], problem.n, run.threads
    scratch = np.empty((threads, SQUARE), problem.dtype)

    def close(k: int, worker: int) -> None:
        begun_ns, within = time.perf_counter_ns(), (k * BLOCK, min((k + 1) * BLOCK, n))
        cpu_floyd.close_block(d, (k * blocks + k) * SQUARE, scratch[worker, :BLOCK])
        phase.log(LoggedCells(within, within, k), worker, begun_ns)

    def relax_cross(k: int, worker: int) -> None:
        cpu_floyd.relax_cross(d, blocks, k, worker, threads, scratch[worker], run.stop)

    def relax_rest(k: int, worker: int) -> None:
        begun_ns, first, last = time.perf_counter_ns(), worker * blocks // threads, (worker + 1) * blocks // threads
        cpu_floyd.relax_rest(d, blocks, k, first, last, run.stop)
        if first < last and not run.stop[0]:
            phase.log(LoggedCells((first * BLOCK, min(last * BLOCK, n)), (0, n), k), worker, begun_ns)

    steps = (close, 1), (relax_cross, threads), (relax_rest, threads)
    rounds = [[partial(step, k)] * workers for k in range(blocks) for step, workers in steps]
    with run.phase(DISTANCES, sum(map(len, rounds))) as phase:
        phase.share_rounds(rounds, lambda worker, step: step(worker))
    return cpu_blocks.unblock_matrix(matrix)


def _square_repeatedly(problem: PathsProblem, run: CpuRun, layout: Layout) -> np.ndarray:
    """Square the matrix repeatedly; with zeros on the diagonal its numbers can only shrink."""
    with run.phase(DISTANCES, algorithms.SQUARED.cells(problem)) as phase:
        matrix = cpu_blocks.block_matrix(problem.matrix, MIN_PLUS.zero_element(problem.dtype), layout)
        for number in range(closing_products(problem.n)):
            product = matrix._replace(data=matrix.data.copy())
            add_product(matrix, matrix, product, MIN_PLUS, phase, number)
            matrix = product
        return cpu_blocks.unblock_matrix(matrix)


def _solve_bipartite(problem: PathsProblem, run: CpuRun, layout: Layout | None) -> np.ndarray:
    """Compute the four blocks of the distances from the two blocks of the weights (algorithm 6.2, by squaring).

    Products are those of blocks in a ``layout``, or serial if that is None.
    """
    with run.phase(DISTANCES, algorithms.BIPARTITE.cells(problem)) as phase:
        strips = count()

        def multiply(a: np.ndarray, b: np.ndarray, plus: np.ndarray | None = None) -> np.ndarray:
            if layout is None:
                return _multiply_serially(a, b, phase, plus, next(strips))
            return multiply_matrices(a, b, MIN_PLUS, phase, layout, plus, next(strips))

        first, second = (np.flatnonzero(problem.sides == side) for side in (False, True))
        there, back = problem.matrix[np.ix_(first, second)], problem.matrix[np.ix_(second, first)]
        ones = [MIN_PLUS.identity_matrix(side.size, problem.dtype) for side in (first, second)]
        closed = multiply(there, back, ones[0])
        for _ in range(closing_products(first.size)):
            closed = multiply(closed, closed, closed)
        outward, homeward = multiply(closed, there), multiply(back, closed)
        distances = np.empty((problem.n, problem.n), problem.dtype)
        distances[np.ix_(first, first)] = closed
        distances[np.ix_(first, second)] = outward
        distances[np.ix_(second, first)] = homeward
        distances[np.ix_(second, second)] = multiply(homeward, there, ones[1])
    return distances


def _multiply_serially(
    a: np.ndarray, b: np.ndarray, phase: CpuPhase, plus: np.ndarray | None, strip: int
) -> np.ndarray:
    """Return a product by the definition plus another matrix, in slices of rows."""
    c = np.full((len(a), b.shape[1]), MIN_PLUS.zero_element(a.dtype), a.dtype) if plus is None else plus.copy()
    a, b, height = np.ascontiguousarray(a), np.ascontiguousarray(b), max(1, SERIAL_STEPS // max(1, b.size))

    def work(worker: int) -> None:
        for first in range(0, len(a), height):
            begun_ns, last = time.perf_counter_ns(), min(first + height, len(a))
            cpu_floyd.multiply_serially(a[first:last], b, c[first:last], phase.run.stop)
            if phase.run.stop[0]:
                return
            phase.done[worker] += (last - first) * b.size
            phase.log(LoggedCells((first, last), (0, b.shape[1]), strip), worker, begun_ns)

    phase.share(work)
    return c


floyd_warshall = partial(_run_algorithm, distances=_run_serial_floyd, algorithm=algorithms.STEPS)
"""FLOYDWARSHALL (algorithm 6.1), step by step on one thread."""
floyd_blocked = partial(_run_algorithm, distances=_run_blocked_floyd, algorithm=algorithms.BLOCKED)
"""Blocked Floyd-Warshall on all cores."""
floyd_smem = partial(_run_algorithm, distances=_square_repeatedly, algorithm=algorithms.SQUARED, layout=("tiles",))
"""SMemFloyd: repeated squaring (equation 6.7) of a matrix in contiguous blocks."""
floyd_tmem = partial(_run_algorithm, distances=_square_repeatedly, algorithm=algorithms.SQUARED, layout=("rows",))
"""TMemFloyd: repeated squaring of a row-major matrix, whose blocks are read through the caches."""
bipartite_serial = partial(
    _run_algorithm, distances=_solve_bipartite, algorithm=algorithms.BIPARTITE_SERIAL, layout=(None,)
)
"""BIPARTITEAPSP (algorithm 6.2) on one thread, with products by the definition."""
bipartite_smem = partial(_run_algorithm, distances=_solve_bipartite, algorithm=algorithms.BIPARTITE, layout=("tiles",))
"""SMemBipartite: BIPARTITEAPSP with contiguous blocks."""
bipartite_tmem = partial(_run_algorithm, distances=_solve_bipartite, algorithm=algorithms.BIPARTITE, layout=("rows",))
"""TMemBipartite: BIPARTITEAPSP with row-major matrices."""
