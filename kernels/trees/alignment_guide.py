"""A guide tree of the rows of an alignment, as in ClustalW.

Neighbor joining of the shares of columns in which two rows differ, with the root where the mean distances to the leaves
on both sides are equal.
"""

from __future__ import annotations

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.distances.problem import AlignedProblem
from antidiag.kernels.trees.parameters import PairParameters, PrunedParameters
from antidiag.kernels.trees.problem import TreeProblem

MOST_ROWS = 10_000
"""Rows of an alignment at most: their distances take 0.8 GB."""


def make_guide_tree(alignment: AlignedSequences, monitor: Monitor | None = None) -> Tree:
    """Return the guide tree of two rows or more; InputError for fewer, and for more than MOST_ROWS.

    Raises Cancelled where the monitor is cancelled.
    """
    rows = len(alignment.names)
    if rows < 2:
        raise InputError(f"{alignment.name}: one row has no guide tree; use equal row weights")
    if rows > MOST_ROWS:
        raise InputError(
            f"{alignment.name}: {rows:,} rows; a guide tree can be made of at most {MOST_ROWS:,}; give the tree"
        )
    from antidiag.kernels.cpu import workers  # these load Numba
    from antidiag.kernels.trees.distances import cpu as distances
    from antidiag.kernels.trees.joining import cpu as joining

    monitor, threads = monitor or Monitor(), workers.count_processors()
    pairs = AlignedProblem(alignment), PairParameters(threads=threads)
    found = distances.distance_alignment(*pairs, monitor, StepLog()).answer.distances
    problem = TreeProblem(found, root="clustalw", negative="zero")
    return joining.nj_pruned(problem, PrunedParameters(threads=threads), monitor, StepLog()).answer.tree
