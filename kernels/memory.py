"""Bytes that a run needs in memory and on disk, known before anything is allocated, and refusal where it has less."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs
import psutil

from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.text import from_json, real

DISK_LIMIT = 64 * 2**30
"""What runs may take on the disk where the user has set nothing."""
UNPACKED_LIMIT = 2**30
"""What a packed file may hold where the user has set nothing."""
UNPACKED_VARIABLE = "ANTIDIAG_UNPACK_GIB"
"""Environment variable: the same in GiB, before what the user has set."""
SPARE_DISK = 2**30
"""Room that runs leave on it."""
MOST_GIB = 2**30
DISK, UNPACKED = "limit", "unpacked"
"""How the limits are called in the file that keeps them."""
AVAILABLE = b"MemAvailable:"
ALWAYS_THERE = 2**26
"""Host memory that no run is refused for lack of: the program itself has more, and machines whose memory grows with
its use say that nothing is free."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes by purpose ("boundary columns": 1024), on the host, on the device, and on the disk while a run lasts."""

    host: Mapping[str, int] = field(default_factory=dict)
    device: Mapping[str, int] = field(default_factory=dict)
    disk: Mapping[str, int] = field(default_factory=dict)

    @property
    def host_bytes(self) -> int:
        """All bytes of main memory."""
        return sum(self.host.values())

    @property
    def device_bytes(self) -> int:
        """All bytes of the device's memory; 0 for a run on the CPU."""
        return sum(self.device.values())

    @property
    def disk_bytes(self) -> int:
        """All bytes on the disk while the run lasts."""
        return sum(self.disk.values())


def host_bytes_free() -> int:
    """Bytes of main memory that can be allocated without swapping; never less than is `ALWAYS_THERE`."""
    return max(_available(), ALWAYS_THERE)


def _available() -> int:
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


def disk_limit() -> int:
    """Bytes that runs may take on that disk, as the user set it."""
    return _limits().get(DISK, DISK_LIMIT)


def set_disk_limit(count: int) -> None:
    """Let runs take at most so many bytes on the disk, from now on; OSError where that cannot be kept."""
    _set_limit(DISK, count)


def unpacked_limit() -> int:
    """Bytes that may come out of one packed file: of the environment, else as the user set it."""
    with contextlib.suppress(ValueError):
        if (gib := real(os.environ.get(UNPACKED_VARIABLE, "nan"))) >= 0:
            return int(min(gib, MOST_GIB) * 2**30)
    return _limits().get(UNPACKED, UNPACKED_LIMIT)


def set_unpacked_limit(count: int) -> None:
    """Unpack so many bytes of a file at most, from now on; OSError where that cannot be kept."""
    _set_limit(UNPACKED, count)


def _limits() -> dict[str, int]:
    """The limits that the user has set, by name."""
    try:
        found = from_json(_limit_path().read_bytes())
        return {name: max(int(count), 0) for name, count in found.items() if name in (DISK, UNPACKED)}
    except (OSError, ValueError, TypeError, AttributeError, OverflowError):
        return {}


def _set_limit(name: str, count: int) -> None:
    path = _limit_path()
    limits = {**_limits(), name: count}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    try:
        unfinished.write_text(json.dumps(limits), encoding="utf-8")
        os.replace(unfinished, path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def disk_bytes_left() -> int:
    """Bytes that a run may put on the disk: within the limit, and with some room left."""
    return max(min(disk_limit(), disk_bytes_free() - SPARE_DISK), 0)


def _limit_path() -> Path:
    return platformdirs.user_config_path("antidiag") / "disk.json"


def refusal(footprint: Footprint, host_free: int, device_free: int | None) -> str | None:
    """Why a run with this footprint would not fit, or None when it does."""
    if footprint.host_bytes > host_free:
        return _refusal("host memory", footprint.host, host_free)
    if device_free is not None and footprint.device_bytes > device_free:
        return _refusal("device memory", footprint.device, device_free)
    if footprint.disk and footprint.disk_bytes > (disk_left := disk_bytes_left()):
        limited = disk_left == disk_limit()
        return _refusal("disk space", footprint.disk, disk_left, "is the limit that is set" if limited else "is free")
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


def _refusal(place: str, parts: Mapping[str, int], free: int, is_there: str = "is free") -> str:
    needed = sum(parts.values())
    label, most = max(parts.items(), key=lambda part: part[1])
    return (
        f"this run needs {bytes_text(needed)} of {place}, {bytes_text(most)} of it for {label}; "
        f"{bytes_text(free)} {is_there}"
    )
