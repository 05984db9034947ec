"""Distances between all pairs on the GPU: what is counted there, and the distances that follow on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cupy
import numpy as np

from kernels.model import Outcome, SequenceType
from kernels.monitor import Monitor
from kernels.steps import Steps
from kernels.trees.aligned import distances_of_columns
from kernels.trees.cuda_chains import Chains
from kernels.trees.cuda_columns import columns_of_pairs
from kernels.trees.cuda_identities import Identities
from kernels.trees.cuda_words import common_words
from kernels.trees.distance_problem import (
    AlignedProblem,
    DistanceAnswer,
    FullProblem,
    KtupleProblem,
    SixmerProblem,
    matrix_of,
)
from kernels.trees.identities import of_identities
from kernels.trees.tuples import distances_of_chains
from kernels.trees.words import distances_of_words, sixmers


def distance_full(problem: FullProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """1 - identities / the shorter length of the best alignment of each pair, as ClustalW has it."""
    run = Identities(problem, monitor)
    return _outcome(problem, of_identities(run.counted(), problem), run.times_ms, "full distances")


def distance_6mer(problem: SixmerProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """MAFFT's distance of shared 6-mers; see `words.distances_of_words`."""
    times_ms = {"compilation": 0.0, "transfer": 0.0}
    words = sixmers(problem.sequences, problem.protein)
    common = common_words(words, monitor, times_ms)
    values = distances_of_words(words, common + common.T, slice(None), slice(None))
    np.fill_diagonal(values, 0)
    return _outcome(problem, values, times_ms, "6-mer distances")


def distance_ktuple(problem: KtupleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """ClustalW's fast distance: 1 - the score of the best chain of k-tuples / the shorter length."""
    run = Chains(problem, monitor)
    return _outcome(problem, distances_of_chains(problem, run.scored()), run.times_ms, "k-tuple distances")


def distance_alignment(
    problem: AlignedProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """Distances between the rows of an alignment; see `aligned.distances_of_rows`."""
    from kernels.distances import checked

    times_ms = {"compilation": 0.0, "transfer": 0.0}
    columns = columns_of_pairs(problem.alignment, monitor, times_ms)
    protein = problem.alignment.type == SequenceType.PROTEIN
    values, lost = distances_of_columns(columns, problem.model, protein)
    upper = np.triu(values, 1)
    answer = DistanceAnswer(
        checked(problem.alignment.names, upper + upper.T, problem.alignment.name), int(np.triu(lost, 1).sum())
    )
    return Outcome(answer, times_ms, 3 * values.nbytes, cupy.get_default_memory_pool().total_bytes())


def _outcome(problem: Any, values: np.ndarray, times_ms: dict[str, float], name: str) -> Outcome:
    device_bytes = cupy.get_default_memory_pool().total_bytes()
    return Outcome(DistanceAnswer(matrix_of(problem, values, name)), times_ms, 2 * values.nbytes, device_bytes)
