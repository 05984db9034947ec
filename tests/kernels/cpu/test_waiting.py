"""Threads that wait for a word in compiled code: woken by the word, or by the stop word, and without the GIL."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.progress_words import call_wait_until_all_reached, wait_at_barrier, wait_until_reached
from antidiag.kernels.cpu.simd import store_release
from antidiag.kernels.cpu.workers import WORD_STRIDE, make_stop_word
from tests.patience import PATIENCE_S

ROUNDS = 2000
FAR = 10_000
"""Words of a conversation between two threads; each waits for the other's before it writes the next."""


@cached_njit
def wait(words, index, goal, stop):
    return wait_until_reached(words, index, goal, stop)


@cached_njit
def talk(words, own, other, stop):
    for word in range(1, FAR + 1):
        if not wait_until_reached(words, other, word - 1, stop):
            return False
        store_release(words, own, word)
    return True


@cached_njit
def add_in_rounds(words, worker, sums, stop):
    """Add what all workers added in the round before; each round waits for the one before it."""
    for count in range(1, ROUNDS + 1):
        sums[count, worker] = sums[count - 1].sum() % 1000 + 1
        if not wait_at_barrier(words, worker, count, stop):
            return count
    return ROUNDS


def on_a_thread(call, *arguments):
    """Start a call; what ends it and gives its result."""
    found = []
    thread = threading.Thread(target=lambda: found.append(call(*arguments)))
    thread.start()

    def result():
        thread.join(PATIENCE_S)
        return found[0]

    return result


def test_what_is_there_already_is_not_waited_for():
    assert wait(np.array([3], np.int64), 0, 3, make_stop_word())


def test_a_stop_comes_first():
    assert not wait(np.array([3], np.int64), 0, 3, np.ones(1, np.int64))


@pytest.mark.parametrize("stopped", [False, True])
def test_a_word_or_a_stop_ends_the_wait(stopped):
    words, stop = np.zeros(2, np.int64), make_stop_word()
    result = on_a_thread(wait, words, 1, 7, stop)
    # Python goes on here while the other thread waits: it has not kept the interpreter to itself.
    words[1] = 6
    (stop if stopped else words)[-1] = 7
    assert result() is not stopped


def test_two_threads_that_wait_for_each_other_all_the_time():
    words, stop = np.zeros(2, np.int64), make_stop_word()
    results = [on_a_thread(talk, words, own, 1 - own, stop) for own in range(2)]
    assert [result() for result in results] == [True, True]
    assert words.tolist() == [FAR, FAR]


def test_no_thread_begins_a_round_before_all_have_ended_the_one_before():
    words, sums, stop = np.zeros(3 * WORD_STRIDE, np.int64), np.zeros((ROUNDS + 1, 3), np.int64), make_stop_word()
    add_in_rounds(np.full(WORD_STRIDE, ROUNDS, np.int64), 0, sums.copy(), stop)  # compiled by one thread
    results = [on_a_thread(add_in_rounds, words, worker, sums, stop) for worker in range(3)]
    assert [result() for result in results] == [ROUNDS] * 3
    expected = [0]
    for _ in range(ROUNDS):
        expected.append(3 * expected[-1] % 1000 + 1)
    assert sums.tolist() == [[value] * 3 for value in expected]


def test_a_barrier_is_left_when_the_run_is_stopped():
    words, stop = np.zeros(2 * WORD_STRIDE, np.int64), make_stop_word()
    result = on_a_thread(cached_njit(wait_at_barrier), words, 0, 1, stop)
    stop[0] = 1
    assert not result()
    assert words[0] == 1 and not call_wait_until_all_reached(words, 0, stop)
