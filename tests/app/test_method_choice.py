"""Which method the data lead to."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.app import method_choice
from antidiag.app.session.state import State
from antidiag.kernels import registry
from antidiag.kernels.graphs.graph import from_weights
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.registry import memory_advice

GRAPH = from_weights(np.array([[0, 1.0], [2, 0]]))
MODEL = hmm.make_random_hmm(2, np.random.default_rng(1), "ACGT")
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
    method = method_choice.choose_for_opened(registry.METHODS, registry.find_method(chosen), [datum])
    assert method is (registry.find_method(found) if found else None)


def better(chosen: str, *data: object) -> memory_advice.MethodSuggestion | None:
    return method_choice.find_better_method(registry.METHODS, registry.find_method(chosen), data, "cpu")


def test_the_recommended_method_of_a_problem_is_taken_with_its_reason() -> None:
    found = better("floyd-warshall", GRAPH)
    assert found is not None and found.method.id == "floyd-blocked" and "n^3 steps" in found.reason
    found = better("viterbi-serial", MODEL, LETTERS)
    assert found is not None and found.method.id == "viterbi-persistent" and "all cores" in found.reason
    assert better("viterbi-persistent", MODEL, LETTERS) is None
    assert better("viterbi-serial", MODEL) is None, "nothing is known of the sequence"
    assert better("hmm-forward", MODEL, LETTERS) is None


def test_an_alignment_of_some_of_the_sequences_says_which_family_takes_all() -> None:
    said = method_choice.unused_sequences_note(registry.METHODS, registry.find_method("striped-alignment"), 3)
    assert "StripedAlignment aligns 2 of the 3 open sequences" in said and "family Three sequences" in said
    for chosen, count in (
        ("sloped-bt3", 3),
        ("striped-score", 2),
        ("striped-score", 4),
        ("nussinov", 2),
        ("nj-pruned", 3),
    ):
        assert method_choice.unused_sequences_note(registry.METHODS, registry.find_method(chosen), count) == ""
    assert method_choice.unused_sequences_note(registry.METHODS, None, 3) == ""


def test_every_recommendation_names_a_method_of_its_problem() -> None:
    data = {"paths": (GRAPH,), "viterbi": (MODEL, LETTERS)}
    asked: list[Method] = [method for method in registry.METHODS if method.problem_type.recommend_method]
    assert {method.problem_type.id for method in asked} == set(data)
    for method in asked:
        for backend in method.backends:
            alike = [other for other in asked if other.problem_type is method.problem_type]
            found = memory_advice.suggest_method(alike, data[method.problem_type.id], backend)
            assert found is not None and found.method.problem_type is method.problem_type


def letters(*types: SequenceType) -> list[Sequence]:
    return [
        Sequence(f"s{number}", b"ACGUACGUACGU" if kind == "RNA" else b"ACGTACGTACGT", kind)
        for number, kind in enumerate(types)
    ]


def opened(chosen: str, *data: object, by_hand: bool = False, sample: bool = False) -> str | None:
    """The id of the method that data lead to."""
    found = method_choice.choose_for_opened(registry.METHODS, registry.find_method(chosen), data, by_hand, sample)
    return found.id if found else None


def test_sequences_lead_to_a_method_that_takes_so_many() -> None:
    dna = SequenceType.DNA
    assert opened("striped-alignment", *letters(dna, dna)) is None
    assert opened("striped-alignment", *letters(dna)) is None, "a second one may follow"
    assert opened("striped-alignment", *letters(dna, dna, dna)) == "layered-bt1"
    assert opened("striped-alignment", *letters(SequenceType.RNA)) == "nussinov"
    assert opened("nussinov", *letters(dna, dna)) == "striped-alignment"
    assert opened("msa", *letters(dna, dna)) == "striped-alignment"
    assert opened("distance-ktuple", *letters(*[dna] * 9)) == "msa"
    assert opened("msa", *letters(*[dna] * 9)) is None
    assert opened("msa", *letters(*[dna] * 1000)) == "msa-parttree"


def test_what_was_opened_together_leads_to_a_method_that_takes_all_of_it() -> None:
    dna = SequenceType.DNA
    assert opened("floyd-warshall", MODEL, *letters(dna)) == "viterbi-serial"
    assert opened("viterbi-serial", MODEL, *letters(dna)) is None
    assert opened("viterbi-serial", GRAPH) == "floyd-warshall"
    assert opened("striped-alignment", object(), *letters(dna)) is None


def test_a_method_chosen_by_hand_stays_where_it_takes_some_of_what_was_opened() -> None:
    several = letters(*[SequenceType.DNA] * 5)
    assert opened("striped-alignment", *several, by_hand=True) is None
    assert opened("viterbi-serial", MODEL, by_hand=True) is None
    assert opened("striped-alignment", MODEL, by_hand=True) == "viterbi-serial"
    assert opened("floyd-warshall", *several, by_hand=True) == "msa"
    assert opened("striped-alignment", *several, by_hand=True, sample=True) == "msa", "it leaves three of them alone"
    assert opened("distance-ktuple", *several, by_hand=True, sample=True) is None
    assert opened("viterbi-serial", MODEL, *several[:1], by_hand=True, sample=True) is None


def suggested(
    chosen: str, *sequences: Sequence, data: tuple[object, ...] = ()
) -> memory_advice.MethodSuggestion | None:
    return method_choice.suggest_for_all(registry.METHODS, registry.find_method(chosen), State(sequences, data=data))


def test_a_method_that_leaves_sequences_out_names_one_that_takes_all() -> None:
    proteins = tuple(Sequence(f"p{number}", b"MKVLAWW" * 9, SequenceType.PROTEIN) for number in range(31))
    found = suggested("striped-alignment", *proteins)
    assert (found is not None and "msa" in found.method.id) or "parttree" in found.method.id
    assert found.reason == "takes all 31 open sequences; StripedAlignment uses 2"
    assert suggested("striped-alignment", *proteins[:2]) is None
    assert suggested(found.method.id, *proteins) is None
    state = State(proteins, subset=(0, 3, 7, 8))
    found = method_choice.suggest_for_all(registry.METHODS, registry.find_method("striped-alignment"), state)
    assert found is not None and found.reason == "takes all 4 selected sequences; StripedAlignment uses 2"
    assert method_choice.suggest_for_all(registry.METHODS, found.method, state) is None
    nucleotides = Sequence("n", b"ACGTACGT", SequenceType.DNA)
    assert suggested("striped-alignment", *proteins[:2], nucleotides) is None, "nobody aligns DNA to proteins"


def test_a_method_that_lacks_data_names_one_that_has_all() -> None:
    proteins = tuple(Sequence(f"p{number}", b"MKVLAWW" * 9, SequenceType.PROTEIN) for number in range(5))
    found = suggested("viterbi-serial", *proteins)
    assert found is not None and "alignment" in found.method.returns and "Viterbi" in found.reason
    found = suggested("striped-alignment", data=(GRAPH,))
    assert found is not None and found.method.id.startswith("floyd")
