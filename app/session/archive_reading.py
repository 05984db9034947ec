"""Sessions are read: what `app.session.archive` writes, and what earlier versions wrote."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from datetime import datetime
from tokenize import TokenError
from types import MappingProxyType
from typing import Any

import numpy as np

from antidiag.app.session.entry import DataEdits, Entry
from antidiag.app.session.parts import BESIDE, Parts
from antidiag.app.session.state import State
from antidiag.kernels import serialization
from antidiag.kernels.errors import InputError, ParameterError, ScoreOverflow
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.sequences.sequence_set import SequenceSet, SharedSequences, pack_sequences
from antidiag.kernels.sequences.text_column import ENCODING, ERRORS, TextColumn
from antidiag.kernels.steps import StepLog
from antidiag.kernels.text import parse_json
from antidiag.kernels.typed_fields import make_checked

FORMATS = 1, 2, 3, 4
"""What is read: types had the names of their modules in format 1 (kernels/serialization.py); many sequences were an
array of their numbers, and many texts the lines of one, in format 3; both are columns in format 4."""
DAMAGE = (
    ArithmeticError,
    AssertionError,
    EOFError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    TokenError,  # of a header of NumPy's
    ParameterError,  # of scores that no method takes
    ScoreOverflow,
)
"""Errors that contents which do not fit each other raise; what is wrong with the program itself is not called damage.
"""
INDEX = "session.json"
FASTA = "sequences.fasta"
RECORDS = "records.jsonl"
"""A line for each record of the FASTA file: name, type, description, source, note."""
NO_EDITS: DataEdits = MappingProxyType({})
Saved = tuple[State, tuple[Entry, ...], dict[str, Any], DataEdits]


class Reader:
    """Reads the state of a session from its file, with large arrays that are in ``parts``."""

    def __init__(
        self, source: zipfile.ZipFile, parts: Parts | None, report: Callable[[str], None] | None = None
    ) -> None:
        self._source, self._parts, self._report = source, parts, report
        self._sequences: list[Sequence] = []
        self._sets: list[SequenceSet] = []

    def read(self) -> Saved:
        """All that was saved; errors of any kind where the file is damaged."""
        index = parse_json(self._source.read(INDEX))
        if not isinstance(index, dict):
            raise ValueError("its index is no mapping")
        if index.get("format") not in FORMATS:
            raise InputError(
                f"the session has format {index.get('format')}, this program reads {FORMATS[-1]}; update it"
            )
        lines, letters = _lines(self._source.read(RECORDS)), _letters(self._source.read(FASTA))
        self._sequences = [_sequence(line, text) for line, text in zip(lines, letters, strict=True)]
        self._sets = [self._set(columns) for columns in index.get("sets", ())]
        data = tuple(self.decode(datum) for datum in index.get("data", ()))
        rows = (tuple(index.get(name, ())) for name in ("picked", "subset"))
        state = State(self._opened(index["open"]), tuple(index["chosen"]), data, *rows)
        entries = tuple(filter(None, map(self._entry_or_report, index["results"])))
        kept_edits = index.get("data_edits", {})
        if not isinstance(kept_edits, dict):
            raise ValueError("its edits of data are no mapping")
        edits = {int(number): dict(self.decode(kept)) for number, kept in kept_edits.items()}
        return state, entries, index["settings"], edits

    def _entry_or_report(self, saved: Mapping[str, Any]) -> Entry | None:
        """Return a result; None where it cannot be read, which is reported."""
        try:
            return self.entry(saved)
        except (*DAMAGE, InputError, AttributeError) as error:
            if self._report is None:
                raise ValueError(describe(error)) from error
            self._report(f"{_title(saved)} could not be read and is missing: {describe(error)}.")
            return None

    def entry(self, saved: Mapping[str, Any]) -> Entry:
        """Return a result that fits its problem; errors of several kinds where it does not."""
        edits = self.decode(saved["edits"]) if "edits" in saved else {}
        words = {"name": saved.get("name", ""), "tags": tuple(saved.get("tags", ())), "note": saved.get("note", "")}
        result = self.decode(saved["result"])
        made = {"result": result, "options": saved["options"], "parameters": saved["parameters"], "edits": dict(edits)}
        made["views"] = dict(views) if isinstance(views := saved.get("views"), dict) else {}
        entry = make_checked(Entry, {**made, **words})
        if not isinstance(result.problem.title, str) or not isinstance(result.cells, int):
            raise TypeError("a result is of no problem")
        _check(result)
        return entry

    def decode(self, value: Any) -> Any:
        """Return a saved value as an object."""
        return serialization.decode(value, self._array, self._own)

    def _set(self, columns: Any) -> SequenceSet:
        found = self.decode(columns)
        if not isinstance(found, SequenceSet):
            raise ValueError("a set of sequences is something else")
        return found

    def _opened(self, value: Any) -> Sequences[Sequence]:
        """The sequences that were open: their numbers, or where these are."""
        if isinstance(value, dict):
            return self._own(value)
        return pack_sequences(self._sequences[number] for number in value)

    def _own(self, value: Any) -> Any:
        match value:
            case {"sequence": number}:
                return self._sequences[number]
            case {"set": number}:
                return self._sets[number]
            case {"sets": numbers, "rows": name}:
                return SharedSequences([self._sets[number] for number in numbers], self._array(name))
            case {"sequences": name}:
                return pack_sequences(self._sequences[number] for number in self._array(name).tolist())
            case {"texts": str(name)}:
                return tuple(line.decode(ENCODING, ERRORS) for line in _lines(self._array(name)))
            case {"texts": columns}:
                if not isinstance(texts := self.decode(columns), TextColumn):
                    raise ValueError("a column of texts is something else")
                return tuple(texts)
            case {"steps": name}:
                steps = StepLog(share=float(value.get("share", 1.0)))
                steps.add_array(self._array(name))
                return steps
            case {"time": text}:
                return datetime.fromisoformat(text)
        return None

    def _array(self, name: str) -> np.ndarray:
        if not isinstance(name, str):
            raise TypeError("an array has no name")
        if name.startswith(BESIDE) and self._parts is not None:
            return self._parts.read(name)
        with self._source.open(name) as member:
            return np.lib.format.read_array(member, allow_pickle=False)


def _sequence(line: bytes, letters: bytes) -> Sequence:
    name, kind, description, source, note = parse_json(line)
    labels = {"name": name, "description": description, "source": source, "note": note}
    return make_checked(Sequence, {**labels, "letters": letters, "type": SequenceType(kind)})


def _letters(text: bytes) -> Iterator[bytes]:
    """Letters of each record, in order."""
    there = np.frombuffer(text, np.uint8)
    before = np.concatenate([[ord("\n")], there[:-1]])
    begins = np.flatnonzero((there == ord(">")) & (before == ord("\n")))
    ends = np.append(begins[1:], there.size)[: begins.size]
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        yield text[begin:end].partition(b"\n")[2].replace(b"\n", b"")


def _lines(text: bytes | np.ndarray) -> list[bytes]:
    """The lines of a text, bytes or uint8; ValueError where the last one has no end."""
    if isinstance(text, np.ndarray):
        if text.dtype != np.uint8:
            raise ValueError("texts are no numbers")
        text = text.tobytes()
    if text and not text.endswith(b"\n"):
        raise ValueError("a line is cut")
    return text.split(b"\n")[:-1]


def _title(saved: Any) -> str:
    """What a saved result is called, as far as that can be read."""
    name = saved.get("name") if isinstance(saved, Mapping) else ""
    fields = (
        saved["result"].get("fields")
        if not name and isinstance(saved, Mapping) and isinstance(saved.get("result"), Mapping)
        else None
    )
    method = fields.get("method") if isinstance(fields, Mapping) else ""
    return f"Result {name or method}" if name or method else "A result"


def describe(error: Exception) -> str:
    """The first line of an error, or its kind where it has none."""
    return str(error).partition("\n")[0].rstrip(".") or type(error).__name__


def _check(result: Result) -> None:
    """ValueError where an answer is not one of its problem: what a view shows of it would be wrong, or nowhere."""
    try:
        result.check(result.problem)
    except (*DAMAGE, AttributeError) as error:
        raise ValueError(f"the answer of {result.method} does not fit its problem: {describe(error)}") from error
