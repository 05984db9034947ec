"""Work of a view on a thread of its own, where only the latest request counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from kernels.errors import Cancelled
from kernels.monitor import Monitor

Work = Callable[[Monitor], Any]


class Latest(QObject):
    """Runs one piece of work at a time; a new request cancels the one before it.

    Signals arrive on the thread of the owner, and only for the latest request: ``finished(value)``,
    ``failed(error)``, ``progressed((done, total, phase))``. What is finished arrives by a timer, so that what it
    changes is painted in a turn of the event loop of its own.
    """

    finished = Signal(object)
    failed = Signal(object)
    progressed = Signal(object)
    _message = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._pending: tuple[Monitor, Work] | None = None
        self._monitor: Monitor | None = None
        self._thread: threading.Thread | None = None
        self._message.connect(self._deliver)

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
        try:
            self._message.emit((monitor, kind, value))
        except RuntimeError:  # the view is gone
            monitor.cancel()

    @Slot(object)
    def _deliver(self, message: tuple[Monitor, str, Any]) -> None:
        monitor, kind, value = message
        if kind == "progressed":
            if monitor is self._monitor:
                self.progressed.emit(value)
        else:
            QTimer.singleShot(0, self, lambda: self._end(monitor, kind, value))

    def _end(self, monitor: Monitor, kind: str, value: Any) -> None:
        if monitor is self._monitor:
            self._monitor = None
            getattr(self, kind).emit(value)
