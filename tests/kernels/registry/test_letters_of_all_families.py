"""Every family takes the same letters, and says the same of types that differ."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from antidiag.kernels import registry
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa.pipelines import guide_tree
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.scoring import Scoring, named_matrix
from antidiag.kernels.triple.model import TripleAlignment, TripleAnswer

PROTEIN = SequenceType.PROTEIN
TYPES = {
    method.problem_type.id: method.problem_type
    for method in registry.METHODS
    if method.problem_type.inputs
    and method.problem_type.inputs[0].kind is SEQUENCE
    and (method.problem_type.inputs[0].maximum or 2) > 1
    and not method.problem_type.inputs[0].sequence_types
    and all(not taken.minimum for taken in method.problem_type.inputs[1:])
}
"""Types of problems of several sequences of any type alone, a dozen of families and methods."""


def build(problem_type, letters: tuple[bytes, ...], types: tuple[SequenceType, ...] = (PROTEIN,), **options):
    wanted = range(max(problem_type.inputs[0].minimum, 2))
    data = [Sequence(f"s{at}", letters[at % len(letters)], types[at % len(types)]) for at in wanted]
    return problem_type.make_problem(data, options)


def test_there_are_such_problems():
    assert {"pair", "triple", "full-distances", "ktuple-distances", "msa"} <= set(TYPES)


@pytest.mark.parametrize("id", TYPES)
def test_letters_beside_the_twenty_are_taken_by_every_family(id):
    build(TYPES[id], (b"MKUOJBZXWACDEF", b"MKUOJBZXWACDEA"))


@pytest.mark.parametrize("id", TYPES)
def test_types_that_differ_are_noted_by_every_family(id):
    problem = build(TYPES[id], (b"ACGTACGTAC", b"MKLVMKLVAC"), (SequenceType.DNA, PROTEIN))
    notes = TYPES[id].problem_notes(problem)
    assert any(note.startswith("The types differ: s0 is DNA and s1 is protein.") for note in notes)


@pytest.mark.parametrize("id", ["pair", "triple", "full-distances", "msa-thesis"])
def test_letters_that_blosum62_lacks_are_noted_where_it_scores(id):
    problem = build(TYPES[id], (b"MKUOWACDEF", b"MKUOWACDEA"))
    assert "BLOSUM62 has no scores of O, U: O as K, U as C." in TYPES[id].problem_notes(problem)


@pytest.mark.parametrize("id", ["pair", "triple", "full-distances", "msa-thesis"])
def test_nucleotides_with_a_matrix_of_proteins_are_noted(id):
    problem = build(TYPES[id], (b"ACGTACGTAC",), (SequenceType.DNA,), matrix="BLOSUM62")
    assert any(note.startswith("BLOSUM62 is a matrix of proteins") for note in TYPES[id].problem_notes(problem))


@pytest.mark.parametrize(("kind", "same"), [(SequenceType.DNA, 2), (PROTEIN, 3)])
def test_columns_of_ambiguous_letters_are_not_reported_as_identical(kind, same):
    letters = b"ANXA"
    data = [Sequence(name, letters, kind) for name in "abc"]
    path = TripleAlignment((0, 0, 0), (4, 4, 4), np.full(4, 7, np.uint8))
    problem = TYPES["triple"].make_problem(data, {})
    result = SimpleNamespace(problem=problem, score=0, answer=TripleAnswer(0, (4, 4, 4), path))
    assert dict(TYPES["triple"].answer_rows(result))["Identical"].startswith(f"{same} of 4 columns")
    rows = np.array([list(letters)] * 3, np.uint8)
    answer = MsaAnswer(AlignedSequences(("a", "b", "c"), rows, kind))
    result = SimpleNamespace(problem=TYPES["msa"].make_problem(data, {}), answer=answer)
    assert dict(TYPES["msa"].answer_rows(result))["Identical"].startswith(f"{same} of 4 columns")


def test_the_triple_scores_n_as_no_match():
    problem = TYPES["triple"].make_problem([Sequence(name, b"N", SequenceType.DNA) for name in "abc"], {})
    codes = [codes[0] for codes in problem.codes]
    assert [int(problem.scoring.scores[codes[i], codes[j]]) for i, j in ((0, 1), (0, 2), (1, 2))] == [-3] * 3


def test_guide_trees_score_every_letter_and_replace_only_what_stands_for_nothing():
    data = tuple(Sequence(name, letters, PROTEIN) for name, letters in (("a", b"MKUX*W"), ("b", b"MKCAW")))
    gonnet = Scoring(named_matrix("GONNET1992"), 10, 0.1)
    sequences, scoring = guide_tree.with_scored_letters(data, gonnet)
    assert [one.letters for one in sequences] == [b"MKUXXW", b"MKCAW"] and scoring.matrix.derived == "UX"
    assert guide_tree.with_scored_letters(data[1:], gonnet) == (data[1:], gonnet)
