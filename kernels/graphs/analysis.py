"""What 003 (chapter 6) says of shortest paths between all pairs, as models: n^3 steps, n^3 log n by squaring, or
n1^3 log n1 of the smaller side of a bipartite graph."""

from __future__ import annotations

from functools import partial

from antidiag.kernels.analysis import ADD_AND_MAX, Model, of_a_worker, operations, traffic
from antidiag.kernels.graphs import sizes
from antidiag.kernels.graphs.kinds import Kind
from antidiag.kernels.graphs.problem import PathsProblem

SECTION = "003, section 6.1.3"


def models(kind: Kind) -> tuple[Model, ...]:
    """The models of a way to all distances."""
    work = partial(sizes.work, kind=kind)

    def matrices(problem: PathsProblem, parameters: object) -> float:
        return 2.0 * problem.dtype.itemsize * problem.n**2

    return (
        operations(work, ADD_AND_MAX, SECTION, "a sum and a minimum for every three vertices, as often as is squared"),
        of_a_worker(work, SECTION, "n^3 steps, with a logarithm where matrices are squared"),
        traffic(matrices, SECTION, "Bytes of the matrix, read once and written once, which is the least."),
    )
