"""The journal: each change of the session is written at once to a small file, until the whole session is saved.

A record is a session file that holds only what changed, so that the archive reads and writes it. Its settings say what
it is about. Records are numbered; a saved session names the last one that it includes.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from antidiag.app.session.archive import load, save
from antidiag.app.session.archive_reading import Saved
from antidiag.app.session.entry import DataEdits, Entry
from antidiag.app.session.state import State
from antidiag.kernels.errors import AntidiagError, InputError

NUMBER = "journal"
"""The setting of a saved session that names the last record it includes."""
RECORD = "record"
"""The setting of a record that says what it is about."""
CARRIER = State(data=("",))
"""A state whose only datum carries the edits of a result."""
WAIT_S = 0.03
"""Longest time that the window waits for a record; a longer one goes on being written on its thread."""
_FILE = re.compile(r"([0-9]{12})-([a-z]+(?:-[0-9a-f]{16})?)\.record")


class Record(NamedTuple):
    """What a record file will hold: arguments of `archive.save`."""

    state: State
    entries: tuple[Entry, ...]
    about: dict[str, Any]
    edits: DataEdits


class Journal:
    """Writes records into a folder, one thread at a time; of records with the same name only the last one is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        self._lock = threading.Lock()
        self._wanted: dict[str, tuple[int, Callable[[], Record]]] = {}
        self._thread: threading.Thread | None = None

    def record(self, name: str, make_record: Callable[[], Record]) -> None:
        """Write a record; the function is called on a thread, and its record replaces the one of the same name."""
        with self._lock:
            self.number += 1
            self._wanted[name] = self.number, make_record
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._write_wanted, name="journal")
                self._thread.start()
            thread = self._thread
        thread.join(WAIT_S)

    def wait(self) -> None:
        """Wait until everything is written."""
        if self._thread is not None:
            self._thread.join()

    def drop_until(self, number: int) -> None:
        """Remove the records that a saved session includes."""
        for found, _, path in self._files():
            if found <= number:
                path.unlink(missing_ok=True)

    def has_records(self) -> bool:
        """Whether there are records."""
        return bool(self._files())

    def replay(self, saved: Saved, report: Callable[[str], None] = lambda text: None) -> Saved:
        """Return a saved session with the later changes; ``report`` receives a sentence for one that cannot be read."""
        last = saved[2].get(NUMBER, 0)
        self.number = max([last if isinstance(last, int) else 0, *(number for number, _, _ in self._files())])
        for number, _, path in self._files():
            if number > (last if isinstance(last, int) else 0):
                try:
                    saved = apply_record(saved, load(path))
                except InputError as error:
                    report(f"A change of the last session could not be read and is missing: {error}.")
        return saved

    def _files(self) -> list[tuple[int, str, Path]]:
        """Return numbers, names and paths of the records, in the order of their numbers."""
        paths = self.folder.iterdir() if self.folder.is_dir() else ()
        found = ((_FILE.fullmatch(path.name), path) for path in paths)
        return sorted((int(match[1]), match[2], path) for match, path in found if match)

    def _write_wanted(self) -> None:
        while True:
            with self._lock:
                if not self._wanted:
                    self._thread = None
                    return
                name = next(iter(self._wanted))
                number, make_record = self._wanted.pop(name)
            record = make_record()
            settings = {RECORD: record.about}
            try:
                path = self.folder / f"{number:012d}-{name}.record"
                save(path, record.state, record.entries, settings, record.edits)
            except AntidiagError:  # the disk is full: the whole session is saved soon, which says so
                continue
            for older, other, path in self._files():
                if other == name and older < number:
                    path.unlink(missing_ok=True)


def journal_of(path: Path) -> Journal:
    """Return the journal of a session file."""
    return Journal(path.with_suffix(".journal"))


def key_entries(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return the entries by names that stay when the session is saved and read again: start, method, and a number."""
    found: dict[str, Entry] = {}
    for entry in reversed(tuple(entries)):
        plain = f"{entry.result.started.isoformat()} {entry.result.method}"
        key = next(name for name in _numbered(plain) if name not in found)
        found[key] = entry
    return found


def record_state(state: State, edits: DataEdits) -> Record:
    """Return a record of all open data and the edits of their pictures."""
    return Record(state, (), {"kind": "state"}, edits)


def record_edits(key: str, view_id: str, edits: Any) -> Record:
    """Return a record of the edits of a picture of a result; None removes them."""
    about = {"kind": "edits", "entry": key, "view": view_id}
    return Record(CARRIER, (), about, {} if edits is None else {0: {view_id: edits}})


def record_entry(key: str, entry: Entry) -> Record:
    """Return a record of a new result."""
    return Record(State(), (entry,), {"kind": "entry", "entry": key}, {})


def record_labels(entries: Mapping[str, Entry]) -> Record:
    """Return a record of the results that there are, with what the user wrote about them."""
    labels = [[key, entry.name, list(entry.tags), entry.note] for key, entry in entries.items()]
    return Record(State(), (), {"kind": "labels", "labels": labels}, {})


def record_settings(settings: Mapping[str, Any], entries: Mapping[str, Entry]) -> Record:
    """Return a record of the settings and the states of views."""
    views = {key: dict(entry.views) for key, entry in entries.items() if entry.views}
    return Record(State(), (), {"kind": "settings", "settings": dict(settings), "views": views}, {})


def record_name(kind: str, *parts: str) -> str:
    """Return the name of a record of this kind about an entry or a view."""
    words = "\n".join(parts).encode("utf-8", "surrogateescape")
    return f"{kind}-{hashlib.blake2b(words, digest_size=8).hexdigest()}" if parts else kind


def apply_record(saved: Saved, record: Saved) -> Saved:
    """Return a session with the change of a record; InputError for a record of an unknown form."""
    state, entries, settings, edits = saved
    about = record[2].get(RECORD)
    known = key_entries(entries)
    match about:
        case {"kind": "state"}:
            return record[0], entries, settings, record[3]
        case {"kind": "edits", "entry": str(key), "view": str(view_id)}:
            changed = dict(record[3].get(0, {}))
            return state, _change_entry(entries, known.get(key), view_id, changed.get(view_id)), settings, edits
        case {"kind": "entry", "entry": str(key)}:
            return state, entries if key in known else (*record[1], *entries), settings, edits
        case {"kind": "labels", "labels": list(labels)}:
            kept = [
                replace(known[key], name=str(name), tags=tuple(map(str, tags)), note=str(note))
                for key, name, tags, note in labels
                if key in known
            ]
            return state, tuple(reversed(kept)), settings, edits
        case {"kind": "settings", "settings": dict(changed), "views": dict(views)}:
            for key, entry in known.items():
                if isinstance(views.get(key), dict):
                    entry.views.update(views[key])
            return state, entries, changed, edits
    raise InputError("it is of another version of the program")


def _change_entry(entries: tuple[Entry, ...], entry: Entry | None, view_id: str, edits: Any) -> tuple[Entry, ...]:
    if entry is None:
        return entries
    others = {name: kept for name, kept in entry.edits.items() if name != view_id}
    changed = replace(entry, edits=others if edits is None else {**others, view_id: edits})
    return tuple(changed if one is entry else one for one in entries)


def _numbered(plain: str) -> Iterable[str]:
    yield plain
    number = 1
    while True:
        number += 1
        yield f"{plain} #{number}"
