"""Forward, posterior and Baum-Welch against sums in logarithms, and against what learning must do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.errors import Cancelled, InputError
from kernels.monitor import Monitor
from kernels.steps import Steps
from kernels.tropical.viterbi import cpu_learning, hmm, reference, sums
from kernels.tropical.viterbi.problem import HmmProblem
from tests.kernels.tropical.models import model, problems, sequence

FEW = settings(max_examples=40)


def run(method: str, made):
    found = getattr(cpu_learning, method)(made, {}, Monitor(), Steps()).answer
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
    found = run("hmm_baum_welch", sums.build_learning([apart, made.sequence], {"iterations": 1, "tolerance": 0}))
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
    made = sums.build_learning([start, *map(sequence, letters)], {"iterations": 1, "tolerance": 0})
    found = run("hmm_baum_welch", made)
    expected = _one_round(made)
    for mine, its in zip((found.hmm.initial, found.hmm.transitions, found.hmm.emissions), expected, strict=True):
        np.testing.assert_allclose(mine, its, atol=1e-9)


def _one_round(made: sums.LearningProblem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Expected counts by definition: for every letter, every pair of states, from the probability of both sides."""
    states, symbols = made.hmm.emissions.shape
    first, pairs, letters = np.zeros(states), np.zeros((states, states)), np.zeros((states, symbols))
    for part in made.parts:
        seen, t, e = part.observations, made.hmm.transitions, made.hmm.emissions
        forward = [made.hmm.initial * e[:, seen[0]]]
        for k in seen[1:]:
            forward.append((forward[-1] @ t) * e[:, k])
        backward = [np.ones(states)]
        for k in seen[:0:-1]:
            backward.append(t @ (e[:, k] * backward[-1]))
        backward.reverse()
        total = forward[-1].sum()
        for k, symbol in enumerate(seen):
            letters[:, symbol] += forward[k] * backward[k] / total
            if k + 1 < len(seen):
                pairs += forward[k][:, None] * t * (e[:, seen[k + 1]] * backward[k + 1]) / total
        first += forward[0] * backward[0] / total
    return tuple(counts / counts.sum(axis=-1, keepdims=True) for counts in (first, pairs, letters))


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
    made = sums.build_learning([start, sequence(bytes(throws))], {"iterations": 300})
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


def test_what_cannot_be_learned() -> None:
    with pytest.raises(InputError, match="nothing to learn from"):
        sums.build_learning([model(2, 2, 0, 1), sequence(b"")], {})
    stuck = hmm.checked("stuck", "ab", "AB", np.eye(2), np.eye(2), [1, 0])
    made = sums.build_learning([stuck, sequence(b"AB")], {})
    with pytest.raises(InputError, match="cannot emit"):
        run("hmm_baum_welch", made)


@pytest.mark.parametrize("method", ["hmm_forward", "hmm_posterior"])
def test_cancel(method: str) -> None:
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        getattr(cpu_learning, method)(HmmProblem(model(3, 3, 0, 1), sequence(b"ABC" * 99)), {}, monitor, Steps())
