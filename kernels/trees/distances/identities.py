"""What counting identities is on every backend: the letters as codes."""

from __future__ import annotations

from collections.abc import Sequence as Sequences

import numpy as np

from antidiag.kernels.model import Sequence
from antidiag.kernels.scoring import UNKNOWN, compacted, encode
from antidiag.kernels.trees.distances.problem import FullProblem


def encoded(problem: FullProblem, order: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Codes of all sequences, one after another in an order or in their own, uint8, and the scores of the letters that
    occur, int32, square."""
    together = _together(
        problem, problem.sequences if order is None else [problem.sequences[at] for at in order.tolist()]
    )
    present, numbers = compacted([together], len(problem.scoring.scores))
    codes = np.frombuffer(together.translate(numbers), np.uint8)
    return codes, problem.scoring.scores[np.ix_(present, present)]


def _together(problem: FullProblem, sequences: Sequences[Sequence]) -> bytearray:
    """Matrix codes of these sequences, one after another; InputError names record and position of a strange letter."""
    letters = bytearray().join([sequence.letters for sequence in sequences])
    codes = letters.translate(problem.scoring.matrix.translation)
    if UNKNOWN in codes:
        for sequence in problem.sequences:
            encode(sequence, problem.scoring)
    return codes
