"""What counting identities is on every backend: the letters as codes."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np

from kernels.scoring import UNKNOWN, compacted, encode
from kernels.trees.distances.problem import FullProblem


def encoded(problem: FullProblem) -> tuple[list[np.ndarray], np.ndarray]:
    """Codes of all sequences, uint8, and the scores of the letters that occur, int32, square."""
    together = _together(problem)
    present, numbers = compacted([together], len(problem.scoring.scores))
    codes = np.frombuffer(together.translate(numbers), np.uint8)
    ends = [0, *accumulate(len(sequence.letters) for sequence in problem.sequences)]
    return [codes[first:last] for first, last in pairwise(ends)], problem.scoring.scores[np.ix_(present, present)]


def _together(problem: FullProblem) -> bytearray:
    """Matrix codes of all sequences, one after another; InputError names record and position of a strange letter."""
    letters = bytearray().join(sequence.letters for sequence in problem.sequences)
    codes = letters.translate(problem.scoring.matrix.translation)
    if UNKNOWN in codes:
        for sequence in problem.sequences:
            encode(sequence, problem.scoring)
    return codes
