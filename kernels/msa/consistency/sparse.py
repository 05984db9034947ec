"""Posteriors of all pairs of sequences, sparse: compressed rows of every ordered pair, in arrays for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Of sequences of ``lengths``, for each ordered pair (x, y) the posteriors of the letters of x, in rows.

    Row i of pair p = x n + y is what is from ``entries[p] + pointers[rows[p] + i]`` to the same of i + 1 in
    ``columns`` (uint16, rising) and ``units`` (uint16, of 1 / 65,536). ``rows`` and ``entries`` are int64 (n n,),
    ``pointers`` int32. A pair (x, x) has no entries.
    """

    lengths: np.ndarray
    rows: np.ndarray
    entries: np.ndarray
    pointers: np.ndarray
    columns: np.ndarray
    units: np.ndarray

    @property
    def count(self) -> int:
        """Number of sequences."""
        return self.lengths.size

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """What compiled functions take."""
        return self.lengths, self.rows, self.entries, self.pointers, self.columns, self.units

    def dense(self, x: int, y: int) -> np.ndarray:
        """The posteriors of one pair, float64 (length of x, length of y)."""
        found, pair = np.zeros((self.lengths[x], self.lengths[y])), x * self.count + y
        pointers = self.pointers[self.rows[pair] : self.rows[pair] + self.lengths[x] + 1]
        entries = slice(self.entries[pair], self.entries[pair] + pointers[-1])
        found[np.repeat(np.arange(self.lengths[x]), np.diff(pointers)), self.columns[entries]] = self.units[entries]
        return found / 65536


class Part(NamedTuple):
    """Compressed rows of some unordered pairs (x, y), as they were found.

    ``pairs`` int32 (k, 2). Of pair p the pointers are ``pointers[rows[p] ..]`` (int32, one more than x has letters),
    its entries ``columns`` and ``units`` from ``begins[p]`` on.
    """

    pairs: np.ndarray
    rows: np.ndarray
    begins: np.ndarray
    pointers: np.ndarray
    columns: np.ndarray
    units: np.ndarray


def room_for(lengths: np.ndarray, parts: Iterable[Part]) -> Posteriors:
    """Room for the pairs of all parts in both orders; pairs that are in none have no entries."""
    counts = np.zeros((lengths.size, lengths.size), np.int64)
    for part in parts:
        x, y = part.pairs.T
        counts[x, y] = counts[y, x] = part.pointers[part.rows + lengths[x]]
    return layout(lengths, counts)


def layout(lengths: np.ndarray, counts: np.ndarray) -> Posteriors:
    """Room for so many entries of each pair, int64 (n, n), symmetric."""
    rows, entries, pointers, total = offsets(lengths, counts)
    return Posteriors(
        lengths, rows, entries, np.zeros(pointers, np.int32), np.empty(total, np.uint16), np.empty(total, np.uint16)
    )


def offsets(lengths: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, int]:
    """``rows`` and ``entries`` of `Posteriors` with so many entries a pair; how many pointers and entries it has."""
    n = lengths.size
    sizes = np.broadcast_to(lengths[:, None] + 1, (n, n)).copy()
    np.fill_diagonal(sizes, 0)
    entries = _before(counts)
    return _before(sizes), entries, int(sizes.sum()), int(entries[-1] + counts[-1, -1]) if n else 0


def _before(sizes: np.ndarray) -> np.ndarray:
    flat = sizes.reshape(-1)
    sums = np.cumsum(flat, dtype=np.int64)
    sums -= flat
    return sums
