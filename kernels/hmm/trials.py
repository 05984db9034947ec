"""Trials of the methods of hidden Markov models: random models, the textbook as oracle, and symmetries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.hmm import reference
from antidiag.kernels.hmm.model.hmm import Hmm, make_hmm, make_random_hmm
from antidiag.kernels.hmm.model.problem import HmmProblem, ViterbiAnswer, make_answer
from antidiag.kernels.hmm.sums.problem import EvaluationAnswer, LearningAnswer, LearningProblem, PosteriorAnswer
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials, draw_length

STATES, MORE_STATES = (1, 2, 3, 8, 9, 17), (2, 8, 17, 33)
"""Around whole vectors; beyond those whose matrices a GPU multiplies."""
LENGTHS, LONGEST, LONGER = (0, 1, 2, 3, 5), 60, 400
SYMBOLS, UNKNOWN = "ABCDE", "X"
ZEROS = (0.0, 0.0, 0.3, 0.7)
TOLERANCE, LOOSE_TOLERANCE = 1e-9, 1e-3
"""What rounding may do to probabilities and logarithms; and to the path, where products of probabilities are compared
or costs are rounded otherwise.
"""
UNREAD = frozenset({".tsv", ".gff", ".gff3"})
"""A table with a line per letter, for people, and features without their sequence."""
FEW_STATES, MANY_STATES = 3, 128
PIECE = 64
MOST_IN_TURN = 2**22
"""Most letters for a method whose rows follow one another on a device: some microseconds each."""


def draw_probabilities(random: np.random.Generator, shape: tuple[int, ...], zeros: float) -> np.ndarray:
    """Draw probabilities with many equal ones, so that paths tie, and zeros among them."""
    numbers = random.integers(1, 4, shape) * (random.random(shape) >= zeros)
    numbers[..., 0] += numbers.sum(axis=-1) == 0
    return numbers / numbers.sum(axis=-1, keepdims=True)


def draw_model(states: int, symbols: int, zeros: float, seed: int) -> Hmm:
    """Draw a model of so many states and symbols."""
    random = np.random.default_rng(seed)
    names = [f"s{number}" for number in range(states)]
    transitions = draw_probabilities(random, (states, states), zeros)
    emissions = draw_probabilities(random, (states, symbols), zeros)
    initial = draw_probabilities(random, (states,), zeros)
    return make_hmm("model", names, SYMBOLS[:symbols], transitions, emissions, initial)


def make_sequence(letters: bytes) -> Sequence:
    """Make a sequence of these letters."""
    return Sequence("sequence", letters, SequenceType.PROTEIN)


def draw_problem(choose: TrialChooser, states: tuple[int, ...] = STATES, longest: int = LONGEST) -> HmmProblem:
    """Draw a model, dense or sparse, and a sequence with letters that it does not know."""
    seed = choose.draw_integer(0, 2**32 - 1)
    hmm = draw_model(choose.choose_one(states), choose.draw_integer(1, len(SYMBOLS)), choose.choose_one(ZEROS), seed)
    length = draw_length(choose, LENGTHS, longest, 0)
    return HmmProblem(hmm, _draw_letters(hmm, length, seed + 1), "missing")


def _draw_letters(hmm: Hmm, length: int, seed: int) -> Sequence:
    letters = np.random.default_rng(seed).choice(list((hmm.alphabet + UNKNOWN).encode()), length)
    return make_sequence(letters.astype(np.uint8).tobytes())


def draw_larger_problem(choose: TrialChooser) -> HmmProblem:
    """Draw a larger problem."""
    return draw_problem(choose, MORE_STATES, LONGER)


def draw_learning(
    choose: TrialChooser, states: tuple[int, ...] = STATES, longest: int = LONGEST // 2
) -> LearningProblem:
    """Draw one to three sequences, one of them not empty, and a model that can emit them all."""
    found = draw_problem(choose, states, longest)
    lengths = (max(found.n, 1), *(choose.draw_integer(0, 12) for _ in range(choose.draw_integer(0, 2))))
    several = tuple(_draw_letters(found.hmm, length, number) for number, length in enumerate(lengths))
    made = LearningProblem(found.hmm, several, "missing", choose.draw_integer(1, 3), 0.0)
    if any(reference.compute_log_likelihood(part) == -np.inf for part in made.parts):
        return replace(made, hmm=draw_model(len(made.hmm), len(made.hmm.alphabet), 0.0, 1))
    return made


@lru_cache(maxsize=64)
def find_best_answer(problem: HmmProblem) -> ViterbiAnswer:
    """Return the answer that every method must return."""
    return make_answer(problem, reference.find_best_path(problem))


def find_evaluation(problem: HmmProblem) -> EvaluationAnswer:
    """Return the probability that every method must return."""
    return EvaluationAnswer(reference.compute_log_likelihood(problem))


@lru_cache(maxsize=64)
def find_posterior(problem: HmmProblem) -> PosteriorAnswer:
    """Return the posterior that every method must return."""
    found = reference.compute_log_likelihood(problem)
    return PosteriorAnswer(found, None if found == -np.inf else reference.compute_posterior(problem))


def assert_same_path(problem: HmmProblem, found: ViterbiAnswer, expected: ViterbiAnswer, method: Method) -> None:
    """Check that the states are the same, or for a method that rounds, that the path is as probable."""
    if not method.is_exact:
        np.testing.assert_allclose(found.log_probability, expected.log_probability, rtol=0, atol=LOOSE_TOLERANCE)
        return
    assert found.log_probability == expected.log_probability
    assert (found.states is None) == (expected.states is None), "one has a path"
    if found.states is not None:
        np.testing.assert_array_equal(found.states, expected.states)


def assert_same_probability(problem: HmmProblem, found: Any, expected: Any, method: Method) -> None:
    """Check that the probabilities are the same."""
    np.testing.assert_allclose(found.log_probability, expected.log_probability, rtol=1e-12, atol=TOLERANCE)


def assert_same_posterior(
    problem: HmmProblem, found: PosteriorAnswer, expected: PosteriorAnswer, method: Method
) -> None:
    """Check that the probabilities of all states are the same."""
    assert_same_probability(problem, found, expected, method)
    assert (found.posterior is None) == (expected.posterior is None), "one is impossible"
    if found.posterior is not None and expected.posterior is not None:
        np.testing.assert_allclose(found.posterior, expected.posterior, rtol=0, atol=TOLERANCE)


def assert_same_model(
    problem: LearningProblem, found: LearningAnswer, expected: LearningAnswer, method: Method
) -> None:
    """Check the models; where rounding alone raises the probability, one run may end a round before the other."""
    rounds = min(len(found.log_probabilities), len(expected.log_probabilities))
    np.testing.assert_allclose(
        found.log_probabilities[:rounds], expected.log_probabilities[:rounds], rtol=1e-12, atol=TOLERANCE
    )
    for part in ("initial", "transitions", "emissions"):
        np.testing.assert_allclose(getattr(found.hmm, part), getattr(expected.hmm, part), rtol=0, atol=TOLERANCE)


def _permute_states(hmm: Hmm) -> np.ndarray:
    return np.random.default_rng(len(hmm)).permutation(len(hmm))


def permute_problem(problem: Any) -> Any:
    """Return the problem with its states in another order."""
    hmm, order = problem.hmm, _permute_states(problem.hmm)
    names = [hmm.states[state] for state in order.tolist()]
    parts = hmm.transitions[np.ix_(order, order)], hmm.emissions[order], hmm.initial[order]
    return replace(problem, hmm=make_hmm(hmm.name, names, hmm.alphabet, *parts))


def reorder_alphabet(problem: Any) -> Any:
    """Return the problem with the letters of its alphabet in another order: no answer changes."""
    hmm = problem.hmm
    changed = make_hmm(hmm.name, hmm.states, hmm.alphabet[::-1], hmm.transitions, hmm.emissions[:, ::-1], hmm.initial)
    return replace(problem, hmm=changed)


def _assert_same_permuted_path(
    problem: HmmProblem, found: ViterbiAnswer, changed: ViterbiAnswer, method: Method
) -> None:
    """Check the probability alone: of equally good paths another may be chosen."""
    np.testing.assert_allclose(changed.log_probability, found.log_probability, rtol=0, atol=LOOSE_TOLERANCE)


def _assert_same_permuted_posterior(
    problem: HmmProblem, found: PosteriorAnswer, changed: PosteriorAnswer, method: Method
) -> None:
    moved = None if found.posterior is None else found.posterior[:, _permute_states(problem.hmm)]
    assert_same_posterior(problem, changed, PosteriorAnswer(found.log_probability, moved), method)


def _assert_same_permuted_model(
    problem: LearningProblem, found: LearningAnswer, changed: LearningAnswer, method: Method
) -> None:
    moved = permute_problem(replace(problem, hmm=found.hmm)).hmm
    assert_same_model(problem, changed, LearningAnswer(moved, found.log_probabilities), method)


def _assert_same_renamed_model(
    problem: LearningProblem, found: LearningAnswer, changed: LearningAnswer, method: Method
) -> None:
    moved = reorder_alphabet(replace(problem, hmm=found.hmm)).hmm
    assert_same_model(problem, changed, LearningAnswer(moved, found.log_probabilities), method)


def make_large_run(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Make a run of few states and many letters; a method whose rows follow one another on a GPU gets fewer letters."""
    given = _choose_trial_parameters(method)
    if backend == "cuda" and "piece" not in given and 64 * size > MOST_IN_TURN:
        raise InputError(f"{64 * size} rows would follow one another")
    return _make_observed_problem(FEW_STATES, 64 * size), given


