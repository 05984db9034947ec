"""A card whose memory is as large as an estimate: a run that was planned to fit has to fit, with the gaps that its
memory pool keeps between arrays. A pool treats its limit as the end of the card: what is free is given back first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from antidiag.kernels.cuda import devices
from antidiag.kernels.memory import Footprint

SMALL_ARRAYS = 1 << 18
"""Bytes that an estimate may leave out: arrays of the size of a few numbers, in pieces of 512 bytes."""
GAPS = 1.15
"""How many times the estimate a pool may take of a small card, on which a single array is a large part of it."""


def card_bytes(footprint: Footprint) -> int:
    """Return the size of a small card on which a run with this estimate has to fit."""
    return int(GAPS * footprint.device_bytes) + SMALL_ARRAYS


@contextmanager
def small_card(nbytes: int) -> Iterator[None]:
    """All runs of the block together may take so many bytes of the device."""
    pool = devices.run_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=max(nbytes, 1))
    try:
        yield
    finally:
        pool.set_limit(size=0)
