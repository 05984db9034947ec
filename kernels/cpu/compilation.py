"""Compilation before a run, on a thread of its own, so that the user can cancel."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from antidiag.kernels.monitor import Monitor

POLL_S = 0.05
COMPILING = "compiling, once"
"""Phase that is reported while functions are compiled: later runs load them."""
COMPILER = "antidiag-compiler"
"""Name of the thread that compiles; after a Cancel it goes on for a while."""
LOADING_S = 1.0
"""Time that loading compiled functions takes at most; what lasts longer is compilation."""


@dataclass
class CompilationClock:
    """The time that Numba has spent on compiling in this process, so that a run can tell it from computing."""

    spent_ns: int = 0


compilation_clock = CompilationClock()


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

    thread = threading.Thread(target=compile_it, name=COMPILER, daemon=True)
    thread.start()
    thread.join(POLL_S)  # first, so that no thread is left behind where all is compiled
    reported = False
    while thread.is_alive():
        monitor.check()
        if not reported and time.perf_counter() - begun > LOADING_S:
            monitor.update(0, 1, COMPILING)
            reported = True
        thread.join(POLL_S)
    if reported:
        monitor.update(1, 1, COMPILING)
    if failures:
        raise failures[0]
    return (time.perf_counter() - begun) * 1e3