def make_long_run(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Make a run that takes long."""
    return _make_observed_problem(MANY_STATES, 16 * size), {}


def make_large_learning_run(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Make a large run of learning."""
    return _make_learning_run(make_large_run(method, backend, size), 1)


def make_long_learning_run(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Make a long run of learning."""
    return _make_learning_run(make_long_run(method, backend, size), 100)


def _make_learning_run(run: ProblemAndParameters, iterations: int) -> ProblemAndParameters:
    problem, given = run
    return LearningProblem(problem.hmm, (problem.sequence,), iterations=iterations), given


def _choose_trial_parameters(method: Method) -> dict[str, int]:
    wanted = {"threads": 2, "piece": PIECE}
    return {
        parameter.name: wanted[parameter.name] for parameter in method.parameters.declared() if parameter.name in wanted
    }


@lru_cache(maxsize=4)
def _make_observed_problem(states: int, letters: int) -> HmmProblem:
    """Make a problem of random letters, with everything that it caches computed."""
    hmm = make_random_hmm(states, np.random.default_rng(states))
    text = np.random.default_rng(1).choice(np.frombuffer(hmm.alphabet.encode(), np.uint8), letters)
    problem = HmmProblem(hmm, make_sequence(text.tobytes()))
    problem.observations, problem.step_costs  # noqa: B018
    return problem


def _declare_trials(
    oracle: Callable[[HmmProblem], Any], same: Callable[..., None], same_permuted: Callable[..., None]
) -> Trials:
    return Trials(
        draw_problem=draw_problem,
        solve_by_textbook=oracle,
        assert_same_answer=same,
        make_large_problem=make_large_run,
        make_long_problem=make_long_run,
        draw_larger_problem=draw_larger_problem,
        symmetries=(
            ProblemSymmetry("permuted states", permute_problem, same_permuted),
            ProblemSymmetry("renamed letters", reorder_alphabet, same),
        ),
        unread_suffixes=UNREAD,
    )


VITERBI = _declare_trials(find_best_answer, assert_same_path, _assert_same_permuted_path)
EVALUATION = _declare_trials(find_evaluation, assert_same_probability, assert_same_probability)
POSTERIOR = _declare_trials(find_posterior, assert_same_posterior, _assert_same_permuted_posterior)
LEARNING = Trials(
    draw_problem=draw_learning,
    solve_by_textbook=reference.learn_baum_welch,
    assert_same_answer=assert_same_model,
    make_large_problem=make_large_learning_run,
    make_long_problem=make_long_learning_run,
    draw_larger_problem=lambda choose: draw_learning(choose, MORE_STATES, LONGER // 2),
    symmetries=(
        ProblemSymmetry("permuted states", permute_problem, _assert_same_permuted_model),
        ProblemSymmetry("renamed letters", reorder_alphabet, _assert_same_renamed_model),
    ),
    phases_without_steps=lambda method, backend: frozenset({"estimation"}),
)
