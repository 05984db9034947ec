"""Distances between all pairs on the GPU: what is counted there becomes distances there or on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.distances import pair_strips
from antidiag.kernels.trees.distances.aligned_pairs.cuda_identities import DeviceIdentities
from antidiag.kernels.trees.distances.alignment_columns.column_distances import make_alignment_model
from antidiag.kernels.trees.distances.alignment_columns.cuda_columns import DeviceColumns
from antidiag.kernels.trees.distances.problem import (
    AlignedProblem,
    DistanceAnswer,
    FullProblem,
    KtupleProblem,
    SixmerProblem,
    problem_matrix,
    symmetric_matrix,
)
from antidiag.kernels.trees.distances.shared_words import cuda_kmers
from antidiag.kernels.trees.distances.word_chains.cuda_chains import DeviceChains
from antidiag.kernels.trees.parameters import PairParameters


def distance_full(problem: FullProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute 1 - identities / the shorter length of the best alignment of each pair, as ClustalW does."""
    run = DeviceRun(monitor, steps)
    return _make_outcome(problem, DeviceIdentities(problem, run).distances(), run, "full distances")


def distance_full_strip(
    problem: FullProblem, parameters: PairParameters, numbers: Mapping[str, int], monitor: Monitor
) -> np.ndarray:
    """Compute a strip of the pairs of sequences by ascending length; see `pair_strips`."""
    first, last = pair_strips.strip_borders(numbers)
    run = DeviceRun(monitor, StepLog())
    return DeviceIdentities(pair_strips.first_sequences(problem, last), run, first).strip()


def distance_6mer(problem: SixmerProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute MAFFT's distance of shared 6-mers; see `cpu_kmers.kmer_distance`."""
    run = DeviceRun(monitor, steps)
    return _make_outcome(problem, cuda_kmers.sixmer_distances(problem, run), run, "6-mer distances")


def distance_ktuple(problem: KtupleProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute ClustalW's fast distance: 1 - the score of the best chain of k-tuples / the shorter length."""
    run = DeviceRun(monitor, steps)
    return _make_outcome(problem, DeviceChains(problem, run).distances(), run, "k-tuple distances")


def distance_alignment(
    problem: AlignedProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Compute distances between the rows of an alignment; see `column_distances.distances_of_columns`."""
    run, alignment = DeviceRun(monitor, steps), problem.alignment
    device = DeviceColumns(alignment, run, is_double=True)
    device.pack()
    values = device.download_distances(make_alignment_model(problem.model, alignment))
    answer = DistanceAnswer(symmetric_matrix(alignment.names, values, alignment.name), device.count_stated())
    return Outcome(answer, run.times_ms, values.nbytes, run.device_bytes)


def _make_outcome(problem: Any, values: np.ndarray, run: DeviceRun, name: str) -> Outcome:
    """Return the outcome of a distance matrix."""
    answer = DistanceAnswer(problem_matrix(problem, values, name))
    return Outcome(answer, run.times_ms, 2 * values.nbytes, run.device_bytes)
