"""``play --clock measured``: methods that run now, and counters of their runs at several times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from antidiag.app.cli import report
from antidiag.app.cli.progress import watch_run
from antidiag.app.kit.replay import html_page
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments.measuring import paired_runs
from antidiag.kernels.experiments.point_data.run_replay import RunReplay, create_replay
from antidiag.kernels.experiments.point_data.run_replay import longest_run_ns as span
from antidiag.kernels.experiments.point_data.step_counters import count_steps
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.registry.lectures import LARGEST_SIZE
from antidiag.kernels.text import format_count as counted_text

MOMENTS = 8
"""Number of times in a table; the last one is the end of the slowest run."""
MeasuredReplays = tuple[tuple[str, RunReplay], ...]


def measure_methods(methods: Sequence[Method], size: int, backend: str) -> tuple[str, MeasuredReplays]:
    """Run the methods and return the machine and the replays.

    Raise ParameterError for a size out of range, InputError if no step log has ranges of cells.
    """
    if not 1 <= size <= LARGEST_SIZE:
        raise ParameterError(f"--size must be from 1 to {LARGEST_SIZE:,}; got {size:,}")
    if backend not in ("auto", "cpu", "cuda"):
        raise ParameterError(f"--backend must be auto, cpu or cuda; got {backend}")
    with watch_run() as monitor:
        made = paired_runs.make_paired_problem(methods[0], size)
        results = paired_runs.run_in_turn(methods, made, cast(BackendChoice, backend), monitor)
    return paired_runs.describe_runs(results), _replays_of(methods, results)


def _replays_of(methods: Sequence[Method], results: Sequence[Result]) -> MeasuredReplays:
    replays = (create_replay(result.steps, count_steps(result)) for result in results)
    found = tuple((method.name, made) for method, made in zip(methods, replays, strict=True) if made is not None)
    if not found:
        raise InputError(
            "the step logs of these runs contain no ranges of cells; choose another method or a larger size"
        )
    return found


def print_replays(machine: str, runs: MeasuredReplays) -> None:
    """Print a table for each run, with the same times in all."""
    print(machine)
    for name, one in runs:
        counted = one.counters
        print(f"{name}: {(one.end_ns - one.start_ns) / 1e6:,.3f} ms, {counted_text(one.workers.size, 'worker')}")
        rows = [("ms", f"busy, parts, {counted.unit if counted else 'cells'}, bytes")]
        rows += [(f"{at / 1e6:,.3f}", _moment_text(one, one.start_ns + at)) for at in moment_times(runs)]
        report.print_rows(rows)
        if counted is not None:
            print(f"  {counted.bytes_description}")


def moment_times(runs: MeasuredReplays) -> list[float]:
    """Return the times of a table, in ns since the start of a run."""
    return [span(runs) * moment / MOMENTS for moment in range(MOMENTS + 1)]


def _moment_text(one: RunReplay, time_ns: float) -> str:
    moved = format_bytes(round(one.bytes(time_ns))) if one.counters and one.counters.has_traffic_model else "-"
    return f"{one.busy_workers(time_ns)}, {one.done(time_ns):,}, {one.cells(time_ns):,.0f}, {moved}"


def as_json(machine: str, runs: MeasuredReplays) -> dict[str, Any]:
    """Return the runs with their counters at all times as plain data."""
    return {
        "machine": machine,
        "runs": [
            {
                "name": name,
                "time_ms": (one.end_ns - one.start_ns) / 1e6,
                "workers": int(one.workers.size),
                "parts": int(one.events.size),
                "unit": one.counters.unit if one.counters else "cells",
                "bytes_description": one.counters.bytes_description if one.counters else None,
                "moments": [_moment_json(one, at) for at in moment_times(runs)],
            }
            for name, one in runs
        ],
    }


def _moment_json(one: RunReplay, passed_ns: float) -> dict[str, Any]:
    """Return the counters of a run after ``passed_ns``."""
    at, modelled = one.start_ns + passed_ns, one.counters is not None and one.counters.has_traffic_model
    return {
        "time_ms": passed_ns / 1e6,
        "busy_workers": one.busy_workers(at),
        "parts": one.done(at),
        "cells": one.cells(at),
        "bytes": one.bytes(at) if modelled else None,
    }


def write_page(path: Path, title: str, words: Sequence[str], machine: str, runs: MeasuredReplays) -> None:
    """Write a page that plays the runs in a browser."""
    write_bytes(path, [html_page.format_page(title, [*words, machine], runs).encode()])
