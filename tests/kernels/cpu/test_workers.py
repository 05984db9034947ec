"""Workers share one computation; whatever ends one of them ends all."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.workers import make_stop_word, share_work
from antidiag.kernels.errors import Cancelled, ParameterError
from tests.patience import PATIENCE_S


def test_every_worker_runs_once_and_the_caller_looks_on() -> None:
    seen: list[int] = []
    looks: list[int] = []
    share_work(seen.append, 3, make_stop_word(), lambda: looks.append(len(seen)))
    assert sorted(seen) == [0, 1, 2]
    assert looks[-1] == 3


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_each_part_is_called_once_and_answers_are_in_order(threads: int) -> None:
    assert workers.map_on_threads(lambda part: 2 * part, range(100), threads) == list(range(0, 200, 2))
    assert workers.map_on_threads(len, [], threads) == []
    with pytest.raises(ZeroDivisionError):
        workers.map_on_threads(lambda part: 1 // part, [1, 0, 1], threads)


def test_an_error_in_one_worker_stops_the_others_and_is_raised() -> None:
    stop = make_stop_word()

    def work(worker: int) -> None:
        if worker == 1:
            raise ValueError("worker 1")
        while not stop[0]:
            time.sleep(1e-3)

    with pytest.raises(ValueError, match="worker 1"):
        share_work(work, 3, stop, lambda: None)


def test_what_the_caller_raises_stops_the_workers() -> None:
    stop = make_stop_word()

    def work(worker: int) -> None:
        while not stop[0]:
            time.sleep(1e-3)

    def poll() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        share_work(work, 2, stop, poll)
    assert stop[0]


def test_workers_run_at_the_same_time_also_beside_another_run() -> None:
    barrier = threading.Barrier(4, timeout=PATIENCE_S)
    meet = threading.Thread(target=share_work, args=(lambda worker: barrier.wait(), 2, make_stop_word(), lambda: None))
    meet.start()
    share_work(lambda worker: barrier.wait(), 2, make_stop_word(), lambda: None)
    meet.join()
    assert not barrier.broken


def test_threads_are_kept_for_the_next_run() -> None:
    barrier, found = threading.Barrier(3, timeout=PATIENCE_S), set()

    def work(worker: int) -> None:
        barrier.wait()
        found.add(threading.current_thread())

    for _ in range(20):
        share_work(work, 3, make_stop_word(), lambda: None)
    assert len(found) < 60
    assert all(thread.is_alive() for thread in found)


def test_a_thread_that_cannot_start_ends_one_run_and_not_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody begins, so that nobody waits for those who never come; and the next run has threads enough."""
    start, started = threading.Thread.start, []
    entered: list[int] = []

    def refuse(thread: threading.Thread) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(workers, "_idle_pools", [])
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(ParameterError, match="2 threads .*choose fewer"):
            share_work(entered.append, 2, make_stop_word(), lambda: None)
    barrier = threading.Barrier(2, timeout=PATIENCE_S)
    share_work(lambda worker: barrier.wait(), 2, make_stop_word(), lambda: None)
    assert not entered


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_starts_threads_of_its_own() -> None:
    """In an interpreter of its own, which has no other threads."""
    program = """
import os, signal
from antidiag.kernels.cpu.workers import share_work, make_stop_word
share_work(lambda worker: None, 2, make_stop_word(), lambda: None)
if (child := os.fork()) == 0:
    signal.alarm(300)
    share_work(lambda worker: None, 2, make_stop_word(), lambda: None)
    os._exit(0)
raise SystemExit(os.waitpid(child, 0)[1])
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE_S)


@pytest.mark.parametrize("failing", ["nobody", "worker", "caller"])
def test_nothing_of_a_run_is_kept(failing: str) -> None:
    """Memory that work uses is free as soon as the run is over, however it ends, and no cycle keeps it."""

    def run() -> weakref.ref[np.ndarray]:
        memory, stop = np.zeros(1), make_stop_word()

        def work(worker: int) -> None:
            memory[0] = worker
            if failing == "worker" and worker == 1:
                raise ValueError
            while failing != "nobody" and not stop[0]:
                time.sleep(1e-3)

        def poll() -> None:
            if failing == "caller":
                raise ValueError

        with contextlib.suppress(ValueError):
            share_work(work, 2, stop, poll)
        return weakref.ref(memory)

    gc.disable()
    try:
        memory = run()
        # A thread releases its work just after it has reported that it is done.
        until = time.monotonic() + PATIENCE_S
        while memory() is not None and time.monotonic() < until:
            time.sleep(1e-3)
        assert memory() is None
    finally:
        gc.enable()
