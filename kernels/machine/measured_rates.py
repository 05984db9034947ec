"""How long a run takes: rates that ship with the program, adapted by what was measured on this machine.

``shipped_rates.json`` has a few runs of each method, from a tiny to a large one: their work, their time and their
threads (`RatePoint`). Between two of them time follows a power of the work, so that the start-up of a small run and the
rate of a large one are both right. Runs on this machine correct that curve where they lie; a method that never ran here
is corrected by the others.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import statistics
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.io import files
from antidiag.kernels.method import Method
from antidiag.kernels.text import parse_json

SHIPPED_RATES = Path(__file__).with_name("shipped_rates.json")
_LOCK = threading.Lock()
MIN_RUN_MS = 5.0
"""Shorter runs measure the start-up rather than the rate; their rates are not kept."""

RATE_TOLERANCE = 0.1
"""Relative difference below which the rate of the same work is not written again: to write takes a millisecond."""

MAX_WORK_RATIO = 30
"""A run tells the rate of others up to so many times its work; for still larger ones it counts less and less, and from
the square of this factor on not at all."""

SAME_WORK_RATIO = 4
"""A run replaces earlier ones whose work differs by less than this factor."""

SHORT_MS = 20.0
"""A shorter run counts less against the shipped rate of its method, by its share of this time."""

MIN_METHODS, MAX_FACTOR = 3, 8.0
"""Measured methods from which the speed of this machine is known, and the largest factor that it may be."""


class RatePoint(NamedTuple):
    """One run: its work, its time in ms without compilation and transfers, and its threads (0: unknown)."""

    work: float
    time_ms: float
    threads: int = 0


@cache
def _usual_rates_path() -> Path:
    """Return the file of the rates; looked up once, because every plan asks for it."""
    return Path(platformdirs.user_cache_dir("antidiag")) / "rates.json"


_rates_path: Callable[[], Path] = _usual_rates_path


@contextlib.contextmanager
def use_rates_file(path: Path) -> Iterator[None]:
    """Read and keep measured rates in another file, for as long as the context lasts."""
    global _rates_path
    usual, _rates_path = _rates_path, lambda: path
    try:
        yield
    finally:
        _rates_path = usual


@dataclass(frozen=True, eq=False)
class MeasuredRuns:
    """The runs of the file as it was when it was read.

    ``entries`` are all that it holds, also what another version of the program wrote; ``points`` are the runs in them,
    by the same keys.
    """

    entries: Mapping[str, Any] = field(default_factory=dict)
    points: Mapping[str, tuple[RatePoint, ...]] = field(default_factory=dict)


NOTHING_MEASURED = MeasuredRuns()


def _read_runs() -> MeasuredRuns:
    """Return the runs of the file; it is read again only when it has changed."""
    try:
        return _parse_runs(*files.file_version(_rates_path()))
    except (OSError, ValueError):
        return NOTHING_MEASURED


@lru_cache(maxsize=1)
def _parse_runs(path: Path, *version: int) -> MeasuredRuns:
    found = parse_json(path.read_bytes())
    if not isinstance(found, dict):
        return NOTHING_MEASURED
    return MeasuredRuns(found, {key: _parse_points(entry) for key, entry in found.items()})


@cache
def shipped_points(backend: str) -> Mapping[str, tuple[RatePoint, ...]]:
    """Return the shipped runs of every method that has some, ascending by work."""
    found = parse_json(SHIPPED_RATES.read_bytes())[backend]
    return {method: tuple(RatePoint(*one) for one in points) for method, points in found["methods"].items()}


def _parse_points(entry: Any) -> tuple[RatePoint, ...]:
    """Return the runs of an entry, [[rate, work, threads], ...] or [rate, work] of earlier versions.

    What is damaged is left out.
    """
    try:
        rows = entry if isinstance(entry[0], list) else [entry]
        found = [(float(rate), float(work), int(*threads or (0,))) for rate, work, *threads in rows]
    except (ValueError, TypeError, OverflowError, IndexError, KeyError):
        return ()
    return tuple(
        RatePoint(work, work / rate / 1e6, threads)
        for rate, work, threads in found
        if 0 < rate < math.inf and 0 < work < math.inf
    )


def estimate_ms(method: Method, backend: str, device: str, work: float, threads: int = 1) -> float:
    """Return the expected time of a run in ms, without compilation and transfers.

    Parameters
    ----------
    work : float
        Work of the run, in the unit of ``CostEstimate.count_timed_work``.
    threads : int
        Threads of a run on the CPU.
    """
    if work <= 0:
        return 0.0
    runs, processors = _read_runs(), count_processors()
    run = RatePoint(work, 0.0, min(threads, processors))
    expected = _reference_ms(method, backend, run)
    measured = runs.points.get(f"{method.id}/{backend}/{device}")
    is_shipped = method.id in shipped_points(backend)
    others = math.log(_machine_factor(runs, backend, device, processors)) if is_shipped else 0.0
    if not measured:
        return expected * math.exp(others)
    ratios = sorted(_log_ratio(method, backend, _limit_threads(point, processors, run.threads)) for point in measured)
    (largest, ratio), reach = ratios[-1], math.log(MAX_WORK_RATIO)
    ratios += [(largest + reach, ratio), (largest + 2 * reach, others)]
    return expected * math.exp(_interpolate(ratios, math.log(work)))


def estimate_gcups(method: Method, backend: str, device: str, work: float, threads: int = 1) -> float:
    """Return the expected rate of a run, in billions of units of work a second; see `estimate_ms`."""
    expected = estimate_ms(method, backend, device, work, threads)
    return work / expected / 1e6 if expected else _nominal_gcups(method, backend, min(threads, count_processors()))


def _log_ratio(method: Method, backend: str, point: RatePoint) -> tuple[float, float]:
    """Return the logarithms of a run's work, and of its time over the reference.

    A short run may have found all caches cold, and counts less.
    """
    ratio = math.log(point.time_ms / _reference_ms(method, backend, point))
    is_known = method.id in shipped_points(backend)
    return math.log(point.work), ratio * (min(point.time_ms / SHORT_MS, 1.0) if is_known else 1.0)


def _limit_threads(point: RatePoint, processors: int, unknown: int = 0) -> RatePoint:
    """Return a run with its threads, of which only ``processors`` run at a time; ``unknown`` where it has none."""
    return point._replace(threads=min(point.threads, processors) or unknown)


def _nominal_gcups(method: Method, backend: str, threads: int) -> float:
    """Return the rate that a method declares, for so many threads, no more than there are processors."""
    return method.cost.nominal_gcups.get(backend, 1.0) * (threads if backend == "cpu" else 1)


def _reference_ms(method: Method, backend: str, run: RatePoint) -> float:
    """Return the time of a run by the shipped runs, or by the declared rate where there are none.

    Its threads are no more than there are processors.
    """
    points = shipped_points(backend).get(method.id)
    if points is None:
        return run.work / _nominal_gcups(method, backend, run.threads) / 1e6
    return _shipped_ms(points, run)


def _shipped_ms(points: tuple[RatePoint, ...], run: RatePoint) -> float:
    """Return the time of a run by these runs: a power of its work, shared by its threads, at least the shortest one."""
    busy = _busy_times(points)
    beyond = max(0.0, math.log(run.work) - busy[-1][0])  # where the rate stays that of the largest run
    return max(math.exp(_interpolate(busy, math.log(run.work)) + beyond) / max(run.threads, 1), points[0].time_ms)


@lru_cache(maxsize=256)
def _busy_times(points: tuple[RatePoint, ...]) -> tuple[tuple[float, float], ...]:
    """Return the logarithms of the work of each run and of the time that its threads were busy."""
    return tuple((math.log(point.work), math.log(point.time_ms * max(point.threads, 1))) for point in points)


def _interpolate(points: Sequence[tuple[float, float]], place: float) -> float:
    """Return the value at a place between points (ascending); outside of them the value of the nearest one."""
    if place <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in itertools.pairwise(points):
        if place <= right:
            return low + (high - low) * (place - left) / (right - left) if right > left else high
    return points[-1][1]


@lru_cache(maxsize=16)
def _machine_factor(runs: MeasuredRuns, backend: str, device: str, processors: int) -> float:
    """Return how many times as long as the shipped runs the runs of other methods took here; 1 while few were run."""
    ratios, place = [], f"/{backend}/{device}"
    shipped = shipped_points(backend)
    for key, measured in runs.points.items():
        known = shipped.get(key.removesuffix(place)) if key.endswith(place) else None
        points = [_limit_threads(point, processors) for point in measured if point.threads]
        if known and points:
            ratios.append(statistics.median(math.log(point.time_ms / _shipped_ms(known, point)) for point in points))
    if len(ratios) < MIN_METHODS:
        return 1.0
    return min(max(math.exp(statistics.median(ratios)), 1 / MAX_FACTOR), MAX_FACTOR)


def save_rate(method: Method, backend: str, device: str, work: float, time_ms: float, threads: int = 0) -> None:
    """Keep the rate of a finished run of ``work`` for the estimates of later ones.

    It replaces the rates of runs of about the same work on as many threads. The file is replaced as a whole, so that
    other processes never read half of it. A file that cannot be written is not worth an error.
    """
    if time_ms < MIN_RUN_MS or work <= 0:
        return
    with _LOCK, contextlib.suppress(OSError):
        runs, key = _read_runs(), f"{method.id}/{backend}/{device}"
        known = runs.points.get(key, ())
        if any(
            point.work == work and point.threads == threads and abs(point.time_ms / time_ms - 1) < RATE_TOLERANCE
            for point in known
        ):
            return
        other = [
            point
            for point in known
            if point.threads not in (threads, 0) or not 1 / SAME_WORK_RATIO < point.work / work < SAME_WORK_RATIO
        ]
        rows = [*other, RatePoint(work, time_ms, threads)]
        entries = dict(runs.entries)
        entries[key] = [[point.work / point.time_ms / 1e6, point.work, point.threads] for point in rows]
        _rates_path().parent.mkdir(parents=True, exist_ok=True)
        with open_atomic(_rates_path()) as file:
            file.write(json.dumps(entries, indent=1).encode())
        _parse_runs.cache_clear()
