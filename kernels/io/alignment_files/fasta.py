"""Aligned FASTA, and A2M and A3M, which write insertions in lower case.

Letters go from the blocks of the file to one array by compiled code, of several blocks at a time, without an object a
row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import cycle
from typing import NamedTuple

import numpy as np

from antidiag.kernels import memory
from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_files.room import Room
from antidiag.kernels.io.alignment_files.rows import NOTHING, Annotations, Raw, ragged, titled
from antidiag.kernels.io.line_blocks import BLOCK

ENOUGH = 1 << 24
"""Bytes after which a file is taken for an alignment, if all rows so far had one length and one held a gap."""
ROOMY = 1.01
"""Of a block's bytes, what is taken for its letters: one is a little larger, as it ends with a line."""
PACKERS = 4
"""Threads that keep up with one that reads."""
MANY = 50_000
"""Records after which a file without a gap is taken for sequences."""

LETTER, DASH, PECULIAR = 1, 2, 4
KINDS = np.zeros(256, np.uint8)
"""0 for what is left out, else bits, so that kinds that were met can be joined: capitals and '*' are LETTER, '-' is
DASH, and PECULIAR is all that has to be looked at again, '.' for a gap too."""
KINDS[[0, *range(33, 127)]] = PECULIAR
KINDS[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ*")] = LETTER
KINDS[list(b"-.~")] = DASH, DASH | PECULIAR, DASH | PECULIAR


def read(stream: Iterator[bytes], source: str, size: int) -> Raw:
    """Aligned FASTA; ``size`` is how many bytes there will be, about. InputError where rows differ in length."""
    return _whole(*_flat(stream, source, size), source)


def _whole(titles: list[bytes], flat: np.ndarray, ends: np.ndarray, met: int, source: str) -> Raw:
    starts = np.concatenate(([0], ends[:-1]))
    lengths = ends - starts
    names, described = titled(titles)
    if not lengths.size or not lengths[0]:
        raise InputError(f"{source}: the rows are empty; give an alignment")
    wrong = np.flatnonzero(lengths != lengths[0])
    if wrong.size:
        raise ragged(source, names[wrong[0]], int(lengths[wrong[0]]), names[0], int(lengths[0]))
    notes = Annotations(of_rows=described) if described else NOTHING
    return Raw(names, flat.reshape(len(names), -1), notes, plain=not met & PECULIAR)


def read_a2m(stream: Iterator[bytes], source: str, size: int) -> Raw:
    """A2M: FASTA where '.' stands for other rows' insertions; as A3M where these are left out."""
    titles, flat, ends, met = _flat(stream, source, size)
    lengths = np.diff(ends, prepend=0)
    whole = lengths.size > 0 and lengths[0] > 0 and (lengths == lengths[0]).all()
    return (_whole if whole else _widened)(titles, flat, ends, met, source)


def read_a3m(stream: Iterator[bytes], source: str, size: int) -> Raw:
    """A3M: insertions, in lower case, get columns of their own, which other rows fill with '.'.

    InputError where rows differ in their number of other columns.
    """
    return _widened(*_flat(stream, source, size), source)


def _widened(titles: list[bytes], flat: np.ndarray, ends: np.ndarray, met: int, source: str) -> Raw:
    names, described = titled(titles)
    rows = [row[row != ord(".")] for row in np.split(flat, ends[:-1])]
    inserted = [(row >= ord("a")) & (row <= ord("z")) for row in rows]
    matches = [row.size - int(lower.sum()) for row, lower in zip(rows, inserted, strict=True)]
    for name, found in zip(names, matches, strict=True):
        if found != matches[0]:
            raise InputError(
                f"{source}, row {name}: {found:,} columns of capitals and '-', and {names[0]} has {matches[0]:,}; "
                "in A3M all rows have the same; of several alignments in a file each has a line #NAME before it"
            )
    if not rows or not matches[0]:
        raise InputError(f"{source}: the rows are empty; give an alignment")
    before = [np.cumsum(~lower)[lower] for lower in inserted]
    widest = np.zeros(matches[0] + 1, np.int64)
    for places in before:
        np.maximum(widest, np.bincount(places, minlength=widest.size), out=widest)
    columns = matches[0] + int(widest.sum())
    if len(rows) * columns > (free := memory.host_bytes_free()):
        raise InputError(
            f"{source}: {len(rows):,} rows with all their insertions have {columns:,} columns, which needs "
            f"{memory.bytes_text(len(rows) * columns)} of memory, and {memory.bytes_text(free)} are free; take out rows"
        )
    letters = np.full((len(rows), columns), ord("."), np.uint8)
    room = np.cumsum(widest)  # columns of insertions up to each place
    match_columns = np.arange(matches[0]) + room[:-1]
    for number, (row, lower, places) in enumerate(zip(rows, inserted, before, strict=True)):
        letters[number, match_columns] = row[~lower]
        first = np.searchsorted(places, places)
        letters[number, places + room[places] - widest[places] + np.arange(places.size) - first] = row[lower]
    return Raw(names, letters, Annotations(of_rows=described) if described else NOTHING)


def looks_aligned(stream: Iterator[bytes]) -> bool:
    """Whether the records of FASTA all have one length, and some hold gaps; told from the first `ENOUGH` bytes, or from
    `MANY` records without a gap, where these leave no doubt: reads of a sequencer have one length too."""
    starts, length, at, records, dashed, done = np.empty(0, np.int64), -1, 0, 0, False, 0
    for block in stream:
        letters, titles, before, _ = _pack(block)
        early = letters[: before[MANY - records]] if records + len(titles) > MANY >= records else letters
        starts = np.concatenate((starts[-1:], at + before))
        lengths = np.diff(starts)
        at, records, done = at + letters.size, records + len(titles), done + len(block)
        if length < 0 and lengths.size:
            length = int(lengths[0])
        dashed = dashed or bool((KINDS[early] & DASH).any())
        if records > 1 and ((lengths != length).any() or at - starts[-1] > length):
            return False
        if records > MANY and not dashed:
            return False
        if done >= ENOUGH and records > 2 and dashed:
            return True
    return records > 1 and at - starts[-1] == length > 0 and dashed


class Packed(NamedTuple):
    """The letters of a block, uint8, its titles, how many letters lie ``before`` each, int64, and the kinds of letters
    met: LETTER alone where all are plain, gaps too."""

    letters: np.ndarray
    titles: list[bytes]
    before: np.ndarray
    met: int


def _pack(block: bytes, room: np.ndarray | None = None) -> Packed:
    """A block with its letters in ``room``, uint8, where they have room there."""
    from antidiag.kernels.io.alignment_files.loops import pack  # loads Numba, which reading other files does not need

    most = block.count(b">")
    letters = room if room is not None and room.size >= len(block) else np.empty(len(block), np.uint8)
    places, before = np.empty((most, 2), np.int64), np.empty(most, np.int64)
    count, found, met = pack(np.frombuffer(block, np.uint8), KINDS, np.uint8(LETTER), letters, places, before)
    titles = [block[start:stop] for start, stop in places[:found].tolist()]
    return Packed(letters[:count], titles, before[:found], met)


def _flat(stream: Iterator[bytes], source: str, size: int) -> tuple[list[bytes], np.ndarray, np.ndarray, int]:
    """Titles, the letters of all rows one after the other, where each row ends, and the kinds of letters met."""
    room, at, met = Room(size), 0, 0
    titles: list[bytes] = []
    starts = [np.empty(0, np.int64)]
    for packed in _all_packed(stream):
        if not titles and (packed.before[0] if packed.titles else packed.letters.size):
            raise InputError(f"{source}, line 1: text before the first '>'; remove it")
        after = at + packed.letters.size
        room.upto(after)[at:after] = packed.letters
        titles += packed.titles
        starts.append(at + packed.before)
        at, met = after, met | packed.met
    ends = np.append(np.concatenate(starts)[1:], at if titles else [])
    return titles, room.cut(at), ends, met


def _all_packed(stream: Iterator[bytes]) -> Iterator[Packed]:
    """The blocks of a stream, packed on threads, some ahead of what is looked at: the letters of one are gone when the
    next is asked for, as new memory for each would take longer than packing."""
    threads = min(cores(), PACKERS)
    rooms = cycle(np.empty(int(ROOMY * BLOCK), np.uint8) for _ in range(threads + 2))
    with ThreadPoolExecutor(threads) as packers:
        coming: deque[Future[Packed]] = deque()
        for block in _read_ahead(stream):
            coming.append(packers.submit(_pack, block, next(rooms)))
            if len(coming) > threads + 1:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


def _read_ahead(stream: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks of a stream, each read while the one before is looked at."""
    with ThreadPoolExecutor(1) as reader:
        block = next(stream, None)
        while block is not None:
            coming = reader.submit(next, stream, None)
            yield block
            block = coming.result()
