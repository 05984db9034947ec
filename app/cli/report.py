"""What the commands print: short aligned rows for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from antidiag.app import texts
from antidiag.kernels import registry
from antidiag.kernels.io import json_text
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.model import Result
from antidiag.kernels.plan import Plan
from antidiag.kernels.registry import saving
from antidiag.kernels.registry.advice import Suggestion

Row = tuple[str, str]


def print_rows(rows: Iterable[Row]) -> None:
    """Rows of a label and a value, the values aligned."""
    rows = list(rows)
    width = max((len(label) for label, _ in rows), default=0) + 2
    for label, value in rows:
        print(f"{label:<{width}}{value}".rstrip())


def print_json(data: Any) -> None:
    """JSON on standard output, and nothing but JSON."""
    print(json.dumps(data, indent=1))


def print_result_json(result: Result) -> None:
    """A result as JSON on standard output, a piece after the other."""
    for piece in json_text.pieces(saving.result_json(result)):
        print(piece, end="")


def result_rows(result: Result) -> list[Row]:
    """A result for people."""
    method = registry.method(result.method)
    kind = method.problem
    rows = [
        ("method", f"{texts.method_name(result)}, {_where(result.backend, result.device)}"),
        ("problem", f"{result.problem.title}, {result.problem.size}"),
        *_lower(kind.settings(result.problem)),
        *_lower(kind.rows(result)),
        ("parameters", texts.settings(method.used(result.parameters, result.backend)) or "none"),
        ("time", _times(result.times_ms)),
        ("rate", f"{texts.rate(result.gcups, kind.unit)}, {texts.count(result.cells)} {kind.unit}"),
        ("memory", _memory(result.host_bytes, result.device_bytes)),
    ]
    return rows + _notes(result.notes)


def plan_rows(planned: Plan, fitting: Iterable[str] = (), suited: Suggestion | None = None) -> list[Row]:
    """What a run would cost, for people; what would fit, and the method that is made for such data."""
    footprint = planned.footprint
    method = planned.method
    parts = (("host", footprint.host), ("device", footprint.device), ("disk", footprint.disk))
    rows = [
        ("method", f"{method.name}, {_where(planned.backend, planned.device_name)}"),
        ("problem", f"{planned.problem.title}, {planned.problem.size}"),
        ("parameters", texts.settings(method.used(planned.parameters, planned.backend)) or "none"),
        (
            "time",
            f"{texts.expected(planned.time_ms)}, {texts.count(method.foretold(planned.problem, planned.parameters))} "
            f"{method.problem.unit}",
        ),
        ("memory", _memory(footprint.host_bytes, footprint.device_bytes)),
        *(("", f"{place}: {bytes_text(count)} {label}") for place, part in parts for label, count in part.items()),
        ("fits", "yes" if planned.refusal is None else f"no: {planned.refusal}"),
    ]
    rows += [("would fit" if not number else "", text) for number, text in enumerate(fitting)]
    if suited:
        rows.append(("suggestion", f"{suited.method.name} ({suited.method.id}): {suited.why}"))
    return rows + _notes(planned.notes)


def plan_json(planned: Plan) -> dict[str, Any]:
    """What a run would cost, as plain data; bytes by purpose under ``host`` and ``device_memory``."""
    return {
        "method": planned.method.id,
        "backend": planned.backend,
        "device": planned.device_name,
        "parameters": planned.method.used(planned.parameters, planned.backend),
        "cells": planned.method.foretold(planned.problem, planned.parameters),
        "time_ms": planned.time_ms,
        "host_bytes": planned.footprint.host_bytes,
        "device_bytes": planned.footprint.device_bytes,
        "host": dict(planned.footprint.host),
        "device_memory": dict(planned.footprint.device),
        "disk": dict(planned.footprint.disk),
        "fits": planned.refusal is None,
        "refusal": planned.refusal,
        "notes": list(planned.notes),
    }


def _lower(rows: Iterable[Row]) -> list[Row]:
    """Labels in lower case, as all of them are here."""
    return [(label.lower(), text) for label, text in rows]


def _where(backend: str, device: str) -> str:
    return f"{'GPU' if backend == 'cuda' else 'CPU'} {device}"


def _times(times_ms: Mapping[str, float]) -> str:
    total = texts.duration(sum(times_ms.values()))
    return f"{total}: " + ", ".join(f"{phase} {texts.duration(time)}" for phase, time in times_ms.items())


def _memory(host: int, device: int) -> str:
    return f"host {bytes_text(host)}" + (f", device {bytes_text(device)}" if device else "")


def _notes(notes: Iterable[str]) -> list[Row]:
    return [("note", note) for note in notes]
