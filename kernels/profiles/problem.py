"""Aligning two profiles, or a profile and a sequence: problems, their answer, and the score of a path."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.model import Sequence
from antidiag.kernels.profiles.column_scores.encoding import encode_pair
from antidiag.kernels.profiles.column_scores.scoring import (
    SPAN_ENDS,
    ColumnScoring,
    EncodedProfiles,
    ProfileSpan,
    score_pairs,
)
from antidiag.kernels.profiles.profile import Profile, profile_from_sequence
from antidiag.kernels.scoring import NO_FREE_ENDS, FreeEnds
from antidiag.kernels.serialization import added_field, stored

DIAGONAL, UP, LEFT = 0, 1, 2
"""Operations of a path: a pair of columns; a column of the first profile and a blank (E); of the second and a blank
(F)."""


class _ProfilePairProblem:
    """What both problems share; ``first`` and ``second`` are the aligned profiles."""

    first: Profile
    second: Profile
    scoring: ColumnScoring
    span: ProfileSpan
    chosen_ends: FreeEnds

    @property
    def profiles(self) -> tuple[Profile, Profile]:
        """Return both profiles."""
        return self.first, self.second

    @cached_property
    def encoded(self) -> EncodedProfiles:
        """Return the problem in whole numbers; InputError, ParameterError or ScoreOverflow if that is impossible."""
        return encode_pair(*self.profiles, self.scoring, self.span, self.free_ends)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return warnings about types that differ, and about a matrix of another type."""
        profiles: Any = self.profiles  # which have names and types, as sequences do
        return scoring_options.sequence_notes(profiles, self.scoring.matrix)

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        first, second = self.profiles
        return len(first) * len(second)

    @property
    def title(self) -> str:
        """Return the names of both profiles."""
        first, second = self.profiles
        return f"{first.name} x {second.name}"

    @property
    def size(self) -> str:
        """Return the columns of both profiles and the span as text."""
        first, second = self.profiles
        return f"{len(first):,} x {len(second):,}, {self.span_text}"

    @property
    def free_ends(self) -> FreeEnds:
        """Return the ends whose columns may stay unaligned at no cost; none of local alignments, where all may."""
        return SPAN_ENDS.get(self.span, self.chosen_ends)

    @property
    def span_text(self) -> str:
        """Return the span as text, with the free ends of CUSTOM."""
        return f"{self.span}, free: {self.chosen_ends}" if self.span is ProfileSpan.CUSTOM else str(self.span)


@stored("profile-problem")
@dataclass(frozen=True)
class ProfileProblem(_ProfilePairProblem):
    """Two profiles, the scores of their columns, the span of the alignment, and the free ends of CUSTOM."""

    first: Profile
    second: Profile
    scoring: ColumnScoring
    span: ProfileSpan = ProfileSpan.GLOBAL
    chosen_ends: FreeEnds = added_field(NO_FREE_ENDS)  # noqa: RUF009 - it returns a dataclass field

    @property
    def data(self) -> tuple[Profile, Profile]:
        """Return the profiles as the user gave them."""
        return self.first, self.second


@stored("profile-sequence-problem")
@dataclass(frozen=True)
class ProfileSequenceProblem(_ProfilePairProblem):
    """A profile and a sequence whose letters are columns of one symbol; the rest as in `ProfileProblem`."""

    first: Profile
    sequence: Sequence
    scoring: ColumnScoring
    span: ProfileSpan = ProfileSpan.GLOBAL
    chosen_ends: FreeEnds = added_field(NO_FREE_ENDS)  # noqa: RUF009 - it returns a dataclass field

    @cached_property
    def second(self) -> Profile:  # type: ignore[override]  # a field of the other problem
        """Return the profile of the sequence."""
        return profile_from_sequence(self.sequence, self.first.alphabet)

    @property
    def data(self) -> tuple[Profile, Sequence]:
        """Return profile and sequence as the user gave them."""
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
        """Score the path independently; AssertionError if its score or its ends are wrong."""
        found = score_path(problem, self)
        assert found == self.score, f"the path scores {found}, and the result says {self.score}"
        corner = tuple(map(len, problem.profiles))
        if problem.span is not ProfileSpan.LOCAL:
            assert (self.start, self.end) == ((0, 0), corner), f"the path runs from {self.start} to {self.end}"

    @property
    def alignment(self) -> ProfileAnswer:
        """Return the path, under the name that answers of two sequences use."""
        return self

    def holds_column(self, side: int) -> np.ndarray:
        """Return for each path column whether it holds a column of the first (0) or second (1) profile; bool."""
        return self.operations != (LEFT, UP)[side]

    def merge_rows(self, problem: Problem) -> tuple[tuple[Sequence, str], ...]:
        """Return the rows of the first profile, then those of the second, with the new gaps."""
        return tuple(
            (sequence, _insert_gaps(letters[start:end], self.holds_column(side)))
            for side, (profile, start, end) in enumerate(zip(problem.profiles, self.start, self.end, strict=True))
            for sequence, letters in profile.rows
        )


def score_path(problem: Problem, answer: ProfileAnswer) -> int:
    """Score a path column by column and gap by gap, in engine units.

    AssertionError if the operations do not lead from start to end.
    """
    made, operations = problem.encoded, answer.operations
    i = answer.start[0] + np.cumsum(operations != LEFT) - 1
    j = answer.start[1] + np.cumsum(operations != UP) - 1
    ends = (answer.start[0] + int((operations != LEFT).sum()), answer.start[1] + int((operations != UP).sum()))
    assert ends == answer.end and min(*answer.start) >= 0, f"the path leads to {ends}, and not to {answer.end}"
    assert ends[0] <= made.m and ends[1] <= made.n, f"the path leaves the table at {ends}"
    both = operations == DIAGONAL
    total = int(score_pairs(made, i[both], j[both]).sum()) + made.offset * int(both.sum())
    paid = ~_free_gaps(operations, problem.free_ends)
    opened = np.append(True, operations[1:] != operations[:-1])[: operations.size]
    for kind, at, opens, extends in (
        (UP, i, made.row_open, made.row_extend),
        (LEFT, j, made.column_open, made.column_extend),
    ):
        gap = (operations == kind) & paid
        total -= int(extends[at[gap]].sum(dtype=np.int64)) + int(opens[at[gap & opened]].sum(dtype=np.int64))
    return total


def _free_gaps(operations: np.ndarray, ends: FreeEnds) -> np.ndarray:
    """Return for each operation whether it is in the first or the last gap of the path, at a free end; bool."""
    free = np.zeros(operations.size, bool)
    changes = np.flatnonzero(operations[1:] != operations[:-1])
    starts = {UP: ends.first_start, LEFT: ends.second_start}
    stops = {UP: ends.first_end, LEFT: ends.second_end}
    if operations.size and starts.get(int(operations[0])):
        free[: changes[0] + 1 if changes.size else None] = True
    if operations.size and stops.get(int(operations[-1])):
        free[changes[-1] + 1 if changes.size else 0 :] = True
    return free


def _insert_gaps(letters: np.ndarray, taken: np.ndarray) -> str:
    """Return letters with a blank where no column is taken."""
    row = np.full(taken.size, ord("-"), np.uint8)
    row[taken] = letters
    return row.tobytes().decode("ascii")
