"""What a thread of the host does while Floyd-Warshall runs on a device, in one compiled call: it brings weights into
pinned memory, has the system find memory for the distances, and takes these out of pinned memory, some rows at a time.

Pinned memory holds a matrix of ``side`` numbers to a row, a piece of rows after the other. Where numbers travel in 16
bits (``codes``, the same memory as ``raw``), those of a piece lie close together from the beginning of the piece on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu.carried import WORD, touch_all
from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.native_threads import task
from antidiag.kernels.cpu.simd import acquire, release, take_ticket
from antidiag.kernels.cpu.waiting import wait_for
from antidiag.kernels.graphs.cpu_moving import lessened, widened

RAW, CODES = 1, 2
"""How distances of a piece have come."""


class Carried(NamedTuple):
    """What threads carry; weights and distances may be of a part of the memory that is pinned.

    ``weights``: float64, (n, n), brought as at most ``most``, which also pads rows and columns up to ``side``.
    ``numbers``: the distances, (n, n); from ``limit`` on they are ``infinite``, as is the code ``none``.
    ``piece`` and ``chunk``: rows that the bus has at a time, and a thread.
    ``turns``: the first rows of the chunks that come back, in their order.
    ``tickets``: three words, 0 at first. The others have a word, WORD apart, set to 1 when it is so: ``up`` for every
    chunk that is there; ``touched`` for every part of new memory (kernels/cpu/carried.py); ``taken`` for every chunk
    that has come back. ``down``: a word for every piece, RAW or CODES when it has come.
    """

    weights: np.ndarray
    most: np.float64
    codes: np.ndarray
    raw: np.ndarray
    numbers: np.ndarray
    limit: Any
    none: Any
    infinite: Any
    side: int
    piece: int
    chunk: int
    turns: np.ndarray
    tickets: np.ndarray
    up: np.ndarray
    touched: np.ndarray
    down: np.ndarray
    taken: np.ndarray
    stop: np.ndarray


@compiled
def carry(given):
    """What a thread does of it: whatever chunk of rows is next, so that none waits for a thread that begins late."""
    _bring_all(given)
    if touch_all(given.numbers, given.touched, given.tickets, WORD, given.stop):
        _take_all(given)


@called
def _bring_all(given):
    ratio = given.codes.size // given.raw.size
    number = take_ticket(given.tickets, 0)
    while number < given.side // given.chunk:
        if acquire(given.stop, 0) != 0:
            return
        first, last = number * given.chunk, (number + 1) * given.chunk
        _bring(given.weights, given.most, given.codes, ratio, given.side, given.piece, first, last)
        release(given.up, number * WORD, 1)
        number = take_ticket(given.tickets, 0)


@called
def _take_all(given):
    number = take_ticket(given.tickets, 2 * WORD)
    while number < given.turns.size:
        first = given.turns[number]
        word = first // given.piece * WORD
        if not wait_for(given.down, word, 1, given.stop):
            return
        _take(given, acquire(given.down, word), first, min(first + given.chunk, given.weights.shape[0]))
        release(given.taken, number * WORD, 1)
        number = take_ticket(given.tickets, 2 * WORD)


@called
def _take(given, how, first, last):
    n, ratio = given.weights.shape[0], given.codes.size // given.raw.size
    for row in range(first, last):
        if how == CODES:
            at = _place(row, ratio, given.side, given.piece)
            widened(given.codes[at : at + n], given.none, given.infinite, given.numbers[row])
        else:
            at = row * given.side
            settled(given.raw[at : at + n], given.limit, given.infinite, given.numbers[row])


@compiled
def settled(given, limit, infinite, numbers):
    """``numbers`` become those ``given``, infinite from ``limit`` on."""
    for at in range(given.size):
        number = given[at]
        numbers[at] = number if number < limit else infinite


@called
def _bring(weights, most, codes, ratio, side, piece, first, last):
    n = weights.shape[0]
    for row in range(first, last):
        at = _place(row, ratio, side, piece)
        if row < n:
            lessened(weights[row], most, codes[at : at + n])
            codes[at + n : at + side] = most
        else:
            codes[at : at + side] = most


@called
def _place(row, ratio, side, piece):
    """Where a row begins among codes of which the memory of one number holds ``ratio``."""
    start = row // piece * piece
    return (start * ratio + row - start) * side


CARRYING = task(carry)
