"""Which methods are compiled on this machine already, from which the time of a first run is estimated.

The file of this module remembers the first run of each method by each version of the program; later runs only load what
that run compiled.
"""

from __future__ import annotations

import contextlib
import json
import math
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

from antidiag.kernels import __version__
from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.method import Method
from antidiag.kernels.text import parse_json

TYPICAL_MS = {"cpu": 15_000.0, "cuda": 15_000.0}
"""Milliseconds of a first compilation where none was measured; on two cores, methods take from 3 to 40 seconds."""
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
    measured = found[1] if isinstance(found, list) and len(found) == 2 else None
    if isinstance(measured, (int, float)) and SHORT_MS <= measured < math.inf:
        return float(measured)
    return TYPICAL_MS.get(backend, 0.0)


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
