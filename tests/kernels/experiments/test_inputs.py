"""Inputs: generated ones repeat and diverge as told, loaded ones are cut."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from antidiag.kernels import registry
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments.sweeps import sweep_records
from antidiag.kernels.experiments.sweeps.sweep import Sweep
from antidiag.kernels.experiments.sweeps.sweep_inputs import SIDE_INPUT_SIZE, Generated, Loaded, with_input
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import ProblemInput, ProblemType
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.problem import PAIR
from tests.kernels.experiments import fakes

LOADED = Loaded((Sequence("one", b"ACGTACGT", SequenceType.DNA), Sequence("two", b"ACGT", SequenceType.DNA)))


def many(maximum: int | None = None) -> ProblemType:
    """The pair problem with any number of sequences."""
    return ProblemType(**{name: getattr(PAIR, name) for name in PAIR.__dataclass_fields__} | {
        "inputs": (ProblemInput(SEQUENCE, 2, maximum),)
    })  # fmt: skip


def different(first: Sequence, second: Sequence) -> float:
    size = min(len(first), len(second))
    return float(np.mean(first.letter_array[:size] != second.letter_array[:size]))


def test_generated_input_repeats_and_depends_on_the_seed():
    one, again, other = (Generated(length=500, seed=seed).make_data(PAIR) for seed in (1, 1, 2))
    assert one == again != other
    assert [len(sequence) for sequence in one] == [500, 500]
    assert {sequence.type for sequence in one} == {SequenceType.DNA}


def test_lengths_may_differ():
    made = Generated(length=(700, 300)).make_data(PAIR)
    assert [len(sequence) for sequence in made] == [700, 300]
    assert different(*made) < 0.75


def test_divergence_is_the_share_of_letters_that_differ():
    shares = [
        different(*Generated(length=20_000, divergence=share, indels=0).make_data(PAIR))
        for share in (0, 0.05, 0.2, 0.5)
    ]
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert 0.03 < shares[1] < 0.07 and 0.15 < shares[2] < 0.25


def test_relatives_on_a_tree_are_at_most_as_far_apart_as_told():
    made = Generated(length=3000, count=9, divergence=0.2, indels=0).make_data(many())
    distances = [different(one, other) for i, one in enumerate(made) for other in made[:i]]
    assert len(made) == 9
    assert 0 < min(distances) < max(distances) < 0.25
    assert max(distances) > 0.12


def test_unrelated_sequences_agree_by_chance():
    made = Generated("random", SequenceType.PROTEIN, length=5000).make_data(PAIR)
    assert 0.9 < different(*made) < 0.98


def test_insertions_and_deletions_shift_letters():
    made = Generated(length=5000, divergence=0.1, indels=0.5).make_data(PAIR)
    assert different(*made) > 0.3


def test_other_data_are_made_by_their_kind():
    (bed,) = Generated(length=7).make_data(fakes.NAP)
    assert bed.length == 7
    assert Generated(length=7).make_data(fakes.NAP) == (bed,)


def test_what_cannot_be_generated_is_said():
    mute = ProblemType(**{name: getattr(fakes.NAP, name) for name in fakes.NAP.__dataclass_fields__} | {
        "inputs": (ProblemInput(fakes.DataKind("stone", "stone", "stones", fakes.Bed, *[None] * 2)),)
    })  # type: ignore[arg-type]  # fmt: skip
    with pytest.raises(InputError, match="stones cannot be generated"):
        Generated().make_data(mute)
    with pytest.raises(ParameterError, match="gives 3 lengths, and there are 2 inputs"):
        Generated(length=(1, 2, 3)).make_data(PAIR)
    with pytest.raises(ParameterError, match="count must match"):
        Generated(count=9).make_data(many(maximum=4))


def test_loaded_sequences_are_cut_to_their_front():
    cut = with_input(LOADED, "length", 3).make_data(PAIR)
    assert [sequence.letters for sequence in cut] == [b"ACG", b"ACG"]
    assert with_input(LOADED, "length", (8, 2)).make_data(PAIR)[0] == LOADED.data[0]
    assert with_input(LOADED, "count", 1).make_data(PAIR) == LOADED.data[:1]
    assert LOADED.make_data(PAIR) == LOADED.data


def test_loaded_data_are_not_made_longer():
    with pytest.raises(InputError, match="two has 4 letters, fewer than length=5"):
        with_input(LOADED, "length", 5).make_data(PAIR)
    with pytest.raises(InputError, match="count=3, but only 2 are loaded"):
        with_input(LOADED, "count", 3).make_data(PAIR)
    with pytest.raises(ParameterError, match="divergence applies to generated input"):
        with_input(LOADED, "divergence", 0.5)
    with pytest.raises(InputError, match="only sequences can be cut"):
        Loaded((fakes.Bed(3),), length=2).make_data(fakes.NAP)


def test_one_length_is_that_of_the_sequences_and_not_of_the_model_beside_them():
    viterbi = registry.find_method("viterbi-tree").problem_type
    model, sequence = Generated(length=40).make_data(viterbi)
    assert (len(model), len(sequence)) == (SIDE_INPUT_SIZE, 40)
    assert len(Generated(length=(4, 40)).make_data(viterbi)[0]) == 4
    assert Loaded((model, sequence), length=9).make_data(viterbi) == (
        model,
        replace(sequence, letters=sequence.letters[:9]),
    )
    assert Loaded((model, sequence), length=(9,)).make_data(viterbi)[0] is model


def test_a_given_model_takes_its_place_among_what_is_generated():
    viterbi = registry.find_method("viterbi-tree").problem_type
    model = Generated(length=(4, 10)).make_data(viterbi)[0]
    inputs = Generated(length=40, given=(model,))
    made, sequence = inputs.make_data(viterbi)
    assert made is model and len(sequence) == 40
    assert inputs.describe_data(viterbi) == f"{model.name} and random DNA, length 40, seed 1"
    known = Sweep(("viterbi-tree",), inputs)
    back = sweep_records.sweep_from_json(json.loads(json.dumps(sweep_records.sweep_to_json(known))), [model])
    assert back.inputs == inputs
    with pytest.raises(InputError, match="is not open, or it was changed"):
        sweep_records.sweep_from_json(sweep_records.sweep_to_json(known))


@pytest.mark.parametrize("inputs", [LOADED, Generated(count=3, length=(10, 20)), Generated("random")])
def test_inputs_say_what_they_are(inputs):
    assert len(inputs.describe_data(PAIR)) > 5


@pytest.mark.parametrize(("method", "inputs", "text"), [
    ("striped-score", Generated(), "mutated DNA, length 1,000, 10% divergence, seed 1"),
    ("layered", Generated("random", length=(7, 8, 9)), "random DNA, length 7x8x9, seed 1"),
    ("distance-6mer", Generated(count=7), "7 mutated DNA, length 1,000, 10% divergence, seed 1"),
    ("distance-6mer", Generated(), "random DNA, length 1,000, seed 1"),
    ("nj-pruned", Generated(length=50, count=7), "random distance matrix, size 50, seed 1"),
    ("floyd-blocked", Generated(length=50), "random graph, size 50, seed 1"),
    ("bipartite-smem", Generated(length=50), "random bipartite graph, size 50, seed 1"),
    ("viterbi-tree", Generated(length=(4, 50)), "random hidden Markov model and random DNA, length 4x50, seed 1"),
    ("hmm-baum-welch", Generated(count=3, length=9),
     "random hidden Markov model of size 16 and 3 mutated DNA, length 9, 10% divergence, seed 1"),
    ("nussinov", Generated(type=SequenceType.RNA), "random RNA, length 1,000, seed 1"),
    ("matrix-chain", Generated(), ""),
    ("matrix-chain", Loaded(()), ""),
])  # fmt: skip
def test_generated_input_is_told_as_what_it_is(method, inputs, text):
    assert inputs.describe_data(registry.find_method(method).problem_type) == text


def test_what_varies_is_not_told():
    problem = registry.find_method("distance-6mer").problem_type
    assert Generated(count=7).describe_data(problem, {"count", "length"}) == "mutated DNA, 10% divergence, seed 1"


def test_few_members_of_a_large_family_are_equal() -> None:
    problem = registry.find_method("msa-parttree").problem_type
    family = Generated(type=SequenceType.PROTEIN, length=115, divergence=0.8, count=2000).make_data(problem)
    assert len({member.letters for member in family}) > 0.9 * len(family)
