"""Measured points of a sweep, as frozen data that are stored as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import Any

from antidiag.kernels.table_cuts import TableTiles
from antidiag.kernels.typed_fields import make_checked

SEPARATE_TIMES = ("compilation", "transfer")
"""Times that belong to no phase of the computation."""

QUANTITIES = {
    "wall_ms": "whole call, ms",
    "compute_ms": "phases, ms",
    "transfer_ms": "transfer, ms",
    "other_ms": "outside phases, ms",
    "compilation_ms": "compilation in the first call, ms",
    "gcups": "rate of the phases, 1e9 cells per s",
    "wall_gcups": "rate of the whole call, 1e9 cells per s",
    "host_bytes": "host memory, bytes",
    "device_bytes": "device memory, bytes",
    "of_limit": "limit of the device / phases",
}
"""Quantities of a point, each with its label and unit."""


class PointStatus(StrEnum):
    """State of a point."""

    MEASURED = "measured"
    WRONG = "wrong"
    """Measured, but the answer differs from that of an earlier point: an error in the program."""
    REFUSED = "refused"
    """Not started: parameters out of range, too little memory, no such device, a peer that cannot do it."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TimedRun:
    """One timed call: its wall time and the times of its phases."""

    wall_ms: float
    times_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def phase_times(self) -> dict[str, float]:
        """Times of the phases; the time of the whole call if it reports none, as for a peer."""
        found = {phase: time for phase, time in self.times_ms.items() if phase not in SEPARATE_TIMES}
        return found or {"call": self.wall_ms}

    @property
    def compute_ms(self) -> float:
        """Sum of the times of the phases."""
        return sum(self.phase_times.values())

    @property
    def transfer_ms(self) -> float:
        """Time of transfers between host and device."""
        return self.times_ms.get("transfer", 0.0)

    @property
    def compilation_ms(self) -> float:
        """Time of compiling and loading code; nearly 0 after a warm-up."""
        return self.times_ms.get("compilation", 0.0)

    @property
    def other_ms(self) -> float:
        """Time outside phases, transfer and compilation: preparation, allocation, Python."""
        return max(0.0, self.wall_ms - self.compute_ms - self.transfer_ms - self.compilation_ms)


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, smallest and largest of several values, and their number."""

    median: float
    low: float
    high: float
    count: int

    @property
    def relative_range(self) -> float:
        """Largest minus smallest value, as a fraction of the median."""
        return (self.high - self.low) / self.median if self.median else 0.0


def spread_of(values: Iterable[float]) -> Spread | None:
    """Return the spread of some values; None if there are none."""
    found = list(values)
    return Spread(statistics.median(found), min(found), max(found), len(found)) if found else None


@dataclass(frozen=True)
class MeasuredPoint:
    """One place of a sweep, measured or not.

    ``coordinates`` are the values of the axes (names to values; None is automatic); ``parameters`` what really
    ran, ``given`` the part of it that was asked for. ``contender`` is the identifier of a method or a peer,
    ``name`` what it is called, ``counts`` what its time covers. ``problem`` is the digest of the problem, ``cells``
    its size, ``work`` the cells that the method computes. ``runs`` are the timed calls in order, without the
    warm-up, whose compilation is ``compilation_ms``. ``answer`` is for people; ``answer_digest`` is of the whole
    answer; ``score`` is a number that every contender of a problem must agree on, where there is one. ``numbers``
    are what the problem type counts in an answer (see kernels.method.ProblemType). ``models`` are values of the
    method's models (see kernels.cost_models); ``limit_ms`` is the least time that the device's roofline allows.
    ``tiles`` are those of the method, where it has some that no parameter sizes.
    ``reason`` says why a point was refused, failed or is wrong.
    """

    key: str
    contender: str
    name: str
    coordinates: Mapping[str, Any]
    status: PointStatus
    reason: str = ""
    backend: str = ""
    device: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    title: str = ""
    size: str = ""
    cells: int = 0
    work: int = 0
    unit: str = "cells"
    runs: tuple[TimedRun, ...] = ()
    compilation_ms: float = 0.0
    host_bytes: int = 0
    device_bytes: int = 0
    answer: str = ""
    answer_digest: str = ""
    score: float | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    models: Mapping[str, float] = field(default_factory=dict)
    limit_ms: float | None = None
    tiles: TableTiles | None = None
    is_peer: bool = False
    counts: str = ""
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    started: str = ""
    reused: bool = False

    @property
    def has_times(self) -> bool:
        """Whether the point has times, with a correct or a wrong answer."""
        return bool(self.runs)

    def find_spread(self, quantity: str) -> Spread | None:
        """Return median, smallest and largest value of a quantity over the runs; None if the point has no value."""
        if quantity not in self._known_spreads:
            self._known_spreads[quantity] = self._compute_spread(quantity)
        return self._known_spreads[quantity]

    @cached_property
    def _known_spreads(self) -> dict[str, Spread | None]:
        """Cache of `find_spread`, because plots need the spreads of all points again and again."""
        return {}

    def _compute_spread(self, quantity: str) -> Spread | None:
        if quantity in ("wall_ms", "compute_ms", "transfer_ms", "other_ms"):
            return spread_of(getattr(run, quantity) for run in self.runs)
        if quantity in ("gcups", "wall_gcups"):
            time = "compute_ms" if quantity == "gcups" else "wall_ms"
            times = [getattr(run, time) for run in self.runs]
            return spread_of(self.cells / ms / 1e6 for ms in times if ms > 0)
        if quantity == "of_limit":
            limit = self.limit_ms
            return None if limit is None else spread_of(limit / run.compute_ms for run in self.runs if run.compute_ms)
        value = self.median_value(quantity)
        return None if value is None else Spread(value, value, value, 1)

    def median_value(self, quantity: str) -> float | None:
        """Return the median of a quantity (of QUANTITIES, models or numbers); None if the point has no value."""
        if quantity in ("compilation_ms", "host_bytes", "device_bytes"):
            return float(getattr(self, quantity)) if self.runs else None
        for known in (self.models, self.numbers):
            if quantity in known:
                return known[quantity]
        if quantity not in QUANTITIES:
            return None
        found = self.find_spread(quantity)
        return found.median if found else None

    @cached_property
    def phase_spreads(self) -> dict[str, Spread]:
        """Spread of the time of every phase, in the order of the computation."""
        names = dict.fromkeys(phase for run in self.runs for phase in run.phase_times)
        spreads = {name: spread_of(run.phase_times.get(name, 0.0) for run in self.runs) for name in names}
        return {name: found for name, found in spreads.items() if found is not None}

    def to_json(self) -> dict[str, Any]:
        """Return the point as data for JSON."""
        return {**asdict(self), "status": str(self.status), "coordinates": coordinates_to_json(self.coordinates)}


def point_from_json(data: Mapping[str, Any]) -> MeasuredPoint:
    """Return the point of JSON data; unknown fields are ignored.

    Raises KeyError, TypeError or ValueError if the data are not a point.
    """
    known = {field.name for field in fields(MeasuredPoint)}
    values = {name: value for name, value in data.items() if name in known}
    values["status"] = PointStatus(values["status"])
    runs = ({"wall_ms": run["wall_ms"], "times_ms": dict(run["times_ms"])} for run in values.get("runs", ()))
    values["runs"] = tuple(make_checked(TimedRun, run) for run in runs)
    values["tiles"] = make_checked(TableTiles, tiles) if (tiles := values.get("tiles")) else None
    values["notes"] = tuple(values.get("notes", ()))
    values["coordinates"] = {name: coordinate_from_json(value) for name, value in values["coordinates"].items()}
    return make_checked(MeasuredPoint, values)


def coordinates_to_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return coordinates for JSON, with several lengths as a list."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def format_value(value: Any) -> str:
    """Return a coordinate or parameter as users write it: 'auto', 'yes', '5103x7168', '64'."""
    if value is None:
        return "auto"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return "x".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def coordinate_from_json(value: Any) -> Any:
    """Return a coordinate of JSON data, with several lengths as a tuple."""
    return tuple(value) if isinstance(value, list) else value
