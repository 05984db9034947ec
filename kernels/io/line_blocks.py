"""Files as blocks of whole lines: unpacked, with line feeds as line ends, so that no line is cut between two blocks."""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from antidiag.kernels import memory
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import packed_files
from antidiag.kernels.io.stray_characters import LEADING_SPACE
from antidiag.kernels.monitor import Monitor

BLOCK_BYTES = 1 << 21
"""Bytes read at a time: enough to be fast, few enough to cancel at once."""
LINE_END = b"\n"
TAR_MAGIC, TAR_PLACE = b"ustar", 257
"""What a tar archive has at this place."""
DATA_START = re.compile(rb"(\xef\xbb\xbf)?\s*([>@#(\[\d]|LOCUS\b|ID   |CLUSTAL|MUSCLE|MSF)")
"""How text with sequences, alignments, trees or numbers begins."""


def read_blocks(path: Path, monitor: Monitor, unlimited: bool = False) -> Iterator[bytes]:
    """Yield the blocks of a file.

    Parameters
    ----------
    path : Path
        A plain or compressed file (see `packed_files`), or a file in a zip archive.
    monitor : Monitor
        Receives the bytes read; may cancel.
    unlimited : bool
        A compressed file may unpack to more than the user's limit, because the caller keeps little of it in memory.

    Raises
    ------
    InputError
        Where the file cannot be read, is damaged, or holds more than the limit when unpacked.
    """
    with _plain_errors(str(path)), packed_files.open_file(path) as raw:
        if _is_endless(raw):
            raise InputError(f"{path}: this is a device, which may never end; give a file")
        _refuse_misnamed(path, raw.peek(BLOCK_BYTES))
        yield from _unpack_blocks(raw, str(path), monitor, unlimited)


def read_head(path: Path, size: int) -> bytes:
    """Return the first unpacked bytes of a file, at most ``size``; InputError where it cannot be read."""
    with _plain_errors(str(path)), packed_files.open_file(path) as raw:
        if _is_endless(raw):
            return b""
        with packed_files.open_unpacked(raw, str(path)) as (handle, _):
            return handle.read(size)


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


def _unpack_blocks(raw: io.BufferedReader, source: str, monitor: Monitor, unlimited: bool = False) -> Iterator[bytes]:
    """Yield whole lines; InputError where a compressed file unpacks to more than the user's limit.

    Bytes of a binary file, which has a zero byte in its first block, are not changed.
    """
    total = _file_size(raw)
    read, binary = 0, False
    with packed_files.open_unpacked(raw, source) as (handle, packed):
        limit = memory.unpacked_limit() if packed else 0
        pieces: list[bytes] = []
        while piece := handle.readline(BLOCK_BYTES) if pieces else handle.read(BLOCK_BYTES):
            if not read:
                _refuse_binary_alignments(source, piece)
                _refuse_tar(piece, source)
                binary = b"\0" in piece
            pieces.append(piece)
            read += len(piece)
            if packed and not unlimited and read > limit:
                packed_files.refuse_bomb(raw, source, limit)
            if total:
                monitor.update(min(raw.tell(), total), total, "reading")
            monitor.check()
            if piece.endswith(LINE_END):
                yield b"".join(pieces) if binary else normalise_line_ends(b"".join(pieces))
                pieces = []
        if pieces:
            yield b"".join(pieces) if binary else normalise_line_ends(b"".join(pieces))


def refuse_zero_byte(data: bytes, source: str, remedy: str) -> None:
    """Raise InputError with the line of a zero byte, if there is one; ``remedy`` is what to do with a binary file."""
    if (place := data.find(b"\0")) >= 0:
        line = data.count(LINE_END, 0, place) + 1
        raise InputError(f"{source}, line {line}: a zero byte, as binary files have; remove it, or {remedy}")


def _file_size(raw: io.BufferedReader) -> int:
    """Return the size of a file on the disk; 0 for other streams."""
    try:
        return os.fstat(raw.fileno()).st_size if raw.seekable() else 0
    except io.UnsupportedOperation:
        return 0


def _is_endless(raw: io.BufferedReader) -> bool:
    """Return whether a stream is a device such as /dev/zero, and no terminal."""
    try:
        return stat.S_ISCHR(os.fstat(raw.fileno()).st_mode) and not raw.isatty()
    except io.UnsupportedOperation:
        return False


@contextmanager
def _plain_errors(source: str) -> Iterator[None]:
    """Turn errors of the system into InputError."""
    try:
        yield
    except IsADirectoryError:
        raise InputError(f"{source}: this is a folder; choose a file in it") from None
    except FileNotFoundError:
        raise InputError(f"{source}: there is no such file; check the name and the folder") from None
    except PermissionError:
        raise InputError(f"{source}: no permission to read this file; change its permissions or copy it") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{source}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def normalise_line_ends(block: bytes) -> bytes:
    """Return the block with line feeds as line ends, in place of those of Windows and of the old Macintosh."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return block


def skip_leading_space(head: bytes) -> tuple[bytes, bytes]:
    """Return the blank lines that a text begins with, as line feeds, and the text without them.

    White space, invisible characters and a byte order mark before the first word are left out of both.
    """
    found = LEADING_SPACE.match(head)
    size = found.end() if found else 0
    return b"\n" * head.count(b"\n", 0, size), head[size:]


def decode_text(data: bytes) -> str:
    """Decode UTF-8, or Latin-1 where it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _refuse_tar(head: bytes, source: str) -> None:
    """Raise InputError for a tar archive."""
    if head[TAR_PLACE : TAR_PLACE + len(TAR_MAGIC)] == TAR_MAGIC:
        raise InputError(f"{source}: this is a tar archive; unpack it and give the files in it, or pack them as zip")


def _refuse_binary_alignments(source: str, start: bytes) -> None:
    """Raise InputError for BAM and CRAM, which samtools turns into SAM."""
    if start.startswith(b"CRAM"):
        raise InputError(
            f"{source}: CRAM has the differences to a reference, and no letters of its own; write SAM with 'samtools "
            "view -h -T REFERENCE.fa -o FILE.sam FILE.cram', and give that"
        )
    if start.startswith(b"BAM\x01"):
        raise InputError(
            f"{source}: BAM is a packed form of SAM; write SAM with 'samtools view -h -o FILE.sam FILE.bam', "
            "and give that"
        )


def _refuse_misnamed(path: Path, head: bytes) -> None:
    """Raise InputError for a file whose name says that it is compressed, and which is neither that nor data as text."""
    program = packed_files.LABELS.get(path.suffix.lower())
    if not program or not head or packed_files.describe_packing(head) or DATA_START.match(head):
        return
    raise InputError(
        f"{path}: the name says {program}, but the content is something else; fetch it again, or rename it if it is "
        "text"
    )
