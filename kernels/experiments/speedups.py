"""Speedups: how many times faster a point is than the baseline on the same problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.points import Point, text


@dataclass(frozen=True, slots=True)
class Speedup:
    """A point, the point it is compared with, and the ratio of their times (above 1: the point is faster)."""

    point: Point
    baseline: Point
    ratio: float


def parse(words: str) -> dict[str, str]:
    """The baseline that a person writes: ``parasail-score-32``, or ``s=64``, or ``method=X,backend=cpu``."""
    found = {}
    for part in words.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals:
            name, value = ("backend", name) if name in ("cpu", "cuda") else ("method", name)
        if not name or not value:
            raise ParameterError(f"baseline {words!r} is not a method, a backend, or NAME=VALUE")
        found[name] = value
    return found


def speedups(points: Sequence[Point], baseline: Mapping[str, Any], quantity: str = "wall_ms") -> list[Speedup]:
    """The speedup of every measured point that has a baseline point with the same problem.

    ``baseline`` selects by coordinates, by "backend" as it ran, or by parameters, as they were given or ran. Of several
    such points the one is taken that shares most coordinates with the point, and of those the fastest.
    """
    chosen = [point for point in points if point.value(quantity) and all(_has(point, *one) for one in baseline.items())]
    found = []
    for point in points:
        rivals = [one for one in chosen if one.problem == point.problem]
        mine = point.value(quantity)
        if rivals and mine:
            best = min(rivals, key=lambda one: (-_shared(point, one), one.value(quantity) or 0.0))
            found.append(Speedup(point, best, (best.value(quantity) or 0.0) / mine))
    return found


def _has(point: Point, name: str, value: Any) -> bool:
    if name == "backend":
        return point.backend == str(value)
    if name == "method":
        return str(value) in (point.contender, point.name)
    own = [values[name] for values in (point.coordinates, point.parameters) if name in values]
    return text(value) in map(text, own)


def _shared(point: Point, other: Point) -> int:
    return sum(point.coordinates.get(name) == value for name, value in other.coordinates.items())
