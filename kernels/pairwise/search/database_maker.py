"""Preparing a database: FASTA of any size is read once, sorted by length on the disk, and written with a digest.

Letters and titles go to temporary files beside the target while the input is read; memory holds a few numbers for each
sequence. Then both are read in the order of the lengths and written to the target, which appears only when it is whole.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Sequences
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.errors import DiskFull, InputError
from antidiag.kernels.file_conventions import SoftMasking, soft_masking
from antidiag.kernels.io import fasta_columns, fasta_records, line_blocks, sequence_records
from antidiag.kernels.io.record_letters import UNKNOWN, SequenceRecord, mask_letters
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.search.database import (
    ALIGNMENT,
    HEADER_BYTES,
    SequenceDatabase,
    array_places,
    describe_equal_titles,
    header_bytes,
    read_prepared,
    stamp_time,
)
from antidiag.kernels.pairwise.search.score_blocks import PADDING, encode_letters
from antidiag.kernels.sequences.text_column import gather_ranges, offsets_of
from antidiag.kernels.text import format_count

BATCH_LETTERS, BATCH_RECORDS = 2**26, 2**16
"""Letters and records that are sorted at a time."""
NUCLEOTIDES = b"ACGTUN"
MOST_SHOWN = 20
"""Bad records that are named one by one."""


@dataclass
class _Collected:
    """What was read so far: files of letters and titles, and numbers of each sequence."""

    letters: IO[bytes]
    titles: IO[bytes]
    lengths: list[np.ndarray] = field(default_factory=list)
    title_lengths: list[np.ndarray] = field(default_factory=list)
    name_lengths: list[np.ndarray] = field(default_factory=list)
    name_hashes: list[np.ndarray] = field(default_factory=list)
    title_hashes: list[np.ndarray] = field(default_factory=list)
    composition: np.ndarray = field(default_factory=lambda: np.zeros(256, np.int64))
    bad: list[str] = field(default_factory=list)
    bad_count: int = 0
    changed: int = 0
    empty: int = 0

    def add(
        self, letters: np.ndarray, lengths: np.ndarray, titles: bytes, title_lengths: np.ndarray, names: np.ndarray
    ) -> None:
        """Add sequences: their letters (bytes), titles, and the lengths of the names in these."""
        self.composition += np.bincount(letters, minlength=256)
        self.letters.write(encode_letters(letters).data)
        self.titles.write(titles)
        self.lengths.append(lengths.astype(np.int64))
        self.title_lengths.append(title_lengths.astype(np.int64))
        self.name_lengths.append(names.astype(np.int32))
        starts = offsets_of(title_lengths)[:-1].tolist()
        for hashes, lengths_of in ((self.name_hashes, names), (self.title_hashes, title_lengths)):
            texts = (titles[start : start + length] for start, length in zip(starts, lengths_of.tolist(), strict=True))
            hashes.append(np.fromiter(map(hash, texts), np.int64, len(starts)))

    def skip(self, error: InputError) -> None:
        """Count a bad record, and keep its message if there are few."""
        self.bad_count += 1
        if len(self.bad) < MOST_SHOWN:
            self.bad.append(str(error))


@dataclass(frozen=True)
class PreparedDatabase:
    """A database that was made, and the messages of the records that were left out; ``bad_count`` is their number."""

    database: SequenceDatabase
    bad: tuple[str, ...] = ()
    bad_count: int = 0


def make_database(
    sources: Sequences[str | Path],
    target: str | Path,
    monitor: Monitor | None = None,
    type: SequenceType | None = None,
    skip_bad: bool = False,
) -> PreparedDatabase:
    """Prepare a database.

    Parameters
    ----------
    sources : list of paths
        Files of sequences: FASTA, plain or compressed, of any size; other formats as far as they fit into memory.
    target : path
        The file to write; it appears only when it is whole.
    monitor : Monitor, optional
        Receives progress; may cancel, which leaves nothing behind.
    type : SequenceType, optional
        Type of all sequences; by default decided by the letters of all of them.
    skip_bad : bool
        Leave out records that cannot be read, and go on.

    Raises
    ------
    InputError
        Where a file cannot be read or a record has no letters or a sign that is none; the message names file, line and
        record.
    DiskFull
        Where the disk has no space for the database.
    """
    monitor, target = monitor or Monitor(), Path(target)
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no folder {target.parent}; create it or choose another")
    facts = [_describe_source(Path(source)) for source in sources]
    if any(os.path.realpath(source) == os.path.realpath(target) for source in sources):
        raise InputError(f"{target}: this input file would be overwritten; choose another name")
    try:
        with ExitStack() as stack:
            letters, titles = (stack.enter_context(TemporaryFile(dir=target.parent)) for _ in range(2))
            found = _Collected(letters, titles)
            for source in sources:
                _read_source(Path(source), found, monitor, skip_bad)
            _write_database(found, target, facts, monitor, type)
    except OSError as error:
        raise DiskFull(
            f"{target}: the database cannot be written: {error.strerror or error}; free space or choose another disk"
        ) from error
    return PreparedDatabase(read_prepared(target), tuple(found.bad), found.bad_count)


def _describe_source(path: Path) -> dict[str, Any]:
    try:
        status = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}; check the name") from error
    return {"path": str(path.absolute()), "bytes": status.st_size, "time": int(status.st_mtime)}


def _read_source(path: Path, found: _Collected, monitor: Monitor, skip_bad: bool) -> None:
    """Read a file: FASTA in blocks of whole records, other formats record by record."""
    head = line_blocks.skip_leading_space(line_blocks.normalise_line_ends(line_blocks.read_head(path, 4096)))[1]
    if not head.startswith(b">"):
        blocks = line_blocks.read_blocks(path, monitor)
        for record in sequence_records.read_records(blocks, str(path), monitor):
            _add_record(record, found, str(path), skip_bad)
        return
    line = 1
    for text in _whole_records(line_blocks.read_blocks(path, monitor, unlimited=True)):
        monitor.check()
        if not _add_plain_block(text, found):
            _add_records(text, str(path), line, found, skip_bad)
        line += text.count(b"\n")


def _whole_records(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield texts of whole FASTA records, of about a block each."""
    pending: list[bytes] = []
    for block in blocks:
        last = block.rfind(b"\n>") + 1
        if block.startswith(b">") and pending and not last:
            yield b"".join(pending)
            pending = [block]
        elif last:
            yield b"".join([*pending, block[:last]])
            pending = [block[last:]]
        else:
            pending.append(block)
    yield b"".join(pending)


