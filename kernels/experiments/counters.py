"""What the events of a run's step log count: cells computed, and bytes moved, so that runs can be held side by side.

Cells come from the ranges that each event names, and where these are no cells of their own, from what the method says
of its log (`kernels.method.Method.logged`). Bytes are those of the method's model of traffic, shared out over the
events by their cells: a log does not tell them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antidiag.kernels import registry
from antidiag.kernels.analysis import TRAFFIC, Model
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.steps import WHOLE, Logged, Share, ranges

APART = ("compilation", "transfer")
"""Times that are of no phase of a log."""
PUBLISHED = "published-traffic"
"""Identifier of a model of the traffic as a paper counts it, before any cache."""
SHARED_OUT = "from the model of the method, shared out over the parts"


@dataclass(frozen=True, eq=False)
class Counters:
    """Of each event, in the order of the log: ``cells``, in ``unit``, and ``bytes``; both float64.

    ``told`` says to people what the bytes are; ``modelled`` is whether there is a model of them, else all are 0.
    """

    cells: np.ndarray
    unit: str
    bytes: np.ndarray
    told: str
    modelled: bool

    def of(self, events: np.ndarray) -> Counters:
        """Those of some events, by a mask or by number."""
        return replace(self, cells=self.cells[events], bytes=self.bytes[events])


def counters(result: Result) -> Counters:
    """The counters of a run; parameters that were not yet there when it was saved have their defaults."""
    method, events = registry.method(result.method), result.steps.array()
    result = replace(result, parameters={one.name: one.default for one in method.parameters} | dict(result.parameters))
    logged = _logged(method, result, events)
    cells, model = _cells(result, logged, events, _once(method, result)), traffic(method)
    unit = logged.unit or method.problem.unit
    if model is None:
        held = bytes_text(result.device_bytes or result.host_bytes)
        told = f"Bytes: no model of its traffic; {held} of memory were taken"
        return Counters(cells, unit, np.zeros(events.size), told, False)
    workers = max(int(np.unique(events["worker"]).size), 1)
    total = float(model.value(result.problem, result.parameters, result.backend, workers))
    what = model.help.rstrip(".") if model.help.startswith("Bytes") else f"Bytes: {model.help.rstrip('.')}"
    told = f"{what}: {SHARED_OUT} ({model.source})"
    return Counters(cells, unit, total * cells / max(float(cells.sum()), 1.0), told, True)


def traffic(method: Method) -> Model | None:
    """A method's model of the bytes that go through main memory, else the published one; None where it has neither."""
    found = [model for model in method.models if model.id in (TRAFFIC, PUBLISHED)]
    return min(found, key=lambda model: model.id != TRAFFIC, default=None)


def phase_name(result: Result, number: int) -> str:
    """What a phase of a log is called among the times of its run."""
    names = [name for name in result.times_ms if name not in APART]
    by_number = f"phase {number}"
    if by_number in names or not 0 < number <= len(names):
        return by_number
    return names[number - 1]


def _logged(method: Method, result: Result, events: np.ndarray) -> Logged:
    """What the method says of its log; else the first phase did what is not recomputed, and the others did that, as
    far as their ranges go."""
    if method.logged is not None:
        return method.logged(result.problem, result.parameters, result.backend)
    number = int(events["phase"].min(initial=255))
    told = float(ranges(events[events["phase"] != number]).sum())
    again = method.recomputed(result.problem, result.parameters)
    return Logged((Share((phase_name(result, number),), WHOLE), Share(total=min(told, again))))


def _once(method: Method, result: Result) -> float:
    """All that a run did, but what it computed again."""
    if result.work is not None:
        return result.work
    again = method.recomputed(result.problem, result.parameters)
    return method.work(result.problem, result.parameters) - again


def _cells(result: Result, logged: Logged, events: np.ndarray, whole: float) -> np.ndarray:
    """Units of work of each event, float64; ``whole`` is all that the run did."""
    names = {number: phase_name(result, number) for number in np.unique(events["phase"]).tolist()}
    named = {name for share in logged.shares for name in share.phases}
    found = np.zeros(events.size)
    for share in logged.shares:
        phases = [number for number, name in names.items()
                  if (name in share.phases if share.phases else name not in named)]  # fmt: skip
        here = np.isin(events["phase"], phases)
        weights = np.asarray(share.weights(events[here]), np.float64)
        if share.total is not None:
            total = whole if share.total == WHOLE else share.total
            weights = weights * (total / max(float(weights.sum()), 1e-9))
        found[here] = weights
    return found
