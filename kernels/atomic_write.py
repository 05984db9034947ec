"""Atomic file writing: a file is replaced only when the new one is complete, so no reader ever finds half of it."""

from __future__ import annotations

import os
import platform
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO

import psutil

UNFINISHED = re.compile(r"\.antidiag-(?P<process>\d+)-[0-9a-f]{32}@(?P<host>.*)\.tmp")
"""Name of a file that is being written: number of the process, a random number, and the computer."""


@contextmanager
def open_atomic(path: str | Path, sync: bool = False) -> Iterator[IO[bytes]]:
    """Open a binary file that takes the place of `path` when the ``with`` block ends.

    The bytes go to a hidden file in the same folder, which is renamed at the end. Where the block raises, the old file
    stays as it was and the hidden one is removed; that of a killed process is removed by the next process that writes
    into the folder on the same computer. A link keeps pointing to its file, whose content is replaced; pipes
    and devices are written directly.

    Parameters
    ----------
    path : str or Path
        The file to write; its folder must exist.
    sync : bool
        Wait until the bytes are on the disk before renaming, so that the file survives a power failure.

    Raises
    ------
    OSError
        Where the file cannot be created, written or renamed.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with open(target, "wb") as handle:
            yield handle
        return
    remove_abandoned_files(target.parent)
    unfinished = target.with_name(f".antidiag-{os.getpid()}-{uuid.uuid4().hex}@{platform.node()}.tmp")
    try:
        with open(unfinished, "wb") as handle:
            yield handle
            if sync:
                handle.flush()
                os.fsync(handle.fileno())
        os.replace(unfinished, target)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


@lru_cache(maxsize=256)
def remove_abandoned_files(folder: Path) -> None:
    """Remove the unfinished files that dead processes of this computer left in a folder; once a process and folder."""
    with suppress(OSError):
        for name in os.listdir(folder):
            found = UNFINISHED.fullmatch(name)
            if found and found["host"] == platform.node() and not psutil.pid_exists(int(found["process"])):
                with suppress(OSError):
                    (folder / name).unlink()
