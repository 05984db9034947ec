"""The problem of a model and a sequence, its exact costs, and the most probable path as an answer."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.model import Sequence
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count

STEP_LIMIT = 1 << 24
"""No possible step of a path costs more than this."""

OPTIONS = (
    Parameter(
        name="unknown",
        kind="choice",
        label="Unknown letters",
        help="What to do with letters outside the alphabet of the model. refuse: report an error. missing: treat them "
        "as not observed (every state emits them with probability 1).",
        default="refuse",
        choices=("refuse", "missing"),
    ),
)


class StepCosts(NamedTuple):
    """Negative logarithms of probabilities, as whole multiples of 1 / ``scale``; infinite where impossible.

    float64: ``initial`` (l,), ``transitions`` (l, l), ``emissions`` (m + 1, l), a row per symbol; the last row, all
    zero, is for a letter that is not in the alphabet. ``scale`` is a power of two.
    """

    initial: np.ndarray
    transitions: np.ndarray
    emissions: np.ndarray
    scale: float


@stored("hmm-problem")
@dataclass(frozen=True)
class HmmProblem:
    """A model, a sequence, and what to do with letters outside the alphabet ("refuse" or "missing")."""

    hmm: Hmm
    sequence: Sequence
    unknown: str = "refuse"

    @property
    def data(self) -> tuple[Hmm, Sequence]:
        """The inputs from which the problem was built."""
        return self.hmm, self.sequence

    @property
    def n(self) -> int:
        """Number of observed letters."""
        return len(self.sequence)

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.hmm)

    @property
    def cells(self) -> int:
        """Steps of the recurrence: n l^2."""
        return self.n * self.states**2

    @property
    def title(self) -> str:
        """Names of the model and the sequence."""
        return f"{self.hmm.name} x {self.sequence.name}"

    @property
    def size(self) -> str:
        """Numbers of states and observations, for people."""
        return f"{format_count(self.states, 'state')} x {format_count(self.n, 'observation')}"

    @cached_property
    def observations(self) -> np.ndarray:
        """The number of each letter in the alphabet, uint8, shape (n,); len(alphabet) for one that is not in it.

        InputError names the first letter outside the alphabet where ``unknown`` is "refuse". U is read as T, and T as
        U, where the alphabet has only one of them.
        """
        alphabet = self.hmm.alphabet
        codes = bytearray([len(alphabet)] * 256)
        for number, letter in enumerate(alphabet):
            codes[ord(letter)] = number
        for mine, other in (("T", "U"), ("U", "T")):
            if mine in alphabet and other not in alphabet:
                codes[ord(other)] = alphabet.index(mine)
        # Bytes are translated, and a byte is found in them, in a fifth of the time that indexing arrays takes.
        found = bytearray(self.sequence.letters).translate(codes)
        if self.unknown == "refuse" and (position := found.find(len(alphabet)) + 1):
            letter = chr(self.sequence.letters[position - 1])
            raise InputError(
                f"{self.sequence.name}: letter {letter!r} at position {position:,} is not in the alphabet "
                f"{alphabet} of {self.hmm.name}; choose another model, or treat such letters as not observed with "
                "--unknown missing"
            )
        return np.frombuffer(found, np.uint8)

    @cached_property
    def log_probabilities(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Natural logarithms of initial, transition and emission probabilities, laid out as in `StepCosts`."""
        with np.errstate(divide="ignore"):
            emissions = np.vstack([np.log(self.hmm.emissions.T), np.zeros(self.states)])
            return np.log(self.hmm.initial), np.log(self.hmm.transitions), emissions

    @cached_property
    def step_costs(self) -> StepCosts:
        """Costs that add up without rounding, so that every order of the sums gives the same number.

        The scale is the largest at which no possible step (an emission and a transition) costs more than 2**24.
        """
        parts = [-part for part in self.log_probabilities]
        most = [float(part[np.isfinite(part)].max(initial=0.0)) for part in parts]
        steepest = max(most[0], most[1] + most[2], 1.0)
        scale = 2.0 ** np.floor(np.log2(STEP_LIMIT / (steepest + 1e-3)))
        initial, transitions, emissions = (np.maximum(np.rint(part * scale), 0.0) for part in parts)
        return StepCosts(initial, transitions, emissions, float(scale))


@stored("viterbi-answer")
@dataclass(frozen=True, eq=False)
class ViterbiAnswer:
    """The most probable path: ``states`` (uint16, one per letter) and the natural logarithm of its probability.

    Where no path is possible, ``states`` is None and ``log_probability`` is minus infinity.
    """

    log_probability: float
    states: np.ndarray | None

    def check(self, problem: HmmProblem) -> None:
        """AssertionError where the path does not have its probability."""
        if self.states is None:
            assert self.log_probability == -np.inf, "there is no path, and it has a probability"
            return
        assert self.states.size == problem.n, f"{self.states.size} states for {problem.n} letters"
        initial, transitions, emissions = problem.log_probabilities
        total = 0.0
        if problem.n:
            terms = emissions[problem.observations, self.states]
            total = float(initial[self.states[0]] + terms.sum() + transitions[self.states[:-1], self.states[1:]].sum())
        assert np.isclose(total, self.log_probability, rtol=1e-9, atol=1e-9), (
            f"the path has log probability {total}, not {self.log_probability}"
        )


def make_answer(problem: HmmProblem, path: np.ndarray | None) -> ViterbiAnswer:
    """Make the answer of a path, or of none; its probability is computed from the model, not from the costs."""
    if path is None:
        return ViterbiAnswer(-np.inf, None)
    states = np.empty(path.size, np.uint16)
    if not path.size:
        return ViterbiAnswer(0.0, states)
    from antidiag.kernels.hmm.model import path_probability  # compiled code: not for those who only declare

    path = np.ascontiguousarray(path, np.int32)
    return ViterbiAnswer(
        float(path_probability.score_path(path, problem.observations, problem.log_probabilities, states)), states
    )


def make_answer_from_counts(
    problem: HmmProblem, states: np.ndarray, pairs: np.ndarray, emitted: np.ndarray
) -> ViterbiAnswer:
    """Make the answer of a path (uint16) from its counts.

    ``pairs`` (int32, l x l) and ``emitted`` (int32, (m + 1) x l) say how often each pair of states, and each symbol in
    each state, occurs.
    """
    from antidiag.kernels.hmm.model import path_probability

    return ViterbiAnswer(
        float(path_probability.score_counts(int(states[0]), pairs, emitted, problem.log_probabilities)), states
    )


def build_problem(data: Sequences[Any], options: Mapping[str, Any]) -> HmmProblem:
    """Build the problem of a model and a sequence; InputError names a letter that the model does not have."""
    hmm, sequence = data
    values = resolve_values(OPTIONS, options)
    problem = HmmProblem(hmm, sequence, values["unknown"])
    problem.observations  # noqa: B018 - a letter that the model does not know is an error now
    return problem


def default_options(data: Sequences[Any]) -> Mapping[str, Any]:
    """Return no defaults: the options do not depend on the data."""
    return {}
