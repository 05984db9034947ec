"""Three sequences: the problem, its alignment, and the score of an alignment.

A column of the alignment is a *move* of the path, a number from 1 to 7: 4 for a letter of the first sequence, 2 for
one of the second, 1 for one of the third. A cell (i, j, k) is reached after i, j and k letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.errors import ScoreOverflow
from antidiag.kernels.model import Sequence
from antidiag.kernels.scoring import SCORE_LIMIT, Scoring, encode_sequence
from antidiag.kernels.serialization import stored

Cell = tuple[int, int, int]

LETTER_BITS = (4, 2, 1)
"""The bit of a move that takes a letter of the first, the second, the third sequence."""
PAIRS = ((0, 1), (0, 2), (1, 2))
MOVE_ORDER = (7, 6, 5, 3, 4, 2, 1)
"""Moves in the order of the recurrence (Li et al. 2014, section 3); where several give the same score, the first is
taken.
"""


@stored("triple-problem")
@dataclass(frozen=True)
class TripleProblem:
    """Three sequences and their scoring: everything that defines the best sum-of-pairs alignment from end to end.

    ``scoring`` scores every two rows: an element [x, y] of the matrix where x is of the earlier sequence. ScoreOverflow
    where a score could leave 32 bits.
    """

    first: Sequence
    second: Sequence
    third: Sequence
    scoring: Scoring

    def __post_init__(self) -> None:
        bound = bound_scores(self)
        if bound >= SCORE_LIMIT:
            raise ScoreOverflow(
                f"scores of {self.size} letters could reach {bound:,} in size, beyond the 32-bit limit of "
                f"{SCORE_LIMIT:,}; use smaller scores and gap costs, or shorter sequences"
            )

    @property
    def sequences(self) -> tuple[Sequence, Sequence, Sequence]:
        """The three sequences."""
        return self.first, self.second, self.third

    @property
    def data(self) -> tuple[Sequence, Sequence, Sequence]:
        """The inputs from which the problem was built."""
        return self.sequences

    @property
    def lengths(self) -> Cell:
        """Letters of each sequence."""
        return len(self.first), len(self.second), len(self.third)

    @property
    def cells(self) -> int:
        """Cells of the cube without its border."""
        return len(self.first) * len(self.second) * len(self.third)

    @property
    def has_affine_gaps(self) -> bool:
        """Whether opening a gap costs more than its letters: seven values per cell instead of one."""
        return self.scoring.open > 0

    @property
    def title(self) -> str:
        """Names of the sequences."""
        return " x ".join(sequence.name for sequence in self.sequences)

    @property
    def size(self) -> str:
        """Lengths of the sequences, for people."""
        return " x ".join(f"{length:,}" for length in self.lengths)

    @cached_property
    def codes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Matrix codes of the sequences, uint8; InputError names a letter that has no score."""
        return tuple(encode_sequence(sequence, self.scoring) for sequence in self.sequences)  # type: ignore[return-value]


def bound_scores(problem: TripleProblem) -> int:
    """Return a bound on the size of all values that a method computes.

    It has scores with twice the gap cost added to every pair of letters (see `encoding`), and two openings per column.
    """
    scoring = problem.scoring
    letter = int(np.abs(scoring.scores).max(initial=0)) + 2 * scoring.extend
    return (sum(problem.lengths) + 3) * (3 * letter + 2 * scoring.open)


@stored("triple-alignment")
@dataclass(frozen=True, eq=False)
class TripleAlignment:
    """A path through the cube from cell ``start`` to cell ``end``; ``moves`` uint8, in this order."""

    start: Cell
    end: Cell
    moves: np.ndarray

    def cells(self) -> np.ndarray:
        """Return every cell of the path from start to end, shape (moves + 1, 3), int64."""
        steps = np.empty((len(self.moves) + 1, 3), np.int64)
        steps[0] = self.start
        for side, bit in enumerate(LETTER_BITS):
            steps[1:, side] = (self.moves & bit) > 0
        return np.cumsum(steps, axis=0, out=steps)

    def gapped_rows(self, sequences: tuple[Sequence, ...]) -> tuple[str, ...]:
        """Return the three rows of the alignment with '-' for gaps."""
        rows = []
        for side, sequence in enumerate(sequences):
            row = np.full(self.moves.size, ord("-"), np.uint8)
            row[(self.moves & LETTER_BITS[side]) > 0] = sequence.letter_array[self.start[side] : self.end[side]]
            rows.append(row.tobytes().decode("ascii"))
        return tuple(rows)


def score_alignment(problem: TripleProblem, alignment: TripleAlignment) -> int:
    """Return the sum of pairs of an alignment with quasi-natural gap costs, in engine units (page.md, *What is
    computed*).

    It is counted pair by pair, row by row, and not by the recurrence. ValueError where the moves do not lead from start
    to end.
    """
    taken = [(alignment.moves & bit) > 0 for bit in LETTER_BITS]
    for side, letters in enumerate(taken):
        start, end = alignment.start[side], alignment.end[side]
        if letters.sum() != end - start or not 0 <= start <= end <= problem.lengths[side]:
            raise ValueError(f"{alignment.moves.size} moves do not lead from {alignment.start} to {alignment.end}")
    return sum(_score_pair(problem, alignment, taken, pair) for pair in PAIRS)


def _score_pair(
    problem: TripleProblem, alignment: TripleAlignment, taken: list[np.ndarray], pair: tuple[int, int]
) -> int:
    """Return the score of two rows of an alignment."""
    scoring = problem.scoring
    both = taken[pair[0]] & taken[pair[1]]
    letters = [problem.codes[side][alignment.start[side] : alignment.end[side]] for side in pair]
    x, y = (codes[both[taken[side]]] for codes, side in zip(letters, pair, strict=True))
    score = int(scoring.scores[x, y].sum(dtype=np.int64))
    for letter, gap in (pair, pair[::-1]):
        alone = taken[letter] & ~taken[gap]
        runs = int(np.count_nonzero(alone[1:] & ~alone[:-1])) + int(alone[:1].sum())
        score -= runs * scoring.open + int(alone.sum()) * scoring.extend
    return score


@stored("triple-answer")
@dataclass(frozen=True)
class TripleAnswer:
    """The best score of three sequences (engine units), the cell where it ends, and the path where it is found."""

    score: int
    end: Cell
    alignment: TripleAlignment | None = None

    def check(self, problem: TripleProblem) -> None:
        """Rescore the path independently; AssertionError where it does not fit the score or the corners."""
        assert self.end == problem.lengths, f"the answer ends at {self.end}, the sequences at {problem.lengths}"
        path = self.alignment
        if path is None:
            return
        assert (path.start, path.end) == ((0, 0, 0), self.end), f"the path runs from {path.start} to {path.end}"
        found = score_alignment(problem, path)
        assert found == self.score, f"path scores {found}, result says {self.score}"
