"""The models of a method beside its points: values, curves, and the limit that a device sets."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.analysis import OPERATIONS, TRAFFIC, Model
from antidiag.kernels.cpu import workers
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import AntidiagError, ParameterError
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline
from antidiag.kernels.experiments.sweep import Task
from antidiag.kernels.plan import Plan


def declared(contender: str) -> dict[str, Model]:
    """The models of a contender by identifier; none of a peer, or of a method that this program does not know."""
    try:
        return {model.id: model for model in registry.method(contender).models}
    except ParameterError:
        return {}


def values(planned: Plan) -> dict[str, float]:
    """The value of every model of a plan, by identifier."""
    count = _workers(planned)
    return {
        model.id: float(model.value(planned.problem, planned.parameters, planned.backend, count))
        for model in planned.method.models
    }


def curve(model: Model, task: Task, name: str, over: Iterable[Any]) -> list[tuple[Any, float]]:
    """The model at other values of a parameter of a task; values that cannot be planned are left out.

    The problem is built once, and nothing runs.
    """
    problem = task.problem()
    found = []
    for value in over:
        try:
            planned = replace(task, parameters={**task.parameters, name: value}).plan(problem)
        except AntidiagError:
            continue
        found.append((value, values(planned)[model.id]))
    return found


def scale(model: Model, points: Sequence[Point], quantity: str = "compute_ms") -> float | None:
    """The factor that lays a model's curve over measured points: the median of measured / model; None without any."""
    ratios = []
    for point in points:
        measured, foretold = point.value(quantity), point.models.get(model.id)
        if measured is not None and foretold:
            ratios.append(measured / foretold)
    return statistics.median(ratios) if ratios else None


def limit_ms(planned: Plan, found: Mapping[str, float]) -> float | None:
    """The least time that the device's roofline allows for a plan with these model values, in ms.

    None where the method declares neither operations nor traffic, or where the device was not measured (yet).
    """
    return _limit_ms(roofline.kept(planned.backend, planned.device_name), planned.parameters, found)


def with_limits(points: Sequence[Point]) -> list[Point]:
    """The same points with the limits that the rooflines of their devices set now; as they were where there is none."""
    places = {(point.backend, point.device) for point in points}
    roofs = {place: roofline.kept(*place) for place in places}
    renewed = []
    for point in points:
        limit = _limit_ms(roofs[point.backend, point.device], point.parameters, point.models)
        renewed.append(point if limit in (None, point.limit_ms) else replace(point, limit_ms=limit))
    return renewed


def _limit_ms(roof: Roofline | None, parameters: Mapping[str, Any], found: Mapping[str, float]) -> float | None:
    if roof is None or not found.keys() & {OPERATIONS, TRAFFIC}:
        return None
    share = 1.0
    if roof.backend == "cpu":
        share = min(1.0, int(parameters.get("threads", 1)) / roof.workers)
    seconds = max(
        found.get(OPERATIONS, 0.0) / (roof.operations_per_s * share), found.get(TRAFFIC, 0.0) / roof.bytes_per_s
    )
    return seconds * 1e3


def _workers(planned: Plan) -> int:
    if planned.backend == "cuda":
        return devices.device(planned.device).multiprocessors
    return min(int(planned.parameters.get("threads") or 1), workers.cores())
