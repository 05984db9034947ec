"""Placed trees on the CPU: the nearest earlier row of each row, a backbone, attached leaves, and local re-joining."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.cpu.float_lanes import LANES
from antidiag.kernels.cpu.workers import make_stop_word
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.distances.alignment_columns import cpu_columns
from antidiag.kernels.trees.distances.alignment_columns.column_distances import DistanceModel, letter_codes
from antidiag.kernels.trees.joining import cpu_pruned
from antidiag.kernels.trees.joining.tree_from_joins import RECORD, make_joined_tree
from antidiag.kernels.trees.parameters import PlacementParameters
from antidiag.kernels.trees.placement import cpu_interchange, cpu_nearest, sketches
from antidiag.kernels.trees.placement.placed_tree import make_placed_tree
from antidiag.kernels.trees.placement.problem import PlacedAlignmentProblem, PlacedProblem, PlacedSequencesProblem

EPOCH = 8
"""One in so many of the clusters of the backbone is joined between two passes over its matrix."""
GROWTH = 1.5
"""The tree grows by this factor before neighbours are interchanged again."""
MOST_ROUNDS = 30
"""Rounds of interchanges at most, which end when none makes the tree shorter."""
HALVED_AFTER = 10
"""From this round on, each makes half as many of its interchanges as the one before: two that each make the tree
shorter can make it longer together, and be undone together in the next round."""
MOST_PASSES = 4
"""Passes over all edges at the end, at most."""
FEWEST = 3
"""Taxa that a tree needs so that there is an inner node."""
MEASURED_AT_ONCE = 1 << 18
"""Edges whose lengths are computed together."""
LEAST_GAIN = 1e-9
"""The sum of distances must become this much smaller, so that rounding interchanges nothing."""
EDGES_AT_ONCE = 256
"""Edges that a thread judges at a time."""


def solve_placement(
    problem: PlacedProblem, parameters: PlacementParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Place the rows of an alignment, or sequences by sketches of their words."""
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(compile_placement)
    if problem.taxa < FEWEST:
        return join_few(problem, run)
    order = problem.order()
    with run.phase("letters"):
        packed = pack_taxa(problem, order, run)
    model = problem.make_model()
    nearest = _find_nearest(packed, problem.taxa, model, run)
    return place_taxa(problem, order, packed, model, nearest, run)


def join_few(problem: PlacedProblem, run: CpuRun) -> Outcome:
    """Return the tree of one or two taxa, which have no place to choose."""
    with run.phase("letters"):
        packed = pack_taxa(problem, np.arange(problem.taxa), run)
        matrix = np.zeros((problem.taxa, LANES))
        cpu_columns.distances_of_group(packed, problem.taxa, 0, problem.make_model(), matrix, run.stop)
        none = np.empty((0, 2), np.int32), np.empty((0, RECORD))
        answer = make_joined_tree(problem, *none, np.arange(problem.taxa), matrix[:, : problem.taxa])
    return Outcome(answer, run.times_ms, packed.nbytes)


def pack_taxa(problem: PlacedProblem, order: np.ndarray, run: CpuRun) -> np.ndarray:
    """Return the packed letters of all taxa in an order, int32 (groups, words, planes, 16)."""
    if isinstance(problem, PlacedAlignmentProblem):
        letters, rows, codes = problem.alignment.letters, order, letter_codes(problem.alignment.type)
    else:
        assert isinstance(problem, PlacedSequencesProblem)
        letters = sketches.sketch_sequences(problem, order, run.monitor.check)
        rows, codes = np.arange(order.size), np.arange(256, dtype=np.uint8)
    columns = np.arange(problem.columns)
    return cpu_columns.pack_rows(letters, rows, columns, codes, problem.planes, run.monitor.check)


