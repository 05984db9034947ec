"""What counting identities is on every backend: the letters as codes, and the distance that the counts give."""

from __future__ import annotations

import numpy as np

from kernels.model import encode
from kernels.trees.distance_problem import FullProblem


def encoded(problem: FullProblem) -> tuple[list[np.ndarray], np.ndarray]:
    """Codes of all sequences, uint8, and the scores of the letters that occur, int32, square."""
    raw = [encode(sequence, problem.scoring) for sequence in problem.sequences]
    present = np.flatnonzero(sum(np.bincount(code, minlength=256) for code in raw))
    compact = np.zeros(256, np.uint8)
    compact[present] = np.arange(present.size)
    return [compact[code] for code in raw], problem.scoring.scores[np.ix_(present, present)]


def of_identities(identities: np.ndarray, problem: FullProblem) -> np.ndarray:
    """1 - identities / the shorter length; ``identities`` is symmetric."""
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    values = 1 - identities / np.minimum(lengths[:, None], lengths)
    np.fill_diagonal(values, 0)
    return values
