"""A database to search in: sequences in memory, or a file that was prepared once and is mapped into memory.

A prepared file begins with `MAGIC` and `HEADER_BYTES` of JSON; then come arrays, each at a multiple of `ALIGNMENT`:

    codes          uint8   letter codes of all sequences, sorted by length, the longest first
    offsets        int64   (count + 1) where each sequence begins
    order          int64   (count) number of each sequence in the file that it was made from
    titles         uint8   title lines in UTF-8, in the order of the codes
    title_offsets  int64   (count + 1)
    name_lengths   int32   (count) bytes of the name, with which a title begins

The digest in the header is that of all arrays. It is computed again when the file has another time than its maker gave
it: then it was copied, or changed.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.method import DataKind
from antidiag.kernels.model import Sequence, SequenceType, concatenate_letters, sequence_lengths, sequence_types
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.search.score_blocks import DatabaseBlock, encode_letters
from antidiag.kernels.sequences.sequence_set import SequenceSet, pack_sequences
from antidiag.kernels.sequences.text_column import gather_ranges, make_read_only, offsets_of
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count, parse_json

MAGIC = b"antidiag sequence database 1\n"
HEADER_BYTES, ALIGNMENT = 4096, 64
PIECE_BYTES = 2**24
"""Bytes that are written or read at a time."""
SUFFIX = ".adb"
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ*"
"""The letter of every code."""


@stored("sequence-database")
@dataclass(frozen=True, eq=False)
class SequenceDatabase:
    """A database: of a prepared file, ``source``, or of ``sequences`` in memory.

    ``letters`` are those that occur, in alphabetical order, ``digest`` identifies the content, and ``longest`` is the
    length of the longest sequence.
    """

    name: str
    digest: str
    count: int
    letter_count: int
    longest: int
    letters: str
    type: SequenceType
    source: str = ""
    note: str = ""
    sequences: Any = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SequenceDatabase) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __len__(self) -> int:
        return self.count

    @property
    def is_prepared(self) -> bool:
        """Whether the sequences are in a prepared file."""
        return not len(self.sequences)

    @property
    def summary(self) -> str:
        """Sequences, letters and type in words."""
        return f"{format_count(self.count, 'sequence')}, {format_count(self.letter_count, 'letter')}, {self.type}"


@dataclass(frozen=True, eq=False)
class OpenedDatabase:
    """The arrays of a database, sorted by length, the longest first; see the module.

    ``take(numbers)`` returns sequences by their numbers in this order.
    """

    codes: np.ndarray
    offsets: np.ndarray
    order: np.ndarray
    take: Callable[[np.ndarray], Sequences[Sequence]]

    @cached_property
    def lengths(self) -> np.ndarray:
        """Letters of each sequence, int64."""
        return np.diff(self.offsets)

    def blocks(self, letters: int, sequences: int, first: int = 0, last: int | None = None) -> Iterator[DatabaseBlock]:
        """Yield blocks from sequence ``first`` on, of at most so many letters and sequences, but at least one.

        ``last`` is the end of the sequences, by default that of the database.
        """
        last = self.order.size if last is None else last
        while first < last:
            end = int(np.searchsorted(self.offsets, self.offsets[first] + letters, side="right")) - 1
            end = min(max(end, first + 1), first + sequences, last)
            start = int(self.offsets[first])
            codes = self.codes[start : int(self.offsets[end])]
            yield DatabaseBlock(codes, np.asarray(self.offsets[first : end + 1]) - start, first)
            first = end


def make_memory_database(sequences: Sequences[Sequence], name: str = "", source: str = "") -> SequenceDatabase:
    """Return the database of sequences in memory, without those that are empty, which a note counts.

    Many sequences become a set of columns, which workers are sent as a whole.
    """
    sequences = pack_sequences(sequences)
    lengths = sequence_lengths(sequences)
    empty = int((lengths == 0).sum())
    if empty:
        sequences = pack_sequences(sequence for sequence in sequences if len(sequence))
        lengths = lengths[lengths > 0]
    if not lengths.size:
        where = source or name or "database"
        raise InputError(f"{where}: there is no sequence with letters to search in; give another file")
    letters = concatenate_letters(sequences)
    digest = hashlib.blake2b(letters.tobytes(), digest_size=16)
    digest.update(lengths.tobytes())
    hashes = array("q")
    for one in _titles_of(sequences):
        digest.update(one.encode("utf-8", "surrogatepass") + b"\n")
        hashes.append(hash(one))
    notes = [f"{format_count(empty, 'empty sequence')} left out"] if empty else []
    notes += describe_equal_titles(np.frombuffer(hashes, np.int64))
    return SequenceDatabase(
        name or Path(source).name or "database",
        digest.hexdigest(),
        int(lengths.size),
        int(lengths.sum()),
        int(lengths.max()),
        bytes(np.flatnonzero(np.bincount(letters, minlength=256)).tolist()).decode("ascii"),
        _common_type(sequence_types(sequences)),
        source,
        "; ".join(notes),
        sequences,
    )


def describe_equal_titles(hashes: np.ndarray) -> list[str]:
    """Return a note on sequences whose titles are equal, by the hashes of all titles, int64; none where all differ."""
    _, counts = np.unique(hashes, return_counts=True)
    equal = int(counts[counts > 1].sum())
    return (
        [f"{format_count(equal, 'sequence')} with the title of another; hits do not tell them apart"] if equal else []
    )


def _titles_of(sequences: Sequences[Sequence]) -> Iterator[str]:
    return (sequence.description or sequence.name for sequence in sequences)


def _common_type(types: set[SequenceType]) -> SequenceType:
    return SequenceType.PROTEIN if SequenceType.PROTEIN in types else min(types)


def is_prepared_file(path: Path, head: bytes) -> bool:
    """Return whether a file is a prepared database, by its first bytes."""
    return head.startswith(MAGIC)


def read_database(
    path: Path, monitor: Monitor | None = None, type: SequenceType | None = None
) -> list[SequenceDatabase]:
    """Return the database in a file: a prepared one, or the sequences of a file of any format, guessed or of a type."""
    if _has_magic(path):
        return [read_prepared(path)]
    found = read_sequences(path, type, monitor)
    return [make_memory_database(found, path.name, str(path))]


def _has_magic(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def read_header(path: Path) -> Mapping[str, Any]:
    """Return the header of a prepared database; InputError where it is none, or was cut off."""
    try:
        with open(path, "rb") as file:
            head, size = file.read(HEADER_BYTES), os.fstat(file.fileno()).st_size
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: cannot read the database: {reason}; check its name and permissions") from error
    if not head.startswith(MAGIC):
        raise InputError(f"{path}: this is no prepared database; make one with: antidiag database make FASTA {path}")
    try:
        header = parse_json(head[len(MAGIC) :].rstrip(b"\0 ").decode())
        size_stated = int(header["bytes"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: the header of the database is damaged; prepare it again") from error
    if size != size_stated:
        raise InputError(
            f"{path}: the database has {size:,} bytes, and {size_stated:,} when it was prepared; it was cut off or "
            "changed, so prepare it again"
        )
    return header


def read_prepared(path: Path) -> SequenceDatabase:
    """Return the database of a prepared file, whose arrays stay on the disk."""
    header = read_header(path)
    try:
        return SequenceDatabase(
            path.name,
            str(header["digest"]),
            int(header["count"]),
            int(header["letter_count"]),
            int(header["longest"]),
            str(header["letters"]),
            SequenceType(header["type"]),
            str(path.absolute()),
            str(header["note"]),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"{path}: the header of the database is damaged; prepare it again") from error


def open_database(database: SequenceDatabase, monitor: Monitor | None = None) -> OpenedDatabase:
    """Return the arrays of a database, after a prepared file was checked.

    Raises InputError where the file or what it was made from changed since it was prepared.
    """
    if not database.is_prepared:
        return _sort_in_memory(database.sequences)
    path = Path(database.source)
    header = read_header(path)
    if header["digest"] != database.digest:
        raise InputError(f"{path}: this is another database than the one that was opened; open it again")
    refuse_changed_source(path, header)
    if not _has_time_of_maker(path, header):
        verify_digest(path, header, monitor or Monitor())
    return map_prepared(path, header)


def _sort_in_memory(sequences: Sequences[Sequence]) -> OpenedDatabase:
    """Return the arrays of sequences in memory, sorted by length."""
    lengths = sequence_lengths(sequences)
    order = np.argsort(-lengths, kind="stable")
    codes, offsets = gather_ranges([(encode_letters(concatenate_letters(sequences)), offsets_of(lengths))], order)
    make_read_only(codes, offsets)
    columns = SequenceSet.from_sequences(sequences)
    return OpenedDatabase(codes, offsets, order, lambda numbers: columns.take(order[numbers]))


def array_places(count: int, letter_count: int, title_bytes: int) -> dict[str, tuple[Any, int, int]]:
    """Return type, elements and place in the file of every array of a prepared database, in their order."""
    sizes: dict[str, tuple[Any, int]] = {
        "codes": (np.uint8, letter_count),
        "offsets": (np.int64, count + 1),
        "order": (np.int64, count),
        "titles": (np.uint8, title_bytes),
        "title_offsets": (np.int64, count + 1),
        "name_lengths": (np.int32, count),
    }
    places, at = {}, HEADER_BYTES
    for name, (kind, size) in sizes.items():
        places[name] = (kind, size, at)
        at += -(-size * np.dtype(kind).itemsize // ALIGNMENT) * ALIGNMENT
    return places


def map_prepared(path: Path, header: Mapping[str, Any]) -> OpenedDatabase:
    """Return the arrays of a prepared database as views of its file."""
    places = array_places(header["count"], header["letter_count"], header["title_bytes"])
    arrays = {
        name: np.asarray(np.memmap(path, kind, "r", at, (size,))) if size else np.zeros(0, kind)
        for name, (kind, size, at) in places.items()
    }

    def take(numbers: np.ndarray) -> list[Sequence]:
        kind = SequenceType(header["type"])
        found = []
        for number in np.asarray(numbers).tolist():
            title = _slice(arrays["titles"], arrays["title_offsets"], number)
            name = title[: arrays["name_lengths"][number]].decode("utf-8", "replace")
            codes = _slice(arrays["codes"], arrays["offsets"], number)
            letters = np.frombuffer(LETTERS, np.uint8)[np.frombuffer(codes, np.uint8)].tobytes()
            found.append(Sequence(name, letters, kind, title.decode("utf-8", "replace"), str(path)))
        return found

    return OpenedDatabase(arrays["codes"], arrays["offsets"], arrays["order"], take)


def _slice(data: np.ndarray, offsets: np.ndarray, number: int) -> bytes:
    return data[offsets[number] : offsets[number + 1]].tobytes()


def _has_time_of_maker(path: Path, header: Mapping[str, Any]) -> bool:
    return int(path.stat().st_mtime) == int(header["made"])


def stamp_time(path: Path, header: Mapping[str, Any]) -> None:
    """Set the time of a prepared file to that in its header: a sign for later searches that its digest was checked."""
    os.utime(path, (header["made"], header["made"]))


def verify_digest(path: Path, header: Mapping[str, Any], monitor: Monitor) -> None:
    """Raise InputError where the arrays of a prepared database are not those that its maker wrote."""
    with open(path, "rb") as file:
        file.seek(HEADER_BYTES)
        found = digest_rest(file, int(header["bytes"]) - HEADER_BYTES, monitor)
    if found != header["digest"]:
        raise InputError(
            f"{path}: the database changed since it was prepared (its digest is {found}, not {header['digest']}); "
            "prepare it again"
        )


def digest_rest(file: BinaryIO, size: int, monitor: Monitor) -> str:
    """Return the digest of what follows in a file, in hexadecimal digits."""
    digest, done = hashlib.blake2b(digest_size=16), 0
    while piece := file.read(PIECE_BYTES):
        digest.update(piece)
        done += len(piece)
        monitor.update(min(done, size), max(size, 1), "checking")
    return digest.hexdigest()


def refuse_changed_source(path: Path, header: Mapping[str, Any]) -> None:
    """Raise InputError where a file that the database was made from has changed; one that is gone is no error."""
    for source in header["sources"]:
        try:
            status = os.stat(source["path"])
        except OSError:
            continue
        if (status.st_size, int(status.st_mtime)) != (source["bytes"], int(source["time"])):
            raise InputError(
                f"{path}: {source['path']} changed since the database was prepared from it; prepare it again with: "
                f"antidiag database make {source['path']} {path}"
            )


def header_bytes(header: Mapping[str, Any]) -> bytes:
    """Return the first HEADER_BYTES bytes of a prepared file. Raise InputError for a header that does not fit."""
    text = MAGIC + json.dumps(dict(header)).encode()
    if len(text) > HEADER_BYTES:
        raise InputError("the names of the files of the database are too long; give fewer files, or shorter paths")
    return text.ljust(HEADER_BYTES)


DATABASE = DataKind(
    id="sequence-database",
    label="sequence database",
    plural="sequence databases",
    type=SequenceDatabase,
    claims_file=is_prepared_file,
    read=read_database,
    read_typed=read_database,
    suffixes=(SUFFIX,),
)