def _add_plain_block(text: bytes, found: _Collected) -> bool:
    """Add the records of a text at once; False where they are not plain, or one has no letters."""
    if not text.startswith(b">") or soft_masking() is SoftMasking.UNKNOWN:  # columns do not know the case of letters
        return False
    columns = fasta_columns.parse_block(np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8))
    if columns is None or (np.diff(columns.offsets) == 0).any():
        return False
    titles = np.diff(columns.title_offsets)
    found.add(columns.letters, np.diff(columns.offsets), columns.titles.tobytes(), titles, columns.name_lengths)
    return True


def _add_records(text: bytes, source: str, line: int, found: _Collected, skip_bad: bool) -> None:
    """Add the records of a text one by one, so that an error names its line, and others can be kept."""
    before, *titled = (b"\n" + text).split(b"\n>")
    line += before.count(b"\n")
    if before.strip() and not all(one[:1] in b";#" for one in before.split(b"\n") if one.strip()):
        raise InputError(f"{source}, line {line}: there is text before the first '>'; remove it")
    for body in titled:
        try:
            for _, record in fasta_records.parse_fasta_text(b">" + body, source, line):
                _add_record(record, found, source, skip_bad)
        except InputError as error:
            if not skip_bad:
                raise InputError(f"{error}; or leave such records out with --skip-bad") from error
            found.skip(error)
        line += body.count(b"\n") + 1


def _add_record(record: SequenceRecord, found: _Collected, source: str, skip_bad: bool) -> None:
    """Add a record that was read; unknown letters become N among nucleotides, else X."""
    if not record.letters:
        found.empty += 1
        return
    is_nucleotide = not record.letters.translate(None, NUCLEOTIDES + UNKNOWN)
    if record.cased:
        record = mask_letters(record, protein=not is_nucleotide)
    letters = record.letters
    if UNKNOWN in letters:
        letters = letters.replace(UNKNOWN, b"N" if is_nucleotide else b"X")
    codes = np.frombuffer(letters, np.uint8)
    if (encode_letters(codes) == PADDING).any():
        error = InputError(f"{source}, record {record.name}: it has signs that are no letters; correct it")
        if not skip_bad:
            raise error
        found.skip(error)
        return
    title = record.description if record.description.startswith(record.name) else record.name
    title = title if record.description in ("", title) else f"{record.name} {record.description}"
    encoded, name = (text.encode("utf-8", "replace") for text in (title, record.name))
    found.changed += bool(record.note)
    found.add(codes, np.array([codes.size]), encoded, np.array([len(encoded)]), np.array([len(name)]))


