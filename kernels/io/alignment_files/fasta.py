"""Aligned FASTA, and A2M and A3M, which write insertions in lower case.

Letters go from the blocks of the file straight to one array, by compiled code, without an object a row: a gigabyte is
read in about two seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from kernels.errors import InputError
from kernels.io.alignment_files.room import Room
from kernels.io.alignment_files.rows import NOTHING, Annotations, Raw, ragged, titled

ENOUGH = 1 << 26
"""Bytes after which a file is taken for an alignment, if all rows so far had one length and one held a gap."""
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
    letters = np.full((len(rows), matches[0] + int(widest.sum())), ord("."), np.uint8)
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
    from kernels.io.alignment_files.loops import count  # loads Numba, which reading other files does not need

    length, found, records, seen, done = -1, 0, 0, 0, 0
    for block in stream:
        array = np.frombuffer(block, np.uint8)
        for start, stop, title in _bodies(block):
            if title is not None:
                if records > 1 and found != length:
                    return False
                length, found, records = (found if records == 1 else length), 0, records + 1
            more, met = count(array, start, stop, KINDS)
            found, seen = found + more, seen | met
            if (records > 1 and found > length) or (records > MANY and not seen & DASH):
                return False
        done += len(block)
        if done >= ENOUGH and records > 2 and seen & DASH:
            return True
    return records > 1 and found == length > 0 and bool(seen & DASH)


def _bodies(block: bytes) -> Iterator[tuple[int, int, bytes | None]]:
    """Where letters begin and end, and the title before them; None for those that go on from the block before."""
    at = _title(block, 0)
    if at:
        yield 0, at, None
    while at < len(block):
        end = block.find(b"\n", at)
        end = len(block) if end < 0 else end
        after = _title(block, end)
        yield end, after, block[at + 1 : end]
        at = after


def _title(block: bytes, start: int) -> int:
    """Where the first title from ``start`` on begins, else the end. A search for one letter is by far the quickest."""
    at = block.find(b">", start)
    while at > 0 and block[at - 1] != ord("\n"):
        at = block.find(b">", at + 1)
    return at if at >= 0 else len(block)


def _flat(stream: Iterator[bytes], source: str, size: int) -> tuple[list[bytes], np.ndarray, np.ndarray, int]:
    """Titles, the letters of all rows one after the other, where each row ends, and the kinds of letters met."""
    room, at, met = Room(size + 1), 0, 0
    titles: list[bytes] = []
    ends: list[int] = []
    for block in _ahead(stream):
        flat = room.upto(at + len(block) + 1)
        for start, stop, title in _bodies(block):
            if title is not None:
                if titles:
                    ends.append(at)
                titles.append(title)
            at, more = _put(block, start, stop, flat, at)
            met |= more
            if at and not titles:
                raise InputError(f"{source}, line 1: text before the first '>'; remove it")
    ends.append(at)
    return titles, room.cut(at), np.array(ends if titles else [], np.int64), met


def _put(block: bytes, start: int, stop: int, flat: np.ndarray, at: int) -> tuple[int, int]:
    """As `take` (loops.py); quick where there are line ends and plain letters alone."""
    from kernels.io.alignment_files.loops import all_plain, take

    letters = np.frombuffer(block[start:stop].replace(b"\n", b""), np.uint8)
    if all_plain(letters):
        flat[at : at + letters.size] = letters
        return at + letters.size, LETTER
    return take(np.frombuffer(block, np.uint8), start, stop, KINDS, flat, at)


def _ahead(stream: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks of a stream, each read while the one before is looked at."""
    with ThreadPoolExecutor(1) as reader:
        block = next(stream, None)
        while block is not None:
            coming = reader.submit(next, stream, None)
            yield block
            block = coming.result()
