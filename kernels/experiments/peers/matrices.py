"""Peers for matrices: neighbor joining of scikit-bio and of anjl, UPGMA and Floyd-Warshall of SciPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.experiments.peers.pairs import package_version
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.graphs import BIPARTITE, PATHS
from antidiag.kernels.trees import NEIGHBOR_JOINING, UPGMA
from antidiag.kernels.trees.problem import TREE_PROBLEM

IN_MEMORY = "one call on a matrix in memory; one thread"


def _prepare_neighbor_joining(problem: Any) -> Callable[[], Any]:
    from skbio import DistanceMatrix
    from skbio.tree import nj

    matrix = DistanceMatrix(
        np.array(problem.matrix.values, np.float64), [f"t{n}" for n in range(len(problem.matrix.names))]
    )
    return lambda: nj(matrix, neg_as_zero=problem.negative == "zero")


def _prepare_anjl(problem: Any) -> Callable[[], Any]:
    from anjl import dynamic_nj

    matrix = np.array(problem.matrix.values, np.float32)
    return lambda: dynamic_nj(matrix, disallow_negative_distances=problem.negative == "zero")


def _prepare_upgma(problem: Any) -> Callable[[], Any]:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    condensed = squareform(np.array(problem.matrix.values, np.float64), checks=False)
    return lambda: linkage(condensed, "average")


def _prepare_floyd_warshall(problem: Any) -> Callable[[], float]:
    from scipy.sparse.csgraph import floyd_warshall

    weights = np.array(problem.graph.weights, np.float64)
    predecessors = bool(problem.predecessors)

    def call() -> float:
        found = floyd_warshall(weights, return_predecessors=predecessors)
        distances = found[0] if predecessors else found
        return float(distances[np.isfinite(distances)].sum())

    return call


PEERS = (
    Peer(
        id="scikit-bio-nj",
        name="scikit-bio nj",
        problems=(TREE_PROBLEM,),
        returns=frozenset({"tree"}),
        counts=IN_MEMORY,
        install="pip install scikit-bio",
        version=partial(package_version, "scikit-bio"),
        refusal=lambda problem: "" if len(problem.matrix.names) > 2 else "it takes three or more taxa",
        prepare=_prepare_neighbor_joining,
        answer=lambda tree: f"{tree.count(tips=True):,} taxa",
        host_bytes=lambda problem: 3 * 8 * len(problem.matrix.names) ** 2,
        criterion=NEIGHBOR_JOINING,
    ),
    Peer(
        id="anjl",
        name="anjl dynamic_nj",
        problems=(TREE_PROBLEM,),
        returns=frozenset({"tree"}),
        counts="one call on a matrix in memory, in single precision; all cores",
        install="pip install anjl",
        version=partial(package_version, "anjl"),
        refusal=lambda problem: "" if len(problem.matrix.names) > 2 else "it takes three or more taxa",
        prepare=_prepare_anjl,
        answer=lambda joins: f"{len(joins) + 1:,} taxa",
        host_bytes=lambda problem: 3 * 4 * len(problem.matrix.names) ** 2,
        criterion=NEIGHBOR_JOINING,
    ),
    Peer(
        id="scipy-upgma",
        name="SciPy linkage, average",
        problems=(TREE_PROBLEM,),
        returns=frozenset({"tree"}),
        counts="one call on a condensed matrix in memory; one thread",
        install="pip install scipy",
        version=partial(package_version, "scipy"),
        refusal=lambda problem: "" if len(problem.matrix.names) > 1 else "it takes two or more taxa",
        prepare=_prepare_upgma,
        answer=lambda joins: f"{len(joins) + 1:,} taxa",
        host_bytes=lambda problem: 2 * 8 * len(problem.matrix.names) ** 2,
        criterion=UPGMA,
    ),
    Peer(
        id="scipy-floyd-warshall",
        name="SciPy floyd_warshall",
        problems=(PATHS, BIPARTITE),
        returns=frozenset({"distances", "paths"}),
        counts=IN_MEMORY,
        install="pip install scipy",
        version=partial(package_version, "scipy"),
        refusal=lambda problem: "",
        prepare=_prepare_floyd_warshall,
        answer=lambda total: f"sum of distances {total:,.6g}",
        host_bytes=lambda problem: 4 * 8 * len(problem.graph.names) ** 2,
        nominal_gcups=0.6,
    ),
)
