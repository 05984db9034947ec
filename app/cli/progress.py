"""Progress with the time left on a terminal, and Ctrl-C that ends a run cleanly."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from antidiag.kernels.monitor import Monitor

PATIENCE_S = 1.0
"""How long a run may take to stop before the user is told what it waits for."""
LEAVE_S = 0.5
"""How long the second Ctrl-C waits for an orderly end."""
INTERRUPTED = 130
_WAITING = "antidiag: stopping; a step such as compiling has to end first; Ctrl-C again to leave at once"
_CLEAN_LINE = "\r\x1b[K\x1b[?25h"
"""Empties the line of a terminal, and shows the cursor that the bar had hidden."""


@contextmanager
def watched() -> Iterator[Monitor]:
    """A monitor that draws a bar on standard error where that is a terminal, and that Ctrl-C cancels.

    The first Ctrl-C asks the run to stop, the second leaves at once.
    """
    if not sys.stderr.isatty():
        monitor = Monitor()
        with cancelled_by_interrupt(monitor):
            yield monitor
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        monitor = Monitor(_Drawing(bar))
        with cancelled_by_interrupt(monitor):
            yield monitor


class _Drawing:
    """Draws what a job reports; a new phase starts the bar and the estimate of its time again."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("starting", total=None)
        self._last = (0, 0)

    def __call__(self, done: int, total: int, phase: str) -> None:
        if total != self._last[1] or done < self._last[0]:
            self._bar.reset(self._task, total=total)
        self._last = (done, total)
        self._bar.update(self._task, completed=done, total=total, description=phase or "computing")


@contextmanager
def cancelled_by_interrupt(monitor: Monitor) -> Iterator[None]:
    """The first Ctrl-C inside cancels the monitor, the second leaves.

    A compiler cannot be interrupted, and runs on a thread that would be waited for. Where the second Ctrl-C finds no
    orderly end, the process ends as it is: files, the cache of compiled code among them, are replaced when they are
    complete, and never written in their place.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(signum: int, frame: FrameType | None) -> None:
        if monitor.cancelled:
            raise KeyboardInterrupt
        monitor.cancel()

    hearing, telling = socket.socketpair()
    telling.setblocking(False)
    watcher = threading.Thread(target=_leave_in_the_end, args=(hearing,), name="interrupts", daemon=True)
    watcher.start()
    before = signal.signal(signal.SIGINT, interrupt)
    earlier = signal.set_wakeup_fd(telling.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(earlier)
        signal.signal(signal.SIGINT, before)
        telling.close()
        watcher.join()
        hearing.close()


@contextmanager
def interrupted_at_once() -> Iterator[None]:
    """Ctrl-C inside leaves whatever is done there at once: for what only reads, and leaves nothing half done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leave_in_the_end(hearing: socket.socket) -> None:
    """Tell the user what a run that does not stop waits for; end the process soon after the second interrupt.

    On a thread of its own: Python handles signals on the main thread, which may be inside a compiler.
    """
    if not _interrupted(hearing, None):
        return
    again = _interrupted(hearing, PATIENCE_S)
    if again is None:
        print(_WAITING, file=sys.stderr, flush=True)
        again = _interrupted(hearing, None)
    if again and _interrupted(hearing, LEAVE_S) is not False:
        ending = _CLEAN_LINE if sys.__stderr__ is not None and sys.__stderr__.isatty() else ""
        os.write(2, f"{ending}antidiag: cancelled\n".encode())
        os._exit(INTERRUPTED)


def _interrupted(hearing: socket.socket, wait_s: float | None) -> bool | None:
    """Wait for an interrupt: True; False when nobody listens to them any more, None when the time is over."""
    hearing.settimeout(wait_s)
    try:
        while number := hearing.recv(1):
            if number[0] == signal.SIGINT:
                return True
    except TimeoutError:
        return None
    return False
