"""Bytes that a run needs, known before anything is allocated, and refusal where they do not fit."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs
import psutil

from kernels.errors import MemoryRefused

AVAILABLE = b"MemAvailable:"


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes by purpose ("boundary columns": 1024), on the host, on the device, and on the disk while a run lasts."""

    host: Mapping[str, int] = field(default_factory=dict)
    device: Mapping[str, int] = field(default_factory=dict)
    disk: Mapping[str, int] = field(default_factory=dict)

    @property
    def host_bytes(self) -> int:
        return sum(self.host.values())

    @property
    def device_bytes(self) -> int:
        return sum(self.device.values())

    @property
    def disk_bytes(self) -> int:
        return sum(self.disk.values())


def host_bytes_free() -> int:
    """Bytes of main memory that can be allocated without swapping."""
    # Every plan asks, and where the file is, reading its head takes a tenth of the time that psutil takes.
    with contextlib.suppress(OSError, ValueError), open("/proc/meminfo", "rb", buffering=0) as lines:
        head = lines.read(512)
        return 1024 * int(head[head.index(AVAILABLE) + len(AVAILABLE) :].split(None, 1)[0])
    return int(psutil.virtual_memory().available)


def disk_folder() -> Path:
    """Where runs keep what does not fit into memory: the user's cache folder, which may not exist yet."""
    return platformdirs.user_cache_path("antidiag")


def disk_bytes_free() -> int:
    """Bytes that the disk of that folder can still take."""
    folder = disk_folder()
    return shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists())).free


def refusal(footprint: Footprint, host_free: int, device_free: int | None) -> str | None:
    """Why a run with this footprint would not fit, or None when it does."""
    if footprint.host_bytes > host_free:
        return _refusal("host memory", footprint.host, host_free)
    if device_free is not None and footprint.device_bytes > device_free:
        return _refusal("device memory", footprint.device, device_free)
    if footprint.disk and footprint.disk_bytes > (disk_free := disk_bytes_free()):
        return _refusal("disk space", footprint.disk, disk_free)
    return None


def refuse(reason: str | None, remedy: str = "") -> None:
    """Raise MemoryRefused when there is a reason to."""
    if reason:
        raise MemoryRefused(f"{reason}. {remedy}".strip())


def bytes_text(count: int) -> str:
    """``count`` bytes for a person: '1.5 GiB'."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def _refusal(place: str, parts: Mapping[str, int], free: int) -> str:
    needed = sum(parts.values())
    label, most = max(parts.items(), key=lambda part: part[1])
    return (
        f"this run needs {bytes_text(needed)} of {place}, {bytes_text(most)} of it for {label}; "
        f"{bytes_text(free)} is free"
    )