def _find_nearest(packed: np.ndarray, taxa: int, model: DistanceModel, run: CpuRun) -> np.ndarray:
    """Return the nearest of the rows before each row, int32 (groups x 16,)."""
    group = cpu_columns.GROUP
    nearest = np.zeros(len(packed) * group, np.int32)
    groups = range(len(packed) - 1, -1, -1)
    with run.phase("nearest", total=len(packed) * (len(packed) + 1) // 2) as phase:
        phase.share_tasks(
            groups,
            lambda worker, number: cpu_nearest.find_nearest(packed, number, model, nearest, run.stop),
            lambda number: LoggedCells(
                (number * group, min((number + 1) * group, taxa)), (0, min((number + 1) * group, taxa)), number
            ),
            sizes=[number + 1 for number in groups],
        )
    return nearest


def place_taxa(
    problem: PlacedProblem,
    order: np.ndarray,
    packed: np.ndarray,
    model: DistanceModel,
    nearest: np.ndarray,
    run: CpuRun,
) -> Outcome:
    """Make the tree from the nearest earlier row of each row; ``packed`` are the letters in this order."""
    taxa = problem.taxa
    backbone = min(problem.backbone, taxa)
    with run.phase("backbone"):
        tree = GrowingTree(packed, taxa, model, run)
        tree.set_backbone(_join_backbone(packed, backbone, model, run), backbone)
    with run.phase("placement", total=taxa) as phase:
        tree.rejoin(backbone, phase)
        while tree.placed < taxa:
            tree.attach_until(min(taxa, max(tree.placed + 1, int(tree.placed * GROWTH))), nearest)
            tree.rejoin(tree.placed, phase)
        tree.rejoin_everywhere(phase)
        phase.report(taxa)
    answer = make_placed_tree(problem, order, *tree.measure())
    return Outcome(answer, run.times_ms, packed.nbytes + tree.rows.nbytes)


def _join_backbone(packed: np.ndarray, count: int, model: DistanceModel, run: CpuRun) -> np.ndarray:
    """Return the joins of the first rows, int32 (count - 3, 2)."""
    some = np.ascontiguousarray(packed[: -(-count // cpu_columns.GROUP)])
    matrix = np.zeros((count, -(-count // LANES) * LANES), np.float32)
    for group in range(len(some)):
        run.monitor.check()
        cpu_columns.distances_of_group(some, count, group, model, matrix, run.stop)
    joins = np.zeros((max(count - 3, 0), 2), np.int32)
    joined = cpu_pruned.JoinArrays(joins, np.empty((len(joins), RECORD)))
    cpu_pruned.join_all(matrix, count, EPOCH, joined, run.stop)
    return joins


class GrowingTree:
    """An unrooted tree that grows; see `cpu_interchange` for its arrays."""

    def __init__(self, packed: np.ndarray, taxa: int, model: DistanceModel, run: CpuRun) -> None:
        groups, words, planes, lanes = packed.shape
        self.taxa, self.model, self.run, self.placed = taxa, model, run, 0
        self.rows = np.empty((groups * lanes, planes, -(-words // 2)), np.int64)
        cpu_interchange.unpack_rows(packed, self.rows)
        nodes = max(2 * taxa - 2, taxa)
        self.neighbours = np.full((nodes, 3), -1, np.int32)
        self.dirty, self.touched = np.zeros(nodes, np.uint8), np.zeros(nodes, np.uint8)
        self.edges = np.empty((taxa, 2), np.int32)

    def set_backbone(self, joins: np.ndarray, count: int) -> None:
        """Begin with the tree of the first ``count`` rows; ``joins`` as in a TreeAnswer."""
        cpu_interchange.link_joins(self.neighbours, self.taxa, joins, count)
        self.dirty[self.taxa : self.taxa + max(count - 2, 0)] = 1
        self.placed = count

    def attach_until(self, last: int, nearest: np.ndarray) -> None:
        """Attach rows to the edges of their nearest rows, until so many are placed."""
        cpu_interchange.attach_leaves(self.neighbours, self.taxa, self.placed, last, nearest, self.dirty)
        self.placed = last

    def rejoin(self, done: int, phase: CpuPhase) -> int:
        """Interchange neighbours near what has changed, until nothing makes the tree shorter; return how many were.

        ``done`` rows are placed then.
        """
        total = 0
        for number in range(MOST_ROUNDS):
            halvings = max(0, number - HALVED_AFTER + 1)
            made = self._interchange_neighbours(self.edges[: self._list_dirty()], halvings, phase, done)
            total += made
            if not made:
                break
        return total

    def rejoin_everywhere(self, phase: CpuPhase) -> None:
        """Interchange neighbours anywhere: a change here makes means of distances others far away."""
        for _ in range(MOST_PASSES):
            self.dirty[self.taxa :] = 1
            if not self.rejoin(self.placed, phase):
                break

    def _list_dirty(self) -> int:
        nodes = self.taxa + max(self.placed - 2, 0)
        return cpu_interchange.list_dirty_edges(self.neighbours, self.taxa, nodes, self.dirty, self.edges)

    def _interchange_neighbours(self, edges: np.ndarray, halvings: int, phase: CpuPhase, done: int) -> int:
        """Judge edges, and make the interchanges that do not touch each other, the best first; return how many.

        Of all that make the tree shorter, so often halved, at least one is made.
        """
        ends, means = self._compare_subtrees(edges, lambda: phase.report(min(done, phase.total - 1)), phase)
        now, one, other = means[:, 0] + means[:, 5], means[:, 1] + means[:, 4], means[:, 2] + means[:, 3]
        gains = now - np.minimum(one, other)
        # (A, C) and (B, D) come together where B and C change places, (A, D) and (B, C) where B and D do.
        choices = np.stack([ends[:, 1], np.where(one <= other, ends[:, 2], ends[:, 3])], 1)
        better = np.flatnonzero(gains > LEAST_GAIN)
        order = better[np.argsort(-gains[better], kind="stable")]
        self.dirty[:] = self.touched[:] = 0
        most = max(1, order.size >> halvings)
        return cpu_interchange.interchange_subtrees(
            self.neighbours, edges, order, choices, most, self.touched, self.dirty
        )

    def _compare_subtrees(
        self, edges: np.ndarray, report: Callable[[], None], phase: CpuPhase
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes where the subtrees of edges begin, int32 (k, 4), and their mean distances, (k, 6)."""
        ends, means = np.empty((len(edges), 4), np.int32), np.empty((len(edges), 6))

        def compare(worker: int, first: int) -> None:
            some = slice(first, first + EDGES_AT_ONCE)
            cpu_interchange.compare_subtrees(
                self.neighbours, self.taxa, self.rows, self.model, edges[some], ends[some], means[some], self.run.stop
            )

        if len(edges) > EDGES_AT_ONCE:
            phase.share_tasks(range(0, len(edges), EDGES_AT_ONCE), compare, report=report)
        else:
            compare(0, 0)
            report()
        return ends, means

    def measure(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the parent of each node, int32, with an inner node as root, and the lengths of the edges above.

        An inner edge has (d(A, C) + d(A, D) + d(B, C) + d(B, D)) / 4 - (d(A, B) + d(C, D)) / 2; the edge of a leaf x,
        whose node has the subtrees C and D, (d(x, C) + d(x, D) - d(C, D)) / 2.
        """
        parents = cpu_interchange.find_parents(self.neighbours, self.taxa)
        lengths = np.full(parents.size, np.nan)
        with self.run.phase("lengths", total=parents.size) as phase:
            for first in range(0, parents.size, MEASURED_AT_ONCE):
                nodes = np.arange(first, min(first + MEASURED_AT_ONCE, parents.size), dtype=np.int32)
                nodes = nodes[parents[nodes] >= 0]
                edges = np.stack([nodes, parents[nodes]], 1)
                _, means = self._compare_subtrees(edges, partial(phase.report, first), phase)
                inner = means[:, 1:5].sum(1) / 4 - (means[:, 0] + means[:, 5]) / 2
                leaf = (means[:, 1] + means[:, 2] - means[:, 5]) / 2
                lengths[nodes] = np.where(nodes < self.taxa, leaf, inner)
            phase.report(parents.size)
        return parents, lengths


@cache
def compile_placement() -> None:
    """Compile all that places taxa, or load it from the cache, by a run on ten rows."""
    from antidiag.kernels.io.aligned_sequences import AlignedSequences
    from antidiag.kernels.io.distance_matrix import numbered_names
    from antidiag.kernels.model import SequenceType

    letters = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(1).integers(0, 4, (10, 40))]
    problem = PlacedAlignmentProblem(AlignedSequences(numbered_names(10), letters, SequenceType.DNA), backbone=4)
    run = CpuRun()
    order, model = problem.order(), problem.make_model()
    packed = pack_taxa(problem, order, run)
    nearest = np.zeros(16, np.int32)
    cpu_nearest.find_nearest(packed, 0, model, nearest, make_stop_word())
    place_taxa(problem, order, packed, model, nearest, run)
    sketches.sketch_letters(np.zeros(4, np.int8), np.array([4]), 2, 2, np.zeros((1, 4), np.uint8))
