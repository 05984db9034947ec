"""Trees of the rows of an alignment, built with the distance and tree methods of the registry."""

from __future__ import annotations

from typing import Any

from antidiag.kernels import engine, registry
from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_files import DISTANCE_MATRIX
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import DataKind, Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor


def tree_criteria() -> list[str]:
    """Return the criteria of methods that build trees from distances, such as "neighbor joining"."""
    return list(
        dict.fromkeys(method.criterion for method in _methods_taking(DISTANCE_MATRIX, "tree") if method.criterion)
    )


def build_tree(alignment: AlignedSequences, criterion: str, monitor: Monitor | None = None) -> Tree:
    """Return the tree of the rows by a criterion; raise InputError for fewer than three rows."""
    if len(alignment.names) < 3:
        raise InputError(f"{alignment.name}: a tree needs at least three rows; got {len(alignment.names)}")
    distances = _methods_taking(ALIGNMENT, "distances")
    trees = [method for method in _methods_taking(DISTANCE_MATRIX, "tree") if method.criterion == criterion]
    if not (distances and trees):
        raise InputError(f"no method builds trees by {criterion}; known criteria: {', '.join(tree_criteria())}")
    matrix = _run_method(distances[0], alignment, monitor)
    return _run_method(trees[0], matrix.answer.distances, monitor).answer.tree


def _methods_taking(kind: DataKind, returned: str) -> list[Method]:
    """Return the methods that take a single datum of a kind and return the given output."""
    return [
        method
        for method in registry.METHODS
        if returned in method.returns and [taken.kind for taken in method.problem_type.inputs] == [kind]
    ]


def _run_method(method: Method, datum: Any, monitor: Monitor | None) -> Result:
    problem = method.problem_type.make_problem([datum], method.problem_type.default_options([datum]))
    return engine.execute(engine.plan_run(method, problem), monitor, keep_rate=False, keep_parts=False)
