"""Trials: random problems, correct answers and comparisons for testing the methods of a problem type.

A problem type names its `Trials` in ``ProblemType.trials_name``. They draw small problems with lengths around every
border of strips and chunks, compute the correct answer, compare answers, and make large problems for measurements.
Choices come from a `TrialChooser`: Hypothesis in the tests, which shrinks failing examples, and NumPy elsewhere.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Result
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import SubstitutionMatrix, match_mismatch, named_matrix

Choice = TypeVar("Choice")

SMALL_STEPS = (0, 2, 5)
"""Steps above its minimum at which an integer parameter is tried: small values divide a problem into many pieces."""
MATCH_SCORES = ((2, -3), (1, -1), (5, -4), (1, 0), (0, 0), (1, 1))
"""Pairs of match and mismatch scores."""


class TrialChooser(Protocol):
    """Source of random choices."""

    def draw_integer(self, low: int, high: int) -> int:
        """A number from low to high, both included."""

    def choose_one(self, options: Sequence[Choice]) -> Choice:
        """One of these."""

    def make_generator(self) -> np.random.Generator:
        """Return a random generator for data that need not shrink, such as letters."""


class RandomChooser:
    """Pseudo-random choices, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def draw_integer(self, low: int, high: int) -> int:
        """A number from low to high, both included."""
        return int(self._random.integers(low, high, endpoint=True))

    def choose_one(self, options: Sequence[Choice]) -> Choice:
        """Return one of these with equal probability."""
        return options[int(self._random.integers(len(options)))]

    def make_generator(self) -> np.random.Generator:
        """Return a random generator with a drawn seed."""
        return np.random.default_rng(self._random.integers(2**32))


@dataclass(frozen=True, slots=True)
class ProblemSymmetry:
    """A change of a problem with a known effect on the answer.

    ``change(problem)`` returns the changed problem, or None if the change is not possible. ``same(problem, found,
    changed, method)`` raises AssertionError if the answers ``found`` of the problem and ``changed`` of the changed
    problem do not correspond.
    """

    name: str
    transform: Callable[[Any], Any | None]
    assert_same_answer: Callable[[Any, Any, Any, Method], None]


ProblemAndParameters = tuple[Any, Mapping[str, Any]]
"""A problem, and the values of parameters that affect its memory or time."""


@dataclass(frozen=True, slots=True)
class Trials:
    """How the methods of a problem type are tested.

    Fields
    ------
    draw, examples
        ``draw(choose)`` returns a small problem that the textbook can solve; ``examples`` problems are drawn per test.
    oracle
        ``oracle(problem)`` returns the correct answer, or None if ``same`` checks an answer without it.
    same
        ``same(problem, found, expected, method)`` raises AssertionError if the answer of a method is wrong. Parts that
        the method does not return are not compared.
    large, long
        ``large(method, backend, size)`` and ``long(...)`` return problem and parameters of a run that needs much memory
        for little time, or much time for little memory. Equal sizes give equal problems; size 1 needs a few KiB.
    larger
        ``larger(choose)`` returns a problem with more pieces per side, on which methods are compared with each other.
    symmetries
        See `ProblemSymmetry`.
    values
        ``values(method, backend, drawn)`` adjusts drawn parameters, for example to compile fewer combinations.
    unlogged
        ``unlogged(method, backend)`` returns phases that compute no chunk and are not in the step log.
    read_back, unread
        ``read_back(result, data)`` raises AssertionError if data from a saved file differ from the result; by default
        they must equal the result's extracted data. ``unread`` are suffixes of formats that cannot be read back.
    """

    draw_problem: Callable[[TrialChooser], Any]
    solve_by_textbook: Callable[[Any], Any]
    assert_same_answer: Callable[[Any, Any, Any, Method], None]
    make_large_problem: Callable[[Method, str, int], ProblemAndParameters]
    make_long_problem: Callable[[Method, str, int], ProblemAndParameters]
    draw_larger_problem: Callable[[TrialChooser], Any] | None = None
    symmetries: tuple[ProblemSymmetry, ...] = ()
    adjust_values: Callable[[Method, str, dict[str, Any]], dict[str, Any]] = lambda method, backend, values: values
    phases_without_steps: Callable[[Method, str], frozenset[str]] = lambda method, backend: frozenset()
    assert_read_back: Callable[[Result, Sequence[Any]], None] | None = None
    unread_suffixes: frozenset[str] = frozenset()
    example_count: int = 24

    def draw_parameters(self, method: Method, backend: str, choose: TrialChooser) -> dict[str, Any]:
        """Draw values of all parameters that a backend of a method uses."""
        used = [parameter for parameter in method.parameters.declared() if backend in parameter.backends]
        return self.adjust_values(
            method, backend, {parameter.name: _draw_value(parameter, choose) for parameter in used}
        )


def load_trials(problem: ProblemType) -> Trials:
    """Import and return the trials of a problem type."""
    assert problem.trials_name, f"the problem type {problem.id} does not say how its methods are tried"
    module, name = problem.trials_name.split(":")
    return getattr(importlib.import_module(module), name)


def draw_length(choose: TrialChooser, borders: Sequence[int], longest: int, shortest: int = 1) -> int:
    """Draw one of the lengths around the borders of pieces, or any length from ``shortest`` to ``longest``."""
    return choose.choose_one(borders) if choose.choose_one((True, False)) else choose.draw_integer(shortest, longest)


def draw_matrix(choose: TrialChooser) -> SubstitutionMatrix:
    """Draw a match and mismatch matrix, BLOSUM62, or arbitrary scores, asymmetric and partly beyond 8 bits."""
    kind = choose.choose_one(("compare", "blosum", "any", "wide"))
    if kind == "compare":
        return match_mismatch(*choose.choose_one(MATCH_SCORES))
    if kind == "blosum":
        return named_matrix("BLOSUM62")
    values = np.array([choose.draw_integer(-5, 5) for _ in range(16)], float).reshape(4, 4)
    return SubstitutionMatrix(kind, "ABCD", (1 if kind == "any" else 100) * values)


def _draw_value(parameter: Parameter, choose: TrialChooser) -> Any:
    """Draw a choice, a number near the minimum (`SMALL_STEPS`), or the automatic value."""
    automatic = [None] if parameter.default is None else []
    match parameter.kind:
        case "choice":
            return choose.choose_one([*parameter.choices, *automatic])
        case "bool":
            return choose.choose_one([False, True, *automatic])
        case "int":
            numbers = [int((parameter.minimum or 0) + k * parameter.step) for k in SMALL_STEPS]
            fitting = [number for number in numbers if parameter.maximum is None or number <= parameter.maximum]
            return choose.choose_one([*fitting, *automatic])
        case _:
            return parameter.default
