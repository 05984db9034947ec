"""A session as one file: a zip of FASTA files, arrays and a JSON index.

Problems and answers are frozen dataclasses of the kernels, so one recursive rule writes them all
(kernels/serialization.py): an array is a member of the zip, a sequence is its number, and so is a set of very many
sequences, whose columns are arrays. A new kind of problem needs no code here.
"""

from __future__ import annotations

import contextlib
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import numpy as np

import antidiag.kernels.registry  # noqa: F401 - its families declare the types that a session may hold
from antidiag.app.session.archive_reading import DAMAGE, FASTA, INDEX, NO_EDITS, RECORDS, Reader, Saved, describe
from antidiag.app.session.entry import DataEdits, Entry
from antidiag.app.session.parts import Parts
from antidiag.app.session.state import State
from antidiag.kernels import memory, serialization
from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.number_tables import silence_numpy_warnings
from antidiag.kernels.io.sequence_tools import fasta_title as titled
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.sequences.sequence_set import MANY_SEQUENCES, SequenceSet, SharedSequences
from antidiag.kernels.sequences.text_column import TextColumn
from antidiag.kernels.steps import StepLog
from antidiag.kernels.text import parse_json

FORMAT, COLUMNS_FORMAT = 2, 4
"""What is written, and what of a session with columns of sequences or texts, which earlier versions cannot read."""
BESIDE_INDEX = "beside.json"
"""Names of the arrays that are in files beside the session, where there are any."""
LINE = 60
_quoted = json.JSONEncoder().encode
BATCH = 1000
"""Records written at a time."""
MANY_TEXTS = 10_000
"""Texts from which on they are a column."""
RECORD_BYTES = 500
"""Bytes of an array that take as long to be written as a record, about."""


