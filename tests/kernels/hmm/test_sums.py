"""Forward, posterior and Baum-Welch against sums in logarithms, and against what learning must do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.hmm import reference
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.parameters import SumParameters
from antidiag.kernels.hmm.sums import cpu, problem
from antidiag.kernels.hmm.trials import draw_model, make_sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.example_counts import try_examples
from tests.kernels.hmm.examples import problems

FEW = try_examples(40)


def run(method: str, made):
    found = getattr(cpu, method)(made, SumParameters(piece=4, threads=1), Monitor(), StepLog()).answer
    found.check(made)
    return found


@FEW
@given(made=problems())
def test_forward_is_the_sum_over_all_paths(made: HmmProblem) -> None:
    np.testing.assert_allclose(
        run("hmm_forward", made).log_probability, reference.compute_log_likelihood(made), atol=1e-9
    )


@FEW
@given(made=problems(st.integers(1, 60)))
def test_posterior_is_the_definitions(made: HmmProblem) -> None:
    found = run("hmm_posterior", made)
    if reference.compute_log_likelihood(made) == -np.inf:
        assert found.posterior is None and found.states is None
        return
    np.testing.assert_allclose(found.posterior, reference.compute_posterior(made), atol=1e-9)


@FEW
@given(made=problems(st.integers(1, 5)))
def test_the_definitions_sum_over_every_path(made: HmmProblem) -> None:
    if made.states > 3:
        return
    paths = oracle.path_probabilities(made)
    total = sum(paths.values())
    np.testing.assert_allclose(np.exp(reference.compute_log_likelihood(made)), total, rtol=1e-9)
    if total:
        shares = np.zeros((made.n, made.states))
        for path, probability in paths.items():
            shares[range(made.n), path] += probability / total
        np.testing.assert_allclose(reference.compute_posterior(made), shares, atol=1e-9)


def test_what_cannot_be_reached_may_be_ever_more_probable() -> None:
    """A state that nothing leads to would emit the letters 9 ** 1000 times as probably as the others do."""
    transitions, emissions = [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]], [[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]]
    apart = hmm.make_hmm("apart", "abc", "AB", transitions, emissions, [1, 0, 0])
    made = HmmProblem(apart, make_sequence(b"B" * 1000))
    posterior = run("hmm_posterior", made).posterior
    np.testing.assert_allclose(posterior, reference.compute_posterior(made), atol=1e-9)
    found = run(
        "hmm_baum_welch", problem.build_learning_problem([apart, made.sequence], {"iterations": 1, "tolerance": 0})
    )
    np.testing.assert_allclose(found.hmm.emissions, [[0, 1], [0, 1], [0.1, 0.9]], atol=1e-12)


def test_wide_models() -> None:
    """More states than a wide row of vectors holds."""
    made = HmmProblem(hmm.make_random_hmm(75, np.random.default_rng(1)), make_sequence(b"ABCDEFGH" * 20))
    np.testing.assert_allclose(run("hmm_forward", made).log_probability, reference.compute_log_likelihood(made))
    np.testing.assert_allclose(run("hmm_posterior", made).posterior, reference.compute_posterior(made), atol=1e-9)


@FEW
@given(seed=st.integers(0, 999), states=st.integers(1, 4))
def test_one_round_of_learning_is_the_definition(seed: int, states: int) -> None:
    start = draw_model(states, 3, 0.0, seed)
    letters = [np.random.default_rng(seed + k).choice(list(b"ABC"), 12).astype(np.uint8).tobytes() for k in range(2)]
    made = problem.build_learning_problem([start, *map(make_sequence, letters)], {"iterations": 1, "tolerance": 0})
    found = run("hmm_baum_welch", made)
    expected = reference.learn_baum_welch(made)
    for part in ("initial", "transitions", "emissions"):
        np.testing.assert_allclose(getattr(found.hmm, part), getattr(expected.hmm, part), atol=1e-9)


def test_learning_finds_the_loaded_die() -> None:
    """Throws of a known casino make a wrong model nearly right."""
    (true,) = hmm.read_hmm("dishonest-casino")
    random = np.random.default_rng(4)
    state, throws = 0, bytearray()
    for _ in range(20_000):
        throws.append(ord(random.choice(list(true.alphabet), p=true.emissions[state])))
        state = random.choice(2, p=true.transitions[state])
    transitions, emissions = [[0.8, 0.2], [0.2, 0.8]], [[1 / 6] * 6, [0.15] * 5 + [0.25]]
    start = hmm.make_hmm("start", ["a", "b"], "ABCDEF", transitions, emissions, [0.5, 0.5])
    made = problem.build_learning_problem([start, make_sequence(bytes(throws))], {"iterations": 300})
    found = run("hmm_baum_welch", made)
    assert found.log_probabilities[-1] > found.log_probabilities[0]
    np.testing.assert_allclose(found.hmm.emissions[1, 5], 0.5, atol=0.05)
    np.testing.assert_allclose(found.hmm.transitions, true.transitions, atol=0.03)


def test_hmmlearn_agrees() -> None:
    hmmlearn = pytest.importorskip("hmmlearn.hmm")
    made = HmmProblem(hmm.make_random_hmm(20, np.random.default_rng(1)), make_sequence(b"ABHGFCDE" * 60))
    peer = hmmlearn.CategoricalHMM(20)
    peer.startprob_, peer.transmat_, peer.emissionprob_ = made.hmm.initial, made.hmm.transitions, made.hmm.emissions
    peer.n_features = 8
    seen = made.observations.astype(int)[:, None]
    assert run("hmm_forward", made).log_probability == pytest.approx(peer.score(seen))
    np.testing.assert_allclose(run("hmm_posterior", made).posterior, peer.predict_proba(seen), atol=1e-9)


def test_learning_from_many_sequences_is_the_same_on_any_number_of_threads() -> None:
    """More sequences than portions, some of them empty, some much longer than others: to the last bit."""
    random = np.random.default_rng(5)
    first = draw_model(5, 4, 0.0, 7)
    letters = np.frombuffer(first.alphabet.encode(), np.uint8)
    found = tuple(
        make_sequence(random.choice(letters, length).tobytes()) for length in random.integers(0, 40, 150) ** 2
    )
    made = problem.LearningProblem(first, found, iterations=2)
    one, *others = (
        cpu.hmm_baum_welch(made, SumParameters(piece=4, threads=threads), Monitor(), StepLog()).answer
        for threads in (1, 2, 5)
    )
    assert sum(portion.letters for portion in cpu._split_portions(made)) == made.letters
    for other in others:
        assert other.log_probabilities == one.log_probabilities
        for name in ("initial", "transitions", "emissions"):
            np.testing.assert_array_equal(getattr(other.hmm, name), getattr(one.hmm, name))


def test_what_cannot_be_learned() -> None:
    with pytest.raises(InputError, match="nothing to learn from"):
        problem.build_learning_problem([draw_model(2, 2, 0, 1), make_sequence(b"")], {})
    stuck = hmm.make_hmm("stuck", "ab", "AB", np.eye(2), np.eye(2), [1, 0])
    made = problem.build_learning_problem([stuck, make_sequence(b"AB")], {})
    with pytest.raises(InputError, match="cannot emit"):
        run("hmm_baum_welch", made)


@pytest.mark.parametrize("method", ["hmm_forward", "hmm_posterior"])
def test_cancel(method: str) -> None:
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        getattr(cpu, method)(
            HmmProblem(draw_model(3, 3, 0, 1), make_sequence(b"ABC" * 99)),
            SumParameters(piece=4, threads=1),
            monitor,
            StepLog(),
        )


@pytest.mark.parametrize("states", [128, 203])
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_share_rows_and_change_no_number(states: int, threads: int) -> None:
    random = np.random.default_rng(states)
    made = HmmProblem(hmm.make_random_hmm(states, random), make_sequence(b"ABCDEFGH" * 40))
    for method in (cpu.hmm_forward, cpu.hmm_posterior):
        steps = StepLog()
        one, several = (
            method(made, SumParameters(piece=4, threads=count), Monitor(), taken).answer
            for count, taken in ((1, StepLog()), (threads, steps))
        )
        assert several.log_probability == one.log_probability
        if method is cpu.hmm_posterior:
            np.testing.assert_array_equal(several.posterior, one.posterior)
        assert len(set(steps.ordered_events()["worker"].tolist())) == min(threads, states // 64)


def test_threads_share_what_is_impossible() -> None:
    """All of them end where no path leads on."""
    apart = np.eye(128)
    emissions = np.zeros((128, 2))
    emissions[:, 0] = 1
    one_letter = hmm.make_hmm("one letter", map(str, range(128)), "AB", apart, emissions, np.full(128, 1 / 128))
    made = HmmProblem(one_letter, make_sequence(b"AAAB" + b"A" * 50))
    for count in (1, 2):
        found = cpu.hmm_posterior(made, SumParameters(piece=4, threads=count), Monitor(), StepLog()).answer
        assert found.log_probability == -np.inf and found.posterior is None


def test_threads_that_share_rows_stop_when_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = Monitor()
    monitor.cancel()
    made = HmmProblem(hmm.make_random_hmm(128, np.random.default_rng(1)), make_sequence(b"ABCDEFGH" * 400))
    with pytest.raises(Cancelled):
        cpu.hmm_posterior(made, SumParameters(piece=4, threads=2), monitor, StepLog())
