"""A whole profile in a part of another: against every alignment that there is, and what is told of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.profiles.column_scores.scoring import ProfileSpan
from antidiag.kernels.profiles.problem import DIAGONAL, LEFT, UP, ProfileAnswer, ProfileProblem, score_path
from antidiag.kernels.profiles.profile_builder import profile_from_alignment
from antidiag.kernels.profiles.reference import align_profiles
from antidiag.kernels.registry import find_method
from antidiag.kernels.scoring import FreeEnds
from antidiag.kernels.trials import RandomChooser, load_trials

METHODS = [method for method in registry.METHODS if method.family == "profiles" and "alignment" in method.returns]


def make_profile(name: str, rows: list[str]):
    letters = np.array([list(row.encode()) for row in rows], np.uint8)
    names = tuple(f"{name}{number}" for number in range(len(rows)))
    return profile_from_alignment(AlignedSequences(names, letters, SequenceType.DNA, name))


def make_problem(first: list[str], second: list[str], **options) -> ProfileProblem:
    kind = find_method("profile-wavefront").problem_type
    data = [make_profile("a", first), make_profile("b", second)]
    return kind.make_problem(data, {"span": "query-in-target", "column_score": "sum-of-pairs", **options})


def every_path(m: int, n: int):
    """Every order of operations that takes m and n columns."""
    for length in range(max(m, n), m + n + 1):
        for operations in product((DIAGONAL, UP, LEFT), repeat=length):
            if operations.count(LEFT) == length - m and operations.count(UP) == length - n:
                yield np.array(operations, np.uint8)


def random_rows(random: np.random.Generator, rows: int, longest: int) -> list[str]:
    columns = int(random.integers(1, longest))
    return ["".join(random.choice(list("ACGT"), columns)) for _ in range(rows)]


def assert_best_of_all_alignments(problem: ProfileProblem) -> None:
    size = len(problem.first), len(problem.second)
    scores = [score_path(problem, ProfileAnswer(0, (0, 0), size, path)) for path in every_path(*size)]
    assert align_profiles(problem).score == max(scores)


def assert_agrees_with_the_textbook(method: Method, problem: ProfileProblem) -> None:
    tried = load_trials(method.problem_type)
    result = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)
    result.check(problem)
    tried.assert_same_answer(problem, result.answer, tried.solve_by_textbook(problem), method)


@pytest.mark.parametrize("seed", range(8))
def test_the_textbook_finds_the_best_of_all_alignments(seed):
    random = np.random.default_rng(seed)
    first, second = random_rows(random, 2, 5), random_rows(random, 2, 5)
    problem = make_problem(first, second, gap_open=float(random.integers(0, 6)), gap_extend=2.0)
    assert_best_of_all_alignments(problem)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_every_method_agrees_with_the_textbook(method):
    drawn = (load_trials(method.problem_type).draw_problem(RandomChooser(seed)) for seed in range(200))
    wanted = list(islice((one for one in drawn if one.span is ProfileSpan.QUERY_IN_TARGET), 12))
    assert len(wanted) == 12
    for problem in wanted:
        assert_agrees_with_the_textbook(method, problem)


def test_a_domain_lies_whole_in_a_longer_family():
    problem = make_problem(["GATTACA", "GATCACA"], ["TTTTGATTACATTTT", "CCCCGATTACACCCC"])
    answer = align_profiles(problem)
    assert answer.operations.tolist() == [LEFT] * 4 + [DIAGONAL] * 7 + [LEFT] * 4
    inner = ProfileAnswer(0, (0, 4), (7, 11), np.zeros(7, np.uint8))
    assert answer.score == score_path(problem, inner)


def test_scores_may_be_negative_and_all_of_the_first_may_be_a_gap():
    problem = make_problem(["AAAA"], ["CCCCCC"], match=1.0, mismatch=-9.0, gap_open=0.0, gap_extend=1.0)
    answer = align_profiles(problem)
    for method in METHODS:
        if method.problem_type is find_method("profile-wavefront").problem_type:
            result = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)
            assert result.answer.score == answer.score < 0


def test_free_ends_are_those_of_the_second_profile():
    free = {span: replace(make_problem(["A"], ["A"]), span=span).free_ends for span in ProfileSpan}
    assert free[ProfileSpan.QUERY_IN_TARGET] == FreeEnds(second_start=True, second_end=True)
    assert free[ProfileSpan.SEMI_GLOBAL] == FreeEnds(True, True, True, True)
    assert free[ProfileSpan.GLOBAL] == free[ProfileSpan.LOCAL] == FreeEnds()
