"""Automatic parameters, work and memory of the striped and chunked methods, on both backends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import (
    STRIP_STEP,
    WIDEST_OF_WARP,
    ChunkedAlignmentParameters,
    MappedStripParameters,
    StripedAlignmentParameters,
    StripedScoreParameters,
)
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes
from antidiag.kernels.pairwise.strips import cpu_sizes, cuda_sizes, cuda_step_costs, published_sizes

CHUNK_HEIGHT = {"cpu": 1024, "cuda": 512}
"""Rows of a chunk where the user does not choose: about the fastest for pairs of 16,000 to 48,000 letters on 2 cores
with AVX-512, and for 20,860 x 29,120 on an H200."""


def choose_score_parameters(
    problem: PairProblem, backend: str, multiprocessors: int | None, given: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """Choose the parameters of StripedScore for the problem and the device."""
    share = pruning_sizes.share_for_choice(problem, given or {}, backend)
    if backend == "cuda":
        chosen = cuda_sizes.choose_score_parameters(problem, multiprocessors or 1, share)
    else:
        chosen = cpu_sizes.choose_score_parameters(problem, share)
    return {**chosen, **pruning_sizes.choose_pruning(problem, backend)}


def fit_parameters(
    problem: PairProblem, parameters: MappedStripParameters, backend: str, states: bool
) -> MappedStripParameters:
    """Return the parameters with which a backend computes: on a CPU, strips are whole vectors.

    Raises ParameterError for values that the mapping of a GPU cannot take; ``states``: phase 1 has start states.
    """
    if backend == "cpu":
        s = -(-parameters.s // STRIP_STEP) * STRIP_STEP
        return parameters if s == parameters.s else replace(parameters, s=s)
    if parameters.is_published:
        published_sizes.refuse_large_strips(problem, parameters, states)
        if isinstance(parameters, StripedScoreParameters):
            return replace(parameters, precision="32", pruning="off")
        return replace(parameters, precision="32")
    if parameters.s % STRIP_STEP or parameters.s > WIDEST_OF_WARP:
        raise ParameterError(
            f"s={parameters.s}: mapping=warps takes multiples of {STRIP_STEP} up to {WIDEST_OF_WARP:,}; choose one of "
            "these, or mapping=published"
        )
    return parameters


def choose_alignment_parameters(problem: PairProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose the parameters of StripedAlignment for the problem and the device."""
    if backend == "cuda":
        return cuda_sizes.choose_parameters(problem, multiprocessors or 1, cuda_step_costs.STATES_STEP)
    return cpu_sizes.choose_alignment_parameters(problem)


def choose_chunked_parameters(problem: PairProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose the parameters of ChunkedAlignment1 and 2."""
    return {**choose_alignment_parameters(problem, backend, multiprocessors), "h": CHUNK_HEIGHT[backend]}


def count_score_work(problem: PairProblem, parameters: StripedScoreParameters) -> int:
    """Return the cells of StripedScore, without those that are expected to be skipped."""
    return pruning_sizes.count_cells(problem, parameters, cpu_sizes.block_rows(problem, parameters))


def count_computed_cells(problem: PairProblem, parameters: StripedScoreParameters, answer: PairAnswer) -> int:
    """Return the cells that a run of StripedScore computed."""
    return answer.count_computed(problem)


def score_gpu_share(problem: PairProblem, parameters: StripedScoreParameters, multiprocessors: Sequence[int]) -> float:
    """Return the part of the cells of StripedScore that each of the GPUs that it uses computes."""
    return 1 / cuda_sizes.count_used_gpus(problem, parameters, multiprocessors)


def count_alignment_recomputed(problem: PairProblem, parameters: StripedAlignmentParameters) -> int:
    """Return the most cells of phase 3: from the first row down to the path's exit, or only the path's rows.

    A row in which the path goes from strip to strip may be computed in both.
    """
    if parameters.starts_at_first_row:
        return problem.cells
    cells = min(problem.rows * min(parameters.s, problem.columns) + problem.columns, problem.matrix_cells)
    return cells * len(problem.variants)


def count_alignment_work(problem: PairProblem, parameters: StripedAlignmentParameters) -> int:
    """Return the most cells computed: each once, and those of phase 3 again; the path decides."""
    return problem.cells + count_alignment_recomputed(problem, parameters)


def count_chunked_recomputed(problem: PairProblem, parameters: ChunkedAlignmentParameters) -> int:
    """Return the most cells of phase 3: in each strip the rows of the path, and those above in their chunk."""
    rows, columns = problem.rows, problem.columns
    cells = min(rows * min(parameters.s, columns) + columns * min(parameters.h, rows), problem.matrix_cells)
    return cells * len(problem.variants)


def count_chunked_work(problem: PairProblem, parameters: ChunkedAlignmentParameters) -> int:
    """Return the most cells computed: each once, and those of phase 3 again; the path decides."""
    return problem.cells + count_chunked_recomputed(problem, parameters)


def estimate_score_memory(problem: PairProblem, parameters: MappedStripParameters, backend: str) -> Footprint:
    """Return the bytes of StripedScore."""
    if backend == "cuda":
        if parameters.is_published:
            return published_sizes.estimate_score_memory(problem, parameters)
        return cuda_sizes.estimate_score_memory(problem, parameters)
    return cpu_sizes.estimate_score_memory(problem, parameters)


def estimate_alignment_memory(problem: PairProblem, parameters: StripedAlignmentParameters, backend: str) -> Footprint:
    """Return the bytes of StripedAlignment."""
    if backend == "cuda":
        if parameters.is_published:
            return published_sizes.estimate_alignment_memory(problem, parameters, 0)
        return cuda_sizes.estimate_alignment_memory(problem, parameters)
    return cpu_sizes.estimate_alignment_memory(problem, parameters)


def estimate_chunked_memory(
    problem: PairProblem, parameters: ChunkedAlignmentParameters, backend: str, chunks: int
) -> Footprint:
    """Return the bytes of ChunkedAlignment1 or 2, by the number ``chunks``."""
    if backend == "cuda":
        if parameters.is_published:
            return published_sizes.estimate_alignment_memory(problem, parameters, chunks)
        return cuda_sizes.estimate_alignment_memory(problem, parameters, chunks)
    return cpu_sizes.estimate_chunked_memory(problem, parameters, chunks)
