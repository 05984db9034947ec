"""Pieces of a run over a hidden Markov model, and its log. Nothing here imports a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cpu import workers
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.rows import cuda_sizes
from antidiag.kernels.steps import ALL_WORK, LoggedWork, WorkShare

LANES = 8
SHORT_LETTERS = 4096
"""Sequences with fewer letters are not cut into pieces for several threads."""

LEAST_PIECE = 256
"""Least letters of a piece: after so many, rows from different starts are mostly parallel."""


def pad_states(states: int) -> int:
    """Round states up to whole vectors of float64."""
    return -(-states // LANES) * LANES


def split_pieces(n: int, piece: int) -> list[tuple[int, int]]:
    """Return ranges (first, last) of ``piece`` letters: rows first + 1 to last belong to a piece; n - 1 rows in all."""
    steps = max(0, n - 1)
    return [(first, min(first + piece, steps)) for first in range(0, steps, piece)]


def count_pieces(n: int, piece: int) -> int:
    """Return the number of pieces; long sequences have millions."""
    return -(-max(0, n - 1) // piece)


def describe_log(problem: Any, parameters: Any, backend: str) -> LoggedWork:
    """Describe what the events of a run did: tracing the path computes no cell."""
    return LoggedWork((WorkShare(("path",), 0), WorkShare(total=ALL_WORK)))


def choose_parameters(
    problem: HmmProblem, backend: str, multiprocessors: int | None, pieces_per_thread: int = 1
) -> Mapping[str, Any]:
    """Choose all cores where the sequence is long, and pieces that keep them busy."""
    threads = workers.count_processors() if problem.n > SHORT_LETTERS else 1
    if backend == "cuda":
        piece = cuda_sizes.choose_piece(problem.states, problem.n, multiprocessors or 1)
        return {"threads": threads, "piece": piece}
    return {"threads": threads, "piece": max(LEAST_PIECE, -(-problem.n // (pieces_per_thread * threads)))}
