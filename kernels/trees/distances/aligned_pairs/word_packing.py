"""Score, tie rule and number of identities packed in one word; see identities.cu."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.scoring import Mode
from antidiag.kernels.trees.distances.aligned_pairs.encoding import EncodedLetters
from antidiag.kernels.trees.distances.problem import FullProblem

RULE_BITS = 4
"""Bits of the tie rule: the way that led to a cell, and in which of 16 rows it is."""
DIAGONAL_RULE = 2

WIDE_COUNT = 28


@dataclass(frozen=True, eq=False)
class WordPacking:
    """How words are made: ``count`` bits for identities, 32 or, where ``wide``, 64 bits in all.

    ``table`` holds words, a row for each letter and one for no letter, a column for each letter; the costs of a gap's
    first and further letters, and ``lowest``, below all scores, are words too.
    """

    wide: bool
    count: int
    table: np.ndarray
    opening: int
    extension: int
    lowest: int

    @property
    def dtype(self) -> np.dtype:
        """The type of the words."""
        return self.table.dtype


def choose_packing(
    problem: FullProblem, encoded: EncodedLetters, rows: int, columns: int, wide: bool
) -> WordPacking | None:
    """Return the packing for pairs of at most so many letters, or None where 32 bits are too few."""
    scores = encoded.scores
    count = WIDE_COUNT if wide else max(6, -(-rows.bit_length() // 2) * 2)
    shift = count + RULE_BITS
    first, further = problem.scoring.open + problem.scoring.extend, problem.scoring.extend
    border = 0 if problem.mode == Mode.LOCAL else 2 * problem.scoring.open + further * (rows + columns)
    # A gap may open, or a mismatch follow, below the worst cell, and the lowest value is extended once.
    lowest = -(border + first + max(0, -int(scores.min())) + 1)
    highest = (max(0, int(scores.max())) + 1) * (rows + 1)
    if not wide and (highest << shift >= 2**31 or (lowest - further - 1) << shift < -(2**31)):
        return None
    letters = len(scores)
    table = np.full((letters + 1, letters), min(0, int(scores.min())), np.int64)
    table[:-1] = scores
    words = (table << shift) + (DIAGONAL_RULE << count)
    words[:-1] += np.diag(encoded.counted).astype(np.int64)
    return WordPacking(
        wide, count, words.astype(np.int64 if wide else np.int32), first << shift, further << shift, lowest << shift
    )
