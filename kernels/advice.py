"""What would fit where a run does not: other parameters, the other backend, another method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from kernels import registry
from kernels.engine import BackendChoice, Plan, plan
from kernels.errors import AntidiagError
from kernels.memory import bytes_text

MOST = 4


def what_fits(refused: Plan, given: Mapping[str, Any]) -> tuple[str, ...]:
    """At most four changes, each of which alone makes the refused plan fit; empty when none does."""
    return tuple(text for text, _ in zip(_fitting(refused, given), range(MOST), strict=False))


def _fitting(refused: Plan, given: Mapping[str, Any]) -> Iterator[str]:
    for name, value, text in _changes(refused, given):
        changed = {**given, name: value}
        if found := _try(refused, refused.method, changed, refused.backend):
            yield f"{text} ({_needs(found)})"
    for backend in refused.method.backends:
        if backend != refused.backend and (found := _try(refused, refused.method, given, backend)):
            yield f"{refused.method.name} on the {'GPU' if backend == 'cuda' else 'CPU'} ({_needs(found)})"
    for method in registry.METHODS:
        if method.problem is refused.method.problem and method is not refused.method:
            for backend in method.backends:
                if found := _try(refused, method, {}, backend):
                    yield f"{method.name} on the {'GPU' if backend == 'cuda' else 'CPU'} ({_needs(found)})"


def _changes(refused: Plan, given: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    for parameter in refused.method.parameters:
        if given.get(parameter.name) is not None and parameter.default is None:
            yield parameter.name, None, f"{parameter.label} automatic"
    for parameter in refused.method.parameters:
        if parameter.kind == "int":
            for value in (parameter.minimum, parameter.maximum):
                if value is not None and value != refused.parameters[parameter.name]:
                    yield parameter.name, int(value), f"{parameter.label} = {int(value):,}"


def _try(refused: Plan, method: Any, given: Mapping[str, Any], backend: str) -> Plan | None:
    try:
        found = plan(method, refused.problem, given, cast(BackendChoice, backend), refused.device)
    except AntidiagError:
        return None
    return None if found.refusal else found


def _needs(found: Plan) -> str:
    parts = [(found.footprint.host_bytes, "main"), (found.footprint.device_bytes, "GPU")]
    return "needs " + " and ".join(f"{bytes_text(count)} of {place} memory" for count, place in parts if count)
