"""Compilation before a run, on a thread of its own, so that the user can cancel."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from antidiag.kernels.monitor import Monitor

POLL_S = 0.05


def compile_cancellably(call: Callable[[], object], monitor: Monitor) -> float:
    """Run a call that compiles or loads the functions of a run, and return the milliseconds that it took.

    Raises what the call raises, and Cancelled as soon as the user cancels; nothing is called if that was before. A
    compiler cannot be stopped: the call then goes on in the background, and the next run finds its code. The end of the
    program does not wait for it.
    """
    monitor.check()
    begun, failures = time.perf_counter(), []

    def compile_it() -> None:
        try:
            call()
        except BaseException as error:  # raised again by the thread that waits
            failures.append(error)

    thread = threading.Thread(target=compile_it, name="antidiag-compiler", daemon=True)
    thread.start()
    thread.join(POLL_S)  # first, so that no thread is left behind where all is compiled
    while thread.is_alive():
        monitor.check()
        thread.join(POLL_S)
    if failures:
        raise failures[0]
    return (time.perf_counter() - begun) * 1e3
