"""Compiling before a run, while the thread that asked for it hears a wish to cancel."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from antidiag.kernels.monitor import Monitor

LOOK_S = 0.05


def compiled_ms(call: Callable[[], object], monitor: Monitor) -> float:
    """Milliseconds that a call takes which compiles, or loads, what a run needs; it raises what the call does.

    A compiler cannot be stopped. Where the monitor is cancelled, this returns at once by what the monitor raises, and
    the call goes on on its own thread, whose code the next run finds; the end of the program does not wait for it.
    """
    begun, failures = time.perf_counter(), []

    def compile_it() -> None:
        try:
            call()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=compile_it, name="antidiag-compiler", daemon=True)
    thread.start()
    while thread.is_alive():
        monitor.check()
        thread.join(LOOK_S)
    if failures:
        raise failures[0]
    return (time.perf_counter() - begun) * 1e3
