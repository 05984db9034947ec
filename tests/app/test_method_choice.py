"""Which method the data lead to."""

from __future__ import annotations

import numpy as np
import pytest

from app import method_choice
from kernels import registry
from kernels.graphs.graph import from_weights
from kernels.hmm import hmm
from kernels.method import Method
from kernels.model import Sequence, SequenceType
from kernels.registry import advice

GRAPH = from_weights(np.array([[0, 1.0], [2, 0]]))
MODEL = hmm.random_hmm(2, np.random.default_rng(1), "ACGT")
LETTERS = Sequence("s", b"ACGT" * 1000, SequenceType.DNA)


@pytest.mark.parametrize(
    ("datum", "chosen", "found"),
    [
        (GRAPH, "striped-score", "floyd-warshall"),
        (GRAPH, "bipartite-serial", None),
        (MODEL, "floyd-blocked", "viterbi-serial"),
        (MODEL, "hmm-forward", None),
        (object(), "striped-score", None),
    ],
)
def test_a_datum_leads_to_the_first_method_that_takes_it(datum: object, chosen: str, found: str | None) -> None:
    method = method_choice.taker(registry.METHODS, registry.method(chosen), datum)
    assert method is (registry.method(found) if found else None)


def better(chosen: str, *data: object) -> advice.Suggestion | None:
    return method_choice.better(registry.METHODS, registry.method(chosen), data, "cpu")


def test_the_recommended_method_of_a_problem_is_taken_with_its_reason() -> None:
    found = better("floyd-warshall", GRAPH)
    assert found is not None and found.method.id == "floyd-blocked" and "n^3 steps" in found.why
    found = better("viterbi-serial", MODEL, LETTERS)
    assert found is not None and found.method.id == "viterbi-persistent" and "all cores" in found.why
    assert better("viterbi-persistent", MODEL, LETTERS) is None
    assert better("viterbi-serial", MODEL) is None, "nothing is known of the sequence"
    assert better("hmm-forward", MODEL, LETTERS) is None


def test_an_alignment_of_some_of_the_sequences_says_which_family_takes_all() -> None:
    said = method_choice.rest(registry.METHODS, registry.method("striped-alignment"), 3)
    assert "StripedAlignment takes 2 of the 3 sequences" in said and "family triple" in said
    for chosen, count in (
        ("sloped-bt3", 3),
        ("striped-score", 2),
        ("striped-score", 4),
        ("nussinov", 2),
        ("nj-pruned", 3),
    ):
        assert method_choice.rest(registry.METHODS, registry.method(chosen), count) == ""
    assert method_choice.rest(registry.METHODS, None, 3) == ""


def test_every_recommendation_names_a_method_of_its_problem() -> None:
    data = {"paths": (GRAPH,), "viterbi": (MODEL, LETTERS)}
    asked: list[Method] = [method for method in registry.METHODS if method.problem.recommend]
    assert {method.problem.id for method in asked} == set(data)
    for method in asked:
        for backend in method.backends:
            alike = [other for other in asked if other.problem is method.problem]
            found = advice.suited(alike, data[method.problem.id], backend)
            assert found is not None and found.method.problem is method.problem


def letters(*types: SequenceType) -> list[Sequence]:
    return [
        Sequence(f"s{number}", b"ACGUACGUACGU" if kind == "RNA" else b"ACGTACGTACGT", kind)
        for number, kind in enumerate(types)
    ]


def test_sequences_lead_to_a_method_that_takes_so_many() -> None:
    pair = registry.method("striped-alignment")
    dna = SequenceType.DNA

    def chosen(method, *types):
        found = method_choice.for_sequences(registry.METHODS, method, letters(*types))
        return found and (found.problem.inputs[0].maximum, found.problem.id)

    assert chosen(pair, dna, dna) is None and chosen(pair, dna) is None
    assert chosen(pair, dna, dna, dna) == (3, "triple")
    assert chosen(pair, SequenceType.RNA) == (1, "folding")
    several = method_choice.for_sequences(registry.METHODS, pair, letters(*[dna] * 9))
    assert several.problem.inputs[0].maximum is None and "alignment" in several.returns
    assert method_choice.for_sequences(registry.METHODS, several, letters(*[dna] * 3)) is None
