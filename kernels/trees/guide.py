"""A guide tree of the rows of an alignment, as ClustalW makes one: neighbor joining of the shares of columns in which
two rows differ, with the root where the mean distances to the leaves on both sides are equal."""

from __future__ import annotations

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees.distances.problem import AlignedProblem
from antidiag.kernels.trees.parameters import EPOCH
from antidiag.kernels.trees.problem import TreeProblem

MOST_ROWS = 10_000
"""Rows of which a tree is made here: their distances take 0.8 GB."""


def of_alignment(alignment: AlignedSequences, monitor: Monitor | None = None) -> Tree:
    """The guide tree of two rows or more; InputError for fewer, and for more than MOST_ROWS. Raises Cancelled."""
    rows = len(alignment.names)
    if rows < 2:
        raise InputError(f"{alignment.name}: one row has no guide tree; let all rows count alike")
    if rows > MOST_ROWS:
        raise InputError(
            f"{alignment.name}: {rows:,} rows, and a guide tree is made here of {MOST_ROWS:,} at most; give the tree"
        )
    from antidiag.kernels.cpu import workers  # these load Numba
    from antidiag.kernels.trees.distances import cpu as distances
    from antidiag.kernels.trees.joining import cpu as joining

    monitor, threads = monitor or Monitor(), {"threads": workers.cores()}
    found = distances.distance_alignment(AlignedProblem(alignment), threads, monitor, Steps()).answer.distances
    problem = TreeProblem(found, root="clustalw", negative="zero")
    return joining.nj_pruned(problem, {"epoch": EPOCH.default, **threads}, monitor, Steps()).answer.tree
