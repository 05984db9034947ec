"""The cost of a run against one of its parameters, computed by planning a run for each value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from antidiag.kernels import engine
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.run_plan import RunPlan

POINTS = 41
REACH = 64
"""A curve ends at this multiple of the automatic value, or at the maximum of the parameter."""


@dataclass(frozen=True, slots=True)
class CostPoint:
    """The cost of a run with one value: bytes, work in the unit of the problem, expected time, and reason of a refusal.

    ``recomputed`` is the largest number of recomputed cells relative to the cells of the problem, or 0.
    """

    value: int
    host_bytes: int
    device_bytes: int
    disk_bytes: int
    work: int
    recomputed: float
    time_ms: float
    refusal: str = ""


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Points in ascending order of their values, and the unit of their work."""

    parameter: Parameter
    points: tuple[CostPoint, ...]
    unit: str

    def at(self, value: int) -> CostPoint | None:
        """Return the point of exactly this value, or None."""
        return next((point for point in self.points if point.value == value), None)

    def has_same_cost(self, found: CostPoint) -> bool:
        """Return whether the curve has no other cost at the value of a point; a run may have changed the rate since."""
        own = self.at(found.value)
        return own is None or _cost_key(own) == _cost_key(found)

    def nearest(self, value: int) -> CostPoint | None:
        """Return the point nearest to a value on a logarithmic scale; None if there are no points."""
        distances = {point: abs(math.log(point.value / value)) for point in self.points}
        return min(distances, key=distances.__getitem__, default=None)


def _cost_key(point: CostPoint) -> tuple[Any, ...]:
    return point.host_bytes, point.device_bytes, point.disk_bytes, point.work, point.time_ms, bool(point.refusal)


def curve_parameters(plan: RunPlan) -> tuple[Parameter, ...]:
    """The parameters of a plan that a curve can be drawn over: whole numbers that its backend uses."""
    return tuple(p for p in plan.method.parameters.declared() if p.kind == "int" and plan.backend in p.backends)


def make_point(plan: RunPlan, name: str) -> CostPoint:
    """Return the cost of a plan as the point of its value of a parameter."""
    needed, cells = plan.footprint, getattr(plan.problem, "cells", 0)
    recomputed = plan.method.cost.count_recomputed(plan.problem, plan.parameters)
    return CostPoint(
        value=getattr(plan.parameters, name),
        host_bytes=needed.host_bytes,
        device_bytes=needed.device_bytes,
        disk_bytes=needed.disk_bytes,
        work=plan.method.cost.count_work(plan.problem, plan.parameters),
        recomputed=recomputed / cells if cells else 0.0,
        time_ms=plan.time_ms,
        refusal=plan.refusal or "",
    )


def compute_curve(base: RunPlan, given: Mapping[str, Any], parameter: Parameter, monitor: Monitor) -> CostCurve:
    """Compute the curve of a parameter; all else is as in ``base``, with ``given`` set by hand. Raises Cancelled."""
    others = {name: value for name, value in given.items() if name != parameter.name}

    def planned(value: int | None) -> RunPlan:
        changed = {**others, parameter.name: value} if value is not None else others
        return engine.plan_run(base.method, base.problem, changed, cast(BackendChoice, base.backend), base.device)

    points = []
    automatic, chosen = (getattr(plan.parameters, parameter.name) for plan in (planned(None), base))
    wanted = curve_values(parameter, automatic, chosen)
    for done, value in enumerate(wanted):
        monitor.update(done, len(wanted))
        try:
            points.append(make_point(planned(value), parameter.name))
        except AntidiagError:
            continue  # some values are invalid with the other parameters
    return CostCurve(parameter, tuple(points), base.method.problem_type.work_unit)


def curve_values(parameter: Parameter, usual: int | None, present: int | None = None) -> tuple[int, ...]:
    """Return the values of a curve, evenly spread on a logarithmic scale, including the present one."""
    low, high = curve_bounds(parameter, max(usual or 0, (present or 0) // REACH))
    spread = (low * (high / low) ** (k / (POINTS - 1)) for k in range(POINTS))
    every = {snap_value(parameter, value, (low, high)) for value in spread}
    return tuple(sorted(every | ({present} if present else set())))


def curve_bounds(parameter: Parameter, usual: int) -> tuple[int, int]:
    """Return the least and the greatest value of a curve; both are valid and above 0."""
    offset, step = int(parameter.minimum or 0), int(parameter.step)
    low = offset or step
    high = max(usual, low) * REACH
    if parameter.maximum is not None:
        high = min(high, int(parameter.maximum))
    return low, max(offset + (high - offset) // step * step, low)


def snap_value(parameter: Parameter, value: float, within: tuple[int, int]) -> int:
    """Return the valid value nearest to a number, within bounds."""
    offset, step = int(parameter.minimum or 0), int(parameter.step)
    nearest = offset + round((value - offset) / step) * step
    return min(max(nearest, within[0]), within[1])
