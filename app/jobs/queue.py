"""Jobs: work on threads, one at a time in each lane, with progress and cancellation.

The GUI thread never waits for a job. A worker thread touches no Qt object: it writes plain attributes of
its Job and, at the end, emits one signal, which Qt hands to the GUI thread. Progress is read from there by
a timer, so a job that reports a thousand times a second costs ten repaints.
"""

from __future__ import annotations

import contextlib
import gc
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from antidiag.app import texts
from antidiag.app.kit.tasks.worker_threads import start_worker
from antidiag.kernels.errors import AntidiagError, Cancelled
from antidiag.kernels.experiments.measuring.sweep_control import SweepControl
from antidiag.kernels.monitor import Listener, Monitor

PROGRESS_MS = 100
GRACE_S = 0.3
"""Seconds that a cancelled job has to end before it is detached, if it is detachable."""
COLLECT_MS = 1000


class JobState(StrEnum):
    """The state of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    CANCELLING = "cancelling"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})


@dataclass(eq=False)
class Job:
    """A piece of work with its progress and outcome.

    ``work(monitor)`` runs on the job's thread; ``on_done(value)`` and ``on_error(job)`` on the GUI thread.
    Jobs of one ``lane`` run one after the other, in the order of their submission. ``cells`` is the work in
    matrix cells, or 0. ``error`` is for the user; ``detail`` is the traceback of an unexpected error;
    ``note`` says what still runs after cancelling. ``make_monitor(listener)`` makes the monitor: the usual one, or
    one that pauses. ``status()`` returns what runs now in words, such as counts of tasks, in place of the phase.

    A compiler cannot be interrupted. A ``detachable`` job has no effect before it is done, so if it does not react to
    cancelling, it counts as cancelled and frees its lane while its thread ends. A job that must run ``alone``, such as
    a measurement, waits until such threads have ended.

    ``since`` holds the time of the first progress report of the current phase and the fraction that was done then;
    ``phases`` counts the phases. The time before, such as compiling, says nothing about the speed.
    """

    title: str
    lane: str
    work: Callable[[Monitor], Any]
    on_done: Callable[[Any], None]
    on_error: Callable[[Job], None] | None = None
    cells: int = 0
    make_monitor: Callable[[Listener], Monitor] = Monitor
    detachable: bool = False
    alone: bool = False
    status: Callable[[], str] | None = None
    state: JobState = JobState.WAITING
    progress: tuple[int, int, str] = (0, 0, "")
    phases: int = 0
    since: tuple[float, float] = (0.0, 0.0)
    started: float = 0.0
    cancelled: float = 0.0
    ended: float = 0.0
    value: Any = None
    error: str = ""
    detail: str = ""
    note: str = ""
    monitor: Monitor = field(init=False)

    def __post_init__(self) -> None:
        self.monitor = self.make_monitor(self._on_progress)

    def _on_progress(self, done: int, total: int, phase: str) -> None:
        if total and (not self.phases or (total, phase) != self.progress[1:] or done < self.progress[0]):
            self.since = time.monotonic(), min(done / total, 1.0)
            self.phases += 1
        self.progress = (done, total, phase)

    @property
    def fraction(self) -> float | None:
        """The finished part, from 0 to 1; None while it is unknown."""
        done, total, _ = self.progress
        return min(done / total, 1.0) if total else None

    @property
    def is_compiling(self) -> bool:
        """Whether the job computes cells but has not started to: a method compiles its kernels at its first run."""
        return bool(self.cells) and self.fraction is None

    @property
    def can_pause(self) -> bool:
        """Whether the job can be paused."""
        return isinstance(self.monitor, SweepControl)

    @property
    def is_paused(self) -> bool:
        """Whether the job stops after its current step; a waiting job starts paused."""
        return isinstance(self.monitor, SweepControl) and self.monitor.is_paused

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start, or until the end; 0 while the job waits."""
        if not self.started:
            return 0.0
        return self._end_time() - self.started

    @property
    def remaining_s(self) -> float | None:
        """Seconds until the current phase ends at its present rate; None while that is a guess."""
        fraction, (begun, before) = self.fraction, self.since
        if fraction is None or before >= 1:
            return None
        return texts.remaining_s((fraction - before) / (1 - before), self._end_time() - begun)

    @property
    def gcups(self) -> float | None:
        """Billions of cells per second so far; None without cells, and after the first phase."""
        fraction, (begun, before) = self.fraction, self.since
        if not self.cells or not fraction or self.phases != 1 or self._end_time() <= begun:
            return None
        return self.cells * (fraction - before) / (self._end_time() - begun) / 1e9

    def _end_time(self) -> float:
        return self.ended or time.monotonic()


