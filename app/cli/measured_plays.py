"""``play --clock measured`` and scenes on that clock: methods run there and then, and what was counted by when."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from antidiag.app.cli import report
from antidiag.app.cli.progress import watched
from antidiag.app.kit.replay import page
from antidiag.app.kit.replay.data import Replay, replay
from antidiag.app.kit.replay.data import span_ns as span
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments import beside
from antidiag.kernels.experiments.counters import counters
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.registry.lectures import LARGEST
from antidiag.kernels.text import counted as counted_text

MOMENTS = 8
"""Times of a table, the last of which is the end of the slowest run."""
Runs = tuple[tuple[str, Replay], ...]


def measure(methods: Sequence[Method], size: int, backend: str) -> tuple[str, Runs]:
    """On what the methods ran, and their runs; ParameterError for a size out of range, InputError where no log has
    parts of a table."""
    if not 1 <= size <= LARGEST:
        raise ParameterError(f"--size is 1 to {LARGEST:,}")
    if backend not in ("auto", "cpu", "cuda"):
        raise ParameterError(f"--backend {backend}: choose auto, cpu or cuda")
    with watched() as monitor:
        made = beside.problem(methods[0], size)
        results = beside.run(methods, made, cast(BackendChoice, backend), monitor)
    return beside.told(results), _runs(methods, results)


def _runs(methods: Sequence[Method], results: Sequence[Result]) -> Runs:
    found = tuple((method.name, made) for method, result in zip(methods, results, strict=True)
                  if (made := replay(result.steps, counters(result))) is not None)  # fmt: skip
    if not found:
        raise InputError(
            "the step logs of these runs have no parts of a table; choose another method, or a larger size"
        )
    return found


def tell(told: str, runs: Runs) -> None:
    """What was done by when, a table a run, at the same times of all."""
    print(told)
    for name, one in runs:
        counted = one.counters
        print(f"{name}: {(one.end_ns - one.start_ns) / 1e6:,.3f} ms, {counted_text(one.workers.size, 'worker')}")
        rows = [("ms", f"at work, parts, {counted.unit if counted else 'cells'}, bytes")]
        rows += [(f"{at / 1e6:,.3f}", _at(one, one.start_ns + at)) for at in times(runs)]
        report.print_rows(rows)
        if counted is not None:
            print(f"  {counted.told}")


def times(runs: Runs) -> list[float]:
    """Times since each run began, ns."""
    return [span(runs) * moment / MOMENTS for moment in range(MOMENTS + 1)]


def _at(one: Replay, time_ns: float) -> str:
    moved = bytes_text(round(one.bytes(time_ns))) if one.counters and one.counters.modelled else "-"
    return f"{one.busy(time_ns)}, {one.done(time_ns):,}, {one.cells(time_ns):,.0f}, {moved}"


def as_json(told: str, runs: Runs) -> dict[str, Any]:
    """The same, with all times."""
    return {
        "told": told,
        "runs": [
            {"name": name, "time_ms": (one.end_ns - one.start_ns) / 1e6, "workers": int(one.workers.size),
             "parts": int(one.events.size), "unit": one.counters.unit if one.counters else "cells",
             "bytes_are": one.counters.told if one.counters else "",
             "moments": [_moment(one, at) for at in times(runs)]}
            for name, one in runs
        ],
    }  # fmt: skip


def _moment(one: Replay, passed_ns: float) -> dict[str, Any]:
    """What was counted so long after a run began."""
    at, modelled = one.start_ns + passed_ns, one.counters is not None and one.counters.modelled
    return {"time_ms": passed_ns / 1e6, "busy": one.busy(at), "parts": one.done(at), "cells": one.cells(at),
            "bytes": one.bytes(at) if modelled else None}  # fmt: skip


def write_page(path: Path, title: str, words: Sequence[str], told: str, runs: Runs) -> None:
    """A page that plays in a browser."""
    write_bytes(path, [page.page(title, [*words, told], runs).encode()])
