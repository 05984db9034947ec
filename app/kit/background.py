"""Work of a view on a thread of its own, where only the latest request counts."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from shiboken6 import isValid

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor

Work = Callable[[Monitor], Any]


class _Post(QObject):
    """Brings what threads tell to the thread of the window.

    There is one, which is never deleted: a view may be deleted at the very moment at which its thread tells something,
    and a signal of its own would then be sent by an object that is no longer there."""

    sent = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.sent.connect(self._bring)

    @Slot(object)
    def _bring(self, message: tuple[weakref.ref[Latest], Monitor, str, Any]) -> None:
        whose, *told = message
        found = whose()
        if found is not None and isValid(found):
            found.deliver(*told)


@cache
def _post() -> _Post:
    return _Post()


class Latest(QObject):
    """Runs one piece of work at a time; a new request cancels the one before it.

    Signals arrive on the thread of the owner, and only for the latest request: ``finished(value)``,
    ``failed(error)``, ``progressed((done, total, phase))``. What is finished arrives by a timer, so that what it
    changes is painted in a turn of the event loop of its own.
    """

    finished = Signal(object)
    failed = Signal(object)
    progressed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._pending: tuple[Monitor, Work] | None = None
        self._monitor: Monitor | None = None
        self._thread: threading.Thread | None = None
        self._post, self._own = _post(), weakref.ref(self)

    @property
    def busy(self) -> bool:
        """Whether a request is still to be answered."""
        return self._monitor is not None

    def request(self, work: Work) -> None:
        """Run ``work(monitor)`` as soon as the work before it has let go."""
        self.cancel()
        monitor = Monitor(lambda done, total, phase: self._send(monitor, "progressed", (done, total, phase)))
        with self._lock:
            self._monitor, self._pending = monitor, (monitor, work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="antidiag view", daemon=True)
                self._thread.start()

    def cancel(self) -> None:
        """Drop the request under way; nothing more is heard of it."""
        with self._lock:
            if self._monitor is not None:
                self._monitor.cancel()
            self._monitor = self._pending = None

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._pending is None:
                    self._thread = None
                    return
                (monitor, work), self._pending = self._pending, None
            try:
                self._send(monitor, "finished", work(monitor))
            except Cancelled:
                continue
            except Exception as error:  # shown by the view; a thread has nobody else to tell
                self._send(monitor, "failed", error)

    def _send(self, monitor: Monitor, kind: str, value: Any) -> None:
        if isValid(self):
            self._post.sent.emit((self._own, monitor, kind, value))
        else:  # the view is gone
            monitor.cancel()

    def deliver(self, monitor: Monitor, kind: str, value: Any) -> None:
        """What the thread told of a request has come to the thread of the window."""
        if kind == "progressed":
            if monitor is self._monitor:
                self.progressed.emit(value)
        else:
            QTimer.singleShot(0, self, lambda: self._end(monitor, kind, value))

    def _end(self, monitor: Monitor, kind: str, value: Any) -> None:
        if monitor is self._monitor:
            self._monitor = None
            getattr(self, kind).emit(value)
