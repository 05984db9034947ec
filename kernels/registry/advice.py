"""What would fit where a run does not: other parameters, the other backend, another method; and what suits the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, cast

from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice, plan
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.method import Method
from antidiag.kernels.plan import Plan

MOST = 4
MOST_CHANGES = 2
"""Values of the refused method's own parameters among them."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A change that makes a refused run fit: what is changed, for people, and all that the other run is made of."""

    change: str
    plan: Plan
    given: Mapping[str, Any]

    @property
    def text(self) -> str:
        """'CheckpointedAlignment on the CPU (needs 1.2 GiB of main memory)'."""
        return f"{self.change} ({_needs(self.plan)})"


def what_fits(refused: Plan, given: Mapping[str, Any]) -> tuple[Fit, ...]:
    """At most four changes, each of which alone makes the refused plan fit; empty when none does.

    Other methods that return as much come with the one that needs least, then those that return less.
    """
    found = chain(
        islice(_changed(refused, refused.method, given, refused.backend), MOST_CHANGES),
        _elsewhere(refused, given),
        _other_methods(refused),
    )
    return tuple(islice(found, MOST))


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A method to begin with, and why, as the end of a sentence: "it is made for data of this size"."""

    method: Method
    why: str


def suited(methods: Iterable[Method], data: Sequence[Any], backend: str) -> Suggestion | None:
    """What to begin with for these data, of methods for one problem.

    That is the one that says that it is made for them (``Method.suits``), or that the problem recommends
    (``ProblemType.recommend``); None where there is none.
    """
    known = {method.id: method for method in methods}
    for method in known.values():
        if method.suits and method.suits(data):
            return Suggestion(method, "it is made for data of this size")
    recommend = next((method.problem.recommend for method in known.values()), None)
    found = recommend(data, backend) if recommend else None
    return Suggestion(known[found[0]], found[1]) if found and found[0] in known else None


def _elsewhere(refused: Plan, given: Mapping[str, Any]) -> Iterator[Fit]:
    """The same run on the other backend."""
    for backend in refused.method.backends:
        name = _named(refused.method, backend)
        if backend != refused.backend and (found := _try(name, refused, refused.method, given, backend)):
            yield found


def _other_methods(refused: Plan) -> Iterator[Fit]:
    """Other methods with automatic parameters, or with a value that makes them fit."""
    others = [
        method
        for method in registry.METHODS
        if method.problem is refused.method.problem and method is not refused.method
    ]
    wanted = refused.method.returns
    for as_much in (True, False):
        fitting = [
            found if as_much else replace(found, change=f"{found.change}, without {_lacking(method, wanted)}")
            for method in others
            if (method.returns >= wanted) == as_much
            for backend in method.backends
            for found in islice(_fitting(refused, method, backend), 1)
        ]
        yield from sorted(fitting, key=lambda found: _bytes(found.plan))


def _fitting(refused: Plan, method: Method, backend: str) -> Iterator[Fit]:
    name = _named(method, backend)
    if found := _try(name, refused, method, {}, backend):
        yield found
    for changed in _changed(refused, method, {}, backend):
        yield replace(changed, change=f"{name} with {changed.change}")


def _changed(refused: Plan, method: Method, given: Mapping[str, Any], backend: str) -> Iterator[Fit]:
    """Values of one parameter that make a method fit: automatic, the least, the greatest."""
    for parameter in method.parameters:
        chosen = given.get(parameter.name) is not None and parameter.default is None
        automatic = {name: value for name, value in given.items() if name != parameter.name}
        if chosen and (found := _try(f"{parameter.label} automatic", refused, method, automatic, backend)):
            yield found
    for parameter in method.parameters:
        for value in (parameter.minimum, parameter.maximum):
            if parameter.kind != "int" or value is None or backend not in parameter.backends:
                continue
            text = f"{parameter.label} = {int(value):,} {parameter.unit}".strip()
            found = _try(text, refused, method, {**given, parameter.name: int(value)}, backend)
            if found and not (method is refused.method and found.plan.parameters == refused.parameters):
                yield found


def _try(change: str, refused: Plan, method: Method, given: Mapping[str, Any], backend: str) -> Fit | None:
    try:
        found = plan(method, refused.problem, given, cast(BackendChoice, backend), refused.device)
    except AntidiagError:
        return None
    return None if found.refusal else Fit(change, found, given)


def _named(method: Method, backend: str) -> str:
    return f"{method.name} on the {'GPU' if backend == 'cuda' else 'CPU'}"


def _lacking(method: Method, wanted: frozenset[str]) -> str:
    """'the alignment'."""
    return " and ".join(f"the {name}" for name in sorted(wanted - method.returns))


def _bytes(found: Plan) -> int:
    return found.footprint.host_bytes + found.footprint.device_bytes


def _needs(found: Plan) -> str:
    footprint = found.footprint
    places = (
        (footprint.host_bytes, "main memory"),
        (footprint.device_bytes, "GPU memory"),
        (footprint.disk_bytes, "disk"),
    )
    parts = [f"{bytes_text(count)} of {place}" for count, place in places if count]
    return "needs " + " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
