"""How the methods of hidden Markov models are tried: dense and sparse models, the textbook, states in another order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.hmm import reference
from antidiag.kernels.hmm.hmm import Hmm, checked, random_hmm
from antidiag.kernels.hmm.problem import HmmProblem, ViterbiAnswer, answer
from antidiag.kernels.hmm.sums.problem import EvaluationAnswer, LearningAnswer, LearningProblem, PosteriorAnswer
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.trials import Choose, Run, Symmetry, Trials

STATES, MORE_STATES = (1, 2, 3, 8, 9, 17), (2, 8, 17, 33)
"""Around whole vectors; beyond those whose matrices a GPU multiplies."""
LENGTHS, LONGEST, LONGER = (0, 1, 2, 3, 5), 60, 400
SYMBOLS, UNKNOWN = "ABCDE", "X"
ZEROS = (0.0, 0.0, 0.3, 0.7)
CLOSE, NEAR = 1e-9, 1e-3
"""What rounding may do to probabilities and logarithms; and to the path, where products of probabilities are compared
or costs are rounded otherwise."""
UNREAD = frozenset({".tsv"})
"""A table a line a letter, for people; data of this suffix are graphs."""
FEW_STATES, MANY_STATES = 3, 128
PIECE = 64
MOST_IN_TURN = 2**22
"""Letters of the largest problem of a method whose rows follow one another on a device: some microseconds each."""


def rows(random: np.random.Generator, shape: tuple[int, ...], zeros: float) -> np.ndarray:
    """Probabilities with many equal ones, so that paths tie, and zeros among them."""
    numbers = random.integers(1, 4, shape) * (random.random(shape) >= zeros)
    numbers[..., 0] += numbers.sum(axis=-1) == 0
    return numbers / numbers.sum(axis=-1, keepdims=True)


def model(states: int, symbols: int, zeros: float, seed: int) -> Hmm:
    random = np.random.default_rng(seed)
    names = [f"s{number}" for number in range(states)]
    return checked("model", names, SYMBOLS[:symbols], rows(random, (states, states), zeros),
                   rows(random, (states, symbols), zeros), rows(random, (states,), zeros))  # fmt: skip


def sequence(letters: bytes) -> Sequence:
    return Sequence("sequence", letters, SequenceType.PROTEIN)


def draw(choose: Choose, states: tuple[int, ...] = STATES, longest: int = LONGEST) -> HmmProblem:
    """A model, dense or sparse, and a sequence with letters that it does not know."""
    seed = choose.integer(0, 2**32 - 1)
    hmm = model(choose.of(states), choose.integer(1, len(SYMBOLS)), choose.of(ZEROS), seed)
    length = choose.of(LENGTHS) if choose.of((True, False)) else choose.integer(0, longest)
    return HmmProblem(hmm, _letters(hmm, length, seed + 1), "missing")


def _letters(hmm: Hmm, length: int, seed: int) -> Sequence:
    letters = np.random.default_rng(seed).choice(list((hmm.alphabet + UNKNOWN).encode()), length)
    return sequence(letters.astype(np.uint8).tobytes())


def larger(choose: Choose) -> HmmProblem:
    return draw(choose, MORE_STATES, LONGER)


def draw_learning(choose: Choose, states: tuple[int, ...] = STATES, longest: int = LONGEST // 2) -> LearningProblem:
    """One to three sequences, of which one has letters; a model with zeros only where it can emit them all."""
    found = draw(choose, states, longest)
    lengths = (max(found.n, 1), *(choose.integer(0, 12) for _ in range(choose.integer(0, 2))))
    several = tuple(_letters(found.hmm, length, number) for number, length in enumerate(lengths))
    made = LearningProblem(found.hmm, several, "missing", choose.integer(1, 3), 0.0)
    if any(reference.log_likelihood(part) == -np.inf for part in made.parts):
        return replace(made, hmm=model(len(made.hmm), len(made.hmm.alphabet), 0.0, 1))
    return made


@lru_cache(maxsize=64)
def best(problem: HmmProblem) -> ViterbiAnswer:
    return answer(problem, reference.viterbi(problem))


@lru_cache(maxsize=64)
def posterior(problem: HmmProblem) -> PosteriorAnswer:
    found = reference.log_likelihood(problem)
    return PosteriorAnswer(found, None if found == -np.inf else reference.posterior(problem))


def same_path(problem: HmmProblem, found: ViterbiAnswer, expected: ViterbiAnswer, method: Method) -> None:
    """The same states; of a method that rounds, a path as probable."""
    if not method.exact:
        np.testing.assert_allclose(found.log_probability, expected.log_probability, rtol=0, atol=NEAR)
        return
    assert found.log_probability == expected.log_probability
    assert (found.states is None) == (expected.states is None), "one has a path"
    if found.states is not None:
        np.testing.assert_array_equal(found.states, expected.states)


def same_probability(problem: HmmProblem, found: Any, expected: Any, method: Method) -> None:
    np.testing.assert_allclose(found.log_probability, expected.log_probability, rtol=1e-12, atol=CLOSE)


def same_posterior(problem: HmmProblem, found: PosteriorAnswer, expected: PosteriorAnswer, method: Method) -> None:
    same_probability(problem, found, expected, method)
    assert (found.posterior is None) == (expected.posterior is None), "one is impossible"
    if found.posterior is not None and expected.posterior is not None:
        np.testing.assert_allclose(found.posterior, expected.posterior, rtol=0, atol=CLOSE)


def same_model(problem: LearningProblem, found: LearningAnswer, expected: LearningAnswer, method: Method) -> None:
    """Where a round raises the probability by what is rounding alone, one may end before the other."""
    rounds = min(len(found.log_probabilities), len(expected.log_probabilities))
    np.testing.assert_allclose(
        found.log_probabilities[:rounds], expected.log_probabilities[:rounds], rtol=1e-12, atol=CLOSE
    )
    for part in ("initial", "transitions", "emissions"):
        np.testing.assert_allclose(getattr(found.hmm, part), getattr(expected.hmm, part), rtol=0, atol=CLOSE)


def _order(hmm: Hmm) -> np.ndarray:
    return np.random.default_rng(len(hmm)).permutation(len(hmm))


def permuted(problem: Any) -> Any:
    """The same problem with the states in another order."""
    hmm, order = problem.hmm, _order(problem.hmm)
    names = [hmm.states[state] for state in order.tolist()]
    changed = checked(hmm.name, names, hmm.alphabet, hmm.transitions[np.ix_(order, order)], hmm.emissions[order],
                      hmm.initial[order])  # fmt: skip
    return replace(problem, hmm=changed)


def renamed(problem: Any) -> Any:
    """The same problem with the letters of the alphabet in another order: no answer changes."""
    hmm = problem.hmm
    changed = checked(hmm.name, hmm.states, hmm.alphabet[::-1], hmm.transitions, hmm.emissions[:, ::-1], hmm.initial)
    return replace(problem, hmm=changed)


def _same_permuted_path(problem: HmmProblem, found: ViterbiAnswer, changed: ViterbiAnswer, method: Method) -> None:
    """Of equally good paths another may be chosen; their costs are the same, and these are rounded logarithms."""
    np.testing.assert_allclose(changed.log_probability, found.log_probability, rtol=0, atol=NEAR)


def _same_permuted_posterior(
    problem: HmmProblem, found: PosteriorAnswer, changed: PosteriorAnswer, method: Method
) -> None:
    moved = None if found.posterior is None else found.posterior[:, _order(problem.hmm)]
    same_posterior(problem, changed, PosteriorAnswer(found.log_probability, moved), method)


def _same_permuted_model(
    problem: LearningProblem, found: LearningAnswer, changed: LearningAnswer, method: Method
) -> None:
    moved = permuted(replace(problem, hmm=found.hmm)).hmm
    same_model(problem, changed, LearningAnswer(moved, found.log_probabilities), method)


def _same_renamed_model(
    problem: LearningProblem, found: LearningAnswer, changed: LearningAnswer, method: Method
) -> None:
    moved = renamed(replace(problem, hmm=found.hmm)).hmm
    same_model(problem, changed, LearningAnswer(moved, found.log_probabilities), method)


def large(method: Method, backend: str, size: int) -> Run:
    """Few states: memory is that of the letters. Of rows that follow one another on a device, no more than one waits
    for in a test."""
    given = _parameters(method)
    if backend == "cuda" and "piece" not in given and 64 * size > MOST_IN_TURN:
        raise InputError(f"{64 * size} rows would follow one another")
    return _observed(FEW_STATES, 64 * size), given


def long(method: Method, backend: str, size: int) -> Run:
    return _observed(MANY_STATES, 16 * size), {}


def large_learning(method: Method, backend: str, size: int) -> Run:
    return _to_learn(large(method, backend, size), 1)


def long_learning(method: Method, backend: str, size: int) -> Run:
    return _to_learn(long(method, backend, size), 100)


def _to_learn(run: Run, iterations: int) -> Run:
    problem, given = run
    return LearningProblem(problem.hmm, (problem.sequence,), iterations=iterations), given


def _parameters(method: Method) -> dict[str, int]:
    wanted = {"threads": 2, "piece": PIECE}
    return {parameter.name: wanted[parameter.name] for parameter in method.parameters if parameter.name in wanted}


@lru_cache(maxsize=4)
def _observed(states: int, letters: int) -> HmmProblem:
    """Random letters; what the problem keeps of them is made now, as where it is built from what the user opened."""
    hmm = random_hmm(states, np.random.default_rng(states))
    text = np.random.default_rng(1).choice(np.frombuffer(hmm.alphabet.encode(), np.uint8), letters)
    problem = HmmProblem(hmm, sequence(text.tobytes()))
    problem.observations, problem.costs  # noqa: B018
    return problem


def _trials(
    oracle: Callable[[HmmProblem], Any], same: Callable[..., None], same_permuted: Callable[..., None]
) -> Trials:
    return Trials(
        draw=draw,
        oracle=oracle,
        same=same,
        large=large,
        long=long,
        larger=larger,
        symmetries=(Symmetry("permuted states", permuted, same_permuted), Symmetry("renamed letters", renamed, same)),
        unread=UNREAD,
    )


VITERBI = _trials(best, same_path, _same_permuted_path)
EVALUATION = _trials(lambda problem: EvaluationAnswer(reference.log_likelihood(problem)), same_probability,
                     same_probability)  # fmt: skip
POSTERIOR = _trials(posterior, same_posterior, _same_permuted_posterior)
LEARNING = Trials(
    draw=draw_learning,
    oracle=reference.baum_welch,
    same=same_model,
    large=large_learning,
    long=long_learning,
    larger=lambda choose: draw_learning(choose, MORE_STATES, LONGER // 2),
    symmetries=(
        Symmetry("permuted states", permuted, _same_permuted_model),
        Symmetry("renamed letters", renamed, _same_renamed_model),
    ),
    unlogged=lambda method, backend: frozenset({"estimation"}),
)
