"""Checkpoint files: arrays and plain values in one file with a checksum, written atomically and read without a copy.

Layout: MAGIC, the length of a JSON header (8 bytes), the header, the arrays (C order, each at a multiple of ALIGNMENT),
the CRC-32 of all that (4 bytes), END. A file gets its name only after all of it is on the disk, so that a crash leaves
no half of it. The checksum finds damage by a failing disk.
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

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.text import parse_json

MAGIC, END = b"antidiag part 1\n", b"the end\n"
LENGTH_BYTES, CHECKSUM_BYTES = 8, 4
ALIGNMENT = 64
PIECE_BYTES = 4 * 2**20
"""Bytes that are written or read at a time."""
SYNC_BYTES = 32 * 2**20
"""Bytes after which the file is flushed to the disk, so that no flush takes long."""


class DamagedCheckpoint(Exception):
    """A file is no checkpoint, or its content has changed since it was written."""


class _Stopped(Exception):
    """The caller no longer wants the file that is being written."""


@dataclass(frozen=True)
class Checkpoint:
    """The content of a file; the arrays are read-only views of it."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]


def write_checkpoint(
    path: Path,
    facts: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    should_continue: Callable[[], bool] = lambda: True,
) -> bool:
    """Write a file atomically; return False, with nothing written, as soon as ``should_continue()`` returns False.

    Raises OSError if the disk is full or the folder cannot be written, and leaves nothing behind.
    """
    try:
        with open_atomic(path, sync=True) as file:
            checksum = waiting = 0
            for piece in _content_pieces(facts, arrays):
                if not should_continue():
                    raise _Stopped
                file.write(piece)
                checksum, waiting = zlib.crc32(piece, checksum), waiting + len(piece)
                if waiting >= SYNC_BYTES:
                    file.flush()
                    os.fsync(file.fileno())
                    waiting = 0
            file.write(checksum.to_bytes(CHECKSUM_BYTES, "little") + END)
    except _Stopped:
        return False
    _sync_folder(path.parent)
    return True


def read_checkpoint(path: Path, check: Callable[[], None] = lambda: None, verify: bool = True) -> Checkpoint:
    """Read a file; raises Damaged if it has changed. ``check()`` is called often and may raise.

    Without ``verify`` the checksum is not tested, so that only the used elements of the arrays are read.
    """
    try:
        with open(path, "rb") as file:
            header, start = _read_header(file)
            if verify:
                _verify_checksum(file, check)
    except OSError as error:
        raise DamagedCheckpoint(f"{path}: {error.strerror or error}") from error
    arrays = {
        name: _map_array(path, kind, shape, start + offset) for name, (kind, shape, offset) in header["arrays"].items()
    }
    return Checkpoint(header["facts"], arrays)


def read_facts(path: Path) -> Mapping[str, Any]:
    """Read the plain values only, without the checksum; raises Damaged if the file is no checkpoint."""
    try:
        with open(path, "rb") as file:
            return _read_header(file)[0]["facts"]
    except OSError as error:
        raise DamagedCheckpoint(f"{path}: {error.strerror or error}") from error


def _content_pieces(facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Iterator[bytes | memoryview]:
    """Yield the content of a file before the checksum, in pieces."""
    places, offset = {}, 0
    for name, array in arrays.items():
        places[name] = array.dtype.str, array.shape, offset
        offset += _round_up(array.nbytes)
    header = json.dumps({"facts": dict(facts), "arrays": places}).encode()
    begin = len(MAGIC) + LENGTH_BYTES + len(header)
    header += b" " * (_round_up(begin) - begin)
    yield MAGIC + len(header).to_bytes(LENGTH_BYTES, "little") + header
    for array in arrays.values():
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        for at in range(0, flat.size, PIECE_BYTES):
            yield flat[at : at + PIECE_BYTES].data
        yield bytes(_round_up(flat.size) - flat.size)


def _read_header(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Return the header and the offset of the arrays."""
    begin = file.read(len(MAGIC) + LENGTH_BYTES)
    length = int.from_bytes(begin[len(MAGIC) :], "little")
    if not begin.startswith(MAGIC) or length > os.fstat(file.fileno()).st_size:
        raise DamagedCheckpoint(f"{file.name}: this is no checkpoint of a run")
    try:
        header = parse_json(file.read(length))
        return {"facts": header["facts"], "arrays": header["arrays"]}, len(begin) + length
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedCheckpoint(f"{file.name}: its header cannot be read") from error


def _verify_checksum(file: BinaryIO, check: Callable[[], None]) -> None:
    file.seek(0)
    checksum, left = 0, os.fstat(file.fileno()).st_size - CHECKSUM_BYTES - len(END)
    while left > 0:
        check()
        piece = file.read(min(PIECE_BYTES, left))
        if not piece:
            break
        checksum, left = zlib.crc32(piece, checksum), left - len(piece)
    if left or file.read() != checksum.to_bytes(CHECKSUM_BYTES, "little") + END:
        raise DamagedCheckpoint(f"{file.name}: the checksum does not fit")


def _map_array(path: Path, kind: str, shape: list[int], offset: int) -> np.ndarray:
    if not math.prod(shape):
        return np.empty(shape, kind)
    return np.asarray(np.memmap(path, kind, "r", offset, tuple(shape)))


def _round_up(count: int) -> int:
    return -(-count // ALIGNMENT) * ALIGNMENT


def _sync_folder(folder: Path) -> None:
    """Flush the new name to the disk, where the system can do that, so that it survives a power failure."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
