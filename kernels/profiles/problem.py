"""Aligning two profiles, or a profile and a sequence: the problems, their answer, and the score of a path."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.profiles.encoding import encode
from antidiag.kernels.profiles.profile import Profile, from_sequence
from antidiag.kernels.profiles.scoring import ColumnScoring, Encoded, Span, pair_scores
from antidiag.kernels.serialization import stored

DIAGONAL, UP, LEFT = 0, 1, 2
"""Operations of a path: a column of both; of the first against a blank one (E); of the second (F)."""


class _Problem:
    """What both problems have in common: ``first`` and ``second`` are the profiles that are aligned."""

    first: Profile
    scoring: ColumnScoring
    span: Span

    @property
    def profiles(self) -> tuple[Profile, Profile]:
        raise NotImplementedError

    @cached_property
    def encoded(self) -> Encoded:
        """The problem in whole numbers; InputError, ParameterError or ScoreOverflow where there is none."""
        return encode(*self.profiles, self.scoring, self.span)

    @property
    def cells(self) -> int:
        first, second = self.profiles
        return len(first) * len(second)

    @property
    def title(self) -> str:
        first, second = self.profiles
        return f"{first.name} x {second.name}"

    @property
    def size(self) -> str:
        first, second = self.profiles
        return f"{len(first):,} x {len(second):,}, {self.span}"


@stored("profile-problem")
@dataclass(frozen=True)
class ProfileProblem(_Problem):
    """Two profiles, the scores of their columns, and what is aligned."""

    first: Profile
    second: Profile
    scoring: ColumnScoring
    span: Span = Span.GLOBAL

    @property
    def profiles(self) -> tuple[Profile, Profile]:
        return self.first, self.second

    @property
    def data(self) -> tuple[Profile, Profile]:
        return self.first, self.second


@stored("profile-sequence-problem")
@dataclass(frozen=True)
class ProfileSequenceProblem(_Problem):
    """A profile and a sequence, whose letters are columns of one symbol."""

    first: Profile
    sequence: Sequence
    scoring: ColumnScoring
    span: Span = Span.GLOBAL

    @cached_property
    def second(self) -> Profile:
        """The profile of the sequence."""
        return from_sequence(self.sequence, self.first.alphabet)

    @property
    def profiles(self) -> tuple[Profile, Profile]:
        return self.first, self.second

    @property
    def notes(self) -> tuple[str, ...]:
        """That a protein meets nucleotides, which is seldom meant."""
        if (self.first.type == SequenceType.PROTEIN) == (self.sequence.type == SequenceType.PROTEIN):
            return ()
        return (
            f"The types differ: {self.first.name} is {self.first.type} and {self.sequence.name} {self.sequence.type}. "
            "Letters are taken as those of the profile, and nothing is translated.",
        )

    @property
    def data(self) -> tuple[Profile, Sequence]:
        return self.first, self.sequence


Problem = ProfileProblem | ProfileSequenceProblem


@stored("profile-answer")
@dataclass(frozen=True, eq=False)
class ProfileAnswer:
    """The best score (engine units, see `ColumnScoring.units`) and a path that has it.

    ``start`` and ``end`` are cells (i, j): the path begins after i columns of the first profile and j of the second.
    ``operations`` is uint8, from start to end.
    """

    score: int
    start: tuple[int, int]
    end: tuple[int, int]
    operations: np.ndarray = field(repr=False)

    def check(self, problem: Problem) -> None:
        """Rescore the path independently; AssertionError where it does not fit the score, or does not lead there."""
        found = rescore(problem, self)
        assert found == self.score, f"the path scores {found}, and the result says {self.score}"
        corner = tuple(map(len, problem.profiles))
        if problem.span is not Span.LOCAL:
            assert (self.start, self.end) == ((0, 0), corner), f"the path runs from {self.start} to {self.end}"

    @property
    def alignment(self) -> ProfileAnswer:
        """The path, as answers of two sequences have one: where it starts, and its operations."""
        return self

    def taken(self, side: int) -> np.ndarray:
        """Whether each column of the path holds a column of the first (0) or of the second (1) profile; bool."""
        return self.operations != (LEFT, UP)[side]

    def merged(self, problem: Problem) -> tuple[tuple[Sequence, str], ...]:
        """The multiple alignment: the rows of the first profile, then those of the second, with the new gaps."""
        return tuple(
            (sequence, _gapped(letters[start:end], self.taken(side)))
            for side, (profile, start, end) in enumerate(zip(problem.profiles, self.start, self.end, strict=True))
            for sequence, letters in profile.rows
        )


def rescore(problem: Problem, answer: ProfileAnswer) -> int:
    """Score of a path, summed column by column and gap by gap, in engine units.

    AssertionError where the operations do not lead from start to end.
    """
    made, operations = problem.encoded, answer.operations
    i = answer.start[0] + np.cumsum(operations != LEFT) - 1
    j = answer.start[1] + np.cumsum(operations != UP) - 1
    ends = (answer.start[0] + int((operations != LEFT).sum()), answer.start[1] + int((operations != UP).sum()))
    assert ends == answer.end and min(*answer.start) >= 0, f"the path leads to {ends}, and not to {answer.end}"
    assert ends[0] <= made.m and ends[1] <= made.n, f"the path leaves the table at {ends}"
    both = operations == DIAGONAL
    total = int(pair_scores(made, i[both], j[both]).sum()) + made.offset * int(both.sum())
    paid = ~_free(operations) if problem.span is Span.SEMI_GLOBAL else np.ones(operations.size, bool)
    opened = np.append(True, operations[1:] != operations[:-1])[: operations.size]
    for kind, at, opens, extends in (
        (UP, i, made.row_open, made.row_extend), (LEFT, j, made.column_open, made.column_extend),
    ):  # fmt: skip
        gap = (operations == kind) & paid
        total -= int(extends[at[gap]].sum(dtype=np.int64)) + int(opens[at[gap & opened]].sum(dtype=np.int64))
    return total


def _free(operations: np.ndarray) -> np.ndarray:
    """Whether an operation is of the first or of the last gap, where these begin and end the path; bool."""
    free = np.zeros(operations.size, bool)
    changes = np.flatnonzero(operations[1:] != operations[:-1])
    if operations.size and operations[0] != DIAGONAL:
        free[: changes[0] + 1 if changes.size else None] = True
    if operations.size and operations[-1] != DIAGONAL:
        free[changes[-1] + 1 if changes.size else 0 :] = True
    return free


def _gapped(letters: np.ndarray, taken: np.ndarray) -> str:
    row = np.full(taken.size, ord("-"), np.uint8)
    row[taken] = letters
    return row.tobytes().decode("ascii")
