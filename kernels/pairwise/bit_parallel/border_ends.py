"""Where the best path ends, from the words of the last row and of the last column."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.pairwise.bit_parallel.word_pair import WordPair
from antidiag.kernels.pairwise.encoding import EndCell

BITS = 64


def find_end(pair: WordPair, row: np.ndarray, column: np.ndarray) -> EndCell:
    """Return the end of the best path by the tie rule.

    ``row`` int64 (2, words): plus and minus of the last row, from the first padding column on. ``column`` int64 (2,
    words): rise and fall of the last column.
    """
    m, n, free = pair.m, pair.n, pair.pair.free
    top, left = (0 if free.top else n), (0 if free.left else m)
    last_row = least_of_bits(row[0], row[1], left, pair.padding, n, free.bottom)
    return pair.choose_end(last_row, least_of_bits(column[0], column[1], top, 0, m, True))


@cached_njit
def least_of_bits(up, down, value, padding, count, anywhere):
    """Return the least of the numbers that begin with ``value`` and change by bits, and its place, counted from 1.

    ``value`` itself does not count; without ``anywhere`` only the last number does.
    """
    least, least_at = 2**62, 0
    for at in range(padding, padding + count):
        word, bit = at // BITS, at % BITS
        value += (up[word] >> bit & 1) - (down[word] >> bit & 1)
        if (anywhere or at == padding + count - 1) and value < least:
            least, least_at = value, at - padding + 1
    return least, least_at


def compile_functions() -> None:
    """Compile what this module calls, or load it from the cache folder."""
    words = np.zeros((2, 1), np.int64)
    least_of_bits(words[0], words[1], 0, 0, 1, True)
