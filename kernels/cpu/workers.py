"""Worker threads that share the work of a run, while the calling thread reports progress and hears of Cancel."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.processors import count_processors

POLL_S = 0.05

WORD_STRIDE = 8
"""Distance of the progress words of two threads, in int64: each has its own cache line."""

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_idle_pools: list[ThreadPoolExecutor] = []
"""Threads of finished runs, kept for the next ones: to start threads takes longer than a short run.

Every run has a pool of its own, so that an error in one leaves the threads of the others alone.
"""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle_pools.clear)  # a forked process has none of these threads


def make_stop_word() -> np.ndarray:
    """Return the flag that threads and compiled code read, and return early if it is not 0: int64, shape (1,)."""
    return np.zeros(1, np.int64)


def share_work(work: Callable[[int], None], workers: int, stop: np.ndarray, report: Callable[[], None]) -> None:
    """Run ``work(0)`` .. ``work(workers - 1)`` on threads until all have returned.

    Parameters
    ----------
    work : callable
        Gets the number of its thread.
    workers : int
        The number of threads.
    stop : ndarray of int64, shape (1,)
        Set to 1 where ``report`` or a worker raises; the work must then return soon.
    report : callable
        Runs on the calling thread at the start, every 50 ms, and at the end.

    Raises
    ------
    ParameterError
        If so many threads cannot be started; none of them begins to work.
    BaseException
        What ``report`` or a worker raised, after all workers have returned.
    """
    pool, complete = _take_pool(), threading.Event()

    def begin(worker: int) -> None:
        complete.wait()
        if not stop[0]:
            work(worker)

    try:
        running = _submit_work(pool, begin, workers)
        complete.set()
        report()
        while running:
            done, running = wait(running, POLL_S, FIRST_EXCEPTION)
            # No name is bound to a future: its exception would keep this frame, and so the arrays of the run.
            while done:
                done.pop().result()
            report()
    except BaseException:
        stop[0] = 1
        complete.set()
        pool.shutdown()
        raise
    _idle_pools.append(pool)


def map_on_threads(
    call: Callable[[Item], Answer], items: Sequence[Item], threads: int = 0, poll: Callable[[], None] = lambda: None
) -> list[Answer]:
    """Return ``[call(part) for part in parts]``, computed by threads, or on this one if there is one part.

    It is for calls that release the interpreter lock, as NumPy's do with large arrays. ``threads`` is 0 for one each
    processor; ``poll`` runs on the calling thread as in `share_work`.
    """
    threads = min(threads or count_processors(), len(items))
    answers: list[Any] = [None] * len(items)
    if threads < 2:
        for number, part in enumerate(items):
            poll()
            answers[number] = call(part)
        return answers
    numbers, stop = iter(range(len(items))), make_stop_word()

    def work(worker: int) -> None:
        for number in numbers:
            if stop[0]:
                return
            answers[number] = call(items[number])

    share_work(work, threads, stop, poll)
    return answers


def end_idle_threads() -> None:
    """End the threads that are kept for the next runs."""
    while _idle_pools:
        _idle_pools.pop().shutdown()


@contextmanager
def no_idle_threads_after_errors() -> Iterator[None]:
    """End the threads that are kept for the next runs where the block ends with an error."""
    try:
        yield
    except BaseException:
        end_idle_threads()
        raise


def _submit_work(pool: ThreadPoolExecutor, begin: Callable[[int], None], workers: int) -> set[Future[None]]:
    try:
        return {pool.submit(begin, worker) for worker in range(workers)}
    except RuntimeError as error:
        raise ParameterError(f"this system does not start {workers} threads ({error}); choose fewer") from error


def _take_pool() -> ThreadPoolExecutor:
    """Take a pool that no other run uses. It starts a thread for each worker: workers wait for each other, so none may
    wait for a thread."""
    try:
        return _idle_pools.pop()
    except IndexError:
        return ThreadPoolExecutor(sys.maxsize, "antidiag-worker")
