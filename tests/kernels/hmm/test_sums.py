"""Forward, posterior and Baum-Welch against sums in logarithms, and against what learning must do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.hmm import hmm, reference
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.hmm.sums import cpu, problem
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import Steps
from tests.kernels.hmm.examples import model, problems, sequence

FEW = settings(max_examples=40)


def run(method: str, made):
    found = getattr(cpu, method)(made, {}, Monitor(), Steps()).answer
    found.check(made)
    return found


@FEW
@given(made=problems())
def test_forward_is_the_sum_over_all_paths(made: HmmProblem) -> None:
    np.testing.assert_allclose(run("hmm_forward", made).log_probability, reference.log_likelihood(made), atol=1e-9)


@FEW
@given(made=problems(st.integers(1, 60)))
def test_posterior_is_the_definitions(made: HmmProblem) -> None:
    found = run("hmm_posterior", made)
    if reference.log_likelihood(made) == -np.inf:
        assert found.posterior is None and found.states is None
        return
    np.testing.assert_allclose(found.posterior, reference.posterior(made), atol=1e-9)


def test_what_cannot_be_reached_may_be_ever_more_probable() -> None:
    """A state that nothing leads to would emit the letters 9 ** 1000 times as probably as the others do."""
    apart = hmm.checked("apart", "abc", "AB", [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]],
                        [[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]], [1, 0, 0])  # fmt: skip
    made = HmmProblem(apart, sequence(b"B" * 1000))
    posterior = run("hmm_posterior", made).posterior
    np.testing.assert_allclose(posterior, reference.posterior(made), atol=1e-9)
    found = run("hmm_baum_welch", problem.build_learning([apart, made.sequence], {"iterations": 1, "tolerance": 0}))
    np.testing.assert_allclose(found.hmm.emissions, [[0, 1], [0, 1], [0.1, 0.9]], atol=1e-12)


def test_wide_models() -> None:
    """More states than a wide row of vectors holds."""
    made = HmmProblem(hmm.random_hmm(75, np.random.default_rng(1)), sequence(b"ABCDEFGH" * 20))
    np.testing.assert_allclose(run("hmm_forward", made).log_probability, reference.log_likelihood(made))
    np.testing.assert_allclose(run("hmm_posterior", made).posterior, reference.posterior(made), atol=1e-9)


@FEW
@given(seed=st.integers(0, 999), states=st.integers(1, 4))
def test_one_round_of_learning_is_the_definition(seed: int, states: int) -> None:
    start = model(states, 3, 0.0, seed)
    letters = [np.random.default_rng(seed + k).choice(list(b"ABC"), 12).astype(np.uint8).tobytes() for k in range(2)]
    made = problem.build_learning([start, *map(sequence, letters)], {"iterations": 1, "tolerance": 0})
    found = run("hmm_baum_welch", made)
    expected = reference.baum_welch(made)
    for part in ("initial", "transitions", "emissions"):
        np.testing.assert_allclose(getattr(found.hmm, part), getattr(expected.hmm, part), atol=1e-9)


def test_learning_finds_the_loaded_die() -> None:
    """Throws of a known casino make a wrong model nearly right."""
    (true,) = hmm.read("dishonest-casino")
    random = np.random.default_rng(4)
    state, throws = 0, bytearray()
    for _ in range(20_000):
        throws.append(ord(random.choice(list(true.alphabet), p=true.emissions[state])))
        state = random.choice(2, p=true.transitions[state])
    start = hmm.checked("start", ["a", "b"], "ABCDEF", [[0.8, 0.2], [0.2, 0.8]],
                        [[1 / 6] * 6, [0.15] * 5 + [0.25]], [0.5, 0.5])  # fmt: skip
    made = problem.build_learning([start, sequence(bytes(throws))], {"iterations": 300})
    found = run("hmm_baum_welch", made)
    assert found.log_probabilities[-1] > found.log_probabilities[0]
    np.testing.assert_allclose(found.hmm.emissions[1, 5], 0.5, atol=0.05)
    np.testing.assert_allclose(found.hmm.transitions, true.transitions, atol=0.03)


def test_hmmlearn_agrees() -> None:
    hmmlearn = pytest.importorskip("hmmlearn.hmm")
    made = HmmProblem(hmm.random_hmm(20, np.random.default_rng(1)), sequence(b"ABHGFCDE" * 60))
    peer = hmmlearn.CategoricalHMM(20)
    peer.startprob_, peer.transmat_, peer.emissionprob_ = made.hmm.initial, made.hmm.transitions, made.hmm.emissions
    peer.n_features = 8
    seen = made.observations.astype(int)[:, None]
    assert run("hmm_forward", made).log_probability == pytest.approx(peer.score(seen))
    np.testing.assert_allclose(run("hmm_posterior", made).posterior, peer.predict_proba(seen), atol=1e-9)


def test_learning_from_many_sequences_is_the_same_on_any_number_of_threads() -> None:
    """More sequences than portions, some of them empty, some much longer than others: to the last bit."""
    random = np.random.default_rng(5)
    first = model(5, 4, 0.0, 7)
    letters = np.frombuffer(first.alphabet.encode(), np.uint8)
    found = tuple(sequence(random.choice(letters, length).tobytes()) for length in random.integers(0, 40, 150) ** 2)
    made = problem.LearningProblem(first, found, iterations=2)
    one, *others = (cpu.hmm_baum_welch(made, {"threads": threads}, Monitor(), Steps()).answer for threads in (1, 2, 5))
    assert sum(portion.letters for portion in cpu._portions(made)) == made.letters
    for other in others:
        assert other.log_probabilities == one.log_probabilities
        for name in ("initial", "transitions", "emissions"):
            np.testing.assert_array_equal(getattr(other.hmm, name), getattr(one.hmm, name))


def test_what_cannot_be_learned() -> None:
    with pytest.raises(InputError, match="nothing to learn from"):
        problem.build_learning([model(2, 2, 0, 1), sequence(b"")], {})
    stuck = hmm.checked("stuck", "ab", "AB", np.eye(2), np.eye(2), [1, 0])
    made = problem.build_learning([stuck, sequence(b"AB")], {})
    with pytest.raises(InputError, match="cannot emit"):
        run("hmm_baum_welch", made)


@pytest.mark.parametrize("method", ["hmm_forward", "hmm_posterior"])
def test_cancel(method: str) -> None:
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        getattr(cpu, method)(HmmProblem(model(3, 3, 0, 1), sequence(b"ABC" * 99)), {}, monitor, Steps())


@pytest.mark.parametrize("states", [128, 203])
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_share_rows_and_change_no_number(states: int, threads: int) -> None:
    random = np.random.default_rng(states)
    made = HmmProblem(hmm.random_hmm(states, random), sequence(b"ABCDEFGH" * 40))
    for method in (cpu.hmm_forward, cpu.hmm_posterior):
        steps = Steps()
        one, several = (
            method(made, {"threads": count}, Monitor(), taken).answer
            for count, taken in ((1, Steps()), (threads, steps))
        )
        assert several.log_probability == one.log_probability
        if method is cpu.hmm_posterior:
            np.testing.assert_array_equal(several.posterior, one.posterior)
        assert len(set(steps.array()["worker"].tolist())) == min(threads, states // 64)


def test_threads_share_what_is_impossible() -> None:
    """All of them end where no path leads on."""
    apart = np.eye(128)
    emissions = np.zeros((128, 2))
    emissions[:, 0] = 1
    made = HmmProblem(hmm.checked("one letter", map(str, range(128)), "AB", apart, emissions, np.full(128, 1 / 128)),
                      sequence(b"AAAB" + b"A" * 50))  # fmt: skip
    for count in (1, 2):
        found = cpu.hmm_posterior(made, {"threads": count}, Monitor(), Steps()).answer
        assert found.log_probability == -np.inf and found.posterior is None


def test_threads_that_share_rows_stop_when_they_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = Monitor()
    monitor.cancel()
    made = HmmProblem(hmm.random_hmm(128, np.random.default_rng(1)), sequence(b"ABCDEFGH" * 400))
    with pytest.raises(Cancelled):
        cpu.hmm_posterior(made, {"threads": 2}, monitor, Steps())
