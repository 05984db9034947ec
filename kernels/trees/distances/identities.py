"""What counting identities is on every backend: the letters as codes, and the distance that the counts give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernels.scoring import encode
from kernels.trees.distances.pairing import mirrored
from kernels.trees.distances.problem import FullProblem


def encoded(problem: FullProblem) -> tuple[list[np.ndarray], np.ndarray]:
    """Codes of all sequences, uint8, and the scores of the letters that occur, int32, square."""
    raw = [encode(sequence, problem.scoring) for sequence in problem.sequences]
    present = np.flatnonzero(sum(np.bincount(code, minlength=256) for code in raw))
    compact = np.zeros(256, np.uint8)
    compact[present] = np.arange(present.size)
    return [compact[code] for code in raw], problem.scoring.scores[np.ix_(present, present)]


def of_identities(counts: np.ndarray, problem: FullProblem, check: Callable[[], None] = lambda: None) -> np.ndarray:
    """1 - identities / the shorter length; ``counts`` and ``check`` as in `mirrored`."""
    lengths = np.array([len(sequence) for sequence in problem.sequences])

    def distances(block: np.ndarray, rows: slice, columns: slice) -> np.ndarray:
        return 1 - block / np.minimum(lengths[rows, None], lengths[columns])

    return mirrored(counts, distances, check)
