"""Runs of several methods on one random problem, whose measured timelines are shown on one clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antidiag.kernels import engine, trials
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor, PartMonitor

ON_CPU = "The CPU is used"
"""Beginning of the note of a plan that says why no GPU is used."""


def make_paired_problem(method: Method, size: int) -> Any:
    """Return a problem of the method's type that grows with ``size``; equal sizes give the same problem."""
    return trials.load_trials(method.problem_type).make_long_problem(method, "cpu", size)[0]


def describe_runs(results: Sequence[Result]) -> str:
    """Return problem and device of some runs in words, and the reason if no GPU was used."""
    made = results[0].problem
    devices = " and ".join(dict.fromkeys(result.device for result in results))
    reasons = dict.fromkeys(note for result in results for note in result.notes if note.startswith(ON_CPU))
    return " ".join((f"{made.title}: {made.size}; {devices}.", *reasons))


def run_in_turn(methods: Sequence[Method], made: Any, backend: BackendChoice, monitor: Monitor) -> list[Result]:
    """Run the methods one after another with automatic parameters and return their results.

    Each method runs twice; the second run counts, because the first one loads compiled code. Backend "auto" uses a GPU
    if there is one and the method has a version for it. Raises MemoryRefused for a problem that does not fit, and
    Cancelled.
    """
    found = []
    for number, method in enumerate(methods):
        planned = engine.plan_run(method, made, {}, backend)
        for again in (0, 1):
            part = PartMonitor(monitor, 2 * number + again, 2 * len(methods), method.name)
            result = engine.execute(planned, part, keep_rate=False, keep_parts=False)
        found.append(result)
    return found
