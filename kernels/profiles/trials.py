"""Trials of profile methods: alignments around every border, all scores and costs, against the textbook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.profiles import options, reference
from antidiag.kernels.profiles.column_scores.scoring import ColumnScore, ColumnScoring, ProfileGaps, ProfileSpan
from antidiag.kernels.profiles.problem import Problem, ProfileAnswer, ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.profiles.profile import FACTORS, Profile, generate_profile, profile_from_alignment
from antidiag.kernels.scoring import SubstitutionMatrix, match_mismatch, named_matrix
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials, draw_length

BORDERS = (1, 2, 3, 4, 5, 15, 16, 17, 24, 25, 31, 32, 33, 63, 64, 65)
"""Numbers of columns around groups of rows, vectors, blocks and strips."""
LONGEST, LONGER = 48, 120
COSTS = ((10, 1), (1, 0.5), (0, 2), (0, 0), (1, 0), (300, 4))
FACTOR = 3.0
SPANS = tuple(span for span in ProfileSpan if span is not ProfileSpan.CUSTOM)
"""Spans that all backends compute."""


def draw_profiles(choose: TrialChooser, longest: int = LONGEST) -> ProfileProblem:
    """Draw alignments of one to four rows over few or many letters, or random columns; all scores, costs and modes."""
    return ProfileProblem(_draw_profile(choose, longest), _draw_profile(choose, longest), *_draw_scoring(choose))


def draw_sequence(choose: TrialChooser, longest: int = LONGEST) -> ProfileSequenceProblem:
    """Draw a profile and a sequence."""
    letters = choose.make_generator().choice(
        list(choose.choose_one((b"A", b"AC", b"ACDWX"))), draw_length(choose, BORDERS, longest)
    )
    sequence = Sequence("sequence", bytes(letters.tolist()), SequenceType.PROTEIN)
    return ProfileSequenceProblem(_draw_profile(choose, longest), sequence, *_draw_scoring(choose))


def _draw_profile(choose: TrialChooser, longest: int) -> Profile:
    columns, kind = draw_length(choose, BORDERS, longest), choose.choose_one(("rows", "rows", "rows", "columns"))
    rows = choose.draw_integer(1, 4)
    letters = choose.choose_one((b"A", b"AC-", b"ACDEWY-X"))
    random = choose.make_generator()
    factors: dict[str, np.ndarray] = {
        name: random.choice((0, 0.25, 1, 1.7), columns) for name in choose.choose_one(((), (), FACTORS, *zip(FACTORS)))
    }
    if kind == "columns":
        return _set_gap_factors(generate_profile(columns, random), factors)
    found = random.choice(list(letters), (rows, columns)).astype(np.uint8)
    names = tuple(f"row{number}" for number in range(rows))
    aligned = AlignedSequences(names, found, SequenceType.PROTEIN)
    return _set_gap_factors(
        profile_from_alignment(aligned, random.random(rows) + 0.1 if choose.choose_one((False, True)) else None),
        factors,
    )


def _set_gap_factors(profile: Profile, factors: Mapping[str, Any]) -> Profile:
    """Return the profile with its own factors of gap costs."""
    return replace(profile, **factors) if factors else profile


def _draw_scoring(choose: TrialChooser) -> tuple[ColumnScoring, ProfileSpan]:
    kind = choose.choose_one(tuple(ColumnScore))
    gaps = choose.choose_one(tuple(ProfileGaps))
    span = choose.choose_one(SPANS)
    makers: tuple[Callable[[], SubstitutionMatrix], ...] = (
        partial(named_matrix, "BLOSUM62"),
        partial(match_mismatch, 2, -3),
        _asymmetric_matrix,
    )
    matrix = choose.choose_one(makers)()
    costs, blank, added = choose.choose_one(COSTS), choose.choose_one((0.0, -4.0)), choose.choose_one((0.0, 1.0))
    shifted = choose.choose_one((0.7, 1.2)) if kind is ColumnScore.EUCLIDEAN and span is not ProfileSpan.GLOBAL else 0.0
    return ColumnScoring(kind, gaps, matrix, *costs, blank, shifted, added), span


@lru_cache
def _asymmetric_matrix() -> SubstitutionMatrix:
    """Return scores that are not whole and not symmetric."""
    values = np.random.default_rng(3).normal(0, 3, (21, 21)).round(2)
    return SubstitutionMatrix("lopsided", "ACDEFGHIKLMNPQRSTVWYX", values)


def check_equal(problem: Problem, answer: ProfileAnswer, expected: ProfileAnswer, method: Method) -> None:
    """Check equal scores and paths, to the last gap."""
    assert answer.score == expected.score, f"a score of {answer.score}, not {expected.score}"
    assert (answer.start, answer.end) == (expected.start, expected.end), f"{answer} is not {expected}"
    np.testing.assert_array_equal(answer.operations, expected.operations)


def reweight_rows(problem: ProfileProblem) -> ProfileProblem | None:
    """Return the same profiles from weights three times as large."""
    first, second = (_reweight_profile(profile) for profile in problem.profiles)
    return replace(problem, first=first, second=second) if first and second else None


def _reweight_profile(profile: Profile) -> Profile | None:
    if not profile.names:
        return None
    aligned = AlignedSequences(profile.names, profile.letters, profile.type)
    return _set_gap_factors(
        profile_from_alignment(aligned, FACTOR * profile.weights), {name: getattr(profile, name) for name in FACTORS}
    )


def exchange_profiles(problem: ProfileProblem) -> ProfileProblem | None:
    """Return the profiles exchanged, for distances only: other scores depend on one profile or round one, as does the
    span that takes the whole first one."""
    if problem.scoring.kind is not ColumnScore.EUCLIDEAN or problem.span is ProfileSpan.QUERY_IN_TARGET:
        return None
    return replace(problem, first=problem.second, second=problem.first)


def _check_equal_score(problem: Problem, answer: ProfileAnswer, changed: ProfileAnswer, method: Method) -> None:
    """Check equal scores; ties may differ."""
    assert answer.score == changed.score, f"a score of {answer.score}, and {changed.score} when changed"


MOST_DISTANCES = 50_000
"""Columns up to which distances, in units of 1/2048, stay within 32 bits."""


def _small_scores(method: Method, size: int, columns: int, gaps: ProfileGaps) -> ColumnScoring:
    """Return scores that stay within 32 bits in the longest runs.

    Each column score has its turn, for every method at another size. A unit of odds and logarithms stands for four.
    """
    kinds = tuple(ColumnScore)
    kind = kinds[(size.bit_length() + size + sum(method.id.encode())) % len(kinds)]
    if kind is ColumnScore.EUCLIDEAN and columns > MOST_DISTANCES:
        kind = ColumnScore.SUM_OF_PAIRS
    distances = kind is ColumnScore.EUCLIDEAN
    return ColumnScoring(
        kind,
        gaps,
        matrix=None if distances else match_mismatch(2, -3),
        gap_open=5.0 if gaps is ProfileGaps.AFFINE else 0.0,
        gap_extend=2.0 if gaps is ProfileGaps.AFFINE else 0.0,
        blank=-2.0 if gaps is ProfileGaps.COLUMN and not distances else 0.0,
        pseudocounts=float(kind is ColumnScore.PSSM),
        nats=4.0,
    )


WIDE = frozenset({"profile-matprod-v1"})
"""Methods whose memory grows with the square of the second profile alone."""


def make_large_run(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a run as long as wide, with narrow blocks and strips, unless work grows faster than memory."""
    names = method.parameters.names()
    wanted = {"k": 32, "s": 64, "T": 32, "threads": 2, "limit": 2**16}
    values = {name: value for name, value in wanted.items() if name in names}
    n = 40 + 12 * size
    m = 8 if method.id in WIDE else n
    # Gap costs are scores of columns, so that matrices of gap costs are products as well.
    return _random_problem(method.problem_type.id, m, n, _small_scores(method, size, n, ProfileGaps.COLUMN)), values


