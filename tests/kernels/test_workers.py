"""Workers share one computation; whatever ends one of them ends all."""

from __future__ import annotations

import threading
import time

import pytest

from kernels.errors import Cancelled
from kernels.workers import share, stop_word


def test_every_worker_runs_once_and_the_caller_looks_on() -> None:
    seen: list[int] = []
    looks: list[int] = []
    share(seen.append, 3, stop_word(), lambda: looks.append(len(seen)))
    assert sorted(seen) == [0, 1, 2]
    assert looks[-1] == 3


def test_an_error_in_one_worker_stops_the_others_and_is_raised() -> None:
    stop = stop_word()

    def work(worker: int) -> None:
        if worker == 1:
            raise ValueError("worker 1")
        while not stop[0]:
            time.sleep(1e-3)

    with pytest.raises(ValueError, match="worker 1"):
        share(work, 3, stop, lambda: None)


def test_what_the_caller_raises_stops_the_workers() -> None:
    stop = stop_word()

    def work(worker: int) -> None:
        while not stop[0]:
            time.sleep(1e-3)

    def poll() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        share(work, 2, stop, poll)
    assert stop[0]


def test_workers_run_at_the_same_time_also_beside_another_run() -> None:
    barrier = threading.Barrier(4, timeout=20)
    meet = threading.Thread(target=share, args=(lambda worker: barrier.wait(), 2, stop_word(), lambda: None))
    meet.start()
    share(lambda worker: barrier.wait(), 2, stop_word(), lambda: None)
    meet.join()
    assert not barrier.broken


def test_threads_are_kept_for_the_next_run() -> None:
    def names() -> set[str]:
        barrier, found = threading.Barrier(3, timeout=20), set()

        def work(worker: int) -> None:
            barrier.wait()
            found.add(threading.current_thread().name)

        share(work, 3, stop_word(), lambda: None)
        return found

    first = names()
    time.sleep(0.05)
    assert names() & first
