"""What the commands print: short aligned rows for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from app import texts
from kernels.engine import Plan
from kernels.memory import bytes_text
from kernels.model import Result

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


def result_rows(result: Result) -> list[Row]:
    """A result for people."""
    rows = [
        ("method", f"{texts.method_name(result)}, {_where(result.backend, result.device)}"),
        ("problem", f"{texts.title(result)}, {_problem(result.problem)}"),
        ("scoring", result.problem.scoring.text()),
        ("score", texts.score(result)),
        *_answer_rows(result),
        ("parameters", texts.settings(result.parameters)),
        ("time", _times(result.times_ms)),
        ("rate", f"{texts.rate(result.gcups)}, {texts.count(result.problem.cells)} cells"),
        ("memory", _memory(result.host_bytes, result.device_bytes)),
    ]
    return rows + _notes(result.notes)


def plan_rows(planned: Plan) -> list[Row]:
    """What a run would cost, for people."""
    footprint = planned.footprint
    parts = (("host", footprint.host), ("device", footprint.device), ("disk", footprint.disk))
    rows = [
        ("method", f"{planned.method.name}, {_where(planned.backend, planned.device_name)}"),
        ("problem", f"{planned.problem.title}, {_problem(planned.problem)}"),
        ("parameters", texts.settings(planned.parameters)),
        ("time", f"{texts.expected(planned.time_ms)}, {texts.count(planned.problem.cells)} cells"),
        ("memory", _memory(footprint.host_bytes, footprint.device_bytes)),
        *(("", f"{place}: {bytes_text(count)} {label}") for place, part in parts for label, count in part.items()),
        ("fits", "yes" if planned.refusal is None else f"no: {planned.refusal}"),
    ]
    return rows + _notes(planned.notes)


def plan_json(planned: Plan) -> dict[str, Any]:
    """What a run would cost, as plain data; bytes by purpose under ``host`` and ``device_memory``."""
    return {
        "method": planned.method.id,
        "backend": planned.backend,
        "device": planned.device_name,
        "parameters": dict(planned.parameters),
        "cells": planned.problem.cells,
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


def _answer_rows(result: Result) -> list[Row]:
    path = result.answer.alignment
    if path is None:
        return [("end", _cell(result.answer.end))]
    top, bottom = path.gapped(*result.problem.sequences)
    same = sum(one == other for one, other in zip(top, bottom, strict=True))
    share = f"{same / len(top):.1%}".replace("%", " %") if top else "none"
    return [
        ("start", _cell(path.start)),
        ("end", _cell(path.end)),
        ("identity", f"{same:,} of {len(top):,} columns, {share}"),
    ]


def _cell(cell: tuple[int, int]) -> str:
    """A cell of the matrix: so many letters of each sequence lie before it."""
    return f"({cell[0]:,}, {cell[1]:,})"


def _problem(problem: Any) -> str:
    lengths = " x ".join(f"{len(sequence):,}" for sequence in problem.sequences)
    return f"{lengths}, {getattr(problem, 'mode', '')}".rstrip(", ")


def _where(backend: str, device: str) -> str:
    return f"{'GPU' if backend == 'cuda' else 'CPU'} {device}"


def _times(times_ms: Mapping[str, float]) -> str:
    total = texts.duration(sum(times_ms.values()))
    return f"{total}: " + ", ".join(f"{phase} {texts.duration(time)}" for phase, time in times_ms.items())


def _memory(host: int, device: int) -> str:
    return f"host {bytes_text(host)}" + (f", device {bytes_text(device)}" if device else "")


def _notes(notes: Iterable[str]) -> list[Row]:
    return [("note", note) for note in notes]
