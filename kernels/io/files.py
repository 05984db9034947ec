"""Writing text and binary files as a whole, with errors in the user's words, and telling versions of a file apart."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import packed_files

LINE_LENGTH = 60
"""Letters on a line of FASTA and Clustal."""


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write pieces of text as UTF-8, atomically, and compressed where the suffix is .gz, .bz2, .xz, .zst or .zip.

    Parameters
    ----------
    path : str or Path
        The file to write. It is replaced only when all pieces are written.
    lines : iterable of str
        The text in pieces, with their line ends.

    Raises
    ------
    InputError
        Where the file cannot be written.
    """
    write_bytes(path, (line.encode() for line in lines))


def write_bytes(path: str | Path, pieces: Iterable[bytes]) -> None:
    """Write pieces of bytes atomically, as `write_lines` writes text."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{target}: this is a folder; give the name of a file in it")
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no folder {target.parent}; create it or choose another")
    try:
        with open_atomic(path) as raw, packed_files.pack(raw, Path(path)) as handle:
            handle.writelines(pieces)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}; choose another place") from error


def file_version(path: Path) -> tuple[Path, int, int, int]:
    """Return the path with what changes when the file does: inode, time (ns) and size. OSError where there is none."""
    status = os.stat(path)
    return path, status.st_ino, status.st_mtime_ns, status.st_size