def _write_database(
    found: _Collected, target: Path, sources: list[dict[str, Any]], monitor: Monitor, type: SequenceType | None
) -> None:
    """Sort what was read and write the target."""
    if not found.lengths:
        raise InputError(f"{sources[0]['path']}: the file has no sequence; give FASTA")
    lengths, title_lengths = np.concatenate(found.lengths), np.concatenate(found.title_lengths)
    names = _with_whole_titles(found, title_lengths)
    order = np.argsort(-lengths, kind="stable")
    places = array_places(lengths.size, int(lengths.sum()), int(title_lengths.sum()))
    kind, size, start = places["name_lengths"]
    total = start + -(-size * np.dtype(kind).itemsize // ALIGNMENT) * ALIGNMENT
    arrays = {
        "codes": _sorted_pieces(found.letters, lengths, order),
        "offsets": iter([offsets_of(lengths[order])]),
        "order": iter([order.astype(np.int64)]),
        "titles": _sorted_pieces(found.titles, title_lengths, order),
        "title_offsets": iter([offsets_of(title_lengths[order])]),
        "name_lengths": iter([names[order]]),
    }
    digest, made = hashlib.blake2b(digest_size=16), int(time.time())
    with open_atomic(target, sync=True) as file:
        file.write(bytes(HEADER_BYTES))
        for pieces in arrays.values():
            for piece in _padded(pieces):
                file.write(piece)
                digest.update(piece)
                monitor.update(min(file.tell(), total), total, "writing")
        own = {"digest": digest.hexdigest(), "bytes": total, "made": made, "sources": sources}
        header = {**own, **_describe_contents(found, lengths, title_lengths, type)}
        file.seek(0)
        file.write(header_bytes(header))
    stamp_time(target, header)


def _describe_contents(
    found: _Collected, lengths: np.ndarray, title_lengths: np.ndarray, type: SequenceType | None
) -> dict[str, Any]:
    """Return what the header says of the sequences: their number, letters, titles, type, and a note."""
    return {
        "count": int(lengths.size),
        "letter_count": int(lengths.sum()),
        "title_bytes": int(title_lengths.sum()),
        "longest": int(lengths.max()),
        "letters": bytes(np.flatnonzero(found.composition).tolist()).decode("ascii"),
        "type": str(type or _guess_type(found.composition)),
        "note": _describe_changes(found),
    }


def _with_whole_titles(found: _Collected, title_lengths: np.ndarray) -> np.ndarray:
    """Return the lengths of the names: the whole title where several titles begin with one word."""
    hashes, names = np.concatenate(found.name_hashes), np.concatenate(found.name_lengths)
    _, numbers, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.where(counts[numbers] > 1, title_lengths, names).astype(np.int32)


def _sorted_pieces(file: IO[bytes], lengths: np.ndarray, order: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the ranges of a file in another order, some at a time."""
    file.flush()
    offsets = offsets_of(lengths)
    if not offsets[-1]:
        return
    data = np.asarray(np.memmap(file, np.uint8, "r"))  # slices of a memmap are large and slow
    ends = np.cumsum(lengths[order])
    first = 0
    while first < order.size:
        wanted = (ends[first - 1] if first else 0) + BATCH_LETTERS
        end = min(max(int(np.searchsorted(ends, wanted, side="right")), first + 1), first + BATCH_RECORDS)
        yield gather_ranges([(data, offsets)], order[first:end])[0]
        first = end


def _padded(pieces: Iterator[np.ndarray]) -> Iterator[bytes]:
    """Yield the bytes of an array in pieces, filled up to the alignment."""
    size = 0
    for piece in pieces:
        yield piece.tobytes()
        size += piece.nbytes
    yield bytes(-size % ALIGNMENT)


def _guess_type(composition: np.ndarray) -> SequenceType:
    """Return the type of all sequences by their letters: nucleotides where nine tenths of them are A, C, G, T, U, N."""
    common = sum(int(composition[letter]) for letter in NUCLEOTIDES)
    if common * 10 < int(composition.sum()) * 9:
        return SequenceType.PROTEIN
    return SequenceType.RNA if composition[ord("U")] and not composition[ord("T")] else SequenceType.DNA


def _describe_changes(found: _Collected) -> str:
    """Return what reading left out, in words."""
    said = []
    if found.bad_count:
        said.append(f"{format_count(found.bad_count, 'bad record')} left out")
    if found.empty:
        said.append(f"{format_count(found.empty, 'empty sequence')} left out")
    if found.changed:
        said.append(f"gaps or other signs removed from {format_count(found.changed, 'sequence')}")
    said += describe_equal_titles(np.concatenate(found.title_hashes))
    return "; ".join(said)
