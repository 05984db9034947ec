"""Progress with the time left on a terminal, and Ctrl-C that ends a run cleanly."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from kernels.monitor import Monitor


@contextmanager
def watched() -> Iterator[Monitor]:
    """A monitor that draws a bar on standard error where that is a terminal, and that Ctrl-C cancels.

    The first Ctrl-C asks the run to stop, the second interrupts it at once.
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
    """The first Ctrl-C inside cancels the monitor, the second interrupts at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(signum: int, frame: FrameType | None) -> None:
        if monitor.cancelled:
            raise KeyboardInterrupt
        monitor.cancel()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
