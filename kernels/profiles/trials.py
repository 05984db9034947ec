"""How the methods of profiles are tried: alignments around every border, all scores and costs, the textbook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.profiles import options, reference
from antidiag.kernels.profiles.problem import Problem, ProfileAnswer, ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.profiles.profile import FACTORS, Profile, from_alignment, random_profile
from antidiag.kernels.profiles.scoring import ColumnScore, ColumnScoring, Gaps, Span
from antidiag.kernels.scoring import SubstitutionMatrix, match_mismatch, named_matrix
from antidiag.kernels.trials import Choose, Run, Symmetry, Trials

BORDERS = (1, 2, 3, 4, 5, 15, 16, 17, 24, 25, 31, 32, 33, 63, 64, 65)
"""Numbers of columns around groups of rows, vectors, blocks and strips."""
LONGEST, LONGER = 48, 120
COSTS = ((10, 1), (1, 0.5), (0, 2), (0, 0), (1, 0), (300, 4))
FACTOR = 3.0


def draw(choose: Choose, longest: int = LONGEST) -> ProfileProblem:
    """Alignments of one to four rows over few or many letters, or random columns; all scores, costs and modes."""
    return ProfileProblem(_profile(choose, longest), _profile(choose, longest), *_scored(choose))


def draw_sequence(choose: Choose, longest: int = LONGEST) -> ProfileSequenceProblem:
    """The same of a profile and a sequence."""
    letters = choose.random().choice(list(choose.of((b"A", b"AC", b"ACDWX"))), _length(choose, longest))
    sequence = Sequence("sequence", bytes(letters.tolist()), SequenceType.PROTEIN)
    return ProfileSequenceProblem(_profile(choose, longest), sequence, *_scored(choose))


def _length(choose: Choose, longest: int) -> int:
    return choose.of(BORDERS) if choose.of((True, False)) else choose.integer(1, longest)


def _profile(choose: Choose, longest: int) -> Profile:
    columns, kind = _length(choose, longest), choose.of(("rows", "rows", "rows", "columns"))
    rows, letters, random = choose.integer(1, 4), choose.of((b"A", b"AC-", b"ACDEWY-X")), choose.random()
    factors: dict[str, np.ndarray] = {
        name: random.choice((0, 0.25, 1, 1.7), columns) for name in choose.of(((), (), FACTORS, *zip(FACTORS)))
    }
    if kind == "columns":
        return _scaled(random_profile(columns, random), factors)
    found = random.choice(list(letters), (rows, columns)).astype(np.uint8)
    names = tuple(f"row{number}" for number in range(rows))
    aligned = AlignedSequences(names, found, SequenceType.PROTEIN)
    return _scaled(from_alignment(aligned, random.random(rows) + 0.1 if choose.of((False, True)) else None), factors)


def _scaled(profile: Profile, factors: Mapping[str, Any]) -> Profile:
    """The profile with factors of gap costs of its own."""
    return replace(profile, **factors) if factors else profile


def _scored(choose: Choose) -> tuple[ColumnScoring, Span]:
    kind, gaps, span = choose.of(tuple(ColumnScore)), choose.of(tuple(Gaps)), choose.of(tuple(Span))
    makers: tuple[Callable[[], SubstitutionMatrix], ...] = (
        partial(named_matrix, "BLOSUM62"), partial(match_mismatch, 2, -3), _lopsided,
    )  # fmt: skip
    matrix = choose.of(makers)()
    costs, blank, added = choose.of(COSTS), choose.of((0.0, -4.0)), choose.of((0.0, 1.0))
    shifted = choose.of((0.7, 1.2)) if kind is ColumnScore.EUCLIDEAN and span is not Span.GLOBAL else 0.0
    return ColumnScoring(kind, gaps, matrix, *costs, blank, shifted, added), span


@lru_cache
def _lopsided() -> SubstitutionMatrix:
    """Scores that are no whole numbers, and not symmetric."""
    values = np.random.default_rng(3).normal(0, 3, (21, 21)).round(2)
    return SubstitutionMatrix("lopsided", "ACDEFGHIKLMNPQRSTVWYX", values)


@lru_cache(maxsize=256)
def best(problem: Problem) -> ProfileAnswer:
    """The alignment that every method must return."""
    return reference.align(problem)


def same(problem: Problem, found: ProfileAnswer, expected: ProfileAnswer, method: Method) -> None:
    """Score and path are equal, to the last gap: scores are whole numbers on the way."""
    assert found.score == expected.score, f"a score of {found.score}, not {expected.score}"
    assert (found.start, found.end) == (expected.start, expected.end), f"{found} is not {expected}"
    np.testing.assert_array_equal(found.operations, expected.operations)


def weighted(problem: ProfileProblem) -> ProfileProblem | None:
    """The same profiles from weights that are all three times as large."""
    first, second = (_reweighted(profile) for profile in problem.profiles)
    return replace(problem, first=first, second=second) if first and second else None


def _reweighted(profile: Profile) -> Profile | None:
    if not profile.names:
        return None
    aligned = AlignedSequences(profile.names, profile.letters, profile.type)
    return _scaled(
        from_alignment(aligned, FACTOR * profile.weights), {name: getattr(profile, name) for name in FACTORS}
    )


def exchanged(problem: ProfileProblem) -> ProfileProblem | None:
    """The profiles exchanged; scores that go by one of them only are left out, and those that round one of them."""
    if problem.scoring.kind is not ColumnScore.EUCLIDEAN:
        return None
    return replace(problem, first=problem.second, second=problem.first)


def _as_good(problem: Problem, found: ProfileAnswer, changed: ProfileAnswer, method: Method) -> None:
    """Ties may fall otherwise; the score does not."""
    assert found.score == changed.score, f"a score of {found.score}, and {changed.score} when changed"


MOST_DISTANCES = 50_000
"""Columns up to which distances, whose unit is 1/2048, stay within 32 bits."""


def _low(method: Method, size: int, columns: int, gaps: Gaps) -> ColumnScoring:
    """Scores that stay within 32 bits in the longest runs, and cost little: each column score has its turn, for every
    method with another size. A unit of odds and of logarithms stands for four, for theirs are large."""
    kinds = tuple(ColumnScore)
    kind = kinds[(size.bit_length() + size + sum(method.id.encode())) % len(kinds)]
    if kind is ColumnScore.EUCLIDEAN and columns > MOST_DISTANCES:
        kind = ColumnScore.SUM_OF_PAIRS
    distances = kind is ColumnScore.EUCLIDEAN
    return ColumnScoring(
        kind, gaps,
        matrix=None if distances else match_mismatch(2, -3),
        gap_open=5.0 if gaps is Gaps.AFFINE else 0.0,
        gap_extend=2.0 if gaps is Gaps.AFFINE else 0.0,
        blank=-2.0 if gaps is Gaps.COLUMN and not distances else 0.0,
        pseudocounts=float(kind is ColumnScore.PSSM),
        nats=4.0,
    )  # fmt: skip


WIDE = frozenset({"profile-matprod-v1"})
"""Methods whose memory grows with the square of the second profile alone."""


def large(method: Method, backend: str, size: int) -> Run:
    """Of any column score, as long as wide, unless work grows faster than memory; narrow blocks and strips, so that
    there are many."""
    names = {parameter.name for parameter in method.parameters}
    wanted = {"k": 32, "s": 64, "T": 32, "threads": 2, "limit": 2**16}
    values = {name: value for name, value in wanted.items() if name in names}
    n = 40 + 12 * size
    m = 8 if method.id in WIDE else n
    # Gaps that are scores of columns, so that matrices of gap costs are products as well.
    return _random(method.problem.id, m, n, _low(method, size, n, Gaps.COLUMN)), values


def long(method: Method, backend: str, size: int) -> Run:
    names, n = {parameter.name for parameter in method.parameters}, 32 * size
    made = _random(method.problem.id, n, n, _low(method, size, n, Gaps.AFFINE))
    return made, {"limit": 2**16} if "limit" in names else {}


@lru_cache(maxsize=4)
def _columns(n: int) -> tuple[Profile, Profile]:
    """Random columns, and a profile of nearly the same."""
    random = np.random.default_rng(n)
    first, other = random_profile(n, random), random_profile(n, random)
    mixed = 0.8 * first.frequencies + 0.2 * other.frequencies
    return first, replace(first, frequencies=mixed, name="mixed")


@lru_cache(maxsize=4)
def _random(kind: str, m: int, n: int, scoring: ColumnScoring) -> Problem:
    first, second = _columns(n)
    first = first.columns(0, m)
    made: Problem
    if kind == "profiles":
        made = ProfileProblem(first, second, scoring)
    else:
        sequence = Sequence("sequence", second.consensus.encode("ascii"), SequenceType.PROTEIN)
        made = ProfileSequenceProblem(first, sequence, scoring)
    made.encoded  # noqa: B018 - as where the problem is built from what the user opened
    return made


def unlogged(method: Method, backend: str) -> frozenset[str]:
    """The path follows what is kept."""
    return frozenset({"path"})


def read_back(result: Result, data: Sequences[Any]) -> None:
    """The merged rows, or where the file gives sequences alone, their letters."""
    rows = [row for _, row in options.aligned_rows(result)]
    for datum in data:
        if isinstance(datum, Sequence):
            assert datum.letters.decode() in {row.replace("-", "") for row in rows}, f"{datum.name} has other letters"
        elif isinstance(datum, AlignedSequences):
            assert [row.tobytes().decode() for row in datum.letters] == rows, "the rows are others"


PROFILES = Trials(
    draw=draw,
    oracle=best,
    same=same,
    large=large,
    long=long,
    larger=lambda choose: draw(choose, LONGER),
    symmetries=(Symmetry("weights times three", weighted, _as_good), Symmetry("exchanged", exchanged, _as_good)),
    unlogged=unlogged,
    read_back=read_back,
    examples=16,
)
SEQUENCE = replace(
    PROFILES, draw=draw_sequence, larger=lambda choose: draw_sequence(choose, LONGER),
    symmetries=(), oracle=best,
)  # fmt: skip
