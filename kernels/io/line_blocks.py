"""Files as bytes: unpacked, in blocks of whole lines that end with a line feed, whatever the line ends and the
compression of the file, so that a border of records never falls between two blocks in the middle of a line."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NoReturn

from antidiag.kernels import memory
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.record_formats import FORMATS
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.monitor import Monitor

BLOCK = 1 << 21
"""Bytes read at a time: many enough to be fast, few enough that cancel answers at once."""
LINE_END = b"\n"
PACKED = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zip": "zip", ".zst": "zstd"}
GZIP = b"\x1f\x8b"
COMPRESSED = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd"}


def blocks(path: Path, monitor: Monitor) -> Iterator[bytes]:
    """Blocks of whole lines of a file, unpacked, with line ends made plain."""
    with _failures_told(str(path)), open(path, "rb") as raw:
        if stat.S_ISCHR(os.fstat(raw.fileno()).st_mode) and not raw.isatty():
            raise InputError(f"{path}: this is a device, which may never end; give a file")
        _refuse_misnamed(path, raw.peek(BLOCK))
        yield from _unpacked(raw, str(path), monitor)


def stream_blocks(stream: io.BufferedReader, source: str, monitor: Monitor) -> Iterator[bytes]:
    """The same of a stream, such as standard input; errors call it ``source``."""
    with _failures_told(source):
        yield from _unpacked(stream, source, monitor)


def split(stream: Iterator[bytes], separate: Callable[[bytes], list[bytes]]) -> Iterator[bytes]:
    """What stands between the separators in blocks; ``separate`` cuts one block, and what reaches over the end of one
    is put together again."""
    pending: list[bytes] = []
    for block in stream:
        more, *others = separate(block)
        pending.append(more)
        if others:
            yield b"".join(pending)
            yield from others[:-1]
            pending = others[-1:]
    yield b"".join(pending)


def _unpacked(raw: io.BufferedReader, source: str, monitor: Monitor) -> Iterator[bytes]:
    """Whole lines; InputError where more comes out of gzip than the user wants to have unpacked."""
    total = os.fstat(raw.fileno()).st_size if raw.seekable() else 0
    magic = raw.peek(6)[:6]
    packed = magic.startswith(GZIP)
    _refuse_packed(source, magic)
    limit = memory.unpacked_limit() if packed else 0
    read = 0
    with gzip.open(raw) if packed else nullcontext(raw) as handle:
        pieces: list[bytes] = []
        while piece := handle.readline(BLOCK) if pieces else handle.read(BLOCK):
            pieces.append(piece)
            read += len(piece)
            if packed and read > limit:
                _refuse_bomb(raw, source, limit)
            if total:
                monitor.update(min(raw.tell(), total), total, "reading")
            monitor.check()
            if piece.endswith(LINE_END):
                yield plain(b"".join(pieces))
                pieces = []
        if pieces:
            yield plain(b"".join(pieces))


@contextmanager
def _failures_told(source: str) -> Iterator[None]:
    """What the system and gzip say of a file, as InputError."""
    try:
        yield
    except IsADirectoryError:
        raise InputError(f"{source}: this is a folder; choose a file in it") from None
    except FileNotFoundError:
        raise InputError(f"{source}: there is no such file; check the name and the folder") from None
    except PermissionError:
        raise InputError(f"{source}: no permission to read this file; change its permissions or copy it") from None
    except EOFError:
        raise InputError(f"{source}: the gzip file is truncated; fetch or copy it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{source}: the gzip file is damaged ({error}); fetch or copy it again") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{source}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _refuse_bomb(raw: io.BufferedReader, source: str, limit: int) -> NoReturn:
    """InputError for more than is to be unpacked; the end of the file says how much it is, if it is to be believed."""
    told = ""
    if raw.seekable():
        raw.seek(-4, io.SEEK_END)
        size = int.from_bytes(raw.read(4), "little")
        told = f" ({bytes_text(size)} by its own account)" if size > limit else ""
    raise InputError(
        f"{source}: unpacked this is more than {bytes_text(limit)}{told}, the most that is unpacked; where that is "
        f"right, raise the limit in the Preferences of the window, or by {memory.UNPACKED_VARIABLE}=N, in GiB"
    )


def plain(block: bytes) -> bytes:
    """The block with line feeds as line ends: those of Windows and of the old Macintosh are replaced."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return block


def _refuse_packed(source: str, magic: bytes) -> None:
    for start, program in COMPRESSED.items():
        if magic.startswith(start):
            raise InputError(f"{source}: packed with {program}; unpack it first, or pack it with gzip")


def _refuse_misnamed(path: Path, head: bytes) -> None:
    """InputError for a file that its name calls packed and that is not, unless it clearly holds sequences as it is."""
    if head.startswith((GZIP, *COMPRESSED)):
        return
    program, start = PACKED.get(path.suffix.lower()), head.lstrip()
    readable = start.startswith(b">") or any(pattern.match(start) for pattern, _, _ in FORMATS)
    if program and head and not readable:
        raise InputError(
            f"{path}: this is not a {program} file, though it is named so; fetch it again, or rename it if it is text"
        )
