"""The recurrence of three sequences is itself checked: against every alignment there is, and against known
identities."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import ScoreOverflow
from antidiag.kernels.model import SequenceType
from antidiag.kernels.pairwise import reference as pairwise
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.triple import encoding, reference
from antidiag.kernels.triple.model import TripleAlignment, TripleProblem, score_alignment
from antidiag.kernels.triple.trials import COSTS
from antidiag.kernels.triple.trials import make_problem as triple
from tests.example_counts import try_examples
from tests.kernels.triple.problems import exhaustive_score, tiny, triples
from tests.problems import sequence


@try_examples(25)
@given(tiny())
def test_no_alignment_scores_more(problem: TripleProblem) -> None:
    assert reference.align_triple(problem).score == exhaustive_score(problem)


@try_examples(30)
@given(triples(longest=9))
def test_path_has_the_score(problem: TripleProblem) -> None:
    found = reference.align_triple(problem)
    found.check(problem)
    rows = found.alignment.gapped_rows(problem.sequences)
    assert [row.replace("-", "") for row in rows] == [sequence.letters.decode() for sequence in problem.sequences]


@try_examples(30)
@given(st.data())
def test_order_of_the_sequences_leaves_the_score(data: st.DataObject) -> None:
    letters = [data.draw(st.text("ACGT", max_size=7)) for _ in range(3)]
    scoring = Scoring(match_mismatch(5, -4), *data.draw(st.sampled_from(COSTS)))
    assert len({reference.align_triple(triple(*rows, scoring)).score for rows in permutations(letters)}) == 1


@try_examples(40)
@given(st.data())
def test_two_equal_sequences_reduce_to_the_best_pair(data: st.DataObject) -> None:
    """With two sequences equal to x and a third y, and gaps that cost more than any mismatch gains: S = 2 D(x, y) +
    s(x, x).

    D is the pairwise optimum. Aligning x with itself letter for letter gives that much; no alignment gives more, since
    its three pairs score at most D(x, x) = s(x, x), D(x, y) and D(x, y). That holds where quasi-natural costs charge
    no less than natural ones, which is always.
    """
    x, y = data.draw(st.text("ACGT", max_size=8)), data.draw(st.text("ACGT", max_size=8))
    scoring = Scoring(match_mismatch(2, -3), *data.draw(st.sampled_from(COSTS)))
    pair = PairProblem(sequence(x), sequence(y), scoring, Mode.GLOBAL)
    apart = pairwise.align_pair(pair).score if x and y else -(bool(x or y) * scoring.open + len(x + y) * scoring.extend)
    for rows in permutations((x, x, y)):
        assert reference.align_triple(triple(*rows, scoring)).score == 2 * apart + 2 * len(x)


def test_opening_is_charged_again_after_a_nested_gap() -> None:
    """The gap of the second row lies inside that of the third: quasi-natural costs count two gaps in rows 2 and 3."""
    problem = triple("AAAAA", "AAAA", "AA", Scoring(match_mismatch(0, 0), 10, 1))
    nested = TripleAlignment((0, 0, 0), (5, 4, 2), np.array([7, 6, 4, 6, 7], np.uint8))
    beside = TripleAlignment((0, 0, 0), (5, 4, 2), np.array([7, 4, 6, 6, 7], np.uint8))
    # Rows 1-2: one gap of one letter. Rows 1-3: letters against the gap in columns 2..4, unbroken.
    # Rows 2-3: with the null column nested, two runs of one letter each; with it at the side, one run of two.
    assert score_alignment(problem, nested) == -(10 + 1) - (10 + 3) - (20 + 2)
    assert score_alignment(problem, beside) == -(10 + 1) - (10 + 3) - (10 + 2)


def test_first_of_the_moves_is_taken_where_several_are_best() -> None:
    problem = triple("A", "A", "A", Scoring(match_mismatch(0, 0), 0, 0))
    assert reference.align_triple(problem).alignment.moves.tolist() == [7]


def test_empty_sequences_leave_a_pair_or_nothing() -> None:
    scoring = Scoring(named_matrix("BLOSUM62"), 0, 4)
    assert reference.align_triple(triple("", "", "", scoring, SequenceType.PROTEIN)).score == 0
    assert reference.align_triple(triple("WW", "", "", scoring, SequenceType.PROTEIN)).score == -2 * 2 * 4
    assert reference.align_triple(triple("W", "W", "", scoring, SequenceType.PROTEIN)).score == 11 - 2 * 4


def test_scores_beyond_32_bits_are_refused() -> None:
    with pytest.raises(ScoreOverflow, match="32-bit limit"):
        triple("ACGT" * 100, "ACGT", "ACGT", Scoring(match_mismatch(500_000, -1), 0, 1))


def test_front_letter_takes_part_in_nothing() -> None:
    found = encoding.encode_problem(triple("AC", "C", "", Scoring(match_mismatch(2, -3), 0, 4)))
    assert [code.tolist() for code in found.codes] == [[2, 0, 1], [2, 1], [2]]
    assert found.table[:2, :2].tolist() == [[10, 5], [5, 10]] and found.table[2, 2] == 0
    assert (found.table[2, :2] == encoding.FRONT_SCORE).all() and (found.table[:2, 2] == encoding.FRONT_SCORE).all()
