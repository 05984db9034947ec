"""A progress bar with the remaining time, and Ctrl-C that ends a run cleanly."""

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

from antidiag.app.cli.shell import messages
from antidiag.kernels.cpu.compilation import COMPILING
from antidiag.kernels.monitor import Monitor

PATIENCE_S = 1.0
"""Time after Ctrl-C until a message says what the run is waiting for."""
LEAVE_S = 0.5
"""Time that the second Ctrl-C waits for an orderly end."""
INTERRUPTED = 130
_WAITING = "antidiag: stopping after the current step, such as compiling; press Ctrl-C again to stop at once"
_CLEAN_LINE = "\r\x1b[K\x1b[?25h"
"""Clears the line of a terminal and shows the cursor that the bar hides."""


@contextmanager
def watch_run() -> Iterator[Monitor]:
    """Yield a monitor that Ctrl-C cancels and that draws a progress bar if standard error is a terminal.

    The first Ctrl-C asks the run to stop, the second one ends the process.
    """
    if messages.is_quiet() or not sys.stderr.isatty():
        monitor = messages.silent_monitor()
        with cancelled_by_interrupt(monitor):
            yield monitor
        return
    with draw_progress() as monitor, cancelled_by_interrupt(monitor):
        yield monitor


@contextmanager
def draw_progress() -> Iterator[Monitor]:
    """Yield a monitor that draws a progress bar on standard error, in a terminal or a notebook."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Monitor(_ProgressBar(bar))


class _ProgressBar:
    """Draws the progress of a job; every phase starts the bar and its time estimate anew."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("starting", total=None)
        self._last = (0, 0)

    def __call__(self, done: int, total: int, phase: str) -> None:
        if total != self._last[1] or done < self._last[0]:
            self._bar.reset(self._task, total=total)
        self._last = (done, total)
        if phase == COMPILING:  # nobody knows how far a compiler is
            self._bar.reset(self._task, total=None, description=phase)
            return
        self._bar.update(self._task, completed=done, total=total, description=phase or "computing")


@contextmanager
def cancelled_by_interrupt(monitor: Monitor) -> Iterator[None]:
    """Cancel the monitor on the first Ctrl-C inside the context, and end the process on the second.

    A compiler cannot be interrupted. If the process does not end in order after the second Ctrl-C, it is ended as it
    is; no file is damaged by that, because every file is replaced only when its successor is complete.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(signum: int, frame: FrameType | None) -> None:
        if monitor.is_cancelled:
            raise KeyboardInterrupt
        monitor.cancel()

    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    watcher = threading.Thread(target=_end_after_second_interrupt, args=(receiver,), name="interrupts", daemon=True)
    watcher.start()
    before = signal.signal(signal.SIGINT, interrupt)
    earlier = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(earlier)
        signal.signal(signal.SIGINT, before)
        sender.close()
        watcher.join()
        receiver.close()


@contextmanager
def interrupted_at_once() -> Iterator[None]:
    """Let Ctrl-C interrupt the code inside at once; for code that only reads."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end_after_second_interrupt(receiver: socket.socket) -> None:
    """Print a message if a cancelled run does not stop, and end the process soon after the second interrupt.

    This runs on its own thread, because Python handles signals on the main thread, which may be inside a compiler.
    """
    if not _wait_for_interrupt(receiver, None):
        return
    again = _wait_for_interrupt(receiver, PATIENCE_S)
    if again is None:
        print(_WAITING, file=sys.stderr, flush=True)
        again = _wait_for_interrupt(receiver, None)
    if again and _wait_for_interrupt(receiver, LEAVE_S) is not False:
        ending = _CLEAN_LINE if sys.__stderr__ is not None and sys.__stderr__.isatty() else ""
        os.write(2, f"{ending}antidiag: cancelled\n".encode())
        os._exit(INTERRUPTED)


def _wait_for_interrupt(receiver: socket.socket, wait_s: float | None) -> bool | None:
    """Wait for an interrupt and return True; return False when the socket is closed, None after ``wait_s`` seconds."""
    receiver.settimeout(wait_s)
    try:
        while number := receiver.recv(1):
            if number[0] == signal.SIGINT:
                return True
    except TimeoutError:
        return None
    return False
