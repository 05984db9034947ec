"""Rooflines of devices: the measured limits of operations and bytes per second, stored on disk."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import platformdirs

from antidiag.kernels import engine
from antidiag.kernels.cpu import workers
from antidiag.kernels.cuda import devices
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import parse_json
from antidiag.kernels.typed_fields import make_checked


@dataclass(frozen=True, slots=True)
class Roofline:
    """Measured limits of a device.

    ``operations_per_s`` are additions and maxima of 32-bit lanes, on ``workers`` threads (or multiprocessors)
    together; a GPU's fused add-and-maximum counts as one. ``bytes_per_s`` are read and written by a triad over
    arrays that no cache holds.
    """

    backend: str
    device: str
    workers: int
    operations_per_s: float
    bytes_per_s: float
    measured: str


def stored_roofline(backend: str, device: str) -> Roofline | None:
    """Return the stored roofline of a device, or None."""
    try:
        found = make_checked(Roofline, _read_store()[f"{backend}/{device}"])
    except (KeyError, TypeError, AttributeError):
        return None
    return found if 0 < found.operations_per_s < math.inf and 0 < found.bytes_per_s < math.inf else None


def find_roofline(backend: str, device: int = 0, monitor: Monitor | None = None, again: bool = False) -> Roofline:
    """Return the roofline of a device; measure it (a few seconds) if none is stored or with ``again``.

    Raises BackendUnavailable for an unknown GPU, and Cancelled.
    """
    name = devices.find_device(device).name if backend == "cuda" else engine.cpu_name()
    found = None if again else stored_roofline(backend, name)
    if found is None:
        found = _measure_roofline(backend, name, device, monitor or Monitor())
        _store_roofline(found)
    return found


def _measure_roofline(backend: str, name: str, device: int, monitor: Monitor) -> Roofline:
    if backend == "cuda":
        from antidiag.kernels.experiments.rooflines import cuda_roofline

        count = devices.find_device(device).multiprocessors
        rates = cuda_roofline.measure_gpu(device, monitor)
    else:
        from antidiag.kernels.experiments.rooflines import cpu_roofline

        count = workers.count_processors()
        rates = cpu_roofline.measure_cpu(count, monitor)
    return Roofline(backend, name, count, *rates, measured=datetime.now(UTC).isoformat(timespec="seconds"))


def _store_path() -> Path:
    return platformdirs.user_data_path("antidiag") / "rooflines.json"


def _read_store() -> Mapping[str, Any]:
    try:
        found = parse_json(_store_path().read_bytes())
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        return {}


def _store_roofline(found: Roofline) -> None:
    """Store a roofline; if that fails, it is measured again next time."""
    with contextlib.suppress(OSError):
        _store_path().parent.mkdir(parents=True, exist_ok=True)
        _store_path().write_text(
            json.dumps({**_read_store(), f"{found.backend}/{found.device}": asdict(found)}, indent=1)
        )
