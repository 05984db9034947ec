"""Keeps what is open: saved a moment after each change on a thread, and once more at the end."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from antidiag.app.jobs.queue import Job, JobQueue, JobState
from antidiag.app.session import archive
from antidiag.app.session.parts import Parts
from antidiag.app.session.session import Session
from antidiag.app.settings import data_folder
from antidiag.kernels.errors import AntidiagError, Cancelled
from antidiag.kernels.monitor import Monitor

DELAY_MS = 3000
TELL_S = 0.04
FEW = 10_000
"""Sequences up to which everything is saved when a setting changes."""
PREVIOUS = "last-session"
"""The name of a session that was set aside."""


def autosave_path() -> Path:
    """Where the session that was open last is kept."""
    return data_folder() / "session.antidiag"


def autosave_parts() -> Parts:
    """What holds the large arrays of that session."""
    return Parts(archive.folder_of(autosave_path()))


def previous_path() -> Path:
    """Where `set_aside` keeps the session before."""
    return data_folder() / f"{PREVIOUS}.antidiag"


def set_aside() -> Path | None:
    """Keep the session that was open last from being saved over; where it is now, or None where there is none."""
    arrays, kept = (archive.folder_of(path) for path in (autosave_path(), previous_path()))
    try:
        autosave_path().replace(previous_path())
        shutil.rmtree(kept, ignore_errors=True)
        if arrays.exists():
            arrays.replace(kept)
    except OSError:
        return None
    return previous_path()


class Autosave(QObject):
    """Saves the session behind the user's back, so that neither a crash nor an exit loses anything.

    One thread saves at a time; large arrays, which ``parts`` has, are written once. ``_saved`` is what it has written,
    from 0 to 1. While what was open last is being read (``reading``), nothing takes its place on the disk.
    """

    kept = Signal(str)
    failed = Signal(str)
    """Why the session could not be saved; said once, until it can be again."""

    def __init__(self, session: Session, settings: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__()
        self._session, self._settings = session, settings
        self.parts = autosave_parts()
        self._thread: threading.Thread | None = None
        self._monitor, self._saved = Monitor(), 0.0
        self.reading = False
        self.incomplete = False
        """Whether a part of what was open last could not be read."""
        self._failing = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self._save_soon)
        for signal in (
            session.sequences_changed,
            session.data_changed,
            session.chosen_changed,
            session.results_changed,
            session.edits_changed,
        ):
            signal.connect(self._timer.start)

    def wait_for(self, job: Job, queue: JobQueue) -> None:
        """Save nothing over what was open last until this job has read it. What it could not read, or was not let, is
        set aside, and told by ``kept``."""

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
        """Save settings with what they belong to, where that is little; else they wait for the next change of data."""
        if len(self._session.state.sequences) <= FEW:
            self._timer.start()

    def finish(self, tell: Callable[[float], None] = lambda share: None) -> None:
        """Save what is not saved yet, now; ``tell`` hears many times a second how much of it is saved."""
        unsaved = self._timer.isActive()
        self._timer.stop()
        if unsaved:  # what is being saved is out of date
            self._monitor.cancel()
        self._wait(tell)
        if self.reading:  # nor is it set aside when the window that closes cancels the job
            self.reading = False
            return
        if unsaved or not autosave_path().exists():
            self._start()
            self._wait(tell)

    def _save_soon(self) -> None:
        if self.reading or (self._thread and self._thread.is_alive()):
            self._timer.start()
        else:
            self._start()

    def _start(self) -> None:
        self._monitor, self._saved = Monitor(self._hear), 0.0
        self._thread = threading.Thread(target=self._save, args=(self._monitor, self._snapshot()), name="autosave")
        self._thread.start()

    def _wait(self, tell: Callable[[float], None]) -> None:
        while self._thread and self._thread.is_alive():
            self._thread.join(TELL_S)
            tell(self._saved)

    def _hear(self, done: int, total: int, phase: str) -> None:
        self._saved = done / total if total else 0.0

    def _snapshot(self) -> archive.Saved:
        session = self._session
        return session.state, session.entries, dict(self._settings()), session.data_edits()

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
