"""Evaluation, posterior and learning: problems over all paths of a model, and their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.hmm.model import formats, hmm
from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.model.problem import OPTIONS, HmmProblem
from antidiag.kernels.hmm.model.problem import build_problem as build_one
from antidiag.kernels.method import FileFormat, LabelledRows
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.monitor import Monitor, PartMonitor
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count

PROBABILITY_TOLERANCE = 1e-6
LEARNED_SUFFIX = " (learned)"

LEARNING_OPTIONS = (
    *OPTIONS,
    Parameter(
        name="iterations",
        kind="int",
        label="Iterations",
        help="Largest number of iterations.",
        default=100,
        minimum=1,
        maximum=100_000,
    ),
    Parameter(
        name="tolerance",
        kind="float",
        label="Tolerance",
        help="Stop when an iteration raises the log probability by less than this.",
        default=1e-4,
        minimum=0.0,
        unit="nats",
    ),
)


@stored("hmm-evaluation-answer")
@dataclass(frozen=True)
class EvaluationAnswer:
    """The natural logarithm of the probability of the sequence; minus infinity where it is impossible."""

    log_probability: float

    sweeps = 1
    """Passes of l^2 steps per letter: one, forward."""

    def check(self, problem: HmmProblem) -> None:
        """AssertionError where it is no logarithm of a probability."""
        assert self.log_probability <= PROBABILITY_TOLERANCE, f"a probability of e^{self.log_probability}"


@stored("hmm-posterior-answer")
@dataclass(frozen=True, eq=False)
class PosteriorAnswer:
    """``posterior[k, s]`` is the probability of state s at letter k, float64; None where impossible."""

    log_probability: float
    posterior: np.ndarray | None = field(repr=False)

    @property
    def sweeps(self) -> int:
        """Passes of l^2 steps per letter: forward and, if the sequence is possible, backward."""
        return 1 if self.posterior is None else 2

    @property
    def states(self) -> np.ndarray | None:
        """The most probable state at each letter (the smallest of equals); they need not make a path."""
        return None if self.posterior is None else self.posterior.argmax(axis=1).astype(np.uint16)

    def check(self, problem: HmmProblem) -> None:
        """AssertionError where the probabilities of a letter do not sum to one."""
        if self.posterior is None:
            assert self.log_probability == -np.inf, "a possible sequence has a posterior"
            return
        assert self.posterior.shape == (problem.n, problem.states), f"shape {self.posterior.shape}"
        assert np.allclose(self.posterior.sum(axis=1), 1, atol=PROBABILITY_TOLERANCE), (
            "the states of a letter do not sum to one"
        )


@stored("hmm-learning-problem")
@dataclass(frozen=True)
class LearningProblem:
    """A model to start from, sequences to learn from, and when to stop."""

    hmm: Hmm
    sequences: tuple[Sequence, ...]
    unknown: str = "refuse"
    iterations: int = 100
    tolerance: float = 1e-4

    @property
    def data(self) -> tuple[Any, ...]:
        """The inputs from which the problem was built."""
        return (self.hmm, *self.sequences)

    @property
    def parts(self) -> tuple[HmmProblem, ...]:
        """A problem for each sequence that has letters."""
        return tuple(HmmProblem(self.hmm, each, self.unknown) for each in self.sequences if len(each))

    @property
    def letters(self) -> int:
        """Letters of all sequences."""
        return sum(map(len, self.sequences))

    @property
    def cells(self) -> int:
        """Steps of one pass: letters times l^2."""
        return self.letters * len(self.hmm) ** 2

    @property
    def title(self) -> str:
        """Names of the model and the number of sequences."""
        return f"{self.hmm.name} x {format_count(len(self.sequences), 'sequence')}"

    @property
    def size(self) -> str:
        """Numbers of states, observations and rounds, for people."""
        rounds = format_count(self.iterations, "iteration")
        return f"{format_count(len(self.hmm), 'state')} x {format_count(self.letters, 'observation')}, {rounds} at most"


@stored("hmm-learning-answer")
@dataclass(frozen=True)
class LearningAnswer:
    """The model that was learned, and the logarithm of the probability of all sequences before each round and at the
    end.
    """

    hmm: Hmm
    log_probabilities: tuple[float, ...]

    @property
    def sweeps(self) -> int:
        """Passes of l^2 steps per letter: for every model forward, backward, and to count transitions."""
        return 3 * len(self.log_probabilities)

    def check(self, problem: LearningProblem) -> None:
        """AssertionError where the sequences became less probable, or a row does not sum to one."""
        for before, after in zip(self.log_probabilities, self.log_probabilities[1:], strict=False):
            assert after >= before - PROBABILITY_TOLERANCE * max(1.0, abs(before)), (
                f"learning went from {before} to {after}"
            )
        for rows in (self.hmm.transitions, self.hmm.emissions, self.hmm.initial[None]):
            assert np.allclose(rows.sum(axis=1), 1, atol=PROBABILITY_TOLERANCE), (
                "a row of the learned model does not sum to one"
            )


def estimate_model(model: Hmm, first: np.ndarray, pairs: np.ndarray, letters: np.ndarray) -> Hmm:
    """Return the model that expected counts make most probable; a row without counts stays as it was.

    ``first`` (l,) counts the states at the starts, ``pairs`` (l, l) the transitions, ``letters`` (l, m) the emissions.
    """

    def take_shares(counts: np.ndarray, before: np.ndarray) -> np.ndarray:
        totals = counts.sum(axis=-1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.where(totals > 0, counts / totals, before)
        found.setflags(write=False)
        return found

    return replace(
        model,
        initial=take_shares(first, model.initial),
        transitions=take_shares(pairs, model.transitions),
        emissions=take_shares(letters, model.emissions),
    )


ExpectedCounts = tuple[float, np.ndarray, np.ndarray, np.ndarray]
"""The logarithm of the probability of all sequences under a model, and the counts that `estimate_model` takes."""


def learn_model(
    problem: LearningProblem,
    count: Callable[[Hmm, Monitor, int], ExpectedCounts],
    monitor: Monitor,
    time_phase: Callable[[str], AbstractContextManager[None]] = lambda phase: nullcontext(),
) -> LearningAnswer:
    """Count and estimate in rounds, until the tolerance or the number of rounds is reached.

    ``count(model, monitor, number)`` is one round; its monitor reports that part of the whole. ``timed`` measures the
    phase "estimation".
    """
    model, history = problem.hmm, list[float]()
    for iteration in range(problem.iterations + 1):
        total, *counts = count(model, PartMonitor(monitor, iteration, problem.iterations + 1, "learning"), iteration)
        history.append(total)
        if len(history) > 1 and total - history[-2] < problem.tolerance:
            break
        if iteration < problem.iterations:
            with time_phase("estimation"):
                model = estimate_model(model, *counts)
    monitor.update(problem.iterations + 1, problem.iterations + 1, "learning")
    return LearningAnswer(_name_learned_model(model, problem, len(history) - 1), tuple(history))


def _name_learned_model(model: Hmm, problem: LearningProblem, rounds: int) -> Hmm:
    """Name the learned model after the one that it began with; it comes from no file."""
    first = problem.hmm.name.removesuffix(LEARNED_SUFFIX)
    letters = format_count(problem.letters, "letter")
    note = f"Learned from {letters} in {format_count(rounds, 'round')}, beginning with {problem.hmm.name}."
    return replace(model, name=first + LEARNED_SUFFIX, source="", note=note)


def impossible_sequence_error(problem: HmmProblem) -> InputError:
    """Make the error for a sequence that the model cannot emit."""
    return InputError(f"{problem.title}: the model cannot emit this sequence; take zeros out of the model")


def build_learning_problem(data: Sequences[Any], options: Mapping[str, Any]) -> LearningProblem:
    """Build the problem of a model and one or more sequences; InputError where none has a letter."""
    model, *sequences = data
    values = resolve_values(LEARNING_OPTIONS, options)
    if not any(map(len, sequences)):
        raise InputError("there is nothing to learn from: all sequences are empty; add a sequence with letters")
    for each in sequences:
        build_one([model, each], {"unknown": values["unknown"]})
    return LearningProblem(model, tuple(sequences), values["unknown"], values["iterations"], values["tolerance"])


def collect_evaluation_fields(result: Result) -> dict[str, Any]:
    """Return the fields of the JSON of a probability."""
    return {
        **formats.collect_model_fields(result.problem),
        "log_probability": formats.finite_or_none(result.answer.log_probability),
    }


def list_evaluation_rows(result: Result) -> LabelledRows:
    """List a probability for people."""
    return [("Log probability", f"{result.answer.log_probability:,.6f} (natural logarithm, over all paths)")]


def describe_log_probability(result: Result) -> str:
    """Describe a probability in one line."""
    return f"log p {result.answer.log_probability:,.6g}"


def collect_posterior_fields(result: Result) -> dict[str, Any]:
    """Return the JSON of the most probable states; the probabilities themselves are saved as TSV."""
    found = result.answer.states
    names = result.problem.hmm.states
    states = None if found is None else [names[state] for state in found.tolist()]
    return {**collect_evaluation_fields(result), "states": states}


def write_posterior_table(result: Result) -> Iterator[str]:
    """Yield a line per letter: position from 1, letter, and the probability of every state."""
    problem, found = result.problem, result.answer.posterior
    if found is None:
        raise InputError(f"{problem.title}: the model cannot emit this sequence; there is no posterior to save")
    yield "\t".join(("position", "letter", *problem.hmm.states)) + "\n"
    for position, (letter, row) in enumerate(zip(problem.sequence.letters.decode("ascii"), found, strict=True), 1):
        yield f"{position}\t{letter}\t" + "\t".join(f"{value:.6g}" for value in row.tolist()) + "\n"


def collect_learning_fields(result: Result) -> dict[str, Any]:
    """Return the fields of the JSON of a learned model."""
    found = result.answer
    return {
        "log_probabilities": list(found.log_probabilities),
        "log_probability": found.log_probabilities[-1],
        "iterations": len(found.log_probabilities) - 1,
        "model": {
            "name": found.hmm.name,
            "states": list(found.hmm.states),
            "alphabet": found.hmm.alphabet,
            "initial": found.hmm.initial.tolist(),
            "transitions": found.hmm.transitions.tolist(),
            "emissions": found.hmm.emissions.tolist(),
        },
    }


def list_learning_rows(result: Result) -> LabelledRows:
    """List the course of learning for people."""
    values = result.answer.log_probabilities
    return [
        ("Iterations", f"{len(values) - 1:,}"),
        ("Log probability", f"{values[0]:,.4f} before, {values[-1]:,.4f} after"),
    ]


def collect_learning_options(problem: LearningProblem) -> Mapping[str, Any]:
    """Return the options from which the problem can be built again."""
    return {"unknown": problem.unknown, "iterations": problem.iterations, "tolerance": problem.tolerance}


POSTERIOR_FORMATS = (FileFormat(".tsv", "Posterior probabilities", "posterior", iterate_lines=write_posterior_table),)
LEARNING_FORMATS = (
    FileFormat(".hmm", "Model", "model", iterate_lines=lambda result: [hmm.format_json(result.answer.hmm)]),
)
