"""Aligned FASTA, and A2M and A3M, which write insertions in lower case.

Compiled code copies letters from the blocks of the file to one array, several blocks at a time, without an object for
each row.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import cycle
from typing import NamedTuple

import numpy as np

from antidiag.kernels import memory
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import (
    NO_ANNOTATIONS,
    Annotations,
    RawAlignment,
    row_length_error,
    split_titles,
)
from antidiag.kernels.io.line_blocks import BLOCK_BYTES
from antidiag.kernels.io.stray_characters import describe_removed, remove_stray_characters

ENOUGH_BYTES = 1 << 24
"""Bytes after which a file counts as an alignment, if all rows so far have one length and one has a gap."""
BUFFER_RATIO = 1.01
"""Size of a buffer relative to a block, which ends with a whole line."""
MAX_PACKERS = 4
"""Packing threads that keep up with the reading thread."""
MANY_RECORDS = 50_000
"""Records after which a file without a gap counts as sequences."""

HEAD = re.compile(rb"(?:[;#][^\n]*\n\s*)*+>")
"""A title, or lines of comments before one."""
COMMENT_STARTS = (b";", b"#")
MARK_TITLES = (b"ss_", b"sa_", b"aa_")
"""How titles of rows begin that hold marks of structure and confidence, which may be digits."""

LETTER, DASH, PECULIAR, DIGIT, STRAY = 1, 2, 4, 8, 16
KINDS = np.zeros(256, np.uint8)
"""The kind of each byte, as bits that can be joined: 0 for ignored ones, LETTER for capitals and '*', DASH for gaps,
and PECULIAR for all that needs another look, '.' for a gap too. STRAY bytes may belong to invisible characters."""
KINDS[[0, *range(33, 127)]] = PECULIAR
KINDS[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ*")] = LETTER
KINDS[list(b"-.~?")] = DASH, DASH | PECULIAR, DASH | PECULIAR, DASH | PECULIAR
MARK_ROWS = ("ss_pred", "ss_conf", "ss_dssp", "sa_dssp", "aa_dssp", "aa_pred")
"""Rows of HH-suite that hold a mark for each column: predicted and known structure and its confidence."""
KINDS[list(b"0123456789")] = PECULIAR | DIGIT
KINDS[[0x1A, *range(127, 256)]] = PECULIAR | STRAY
GROWTH = 1.5
"""How many times as large an array becomes that is too small for the letters."""


class GrowingArray:
    """An array of ``size`` bytes that grows where more are needed."""

    def __init__(self, size: int) -> None:
        self._bytes = np.empty(size, np.uint8)

    def grow_to(self, size: int) -> np.ndarray:
        """Return memory for at least so many bytes, uint8; what was written stays.

        An array that was returned before must not be used any longer.
        """
        if size > self._bytes.size:
            self._bytes.resize(int(GROWTH * size), refcheck=False)
        return self._bytes

    def take_bytes(self, size: int) -> np.ndarray:
        """Return the first bytes and give the others back."""
        found, self._bytes = self._bytes, np.empty(0, np.uint8)
        found.resize(size, refcheck=False)
        return found


def read_fasta(stream: Iterator[bytes], source: str, size: int) -> RawAlignment:
    """Read aligned FASTA; ``size`` is about how many bytes there will be. InputError where rows differ in length."""
    titles, flat, ends, met, note = _read_letters(stream, source, size)
    return _with_note(_build_raw(titles, flat, ends, met, source), note)


def _with_note(raw: RawAlignment, note: str) -> RawAlignment:
    return raw._replace(note="; ".join(filter(None, (raw.note, note))))


def _build_raw(titles: list[bytes], flat: np.ndarray, ends: np.ndarray, met: int, source: str) -> RawAlignment:
    """Build an alignment from rows of one length."""
    starts = np.concatenate(([0], ends[:-1]))
    lengths = ends - starts
    names, described = split_titles(titles)
    if not lengths.size or not lengths[0]:
        raise InputError(f"{source}: the rows are empty; give an alignment")
    wrong = np.flatnonzero(lengths != lengths[0])
    if wrong.size:
        raise row_length_error(source, names[wrong[0]], int(lengths[wrong[0]]), names[0], int(lengths[0]))
    letters = flat.reshape(len(names), -1)
    marked = _mark_rows(names)
    if not marked:
        notes = Annotations(of_rows=described) if described else NO_ANNOTATIONS
        return RawAlignment(names, letters, notes, plain=not met & PECULIAR)
    return _take_marks_out(RawAlignment(names, letters, Annotations(of_rows=described)), marked)


def _mark_rows(names: list[str]) -> list[int]:
    """Return the rows that hold marks, if there are others."""
    found = [row for row, name in enumerate(names) if name in MARK_ROWS]
    return found if len(found) < len(names) else []


def _take_marks_out(raw: RawAlignment, marked: list[int]) -> RawAlignment:
    """Return the alignment with rows of marks as annotation of columns."""
    kept = np.setdiff1d(np.arange(len(raw.names)), marked)
    number = {int(row): place for place, row in enumerate(kept)}
    notes = Annotations(
        of_rows=tuple((number[row], tag, said) for row, tag, said in raw.annotations.of_rows if row in number),
        of_columns=tuple((raw.names[row], raw.letters[row].tobytes().decode("latin-1")) for row in marked),
    )
    return RawAlignment([raw.names[row] for row in kept], raw.letters[kept], notes)


def read_a2m(stream: Iterator[bytes], source: str, size: int) -> RawAlignment:
    """Read A2M: FASTA with '.' at other rows' insertions, or without those signs, as A3M."""
    titles, flat, ends, met, note = _read_letters(stream, source, size)
    lengths = np.diff(ends, prepend=0)
    whole = lengths.size > 0 and lengths[0] > 0 and (lengths == lengths[0]).all()
    return _with_note((_build_raw if whole else _widen_insertions)(titles, flat, ends, met, source), note)


