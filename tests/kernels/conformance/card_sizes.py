"""A card whose memory is as large as an estimate: a run that was planned to fit has to fit, with the gaps that its
memory pool keeps between arrays. A pool treats its limit as the end of the card: what is free is given back first.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from antidiag.kernels import engine
from antidiag.kernels.cuda import devices
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method
from tests.kernels.conformance.memory import planned_at

SMALL_ARRAYS = 1 << 18
"""Bytes that an estimate may leave out: arrays of the size of a few numbers, in pieces of 512 bytes."""
GAPS = 1.15
"""How many times the estimate a pool may take of a small card, on which a single array is a large part of it."""
LONGEST_S, GROWTH = 1.0, 8
"""Seconds that the largest run may take, and how many times longer a run takes whose size is doubled, at most."""


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


def fits_its_card(method: Method, longest_s: float = LONGEST_S) -> int:
    """Run the largest of a method's problems that is quick on a card of the size of its estimate; return that size.

    Raises MemoryRefused where the run does not fit.
    """
    planned, size, taken_s = None, 1, 0.0
    while taken_s * GROWTH <= longest_s and (larger := planned_at(method, "cuda", size)) is not None:
        planned, size = larger, 2 * size
        began = time.perf_counter()
        result = engine.execute(planned, keep_rate=False, keep_parts=False)
        taken_s = time.perf_counter() - began - result.times_ms.get("compilation", 0.0) / 1e3
    assert planned is not None, f"{method.id}: the smallest of the large problems is refused"
    with small_card(card_bytes(planned.footprint)):
        engine.execute(planned, keep_rate=False, keep_parts=False)
    return card_bytes(planned.footprint)
