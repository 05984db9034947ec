"""Sizes of the striped and chunked methods: automatic parameters, work, and the bytes they need.

A strip is LANES lanes of s / LANES columns; rows stream through the lanes. Both backends share these
numbers, so that what the window promises is what a run allocates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import StripParameters
from antidiag.kernels.pairwise.strips import cpu_sizes, cuda_sizes
from antidiag.kernels.parameters import typed

VALUE_BYTES = 8  # H and the horizontal gap state of one boundary cell
STATE_BYTES = 8  # the local start states of both
CHUNK_HEIGHT = {"cpu": 1024, "cuda": 512}
"""Rows of a chunk where the user does not choose: about the fastest for pairs of 16,000 to 48,000 letters on 2 cores
with AVX-512, and for 20,860 x 29,120 on an H200."""

Parameters = Mapping[str, Any]


def score_automatic(problem: PairProblem, backend: str, multiprocessors: int | None) -> Parameters:
    """Strip width, batch and threads of StripedScore that suit the problem and the device."""
    if backend == "cuda":
        return cuda_sizes.score_automatic(problem, multiprocessors or 1)
    return cpu_sizes.score_automatic(problem)


def alignment_automatic(problem: PairProblem, backend: str, multiprocessors: int | None) -> Parameters:
    """Strip width, batch and threads of StripedAlignment that suit the problem and the device."""
    if backend == "cuda":
        return cuda_sizes.automatic(problem, multiprocessors or 1, cuda_sizes.STATES_STEP)
    return cpu_sizes.alignment_automatic(problem)


def chunked_automatic(problem: PairProblem, backend: str, multiprocessors: int | None) -> Parameters:
    """Strip width, chunk height, batch and threads of ChunkedAlignment1 and 2."""
    return {**alignment_automatic(problem, backend, multiprocessors), "h": CHUNK_HEIGHT[backend]}


def score_work(problem: PairProblem, parameters: Parameters) -> int:
    """Cells computed: each once."""
    return problem.cells


def alignment_recomputed(problem: PairProblem, parameters: Parameters) -> int:
    """Cells of phase 3, at most: from the first row down to where the path leaves each strip, or only the path's rows.

    A row in which the path goes from strip to strip may be computed in both.
    """
    chosen = typed(StripParameters, parameters)
    if chosen.from_first_row:
        return problem.cells
    return min(problem.rows * min(chosen.s, problem.columns) + problem.columns, problem.cells)


def alignment_work(problem: PairProblem, parameters: Parameters) -> int:
    """Cells computed: each once, and those of phase 3 again (at most; the path decides)."""
    return problem.cells + alignment_recomputed(problem, parameters)


def chunked_recomputed(problem: PairProblem, parameters: Parameters) -> int:
    """Cells of phase 3, at most: in each strip the rows of the path, and those above it in their chunk."""
    chosen, rows, columns = typed(StripParameters, parameters), problem.rows, problem.columns
    return min(rows * min(chosen.s, columns) + columns * min(chosen.h, rows), problem.cells)


def chunked_work(problem: PairProblem, parameters: Parameters) -> int:
    """Cells computed: each once, and those of phase 3 again (at most; the path decides)."""
    return problem.cells + chunked_recomputed(problem, parameters)


def score_footprint(problem: PairProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of StripedScore."""
    if backend == "cuda":
        return cuda_sizes.score_footprint(problem, parameters)
    return cpu_sizes.score_footprint(problem, typed(StripParameters, parameters))


def alignment_footprint(problem: PairProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of StripedAlignment."""
    if backend == "cuda":
        return cuda_sizes.alignment_footprint(problem, parameters)
    return cpu_sizes.alignment_footprint(problem, typed(StripParameters, parameters))


def chunked_1_footprint(problem: PairProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of ChunkedAlignment1."""
    return _chunked_footprint(problem, parameters, backend, 1)


def chunked_2_footprint(problem: PairProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of ChunkedAlignment2."""
    return _chunked_footprint(problem, parameters, backend, 2)


def _chunked_footprint(problem: PairProblem, parameters: Parameters, backend: str, chunks: int) -> Footprint:
    if backend == "cuda":
        return cuda_sizes.alignment_footprint(problem, parameters, chunks)
    return cpu_sizes.chunked_footprint(problem, typed(StripParameters, parameters), chunks)
