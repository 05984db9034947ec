"""A session as one file: a zip of FASTA files, arrays and a JSON index.

Problems and answers are frozen dataclasses of the kernels, so one recursive rule writes them all
(kernels/serialization.py): an array is a member of the zip, a sequence is its number. A new kind of problem needs no
code here.
"""

from __future__ import annotations

import contextlib
import json
import os
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import numpy as np

import antidiag.kernels.registry  # noqa: F401 - its families declare the types that a session may hold
from antidiag.app.session.archive_reading import FASTA, INDEX, NO_EDITS, RECORDS, Reader, Saved
from antidiag.app.session.entry import DataEdits, Entry
from antidiag.app.session.long_lists import LONG, lines_of
from antidiag.app.session.packing import Packer, saved_share
from antidiag.app.session.parts import Parts
from antidiag.app.session.state import State
from antidiag.kernels import memory, serialization
from antidiag.kernels.errors import InputError
from antidiag.kernels.gui_priority import iterate_yielding, yield_gil
from antidiag.kernels.io.sequence_tools import fasta_title as titled
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.text import parse_json
from antidiag.kernels.typed_fields import make_checked

FORMAT, LONG_FORMAT = 2, 3
"""What is written, and what of a session with long lists, which earlier versions cannot read."""
BESIDE_INDEX = "beside.json"
"""Names of the arrays that are in files beside the session, where there are any."""
LINE = 60
_quoted = json.JSONEncoder().encode
BATCH, FEW = 1000, 16
"""Records written at a time."""
SHARDS = 256
"""Tables of the numbers of sequences: one of a million holds the interpreter, and so the window, while it grows."""
LARGE = 16 << 20
"""Bytes of an array that several threads pack, if packing saves the share of them below."""
SHARE = 0.3
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
    place = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
            writer = _write(target, state, entries, settings, edits, monitor or Monitor(), parts)
        if parts is not None and parts.lacking(writer.beside):
            raise InputError(f"{path}: another program has removed files of this session; save it again")
        os.replace(place, path)
        if parts is not None:
            parts.keep(writer.beside)
        writer.give_up()
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: the session cannot be saved: {reason}; choose another place") from error
    finally:
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)


def folder_of(path: Path) -> Path:
    """Where the large arrays of a session lie that keeps them beside itself."""
    return path.with_suffix(".parts")


