"""What a thread of the host does while a product is made on a device, in one compiled call: it brings both factors into
pinned memory, has the system find memory for the product, and takes this out of pinned memory, some rows at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu.carried import WORD, touch_all
from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.native_threads import task
from antidiag.kernels.cpu.simd import acquire, release, take_ticket
from antidiag.kernels.cpu.waiting import wait_for

LEFT, RIGHT = 0, 1
"""Factors."""


class Carried(NamedTuple):
    """What threads carry; ``pinned`` holds numbers of the same type, flat.

    ``left`` and ``right``: the factors; beyond their rows and columns everything is ``zero``. ``found``: the product.
    ``jobs``: a row for every part of a factor that is brought, in turn: LEFT or RIGHT, first row and the one after the
    last, first column and the one after the last, where the part lies in ``pinned``, its rows close together.
    ``takes``: a row for every part of the product that is taken, in turn: first row and the one after the last, and the
    copy that it comes with. Rows of the product have ``wide`` numbers in ``pinned``, and the first lies at its start.
    ``tickets``: three words, 0 at first. The others have a word set to 1 when it is so: ``up`` for every job that is
    done; ``touched`` for every part of new memory (cpu/carried.py); ``down`` for every copy that has come.
    """

    left: np.ndarray
    right: np.ndarray
    zero: Any
    pinned: np.ndarray
    found: np.ndarray
    jobs: np.ndarray
    takes: np.ndarray
    wide: int
    tickets: np.ndarray
    up: np.ndarray
    touched: np.ndarray
    down: np.ndarray
    stop: np.ndarray


@compiled
def carry(given):
    """What a thread does of it: whatever is next, so that none waits for a thread that begins late."""
    number = take_ticket(given.tickets, 0)
    while number < given.jobs.shape[0]:
        if acquire(given.stop, 0) != 0:
            return
        _bring(given, given.jobs[number])
        release(given.up, number * WORD, 1)
        number = take_ticket(given.tickets, 0)
    if touch_all(given.found, given.touched, given.tickets, WORD, given.stop):
        _take_all(given)


@called
def _bring(given, job):
    _, first, last, start, end, at = job
    matrix = given.left if job[0] == LEFT else given.right
    rows, columns = matrix.shape
    wide, inside = end - start, max(min(end, columns) - start, 0)
    for row in range(first, last):
        target = given.pinned[at + (row - first) * wide : at + (row - first + 1) * wide]
        count = inside if row < rows else 0
        for column in range(count):
            target[column] = matrix[row, start + column]
        for column in range(count, wide):
            target[column] = given.zero


@called
def _take_all(given):
    number = take_ticket(given.tickets, 2 * WORD)
    while number < given.takes.shape[0]:
        first, last, copy = given.takes[number]
        if not wait_for(given.down, copy * WORD, 1, given.stop):
            return
        for row in range(first, last):
            source = given.pinned[row * given.wide : (row + 1) * given.wide]
            for column in range(given.found.shape[1]):
                given.found[row, column] = source[column]
        number = take_ticket(given.tickets, 2 * WORD)


CARRYING = task(carry)
