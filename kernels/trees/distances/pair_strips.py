"""All pairs in strips: columns of the matrix, each with all rows before it, of sequences by ascending length.

Strips are independent. Each begins at a multiple of `STRIP_STEP`, so that the tiles of a GPU and the lanes of a CPU lie
in one strip each, and every pair is computed as in a run in one piece.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels.model import Outcome, sequence_lengths
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.run_splitting import RunPiece
from antidiag.kernels.sequences.sequence_set import take_sequences
from antidiag.kernels.trees.distances.problem import DistanceAnswer, FullProblem, problem_matrix

STRIP_STEP = 32


def length_order(problem: FullProblem) -> np.ndarray:
    """Return the numbers of the sequences by ascending length, those of one length in their own order, int64."""
    return np.argsort(sequence_lengths(problem.sequences), kind="stable")


def sort_problem(problem: FullProblem) -> FullProblem:
    """Return the problem with its sequences by ascending length."""
    return replace(problem, sequences=take_sequences(problem.sequences, length_order(problem).tolist()))


def first_sequences(problem: FullProblem, count: int) -> FullProblem:
    """Return the problem of the first sequences."""
    return replace(problem, sequences=take_sequences(problem.sequences, range(count)))


def list_strips(problem: FullProblem, least: int) -> list[RunPiece]:
    """Return strips of about equal cost, in cells; ``least`` of them if there are enough sequences."""
    lengths = np.sort(sequence_lengths(problem.sequences)).astype(np.float64)
    costs = lengths * (np.cumsum(lengths) - lengths)
    until = np.concatenate([[0.0], np.cumsum(costs)]).tolist()
    wanted = np.searchsorted(until, np.linspace(0, until[-1], least + 1)[1:-1])
    borders = np.unique(np.append(wanted // STRIP_STEP * STRIP_STEP, [0, lengths.size]))
    borders = borders[(borders == lengths.size) | (borders % STRIP_STEP == 0)].tolist()
    return [
        RunPiece(f"columns {first:,} to {last:,}", {"first": first, "last": last}, 1.0 + until[last] - until[first])
        for first, last in itertools.pairwise(borders)
    ]


def join_strips(problem: FullProblem, strips: Iterable[tuple[RunPiece, np.ndarray]], monitor: Monitor) -> Outcome:
    """Return the matrix of the strips, float64 (last, last - first) each, with zeros on and below the diagonal."""
    order = length_order(problem)
    values = np.zeros((order.size, order.size))
    for piece, strip in strips:
        first, last = piece.numbers["first"], piece.numbers["last"]
        own, before = order[first:last], order[:first]
        values[np.ix_(before, own)] = strip[:first]
        values[np.ix_(own, before)] = strip[:first].T
        values[np.ix_(own, own)] = strip[first:] + strip[first:].T
    return Outcome(DistanceAnswer(problem_matrix(problem, values, "full distances")), {})


def strip_of_counts(counts: np.ndarray, lengths: np.ndarray, first: int) -> np.ndarray:
    """Return the distances of a strip, float64 (n, n - first): 1 - count / the shorter length above the diagonal.

    ``counts`` int32 (n, n - first) are identities of sequences of ``lengths`` int64, ascending.
    """
    above = np.arange(lengths.size)[:, None] < np.arange(first, lengths.size)
    return np.where(above, 1 - counts / lengths[:, None], 0.0)


def strip_borders(numbers: Mapping[str, Any]) -> tuple[int, int]:
    """Return the first column of a strip, and the end."""
    return int(numbers["first"]), int(numbers["last"])
