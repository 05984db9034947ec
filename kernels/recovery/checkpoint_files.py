"""Arrays and facts in one file, with a checksum: written all or nothing, read without a copy.

Layout: MAGIC, the length of a JSON header (8 bytes), the header, the arrays (C order, each at a multiple of ALIGNMENT),
the CRC-32 of all that (4 bytes), END. A file gets its name only after all of it is on the disk, so that a crash leaves
no half of one; what a failing disk does to it later, the checksum notices.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from antidiag.kernels.text import from_json

MAGIC, END = b"antidiag part 1\n", b"the end\n"
LENGTH, CHECKSUM = 8, 4
ALIGNMENT = 64
PIECE = 4 * 2**20
"""Bytes that are written at a time."""
SYNC = 32 * 2**20
"""Bytes after which the disk is waited for, so that no wait is long."""
UNFINISHED = ".unfinished"


class Damaged(Exception):
    """A file that is no part, or not the one that was written."""


@dataclass(frozen=True)
class Part:
    """What a file holds; the arrays are read-only views of it."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]


def write(
    path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray], go_on: Callable[[], bool] = lambda: True
) -> bool:
    """Write a part, which replaces one of this name; False, and nothing written, where ``go_on()`` came to say no.

    OSError where the disk is full or the folder cannot be written; nothing of the file is left then.
    """
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        with open(unfinished, "wb") as file:
            checksum = waiting = 0
            for piece in _pieces(facts, arrays):
                if not go_on():
                    return False
                file.write(piece)
                checksum, waiting = zlib.crc32(piece, checksum), waiting + len(piece)
                if waiting >= SYNC:
                    _sync(file)
                    waiting = 0
            file.write(checksum.to_bytes(CHECKSUM, "little") + END)
            _sync(file)
        os.replace(unfinished, path)
        _sync_folder(path.parent)
        return True
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: Path, check: Callable[[], None] = lambda: None, verify: bool = True) -> Part:
    """The part in a file; Damaged where it is not as it was written. ``check()`` may raise while a large one is read.

    Without ``verify`` the checksum is not looked at, so that only what is used of the arrays is read.
    """
    try:
        with open(path, "rb") as file:
            header, start = _header(file)
            if verify:
                _verify(file, check)
    except OSError as error:
        raise Damaged(f"{path}: {error.strerror or error}") from error
    arrays = {
        name: _view(path, kind, shape, start + offset) for name, (kind, shape, offset) in header["arrays"].items()
    }
    return Part(header["facts"], arrays)


def read_facts(path: Path) -> Mapping[str, Any]:
    """The facts alone, unverified: enough for a list. Damaged where the file is no part."""
    try:
        with open(path, "rb") as file:
            return _header(file)[0]["facts"]
    except OSError as error:
        raise Damaged(f"{path}: {error.strerror or error}") from error


def _pieces(facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Iterator[bytes | memoryview]:
    """The whole file but its checksum, in pieces."""
    places, offset = {}, 0
    for name, array in arrays.items():
        places[name] = array.dtype.str, array.shape, offset
        offset += _aligned(array.nbytes)
    header = json.dumps({"facts": dict(facts), "arrays": places}).encode()
    begin = len(MAGIC) + LENGTH + len(header)
    header += b" " * (_aligned(begin) - begin)
    yield MAGIC + len(header).to_bytes(LENGTH, "little") + header
    for array in arrays.values():
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        for at in range(0, flat.size, PIECE):
            yield flat[at : at + PIECE].data
        yield bytes(_aligned(flat.size) - flat.size)


def _header(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """The header, and where the arrays begin."""
    begin = file.read(len(MAGIC) + LENGTH)
    length = int.from_bytes(begin[len(MAGIC) :], "little")
    if not begin.startswith(MAGIC) or length > os.fstat(file.fileno()).st_size:
        raise Damaged(f"{file.name}: no part of a run")
    try:
        header = from_json(file.read(length))
        return {"facts": header["facts"], "arrays": header["arrays"]}, len(begin) + length
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"{file.name}: its header cannot be read") from error


def _verify(file: BinaryIO, check: Callable[[], None]) -> None:
    file.seek(0)
    checksum, left = 0, os.fstat(file.fileno()).st_size - CHECKSUM - len(END)
    while left > 0:
        check()
        piece = file.read(min(PIECE, left))
        if not piece:
            break
        checksum, left = zlib.crc32(piece, checksum), left - len(piece)
    if left or file.read() != checksum.to_bytes(CHECKSUM, "little") + END:
        raise Damaged(f"{file.name}: the checksum does not fit")


def _view(path: Path, kind: str, shape: list[int], offset: int) -> np.ndarray:
    if not math.prod(shape):
        return np.empty(shape, kind)
    return np.asarray(np.memmap(path, kind, "r", offset, tuple(shape)))


def _aligned(count: int) -> int:
    return -(-count // ALIGNMENT) * ALIGNMENT


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """A new name is in the folder after a loss of power too, where the system allows that to be asked for."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
