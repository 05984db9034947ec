"""Measured rates of methods on this machine, from which the time of the next run is estimated."""

from __future__ import annotations

import contextlib
import json
import math
import threading
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import platformdirs

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.io import files
from antidiag.kernels.method import Method
from antidiag.kernels.text import parse_json

_LOCK = threading.Lock()
MIN_RUN_MS = 5.0
"""Shorter runs measure the start-up rather than the rate; their rates are not kept."""

RATE_TOLERANCE = 0.1
"""Relative difference below which the rate of the same work is not written again: to write takes a millisecond."""

MAX_WORK_RATIO = 30
"""A run that is so many times smaller than another says little about its rate."""


@cache
def _rates_path() -> Path:
    return Path(platformdirs.user_cache_dir("antidiag")) / "rates.json"


def _read_entries() -> Mapping[str, Any]:
    """Return all entries of the file, also those that another version of the program wrote."""
    try:
        return _parse_entries(*files.file_version(_rates_path()))
    except (OSError, ValueError):
        return {}


@lru_cache(maxsize=1)
def _parse_entries(path: Path, *version: int) -> Mapping[str, Any]:
    found = parse_json(path.read_bytes())
    return found if isinstance(found, dict) else {}


def _parse_entry(entry: Any) -> tuple[float, float] | None:
    """Return the rate of an entry and the work of the run that reached it, or None where the entry is damaged."""
    try:
        rate, work = map(float, entry)
    except (ValueError, TypeError, OverflowError):
        return None
    return (rate, work) if 0 < rate < math.inf else None


def estimate_gcups(method: Method, backend: str, device: str, work: float, threads: int = 1) -> float:
    """Return the expected rate of a run, in billions of cells a second.

    This is the rate last measured. It is the nominal rate where none was measured, or where the nominal one is higher
    and only a much smaller run was measured, whose rate was bound by its overhead.

    Parameters
    ----------
    work : float
        Cells of the run.
    threads : int
        Threads of a run on the CPU; the nominal rate is that of one.
    """
    nominal = method.cost.nominal_gcups.get(backend, 1.0) * (
        min(threads, count_processors()) if backend == "cpu" else 1
    )
    rate, measured_work = _parse_entry(_read_entries().get(f"{method.id}/{backend}/{device}")) or (nominal, work)
    return rate if work <= MAX_WORK_RATIO * measured_work else max(rate, nominal)


def save_rate(method: Method, backend: str, device: str, work: float, time_ms: float) -> None:
    """Keep the rate of a finished run of ``work`` cells, unless the rate of a much larger run is known.

    The file is replaced as a whole, so that other processes never read half of it. A file that cannot be written is
    not worth an error.
    """
    if time_ms < MIN_RUN_MS or work <= 0:
        return
    with _LOCK, contextlib.suppress(OSError):
        entries, key = dict(_read_entries()), f"{method.id}/{backend}/{device}"
        known_rate, known_work = _parse_entry(entries.get(key)) or (math.inf, 0.0)
        if MAX_WORK_RATIO * work < known_work:
            return
        rate = work / time_ms / 1e6
        if abs(rate / known_rate - 1) < RATE_TOLERANCE and work == known_work:
            return
        entries[key] = rate, work
        _rates_path().parent.mkdir(parents=True, exist_ok=True)
        with open_atomic(_rates_path()) as file:
            file.write(json.dumps(entries, indent=1).encode())
        _parse_entries.cache_clear()
