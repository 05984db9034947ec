"""Writing text and binary files as a whole, with errors in the user's words, and telling versions of a file apart."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.errors import InputError

LINE_LENGTH = 60
"""Letters on a line of FASTA and Clustal."""


def write_lines(path: str | Path, lines: Iterable[str], packed: bool = False) -> None:
    """Write pieces of text as UTF-8, atomically.

    Parameters
    ----------
    path : str or Path
        The file to write. It is replaced only when all pieces are written.
    lines : iterable of str
        The text in pieces, with their line ends.
    packed : bool
        Compress with gzip.

    Raises
    ------
    InputError
        Where the file cannot be written.
    """
    write_bytes(path, (line.encode() for line in lines), packed)


def write_bytes(path: str | Path, pieces: Iterable[bytes], packed: bool = False) -> None:
    """Write pieces of bytes atomically, as `write_lines` writes text."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{target}: this is a folder; give the name of a file in it")
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no folder {target.parent}; create it or choose another")
    try:
        with open_atomic(path) as raw, gzip.GzipFile(fileobj=raw, mode="wb") if packed else nullcontext(raw) as handle:
            handle.writelines(pieces)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}; choose another place") from error


def file_version(path: Path) -> tuple[Path, int, int, int]:
    """Return the path with what changes when the file does: inode, time (ns) and size. OSError where there is none."""
    status = path.stat()
    return path, status.st_ino, status.st_mtime_ns, status.st_size
