"""Atomic file writing: a file is replaced only when the new one is complete, so no reader ever finds half of it."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def open_atomic(path: str | Path, sync: bool = False) -> Iterator[IO[bytes]]:
    """Open a binary file that takes the place of `path` when the ``with`` block ends.

    The bytes go to a hidden file in the same folder, which is renamed at the end. Where the block raises, the old file
    stays as it was and the hidden one is removed. A link keeps pointing to its file, whose content is replaced; pipes
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
    unfinished = target.with_name(f".antidiag-{uuid.uuid4().hex}.tmp")
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
