"""What a thread of the host does while Floyd-Warshall runs on a device, in one compiled call: it brings weights into
pinned memory, has the system find memory for the distances, and takes these out of pinned memory, some rows at a time.

Pinned memory holds a matrix of ``side`` numbers to a row, a piece of rows after the other. Where numbers travel in 16
bits (``codes``, the same memory as ``raw``), those of a piece lie close together from the beginning of the piece on.
"""

from __future__ import annotations

from kernels.cpu.jit import called, compiled
from kernels.cpu.simd import acquire, release
from kernels.cpu.waiting import wait_for
from kernels.graphs.cpu_moving import WORD, lessened, widened

RAW, CODES = 1, 2
"""How distances of a piece have come."""
PAGE = 4096
SPAN = 2 << 20
"""Bytes of new memory that a thread takes at a time: a large page of the system."""


@compiled
def carried(
    weights, most, codes, raw, numbers, limit, none, infinite, side, piece, chunk, turns, worker, workers, up, down,
    stop,
):  # fmt: skip
    """The share of ``worker`` of ``workers``.

    ``weights``: float64, (n, n), brought as at most ``most``, which also pads rows and columns up to ``side``.
    ``numbers``: the distances, (n, n); from ``limit`` on they are ``infinite``, as is the code ``none``.
    ``piece`` and ``chunk``: rows that the bus has at a time, and a thread.
    ``up``: a word for every chunk, set to 1 when it is there, and behind these one for every worker.
    ``turns``: the first rows of the chunks that come back, in their order.
    ``down``: a word for every piece, RAW or CODES when it has come.
    """
    n, ratio = weights.shape[0], codes.size // raw.size
    for number in range(worker, side // chunk, workers):
        if acquire(stop, 0) != 0:
            return
        _bring(weights, most, codes, ratio, side, piece, number * chunk, (number + 1) * chunk)
        release(up, number * WORD, 1)
    _touch(numbers.reshape(numbers.size), worker, workers)
    release(up, (side // chunk + worker) * WORD, 1)
    for other in range(workers):  # whoever touches a page that has its distances already would overwrite one
        if not wait_for(up, (side // chunk + other) * WORD, 1, stop):
            return
    for number in range(worker, turns.size, workers):
        first = turns[number]
        word = first // piece * WORD
        if not wait_for(down, word, 1, stop):
            return
        last = min(first + chunk, n)
        if acquire(down, word) == CODES:
            for row in range(first, last):
                at = _place(row, ratio, side, piece)
                widened(codes[at : at + n], none, infinite, numbers[row])
        else:
            for row in range(first, last):
                settled(raw[row * side : row * side + n], limit, infinite, numbers[row])


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


@called
def _touch(flat, worker, workers):
    """Write to every page of a new array, by spans of SPAN bytes; what lies there changes."""
    length, step = SPAN // flat.itemsize, PAGE // flat.itemsize
    for first in range(worker * length, flat.size, workers * length):
        for at in range(first, min(first + length, flat.size), step):
            flat[at] = 0


@compiled
def all_there(words, first, last, stop):
    """Wait for chunks; False where all are to stop."""
    number = first
    while number < last and wait_for(words, number * WORD, 1, stop):
        number += 1
    return number == last


@compiled
def come(words, number, how):
    """Say that a piece has come, RAW or as CODES."""
    release(words, number * WORD, how)
