"""Trials: how the methods of a problem type are tried, declared beside the textbook that says what is right.

A problem type names its `Trials` in ``ProblemType.trials``. They draw problems around every border, know the right
answer, say when two answers are the same, and make large problems for what is measured. Who tries decides who chooses:
Hypothesis does in the tests, where what fails is made small, and NumPy does elsewhere (`Chance`).
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

SMALLEST = (0, 2, 5)
"""Of a whole number, so many steps above its minimum are tried: they cut a small problem into many pieces."""
COMPARED = ((2, -3), (1, -1), (5, -4), (1, 0), (0, 0), (1, 1))
"""Scores of equal and of other letters."""


class Choose(Protocol):
    """Who decides what is drawn."""

    def integer(self, low: int, high: int) -> int:
        """A number from low to high, both included."""

    def of(self, options: Sequence[Choice]) -> Choice:
        """One of these."""

    def random(self) -> np.random.Generator:
        """A generator for what is not worth making small, such as letters."""


class Chance:
    """Choices by chance, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def integer(self, low: int, high: int) -> int:
        """A number from low to high, both included."""
        return int(self._random.integers(low, high, endpoint=True))

    def of(self, options: Sequence[Choice]) -> Choice:
        """One of these, each as likely."""
        return options[int(self._random.integers(len(options)))]

    def random(self) -> np.random.Generator:
        """A generator whose seed is drawn."""
        return np.random.default_rng(self._random.integers(2**32))


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A change of the problem of which one knows what it does to the answer.

    ``change(problem)`` is the changed problem, or None where the change has no meaning. ``same(problem, found, changed,
    method)`` raises AssertionError where ``changed`` is not the answer of it, if ``found`` is that of the problem.
    """

    name: str
    change: Callable[[Any], Any | None]
    same: Callable[[Any, Any, Any, Method], None]


Run = tuple[Any, Mapping[str, Any]]
"""A problem, and values of those parameters that matter to its size or time."""


def _as_drawn(method: Method, backend: str, values: dict[str, Any]) -> dict[str, Any]:
    return values


def _none(method: Method, backend: str) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True, slots=True)
class Trials:
    """How the methods of a problem type are tried.

    - ``draw(choose)``: a small problem, around every border of every method of the type, that the textbook can solve;
    - ``oracle(problem)``: its right answer, or None where ``same`` needs none to check an answer independently;
    - ``same(problem, found, expected, method)``: raises AssertionError where an answer of this method is not the
      expected one; what a method does not return is not compared;
    - ``large(method, backend, size)``: problem and parameters of a run that takes much memory for little time; memory
      grows with size, from a few KiB where size is 1, and the same size gives the same problem;
    - ``long(method, backend, size)``: the same of a run that takes much time for little memory;
    - ``larger(choose)``: a problem with more pieces along each side than ``draw`` gives, out of the textbook's reach,
      on which the methods are compared with each other;
    - ``symmetries``: see `Symmetry`;
    - ``values(method, backend, drawn)``: values of parameters that take the place of those that were drawn, such as to
      have fewer combinations compiled;
    - ``unlogged(method, backend)``: phases that compute no chunk, so that the step log has none of them;
    - ``read_back(result, data)``: raises AssertionError where ``data``, read from a file that the result was saved as,
      are not those of the result; where it is not given, the data among them are to equal the products of the result;
    - ``unread``: suffixes of formats for people alone, or whose letters stand in another file, though files of some
      kind of data have these suffixes too;
    - ``examples``: how many problems are drawn; a check may take a part of them.
    """

    draw: Callable[[Choose], Any]
    oracle: Callable[[Any], Any]
    same: Callable[[Any, Any, Any, Method], None]
    large: Callable[[Method, str, int], Run]
    long: Callable[[Method, str, int], Run]
    larger: Callable[[Choose], Any] | None = None
    symmetries: tuple[Symmetry, ...] = ()
    values: Callable[[Method, str, dict[str, Any]], dict[str, Any]] = _as_drawn
    unlogged: Callable[[Method, str], frozenset[str]] = _none
    read_back: Callable[[Result, Sequence[Any]], None] | None = None
    unread: frozenset[str] = frozenset()
    examples: int = 24

    def parameters(self, method: Method, backend: str, choose: Choose) -> dict[str, Any]:
        """Values of all parameters of a method that its backend uses."""
        used = [parameter for parameter in method.parameters if backend in parameter.backends]
        return self.values(method, backend, {parameter.name: _value(parameter, choose) for parameter in used})


def of(problem: ProblemType) -> Trials:
    """The trials of a problem type; imports its textbook now."""
    assert problem.trials, f"the problem type {problem.id} does not say how its methods are tried"
    module, name = problem.trials.split(":")
    return getattr(importlib.import_module(module), name)


def matrix(choose: Choose) -> SubstitutionMatrix:
    """Match and mismatch, BLOSUM62, or any scores at all, not even symmetric ones, some beyond 8 bits."""
    kind = choose.of(("compare", "blosum", "any", "wide"))
    if kind == "compare":
        return match_mismatch(*choose.of(COMPARED))
    if kind == "blosum":
        return named_matrix("BLOSUM62")
    values = np.array([choose.integer(-5, 5) for _ in range(16)], float).reshape(4, 4)
    return SubstitutionMatrix(kind, "ABCD", (1 if kind == "any" else 100) * values)


def _value(parameter: Parameter, choose: Choose) -> Any:
    """Of a choice any, of a number one of the `SMALLEST`; and what is automatic."""
    automatic = [None] if parameter.default is None else []
    match parameter.kind:
        case "choice":
            return choose.of([*parameter.choices, *automatic])
        case "bool":
            return choose.of([False, True, *automatic])
        case "int":
            numbers = [int((parameter.minimum or 0) + k * parameter.step) for k in SMALLEST]
            fitting = [number for number in numbers if parameter.maximum is None or number <= parameter.maximum]
            return choose.of([*fitting, *automatic])
        case _:
            return parameter.default
