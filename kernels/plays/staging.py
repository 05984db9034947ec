"""How a method is played: declared beside the method, as its trials are, in ``Method.staging``."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.errors import InputError
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.plays.model import Play
from antidiag.kernels.trials import Choose

MOST_CELLS = 6000
"""Cells of a play: more cannot be read, and every one of them has a formula."""


@dataclass(frozen=True, eq=False)
class Staging:
    """A method as a play.

    ``inputs`` are what defines the answer, as texts and numbers that can be typed: sequences, a matrix, scores.
    ``parameters`` change the order of the cells and never the answer: s, h, T, workers. ``problem(values)`` makes the
    problem of the inputs, and raises InputError or ParameterError; ``play(problem, values)`` plays it. ``draw(choose)``
    gives values of inputs by chance: for exercises, and for the tests. ``agrees(play, answer)`` raises AssertionError
    where a play does not end in the answer of the method. ``size(problem)`` is about how many cells it will have.
    """

    inputs: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    problem: Callable[[Mapping[str, Any]], Any]
    play: Callable[[Any, Mapping[str, Any]], Play]
    draw: Callable[[Choose], dict[str, Any]]
    agrees: Callable[[Play, Any], None]
    size: Callable[[Any], int] = lambda problem: problem.cells

    @property
    def declared(self) -> tuple[Parameter, ...]:
        """Inputs and parameters."""
        return (*self.inputs, *self.parameters)

    def values(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """A value for everything that is declared; ParameterError for unknown names and values out of range."""
        return resolve(self.declared, given)

    def make(self, given: Mapping[str, Any]) -> Play:
        """The play of these values, the defaults for all others; InputError where it has no step, or too many cells."""
        values = self.values(given)
        problem = self.problem(values)
        size = self.size(problem)
        if size > MOST_CELLS:
            raise InputError(
                f"a play of {size:,} cells cannot be followed; give shorter inputs, of at most {MOST_CELLS:,} cells"
            )
        play = self.play(problem, values)
        if not len(play):
            raise InputError("there is nothing to compute here, and so no step to follow; give more, or longer, inputs")
        return play


def of(method: Method) -> Staging | None:
    """How a method is played; None where it is not. Imports its textbook now."""
    if not method.staging:
        return None
    module, name = method.staging.split(":")
    return getattr(importlib.import_module(module), name)