def read_a3m(stream: Iterator[bytes], source: str, size: int) -> RawAlignment:
    """Read A3M: insertions, in lower case, get columns of their own, which other rows fill with '.'.

    InputError where rows differ in their number of other columns.
    """
    titles, flat, ends, met, note = _read_letters(stream, source, size)
    return _with_note(_widen_insertions(titles, flat, ends, met, source), note)


def _widen_insertions(titles: list[bytes], flat: np.ndarray, ends: np.ndarray, met: int, source: str) -> RawAlignment:
    """Build an alignment in which every insertion has as many columns as its longest one."""
    names, described = split_titles(titles)
    rows = [row[row != ord(".")] for row in np.split(flat, ends[:-1])]
    inserted = [(row >= ord("a")) & (row <= ord("z")) for row in rows]
    matches = [row.size - int(lower.sum()) for row, lower in zip(rows, inserted, strict=True)]
    for name, found in zip(names, matches, strict=True):
        if found != matches[0]:
            raise InputError(
                f"{source}, row {name}: {found:,} columns of capitals and '-', but {names[0]} has {matches[0]:,}; "
                "give all rows the same number, and a line #NAME before each alignment of several"
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
            f"{memory.format_bytes(len(rows) * columns)} of memory, and {memory.format_bytes(free)} are free; take "
            "out rows"
        )
    letters = np.full((len(rows), columns), ord("."), np.uint8)
    room = np.cumsum(widest)  # columns of insertions up to each place
    match_columns = np.arange(matches[0]) + room[:-1]
    for number, (row, lower, places) in enumerate(zip(rows, inserted, before, strict=True)):
        letters[number, match_columns] = row[~lower]
        first = np.searchsorted(places, places)
        letters[number, places + room[places] - widest[places] + np.arange(places.size) - first] = row[lower]
    raw = RawAlignment(names, letters, Annotations(of_rows=described) if described else NO_ANNOTATIONS)
    return _take_marks_out(raw, marked) if (marked := _mark_rows(names)) else raw


def looks_aligned(stream: Iterator[bytes]) -> bool:
    """Return whether the records of FASTA all have one length, and some hold gaps; letters with digits are sequences.

    The first ENOUGH_BYTES decide, or MANY_RECORDS without a gap: reads of a sequencer have one length too.
    """
    starts, length, at, records, dashed, done = np.empty(0, np.int64), -1, 0, 0, False, 0
    for block in stream:
        letters, titles, before, met, _ = _pack_block(block)
        if met & DIGIT and not any(title.startswith(MARK_TITLES) for title in titles):
            return False
        early = (
            letters[: before[MANY_RECORDS - records]] if records + len(titles) > MANY_RECORDS >= records else letters
        )
        starts = np.concatenate((starts[-1:], at + before))
        lengths = np.diff(starts)
        at, records, done = at + letters.size, records + len(titles), done + len(block)
        if length < 0 and lengths.size:
            length = int(lengths[0])
        dashed = dashed or bool((KINDS[early] & DASH).any())
        if records > 1 and ((lengths != length).any() or at - starts[-1] > length):
            return False
        if records > MANY_RECORDS and not dashed:
            return False
        if done >= ENOUGH_BYTES and records > 2 and dashed:
            return True
    return records > 1 and at - starts[-1] == length > 0 and dashed


