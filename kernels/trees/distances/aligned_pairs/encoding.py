"""The letters of all sequences as codes, for counting identities on every backend."""

from __future__ import annotations

from collections.abc import Sequence as Sequences

import numpy as np

from antidiag.kernels.model import Sequence
from antidiag.kernels.scoring import UNKNOWN, encode_sequence, number_used_codes
from antidiag.kernels.trees.distances.problem import FullProblem


def encode_sequences(problem: FullProblem, order: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of all sequences, one after another, uint8, and the scores of the letters that occur, int32, square.

    ``order`` is that of the sequences; None keeps their own.
    """
    together = _join_codes(
        problem, problem.sequences if order is None else [problem.sequences[at] for at in order.tolist()]
    )
    present, numbers = number_used_codes([together], len(problem.scoring.scores))
    codes = np.frombuffer(together.translate(numbers), np.uint8)
    return codes, problem.scoring.scores[np.ix_(present, present)]


def _join_codes(problem: FullProblem, sequences: Sequences[Sequence]) -> bytearray:
    """Return matrix codes of these sequences; InputError names record and position of an unknown letter."""
    letters = bytearray().join([sequence.letters for sequence in sequences])
    codes = letters.translate(problem.scoring.matrix.translation)
    if UNKNOWN in codes:
        for sequence in problem.sequences:
            encode_sequence(sequence, problem.scoring)
    return codes
