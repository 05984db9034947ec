"""Files as blocks of whole lines: unpacked, with line feeds as line ends, so that no line is cut between two blocks."""

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
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.monitor import Monitor

BLOCK_BYTES = 1 << 21
"""Bytes read at a time: enough to be fast, few enough to cancel at once."""
LINE_END = b"\n"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""What some editors write before the text of a UTF-8 file."""
PACKED = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zip": "zip", ".zst": "zstd"}
GZIP = b"\x1f\x8b"
COMPRESSED = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd"}


def read_blocks(path: Path, monitor: Monitor) -> Iterator[bytes]:
    """Yield the blocks of a file.

    Parameters
    ----------
    path : Path
        A plain or gzipped file.
    monitor : Monitor
        Receives the bytes read; may cancel.

    Raises
    ------
    InputError
        Where the file cannot be read, is packed by another program, or holds more than the limit when unpacked.
    """
    with _plain_errors(str(path)), open(path, "rb") as raw:
        if stat.S_ISCHR(os.fstat(raw.fileno()).st_mode) and not raw.isatty():
            raise InputError(f"{path}: this is a device, which may never end; give a file")
        _refuse_misnamed(path, raw.peek(BLOCK_BYTES))
        yield from _unpack_blocks(raw, str(path), monitor)


def read_stream_blocks(stream: io.BufferedReader, source: str, monitor: Monitor) -> Iterator[bytes]:
    """Yield the blocks of a stream such as standard input; errors call it ``source``."""
    with _plain_errors(source):
        yield from _unpack_blocks(stream, source, monitor)


def split_blocks(stream: Iterator[bytes], separate: Callable[[bytes], list[bytes]]) -> Iterator[bytes]:
    """Yield what stands between the separators in blocks.

    ``separate`` cuts one block; a piece that reaches over the end of a block is joined.
    """
    pending: list[bytes] = []
    for block in stream:
        more, *others = separate(block)
        pending.append(more)
        if others:
            yield b"".join(pending)
            yield from others[:-1]
            pending = others[-1:]
    yield b"".join(pending)


def _unpack_blocks(raw: io.BufferedReader, source: str, monitor: Monitor) -> Iterator[bytes]:
    """Yield whole lines; InputError where gzip unpacks to more than the user's limit."""
    total = os.fstat(raw.fileno()).st_size if raw.seekable() else 0
    magic = raw.peek(6)[:6]
    packed = magic.startswith(GZIP)
    _refuse_packed(source, magic)
    limit = memory.unpacked_limit() if packed else 0
    read = 0
    with gzip.open(raw) if packed else nullcontext(raw) as handle:
        pieces: list[bytes] = []
        while piece := handle.readline(BLOCK_BYTES) if pieces else handle.read(BLOCK_BYTES):
            pieces.append(piece)
            read += len(piece)
            if packed and read > limit:
                _refuse_bomb(raw, source, limit)
            if total:
                monitor.update(min(raw.tell(), total), total, "reading")
            monitor.check()
            if piece.endswith(LINE_END):
                yield normalise_line_ends(b"".join(pieces))
                pieces = []
        if pieces:
            yield normalise_line_ends(b"".join(pieces))


@contextmanager
def _plain_errors(source: str) -> Iterator[None]:
    """Turn errors of the system and of gzip into InputError."""
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
    """Raise InputError for unpacking more than the limit; the last bytes of the file may say how much it is."""
    stated = ""
    if raw.seekable():
        raw.seek(-4, io.SEEK_END)
        size = int.from_bytes(raw.read(4), "little")
        stated = f" ({format_bytes(size)} by its own account)" if size > limit else ""
    raise InputError(
        f"{source}: compressed input may hold at most {format_bytes(limit)}, and this holds more{stated}; if it is "
        f"trusted, raise the limit in the Preferences, or with {memory.UNPACKED_VARIABLE}=N, in GiB"
    )


def normalise_line_ends(block: bytes) -> bytes:
    """Return the block with line feeds as line ends, in place of those of Windows and of the old Macintosh."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return block


def skip_leading_space(head: bytes) -> tuple[bytes, bytes]:
    """Return the blank lines that a text begins with, as line feeds, and the text without them.

    White space before the first word and a byte order mark are left out of both.
    """
    text = head.removeprefix(BYTE_ORDER_MARK)
    start = text.lstrip()
    return b"\n" * text.count(b"\n", 0, len(text) - len(start)), start


def decode_text(data: bytes) -> str:
    """Decode UTF-8, or Latin-1 where it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _refuse_packed(source: str, magic: bytes) -> None:
    """Raise InputError for a file that another program packed."""
    for start, program in COMPRESSED.items():
        if magic.startswith(start):
            raise InputError(f"{source}: packed with {program}; unpack it first, or pack it with gzip")


def _refuse_misnamed(path: Path, head: bytes) -> None:
    """Raise InputError for a file whose suffix says packed but which is neither packed nor clearly text with
    sequences."""
    if head.startswith((GZIP, *COMPRESSED)):
        return
    program, start = PACKED.get(path.suffix.lower()), head.lstrip()
    readable = start.startswith(b">") or any(pattern.match(start) for pattern, _, _ in FORMATS)
    if program and head and not readable:
        raise InputError(
            f"{path}: the name says {program}, but the content is something else; fetch it again, or rename it "
            "if it is text"
        )
