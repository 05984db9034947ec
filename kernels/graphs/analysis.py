"""Models of the work of all-pairs shortest paths (Hanif 2014, chapter 6).

n^3 steps, n^3 log n by squaring, or n1^3 log n1 on the first side of a bipartite graph.
"""

from __future__ import annotations

from functools import partial

from antidiag.kernels.cost_models import ADD_AND_MAX, CostModel, operations_model, traffic_model, worker_share_model
from antidiag.kernels.graphs import sizes
from antidiag.kernels.graphs.algorithms import PathAlgorithm
from antidiag.kernels.graphs.problem import PathsProblem

SECTION = "Hanif 2014, section 6.1.3"


def build_models(algorithm: PathAlgorithm) -> tuple[CostModel, ...]:
    """Return the models of an algorithm."""
    work = partial(sizes.count_cells, algorithm=algorithm)

    def matrices(problem: PathsProblem, parameters: object) -> float:
        return 2.0 * problem.dtype.itemsize * problem.n**2

    return (
        operations_model(work, ADD_AND_MAX, SECTION, "A sum and a minimum for every three vertices, in every squaring"),
        worker_share_model(work, SECTION, "n^3 steps, times a logarithm where matrices are squared"),
        traffic_model(matrices, SECTION, "Bytes of the matrix, read once and written once: the minimum."),
    )