class JobQueue(QObject):
    """Starts jobs and keeps those that wait, run, or failed and were not dismissed."""

    added = Signal(object)
    changed = Signal(object)
    removed = Signal(object)
    ended = Signal(object)
    left = Signal(object)
    """Sent with a detached job when its thread has ended."""
    _thread_ended = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[Job] = []
        self._threads: dict[Job, threading.Thread] = {}
        self._detached: set[Job] = set()
        self._thread_ended.connect(self._finish_soon, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self)
        self._timer.setInterval(PROGRESS_MS)
        self._timer.timeout.connect(self._report_progress)

    @property
    def active(self) -> list[Job]:
        """The jobs that wait or run."""
        return [job for job in self.jobs if job.state not in ENDED]

    def submit(self, job: Job) -> Job:
        """Add a job; it starts when its lane is free."""
        self.jobs.append(job)
        self.added.emit(job)
        self._start_next(job.lane)
        return job

    def cancel(self, job: Job) -> None:
        """Cancel a job: a waiting one is removed, a running one is asked to stop."""
        if job.state is JobState.WAITING:
            job.state = JobState.CANCELLED
            self._end_job(job)
        elif job.state is JobState.RUNNING:
            job.state, job.cancelled = JobState.CANCELLING, time.monotonic()
            job.monitor.cancel()
            self.changed.emit(job)

    def pause(self, job: Job) -> None:
        """Pause a job after its current step, or continue it; do nothing if it cannot pause."""
        if isinstance(job.monitor, SweepControl):
            job.monitor.resume() if job.monitor.is_paused else job.monitor.pause()
            self.changed.emit(job)

    def cancel_all(self) -> None:
        """Cancel all jobs that wait or run."""
        for job in list(reversed(self.active)):
            self.cancel(job)

    def dismiss(self, job: Job) -> None:
        """Remove a failed job from the queue."""
        if job in self.jobs and job.state in ENDED:
            self.jobs.remove(job)
            self.removed.emit(job)

    def shut_down(self, timeout_s: float = 2.0) -> None:
        """Cancel all jobs and wait at most ``timeout_s`` for their threads."""
        self.cancel_all()
        self._timer.stop()
        until = time.monotonic() + timeout_s
        for thread in list(self._threads.values()):
            thread.join(max(until - time.monotonic(), 0))

    def _start_next(self, lane: str) -> None:
        waiting = [job for job in self.active if job.lane == lane]
        if not waiting or waiting[0].state is not JobState.WAITING:
            return
        job = waiting[0]
        if job.alone and self._detached:
            return
        job.state, job.started = JobState.RUNNING, time.monotonic()
        self._threads[job] = start_worker(self._run, f"job {job.title}", job)
        self._timer.start()
        self.changed.emit(job)

    def _run(self, job: Job) -> None:
        try:
            job.value = job.work(job.monitor)
        except Cancelled as cancelled:
            job.error, job.note = "cancelled", str(cancelled)
        except AntidiagError as error:
            job.error = texts.write_for_window(str(error))
        except MemoryError:
            job.error = "there is not enough memory; close other programs or choose a smaller problem"
            job.detail = traceback.format_exc()
        except Exception as error:  # of the program itself: the job fails, and the queue goes on
            job.error = f"unexpected error: {type(error).__name__}: {error}. Please report it with the log"
            job.detail = traceback.format_exc()
        with contextlib.suppress(RuntimeError):  # the window, and this object with it, may be gone
            self._thread_ended.emit(job)

    def _finish_soon(self, job: Job) -> None:
        """Finish a job in a separate turn of the event loop, so that the window is repainted in between."""
        QTimer.singleShot(0, self, lambda: self._finish_job(job))

    def _finish_job(self, job: Job) -> None:
        self._threads.pop(job, None)
        if not self._threads:
            self._timer.stop()
        if job in self._detached:
            self._release_detached(job)
            return
        if job.error == "cancelled" or (job.monitor.is_cancelled and job.error):
            job.state, job.error = JobState.CANCELLED, ""
        else:
            job.state = JobState.FAILED if job.error else JobState.DONE
        self._end_job(job)

    def _detach_job(self, job: Job) -> None:
        """Count a job as cancelled although its thread has not ended."""
        rest = "the compiler" if job.is_compiling else "the current step"
        job.state, job.note = JobState.CANCELLED, f"{rest} finishes in the background"
        self._detached.add(job)
        self._end_job(job)

    def _release_detached(self, job: Job) -> None:
        """Drop a detached job whose thread has ended, and start the jobs that waited for it."""
        self._detached.remove(job)
        job.value = None
        self.left.emit(job)
        for lane in dict.fromkeys(other.lane for other in self.active):
            self._start_next(lane)

    def _end_job(self, job: Job) -> None:
        job.ended = time.monotonic()
        if job.state is not JobState.FAILED:
            self.jobs.remove(job)
            self.removed.emit(job)
        self.changed.emit(job)
        self.ended.emit(job)
        if job.state is JobState.DONE:
            job.on_done(job.value)
        elif job.state is JobState.FAILED and job.on_error:
            job.on_error(job)
        job.value = None
        self._start_next(job.lane)

    def _report_progress(self) -> None:
        for job in self.active:
            late = job.state is JobState.CANCELLING and time.monotonic() - job.cancelled > GRACE_S
            if late and job.detachable:
                self._detach_job(job)
            elif job.state is not JobState.WAITING:
                self.changed.emit(job)


class GarbageCollector(QObject):
    """Collects cyclic garbage on the GUI thread only, because a worker could destroy Qt objects.

    What the program consists of, and what its first jobs have loaded, stays until the end and is set aside: looking
    through it would stop the window for a tenth of a second each time.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._jobs_set_aside = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._collect)
        self._timer.start(COLLECT_MS)

    def set_aside(self) -> None:
        """Leave all present objects out of later collections."""
        gc.freeze()

    def stop(self) -> None:
        """Leave the collection to Python again."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def _collect(self) -> None:
        if collect_due_garbage() == 2 and not self._jobs_set_aside:
            self._jobs_set_aside = True
            gc.freeze()


def collect_due_garbage() -> int | None:
    """Collect the oldest generation that is due by Python's thresholds; return it, None where none was."""
    over = zip(gc.get_count(), gc.get_threshold(), strict=True)
    generation = max((number for number, (count, most) in enumerate(over) if count > most), default=None)
    if generation is not None:
        gc.collect(generation)
    return generation
