"""Ambiguous letters of two sequences: no method scores them as a match, and no report or file calls them identical."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from Bio.Align import PairwiseAligner, substitution_matrices
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.io import aligned_sequences, sequences
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise import difference_strings, formats
from antidiag.kernels.pairwise.problem import PAIR, answer_rows, build_pair, setting_rows
from antidiag.kernels.registry import result_saving
from tests import oracle
from tests.example_counts import try_examples

CASES = Path(__file__).parents[2] / "cases/score"
METHODS = [method for method in registry.METHODS if method.problem_type is PAIR]


def run(method: str, data: list[Sequence], **options) -> engine.Result:
    found = registry.find_method(method)
    return engine.execute(engine.plan_run(found, build_pair(data, options), {}, "cpu"))


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_two_runs_of_n_are_no_match_in_any_method(method):
    data = sequences.read_sequences(CASES / "c02_nrun.fa")
    result = run(method.id, data)
    assert result.score == 4 == oracle.best_alignment(result.problem).score
    if result.answer.alignment is not None:
        assert dict(answer_rows(result))["Identical"].startswith("2 of 2 columns, 100.0 %; 100.0 % of 2 columns")


def test_no_output_of_a_run_of_n_calls_it_identical(tmp_path):
    data = sequences.read_sequences(CASES / "c02_nrun.fa")
    result = run("striped-alignment", data, mode="global")
    first, second = data
    path = result.answer.alignment
    same = oracle.count_identical(result.problem, path, protein=False)
    assert 0 < same < 10 and int(path.find_identical(first, second).sum()) == same
    assert f"Identical', '{same} of" in str(answer_rows(result))
    cigar = path.format_cigar(first, second)
    assert sum(int(size) for size in re.findall(r"(\d+)=", cigar)) == same
    kinds = path.column_kinds(first, second)
    assert "N" in difference_strings.format_md(path, kinds, first, second)
    assert "*nn" in difference_strings.format_cs(path, kinds, first, second)
    text = "".join(formats.text_view_lines(result))
    assert text.count("|") == same and f"{same} identical" in text
    for suffix in (".sam", ".paf"):
        target = tmp_path / f"out{suffix}"
        result_saving.write_result(target, result)
        (found,) = aligned_sequences.read_alignments(target)
        top, bottom = path.gapped_rows(first, second)
        assert [row.tobytes().decode() for row in found.letters] == [bottom, top]


@pytest.mark.slow
def test_wildcard_still_makes_a_letter_neutral():
    result = run("striped-alignment", sequences.read_sequences(CASES / "c02_nrun.fa"), mode="global", wildcard="N")
    assert result.score > run("striped-score", list(result.problem.sequences), mode="global").score
    assert oracle.best_alignment(result.problem).score == result.answer.score


@try_examples(30, deadline=None)
@given(
    first=st.text("ACGTUNRYX", min_size=1, max_size=20),
    second=st.text("ACGTUNRYX", min_size=1, max_size=20),
    protein=st.booleans(),
    mode=st.sampled_from(("local", "global")),
)
def test_identities_are_those_of_the_definition(first, second, protein, mode):
    kind = SequenceType.PROTEIN if protein else SequenceType.DNA
    data = [Sequence("a", first.encode(), kind), Sequence("b", second.encode(), kind)]
    problem = build_pair(data, {"match": 2, "mismatch": -1, "gap_open": 1, "gap_extend": 1, "mode": mode})
    path = oracle.best_alignment(problem).alignment
    assert int(path.find_identical(*data).sum()) == oracle.count_identical(problem, path, protein)
    for row, one in enumerate(first):
        for column, other in enumerate(second):
            score = problem.scoring.scores[problem.codes[0][row], problem.codes[1][column]]
            assert score == oracle.match_score(one, other, (2, -1), protein)


def test_the_longer_sequence_is_named_only_where_there_is_one():
    one, other = (Sequence(name, letters, SequenceType.DNA) for name, letters in (("a", b"ACG"), ("b", b"ACGT")))
    along = [dict(setting_rows(build_pair(pair, {})))["Strips run along"] for pair in ([one, one], [one, other])]
    assert along == ["the second sequence", "the second sequence, the longer one"]
    assert dict(setting_rows(build_pair([other, one], {})))["Strips run along"] == "the first sequence, the longer one"


def test_letters_without_a_score_are_scored_and_said():
    kind = SequenceType.PROTEIN
    data = [Sequence("a", b"MUOJW", kind), Sequence("b", b"MCKLW", kind)]
    problem = build_pair(data, {})
    assert PAIR.problem_notes(problem) == (
        "BLOSUM62 has no scores of J, O, U: J as the mean of I and L, O as K, U as C.",
    )
    assert run("striped-score", data).score == 5 + 9 + 5 + (2 + 4) // 2 + 11
    scores = problem.scoring.scores[problem.codes[0], problem.codes[1]]
    np.testing.assert_array_equal(scores, [5, 9, 5, 3, 11])
    notes = PAIR.problem_notes(build_pair([Sequence("d", b"ACGT", SequenceType.DNA)] * 2, {"matrix": "BLOSUM62"}))
    assert notes[0].startswith("BLOSUM62 is a matrix of proteins, and the sequences are nucleotides.")
    notes = PAIR.problem_notes(build_pair([Sequence("p", b"ACTG", kind)] * 2, {"matrix": "EDNAFULL"}))
    assert notes[0].startswith("NUC.4.4 is a matrix of nucleotides, and the sequences are proteins.")


@pytest.mark.parametrize("name", ["EDNAFULL", "DNAFULL", "NUC44"])
def test_ambiguity_codes_score_by_nuc44_as_in_biopython(name):
    data = sequences.read_sequences(CASES / "c14_iupac.fa", SequenceType.DNA)
    aligner = PairwiseAligner(mode="local", substitution_matrix=substitution_matrices.load("NUC.4.4"))
    aligner.open_gap_score, aligner.extend_gap_score = -7, -2
    result = run("striped-alignment", data, matrix=name)
    assert result.score == aligner.score(*(one.letters.decode() for one in data)) == 36
    assert dict(answer_rows(result))["Identical"].startswith("7 of 13 columns")
