"""Trees on the CPU: neighbor joining four ways, and UPGMA. What is compiled is in the modules beside this one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.float_lanes import LANES
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
from antidiag.kernels.cpu.workers import share, stop_word
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees.joining import cpu_blocks, cpu_pruned, cpu_serial, cpu_upgma
from antidiag.kernels.trees.joining.finish import RECORD, finish, rooted_by_heights, working_matrix
from antidiag.kernels.trees.parameters import BlockParameters, PrunedParameters
from antidiag.kernels.trees.problem import TreeAnswer, TreeProblem
from antidiag.kernels.trees.sizes import CELLS_AT_ONCE, epoch_length, folded_rows

SLICE = 2e7
"""Pairs between two looks at the wish to cancel."""


SHARED_CELLS = 4e6
"""Cells of a pass that are worth starting threads for."""


def nj_serial(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The pseudocode of figure 2."""
    return _run(problem, None, monitor, steps, _serial)


def nj_basic(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Cell blocks of the upper triangle, in a square matrix."""
    return _run(problem, typed(BlockParameters, parameters), monitor, steps, _square_blocks)


def nj_compact(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The same blocks in the folded matrix."""
    return _run(problem, typed(BlockParameters, parameters), monitor, steps, _folded_blocks)


def nj_pruned(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Bounds on the rows; see `cpu_pruned`."""
    return _run(problem, typed(PrunedParameters, parameters), monitor, steps, _pruned)


def upgma(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Mean distances of all pairs of taxa (Sokal and Michener 1958); the root is the last join."""
    return _run(problem, None, monitor, steps, _upgma)


Loop = Callable[[TreeProblem, Any, Monitor, PhaseLog], tuple[TreeAnswer, int]]


def _run(problem: TreeProblem, parameters: Any, monitor: Monitor, steps: Steps, loop: Loop) -> Outcome:
    """Compile, run and time a loop; ``parameters`` are those that it reads, or None."""
    times_ms = {"compilation": time_ms(partial(_compiled, loop, parameters, problem.precision)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    answer, host_bytes = loop(problem, parameters, monitor, PhaseLog(steps, 1, clock.started_ns))
    clock.phase("joins")
    return Outcome(answer, times_ms, host_bytes)


@cache
def _compiled(loop: Loop, parameters: Any, precision: str) -> None:
    """Compile a loop, or load it from the cache folder, by a run on five taxa."""
    from antidiag.kernels.io.distance_matrix import checked, numbered

    tiny = TreeProblem(checked(numbered(5), 1 - np.eye(5)), precision)
    loop(tiny, parameters, Monitor(), PhaseLog(Steps(), 1, 0))


class _Joins:
    """What the loops of neighbor joining write, and how far they are."""

    def __init__(self, taxa: int) -> None:
        self.taxa, self.done = taxa, 0
        self.joins = np.empty((max(taxa - 3, 0), 2), np.int32)
        self.records = np.empty((max(taxa - 3, 0), RECORD))

    @property
    def joined(self) -> cpu_pruned.Joined:
        """As compiled functions take them."""
        return cpu_pruned.Joined(self.joins, self.records)

    @property
    def to_do(self) -> int:
        return len(self.joins) - self.done

    def make(
        self, join: Callable[[int, int, int, np.ndarray], int], monitor: Monitor, log: PhaseLog, threads: int = 1
    ) -> None:
        """Make all joins on threads, each join by all: ``join(worker, done, most, stop)`` returns how many are made."""
        stop = stop_word()

        def work(worker: int) -> None:
            done = 0
            while done < len(self.joins) and not stop[0]:
                first, begun_ns = done, time.perf_counter_ns()
                done = join(worker, first, max(1, int(SLICE / (self.taxa - first) ** 2)), stop)
                log.add(worker, (first, done), (0, self.pairs(first)), worker, begun_ns)
                if worker == 0:
                    self.done = done

        share(work, threads, stop, lambda: self.report(monitor))

    def pairs(self, done: int) -> int:
        """Pairs of the clusters that are left after so many joins."""
        clusters = self.taxa - done
        return clusters * (clusters - 1) // 2

    def report(self, monitor: Monitor) -> None:
        """Progress in pairs: the first joins take the longest."""
        done = 1 - ((self.taxa - self.done) / self.taxa) ** 3
        monitor.update(int(done * 1000) if self.to_do else 1000, 1000, "joins")


def _serial(problem: TreeProblem, parameters: None, monitor: Monitor, log: PhaseLog) -> tuple[TreeAnswer, int]:
    D, found = working_matrix(problem), _Joins(problem.taxa)
    S, valid, nodes = _sums(D, monitor), np.ones(problem.taxa, np.uint8), np.arange(problem.taxa, dtype=np.int32)
    found.make(
        lambda worker, done, most, stop: cpu_serial.join(D, S, valid, nodes, done, most, found.joined, stop),
        monitor,
        log,
    )
    slots = np.flatnonzero(valid)
    return finish(problem, found.joins, found.records, nodes[slots], D[np.ix_(slots, slots)]), D.nbytes


def _square_blocks(
    problem: TreeProblem, parameters: BlockParameters, monitor: Monitor, log: PhaseLog
) -> tuple[TreeAnswer, int]:
    return _blocks(problem, parameters, monitor, log, cpu_blocks.SQUARE)


def _folded_blocks(
    problem: TreeProblem, parameters: BlockParameters, monitor: Monitor, log: PhaseLog
) -> tuple[TreeAnswer, int]:
    return _blocks(problem, parameters, monitor, log, folded_rows(problem.taxa) - 1)


def _blocks(
    problem: TreeProblem, parameters: BlockParameters, monitor: Monitor, log: PhaseLog, middle: int
) -> tuple[TreeAnswer, int]:
    taxa, found = problem.taxa, _Joins(problem.taxa)
    cells = np.zeros((middle + 1 if middle else taxa + 1) * (taxa + 1), problem.dtype)
    matrix, S = cpu_blocks.Matrix(cells, taxa, middle), np.zeros(taxa + 1)
    for first, rows in _in_blocks(problem.matrix.values, monitor):
        rows = np.array(rows, problem.dtype)
        cpu_blocks.fill(rows, first, matrix)
        cpu_serial.row_sums(rows, S[1 + first :], 0, len(rows))
    slots, nodes = np.arange(-1, taxa, dtype=np.int32), np.arange(-1, taxa, dtype=np.int32)
    clusters = cpu_blocks.Clusters(S, slots, nodes, np.zeros(taxa + 1))
    cpu_blocks.turn(matrix, S, clusters.turned)
    team, side = cpu_blocks.team(parameters.threads), parameters.side

    def join(worker: int, done: int, most: int, stop: np.ndarray) -> int:
        return cpu_blocks.join(matrix, clusters, side, done, most, found.joined, team, worker, stop)

    found.make(join, monitor, log, parameters.threads)
    left = np.argsort(slots[1 : min(taxa, 3) + 1]) + 1
    apart = np.array([[cells[cpu_blocks.cell(matrix, y, x)] if y != x else 0 for x in left] for y in left])
    return finish(problem, found.joins, found.records, nodes[left], apart), cells.nbytes


def _upgma(problem: TreeProblem, parameters: None, monitor: Monitor, log: PhaseLog) -> tuple[TreeAnswer, int]:
    taxa, D = problem.taxa, working_matrix(problem)
    valid, sizes, nodes = np.ones(taxa, np.uint8), np.ones(taxa), np.arange(taxa, dtype=np.int32)
    nearest = cpu_upgma.Nearest(np.empty(taxa, np.int64), np.empty(taxa))
    for first, rows in _in_blocks(D, monitor):
        cpu_upgma.find_all(D, valid, first, first + len(rows), nearest)
    joins, heights, done, stop = np.empty((taxa - 1, 2), np.int32), np.empty(taxa - 1), 0, stop_word()

    def work(worker: int) -> None:
        nonlocal done
        while done < taxa - 1 and not stop[0]:
            first, begun_ns = done, time.perf_counter_ns()
            most = max(1, int(SLICE / (taxa - first) / 64))
            done = cpu_upgma.join(D, valid, sizes, nearest, nodes, first, most, joins, heights, stop)
            log.add(0, (first, done), (0, taxa - first), worker, begun_ns)

    share(work, 1, stop, lambda: monitor.update(done, taxa - 1, "joins"))
    return rooted_by_heights(problem, joins, heights), D.nbytes


def _pruned(
    problem: TreeProblem, parameters: PrunedParameters, monitor: Monitor, log: PhaseLog
) -> tuple[TreeAnswer, int]:
    taxa, D, found = problem.taxa, working_matrix(problem, LANES), _Joins(problem.taxa)
    stop = stop_word()
    epoch = _Epoch(D, _sums(D[:, :taxa], monitor), parameters.threads, stop, monitor, log)

    def joins(worker: int) -> None:
        last = found.done + min(epoch_length(epoch.count, parameters.epoch), found.to_do)
        while found.done < last and not stop[0]:
            epoch.join(found, min(last - found.done, max(1, int(SLICE / epoch.count / 64))))

    found.report(monitor)
    while found.to_do > 0:
        epoch.begin()
        share(joins, 1, stop, lambda: found.report(monitor))
        epoch.end()
    left, nodes = epoch.kept, epoch.nodes
    return finish(problem, found.joins, found.records, nodes[left], D[np.ix_(epoch.rows[left], left)]), D.nbytes


class _Epoch:
    """The arrays of `cpu_pruned`: what holds between two passes over the matrix, and the passes."""

    def __init__(
        self, D: np.ndarray, S: np.ndarray, threads: int, stop: np.ndarray, monitor: Monitor, log: PhaseLog
    ) -> None:
        self.D, self.S, self.threads, self.stop, self.monitor, self.log = D, S, threads, stop, monitor, log
        self.number = 0
        self.count, self.taxa = S.size, S.size
        self.rows, self.kept = np.arange(S.size), np.arange(S.size)
        self.nodes = np.arange(S.size, dtype=np.int32)
        self.drift = np.array([0.0, 0.0, float(D.max(initial=0)), 0.0])

    def begin(self) -> None:
        """Drop the columns of dead clusters and compute all bounds."""
        self.number += 1
        r, kept = self.kept.size, self.kept
        self.S, self.nodes = self.S[kept], self.nodes[kept]
        self.S = _padded(self.S, -cpu_pruned.NOWHERE * r)
        self.u = (self.S / (r - 2)).astype(self.D.dtype)
        self.H, self.T = np.zeros(self.u.size), np.zeros(self.u.size)
        self._pass(
            lambda first, last: cpu_pruned.drop_columns(self.D, self.rows, kept, self.u, self.H, first, last), r, r * r
        )
        self.rows, self.count = self.rows[kept], r
        self.T[:r] = -cpu_pruned.NOWHERE
        self.H[:r] -= self.drift[2] * cpu_pruned.slack(self.D.itemsize)
        self.drift[:2] = 0
        self.away = np.zeros_like(self.u)
        self.bounds = cpu_pruned.Bounds(self.u, self.u.copy(), self.u.copy(), self.u.copy(), self.H, self.T)

    def join(self, found: _Joins, most: int) -> None:
        """Up to ``most`` joins."""
        first, begun_ns = found.done, time.perf_counter_ns()
        sizes = np.array([self.count, self.taxa - found.done, found.done, self.taxa + found.done])
        places = cpu_pruned.Places(self.rows, self.S, self.nodes, self.away)
        cpu_pruned.join(self.D, places, self.bounds, self.drift, sizes, found.joined, most, self.stop)
        found.done = int(sizes[2])
        self.log.add(self.number, (first, found.done), (0, self.taxa - first), 0, begun_ns)

    def end(self) -> None:
        """Write the columns of the new clusters into the rows of the older ones."""
        self.kept = np.flatnonzero(self.S[: self.count] > -cpu_pruned.LIMIT)
        new = self.away[self.kept] != 0
        old, fresh = self.kept[~new], self.kept[new]
        self._pass(
            lambda first, last: cpu_pruned.fill_columns(self.D, self.rows, old, fresh, first, last),
            old.size, old.size * fresh.size,
        )  # fmt: skip

    def _pass(self, work: Callable[[int, int], None], rows: int, cells: int) -> None:
        """Do something for all rows, in blocks that the threads take in turns."""
        wide = cells // max(rows, 1)

        def logged(first: int, last: int, worker: int) -> None:
            begun_ns = time.perf_counter_ns()
            work(first, last)
            self.log.add(self.number, (first, last), (0, wide), worker, begun_ns)

        if cells < SHARED_CELLS or self.threads == 1:
            logged(0, rows, 0)
            return
        block = max(LANES, int(SHARED_CELLS * rows / cells / 4))
        starts = iter(range(0, rows, block))

        def take(worker: int) -> None:
            for first in starts:
                if self.stop[0]:
                    return
                logged(first, min(first + block, rows), worker)

        share(take, self.threads, self.stop, self.monitor.check)


def _sums(D: np.ndarray, monitor: Monitor) -> np.ndarray:
    """Row sums in the one order that all methods share."""
    S = np.empty(len(D))
    for first, rows in _in_blocks(D, monitor):
        cpu_serial.row_sums(D, S, first, first + len(rows))
    return S


def _in_blocks(values: np.ndarray, monitor: Monitor) -> Iterator[tuple[int, np.ndarray]]:
    """Rows of a matrix, some at a time, and the number of the first; Cancelled between them where that is wished."""
    rows = max(1, CELLS_AT_ONCE // max(len(values), 1))
    for first in range(0, len(values), rows):
        yield first, values[first : first + rows]
        monitor.check()


def _padded(values: np.ndarray, filling: float) -> np.ndarray:
    """Values in whole vectors."""
    padded = np.full(-(-values.size // LANES) * LANES, filling, values.dtype)
    padded[: values.size] = values
    return padded