def make_long_run(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a run of long profiles."""
    names, n = method.parameters.names(), 32 * size
    made = _random_problem(method.problem_type.id, n, n, _small_scores(method, size, n, ProfileGaps.AFFINE))
    return made, {"limit": 2**16} if "limit" in names else {}


@lru_cache(maxsize=4)
def _similar_profiles(n: int) -> tuple[Profile, Profile]:
    """Return random columns, and a similar profile."""
    random = np.random.default_rng(n)
    first, other = generate_profile(n, random), generate_profile(n, random)
    mixed = 0.8 * first.frequencies + 0.2 * other.frequencies
    return first, replace(first, frequencies=mixed, name="mixed")


@lru_cache(maxsize=4)
def _random_problem(kind: str, m: int, n: int, scoring: ColumnScoring) -> Problem:
    first, second = _similar_profiles(n)
    first = first.slice_columns(0, m)
    made: Problem
    if kind == "profiles":
        made = ProfileProblem(first, second, scoring)
    else:
        sequence = Sequence("sequence", second.consensus.encode("ascii"), SequenceType.PROTEIN)
        made = ProfileSequenceProblem(first, sequence, scoring)
    made.encoded  # noqa: B018 - as where the problem is built from what the user opened
    return made


def unlogged_phases(method: Method, backend: str) -> frozenset[str]:
    """Return the phases without log: the path follows what is kept."""
    return frozenset({"path"})


def check_file_data(result: Result, data: Sequences[Any]) -> None:
    """Check the merged rows, or letters if the file gives sequences alone."""
    rows = [row for _, row in options.aligned_rows(result)]
    for datum in data:
        if isinstance(datum, Sequence):
            assert datum.letters.decode() in {row.replace("-", "") for row in rows}, f"{datum.name} has other letters"
        elif isinstance(datum, AlignedSequences):
            assert [row.tobytes().decode() for row in datum.letters] == rows, "the rows are others"


PROFILES = Trials(
    draw_problem=draw_profiles,
    solve_by_textbook=reference.align_profiles,
    assert_same_answer=check_equal,
    make_large_problem=make_large_run,
    make_long_problem=make_long_run,
    draw_larger_problem=lambda choose: draw_profiles(choose, LONGER),
    symmetries=(
        ProblemSymmetry("weights times three", reweight_rows, _check_equal_score),
        ProblemSymmetry("exchanged", exchange_profiles, _check_equal_score),
    ),
    phases_without_steps=unlogged_phases,
    assert_read_back=check_file_data,
    example_count=16,
)
SEQUENCE = replace(
    PROFILES,
    draw_problem=draw_sequence,
    draw_larger_problem=lambda choose: draw_sequence(choose, LONGER),
    symmetries=(),
)
