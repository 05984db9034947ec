"""How fast each method ran here before, so that the time of the next run can be foretold."""

from __future__ import annotations

import contextlib
import json
import math
import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import platformdirs

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.io import files
from antidiag.kernels.method import Method
from antidiag.kernels.text import from_json

_LOCK = threading.Lock()
MINIMUM_MS = 5.0
"""Shorter runs say more about start-up than about the rate, and are not remembered."""

ALIKE = 0.1
"""Rates of the same work that differ by so little are the same: to write the file takes a millisecond."""

COMPARABLE = 30
"""A run that is so many times smaller than another says little about its rate."""

Measured = tuple[float, float]
"""A rate, and the work of the run that reached it."""


def _path() -> Path:
    return Path(platformdirs.user_cache_dir("antidiag")) / "rates.json"


def _read() -> Mapping[str, Measured]:
    try:
        return _parsed(*files.version(_path()))
    except (OSError, ValueError, TypeError, AttributeError, OverflowError):
        return {}


@lru_cache(maxsize=1)
def _parsed(path: Path, *version: int) -> Mapping[str, Measured]:
    found = from_json(path.read_bytes())
    return {key: (float(rate), float(work)) for key, (rate, work) in found.items() if rate > 0}


def rate_gcups(method: Method, backend: str, device: str, work: float, threads: int = 1) -> float:
    """Billions of cells a second for a run of ``work`` cells on this device.

    The rate last measured; the declared guess where nothing was, or where it is higher than what a run of a
    small fraction of this work reached, which was bound by its overheads.
    """
    guess = method.nominal_gcups.get(backend, 1.0) * (min(threads, cores()) if backend == "cpu" else 1)
    rate, measured = _read().get(f"{method.id}/{backend}/{device}", (guess, work))
    return rate if work <= COMPARABLE * measured else max(rate, guess)


def remember(method: Method, backend: str, device: str, work: float, time_ms: float) -> None:
    """Keep the rate of a finished run that had something to do, unless a much larger one is known.

    A cache that cannot be written is not worth an error.
    """
    if time_ms < MINIMUM_MS or work <= 0:
        return
    with _LOCK, contextlib.suppress(OSError):
        rates, key = dict(_read()), f"{method.id}/{backend}/{device}"
        if COMPARABLE * work < rates.get(key, (0.0, 0.0))[1]:
            return
        rate = work / time_ms / 1e6
        if abs(rate / rates.get(key, (math.inf, 0.0))[0] - 1) < ALIKE and work == rates[key][1]:
            return
        rates[key] = rate, work
        _path().parent.mkdir(parents=True, exist_ok=True)
        _path().write_text(json.dumps(rates, indent=1))
        _parsed.cache_clear()
