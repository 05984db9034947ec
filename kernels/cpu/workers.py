"""Worker threads that share one computation, watched by the thread that asked for it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from antidiag.kernels.courtesy import stand_back
from antidiag.kernels.errors import ParameterError

POLL_S = 0.05

Part = TypeVar("Part")
Found = TypeVar("Found")

_idle: list[ThreadPoolExecutor] = []
"""Threads of runs that are over, kept for the next ones, since starting them takes longer than many a run. Every run
has a pool of its own, so that what goes wrong in one leaves the threads of the others as they are."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a forked process has none of these threads


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
    ``stop`` was set and every worker has returned. Where so many threads cannot be started, none of them begins:
    ParameterError.
    """
    pool, complete = _pool(), threading.Event()

    def begin(worker: int) -> None:
        complete.wait()
        if not stop[0]:
            work(worker)

    try:
        running = _submitted(pool, begin, workers)
        complete.set()
        poll()
        while running:
            done, running = wait(running, POLL_S, FIRST_COMPLETED)
            # No name is bound to a future: what it raises would keep it, by this frame, and so everything in the work.
            while done:
                done.pop().result()
            poll()
    except BaseException:
        stop[0] = 1
        complete.set()
        pool.shutdown()
        raise
    _idle.append(pool)


@contextmanager
def beside(work: Callable[[int], None], workers: int, stop: np.ndarray) -> Iterator[None]:
    """While the block runs, ``work(0)`` .. ``work(workers - 1)`` run on threads; it ends when all have returned.

    What the block raises, or a worker, is raised after ``stop`` was set and every worker has returned. ParameterError
    where so many threads cannot be started.
    """
    pool = _pool()

    def begin(worker: int) -> None:
        try:
            work(worker)
        except BaseException:
            stop[0] = 1  # the block may wait for what this worker should have done
            raise

    try:
        running = _submitted(pool, begin, workers)
        yield
        while running:
            running.pop().result()
    except BaseException:
        stop[0] = 1
        pool.shutdown()
        raise
    _idle.append(pool)


def each(
    call: Callable[[Part], Found], parts: Sequence[Part], threads: int = 0, poll: Callable[[], None] = lambda: None
) -> list[Found]:
    """``call(part)`` for all parts, in their order, by as many threads as there are cores (or so many).

    It is for calls that let other threads work, as NumPy does with large arrays; one part takes no thread. ``poll``
    runs on the calling thread, as in `share`.
    """
    threads = min(threads or cores(), len(parts))
    found: list[Any] = [None] * len(parts)
    if threads < 2:
        for number, part in enumerate(parts):
            poll()
            found[number] = call(part)
        return found
    numbers, stop = iter(range(len(parts))), stop_word()

    def work(worker: int) -> None:
        for number in numbers:
            if stop[0]:
                return
            found[number] = call(parts[number])

    share(work, threads, stop, poll)
    return found


def end_idle() -> None:
    """End the threads that are kept for the next runs: for a run that ends early between two calls of `share`."""
    while _idle:
        _idle.pop().shutdown()


def _submitted(pool: ThreadPoolExecutor, begin: Callable[[int], None], workers: int) -> set[Future[None]]:
    try:
        return {pool.submit(begin, worker) for worker in range(workers)}
    except RuntimeError as error:
        raise ParameterError(f"this system does not start {workers} threads ({error}); choose fewer") from error


def _pool() -> ThreadPoolExecutor:
    """A pool that nobody else uses. It starts as many threads as it is given work: workers wait for each other, so none
    may wait for a thread."""
    try:
        return _idle.pop()
    except IndexError:
        return ThreadPoolExecutor(sys.maxsize, "antidiag-worker", stand_back)
