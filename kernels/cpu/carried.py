"""What threads do that carry arrays to a device and back while it computes: they say what is there, wait for what has
come, and have the system find memory beforehand. Words, int64, tell them of each other, WORD apart."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.simd import acquire, release, take_ticket
from antidiag.kernels.cpu.waiting import wait_for

WORD = 8
"""Distance of words: each has a cache line of its own."""
PAGE = 4096
SPAN = 2 << 20
"""Bytes of new memory that a thread takes at a time: a large page of the system."""


def words(count: int) -> np.ndarray:
    """So many words, each in a cache line of its own."""
    return np.zeros(count * WORD, np.int64)


@compiled
def there(words, number, stop):
    """Wait for a piece; False where all are to stop."""
    return wait_for(words, number * WORD, 1, stop)


@compiled
def all_there(words, first, last, stop):
    """Wait for chunks; False where all are to stop."""
    number = first
    while number < last and wait_for(words, number * WORD, 1, stop):
        number += 1
    return number == last


@compiled
def come(words, number, how):
    """Say that a piece has come, and how."""
    release(words, number * WORD, how)


@called
def touch_all(numbers, touched, tickets, at, stop):
    """Threads that share the word ``tickets[at]`` write to every page of a new array, and say by ``touched``, a word
    for every SPAN bytes, that it is done. Whoever touches a page that has its numbers already would overwrite one, so
    all wait for each other: False where they are to stop."""
    spans, flat = touched.size // WORD, numbers.reshape(numbers.size)
    number = take_ticket(tickets, at)
    while number < spans:
        if acquire(stop, 0) != 0:
            return False
        _touch(flat, number)
        release(touched, number * WORD, 1)
        number = take_ticket(tickets, at)
    return all_there(touched, 0, spans, stop)


@called
def _touch(flat, span):
    """Write to every page of a part of a new array; what lies there changes."""
    length, step = SPAN // flat.itemsize, PAGE // flat.itemsize
    for at in range(span * length, min((span + 1) * length, flat.size), step):
        flat[at] = 0
