"""Threads that wait for a word in compiled code: woken by the word, or by the stop word, and without the GIL."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.simd import release
from antidiag.kernels.cpu.waiting import wait_for
from antidiag.kernels.cpu.workers import stop_word
from tests.patience import PATIENCE_S

FAR = 10_000
"""Words of a conversation between two threads; each waits for the other's before it writes the next."""


@compiled
def wait(words, index, goal, stop):
    return wait_for(words, index, goal, stop)


@compiled
def talk(words, own, other, stop):
    for word in range(1, FAR + 1):
        if not wait_for(words, other, word - 1, stop):
            return False
        release(words, own, word)
    return True


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
    assert wait(np.array([3], np.int64), 0, 3, stop_word())


def test_a_stop_comes_first():
    assert not wait(np.array([3], np.int64), 0, 3, np.ones(1, np.int64))


@pytest.mark.parametrize("stopped", [False, True])
def test_a_word_or_a_stop_ends_the_wait(stopped):
    words, stop = np.zeros(2, np.int64), stop_word()
    result = on_a_thread(wait, words, 1, 7, stop)
    # Python goes on here while the other thread waits: it has not kept the interpreter to itself.
    words[1] = 6
    (stop if stopped else words)[-1] = 7
    assert result() is not stopped


def test_two_threads_that_wait_for_each_other_all_the_time():
    words, stop = np.zeros(2, np.int64), stop_word()
    results = [on_a_thread(talk, words, own, 1 - own, stop) for own in range(2)]
    assert [result() for result in results] == [True, True]
    assert words.tolist() == [FAR, FAR]