def load(path: Path, parts: Parts | None = None) -> Saved:
    """Read a session: state, results, settings, and edits of data. Raises InputError for a file that is none, or whose
    arrays are not there: in ``parts``, or in its own folder."""
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
            return _sound(Reader(source, parts).read())
    except OSError as error:
        raise InputError(f"{path}: the session cannot be read: {error.strerror}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except MemoryError as error:
        raise InputError(f"{path}: there is not enough memory for this session, or it is damaged") from error
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(f"{path}: not a session of Antidiag, or a damaged one: {reason}") from error


def _refuse_too_large(size: int) -> None:
    """InputError for a session that unpacked is more than there is room for."""
    if size > (free := memory.host_bytes_free()):
        raise InputError(f"unpacked this session is {format_bytes(size)}, and {format_bytes(free)} of memory is free")


def _sound(saved: Saved) -> Saved:
    """What was read, where its numbers are of sequences and data that are there; ValueError or TypeError where not."""
    state, entries, settings, edits = saved
    rows, numbers = range(len(state.sequences)), range(len(state.data))
    for given, known in ((state.chosen, rows), (state.subset, rows), (state.picked, numbers), (edits, numbers)):
        if not all(type(number) is int and number in known for number in given):
            raise ValueError("a row or a datum is chosen that is not there")
    for entry in entries:
        result = make_checked(Entry, vars(entry)).result
        if not isinstance(result.problem.title, str) or not isinstance(result.cells, int):
            raise TypeError("a result is of no problem")
        _check(result)
    if not all(isinstance(part, dict) for part in (settings, *edits.values())):
        raise TypeError("settings are no mapping")
    return saved


def _check(result: Result) -> None:
    """ValueError where an answer is not one of its problem: what a view shows of it would be wrong, or nowhere."""
    try:
        result.check(result.problem)
    except (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise ValueError(f"the answer of {result.method} does not fit its problem: {reason}") from error


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
    open_ones = writer.long_list(state.sequences) or [writer.number(sequence) for sequence in state.sequences]
    results = [
        {
            "result": writer.encode(entry.result),
            "options": entry.options,
            "parameters": entry.parameters,
            "edits": writer.encode(dict(entry.edits)),
            "name": entry.name,
            "tags": list(entry.tags),
            "note": entry.note,
        }
        for entry in entries
    ]
    index = {
        "format": LONG_FORMAT if writer.has_long else FORMAT,
        "open": open_ones,
        "chosen": list(state.chosen),
        "data": [writer.encode(datum) for datum in state.data],
        "data_edits": {str(number): writer.encode(dict(kept)) for number, kept in edits.items()},
        "picked": list(state.picked),
        "subset": list(state.subset),
        "settings": dict(settings),
        "results": results,
    }
    lacking = parts.lacking(writer.beside) if parts is not None else []
    nbytes = sum(array.nbytes for array in (*writer.arrays, *map(writer.beside.__getitem__, lacking)))
    told = _Told(monitor, nbytes + 2 * RECORD_BYTES * len(writer.sequences))
    if parts is not None:
        for place in lacking:
            with parts.writing(place) as file:
                _write_array(file, told, writer.beside[place])
    for number, array in enumerate(writer.arrays):
        with target.open(_place(number, array), "w", force_zip64=True) as handle, _packed_by_all(handle, array.nbytes):
            _write_array(handle, told, array)
    for name, line in ((FASTA, _fasta), (RECORDS, _record)):
        with target.open(name, "w", force_zip64=True) as handle:
            for at in range(0, len(writer.sequences), BATCH):
                batch = writer.sequences[at : at + BATCH]
                told.more(RECORD_BYTES * len(batch))
                handle.write(b"".join(map(line, batch)))
    with target.open(INDEX, "w", force_zip64=True) as handle:
        for piece in _json(index):
            yield_gil()
            handle.write(piece.encode("ascii"))
    if writer.beside:
        target.writestr(BESIDE_INDEX, json.dumps(list(writer.beside)))
    return writer


def _json(value: Any) -> Iterator[str]:
    """The JSON of a value in pieces, as one of millions of values would stop the window: it is made without letting go
    of the interpreter."""
    if isinstance(value, dict) and value:
        for number, (key, one) in enumerate(value.items()):
            yield ("," if number else "{") + json.dumps({key: 0})[1:-2]
            yield from _json(one)
        yield "}"
    elif isinstance(value, list | tuple) and len(value) > FEW:
        for at in range(0, len(value), BATCH):
            yield ("," if at else "[") + json.dumps(value[at : at + BATCH])[1:-1]
        yield "]"
    elif isinstance(value, list | tuple) and value:
        for number, one in enumerate(value):
            yield "," if number else "["
            yield from _json(one)
        yield "]"
    else:
        yield json.dumps(value)


def _write_array(handle: IO[bytes], told: _Told, array: np.ndarray) -> None:
    """Write an array as NumPy does; a large one from where it lies, as copies of it hold the interpreter, and with it
    the window."""
    watched = _Watched(handle, told)
    if array.nbytes < LARGE or not array.flags.c_contiguous or array.dtype.hasobject:
        np.lib.format.write_array(watched, array, allow_pickle=False)
        return
    np.lib.format.write_array_header_1_0(watched, np.lib.format.header_data_from_array_1_0(array))
    there = array.reshape(-1).view(np.uint8).data
    for at in range(0, len(there), LARGE):
        watched.write(there[at : at + LARGE])


def _place(number: int, array: np.ndarray) -> str | zipfile.ZipInfo:
    """The member that has an array; a large one that would hardly become smaller is not packed: that takes long."""
    if array.nbytes < LARGE or not array.flags.c_contiguous or saved_share(array) > SHARE:
        return _member(number)
    return zipfile.ZipInfo(_member(number), datetime.now().timetuple()[:6])


@contextlib.contextmanager
def _packed_by_all(handle: Any, nbytes: int) -> Iterator[None]:
    """Have a large member of a zip packed by all cores, where `zipfile` lets its compressor be another."""
    if nbytes < LARGE or getattr(handle, "_compressor", None) is None:
        yield
        return
    packer = handle._compressor = Packer()
    try:
        yield
    except BaseException:
        packer.close()
        raise


class _Told:
    """How much of a session is written, in bytes, as far as that is known before."""

    def __init__(self, monitor: Monitor, total: int) -> None:
        self._monitor, self._total, self._done = monitor, total, 0

    def more(self, count: int) -> None:
        """So many bytes are written next; raises Cancelled where that is wished."""
        self._monitor.update(min(self._done, self._total), self._total)
        yield_gil()
        self._done += count


class _Watched:
    """A file that an array is written to in pieces of some MiB, which are told of: no array is there twice."""

    def __init__(self, handle: IO[bytes], told: _Told) -> None:
        self._handle, self._told = handle, told

    def write(self, piece: bytes | memoryview) -> int:
        self._told.more(len(piece))
        return self._handle.write(piece)


def _member(number: int) -> str:
    return f"arrays/{number}.npy"


class _Writer:
    """What a session holds as plain values; sequences and arrays are numbered on the way, but those ``beside`` it."""

    def __init__(self, parts: Parts | None) -> None:
        self._numbers: tuple[dict[int, int], ...] = tuple({} for _ in range(SHARDS))
        self._parts = parts
        self.arrays: list[np.ndarray] = []
        self.beside: dict[str, np.ndarray] = {}
        self.sequences: list[Sequence] = []
        self.has_long = False

    def number(self, sequence: Sequence) -> int:
        """The place of a sequence in the FASTA file; by identity, because rows may be equal."""
        at = id(sequence)
        numbers = self._numbers[at // SHARDS % SHARDS]
        if at not in numbers:
            numbers[at] = len(self.sequences)
            self.sequences.append(sequence)
        return numbers[at]

    def give_up(self) -> None:
        """Let go of the sequences a piece at a time: of a million at once the window would wait."""
        while self.sequences:
            del self.sequences[-BATCH:]
            yield_gil()
        for numbers in self._numbers:
            numbers.clear()

    def encode(self, value: Any) -> Any:
        return serialization.encode(value, self._array, self._own)

    def _own(self, value: Any) -> Any:
        """Sequences are in a file of their own; results hold more than problems do."""
        if isinstance(value, Sequence):
            return {"sequence": self.number(value)}
        if isinstance(value, tuple) and len(value) >= LONG:
            return self.long_list(value)
        if isinstance(value, StepLog):
            return {"steps": self._array(value.ordered_events()), "share": value.share}
        return {"time": value.isoformat()} if isinstance(value, datetime) else None

    def long_list(self, values: tuple[Any, ...]) -> dict[str, str] | None:
        """Where many sequences, or texts, are as an array; None where they are few, or something else."""
        kind = type(values[0]) if len(values) >= LONG else None
        if kind not in (Sequence, str) or not all(type(value) is kind for value in iterate_yielding(values)):
            return None
        numbers = kind is Sequence
        array = (
            np.fromiter(map(self.number, iterate_yielding(values)), np.int64, len(values))
            if numbers
            else lines_of(values)
        )
        if array is None:
            return None
        self.has_long = True
        return {"sequences" if numbers else "texts": self._array(array)}

    def _array(self, array: np.ndarray) -> str:
        """The name of the member or of the file that will have it."""
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
