"""Changes that make a run fit into memory, and the recommended method for some data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, cast

from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice, plan_run
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.method import Method
from antidiag.kernels.run_plan import RunPlan

MOST = 4
MOST_CHANGES = 2
"""Largest number of changes of the refused method's own parameters."""


@dataclass(frozen=True, eq=False)
class FittingChange:
    """A change in words that makes a refused run fit, with the plan and the given values of the changed run."""

    change: str
    plan: RunPlan
    given: Mapping[str, Any]

    @property
    def format_text(self) -> str:
        """Change and memory in words: 'CheckpointedAlignment on the CPU (needs 1.2 GiB of main memory)'."""
        return f"{self.change} ({_describe_needs(self.plan)})"


def find_fitting_changes(refused: RunPlan, given: Mapping[str, Any]) -> tuple[FittingChange, ...]:
    """Return at most four changes, each of which alone makes the refused run fit.

    Own parameters come first, then the other backend, then other methods by their memory: first those that return at
    least as much, then those that return less.
    """
    found = chain(
        islice(_parameter_changes(refused, refused.method, given, refused.backend), MOST_CHANGES),
        _other_backends(refused, given),
        _other_methods(refused),
    )
    return tuple(islice(found, MOST))


@dataclass(frozen=True, eq=False)
class MethodSuggestion:
    """A recommended method and the reason as a clause: "it is made for data of this size"."""

    method: Method
    reason: str


def suggest_method(methods: Iterable[Method], data: Sequence[Any], backend: str) -> MethodSuggestion | None:
    """Return the recommended one of several methods of a problem type for some data, or None.

    It is the method whose ``is_recommended_for`` accepts the data, else the one that ``ProblemType.recommend_method``
    returns.
    """
    known = {method.id: method for method in methods}
    for method in known.values():
        if method.is_recommended_for and method.is_recommended_for(data):
            return MethodSuggestion(method, "it is made for data of this size")
    recommend = next((method.problem_type.recommend_method for method in known.values()), None)
    found = recommend(data, backend) if recommend else None
    return MethodSuggestion(known[found[0]], found[1]) if found and found[0] in known else None


def _other_backends(refused: RunPlan, given: Mapping[str, Any]) -> Iterator[FittingChange]:
    """Yield the same run on the other backend."""
    for backend in refused.method.backends:
        name = _method_on_backend(refused.method, backend)
        if backend != refused.backend and (found := _try_change(name, refused, refused.method, given, backend)):
            yield found


def _other_methods(refused: RunPlan) -> Iterator[FittingChange]:
    """Yield other methods with automatic parameters, or with a parameter value that makes them fit."""
    others = [
        method
        for method in registry.METHODS
        if method.problem_type is refused.method.problem_type and method is not refused.method
    ]
    wanted = refused.method.returns
    for as_much in (True, False):
        fitting = [
            found if as_much else replace(found, change=f"{found.change}, without {_missing_outputs(method, wanted)}")
            for method in others
            if (method.returns >= wanted) == as_much
            for backend in method.backends
            for found in islice(_fitting_plans(refused, method, backend), 1)
        ]
        yield from sorted(fitting, key=lambda found: _total_bytes(found.plan))


def _fitting_plans(refused: RunPlan, method: Method, backend: str) -> Iterator[FittingChange]:
    name = _method_on_backend(method, backend)
    if found := _try_change(name, refused, method, {}, backend):
        yield found
    for changed in _parameter_changes(refused, method, {}, backend):
        yield replace(changed, change=f"{name} with {changed.change}")


def _parameter_changes(
    refused: RunPlan, method: Method, given: Mapping[str, Any], backend: str
) -> Iterator[FittingChange]:
    """Yield values of one parameter that make a method fit: automatic, smallest, largest."""
    for parameter in method.parameters.declared():
        chosen = given.get(parameter.name) is not None and parameter.default is None
        automatic = {name: value for name, value in given.items() if name != parameter.name}
        if chosen and (found := _try_change(f"{parameter.label} automatic", refused, method, automatic, backend)):
            yield found
    for parameter in method.parameters.declared():
        for value in (parameter.minimum, parameter.maximum):
            if parameter.kind != "int" or value is None or backend not in parameter.backends:
                continue
            text = f"{parameter.label} = {int(value):,} {parameter.unit}".strip()
            found = _try_change(text, refused, method, {**given, parameter.name: int(value)}, backend)
            if found and not (method is refused.method and found.plan.parameters == refused.parameters):
                yield found


def _try_change(
    change: str, refused: RunPlan, method: Method, given: Mapping[str, Any], backend: str
) -> FittingChange | None:
    try:
        found = plan_run(method, refused.problem, given, cast(BackendChoice, backend), refused.device)
    except AntidiagError:
        return None
    return None if found.refusal else FittingChange(change, found, given)


def _method_on_backend(method: Method, backend: str) -> str:
    return f"{method.name} on the {'GPU' if backend == 'cuda' else 'CPU'}"


def _missing_outputs(method: Method, wanted: frozenset[str]) -> str:
    """Return the missing outputs in words: 'the alignment'."""
    return " and ".join(f"the {name}" for name in sorted(wanted - method.returns))


def _total_bytes(found: RunPlan) -> int:
    return found.footprint.host_bytes + found.footprint.device_bytes


def _describe_needs(found: RunPlan) -> str:
    footprint = found.footprint
    places = (
        (footprint.host_bytes, "main memory"),
        (footprint.device_bytes, "GPU memory"),
        (footprint.disk_bytes, "disk"),
    )
    parts = [f"{format_bytes(count)} of {place}" for count, place in places if count]
    return "needs " + " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
