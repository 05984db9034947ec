"""The roofline of a device: how many operations and bytes a second it can do at most, measured once and kept."""

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
from antidiag.kernels.text import from_json
from antidiag.kernels.typed_fields import made


@dataclass(frozen=True, slots=True)
class Roofline:
    """What a device reaches with nothing but the operation in question.

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


def kept(backend: str, device: str) -> Roofline | None:
    """The roofline of a device where it was measured before."""
    try:
        found = made(Roofline, _read()[f"{backend}/{device}"])
    except (KeyError, TypeError, AttributeError):
        return None
    return found if 0 < found.operations_per_s < math.inf and 0 < found.bytes_per_s < math.inf else None


def of(backend: str, device: int = 0, monitor: Monitor | None = None, again: bool = False) -> Roofline:
    """The roofline of a device, measured now (a few seconds) where it was not before, or ``again``.

    Raises BackendUnavailable where there is no such GPU, and Cancelled.
    """
    name = devices.device(device).name if backend == "cuda" else engine.cpu_name()
    found = None if again else kept(backend, name)
    if found is None:
        found = _measured(backend, name, device, monitor or Monitor())
        _keep(found)
    return found


def _measured(backend: str, name: str, device: int, monitor: Monitor) -> Roofline:
    if backend == "cuda":
        from antidiag.kernels.experiments.rooflines import cuda_roofline

        count = devices.device(device).multiprocessors
        rates = cuda_roofline.measure(device, monitor)
    else:
        from antidiag.kernels.experiments.rooflines import cpu_roofline

        count = workers.cores()
        rates = cpu_roofline.measure(count, monitor)
    return Roofline(backend, name, count, *rates, measured=datetime.now(UTC).isoformat(timespec="seconds"))


def _path() -> Path:
    return platformdirs.user_data_path("antidiag") / "rooflines.json"


def _read() -> Mapping[str, Any]:
    try:
        found = from_json(_path().read_bytes())
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        return {}


def _keep(found: Roofline) -> None:
    """What cannot be kept is measured again next time."""
    with contextlib.suppress(OSError):
        _path().parent.mkdir(parents=True, exist_ok=True)
        _path().write_text(json.dumps({**_read(), f"{found.backend}/{found.device}": asdict(found)}, indent=1))
