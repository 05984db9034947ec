"""The tree of the rows of an alignment, by methods of the registry: distances of its columns, and the tree of them."""

from __future__ import annotations

from typing import Any

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_kind import ALIGNMENT
from antidiag.kernels.io.distances import DISTANCE_MATRIX
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import DataKind, Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor


def criteria() -> list[str]:
    """By what trees of distances are made, such as "neighbor joining", each once."""
    return list(dict.fromkeys(method.criterion for method in _taking(DISTANCE_MATRIX, "tree") if method.criterion))


def tree_of(alignment: AlignedSequences, criterion: str, monitor: Monitor | None = None) -> Tree:
    """The tree of the rows by one of `criteria`; InputError for fewer than three, MemoryRefused for too many."""
    if len(alignment.names) < 3:
        raise InputError(f"{alignment.name}: a tree needs three rows or more, and it has {len(alignment.names)}")
    distances = _taking(ALIGNMENT, "distances")
    trees = [method for method in _taking(DISTANCE_MATRIX, "tree") if method.criterion == criterion]
    if not (distances and trees):
        raise InputError(f"no method makes a tree by {criterion}; known are {', '.join(criteria())}")
    matrix = _run(distances[0], alignment, monitor)
    return _run(trees[0], matrix.answer.distances, monitor).answer.tree


def _taking(kind: DataKind, returned: str) -> list[Method]:
    """Methods that take one datum of a kind alone, and return what is asked for."""
    return [
        method for method in registry.METHODS
        if returned in method.returns and [taken.kind for taken in method.problem.inputs] == [kind]
    ]  # fmt: skip


def _run(method: Method, datum: Any, monitor: Monitor | None) -> Result:
    problem = method.problem.make([datum], method.problem.defaults([datum]))
    return engine.execute(engine.plan(method, problem), monitor, keep_rate=False, keep=False)
