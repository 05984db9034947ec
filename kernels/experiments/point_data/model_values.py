"""Values and curves of cost models for measured points, and the roofline limit of a device."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.cost_models import OPERATIONS, TRAFFIC, CostModel
from antidiag.kernels.cpu import workers
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import AntidiagError, ParameterError
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask
from antidiag.kernels.run_plan import RunPlan


def find_models(contender: str) -> dict[str, CostModel]:
    """Return the cost models of a method by identifier; none for a peer or an unknown method."""
    try:
        return {model.id: model for model in registry.find_method(contender).cost.cost_models}
    except ParameterError:
        return {}


def model_values(planned: RunPlan) -> dict[str, float]:
    """Return the value of every model of a plan by identifier."""
    count = _worker_count(planned)
    return {
        model.id: float(model.value(planned.problem, planned.parameters, planned.backend, count))
        for model in planned.method.cost.cost_models
    }


def model_curve(model: CostModel, task: MeasurementTask, name: str, over: Iterable[Any]) -> list[tuple[Any, float]]:
    """Return the model at several values of a parameter of a task, without values that cannot be planned.

    The problem is built once, and nothing runs.
    """
    problem = task.build_problem()
    found = []
    for value in over:
        try:
            planned = replace(task, parameters={**task.parameters, name: value}).plan_run(problem)
        except AntidiagError:
            continue
        found.append((value, model_values(planned)[model.id]))
    return found


def fit_scale(model: CostModel, points: Sequence[MeasuredPoint], quantity: str = "compute_ms") -> float | None:
    """Return the factor that fits a model's curve to measured points: the median of measured / predicted, or None."""
    ratios = []
    for point in points:
        measured, predicted = point.median_value(quantity), point.models.get(model.id)
        if measured is not None and predicted:
            ratios.append(measured / predicted)
    return statistics.median(ratios) if ratios else None


def limit_ms(planned: RunPlan, found: Mapping[str, float]) -> float | None:
    """Return the shortest time in ms that the roofline of the device allows for a plan with these model values.

    Returns None if the method has neither an operations model nor a traffic model, or if the device was not measured.
    """
    return _limit_ms(
        roofline.stored_roofline(planned.backend, planned.device_name), planned.parameters.worker_threads, found
    )


def update_limits(points: Sequence[MeasuredPoint]) -> list[MeasuredPoint]:
    """Return the points with limits by the current rooflines of their devices, unchanged if a device has none."""
    places = {(point.backend, point.device) for point in points}
    roofs = {place: roofline.stored_roofline(*place) for place in places}
    renewed = []
    for point in points:
        limit = _limit_ms(roofs[point.backend, point.device], point.parameters.get("threads") or 1, point.models)
        renewed.append(point if limit in (None, point.limit_ms) else replace(point, limit_ms=limit))
    return renewed


def _limit_ms(roof: Roofline | None, threads: int, found: Mapping[str, float]) -> float | None:
    if roof is None or not found.keys() & {OPERATIONS, TRAFFIC}:
        return None
    share = 1.0
    if roof.backend == "cpu":
        share = min(1.0, threads / roof.workers)
    seconds = max(
        found.get(OPERATIONS, 0.0) / (roof.operations_per_s * share), found.get(TRAFFIC, 0.0) / roof.bytes_per_s
    )
    return seconds * 1e3


def _worker_count(planned: RunPlan) -> int:
    if planned.backend == "cuda":
        return devices.find_device(planned.device).multiprocessors
    return min(planned.parameters.worker_threads, workers.count_processors())
