"""One process at a time makes what all of them then find in a file: compiled code above all.

A lock is the system's own (flock), so that one of a process that is killed is free at once. Where there is none, as on
Windows and on some disks of networks, everybody makes the same, as each would without the others.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

WAIT_S = 60.0
"""How long somebody else is waited for, who may be stopped."""
LOOK_S = 0.02


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of this name, as soon as nobody else does.

    It is a file that is there for as long as somebody holds it or waits. A thread that holds it must not ask again.
    """
    with contextlib.ExitStack() as stack:
        file = _locked(path)
        if file is not None:
            stack.callback(file.close)
            stack.callback(_remove, path)
        yield


def _locked(path: Path) -> BinaryIO | None:
    """The open file of a lock that is ours; None where none can be had."""
    end = time.monotonic() + WAIT_S
    with contextlib.suppress(OSError, ImportError):
        while (file := _tried(path)) is None and time.monotonic() < end:
            time.sleep(LOOK_S)
        return file
    return None


def _tried(path: Path) -> BinaryIO | None:
    """The open file, if nobody holds its lock."""
    import fcntl  # there are no such locks on Windows

    file = open(path, "ab")  # noqa: SIM115 (it stays open)
    with contextlib.suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):  # whoever let go of it has removed the one before
            return file
    file.close()
    return None


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
