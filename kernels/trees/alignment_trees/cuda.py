"""The tree of an alignment on the GPU: distances are computed into the matrix that is joined there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cuda.run import DeviceRun
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
from antidiag.kernels.trees.alignment_trees.split_support import compute_support
from antidiag.kernels.trees.distances.alignment_columns.column_distances import (
    DistanceModel,
    make_alignment_model,
    make_model,
)
from antidiag.kernels.trees.distances.alignment_columns.cuda_columns import DeviceColumns
from antidiag.kernels.trees.joining.cuda import PrunedJoining
from antidiag.kernels.trees.joining.tree_from_joins import make_joined_tree
from antidiag.kernels.trees.parameters import PrunedParameters


def nj_alignment(
    problem: AlignmentTreeProblem, parameters: PrunedParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Join the rows of an alignment by neighbor joining, and compute the support of its branches."""
    run = DeviceRun(monitor, steps, rows=1)
    columns = DeviceColumns(problem.alignment, run, is_double=problem.precision == "double")
    joined, without = _join_rows(problem, parameters, columns)
    names = None
    if problem.bootstrap:
        replicates = _join_replicates(problem, parameters, range(problem.bootstrap), columns, run)
        names = compute_support(joined[0], problem.taxa, replicates)
    answer = make_joined_tree(problem, *joined, inner_names=names)
    found = AlignmentTreeAnswer(answer.tree, answer.joins, without)
    return Outcome(found, run.times_ms, device_bytes=run.device_bytes)


def nj_alignment_piece(
    problem: AlignmentTreeProblem, parameters: PrunedParameters, numbers: Mapping[str, int], monitor: Monitor
) -> Any:
    """Compute the tree, or the joins of some replicates; see `replicate_pieces`."""
    run, first, last = DeviceRun(monitor, StepLog(), rows=1), numbers["first"], numbers["last"]
    columns = DeviceColumns(problem.alignment, run, is_double=problem.precision == "double")
    if first == last:
        return pack_joined_tree(*_join_rows(problem, parameters, columns))
    found = list(_join_replicates(problem, parameters, range(first, last), columns, run))
    return np.array(found, np.int32).reshape(last - first, -1, 2)


def _join_rows(
    problem: AlignmentTreeProblem, parameters: PrunedParameters, columns: DeviceColumns
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], int]:
    """Return the joins of the rows, as `make_joined_tree` takes them, and the pairs with a stated distance."""
    columns.pack()
    joining = ColumnJoining(problem, parameters, columns, make_alignment_model(problem.model, problem.alignment))
    without = columns.count_stated()
    joining.make_joins()
    return joining.download_joins(), without


class ColumnJoining(PrunedJoining):
    """NJ-pruned, whose matrix is computed on the device from the columns of an alignment."""

    def __init__(
        self,
        problem: AlignmentTreeProblem,
        parameters: PrunedParameters,
        columns: DeviceColumns,
        model: DistanceModel,
    ) -> None:
        self.columns, self.model = columns, model
        super().__init__(problem, parameters, columns.run)

    def load(self) -> None:
        """Compute the matrix and sum its rows."""
        self.columns.fill_distances(self.model, self.D[: self.taxa])
        self.sum_rows(self.D[: self.taxa], 0)


def _join_replicates(
    problem: AlignmentTreeProblem,
    parameters: PrunedParameters,
    numbers: range,
    columns: DeviceColumns,
    run: DeviceRun,
) -> Iterator[np.ndarray]:
    """Yield the joins of some replicates, int32 (k, 2) each."""
    column_bases = count_column_bases(problem.alignment) if problem.model == "tn93" else None
    for done, replicate in enumerate(numbers, 1):
        chosen = draw_columns(problem, replicate)
        bases = None if column_bases is None else column_bases[chosen].sum(0)
        columns.pack(chosen)
        model = make_model(problem.model, problem.alignment.type, bases)
        joining = ColumnJoining(problem, parameters, columns, model)
        joining.make_joins()
        found = joining.download_joins()[0]
        del joining  # its matrix is that of the next
        run.report_progress(done, len(numbers), "bootstrap")
        yield found
