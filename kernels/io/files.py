"""Writing files, all or nothing: a file is replaced only when the new one is complete. And which version is there."""

from __future__ import annotations

import gzip
import os
import uuid
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from pathlib import Path

from antidiag.kernels.errors import InputError


def write_lines(path: str | Path, lines: Iterable[str], packed: bool = False) -> None:
    """Write text pieces as UTF-8, gzipped if ``packed``, all or nothing; InputError where that fails.

    The pieces go to a new file in the same folder, which then takes the place of the old one.
    """
    write_bytes(path, (line.encode() for line in lines), packed)


def write_bytes(path: str | Path, pieces: Iterable[bytes], packed: bool = False) -> None:
    """Write pieces of bytes as `write_lines` does."""
    target = Path(os.path.realpath(path))
    _check_target(target)
    if os.path.exists(target) and not os.path.isfile(target):
        _write(path, target, pieces, packed)
        return
    temporary = target.with_name(f".antidiag-{uuid.uuid4().hex}.tmp")
    try:
        _write(path, temporary, pieces, packed)
        os.replace(temporary, target)
    except OSError as error:
        raise _refusal(path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def version(path: Path) -> tuple[Path, int, int, int]:
    """The path, and what changes when the file there does, for those who keep what they read; OSError where none is."""
    status = path.stat()
    return path, status.st_ino, status.st_mtime_ns, status.st_size


def _write(path: str | Path, place: Path, pieces: Iterable[bytes], packed: bool) -> None:
    try:
        with open(place, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb") if packed else nullcontext(raw) as handle:
            handle.writelines(pieces)
    except OSError as error:
        raise _refusal(path, error) from error


def _check_target(target: Path) -> None:
    """Refuse a folder, and a folder that is not there."""
    if os.path.isdir(target):
        raise InputError(f"{target}: this is a folder; give the name of a file in it")
    if not os.path.isdir(target.parent):
        raise InputError(f"{target}: there is no folder {target.parent}; create it or choose another")


def _refusal(path: str | Path, error: OSError) -> InputError:
    return InputError(f"{path}: cannot be written: {error.strerror or error}; choose another place")
