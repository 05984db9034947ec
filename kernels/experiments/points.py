"""Points: what was measured at one place of a sweep, as frozen plain data that goes to disk and comes back."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import Any

from antidiag.kernels.cuts import Tiles
from antidiag.kernels.typed_fields import made

APART = ("compilation", "transfer")
"""Times that are no phase of the computation."""

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
"""What a point has a number for, and its label with the unit."""


class Status(StrEnum):
    MEASURED = "measured"
    WRONG = "wrong"
    """Measured, but the answer is another than that of a point before: a fault of the program."""
    REFUSED = "refused"
    """Not started: parameters out of range, too little memory, no such device, a peer that cannot do it."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Run:
    """One timed call: wall clock around it, and the times that it reports of its phases."""

    wall_ms: float
    times_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def phases(self) -> dict[str, float]:
        """Times of the phases; the whole call where it reports none, as a peer does."""
        found = {phase: time for phase, time in self.times_ms.items() if phase not in APART}
        return found or {"call": self.wall_ms}

    @property
    def compute_ms(self) -> float:
        return sum(self.phases.values())

    @property
    def transfer_ms(self) -> float:
        return self.times_ms.get("transfer", 0.0)

    @property
    def compilation_ms(self) -> float:
        """Compiling and loading of code; the warm-up leaves next to nothing of it."""
        return self.times_ms.get("compilation", 0.0)

    @property
    def other_ms(self) -> float:
        """What the call took beside phases, transfer and compilation: preparation, allocation, Python."""
        return max(0.0, self.wall_ms - self.compute_ms - self.transfer_ms - self.compilation_ms)


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, smallest and largest of several values."""

    median: float
    low: float
    high: float
    count: int

    @property
    def relative(self) -> float:
        """Largest minus smallest, as a share of the median."""
        return (self.high - self.low) / self.median if self.median else 0.0


def spread_of(values: Iterable[float]) -> Spread | None:
    """The spread of some values; None of none."""
    found = list(values)
    return Spread(statistics.median(found), min(found), max(found), len(found)) if found else None


@dataclass(frozen=True)
class Point:
    """One place of a sweep, measured or not.

    ``coordinates`` are the values of the axes (names to values; None is automatic); ``parameters`` what really
    ran, ``given`` the part of it that was asked for. ``contender`` is the identifier of a method or a peer,
    ``name`` what it is called, ``counts`` what its time covers. ``problem`` is the digest of the problem, ``cells``
    its size, ``work`` the cells that the method computes. ``runs`` are the timed calls in order, without the
    warm-up, whose compilation is ``compilation_ms``. ``answer`` is for people; ``answer_digest`` is of the whole
    answer; ``score`` is a number that every contender of a problem must agree on, where there is one. ``numbers``
    are what the problem type counts in an answer (see kernels.method.ProblemType). ``models`` are values of the
    method's models (see kernels.analysis); ``limit_ms`` is the least time that the device's roofline allows.
    ``tiles`` are those of the method, where it has some that no parameter sizes.
    ``reason`` says why a point was refused, failed or is wrong.
    """

    key: str
    contender: str
    name: str
    coordinates: Mapping[str, Any]
    status: Status
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
    runs: tuple[Run, ...] = ()
    compilation_ms: float = 0.0
    host_bytes: int = 0
    device_bytes: int = 0
    answer: str = ""
    answer_digest: str = ""
    score: float | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    models: Mapping[str, float] = field(default_factory=dict)
    limit_ms: float | None = None
    tiles: Tiles | None = None
    is_peer: bool = False
    counts: str = ""
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    started: str = ""
    reused: bool = False

    @property
    def measured(self) -> bool:
        """Whether there are times, be the answer right or wrong."""
        return bool(self.runs)

    def spread(self, quantity: str) -> Spread | None:
        """Median, smallest and largest of a quantity that differs between the runs; None where it has no number."""
        if quantity not in self._spreads:
            self._spreads[quantity] = self._spread(quantity)
        return self._spreads[quantity]

    @cached_property
    def _spreads(self) -> dict[str, Spread | None]:
        """Plots ask for the spreads of all points again and again."""
        return {}

    def _spread(self, quantity: str) -> Spread | None:
        if quantity in ("wall_ms", "compute_ms", "transfer_ms", "other_ms"):
            return spread_of(getattr(run, quantity) for run in self.runs)
        if quantity in ("gcups", "wall_gcups"):
            time = "compute_ms" if quantity == "gcups" else "wall_ms"
            times = [getattr(run, time) for run in self.runs]
            return spread_of(self.cells / ms / 1e6 for ms in times if ms > 0)
        if quantity == "of_limit":
            limit = self.limit_ms
            return None if limit is None else spread_of(limit / run.compute_ms for run in self.runs if run.compute_ms)
        value = self.value(quantity)
        return None if value is None else Spread(value, value, value, 1)

    def value(self, quantity: str) -> float | None:
        """The median of a quantity, one of QUANTITIES or of the models; None where this point has no number for it."""
        if quantity in ("compilation_ms", "host_bytes", "device_bytes"):
            return float(getattr(self, quantity)) if self.runs else None
        for known in (self.models, self.numbers):
            if quantity in known:
                return known[quantity]
        if quantity not in QUANTITIES:
            return None
        found = self.spread(quantity)
        return found.median if found else None

    @cached_property
    def phases(self) -> dict[str, Spread]:
        """Every phase, in the order of the computation, with its spread."""
        names = dict.fromkeys(phase for run in self.runs for phase in run.phases)
        spreads = {name: spread_of(run.phases.get(name, 0.0) for run in self.runs) for name in names}
        return {name: found for name, found in spreads.items() if found is not None}

    def data(self) -> dict[str, Any]:
        """The point as plain data for JSON."""
        return {**asdict(self), "status": str(self.status), "coordinates": plain(self.coordinates)}


def from_data(data: Mapping[str, Any]) -> Point:
    """The point of ``Point.data()``, read back; names that are not known (any more) are left out.

    Raises KeyError, TypeError or ValueError where it is no point.
    """
    known = {field.name for field in fields(Point)}
    values = {name: value for name, value in data.items() if name in known}
    values["status"] = Status(values["status"])
    runs = ({"wall_ms": run["wall_ms"], "times_ms": dict(run["times_ms"])} for run in values.get("runs", ()))
    values["runs"] = tuple(made(Run, run) for run in runs)
    values["tiles"] = made(Tiles, tiles) if (tiles := values.get("tiles")) else None
    values["notes"] = tuple(values.get("notes", ()))
    values["coordinates"] = {name: from_json(value) for name, value in values["coordinates"].items()}
    return made(Point, values)


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Coordinates for JSON: several lengths as a list."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def text(value: Any) -> str:
    """A coordinate or parameter for people, as they write it: 'auto', 'yes', '5103x7168', '64'."""
    if value is None:
        return "auto"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return "x".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def from_json(value: Any) -> Any:
    """A coordinate as it was before JSON: several lengths as a tuple."""
    return tuple(value) if isinstance(value, list) else value
