"""Speedups of points over a baseline on the same problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, format_value


@dataclass(frozen=True, slots=True)
class Speedup:
    """A point, its baseline point, and the ratio of their times (above 1: the point is faster)."""

    point: MeasuredPoint
    baseline: MeasuredPoint
    ratio: float


def parse_baseline(words: str) -> dict[str, str]:
    """Parse a baseline such as ``parasail-score-32``, ``s=64`` or ``method=X,backend=cpu``."""
    found = {}
    for part in words.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals:
            name, value = ("backend", name) if name in ("cpu", "cuda") else ("method", name)
        if not name or not value:
            raise ParameterError(f"baseline must be a method, a backend, or NAME=VALUE; got {words!r}")
        found[name] = value
    return found


def compute_speedups(
    points: Sequence[MeasuredPoint], baseline: Mapping[str, Any], quantity: str = "wall_ms"
) -> list[Speedup]:
    """Return the speedup of every measured point that has a baseline point with the same problem.

    ``baseline`` selects points by coordinates, "backend" or parameters. Of several baseline points, the one with most
    equal coordinates counts, and of those the fastest.
    """
    chosen = [
        point
        for point in points
        if point.median_value(quantity) and all(_matches_setting(point, *one) for one in baseline.items())
    ]
    found = []
    for point in points:
        rivals = [one for one in chosen if one.problem == point.problem]
        mine = point.median_value(quantity)
        if rivals and mine:
            best = min(
                rivals, key=lambda one: (-_count_shared_coordinates(point, one), one.median_value(quantity) or 0.0)
            )
            found.append(Speedup(point, best, (best.median_value(quantity) or 0.0) / mine))
    return found


def _matches_setting(point: MeasuredPoint, name: str, value: Any) -> bool:
    if name == "backend":
        return point.backend == str(value)
    if name == "method":
        return str(value) in (point.contender, point.name)
    own = [values[name] for values in (point.coordinates, point.parameters) if name in values]
    return format_value(value) in map(format_value, own)


def _count_shared_coordinates(point: MeasuredPoint, other: MeasuredPoint) -> int:
    return sum(point.coordinates.get(name) == value for name, value in other.coordinates.items())
