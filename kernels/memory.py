"""Memory and disk space: what a run needs, what is free, and why a run that does not fit is refused."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import platformdirs
import psutil

from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.user_limits import (  # noqa: F401 - callers still import the limits from here
    DISK_LIMIT,
    MOST_GIB,
    UNPACKED_LIMIT,
    UNPACKED_VARIABLE,
    disk_limit,
    memory_limit,
    set_disk_limit,
    set_unpacked_limit,
    unpacked_limit,
    uses_decimal_bytes,
)

BINARY_UNITS, DECIMAL_UNITS = ("B", "KiB", "MiB", "GiB", "TiB"), ("B", "kB", "MB", "GB", "TB")
SPARE_DISK = 2**30
"""Bytes that runs leave free on the disk."""
AVAILABLE = b"MemAvailable:"
MEMORY_AGE_S = 0.01
"""How long a reading of the free memory counts: plans of short runs follow each other faster than it changes."""
ALWAYS_THERE = 2**26
"""Free host memory that is always assumed. Virtual machines whose memory grows on demand report none as free."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes that a run needs by purpose ("boundary columns": 1024) on host, device and disk."""

    host: Mapping[str, int] = field(default_factory=dict)
    device: Mapping[str, int] = field(default_factory=dict)
    disk: Mapping[str, int] = field(default_factory=dict)

    @property
    def host_bytes(self) -> int:
        """Sum of the bytes of main memory."""
        return sum(self.host.values())

    @property
    def device_bytes(self) -> int:
        """Sum of the bytes of device memory; 0 for a run on the CPU."""
        return sum(self.device.values())

    @property
    def disk_bytes(self) -> int:
        """Sum of the bytes on disk during the run."""
        return sum(self.disk.values())


def host_bytes_free() -> int:
    """Return the bytes of main memory that can be allocated without swapping, within the user's limit; at least
    `ALWAYS_THERE`."""
    there = _available_bytes()
    return max(min(there, memory_limit() or there), ALWAYS_THERE)


def _available_bytes() -> int:
    """Return the bytes that the system can give out, as they were at most MEMORY_AGE_S ago."""
    return _read_available_bytes(int(time.monotonic() / MEMORY_AGE_S))


@lru_cache(maxsize=1)
def _read_available_bytes(moment: int) -> int:
    # Every plan calls this; reading the head of the file takes a tenth of the time of psutil.
    with contextlib.suppress(OSError, ValueError), open("/proc/meminfo", "rb", buffering=0) as lines:
        head = lines.read(512)
        return 1024 * int(head[head.index(AVAILABLE) + len(AVAILABLE) :].split(None, 1)[0])
    return int(psutil.virtual_memory().available)


def disk_folder() -> Path:
    """Return the folder for data that do not fit into memory, in the user's cache folder; it may not exist yet."""
    return platformdirs.user_cache_path("antidiag")


def disk_bytes_free() -> int:
    """Return the free bytes on the disk of `disk_folder`."""
    folder = disk_folder()
    return shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists())).free


def allowed_disk_bytes() -> int:
    """Return the bytes that a run may write to disk: within the user's limit, and leaving SPARE_DISK free."""
    return max(min(disk_limit(), disk_bytes_free() - SPARE_DISK), 0)


def explain_refusal(footprint: Footprint, host_free: int, device_free: int | None) -> str | None:
    """Return why a run with this footprint does not fit, or None if it fits."""
    if footprint.host_bytes > host_free:
        return _format_refusal("host memory", footprint.host, host_free)
    if device_free is not None and footprint.device_bytes > device_free:
        return _format_refusal("device memory", footprint.device, device_free)
    if footprint.disk and footprint.disk_bytes > (disk_left := allowed_disk_bytes()):
        limited = disk_left == disk_limit()
        return _format_refusal(
            "disk space", footprint.disk, disk_left, "allowed by the disk limit" if limited else "free"
        )
    return None


def raise_if_refused(reason: str | None, hint: str = "") -> None:
    """Raise MemoryRefused with the reason, if there is one."""
    if reason:
        raise MemoryRefused(f"{reason}. {hint}".strip())


def format_bytes(count: int) -> str:
    """Return a number of bytes in words: '1.5 GiB', or '1.6 GB' where the user chose decimal units."""
    value, decimal = float(count), uses_decimal_bytes()
    step, units = (1000, DECIMAL_UNITS) if decimal else (1024, BINARY_UNITS)
    for unit in units[:-1]:
        if value < step:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= step
    return f"{value:.1f} {units[-1]}"


def _format_refusal(place: str, parts: Mapping[str, int], free: int, is_there: str = "free") -> str:
    needed = sum(parts.values())
    label, most = max(parts.items(), key=lambda part: part[1])
    return (
        f"this run needs {format_bytes(needed)} of {place} ({format_bytes(most)} for {label}), "
        f"but only {format_bytes(free)} is {is_there}"
    )
