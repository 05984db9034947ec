"""The letters of all sequences as codes, for counting identities on every backend."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.model import Sequence
from antidiag.kernels.scoring import UNKNOWN, encode_sequence, number_used_codes
from antidiag.kernels.sequences.alphabets import identity_codes
from antidiag.kernels.trees.distances.problem import FullProblem


@dataclass(frozen=True, eq=False)
class EncodedLetters:
    """The letters of all sequences as codes of those that occur.

    ``codes`` uint8, one sequence after another; ``scores`` int32, square, those of each two codes; ``counted`` bool
    says for each code whether its letter is identical to itself, which an ambiguous letter is not.
    """

    codes: np.ndarray
    scores: np.ndarray
    counted: np.ndarray


def encode_sequences(problem: FullProblem, order: np.ndarray | None = None) -> EncodedLetters:
    """Return the letters of all sequences as codes; ``order`` is that of the sequences, None keeps their own."""
    together = _join_codes(
        problem, problem.sequences if order is None else [problem.sequences[at] for at in order.tolist()]
    )
    present, numbers = number_used_codes([together], len(problem.scoring.scores))
    codes = np.frombuffer(together.translate(numbers), np.uint8)
    letters = np.frombuffer(problem.scoring.matrix.letters.encode("ascii"), np.uint8)[present]
    counted = identity_codes(problem.is_protein)[letters] > 0
    return EncodedLetters(codes, problem.scoring.scores[np.ix_(present, present)], counted)


def separate_ambiguous_letters(encoded: EncodedLetters) -> tuple[np.ndarray, np.ndarray]:
    """Return other codes of all letters, uint8, and scores by these and by the first codes, int32.

    An ambiguous letter has a second code with the same scores, so that no two of them look identical where codes of
    columns are compared with those of rows.
    """
    ambiguous = np.flatnonzero(~encoded.counted)
    others = np.arange(encoded.counted.size, dtype=np.uint8)
    others[ambiguous] = encoded.counted.size + np.arange(ambiguous.size)
    return others[encoded.codes], np.concatenate([encoded.scores, encoded.scores[ambiguous]])


def _join_codes(problem: FullProblem, sequences: Sequences[Sequence]) -> bytearray:
    """Return matrix codes of these sequences; InputError names record and position of an unknown letter."""
    letters = bytearray().join([sequence.letters for sequence in sequences])
    codes = letters.translate(problem.scoring.matrix.translation)
    if UNKNOWN in codes:
        for sequence in problem.sequences:
            encode_sequence(sequence, problem.scoring)
    return codes
