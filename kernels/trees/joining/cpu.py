"""Trees on the CPU: neighbor joining four ways, and UPGMA; compiled code is in the modules of this folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.cpu.float_lanes import LANES
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.joining import cpu_blocks, cpu_pruned, cpu_serial, cpu_upgma
from antidiag.kernels.trees.joining.tree_from_joins import RECORD, make_joined_tree, make_upgma_tree, working_matrix
from antidiag.kernels.trees.parameters import CellBlockParameters, PrunedParameters
from antidiag.kernels.trees.problem import TreeAnswer, TreeProblem
from antidiag.kernels.trees.sizes import CELLS_AT_ONCE, epoch_length, folded_rows

PAIRS_PER_SLICE = 2e7
"""Pairs between two checks for cancellation."""


SHARED_CELLS = 4e6
"""Cells of a pass that are worth starting threads for."""


JoinLoop = Callable[[TreeProblem, Any, CpuPhase], tuple[TreeAnswer, int]]
"""Joins the taxa of a problem with some parameters in a phase; returns the answer and the bytes of its arrays."""
PROGRESS_STEPS = 1000


def _run_loop(problem: TreeProblem, parameters: Any, monitor: Monitor, steps: StepLog, loop: JoinLoop) -> Outcome:
    """Compile, run and time a loop."""
    run = CpuRun(monitor, steps, parameters.worker_threads)
    run.compile_once(_compile_loop, loop, parameters, problem.precision)
    with run.phase("joins", total=PROGRESS_STEPS) as phase:
        answer, host_bytes = loop(problem, parameters, phase)
    return Outcome(answer, run.times_ms, host_bytes)


@cache
def _compile_loop(loop: JoinLoop, parameters: Any, precision: str) -> None:
    """Compile a loop, or load it from the cache, by a run on five taxa."""
    from antidiag.kernels.io.distance_matrix import make_distance_matrix, numbered_names

    tiny = TreeProblem(make_distance_matrix(numbered_names(5), 1 - np.eye(5)), precision)
    with CpuRun(threads=parameters.worker_threads).phase("joins") as phase:
        loop(tiny, parameters, phase)


class _JoinRecords:
    """The joins that the loops of neighbor joining write, and their progress."""

    def __init__(self, taxa: int) -> None:
        self.taxa, self.done = taxa, 0
        self.joins = np.empty((max(taxa - 3, 0), 2), np.int32)
        self.records = np.empty((max(taxa - 3, 0), RECORD))

    @property
    def compiled_records(self) -> cpu_pruned.JoinArrays:
        """The arrays as compiled functions take them."""
        return cpu_pruned.JoinArrays(self.joins, self.records)

    @property
    def joins_left(self) -> int:
        """The number of joins that are left."""
        return len(self.joins) - self.done

    def make_joins(self, phase: CpuPhase, join: Callable[[int, int, int], int], threads: int = 1) -> None:
        """Make all joins on threads, each join by all: ``join(worker, done, most)`` returns how many are made."""

        def run_worker(worker: int) -> None:
            done = 0
            while done < len(self.joins) and not phase.run.stop[0]:
                first, begun_ns = done, time.perf_counter_ns()
                done = join(worker, first, max(1, int(PAIRS_PER_SLICE / (self.taxa - first) ** 2)))
                phase.log(LoggedCells((first, done), (0, self.pairs(first)), worker), worker, begun_ns)
                if worker == 0:
                    self.done = done

        phase.share(run_worker, lambda: self.report_progress(phase), threads)

    def pairs(self, done: int) -> int:
        """Return the pairs of the clusters that remain after so many joins."""
        clusters = self.taxa - done
        return clusters * (clusters - 1) // 2

    def report_progress(self, phase: CpuPhase) -> None:
        """Report progress in pairs: the first joins take the longest."""
        done = 1 - ((self.taxa - self.done) / self.taxa) ** 3 if self.joins_left else 1.0
        phase.report(int(done * PROGRESS_STEPS))


def _join_serially(problem: TreeProblem, parameters: MethodParameters, phase: CpuPhase) -> tuple[TreeAnswer, int]:
    D, found = working_matrix(problem), _JoinRecords(problem.taxa)
    S, valid, nodes = _sum_rows(D, phase), np.ones(problem.taxa, np.uint8), np.arange(problem.taxa, dtype=np.int32)
    found.make_joins(
        phase,
        lambda worker, done, most: cpu_serial.make_joins(
            D, S, valid, nodes, done, most, found.compiled_records, phase.run.stop
        ),
    )
    slots = np.flatnonzero(valid)
    return make_joined_tree(problem, found.joins, found.records, nodes[slots], D[np.ix_(slots, slots)]), D.nbytes


def _join_blocks(
    problem: TreeProblem, parameters: CellBlockParameters, phase: CpuPhase, folded: bool
) -> tuple[TreeAnswer, int]:
    taxa, found = problem.taxa, _JoinRecords(problem.taxa)
    middle = folded_rows(taxa) - 1 if folded else cpu_blocks.SQUARE
    cells = np.zeros((middle + 1 if middle else taxa + 1) * (taxa + 1), problem.dtype)
    matrix, S = cpu_blocks.TriangleMatrix(cells, taxa, middle), np.zeros(taxa + 1)
    for first, rows in _row_blocks(problem.matrix.values, phase):
        rows = np.array(rows, problem.dtype)
        cpu_blocks.fill_triangle(rows, first, matrix)
        cpu_serial.call_sum_rows(rows, S[1 + first :], 0, len(rows))
    slots, nodes = np.arange(-1, taxa, dtype=np.int32), np.arange(-1, taxa, dtype=np.int32)
    clusters = cpu_blocks.BlockClusters(S, slots, nodes, np.zeros(taxa + 1))
    cpu_blocks.call_turn_sums(matrix, S, clusters.turned)
    team, side = cpu_blocks.make_team(parameters.threads), parameters.side

    def join(worker: int, done: int, most: int) -> int:
        return cpu_blocks.make_joins(
            matrix, clusters, side, done, most, found.compiled_records, team, worker, phase.run.stop
        )

    found.make_joins(phase, join, parameters.threads)
    left = np.argsort(slots[1 : min(taxa, 3) + 1]) + 1
    apart = np.array([[cells[cpu_blocks.pair_place(matrix, y, x)] if y != x else 0 for x in left] for y in left])
    return make_joined_tree(problem, found.joins, found.records, nodes[left], apart), cells.nbytes


def _join_upgma(problem: TreeProblem, parameters: MethodParameters, phase: CpuPhase) -> tuple[TreeAnswer, int]:
    taxa, D = problem.taxa, working_matrix(problem)
    valid, sizes, nodes = np.ones(taxa, np.uint8), np.ones(taxa), np.arange(taxa, dtype=np.int32)
    nearest = cpu_upgma.NearestClusters(np.empty(taxa, np.int64), np.empty(taxa))
    for first, rows in _row_blocks(D, phase):
        cpu_upgma.find_all(D, valid, first, first + len(rows), nearest)
    joins, heights, done = np.empty((taxa - 1, 2), np.int32), np.empty(taxa - 1), 0

    def run_worker(worker: int) -> None:
        nonlocal done
        while done < taxa - 1 and not phase.run.stop[0]:
            first, begun_ns = done, time.perf_counter_ns()
            most = max(1, int(PAIRS_PER_SLICE / (taxa - first) / 64))
            done = cpu_upgma.make_joins(
                D, valid, sizes, nearest, nodes, first, most, joins, heights, 0.0, phase.run.stop
            )
            phase.log(LoggedCells((first, done), (0, taxa - first)), worker, begun_ns)

    phase.share(run_worker, lambda: phase.report(PROGRESS_STEPS * done // max(taxa - 1, 1)), threads=1)
    return make_upgma_tree(problem, joins, heights), D.nbytes


def _join_pruned(problem: TreeProblem, parameters: PrunedParameters, phase: CpuPhase) -> tuple[TreeAnswer, int]:
    D = working_matrix(problem, LANES)
    return make_joined_tree(problem, *join_matrix(D, problem.taxa, parameters.epoch, phase)), D.nbytes


class JoinedMatrix(NamedTuple):
    """The joins of a matrix, as `tree_from_joins.make_joined_tree` takes them."""

    joins: np.ndarray
    records: np.ndarray
    last_nodes: np.ndarray
    distances: np.ndarray


def join_matrix(D: np.ndarray, taxa: int, epoch_share: int, phase: CpuPhase) -> JoinedMatrix:
    """Make all joins of NJ-pruned in a matrix, float32 or float64 (taxa, whole vectors), which is written over."""
    found = _JoinRecords(taxa)
    epoch = _JoinEpoch(D, _sum_rows(D[:, :taxa], phase), phase)

    def joins(worker: int) -> None:
        last = found.done + min(epoch_length(epoch.count, epoch_share), found.joins_left)
        while found.done < last and not phase.run.stop[0]:
            epoch.make_joins(found, min(last - found.done, max(1, int(PAIRS_PER_SLICE / epoch.count / 64))))

    found.report_progress(phase)
    while found.joins_left > 0:
        epoch.begin()
        phase.share(joins, lambda: found.report_progress(phase), threads=1)
        epoch.end()
    left, nodes = epoch.kept, epoch.nodes
    return JoinedMatrix(found.joins, found.records, nodes[left], D[np.ix_(epoch.rows[left], left)])


def compile_pruned(parameters: PrunedParameters, precision: str) -> None:
    """Compile NJ-pruned, or load it from the cache."""
    _compile_loop(_join_pruned, parameters, precision)


class _JoinEpoch:
    """The arrays of `cpu_pruned` between two passes over the matrix, and the passes."""

    def __init__(self, D: np.ndarray, S: np.ndarray, phase: CpuPhase) -> None:
        self.D, self.S, self.phase, self.number = D, S, phase, 0
        self.count, self.taxa = S.size, S.size
        self.rows, self.kept = np.arange(S.size), np.arange(S.size)
        self.nodes = np.arange(S.size, dtype=np.int32)
        self.drift = np.array([0.0, 0.0, float(D.max(initial=0)), 0.0])

    def begin(self) -> None:
        """Drop the columns of dead clusters and compute all bounds."""
        self.number += 1
        r, kept = self.kept.size, self.kept
        self.S, self.nodes = self.S[kept], self.nodes[kept]
        self.S = _pad_to_vectors(self.S, -cpu_pruned.NOWHERE * r)
        self.u = (self.S / (r - 2)).astype(self.D.dtype)
        self.H, self.T = np.zeros(self.u.size), np.zeros(self.u.size)
        self._share_rows(
            lambda first, last: cpu_pruned.call_drop_columns(self.D, self.rows, kept, self.u, self.H, first, last),
            r,
            r * r,
        )
        self.rows, self.count = self.rows[kept], r
        self.T[:r] = -cpu_pruned.NOWHERE
        self.H[:r] -= self.drift[2] * cpu_pruned.rounding_slack(self.D.itemsize)
        self.drift[:2] = 0
        self.away = np.zeros_like(self.u)
        self.bounds = cpu_pruned.RowBounds(self.u, self.u.copy(), self.u.copy(), self.u.copy(), self.H, self.T)

    def make_joins(self, records: _JoinRecords, join_limit: int) -> None:
        """Make up to ``join_limit`` joins."""
        first, begun_ns = records.done, time.perf_counter_ns()
        sizes = np.array([self.count, self.taxa - records.done, records.done, self.taxa + records.done])
        places = cpu_pruned.ClusterPlaces(self.rows, self.S, self.nodes, self.away)
        cpu_pruned.call_make_joins(
            self.D, places, self.bounds, self.drift, sizes, records.compiled_records, join_limit, self.phase.run.stop
        )
        records.done = int(sizes[2])
        self.phase.log(LoggedCells((first, records.done), (0, self.taxa - first), self.number), 0, begun_ns)

    def end(self) -> None:
        """Write the columns of the new clusters into the rows of the older ones."""
        self.kept = np.flatnonzero(self.S[: self.count] > -cpu_pruned.LIMIT)
        new = self.away[self.kept] != 0
        old, fresh = self.kept[~new], self.kept[new]
        self._share_rows(
            lambda first, last: cpu_pruned.call_fill_columns(self.D, self.rows, old, fresh, first, last),
            old.size,
            old.size * fresh.size,
        )

    def _share_rows(self, work: Callable[[int, int], None], rows: int, cells: int) -> None:
        """Run a function for all rows, in blocks that the threads take in turns."""
        is_small = cells < SHARED_CELLS or self.phase.run.threads == 1
        block = max(rows, 1) if is_small else max(LANES, int(SHARED_CELLS * rows / cells / 4))
        self.phase.share_tasks(
            [(first, min(first + block, rows)) for first in range(0, rows, block)],
            lambda worker, span: work(*span),
            lambda span: LoggedCells(span, (0, cells // rows), self.number),
            report=self.phase.run.monitor.check,
        )


def _sum_rows(D: np.ndarray, phase: CpuPhase) -> np.ndarray:
    """Return row sums in the one order that all methods share."""
    S = np.empty(len(D))
    for first, rows in _row_blocks(D, phase):
        cpu_serial.call_sum_rows(D, S, first, first + len(rows))
    return S


def _row_blocks(values: np.ndarray, phase: CpuPhase) -> Iterator[tuple[int, np.ndarray]]:
    """Yield some rows of a matrix at a time, with the number of the first; raises Cancelled between them."""
    rows = max(1, CELLS_AT_ONCE // max(len(values), 1))
    for first in range(0, len(values), rows):
        yield first, values[first : first + rows]
        phase.run.monitor.check()


def _pad_to_vectors(values: np.ndarray, filling: float) -> np.ndarray:
    """Return values padded to whole vectors."""
    padded = np.full(-(-values.size // LANES) * LANES, filling, values.dtype)
    padded[: values.size] = values
    return padded


nj_serial = partial(_run_loop, loop=_join_serially)
"""Run the pseudocode of figure 2 of Liu, Schmidt and Maskell (2009)."""
nj_basic = partial(_run_loop, loop=partial(_join_blocks, folded=False))
"""Run NJ-basic: cell blocks of the upper triangle, in a square matrix."""
nj_compact = partial(_run_loop, loop=partial(_join_blocks, folded=True))
"""Run NJ-compact: the blocks of NJ-basic in the folded matrix."""
nj_pruned = partial(_run_loop, loop=_join_pruned)
"""Run NJ-pruned: bounds on the rows; see `cpu_pruned`."""
upgma = partial(_run_loop, loop=_join_upgma)
"""Run UPGMA: mean distances of all pairs of taxa (Sokal and Michener 1958); the root is the last join."""
