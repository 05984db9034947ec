"""What the commands print: short aligned rows for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from antidiag.app import texts
from antidiag.app.cli.shell import told_notes
from antidiag.kernels import registry
from antidiag.kernels.io import json_text
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.model import Result
from antidiag.kernels.registry import result_saving
from antidiag.kernels.registry.memory_advice import MethodSuggestion
from antidiag.kernels.run_plan import RunPlan

LabelledText = tuple[str, str]
MOST_LINES, MOST_LETTERS = 60, 2000
"""Lines, and letters of a line, of an answer that is printed below its report."""


def print_rows(rows: Iterable[LabelledText]) -> None:
    """Print labels and values, with the values aligned."""
    rows = list(rows)
    width = max((len(label) for label, _ in rows), default=0) + 2
    for label, value in rows:
        print(f"{label:<{width}}{value}".rstrip())


def print_json(data: Any) -> None:
    """Print JSON on standard output."""
    print(json.dumps(data, indent=1))


def null_if_empty(fields: Mapping[str, Any], kept: str = "") -> dict[str, Any]:
    """Return the fields of an object with None for empty texts, but for the field ``kept``."""
    return {name: None if value == "" and name != kept else value for name, value in fields.items()}


def print_result_json(result: Result) -> None:
    """Print a result as JSON on standard output, piece by piece."""
    for piece in json_text.json_pieces(result_saving.result_json(result)):
        print(piece, end="")


def print_shortened(result: Result, suffix: str) -> None:
    """Print a result in the format of a suffix below its report; of a long one the first lines."""
    if suffix not in result_saving.result_suffixes(registry.find_method(result.method)):
        return
    with result_saving.open_result(result, suffix) as written:
        lines = [line.decode("utf-8", "replace").rstrip("\r\n") for line in islice(written, MOST_LINES + 1)]
    print()
    for line in lines[:MOST_LINES]:
        print(line if len(line) <= MOST_LETTERS else f"{line[:MOST_LETTERS]}...")
    if len(lines) > MOST_LINES or any(len(line) > MOST_LETTERS for line in lines):
        print("... --out FILE saves all")


def result_rows(result: Result) -> list[LabelledText]:
    """Return a result as labelled texts."""
    method = registry.find_method(result.method)
    kind = method.problem_type
    rows = [
        ("method", f"{texts.method_name(result)}, {_device_text(result.backend, result.device)}"),
        ("problem", f"{result.problem.title}, {result.problem.size}"),
        *_lower_labels(kind.setting_rows(result.problem)),
        *_lower_labels(kind.answer_rows(result)),
        (
            "parameters",
            texts.format_settings(method.parameters.select_used(result.parameters, result.backend)) or "none",
        ),
        ("time", _times_text(result.times_ms)),
        (
            "rate",
            f"{texts.format_rate(result.gcups, kind.work_unit)}, {texts.format_number(result.cells)} {kind.work_unit}",
        ),
    ]
    if result.host_bytes or result.device_bytes:  # unknown of a run whose pieces other processes computed
        rows.append(("memory", _memory_text(result.host_bytes, result.device_bytes)))
    return rows + _note_rows(result.notes)


def plan_rows(
    planned: RunPlan, fitting: Iterable[str] = (), suited: MethodSuggestion | None = None
) -> list[LabelledText]:
    """Return the cost of a planned run as labelled texts, with settings that would fit and a better method."""
    footprint = planned.footprint
    method = planned.method
    parts = (("host", footprint.host), ("device", footprint.device), ("disk", footprint.disk))
    rows = [
        ("method", f"{method.name}, {_device_text(planned.backend, planned.device_name)}"),
        ("problem", f"{planned.problem.title}, {planned.problem.size}"),
        (
            "parameters",
            plan_settings(planned) or "none",
        ),
        (
            "time",
            f"{estimate_text(planned)}, {texts.format_planned_cells(planned)} {method.problem_type.work_unit}",
        ),
        ("memory", _memory_text(footprint.host_bytes, footprint.device_bytes)),
        *(("", f"{place}: {format_bytes(count)} {label}") for place, part in parts for label, count in part.items()),
        ("fits", "yes" if planned.refusal is None else f"no: {planned.refusal}"),
    ]
    rows += [("would fit" if not number else "", text) for number, text in enumerate(fitting)]
    if suited:
        rows.append(("suggestion", f"{suited.method.name} ({suited.method.id}): {suited.reason}"))
    return rows + _note_rows(planned.notes)


def plan_settings(planned: RunPlan) -> str:
    """Return the parameters that a planned run uses: 's = 128, T = 32'; empty if it has none."""
    used = planned.method.parameters.select_used(planned.parameters.as_mapping(), planned.backend)
    return texts.format_settings(used)


def estimate_text(planned: RunPlan) -> str:
    """Return the expected time of a run in words."""
    return texts.format_plan_time(planned.time_ms, planned.compilation_ms)


def plan_json(planned: RunPlan) -> dict[str, Any]:
    """Return the cost of a planned run as plain data, with bytes by purpose in ``host`` and ``device_memory``."""
    return {
        "method": planned.method.id,
        "backend": planned.backend,
        "device": planned.device_name,
        "parameters": planned.method.parameters.json_values(planned.parameters.as_mapping(), planned.backend),
        "cells": planned.method.cost.predicted_cells(planned.problem, planned.parameters),
        "least_cells": planned.method.cost.least_cells(planned.problem, planned.parameters),
        "time_ms": planned.time_ms,
        "compilation_ms": planned.compilation_ms,
        "host_bytes": planned.footprint.host_bytes,
        "device_bytes": planned.footprint.device_bytes,
        "host": dict(planned.footprint.host),
        "device_memory": dict(planned.footprint.device),
        "disk": dict(planned.footprint.disk),
        "fits": planned.refusal is None,
        "refusal": planned.refusal,
        "notes": list(planned.notes),
    }


def _lower_labels(rows: Iterable[LabelledText]) -> list[LabelledText]:
    """Return the texts with lower-case labels."""
    return [(label.lower(), text) for label, text in rows]


def _device_text(backend: str, device: str) -> str:
    return f"{'GPU' if backend == 'cuda' else 'CPU'} {device}"


def _times_text(times_ms: Mapping[str, float]) -> str:
    total = texts.format_duration(sum(times_ms.values()))
    return f"{total}: " + ", ".join(f"{phase} {texts.format_duration(time)}" for phase, time in times_ms.items())


def _memory_text(host: int, device: int) -> str:
    return f"host {format_bytes(host)}" + (f", device {format_bytes(device)}" if device else "")


def _note_rows(notes: Iterable[str]) -> list[LabelledText]:
    return [("note", note) for note in told_notes.select_new_notes(notes)]
