"""Threads of the system that run compiled code: they do the work, without Python's lock, and are waited for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from antidiag.kernels.cpu import native_threads, workers
from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.native_threads import task
from antidiag.kernels.cpu.simd import acquire, take_ticket
from antidiag.kernels.cpu.waiting import wait_for
from antidiag.kernels.errors import ParameterError

WORD = 8


class Sums(NamedTuple):
    """Rows that are added up, and who does."""

    rows: np.ndarray
    sums: np.ndarray
    tickets: np.ndarray
    stop: np.ndarray
    factor: float


@compiled
def added(given):
    number = take_ticket(given.tickets, 0)
    while number < given.rows.shape[0] and acquire(given.stop, 0) == 0:
        piece = given.rows[number, :]
        given.sums[number] = given.factor * piece.sum()
        number = take_ticket(given.tickets, 0)


@compiled
def met(given):
    """Each thread waits until all are there."""
    words, goal, stop = given
    take_ticket(words, 0)
    if wait_for(words, 0, goal, stop):
        take_ticket(words, WORD)


ADDED, MET = task(added), task(met)


def sums(rows: np.ndarray) -> Sums:
    return Sums(rows, np.zeros(len(rows)), np.zeros(1, np.int64), workers.stop_word(), 0.5)


@pytest.mark.parametrize("kind", [np.int16, np.float64])
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_share_the_work(threads: int, kind: type) -> None:
    rows = np.random.default_rng(threads).integers(-9, 9, (500, 40)).astype(kind)
    for _ in range(20):
        given = sums(rows)
        with native_threads.beside(ADDED, given, threads, given.stop):
            pass
        np.testing.assert_array_equal(given.sums, rows.sum(axis=1) / 2)


def test_all_are_there_at_once_and_none_is_pythons() -> None:
    words, stop, count = np.zeros(2 * WORD, np.int64), workers.stop_word(), 5
    before = threading.active_count()
    with native_threads.beside(MET, (words, count, stop), count, stop):
        if native_threads.AVAILABLE:
            assert threading.active_count() == before
    assert words[0] == words[WORD] == count


def test_what_the_block_raises_stops_them() -> None:
    words, stop = np.zeros(2 * WORD, np.int64), workers.stop_word()
    with (
        pytest.raises(ZeroDivisionError),
        native_threads.beside(MET, (words, 10, stop), 3, stop),  # seven more never come
    ):
        raise ZeroDivisionError
    assert stop[0] == 1 and words[WORD] == 0


def test_arrays_are_let_go_when_all_have_returned() -> None:
    rows = np.ones((300, 30))
    before = sys.getrefcount(rows)
    for _ in range(50):
        given = sums(rows)
        with native_threads.beside(ADDED, given, 4, given.stop):
            pass
    del given
    assert sys.getrefcount(rows) == before


def test_to_prepare_does_nothing_else() -> None:
    given = sums(np.ones((3, 3)))
    native_threads.prepare(ADDED, given)
    assert not given.sums.any() and given.tickets[0] == 0


def test_code_that_is_there_is_not_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    given = sums(np.ones((3, 3)))
    native_threads.prepare(ADDED, given)
    for function in (ADDED.begin, native_threads._end_first):
        monkeypatch.setattr(function, "_compile_for_args", lambda *given: pytest.fail("it is looked for"))
    native_threads.prepare(ADDED, given)


def test_where_no_thread_starts_an_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_threads, "AVAILABLE", True)
    failing = ADDED._replace(begin=lambda *given: 11)
    given = sums(np.ones((3, 3)))
    with pytest.raises(ParameterError, match="error 11"), native_threads.beside(failing, given, 2, given.stop):
        pass


def test_where_the_system_has_none_pythons_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_threads, "AVAILABLE", False)
    rows = np.arange(60.0).reshape(6, 10)
    given = sums(rows)
    native_threads.prepare(ADDED, given)
    with native_threads.beside(ADDED, given, 3, given.stop):
        pass
    np.testing.assert_array_equal(given.sums, rows.sum(axis=1) / 2)


TWICE = """
import numpy as np
from antidiag.kernels.cpu import native_threads
from tests.kernels.cpu.test_native_threads import ADDED, sums

for _ in range(3):
    given = sums(np.ones((3, 3)))
    with native_threads.beside(ADDED, given, 2, given.stop):
        pass
    assert given.sums.tolist() == [1.5] * 3
print(sum(ADDED.begin.stats.cache_hits.values()), sum(ADDED.begin.stats.cache_misses.values()))
"""


@pytest.mark.skipif(not native_threads.AVAILABLE, reason="this system has no such threads")
def test_code_that_is_kept_is_loaded_once(tmp_path) -> None:
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", TWICE]
    found = [subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True) for _ in "12"]
    assert [run.stdout.split() for run in found] == [["0", "1"], ["1", "0"]], found[-1].stderr
