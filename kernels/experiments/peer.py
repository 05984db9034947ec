"""Peer: programs and libraries of others that solve the same problems, declared as our methods are.

A peer is measured by the same harness. It is offered for a problem only where it computes the same thing: the
same scoring, the same mode, the same answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernels.memory import bytes_text, host_bytes_free


@dataclass(frozen=True, slots=True)
class Peer:
    """A program or library of others.

    ``problems`` are identifiers of problem types; ``returns`` what it gives, as a method's. ``counts`` says what
    its time covers, ``version()`` which one is here (None: not installed, ``install`` says how). ``refusal(problem)``
    is why it cannot do this problem, or ""; ``host_bytes(problem)`` what it needs. ``prepare(problem)`` gives a
    function without arguments: a call of it is what the clock measures, and everything before it, such as copying
    the scores into the peer's own matrix, is not. ``score(value)`` is the score in what that call returned, in the
    units of the matrix, ``answer(value)`` the answer in a few characters.
    """

    id: str
    name: str
    problems: frozenset[str]
    returns: frozenset[str]
    counts: str
    install: str
    version: Callable[[], str | None]
    refusal: Callable[[Any], str]
    prepare: Callable[[Any], Callable[[], Any]]
    score: Callable[[Any], float | None]
    answer: Callable[[Any], str]
    host_bytes: Callable[[Any], int] = lambda problem: 0
    nominal_gcups: float = 1.0
    exact: bool = True

    def why_not(self, problem: Any) -> str:
        """Why it cannot be measured on this problem here, or ""."""
        if self.version() is None:
            return f"{self.name} is not installed; {self.install}"
        if (needed := self.host_bytes(problem)) > (free := host_bytes_free()):
            return f"it needs {bytes_text(needed)} of host memory; {bytes_text(free)} is free"
        return self.refusal(problem)
