"""Single linkage over longest common subsequences, as FAMSA has it: the guide tree of families of many sequences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernels.cpu import workers
from kernels.parttree import cpu_lcs


def codes_of(letters: np.ndarray, alphabet: bytes) -> np.ndarray:
    """The place of every letter in an alphabet, 20 for others; uint8."""
    table = np.full(256, cpu_lcs.SYMBOLS - 1, np.uint8)
    table[np.frombuffer(alphabet, np.uint8)] = np.arange(len(alphabet))
    return table[letters]


def single_linkage(
    codes: np.ndarray, offsets: np.ndarray, threads: int, tell: Callable[[int, int], None]
) -> tuple[np.ndarray, np.ndarray]:
    """Joins int64 (n - 1, 2) and heights float64 (n - 1,) of sequences of codes (uint8, 20 for no letter).

    ``tell(pairs, of)`` is progress.
    """
    count = offsets.size - 1
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    sorted_offsets = np.concatenate([[0], np.cumsum(lengths[order])])
    places = np.arange(sorted_offsets[-1]) + np.repeat(offsets[order] - sorted_offsets[:-1], lengths[order])
    own = cpu_lcs.masks(codes[places], sorted_offsets)
    nearest, heights, new = np.empty(count, np.int64), np.empty(count, np.float32), np.empty(count, np.float32)
    words, stop, done = np.zeros(16, np.int64), workers.stop_word(), np.zeros(1, np.int64)
    threads = max(1, min(threads, -(-count // cpu_lcs.ROWS)))

    def work(worker: int) -> None:
        cpu_lcs.slink(own, np.empty((cpu_lcs.ROWS, count), np.float32), words, nearest, heights, new, done, stop)

    workers.share(work, threads, stop, lambda: tell(int(done[0]) ** 2, count**2))
    joins, levels = np.empty((max(count - 1, 0), 2), np.int64), np.empty(max(count - 1, 0))
    cpu_lcs.joins_of(nearest, heights, np.argsort(heights, kind="stable"), joins, levels)
    leaves = joins < count
    joins[leaves] = order[joins[leaves]]
    return joins, levels