def save(
    path: Path,
    state: State,
    entries: Iterable[Entry],
    settings: Mapping[str, Any],
    edits: DataEdits = NO_EDITS,
    monitor: Monitor | None = None,
    parts: Parts | None = None,
) -> None:
    """Write a session; the file is replaced only when the new one is complete. Raises InputError, and Cancelled.

    ``monitor`` hears of the arrays and records that are written, of records twice: as FASTA, and as what FASTA cannot
    hold. Large arrays go to ``parts``, where they stay while sessions name them; without it the file has everything.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_atomic(path) as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
                writer = _write(target, state, entries, settings, edits, monitor or Monitor(), parts)
            if parts is not None and parts.lacking(writer.beside):
                raise InputError(f"{path}: another program has removed files of this session; save it again")
        if parts is not None:
            parts.keep(writer.beside)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: the session cannot be saved: {reason}; choose another place") from error


def folder_of(path: Path) -> Path:
    """Where the large arrays of a session lie that keeps them beside itself."""
    return path.with_suffix(".parts")


def load(path: Path, parts: Parts | None = None, report: Callable[[str], None] | None = None) -> Saved:
    """Read a session: state, results, settings, and edits of data.

    ``report`` receives a sentence for each result that cannot be read and is left out; without it such a result is an
    error. Raises InputError for a file that is no session, or whose arrays are not there: in ``parts``, or in its own
    folder.
    """
    if parts is None and folder_of(path).is_dir():
        parts = Parts(folder_of(path))
    try:
        with parts.lock if parts else contextlib.nullcontext(), zipfile.ZipFile(path) as source:
            beside = parse_json(source.read(BESIDE_INDEX)) if BESIDE_INDEX in source.namelist() else []
            if beside and parts is None:
                raise InputError(f"its large data are in a folder that is not there: {folder_of(path)}")
            _refuse_too_large(
                sum(member.file_size for member in source.infolist()) + (parts.bytes_of(beside) if parts else 0)
            )
            with silence_numpy_warnings():
                return _check_numbers(Reader(source, parts, report).read())
    except OSError as error:
        raise InputError(f"{path}: the session cannot be read: {error.strerror}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except MemoryError as error:
        raise InputError(f"{path}: there is not enough memory for this session, or it is damaged") from error
    except (*DAMAGE, zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError) as error:
        raise InputError(f"{path}: not a session of Antidiag, or a damaged one: {describe(error)}") from error


def _refuse_too_large(size: int) -> None:
    """InputError for a session that unpacked is more than there is room for."""
    if size > (free := memory.host_bytes_free()):
        raise InputError(f"unpacked this session is {format_bytes(size)}, and {format_bytes(free)} of memory is free")


def _check_numbers(saved: Saved) -> Saved:
    """Return what was read; ValueError or TypeError where its numbers are not of sequences and data that are there."""
    state, _, settings, edits = saved
    rows, numbers = range(len(state.sequences)), range(len(state.data))
    for given, known in ((state.chosen, rows), (state.subset, rows), (state.picked, numbers), (edits, numbers)):
        if not all(type(number) is int and number in known for number in given):
            raise ValueError("a row or a datum is chosen that is not there")
    if not all(isinstance(part, dict) for part in (settings, *edits.values())):
        raise TypeError("settings are no mapping")
    return saved


def _write(
    target: zipfile.ZipFile,
    state: State,
    entries: Iterable[Entry],
    settings: Mapping[str, Any],
    edits: DataEdits,
    monitor: Monitor,
    parts: Parts | None,
) -> _Writer:
    writer = _Writer(parts)
    open_ones = (
        writer.encode(state.sequences)
        if isinstance(state.sequences, SequenceSet)
        else [writer.number(sequence) for sequence in state.sequences]
    )
    results = [
        {
            "result": writer.encode(entry.result),
            "options": entry.options,
            "parameters": entry.parameters,
            "edits": writer.encode(dict(entry.edits)),
            "name": entry.name,
            "tags": list(entry.tags),
            "note": entry.note,
            "views": dict(entry.views),
        }
        for entry in entries
    ]
    data = [writer.encode(datum) for datum in state.data]
    index = {
        "open": open_ones,
        "chosen": list(state.chosen),
        "data": data,
        "data_edits": {str(number): writer.encode(dict(kept)) for number, kept in edits.items()},
        "picked": list(state.picked),
        "subset": list(state.subset),
        "settings": dict(settings),
        "results": results,
    }
    columns = [serialization.encode(one, writer.put) for one in writer.sets]
    index = {"format": COLUMNS_FORMAT if columns or writer.has_columns else FORMAT, "sets": columns, **index}
    lacking = parts.lacking(writer.beside) if parts is not None else []
    nbytes = sum(array.nbytes for array in (*writer.arrays, *map(writer.beside.__getitem__, lacking)))
    progress = _Progress(monitor, nbytes + 2 * RECORD_BYTES * len(writer.sequences))
    if parts is not None:
        for place in lacking:
            with parts.writing(place) as file:
                _write_array(file, progress, writer.beside[place])
    for number, array in enumerate(writer.arrays):
        with target.open(_member_info(number, array), "w", force_zip64=True) as handle:
            _write_array(handle, progress, array)
    for name, line in ((FASTA, _fasta), (RECORDS, _record)):
        with target.open(name, "w", force_zip64=True) as handle:
            for at in range(0, len(writer.sequences), BATCH):
                batch = writer.sequences[at : at + BATCH]
                progress.advance(RECORD_BYTES * len(batch))
                handle.write(b"".join(map(line, batch)))
    with target.open(INDEX, "w", force_zip64=True) as handle:
        handle.write(json.dumps(index).encode("ascii"))
    if writer.beside:
        target.writestr(BESIDE_INDEX, json.dumps(list(writer.beside)))
    return writer


def _write_array(handle: IO[bytes], progress: _Progress, array: np.ndarray) -> None:
    np.lib.format.write_array(_Watched(handle, progress), array, allow_pickle=False)


def _member_info(number: int, array: np.ndarray) -> str | zipfile.ZipInfo:
    """The member that has an array; floating-point numbers, which would hardly become smaller, are not packed."""
    packed = array.dtype.kind not in "fc"
    return _member(number) if packed else zipfile.ZipInfo(_member(number), datetime.now().timetuple()[:6])


class _Progress:
    """How much of a session is written, in bytes, as far as that is known before."""

    def __init__(self, monitor: Monitor, total: int) -> None:
        self._monitor, self._total, self._done = monitor, total, 0

    def advance(self, count: int) -> None:
        """Say that so many bytes are written next; raises Cancelled where that is wished."""
        self._monitor.update(min(self._done, self._total), self._total)
        self._done += count


class _Watched:
    """A file that an array is written to in pieces of some MiB, with progress: no array is there twice."""

    def __init__(self, handle: IO[bytes], progress: _Progress) -> None:
        self._handle, self._progress = handle, progress

    def write(self, piece: bytes | memoryview) -> int:
        self._progress.advance(len(piece))
        return self._handle.write(piece)


def _member(number: int) -> str:
    return f"arrays/{number}.npy"


class _Writer:
    """What a session holds as plain values; sequences, sets and arrays are numbered on the way."""

    def __init__(self, parts: Parts | None) -> None:
        self._parts = parts
        self._numbers: dict[int, int] = {}
        self.arrays: list[np.ndarray] = []
        self.beside: dict[str, np.ndarray] = {}
        self.sequences: list[Sequence] = []
        self.sets: list[SequenceSet] = []
        self.has_columns = False

    def number(self, sequence: Sequence) -> int:
        """The place of a sequence in the FASTA file; by identity, because rows may be equal."""
        if id(sequence) not in self._numbers:
            self._numbers[id(sequence)] = len(self.sequences)
            self.sequences.append(sequence)
        return self._numbers[id(sequence)]

    def encode(self, value: Any) -> Any:
        return serialization.encode(value, self.put, self._own)

    def _own(self, value: Any) -> Any:
        """Sequences are in files of their own; results hold more than problems do."""
        if isinstance(value, SharedSequences) and self._parts is not None:  # columns that are on the disk stay there
            return {"sets": list(map(self._number_of_set, value.sets)), "rows": self.put(value.rows)}
        if isinstance(value, SequenceSet):
            return {"set": self._number_of_set(value)}
        if isinstance(value, Sequence):
            return {"sequence": self.number(value)}
        if isinstance(value, tuple) and len(value) >= min(MANY_TEXTS, MANY_SEQUENCES):
            return self._columns(value)
        if isinstance(value, StepLog):
            return {"steps": self.put(value.ordered_events()), "share": value.share}
        return {"time": value.isoformat()} if isinstance(value, datetime) else None

    def _columns(self, values: tuple[Any, ...]) -> dict[str, Any] | None:
        """Many sequences, or texts, as columns; None where they are something else."""
        if all(isinstance(value, Sequence) for value in values):
            return {"set": self._number_of_set(SequenceSet.from_sequences(values))}
        if not all(isinstance(value, str) for value in values):
            return None
        self.has_columns = True
        return {"texts": serialization.encode(TextColumn.from_texts(values), self.put)}

    def _number_of_set(self, given: SequenceSet) -> int:
        """The place of a set among those that are written."""
        if (number := next((number for number, one in enumerate(self.sets) if one is given), None)) is None:
            number = len(self.sets)
            self.sets.append(given)
        return number

    def put(self, array: np.ndarray) -> str:
        """The name of the member or of the file that will have an array."""
        if self._parts is not None and (place := self._parts.place(array)):
            self.beside[place] = array
            return place
        self.arrays.append(array)
        return _member(len(self.arrays) - 1)


def _fasta(sequence: Sequence) -> bytes:
    title = " ".join(titled(sequence).split())
    letters = sequence.letters
    if 0 < len(letters) <= LINE:  # a million reads are written so, while the user waits for the window to close
        return b">%b\n%b\n" % (title.encode(), letters)
    lines = [letters[at : at + LINE] for at in range(0, len(letters), LINE)]
    return b"\n".join((b">" + title.encode(), *lines, b""))


def _record(sequence: Sequence) -> bytes:
    """A JSON text of five strings; one at a time, for which the encoder has a short way."""
    name, title, source, note = map(_quoted, (sequence.name, sequence.description, sequence.source, sequence.note))
    return f'[{name}, "{sequence.type.value}", {title}, {source}, {note}]\n'.encode()
