"""What counting identities is on every backend: the letters as codes."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np

from kernels.scoring import encode
from kernels.trees.distances.problem import FullProblem


def encoded(problem: FullProblem) -> tuple[list[np.ndarray], np.ndarray]:
    """Codes of all sequences, uint8, and the scores of the letters that occur, int32, square."""
    together = np.concatenate([encode(sequence, problem.scoring) for sequence in problem.sequences])
    present = np.flatnonzero(np.bincount(together, minlength=256))
    compact = np.zeros(256, np.uint8)
    compact[present] = np.arange(present.size)
    codes, ends = compact[together], [0, *accumulate(map(len, problem.sequences))]
    return [codes[first:last] for first, last in pairwise(ends)], problem.scoring.scores[np.ix_(present, present)]
