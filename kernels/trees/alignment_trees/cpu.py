"""The tree of an alignment on the CPU: distances go into the matrix that is joined, and replicates into one for each
thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.cpu.float_lanes import LANES
from antidiag.kernels.cpu.workers import make_stop_word
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.alignment_trees.problem import (
    AlignmentTreeAnswer,
    AlignmentTreeProblem,
    count_column_bases,
    draw_columns,
)
from antidiag.kernels.trees.alignment_trees.replicate_pieces import pack_joined_tree
from antidiag.kernels.trees.alignment_trees.sizes import padded_taxa, replicate_workers
from antidiag.kernels.trees.alignment_trees.split_support import compute_support
from antidiag.kernels.trees.distances.alignment_columns import cpu_columns
from antidiag.kernels.trees.distances.alignment_columns.column_distances import make_model
from antidiag.kernels.trees.distances.cpu import fill_column_distances
from antidiag.kernels.trees.joining import cpu_pruned
from antidiag.kernels.trees.joining.cpu import PROGRESS_STEPS, JoinedMatrix, compile_pruned, join_matrix
from antidiag.kernels.trees.joining.tree_from_joins import RECORD, make_joined_tree
from antidiag.kernels.trees.parameters import PrunedParameters


def nj_alignment(
    problem: AlignmentTreeProblem, parameters: PrunedParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Join the rows of an alignment by neighbor joining, and compute the support of its branches."""
    run = CpuRun(monitor, steps, parameters.threads)
    joined, without, matrix = _join_rows(problem, parameters, run)
    names = None
    if problem.bootstrap:
        replicates = _join_replicates(problem, parameters, range(problem.bootstrap), matrix, run)
        names = compute_support(joined.joins, problem.taxa, replicates)
    answer = make_joined_tree(problem, *joined, inner_names=names)
    return Outcome(AlignmentTreeAnswer(answer.tree, answer.joins, without), run.times_ms, matrix.nbytes)


def nj_alignment_piece(
    problem: AlignmentTreeProblem, parameters: PrunedParameters, numbers: Mapping[str, int], monitor: Monitor
) -> Any:
    """Compute the tree, or the joins of some replicates; see `replicate_pieces`."""
    run, first, last = CpuRun(monitor, StepLog(), parameters.threads), numbers["first"], numbers["last"]
    if first == last:
        joined, without, _ = _join_rows(problem, parameters, run)
        return pack_joined_tree(joined, without)
    matrix = np.zeros((problem.taxa, padded_taxa(problem.taxa)), problem.dtype)
    found = _join_replicates(problem, parameters, range(first, last), matrix, run)
    return np.array(found, np.int32).reshape(last - first, -1, 2)


def _join_rows(
    problem: AlignmentTreeProblem, parameters: PrunedParameters, run: CpuRun
) -> tuple[JoinedMatrix, int, np.ndarray]:
    """Return the joins of the rows, the number of pairs with a stated distance, and the matrix, which is used up."""
    run.compile_once(compile_pruned, parameters, problem.precision)
    matrix = np.zeros((problem.taxa, padded_taxa(problem.taxa)), problem.dtype)
    without = fill_column_distances(problem.alignment, problem.model, matrix, run)
    with run.phase("joins", total=PROGRESS_STEPS) as phase:
        return join_matrix(matrix, problem.taxa, parameters.epoch, phase), without, matrix


def _join_replicates(
    problem: AlignmentTreeProblem, parameters: PrunedParameters, numbers: range, matrix: np.ndarray, run: CpuRun
) -> list[np.ndarray]:
    """Return the joins of some replicates, int32 (k, 2) each; ``matrix`` is written over."""
    run.compile_once(_compile_replicate, matrix.dtype.char)
    replicates = _Replicates(problem, parameters, numbers, run)
    workers = min(replicate_workers(replace(problem, bootstrap=len(numbers)), run.threads), len(numbers))
    matrices = [matrix, *(np.zeros_like(matrix) for _ in range(workers - 1))]
    with run.phase("bootstrap", total=len(numbers)) as phase:
        replicates.share(matrices, phase)
    return replicates.joins


class _Replicates:
    """Replicates of an alignment; every thread joins some of them alone."""

    def __init__(
        self, problem: AlignmentTreeProblem, parameters: PrunedParameters, numbers: range, run: CpuRun
    ) -> None:
        self.problem, self.parameters, self.numbers, self.run = problem, parameters, numbers, run
        self.joins: list[np.ndarray] = [np.empty((0, 2), np.int32)] * len(numbers)
        self.column_bases = count_column_bases(problem.alignment) if problem.model == "tn93" else None

    def share(self, matrices: list[np.ndarray], phase: CpuPhase) -> None:
        """Join all replicates, as many at a time as there are matrices."""
        places = iter(range(len(self.numbers)))

        def work(worker: int) -> None:
            for place in places:
                if self.run.stop[0]:
                    return
                self.joins[place] = self._join_replicate(self.numbers[place], matrices[worker])
                phase.done[worker] += 1

        phase.share(work, threads=len(matrices))

    def _join_replicate(self, number: int, matrix: np.ndarray) -> np.ndarray:
        """Return the joins of a replicate, int32 (k, 2)."""
        problem, columns = self.problem, draw_columns(self.problem, number)
        bases = None if self.column_bases is None else self.column_bases[columns].sum(0)
        model = make_model(problem.model, problem.alignment.type, bases)
        packed = cpu_columns.pack_letters(problem.alignment, columns)
        for group in range(len(packed)):
            cpu_columns.distances_of_group(packed, problem.taxa, group, model, matrix, self.run.stop)
        made = max(problem.taxa - 3, 0)
        joins = np.zeros((made, 2), np.int32)
        joined = cpu_pruned.JoinArrays(joins, np.empty((made, RECORD)))
        cpu_pruned.join_all(matrix, problem.taxa, self.parameters.epoch, joined, self.run.stop)
        return joins


def _compile_replicate(value_type: str) -> None:
    """Compile the joins of a replicate, or load them from the cache."""
    taxa = 5
    matrix = np.zeros((taxa, LANES), value_type)
    matrix[:, :taxa] = 1 - np.eye(taxa)
    joined = cpu_pruned.JoinArrays(np.zeros((taxa - 3, 2), np.int32), np.empty((taxa - 3, RECORD)))
    cpu_pruned.join_all(matrix, taxa, 8, joined, make_stop_word())
