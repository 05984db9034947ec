"""Counters of step logs: cells computed and bytes moved by each event, to compare runs.

Cells come from the ranges of the events, or from ``TablePicture.logged_work`` if the ranges are not cells of the
problem. Bytes come from the traffic model of the method, distributed over the events in proportion to their cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antidiag.kernels import registry
from antidiag.kernels.cost_models import TRAFFIC, CostModel
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.steps import ALL_WORK, LoggedWork, WorkShare, count_range_cells

SEPARATE_TIMES = ("compilation", "transfer")
"""Times that belong to no phase."""
PUBLISHED = "published-traffic"
"""Identifier of the traffic model of a paper, which ignores caches."""
SHARED_OUT = "estimated by the model of the method"


@dataclass(frozen=True, eq=False)
class StepCounters:
    """Cells (in ``unit``) and bytes of each event in the order of the log; both float64.

    ``bytes_description`` describes the bytes in words; without a traffic model (``has_traffic_model``) all bytes are 0.
    """

    cells: np.ndarray
    unit: str
    bytes: np.ndarray
    bytes_description: str
    has_traffic_model: bool

    def select_events(self, events: np.ndarray) -> StepCounters:
        """Return the counters of some events, given as a mask or as numbers."""
        return replace(self, cells=self.cells[events], bytes=self.bytes[events])


def count_steps(result: Result) -> StepCounters:
    """Return the counters of a run; parameters that are missing in an old result have their defaults."""
    method, events = registry.find_method(result.method), result.steps.ordered_events()
    parameters = method.restore_parameters(result)
    logged = _describe_log(method, parameters, result, events)
    cells = _count_event_cells(result, logged, events, _work_without_recomputation(method, parameters, result))
    model = find_traffic_model(method)
    unit = logged.unit or method.problem_type.work_unit
    if model is None:
        held = format_bytes(result.device_bytes or result.host_bytes)
        description = f"Bytes: this method has no traffic model; it used {held} of memory"
        return StepCounters(cells, unit, np.zeros(events.size), description, False)
    workers = max(int(np.unique(events["worker"]).size), 1)
    total = float(model.value(result.problem, parameters, result.backend, workers))
    what = model.help.rstrip(".") if model.help.startswith("Bytes") else f"Bytes: {model.help.rstrip('.')}"
    description = f"{what}: {SHARED_OUT} ({model.source})"
    return StepCounters(cells, unit, total * cells / max(float(cells.sum()), 1.0), description, True)


def find_traffic_model(method: Method) -> CostModel | None:
    """Return a method's model of main memory traffic, else the published one, else None."""
    found = [model for model in method.cost.cost_models if model.id in (TRAFFIC, PUBLISHED)]
    return min(found, key=lambda model: model.id != TRAFFIC, default=None)


def phase_name(result: Result, number: int) -> str:
    """Return the name of a phase number of a step log among the times of the run."""
    names = [name for name in result.times_ms if name not in SEPARATE_TIMES]
    by_number = f"phase {number}"
    if by_number in names or not 0 < number <= len(names):
        return by_number
    return names[number - 1]


def _describe_log(method: Method, parameters: MethodParameters, result: Result, events: np.ndarray) -> LoggedWork:
    """Return the logged work of a method; by default the first phase did all work that is not recomputed."""
    if method.picture.logged_work is not None:
        return method.picture.logged_work(result.problem, parameters, result.backend)
    number = int(events["phase"].min(initial=255))
    later_cells = float(count_range_cells(events[events["phase"] != number]).sum())
    again = method.cost.count_recomputed(result.problem, parameters)
    return LoggedWork((WorkShare((phase_name(result, number),), ALL_WORK), WorkShare(total=min(later_cells, again))))


def _work_without_recomputation(method: Method, parameters: MethodParameters, result: Result) -> float:
    """Return the work of a run without recomputed cells."""
    if result.work is not None:
        return result.work
    again = method.cost.count_recomputed(result.problem, parameters)
    return method.cost.count_work(result.problem, parameters) - again


def _count_event_cells(result: Result, logged: LoggedWork, events: np.ndarray, whole: float) -> np.ndarray:
    """Return the units of work of each event, float64; ``whole`` is the work of the run."""
    names = {number: phase_name(result, number) for number in np.unique(events["phase"]).tolist()}
    named = {name for share in logged.shares for name in share.phases}
    found = np.zeros(events.size)
    for share in logged.shares:
        phases = [
            number for number, name in names.items() if (name in share.phases if share.phases else name not in named)
        ]
        here = np.isin(events["phase"], phases)
        weights = np.asarray(share.weights(events[here]), np.float64)
        if share.total is not None:
            total = whole if share.total == ALL_WORK else share.total
            weights = weights * (total / max(float(weights.sum()), 1e-9))
        found[here] = weights
    return found
