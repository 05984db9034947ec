"""Limits that the user sets: disk space of runs, and the unpacked size of compressed files."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import platformdirs

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.text import parse_json, parse_real

DISK_LIMIT = 64 * 2**30
"""Bytes that runs may use on disk by default."""
UNPACKED_LIMIT = 2**30
"""Bytes that a compressed file may unpack to by default."""
UNPACKED_VARIABLE = "ANTIDIAG_UNPACK_GIB"
"""Environment variable with the unpacked limit in GiB; it overrides the user's setting."""
MOST_GIB = 2**30
DISK, UNPACKED = "limit", "unpacked"
"""Names of the limits in the file that stores them."""


def disk_limit() -> int:
    """Return the bytes that runs may use on disk."""
    return _stored_limits().get(DISK, DISK_LIMIT)


def set_disk_limit(count: int) -> None:
    """Store the bytes that runs may use on disk; raise OSError if the file cannot be written."""
    _set_limit(DISK, count)


def unpacked_limit() -> int:
    """Return the bytes that a compressed file may unpack to: from the environment, else as the user set it."""
    with contextlib.suppress(ValueError):
        if (gib := parse_real(os.environ.get(UNPACKED_VARIABLE, "nan"))) >= 0:
            return int(min(gib, MOST_GIB) * 2**30)
    return _stored_limits().get(UNPACKED, UNPACKED_LIMIT)


def set_unpacked_limit(count: int) -> None:
    """Store the bytes that a compressed file may unpack to; raise OSError if the file cannot be written."""
    _set_limit(UNPACKED, count)


def _stored_limits() -> dict[str, int]:
    """Return the limits that the user has set by name."""
    try:
        found = parse_json(_limit_path().read_bytes())
        return {name: max(int(count), 0) for name, count in found.items() if name in (DISK, UNPACKED)}
    except (OSError, ValueError, TypeError, AttributeError, OverflowError):
        return {}


def _set_limit(name: str, count: int) -> None:
    path = _limit_path()
    limits = {**_stored_limits(), name: count}
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic(path) as file:
        file.write(json.dumps(limits).encode())


def _limit_path() -> Path:
    return platformdirs.user_config_path("antidiag") / "disk.json"
