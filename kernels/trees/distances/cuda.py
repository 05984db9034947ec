"""Distances between all pairs on the GPU: what is counted there, and the distances that follow on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees.distances import cuda_kmers
from antidiag.kernels.trees.distances.columns import distances_of_rows
from antidiag.kernels.trees.distances.cuda_chains import Chains
from antidiag.kernels.trees.distances.cuda_columns import columns_of_pairs
from antidiag.kernels.trees.distances.cuda_identities import Identities
from antidiag.kernels.trees.distances.problem import (
    AlignedProblem,
    DistanceAnswer,
    FullProblem,
    KtupleProblem,
    SixmerProblem,
    matrix_of,
)


def distance_full(problem: FullProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """1 - identities / the shorter length of the best alignment of each pair, as ClustalW has it."""
    run = Run(monitor, steps)
    return _outcome(problem, Identities(problem, run).distances(), run, "full distances")


def distance_6mer(problem: SixmerProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """MAFFT's distance of shared 6-mers; see `kmers.distances_of_kmers`."""
    run = Run(monitor, steps)
    return _outcome(problem, cuda_kmers.distances(problem, run), run, "6-mer distances")


def distance_ktuple(problem: KtupleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """ClustalW's fast distance: 1 - the score of the best chain of k-tuples / the shorter length."""
    run = Run(monitor, steps)
    return _outcome(problem, Chains(problem, run).distances(), run, "k-tuple distances")


def distance_alignment(
    problem: AlignedProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """Distances between the rows of an alignment; see `columns.distances_of_rows`."""
    from antidiag.kernels.io.distance_matrix import checked

    run = Run(monitor, steps)
    columns = columns_of_pairs(problem.alignment, run)
    values, without = distances_of_rows(problem.alignment, problem.model, counted=columns)
    answer = DistanceAnswer(checked(problem.alignment.names, values, problem.alignment.name), without)
    return Outcome(answer, run.times_ms, 3 * values.nbytes, run.device_bytes)


def _outcome(problem: Any, values: np.ndarray, run: Run, name: str) -> Outcome:
    answer = DistanceAnswer(matrix_of(problem, values, name))
    return Outcome(answer, run.times_ms, 2 * values.nbytes, run.device_bytes)
