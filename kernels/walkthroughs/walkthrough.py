"""Walkthroughs: declarations of the step-by-step animation of a method (``Method.walkthrough_name``)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.errors import InputError
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import Animation

MOST_CELLS = 6000
"""Largest number of cells of an animation; more cannot be read."""


@dataclass(frozen=True, eq=False)
class Walkthrough:
    """Declaration of the step-by-step animation of a method.

    ``inputs`` define the answer and are typed as texts and numbers: sequences, a matrix, scores. ``parameters`` change
    the order of the cells but not the answer: s, h, T, workers. ``problem(values)`` builds the problem or raises
    InputError or ParameterError; ``play(problem, values)`` makes the animation. ``draw(choose)`` returns random inputs
    for exercises and tests. ``agrees(play, answer)`` raises AssertionError if the animation does not end in the answer
    of the method. ``size(problem)`` is the approximate number of cells.
    """

    inputs: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    build_problem: Callable[[Mapping[str, Any]], Any]
    animate: Callable[[Any, Mapping[str, Any]], Animation]
    draw_inputs: Callable[[TrialChooser], dict[str, Any]]
    assert_agrees: Callable[[Animation, Any], None]
    estimate_cells: Callable[[Any], int] = lambda problem: problem.cells

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        """Inputs and parameters together."""
        return (*self.inputs, *self.parameters)

    def resolve_values(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a value for every input and parameter; raise ParameterError for unknown names and invalid values."""
        return resolve_values(self.all_parameters, given)

    def make_animation(self, given: Mapping[str, Any]) -> Animation:
        """Return the animation of these values and defaults; raise InputError if it has no step or too many cells."""
        values = self.resolve_values(given)
        problem = self.build_problem(values)
        size = self.estimate_cells(problem)
        if size > MOST_CELLS:
            raise InputError(
                f"an animation of {size:,} cells is too large; shorten the inputs to at most {MOST_CELLS:,} cells"
            )
        play = self.animate(problem, values)
        if not len(play):
            raise InputError("these inputs need no computation; give more or longer inputs")
        return play


def load_walkthrough(method: Method) -> Walkthrough | None:
    """Import and return the walkthrough of a method; None if it has none."""
    if not method.teaching.walkthrough_name:
        return None
    module, name = method.teaching.walkthrough_name.split(":")
    return getattr(importlib.import_module(module), name)
