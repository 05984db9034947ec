"""The textbook: Smith and Waterman's score of a query with each of several sequences, by Gotoh's recurrence."""

from __future__ import annotations

from collections.abc import Sequence as Sequences

import numpy as np

from antidiag.kernels.model import Sequence
from antidiag.kernels.scoring import Scoring, encode_sequence

NEVER = -(2**30)
"""Minus infinity, and the score of what stands behind the end of a sequence."""


def local_scores(query: Sequence, sequences: Sequences[Sequence], scoring: Scoring) -> np.ndarray:
    """Return the best local score of a query with each sequence in engine units, int64.

    Cell (i, j) of all matrices is computed at once; sequences that have ended score `NEVER`.
    """
    longest = max(map(len, sequences))
    codes = np.full((len(sequences), longest), -1)
    for row, sequence in enumerate(sequences):
        codes[row, : len(sequence)] = encode_sequence(sequence, scoring)
    best = np.zeros(len(sequences), np.int64)
    H, E = np.zeros((2, longest + 1, len(sequences)), np.int64)
    E[:] = NEVER
    for letter in encode_sequence(query, scoring):
        diagonal, F = np.zeros(len(sequences), np.int64), np.full(len(sequences), NEVER)
        for j in range(1, longest + 1):
            score = np.where(codes[:, j - 1] < 0, NEVER, scoring.scores[letter, codes[:, j - 1]])
            E[j] = np.maximum(E[j], H[j] - scoring.open) - scoring.extend
            F = np.maximum(F, H[j - 1] - scoring.open) - scoring.extend
            diagonal, H[j] = H[j].copy(), np.maximum.reduce([np.zeros_like(F), diagonal + score, E[j], F])
            best = np.maximum(best, H[j])
    return best
