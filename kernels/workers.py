"""Worker threads that share one computation, watched by the thread that asked for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

POLL_S = 0.05

_THREADS = ThreadPoolExecutor(sys.maxsize, "antidiag-worker")
"""Threads are kept for the next run, since starting them takes longer than many a run. There are as many as were ever
wanted at once: workers wait for each other, so none may wait for a thread."""


def cores() -> int:
    """Processors that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def stop_word() -> np.ndarray:
    """A word that compiled code and threads look at: not 0 when they are to return. int64, shape (1,)."""
    return np.zeros(1, np.int64)


def share(work: Callable[[int], None], workers: int, stop: np.ndarray, poll: Callable[[], None]) -> None:
    """Run ``work(0)`` .. ``work(workers - 1)`` on threads until all have returned.

    ``poll`` runs on the calling thread at the start, every 50 ms, and whenever a worker returns; so it runs twice at
    least, and a wish to cancel is heard however short the work is. What it or a worker raises is raised here, after
    ``stop`` was set and every worker has returned.
    """
    running: set[Future[None]] = set()
    try:
        for worker in range(workers):
            running.add(_THREADS.submit(work, worker))
        poll()
        while running:
            done, running = wait(running, POLL_S, FIRST_COMPLETED)
            for finished in done:
                finished.result()
            poll()
    except BaseException:
        stop[0] = 1
        wait(running)
        raise
