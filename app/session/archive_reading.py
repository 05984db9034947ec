"""Sessions are read: what `app.session.archive` writes, and what earlier versions wrote."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

import numpy as np

from antidiag.app.session.entry import DataEdits, Entry
from antidiag.app.session.long_lists import each_line, numbers_of, texts_of
from antidiag.app.session.parts import BESIDE, Parts
from antidiag.app.session.state import State
from antidiag.kernels import serialization
from antidiag.kernels.errors import InputError
from antidiag.kernels.gui_priority import iterate_yielding
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.steps import StepLog
from antidiag.kernels.text import parse_json
from antidiag.kernels.typed_fields import make_checked

FORMATS = 1, 2, 3
"""What is read: types had the names of their modules in format 1 (kernels/serialization.py), and lists are arrays from
format 3 on where they are long (app/session/long_lists.py)."""
INDEX = "session.json"
FASTA = "sequences.fasta"
RECORDS = "records.jsonl"
"""A line for each record of the FASTA file: name, type, description, source, note. Lines, because one JSON
text of a million records would hold the interpreter, and with it the window, for a second.
"""
NO_EDITS: DataEdits = MappingProxyType({})
Saved = tuple[State, tuple[Entry, ...], dict[str, Any], DataEdits]


class Reader:
    """Reads the state of a session from its file, with large arrays that are in ``parts``."""

    def __init__(self, source: zipfile.ZipFile, parts: Parts | None) -> None:
        self._source, self._parts = source, parts
        self._sequences: list[Sequence] = []

    def read(self) -> Saved:
        """All that was saved; errors of any kind where the file is damaged."""
        index = parse_json(self._source.read(INDEX))
        if index.get("format") not in FORMATS:
            raise InputError(
                f"the session has format {index.get('format')}, this program reads {FORMATS[-1]}; update it"
            )
        lines, letters = each_line(self._source.read(RECORDS)), _letters(self._source.read(FASTA))
        self._sequences = [_sequence(line, text) for line, text in zip(lines, letters, strict=True)]
        data = tuple(self.decode(datum) for datum in index.get("data", ()))
        rows = (tuple(index.get(name, ())) for name in ("picked", "subset"))
        state = State(self._opened(index["open"]), tuple(index["chosen"]), data, *rows)
        entries = tuple(map(self.entry, index["results"]))
        edits = {int(number): dict(self.decode(kept)) for number, kept in index.get("data_edits", {}).items()}
        return state, entries, index["settings"], edits

    def entry(self, saved: Mapping[str, Any]) -> Entry:
        """Return a result of the list from its saved form."""
        edits = self.decode(saved["edits"]) if "edits" in saved else {}
        words = {"name": saved.get("name", ""), "tags": tuple(saved.get("tags", ())), "note": saved.get("note", "")}
        return Entry(self.decode(saved["result"]), saved["options"], saved["parameters"], dict(edits), **words)

    def decode(self, value: Any) -> Any:
        """Return a saved value as an object."""
        return serialization.decode(value, self._array, self._own)

    def _opened(self, value: Any) -> tuple[Sequence, ...]:
        """The sequences that were open: their numbers, or where these are."""
        return self._own(value) if isinstance(value, dict) else tuple(self._sequences[number] for number in value)

    def _own(self, value: Any) -> Any:
        match value:
            case {"sequence": number}:
                return self._sequences[number]
            case {"sequences": name}:
                return tuple(self._sequences[number] for number in iterate_yielding(numbers_of(self._array(name))))
            case {"texts": name}:
                return texts_of(self._array(name))
            case {"steps": name}:
                steps = StepLog(share=float(value.get("share", 1.0)))
                steps.add_array(self._array(name))
                return steps
            case {"time": text}:
                return datetime.fromisoformat(text)
        return None

    def _array(self, name: str) -> np.ndarray:
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
    for begin, end in zip(numbers_of(begins), numbers_of(ends), strict=True):
        yield text[begin:end].partition(b"\n")[2].replace(b"\n", b"")
