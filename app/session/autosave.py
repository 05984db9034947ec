"""Keeps the session: each change in the journal at once, the whole on a thread a moment later, and at the end."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from antidiag.app.jobs.queue import Job, JobQueue, JobState
from antidiag.app.session import archive, journal
from antidiag.app.session.entry import Entry
from antidiag.app.session.journal import Journal
from antidiag.app.session.parts import Parts
from antidiag.app.session.session import Session
from antidiag.app.settings import data_folder
from antidiag.kernels.errors import AntidiagError, Cancelled
from antidiag.kernels.model import sequence_lengths
from antidiag.kernels.monitor import Monitor

DELAY_SECONDS = 3
"""Seconds from a change to its saving, if the user chose no others."""
TELL_S = 0.04
FEW = 10_000
"""Most sequences for which a change of a setting saves the whole session."""
MOST_LETTERS = 4_000_000
"""Letters of all open sequences that are journaled at most; more are saved with the whole session."""
MOST_NEW = 4
"""Results that are journaled at once at most, such as those of a run; those of an opened session are saved with it."""
PREVIOUS = "last-session"
"""The name of the file of a session that was set aside."""


def autosave_path() -> Path:
    """Return the file of the last session."""
    return data_folder() / "session.antidiag"


def autosave_parts() -> Parts:
    """Return the large arrays of the last session, which are files of their own."""
    return Parts(archive.folder_of(autosave_path()))


def autosave_journal() -> Journal:
    """Return the journal of the last session."""
    return journal.journal_of(autosave_path())


def previous_path() -> Path:
    """Return the file to which `set_aside` moves the last session."""
    return data_folder() / f"{PREVIOUS}.antidiag"


def set_aside() -> Path | None:
    """Move the last session so that it is not overwritten; return its new path, or None if there is none."""
    paths = autosave_path(), previous_path()
    if not autosave_path().exists():
        shutil.rmtree(_journal_folder(autosave_path()), ignore_errors=True)
    folders = [tuple(folder(path) for path in paths) for folder in (archive.folder_of, _journal_folder)]
    try:
        autosave_path().replace(previous_path())
        for present, kept in folders:
            shutil.rmtree(kept, ignore_errors=True)
            if present.exists():
                present.replace(kept)
    except OSError:
        return None
    return previous_path()


def _journal_folder(path: Path) -> Path:
    return journal.journal_of(path).folder


class Autosave(QObject):
    """Saves the session automatically, so that neither a crash nor an exit loses anything.

    One thread saves at a time; large arrays (``parts``) are written once. ``_saved`` is the finished share, 0 to 1.
    While the last session is being read (``reading``), it is not overwritten.
    """

    kept = Signal(str)
    failed = Signal(str)
    """Why the session could not be saved; said once, until it can be again."""

    def __init__(self, session: Session, settings: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__()
        self._session, self._settings = session, settings
        self.parts, self.journal = autosave_parts(), autosave_journal()
        self._known: set[int] = set()
        """The ids of the results that are saved or journaled."""
        self._thread: threading.Thread | None = None
        self._monitor, self._saved = Monitor(), 0.0
        self.reading = self._closed = False
        self.incomplete = False
        """Whether a part of what was open last could not be read."""
        self._failing = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self.set_delay(DELAY_SECONDS)
        self._timer.timeout.connect(self._save_soon)
        for signal in (
            session.sequences_changed,
            session.data_changed,
            session.chosen_changed,
            session.results_changed,
            session.edits_changed,
        ):
            signal.connect(self._timer.start)
        session.chosen_changed.connect(self._record_state)
        session.view_edited.connect(self._record_edits)
        session.results_changed.connect(self._record_results)
        session.shown_changed.connect(self._record_settings)

    def _record_state(self) -> None:
        """Journal the open data, unless they are very many."""
        state, edits = self._session.state, self._session.data_edits()
        few = len(state.sequences) <= FEW and int(sequence_lengths(state.sequences).sum()) <= MOST_LETTERS
        if few and not self._is_idle:
            self.journal.record("state", lambda: journal.record_state(state, edits))

    def _record_edits(self, shown: Any, view_id: str) -> None:
        """Journal the edits of a picture."""
        if not isinstance(shown, Entry):
            self._record_state()
            return
        entries = journal.key_entries(self._session.entries)
        key = next((key for key, entry in entries.items() if entry.result is shown.result), None)
        if key is not None and not self._is_idle:
            edits = shown.edits.get(view_id)
            name = journal.record_name("edits", key, view_id)
            self.journal.record(name, lambda: journal.record_edits(key, view_id, edits))

    def _record_results(self) -> None:
        """Journal new results, and what the user wrote about all."""
        if self._is_idle:
            self._known = {id(entry.result) for entry in self._session.entries}
            return
        entries = journal.key_entries(self._session.entries)
        new = {key: entry for key, entry in entries.items() if id(entry.result) not in self._known}
        for key, entry in new.items() if len(new) <= MOST_NEW else ():
            self._known.add(id(entry.result))
            self.journal.record(journal.record_name("entry", key), partial(journal.record_entry, key, entry))
        self.journal.record("labels", lambda: journal.record_labels(entries))

    def _record_settings(self) -> None:
        """Journal settings and states of views."""
        if not self._is_idle:
            settings, entries = dict(self._settings()), journal.key_entries(self._session.entries)
            self.journal.record("settings", lambda: journal.record_settings(settings, entries))

    def set_delay(self, seconds: int) -> None:
        """Save this many seconds after each change."""
        self._timer.setInterval(1000 * seconds)

    def wait_for(self, job: Job, queue: JobQueue) -> None:
        """Do not overwrite the last session until this job has read it. If the job fails or is cancelled, the session
        is set aside, and ``kept`` is sent with its path."""

        def settle(ended: Job) -> None:
            if ended is not job or not self.reading:
                return
            self.reading = False
            queue.ended.disconnect(settle)
            if (job.state is not JobState.DONE or self.incomplete) and (path := set_aside()):
                self.kept.emit(str(path))

        self.reading = True
        queue.ended.connect(settle)

    def settings_changed(self) -> None:
        """Save changed settings, if the session is small; otherwise with the next change of data."""
        if len(self._session.state.sequences) <= FEW:
            self._timer.start()

    def finish(self, tell: Callable[[float], None] = lambda share: None) -> None:
        """Save unsaved changes now; ``tell(share)`` is called many times per second with the saved share."""
        self.journal.wait()
        unsaved = self._timer.isActive()
        self._timer.stop()
        if unsaved:  # the running save is out of date
            self._monitor.cancel()
        self._wait(tell)
        if self.reading:  # the closing window cancels the job, which must not set the session aside
            self.reading = False
            return
        if unsaved or not autosave_path().exists():
            self._start()
            self._wait(tell)
        else:
            self._record_settings()
            self.journal.wait()

    def close(self) -> None:
        """Save nothing any more, because the window is closed."""
        self._closed = True
        self._timer.stop()

    @property
    def _is_idle(self) -> bool:
        """Whether nothing is journaled: the last session is being read, or the window is closed."""
        return self.reading or self._closed

    def _save_soon(self) -> None:
        if self._closed:
            return
        if self.reading or (self._thread and self._thread.is_alive()):
            self._timer.start()
        else:
            self._start()

    def _start(self) -> None:
        self._monitor, self._saved = Monitor(self._on_progress), 0.0
        self._thread = threading.Thread(target=self._save, args=(self._monitor, self._take_snapshot()), name="autosave")
        self._thread.start()

    def _wait(self, tell: Callable[[float], None]) -> None:
        while self._thread and self._thread.is_alive():
            self._thread.join(TELL_S)
            tell(self._saved)

    def _on_progress(self, done: int, total: int, phase: str) -> None:
        self._saved = done / total if total else 0.0

    def _take_snapshot(self) -> archive.Saved:
        session = self._session
        settings = {**self._settings(), journal.NUMBER: self.journal.number}
        self._known = {id(entry.result) for entry in session.entries}
        return session.state, session.entries, settings, session.data_edits()

    def _save(self, monitor: Monitor, snapshot: archive.Saved) -> None:
        try:
            archive.save(autosave_path(), *snapshot, monitor, self.parts)
        except Cancelled:  # what is cancelled is saved anew
            return
        except AntidiagError as error:
            if not self._failing:
                self.failed.emit(f"What is open cannot be kept for the next start: {error}")
            self._failing = True
        else:
            self._failing = False
            self.journal.drop_until(snapshot[2][journal.NUMBER])
