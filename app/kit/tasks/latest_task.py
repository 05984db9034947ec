"""Background work of a view on its own thread, where only the latest request counts."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

from PySide6.QtCore import QMetaMethod, QObject, QTimer, Signal, SignalInstance, Slot
from shiboken6 import isValid

from antidiag.app.kit.tasks.worker_threads import report_error, start_worker
from antidiag.kernels.errors import AntidiagError, Cancelled, MemoryRefused
from antidiag.kernels.monitor import Monitor

Work = Callable[[Monitor], Any]
Receiver = Callable[..., object] | SignalInstance
LACKING_MEMORY = "there is not enough memory; close other programs, or choose fewer data"


class _ThreadMessenger(QObject):
    """Delivers messages of worker threads to the GUI thread; never deleted, unlike the views that wait for them."""

    sent = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.sent.connect(self._deliver_message)

    @Slot(object)
    def _deliver_message(self, message: tuple[weakref.ref[LatestTask], Monitor, str, Any]) -> None:
        reference, *details = message
        owner = reference()
        if owner is not None and isValid(owner):
            owner.deliver_message(*details)


@cache
def _messenger() -> _ThreadMessenger:
    return _ThreadMessenger()


class LatestTask(QObject):
    """Runs one piece of work at a time on a thread; a new request cancels the one before. Signals reach the owner's
    thread, and only for the latest request: ``finished(value)``, ``failed(error)`` and ``progressed((done, total,
    phase))``; a receiver of each may be given at once. A result arrives in its own turn of the event loop. Unexpected
    errors are reported with their traceback besides."""

    finished = Signal(object)
    failed = Signal(object)
    progressed = Signal(object)

    def __init__(
        self,
        parent: QObject,
        finished: Receiver | None = None,
        failed: Receiver | None = None,
        progressed: Receiver | None = None,
    ) -> None:
        super().__init__(parent)
        for signal, receiver in ((self.finished, finished), (self.failed, failed), (self.progressed, progressed)):
            if receiver is not None:
                signal.connect(receiver)
        self._lock = threading.Lock()
        self._pending: tuple[Monitor, Work] | None = None
        self._monitor: Monitor | None = None
        self._thread: threading.Thread | None = None
        self._post, self._own_reference = _messenger(), weakref.ref(self)

    @property
    def busy(self) -> bool:
        """Whether a request is unanswered."""
        return self._monitor is not None

    def request(self, work: Work) -> None:
        """Run ``work(monitor)`` as soon as the previous work has stopped."""
        self.cancel()
        monitor = Monitor(lambda done, total, phase: self._send_message(monitor, "progressed", (done, total, phase)))
        with self._lock:
            self._monitor, self._pending = monitor, (monitor, work)
            if self._thread is None:
                self._thread = start_worker(self._run_requests, "antidiag view")

    def cancel(self) -> None:
        """Cancel the current request; it sends no more signals."""
        with self._lock:
            if self._monitor is not None:
                self._monitor.cancel()
            self._monitor = self._pending = None

    def _run_requests(self) -> None:
        while True:
            with self._lock:
                if self._pending is None:
                    self._thread = None
                    return
                (monitor, work), self._pending = self._pending, None
            try:
                self._send_message(monitor, "finished", work(monitor))
            except Cancelled:
                continue
            except AntidiagError as error:
                self._send_message(monitor, "failed", error)
            except MemoryError as error:
                refused = MemoryRefused(LACKING_MEMORY)
                refused.__cause__ = error
                self._send_message(monitor, "failed", refused)
            except Exception as error:  # of the program itself: the thread goes on, for the next request
                report_error(error)
                self._send_message(monitor, "failed", error)

    def _send_message(self, monitor: Monitor, kind: str, value: Any) -> None:
        if isValid(self):
            self._post.sent.emit((self._own_reference, monitor, kind, value))
        else:  # the view is gone
            monitor.cancel()

    def deliver_message(self, monitor: Monitor, kind: str, value: Any) -> None:
        """Pass on what the thread sent about a request; called on the GUI thread."""
        if kind == "progressed":
            if monitor is self._monitor:
                self.progressed.emit(value)
        else:
            QTimer.singleShot(0, self, lambda: self._finish_request(monitor, kind, value))

    def _finish_request(self, monitor: Monitor, kind: str, value: Any) -> None:
        if monitor is self._monitor:
            self._monitor = None
            if isinstance(value, MemoryRefused) and not self.isSignalConnected(QMetaMethod.fromSignal(self.failed)):
                report_error(value)  # the view shows no errors
            getattr(self, kind).emit(value)
