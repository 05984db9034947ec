"""Worker threads of the window, all of which end before the process does: it would crash under one that compiles."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

PATIENCE_S = 30.0
_workers: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


def start_worker(work: Callable[..., object], name: str, *arguments: Any) -> threading.Thread:
    """Run ``work(*arguments)`` on a thread of its own."""
    thread = threading.Thread(target=work, args=arguments, name=name, daemon=True)
    _workers.add(thread)
    thread.start()
    return thread


def report_error(error: BaseException) -> None:
    """Report an unexpected error of this thread with its traceback, as if nobody had caught it."""
    details = (type(error), error, error.__traceback__, threading.current_thread())
    threading.excepthook(threading.ExceptHookArgs(details))


@atexit.register
def wait_for_workers() -> None:
    """Wait until all workers have ended, at most PATIENCE_S."""
    until = time.monotonic() + PATIENCE_S
    for thread in list(_workers):
        thread.join(max(until - time.monotonic(), 0))
