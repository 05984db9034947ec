"""Peer: programs and libraries of others that solve the same problems, declared as our methods are.

A peer is measured by the same harness. It is offered for a problem only where it computes the same thing: the
same scoring, the same mode, the same answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.memory import format_bytes, host_bytes_free
from antidiag.kernels.method import DataKind, Method, ProblemType


@dataclass(frozen=True, slots=True)
class Peer:
    """A program or library of others.

    ``problems`` are the types of problems that it solves; instead, a program that takes ``any_number_of``
    data of a kind solves every problem of such data. ``returns`` is what it gives, as a method's; ``criterion``
    is that of the methods that compute the same thing, where not all do. ``counts`` says what its
    time covers, ``version()`` which one is here (None: not installed, ``install`` says how). ``refusal(problem)``
    is why it cannot do this problem, or ""; ``host_bytes(problem)`` what it needs. ``prepare(problem)`` gives a
    function without arguments: a call of it is what the clock measures, and everything before it, such as copying
    the scores into the peer's own matrix, is not. ``score(value)`` is the score in what that call returned, in the
    units of the matrix, where there is one; ``answer(value)`` is the answer in a few characters.
    """

    id: str
    name: str
    problems: tuple[ProblemType, ...]
    returns: frozenset[str]
    counts: str
    install: str
    version: Callable[[], str | None]
    refusal: Callable[[Any], str]
    prepare: Callable[[Any], Callable[[], Any]]
    answer: Callable[[Any], str]
    score: Callable[[Any], float | None] = lambda value: None
    host_bytes: Callable[[Any], int] = lambda problem: 0
    nominal_gcups: float = 1.0
    is_exact: bool = True
    any_number_of: DataKind | None = None
    criterion: str = ""

    def solves_problem(self, problem: ProblemType) -> bool:
        """Return whether it takes problems of this type; optional inputs, such as a guide tree, do not matter."""
        takes = [one for one in problem.inputs if one.minimum]
        many = bool(takes) and all(one.kind is self.any_number_of and one.maximum is None for one in takes)
        return many or problem in self.problems

    def accepts(self, method: Method) -> bool:
        """Return whether it solves the problem of a method and returns what the method returns."""
        beside = {"tree"} if "alignment" in method.returns else set()  # a guide tree beside an alignment
        if not self.solves_problem(method.problem_type) or not self.returns >= method.returns - beside:
            return False
        return not self.criterion or self.criterion == method.criterion

    def why_not(self, problem: Any) -> str:
        """Return why it cannot be measured on this problem here, or ""."""
        if self.version() is None:
            return f"{self.name} is not installed; {self.install}"
        if (needed := self.host_bytes(problem)) > (free := host_bytes_free()):
            return f"it needs {format_bytes(needed)} of host memory; {format_bytes(free)} is free"
        return self.refusal(problem)
