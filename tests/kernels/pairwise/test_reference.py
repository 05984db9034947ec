"""The textbook recurrences of the product and of the tests, against every alignment there is and each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairProblem, rescore_path
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from tests import oracle
from tests.example_counts import try_examples
from tests.problems import assert_same_path, matrices, pair, pairs


@st.composite
def tiny(draw: st.DrawFn) -> PairProblem:
    letters = st.text("ABCD", min_size=1, max_size=4)
    costs = draw(st.sampled_from(((5, 2), (1, 1), (0, 1), (1, 0), (0, 0))))
    scoring = Scoring(draw(matrices()), *costs)
    return pair(draw(letters), draw(letters), scoring, draw(st.sampled_from(Mode)))


@try_examples(100, deadline=None)
@given(tiny())
def test_no_alignment_scores_more(problem: PairProblem) -> None:
    best = oracle.exhaustive_score(problem)
    assert (reference.align_pair(problem).score, oracle.best_alignment(problem).score) == (best, best)


@try_examples(100, deadline=None)
@given(pairs(longest=60))
def test_both_textbooks_find_the_same_alignment(problem: PairProblem) -> None:
    found, expected = reference.align_pair(problem), oracle.best_alignment(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    assert_same_path(found, expected)


@try_examples(60, deadline=None)
@given(pairs(longest=60))
def test_path_has_the_score_and_ends_where_it_says(problem: PairProblem) -> None:
    found = reference.align_pair(problem)
    assert rescore_path(problem, found.alignment) == found.score
    assert found.alignment.end == found.end


def test_ties_go_to_the_smallest_row_then_the_smallest_column() -> None:
    found = reference.align_pair(pair("ACA", "ACACA", Scoring(match_mismatch(1, -9), 9, 9)))
    assert (found.score, found.alignment.start, found.end) == (3, (0, 0), (3, 3))


def test_diagonal_goes_before_a_vertical_gap_and_that_before_a_horizontal_one() -> None:
    linear = Scoring(match_mismatch(0, 0), 0, 0)
    assert reference.align_pair(pair("AC", "GTT", linear, Mode.GLOBAL)).alignment.operations.tolist() == [2, 0, 0]


def test_a_gap_opens_rather_than_extends() -> None:
    scoring = Scoring(match_mismatch(4, -4), 0, 1)
    found = reference.align_pair(pair("ACGT", "ACGGT", scoring, Mode.GLOBAL)).alignment
    assert found.operations.tolist() == [0, 0, 2, 0, 0]
