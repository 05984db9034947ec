"""Real runs of methods of one problem type on one problem by chance: their measured timelines are played together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antidiag.kernels import engine, trials
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor, Part

ON_CPU = "The CPU is used"
"""How a plan begins to say why it takes no GPU."""


def problem(method: Method, size: int) -> Any:
    """A problem of its type, the larger the greater ``size`` is; the same one for the same size."""
    return trials.of(method.problem).long(method, "cpu", size)[0]


def told(results: Sequence[Result]) -> str:
    """On what several methods ran, and where; and why on no GPU, where none was used."""
    made = results[0].problem
    devices = " and ".join(dict.fromkeys(result.device for result in results))
    reasons = dict.fromkeys(note for result in results for note in result.notes if note.startswith(ON_CPU))
    return " ".join((f"{made.title}: {made.size}; {devices}.", *reasons))


def run(methods: Sequence[Method], made: Any, backend: BackendChoice, monitor: Monitor) -> list[Result]:
    """One after another, each with its automatic parameters, so that none is in the way of another.

    Each runs twice, and what is kept is the second run: the first one loads compiled code on its way.

    ``backend`` "auto" takes a GPU where there is one and the method has a version for it. Raises MemoryRefused for a
    problem that does not fit, and Cancelled.
    """
    found = []
    for number, method in enumerate(methods):
        planned = engine.plan(method, made, {}, backend)
        for again in (0, 1):
            part = Part(monitor, 2 * number + again, 2 * len(methods), method.name)
            result = engine.execute(planned, part, keep_rate=False, keep=False)
        found.append(result)
    return found
