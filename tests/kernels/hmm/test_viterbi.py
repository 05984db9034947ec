"""Viterbi: every method gives the path of the definition, whatever its parameters."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import Cancelled, InputError, ScoreOverflow
from antidiag.kernels.hmm import METHODS, VITERBI, reference
from antidiag.kernels.hmm.advice import choose_method, forgets_start, recommend_for_data
from antidiag.kernels.hmm.model import hmm, problem, state_annotations
from antidiag.kernels.hmm.model.problem import HmmProblem, ViterbiAnswer
from antidiag.kernels.hmm.parameters import PieceParameters
from antidiag.kernels.hmm.trials import draw_model, make_sequence
from antidiag.kernels.hmm.viterbi import cpu
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from tests.example_counts import try_examples
from tests.kernels.hmm.examples import problems

EXACT = [method.id for method in METHODS if method.problem_type is VITERBI and method.is_exact]
FEW = try_examples(30)


def run(method: str, made: HmmProblem, threads: int = 1, piece: int = 7) -> ViterbiAnswer:
    function = getattr(cpu, method.replace("-", "_"))
    found = function(made, PieceParameters(threads=threads, piece=piece), Monitor(), StepLog()).answer
    found.check(made)
    return found


def same(found: ViterbiAnswer, expected: np.ndarray | None) -> None:
    assert (found.states is None) == (expected is None)
    if expected is not None:
        np.testing.assert_array_equal(found.states, expected)


@pytest.mark.parametrize("method", EXACT)
@FEW
@given(made=problems(), threads=st.integers(1, 3), piece=st.integers(4, 20))
def test_path_is_the_definitions(method: str, made: HmmProblem, threads: int, piece: int) -> None:
    same(run(method, made, threads, piece), reference.find_best_path(made))


def path_cost(made: HmmProblem, states: np.ndarray) -> float:
    """What a path costs, step by step."""
    costs, symbols = made.step_costs, made.observations
    steps = [costs.transitions[one, other] for one, other in itertools.pairwise(states)]
    emitted = [costs.emissions[symbol, state] for symbol, state in zip(symbols, states, strict=True)]
    return float(sum(steps) + sum(emitted) + costs.initial[states[0]]) if len(states) else 0.0


@FEW
@given(made=problems(st.integers(0, 5)))
def test_no_path_is_more_probable(made: HmmProblem) -> None:
    if made.states > 3:
        return
    found = reference.find_best_path(made)
    paths = [np.array(path, int) for path in itertools.product(range(made.states), repeat=made.n)]
    costs = [path_cost(made, path) for path in paths]
    if found is None:
        assert min(costs) == np.inf
        return
    best = [tuple(path[::-1]) for path, cost in zip(paths, costs, strict=True) if cost == min(costs)]
    assert tuple(found[::-1]) == min(best)


@FEW
@given(made=problems())
def test_probabilities_find_a_path_as_probable(made: HmmProblem) -> None:
    found, expected = run("viterbi-probabilities", made), problem.make_answer(made, reference.find_best_path(made))
    np.testing.assert_allclose(found.log_probability, expected.log_probability, atol=1e-3)


def test_pieces_that_never_forget_their_start() -> None:
    """Two islands of states without a way between them: a guess is wrong for the whole sequence."""
    made = HmmProblem(
        hmm.make_hmm("two", "ab", "AB", np.eye(2), [[0.9, 0.1], [0.2, 0.8]], [0.5, 0.5]), make_sequence(b"AB" * 40)
    )
    for method in ("viterbi-persistent", "viterbi-tree"):
        same(run(method, made, 2, 5), reference.find_best_path(made))


def test_a_state_far_behind_can_still_win() -> None:
    """1e-30 for every A, and then a letter that only the state far behind can emit."""
    made = HmmProblem(
        hmm.make_hmm("late", "ab", "AB", np.eye(2), [[1e-30, 1 - 1e-30], [1.0, 0.0]], [0.5, 0.5]),
        make_sequence(b"A" * 30 + b"B"),
    )
    for method in EXACT:
        assert run(method, made).states.tolist() == [0] * 31
    with pytest.raises(ScoreOverflow, match="viterbi-serial"):
        run("viterbi-probabilities", made)


def test_hmmlearn_agrees() -> None:
    hmmlearn = pytest.importorskip("hmmlearn.hmm")
    made = HmmProblem(hmm.make_random_hmm(20, np.random.default_rng(1)), make_sequence(b"ABHGFCDE" * 60))
    peer = hmmlearn.CategoricalHMM(20)
    peer.startprob_, peer.transmat_, peer.emissionprob_ = made.hmm.initial, made.hmm.transitions, made.hmm.emissions
    peer.n_features = 8
    log_probability, states = peer.decode(made.observations.astype(int)[:, None])
    found = run("viterbi-persistent", made)
    assert found.log_probability == pytest.approx(log_probability, abs=1e-6)
    np.testing.assert_array_equal(found.states, states)


def test_islands_are_found_and_nothing_else(real_data) -> None:
    """Human islands, one after another, behind as much of the background."""
    letters = [(real_data / "cpg" / f"{name}_train.txt").read_bytes().split() for name in ("null", "cpg")]
    background, inside = (b"".join(words).upper() for words in letters)
    (model_,) = hmm.read_hmm("cpg-islands")
    made = problem.build_problem([model_, Sequence("both", background + inside, SequenceType.DNA)], {})
    found = state_annotations.find_features(model_, run("viterbi-persistent", made, 2, 2000).states)
    assert all(feature.label == "CpG_island" and feature.start >= len(background) - 100 for feature in found)
    assert sum(feature.end - feature.start for feature in found) > 0.95 * len(inside)


def test_an_unknown_name_of_a_model_is_answered_with_the_bundled_ones() -> None:
    with pytest.raises(InputError, match=r"cpg-island: .* did you mean cpg-islands\?"):
        hmm.read_hmm("cpg-island")
    with pytest.raises(InputError, match="xyz: .* these are bundled: cpg-islands, "):
        hmm.read_hmm("xyz")


@pytest.mark.parametrize("path", hmm.list_bundled_models(), ids=lambda path: path.stem)
def test_bundled_models(path) -> None:
    (found,) = hmm.read_hmm(path)
    assert hmm.looks_like_hmm(path, path.read_bytes()[:4096]) and found.note
    assert hmm.read_hmm(path.stem) == [found]


def test_a_written_model_is_read_again(tmp_path) -> None:
    made = draw_model(5, 3, 0.3, 7)
    (tmp_path / "model.json").write_text(hmm.format_json(made))
    (read,) = hmm.read_hmm(tmp_path / "model.json")
    assert read == made and hash(read) == hash(made)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transitions": [[0.5, 0.4], [0, 1]]}, "transitions of state 'a' sum to 0.9, not to 1"),
        ({"emissions": [[1, 0], [1.5, -0.5]]}, "emissions of state 'b': 1.5 is no probability"),
        ({"initial": [1]}, "initial is 1; .* must be 2"),
        ({"states": ["a", "a"]}, "two states are called 'a'"),
        ({"alphabet": "A1"}, "the symbol '1' of the alphabet"),
        ({"alphabet": ["A", "CG"]}, "the symbol 'CG' of the alphabet"),
        ({"alphabet": "Aa"}, "twice"),
        ({"transitions": [[1], [0, 1]]}, "different lengths"),
        ({"labels": ["x"]}, "1 labels for 2 states"),
        ({"states": []}, "0 states"),
        ({"initial": ["0.5", "0.5"]}, "what is not a number"),
        ({"initial": [True, False]}, "what is not a number"),
        ({"initial": [None, 1]}, "what is not a number"),
        ({"initial": [10**400, 0]}, "what is not a number"),
        ({"transitions": [["1", 0], [0, 1]]}, "what is not a number"),
        ({"transitions": {}}, "what is not a number"),
    ],
)
def test_a_wrong_model_is_refused(change, message) -> None:
    identity = [[1, 0], [0, 1]]
    good = {"states": ["a", "b"], "alphabet": "AB", "transitions": identity, "emissions": identity, "initial": [1, 0]}
    hmm.make_hmm("m", **good)
    with pytest.raises(InputError, match=message):
        hmm.make_hmm("m", **{**good, **change})


REST = '"alphabet": "A", "transitions": [[1]], "emissions": [[1]], "initial": [1]'
"""A model but for its states."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "JSON object"),
        ("{}", "no states and no"),
        ("[" * 100_000, "nested too deep"),
        ('"' + "\\ud800" + '"', "invalid Unicode"),
        ("9" * 5000, "not JSON"),
        (f'{{"states": [["a"]], {REST}}}', "list of names"),
        (f'{{"name": {{}}, "states": ["a"], {REST}}}', "no text"),
    ],
)
def test_a_file_that_is_no_model(tmp_path, text, message) -> None:
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(InputError, match=message):
        hmm.read_hmm(tmp_path / "model.json")


