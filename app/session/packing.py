"""Deflate by all cores, for members of a zip that are large: one core packs some 65 MB of numbers a second."""

from __future__ import annotations

import zlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import count_processors

LEVEL, RAW = 1, -15
"""As `zipfile` has a zip's members packed at its fastest: deflate without a header of its own."""
PIECE = 1 << 20
"""Bytes that are packed by themselves; each begins anew, which costs some bytes."""
AHEAD = 4
"""Pieces a core that are packed or wait while others are written."""


SAMPLES, SAMPLE = 8, 1 << 16
"""Places of an array that are tried, and bytes of each."""


def saved_share(array: np.ndarray) -> float:
    """Which part of a large array's bytes packing would save, by some places of it."""
    flat = array.reshape(-1).view(np.uint8)
    places = np.linspace(0, flat.size - SAMPLE, SAMPLES).astype(np.int64).tolist()
    return 1 - sum(len(_packed(flat[at : at + SAMPLE].data)) for at in places) / (SAMPLES * SAMPLE)


class Packer:
    """Takes the place of zlib's compressor, as `zipfile` uses one: `compress`, then `flush` once."""

    def __init__(self) -> None:
        self._threads = count_processors()
        self._pool = ThreadPoolExecutor(self._threads, "antidiag-packer")
        self._pending: deque[Future[bytes]] = deque()

    def compress(self, given: Any) -> bytes:
        """What is packed by now; the bytes that are given may be changed no more."""
        view = memoryview(given).cast("B")
        for at in range(0, len(view), PIECE):
            self._pending.append(self._pool.submit(_packed, view[at : at + PIECE]))
        found = []
        while self._pending and (self._pending[0].done() or len(self._pending) > AHEAD * self._threads):
            found.append(self._pending.popleft().result())
        return b"".join(found)

    def flush(self) -> bytes:
        """The rest, and the end."""
        try:
            return b"".join([*(piece.result() for piece in self._pending), zlib.compressobj(LEVEL, wbits=RAW).flush()])
        finally:
            self.close()

    def close(self) -> None:
        """End the threads, also where the end of what is packed never comes."""
        self._pending.clear()
        self._pool.shutdown(cancel_futures=True)


def _packed(piece: memoryview) -> bytes:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, RAW)
    return packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
