"""Finds interrupted runs that can be continued."""

from __future__ import annotations

import contextlib

from PySide6.QtCore import QObject, Qt, Signal

from antidiag.app.jobs.queue import Job
from antidiag.app.kit.tasks.worker_threads import start_worker
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.recovery.interrupted_runs import InterruptedRun


class InterruptedRuns(QObject):
    """Looks for interrupted runs on a thread, because a disk may be slow, and sends ``found(runs)``, the newest first.

    ``taken`` holds the runs that jobs of this window continue.
    """

    found = Signal(object)
    _looked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.taken: dict[Job, InterruptedRun] = {}
        self._looked.connect(self._send_runs, Qt.ConnectionType.QueuedConnection)

    def look(self, discard: InterruptedRun | None = None) -> None:
        """Look again, after ``discard`` was removed."""
        start_worker(self._find_runs, "interrupted", discard)

    def ended(self, job: Job) -> None:
        """Look again after a job ended, because it may have left an interrupted run."""
        self.taken.pop(job, None)
        self.look()

    def _send_runs(self, runs: tuple[InterruptedRun, ...]) -> None:
        taken = {run.id for run in self.taken.values()}
        self.found.emit(tuple(run for run in runs if run.id not in taken))

    def _find_runs(self, discard: InterruptedRun | None) -> None:
        if discard:
            interrupted_runs.discard_run(discard)
        runs = tuple(run for run in interrupted_runs.list_runs() if not run.running and run.fraction)
        with contextlib.suppress(RuntimeError):  # the window may be gone
            self._looked.emit(runs)
