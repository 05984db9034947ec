"""Which methods are compiled on this machine already, and how long the compilation of the others will take.

A file remembers the first run of each method by each version of the program; later runs only load what that compiled.
What a first run will take is estimated from times that ship with the program (``shipped_compilation.json``, written by
scripts/compilation_times.py), corrected by what compiling took on this machine.
"""

from __future__ import annotations

import contextlib
import json
import math
import statistics
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from antidiag.kernels import __version__
from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.method import Method
from antidiag.kernels.text import parse_json

SHIPPED_TIMES = Path(__file__).with_name("shipped_compilation.json")
"""Milliseconds of the first compilation on the CPU, by family and method."""
TYPICAL_MS = 15_000.0
"""Milliseconds of a first compilation where no method of the family was measured."""
MAX_FACTOR = 8.0
"""How many times as long, or as short, compiling may take on this machine at most."""
SHORT_MS = 1_000.0
"""Shorter times are those of loading."""

_LOCK = threading.Lock()
_COMPILED: set[str] = set()
"""Keys of what this process has run."""


def expected_compilation_ms(method: Method, backend: str, device: str) -> float:
    """Return the milliseconds that compiling will take in the next run; 0 where a run has compiled the method."""
    key = _key(method, backend, device)
    if key in _COMPILED:
        return 0.0
    found = _read_entries().get(key)
    if isinstance(found, list) and found[:1] == [__version__]:
        _COMPILED.add(key)
        return 0.0
    measured = _measured_ms(found)
    return measured if measured else _usual_ms(method.family, method.id, backend) * _machine_factor(backend, device)


def _measured_ms(entry: Any) -> float:
    """Return the milliseconds of an entry that compiled; 0 for one that only loaded, and for damaged ones."""
    measured = entry[1] if isinstance(entry, list) and len(entry) == 2 else None
    if isinstance(measured, (int, float)) and SHORT_MS <= measured < math.inf:
        return float(measured)
    return 0.0


@cache
def _shipped_times() -> Mapping[str, Mapping[str, float]]:
    return parse_json(SHIPPED_TIMES.read_bytes())


def _usual_ms(family: str, method_id: str, backend: str) -> float:
    """Return the shipped time of a method, or the median of its family."""
    times = _shipped_times().get(family, {}) if backend == "cpu" else {}
    return times.get(method_id) or (statistics.median(times.values()) if times else TYPICAL_MS)


def _machine_factor(backend: str, device: str) -> float:
    """Return how many times as long as shipped compiling takes here: the median of what was measured."""
    shipped = {method: time for times in _shipped_times().values() for method, time in times.items()}
    ratios = []
    for key, entry in _read_entries().items():
        method, *place = key.split("/", 2)
        usual = shipped.get(method) if backend == "cpu" else TYPICAL_MS
        if usual and place == [backend, device] and (measured := _measured_ms(entry)):
            ratios.append(measured / usual)
    factor = statistics.median(ratios) if ratios else 1.0
    return min(max(factor, 1 / MAX_FACTOR), MAX_FACTOR)


def remember_compilation(method: Method, backend: str, device: str, time_ms: float) -> None:
    """Remember that a run has compiled a method, and how long that took.

    A file that cannot be written is not worth an error.
    """
    key = _key(method, backend, device)
    if key in _COMPILED:
        return
    with _LOCK, contextlib.suppress(OSError):
        _COMPILED.add(key)
        entries = dict(_read_entries())
        before = entries.get(key)
        if isinstance(before, list) and len(before) == 2 and time_ms < SHORT_MS:
            time_ms = before[1]
        if before == [__version__, time_ms]:
            return
        entries[key] = [__version__, time_ms]
        _path().parent.mkdir(parents=True, exist_ok=True)
        with open_atomic(_path()) as file:
            file.write(json.dumps(entries, indent=1).encode())


def _key(method: Method, backend: str, device: str) -> str:
    return f"{method.id}/{backend}/{device}"


def _path() -> Path:
    return Path(platformdirs.user_cache_dir("antidiag")) / "compiled.json"


def _read_entries() -> Mapping[str, Any]:
    """Return all entries of the file; none where it cannot be read."""
    try:
        found = parse_json(_path().read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