class PackedBlock(NamedTuple):
    """A block without titles and white space: ``letters``, uint8, its ``titles``, and what is known of them.

    ``letters_before``, int64: how many letters precede each title. ``met_kinds``: the KINDS of its letters joined.
    ``removed``: how many invisible characters and comments were left out, by their names.
    """

    letters: np.ndarray
    titles: list[bytes]
    letters_before: np.ndarray
    met_kinds: int
    removed: Counter[str]


def _pack_block(block: bytes, buffer: np.ndarray | None = None) -> PackedBlock:
    """Copy the letters of a block to ``buffer``, uint8, or to a new array where that is too small."""
    found = _pack_letters(block, buffer)
    if found.met_kinds & STRAY or any(block.startswith(sign) or b"\n" + sign in block for sign in COMMENT_STARTS):
        cleaned, removed = remove_stray_characters(block, keep_digits=True)
        found = _pack_letters(cleaned, buffer)._replace(removed=removed)
    return found


def _pack_letters(block: bytes, buffer: np.ndarray | None) -> PackedBlock:
    from antidiag.kernels.io.alignment_formats.cpu_letters import (
        pack_letters,  # loads Numba, which reading other files does not need
    )

    most = block.count(b">")
    letters = buffer if buffer is not None and buffer.size >= len(block) else np.empty(len(block), np.uint8)
    places, before = np.empty((most, 2), np.int64), np.empty(most, np.int64)
    count, found, met = pack_letters(np.frombuffer(block, np.uint8), KINDS, np.uint8(LETTER), letters, places, before)
    titles = [block[start:stop] for start, stop in places[:found].tolist()]
    return PackedBlock(letters[:count], titles, before[:found], met, Counter())


def _read_letters(
    stream: Iterator[bytes], source: str, size: int
) -> tuple[list[bytes], np.ndarray, np.ndarray, int, str]:
    """Return titles, the letters of all rows one after the other, where each row ends, the kinds of letters met, and a
    note of what was left out."""
    room, at, met, removed = GrowingArray(size), 0, 0, Counter[str]()
    titles: list[bytes] = []
    starts = [np.empty(0, np.int64)]
    for packed in _packed_blocks(stream):
        if not titles and (packed.letters_before[0] if packed.titles else packed.letters.size):
            raise InputError(f"{source}, line 1: there is text before the first '>'; remove it")
        after = at + packed.letters.size
        room.grow_to(after)[at:after] = packed.letters
        titles += packed.titles
        starts.append(at + packed.letters_before)
        at, met = after, met | packed.met_kinds
        removed.update(packed.removed)
    ends = np.append(np.concatenate(starts)[1:], at if titles else [])
    return titles, room.take_bytes(at), ends, met, describe_removed(removed)


def _packed_blocks(stream: Iterator[bytes]) -> Iterator[PackedBlock]:
    """Yield the packed blocks of a stream; threads pack some ahead.

    The letters of a block are overwritten when the next one is asked for: new memory for each would take longer than
    packing.
    """
    threads = min(count_processors(), MAX_PACKERS)
    rooms = cycle(np.empty(int(BUFFER_RATIO * BLOCK_BYTES), np.uint8) for _ in range(threads + 2))
    with ThreadPoolExecutor(threads) as packers:
        coming: deque[Future[PackedBlock]] = deque()
        for block in _read_ahead(stream):
            coming.append(packers.submit(_pack_block, block, next(rooms)))
            if len(coming) > threads + 1:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


def _read_ahead(stream: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks of a stream, each read while the one before is processed."""
    with ThreadPoolExecutor(1) as reader:
        block = next(stream, None)
        while block is not None:
            coming = reader.submit(next, stream, None)
            yield block
            block = coming.result()
