"""What a thread of the host does while a device makes an answer, in one compiled call: it has the system find memory
for it, and takes it out of pinned memory as it comes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.carried import WORD, touch_all
from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.native_threads import task
from antidiag.kernels.cpu.simd import copy, take_ticket
from antidiag.kernels.cpu.waiting import wait_for


class Taken(NamedTuple):
    """``pinned`` and ``found``: numbers of one type, as many, flat; threads take ``chunk`` of them at a time, and
    ``copied`` such chunks come together. ``tickets``: two words, 0 at first; ``touched``: see `carried.touch_all`;
    ``down``: a word for every copy, set to 1 when it has come."""

    pinned: np.ndarray
    found: np.ndarray
    chunk: int
    copied: int
    tickets: np.ndarray
    touched: np.ndarray
    down: np.ndarray
    stop: np.ndarray


@compiled
def take(given):
    """What a thread does of it."""
    if not touch_all(given.found, given.touched, given.tickets, 0, given.stop):
        return
    number = take_ticket(given.tickets, WORD)
    while number * given.chunk < given.found.size:
        if not wait_for(given.down, number // given.copied * WORD, 1, given.stop):
            return
        first = number * given.chunk
        copy(given.found, first, given.pinned, first, min(given.chunk, given.found.size - first))
        number = take_ticket(given.tickets, WORD)


TAKING = task(take)
