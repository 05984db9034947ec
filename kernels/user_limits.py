"""Limits that the user sets: disk space and main memory of runs, CPU threads, and the unpacked size of files."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from functools import cache, lru_cache
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
DISK, UNPACKED, MEMORY, THREADS, DECIMAL = "limit", "unpacked", "memory", "threads", "decimal_bytes"
CIGAR, MASKING = "cigar", "masking"
LIMITS = frozenset({DISK, UNPACKED, MEMORY, THREADS, DECIMAL, CIGAR, MASKING})
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


def memory_limit() -> int:
    """Return the bytes of main memory that a run may use; 0 for all that is free."""
    return _stored_limits().get(MEMORY, 0)


def set_memory_limit(count: int) -> None:
    """Store the bytes of main memory that a run may use (0: no limit); raise OSError if the file cannot be written."""
    _set_limit(MEMORY, count)


def thread_limit() -> int:
    """Return the CPU threads that a run may use; 0 for all processors."""
    return _stored_limits().get(THREADS, 0)


def set_thread_limit(count: int) -> None:
    """Store the CPU threads that a run may use (0: no limit); raise OSError if the file cannot be written."""
    _set_limit(THREADS, count)


def uses_decimal_bytes() -> bool:
    """Return whether bytes are written in powers of 1,000 (GB); otherwise in powers of 1,024 (GiB)."""
    return bool(_stored_limits().get(DECIMAL, 0))


def set_decimal_bytes(decimal: bool) -> None:
    """Store in which units bytes are written; raise OSError if the file cannot be written."""
    _set_limit(DECIMAL, int(decimal))


def stored_choice(name: str) -> int:
    """Return the number of the user's choice between two conventions of files (CIGAR, MASKING); 0 by default."""
    return min(_stored_limits().get(name, 0), 1)


def set_stored_choice(name: str, number: int) -> None:
    """Store the number of a choice between two conventions; raise OSError if the file cannot be written."""
    _set_limit(name, number)


def reset_limits() -> None:
    """Forget all limits that the user has set; raise OSError if their file cannot be removed."""
    _limit_path().unlink(missing_ok=True)


def _stored_limits() -> Mapping[str, int]:
    """Return the limits that the user has set by name."""
    path = _limit_path()
    try:
        return _read_limits(path, os.stat(path).st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=4)
def _read_limits(path: Path, changed_ns: int) -> Mapping[str, int]:
    """Return the limits in a file that was ``changed_ns`` last, so that plans read it once."""
    try:
        found = parse_json(path.read_bytes())
        return {name: max(int(count), 0) for name, count in found.items() if name in LIMITS}
    except (OSError, ValueError, TypeError, AttributeError, OverflowError):
        return {}


def _set_limit(name: str, count: int) -> None:
    path = _limit_path()
    limits = {**_stored_limits(), name: count}
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic(path) as file:
        file.write(json.dumps(limits).encode())


@cache
def _limit_path() -> Path:
    """Return the file of the limits; looked up once, because every plan asks for it several times."""
    return platformdirs.user_config_path("antidiag") / "disk.json"
