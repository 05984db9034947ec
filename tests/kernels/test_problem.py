"""The pair problem: options by type, refusals before anything is computed."""

from __future__ import annotations

import pytest

from antidiag.kernels.errors import InputError, ParameterError, ScoreOverflow
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.problem import build_pair
from antidiag.kernels.scoring import SCORE_LIMIT, Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.scoring_options import SCORING_OPTIONS, default_scores

GENE = Sequence("gene", b"ACGTNACGT", SequenceType.DNA)
TRANSCRIPT = Sequence("transcript", b"ACGUACGU", SequenceType.RNA)
PROTEIN = Sequence("protein", b"MKVLW", SequenceType.PROTEIN)


def score(problem: PairProblem, x: str, y: str) -> int:
    codes = problem.scoring.matrix.codes
    return int(problem.scoring.scores[codes[ord(x)], codes[ord(y)]])


def test_defaults_follow_the_type():
    problem = build_pair([GENE, GENE], {})
    assert (score(problem, "A", "A"), score(problem, "A", "C")) == (2, -3)
    assert (problem.scoring.open, problem.scoring.extend, problem.mode) == (5, 2, Mode.LOCAL)
    problem = build_pair([PROTEIN, PROTEIN], {})
    assert problem.scoring.matrix == named_matrix("BLOSUM62")
    assert (problem.scoring.open, problem.scoring.extend) == (10, 1)
    assert set(default_scores([PROTEIN, GENE])) <= {option.name for option in SCORING_OPTIONS}


def test_match_or_mismatch_alone_takes_the_place_of_the_matrix():
    for options in ({"match": 7}, {"mismatch": -7}, {"matrix": "", "match": None}, {"matrix": ""}):
        problem = build_pair([PROTEIN, PROTEIN], options)
        assert score(problem, "K", "K") == (options.get("match") or 2)
        assert score(problem, "K", "L") == (options.get("mismatch") or -3)
        assert problem.scoring.open == 10


def test_a_matrix_goes_before_match_and_mismatch():
    problem = build_pair([PROTEIN, PROTEIN], {"matrix": "PAM250", "match": 1, "mismatch": -1})
    assert problem.scoring.matrix == named_matrix("PAM250")


def test_n_matches_nothing_unless_it_is_a_wildcard():
    assert score(build_pair([GENE, GENE], {}), "N", "N") == -3
    assert score(build_pair([GENE, GENE], {}), "N", "A") == -3
    wild = build_pair([GENE, GENE], {"wildcard": "n"})
    assert (score(wild, "N", "N"), score(wild, "N", "A"), score(wild, "A", "A")) == (0, 0, 2)


def test_a_wildcard_together_with_a_matrix():
    problem = build_pair([GENE, GENE], {"matrix": "HOXD70"})
    assert score(problem, "N", "A") == (91 - 114 - 31 - 123) // 4 and problem.scoring.matrix.derived == "N"
    stop = Sequence("stop", b"MKV*L", SequenceType.PROTEIN)
    with pytest.raises(InputError, match=r"stop: letter '\*' at position 4 .* GONNET1992"):
        build_pair([stop, PROTEIN], {"matrix": "GONNET1992"})
    problem = build_pair([GENE, GENE], {"matrix": "HOXD70", "wildcard": "N"})
    assert (score(problem, "N", "A"), score(problem, "A", "A")) == (0, 91)


def test_dna_meets_rna():
    problem = build_pair([GENE, TRANSCRIPT], {})
    assert problem.codes[0][3] == problem.codes[1][3]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_wrong_count_says_how_many(count):
    with pytest.raises(InputError, match=f"takes 2 sequences; got {count}"):
        build_pair([GENE] * count, {})


def test_empty_sequences_are_refused():
    with pytest.raises(InputError, match="void.*empty"):
        build_pair([GENE, Sequence("void", b"", SequenceType.DNA)], {})


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"gap_open": -1}, "gap_open"),
        ({"gap_extend": float("nan")}, "gap_extend"),
        ({"match": float("inf")}, "match"),
        ({"mode": "semi"}, "mode"),
        ({"colour": "red"}, "colour"),
        ({"wildcard": "?"}, "wildcard"),
        ({"matrix": "BLOSUM63"}, "BLOSUM63"),
        ({"mismatch": "x"}, "mismatch"),
    ],
)
def test_bad_options_are_named(options, name):
    with pytest.raises(ParameterError, match=name):
        build_pair([GENE, GENE], options)


def test_overflow_is_refused_when_the_problem_is_made():
    long = Sequence("long", b"A" * 600_000, SequenceType.DNA)
    bearable = SCORE_LIMIT // (2 * len(long) + 2) - 1
    PairProblem(long, long, Scoring(match_mismatch(bearable, -bearable), 5, 2))
    with pytest.raises(ScoreOverflow, match="smaller scores.*or shorter"):
        PairProblem(long, long, Scoring(match_mismatch(bearable + 2, -bearable), 5, 2))
    with pytest.raises(ScoreOverflow):
        build_pair([long, long], {"gap_extend": bearable + 2})
    with pytest.raises(ScoreOverflow):
        build_pair([long, long], {"match": 2, "mismatch": -0.001, "gap_extend": 1})


def test_orientation_and_title():
    problem = build_pair([GENE, TRANSCRIPT], {"mode": "global"})
    assert (problem.rows, problem.columns, problem.swapped, problem.cells) == (8, 9, True, 72)
    assert problem.title == "gene x transcript" and problem.mode == Mode.GLOBAL
