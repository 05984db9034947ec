"""File locks: one of several test processes builds a file, and the others wait for it.

The locks are those of the system (flock), which are released when a process is killed. Where there are none, as on
Windows and on some network disks, every process builds the file.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

WAIT_S = 60.0
"""How long to wait for another process, which may be suspended."""
LOOK_S = 0.02


@contextlib.contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold a lock in the block; its file exists as long as a process holds it or waits for it. It is not reentrant."""
    with contextlib.ExitStack() as stack:
        file = _wait_for_lock(path)
        if file is not None:
            stack.callback(file.close)
            stack.callback(_remove_file, path)
        yield


def _wait_for_lock(path: Path) -> BinaryIO | None:
    """Wait for a lock and return its open file, or None if there are no locks or the wait is too long."""
    end = time.monotonic() + WAIT_S
    with contextlib.suppress(OSError, ImportError):
        while (file := _try_lock(path)) is None and time.monotonic() < end:
            time.sleep(LOOK_S)
        return file
    return None


def _try_lock(path: Path) -> BinaryIO | None:
    """Return the open and locked file, or None if another process holds the lock."""
    import fcntl  # there are no such locks on Windows

    file = open(path, "ab")  # noqa: SIM115 (it stays open)
    with contextlib.suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):  # the last holder may have removed the file
            return file
    file.close()
    return None


def _remove_file(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