def test_a_name_that_no_file_can_have(tmp_path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        hmm.read_hmm("a" * 300)


def test_strange_letters_are_named_or_missing() -> None:
    with pytest.raises(InputError, match=r"letter 'X' at position 3 .* --unknown missing"):
        problem.build_problem([draw_model(2, 2, 0, 1), make_sequence(b"ABX")], {})
    made = problem.build_problem([draw_model(2, 2, 0, 1), make_sequence(b"ABX")], {"unknown": "missing"})
    assert made.observations.tolist() == [0, 1, 2]


def test_rna_is_read_by_a_model_of_dna() -> None:
    (model_,) = hmm.read_hmm("cpg-islands")
    rna = problem.build_problem([model_, Sequence("r", b"GACU", SequenceType.RNA)], {})
    assert rna.observations.tolist() == [2, 0, 1, 3]


@pytest.mark.parametrize("method", EXACT)
def test_cancel(method: str) -> None:
    letters = np.random.default_rng(1).choice(list(b"ABCDEFGH"), 200_000).astype(np.uint8).tobytes()
    made = HmmProblem(hmm.make_random_hmm(16, np.random.default_rng(1)), make_sequence(letters))
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        getattr(cpu, method.replace("-", "_"))(made, PieceParameters(threads=2, piece=100_000), monitor, StepLog())


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_recommended_methods_exist(backend: str) -> None:
    known = {method.id for method in METHODS}
    for states, length, forgetful in itertools.product((1, 8, 64, 256), (0, 100, 10_000, 10**6), (False, True)):
        method, why = choose_method(states, length, backend, forgetful)
        assert method in known and why


def test_a_model_that_forgets_late_is_recommended_products_on_a_gpu() -> None:
    text = np.random.default_rng(1).choice(list(b"ACGT"), 20_000).astype(np.uint8).tobytes()
    letters = Sequence("s", text, SequenceType.DNA)
    for name, forgetful, on_gpu in (("gene-finder", False, "tree"), ("cpg-islands", True, "persistent")):
        (model_,) = hmm.read_hmm(name)
        assert forgets_start(model_, letters) == forgetful
        assert recommend_for_data((model_, letters), "cuda")[0] == f"viterbi-{on_gpu}"
        assert recommend_for_data((model_, letters), "cpu")[0] == "viterbi-persistent"
        assert recommend_for_data((model_, replace(letters, letters=b"ACGT")), "cuda")[0] == "viterbi-matvecprod"
        assert recommend_for_data((model_,), "cuda") is None
