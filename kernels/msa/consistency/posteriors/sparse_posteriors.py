"""Sparse posteriors of all pairs of sequences: compressed rows of every ordered pair in common arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True, eq=False)
class SparsePosteriors:
    """Posteriors of all ordered pairs (x, y) of sequences with ``lengths``, in compressed rows of the letters of x.

    Row i of pair p = x n + y lies in ``columns`` (uint16, rising) and ``units`` (uint16, of 1 / 65,536) from
    ``entries[p] + pointers[rows[p] + i]`` up to the same of i + 1. ``rows`` and ``entries`` are int64 (n n,),
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
        """Return the number of sequences."""
        return self.lengths.size

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """Return the arrays in the order in which compiled functions take them."""
        return self.lengths, self.rows, self.entries, self.pointers, self.columns, self.units

    def dense(self, x: int, y: int) -> np.ndarray:
        """Return the posteriors of one pair, float64 (length of x, length of y)."""
        found, pair = np.zeros((self.lengths[x], self.lengths[y])), x * self.count + y
        pointers = self.pointers[self.rows[pair] : self.rows[pair] + self.lengths[x] + 1]
        entries = slice(self.entries[pair], self.entries[pair] + pointers[-1])
        found[np.repeat(np.arange(self.lengths[x]), np.diff(pointers)), self.columns[entries]] = self.units[entries]
        return found / 65536


class CompressedPairs(NamedTuple):
    """Compressed rows of some unordered pairs (x, y).

    ``pairs`` int32 (k, 2). Pointers of pair p begin at ``pointers[rows[p]]`` (int32, one more than x has letters), its
    entries in ``columns`` and ``units`` at ``begins[p]``. Pointers lie one after another, and so do entries.
    """

    pairs: np.ndarray
    rows: np.ndarray
    begins: np.ndarray
    pointers: np.ndarray
    columns: np.ndarray
    units: np.ndarray


def compress_rows(
    pairs: np.ndarray, lengths: np.ndarray, counts: np.ndarray, columns: np.ndarray, units: np.ndarray
) -> CompressedPairs:
    """Return pairs whose entries lie one after another, ``counts`` of them (letters of all x,) in each row."""
    m = lengths[pairs[:, 0]]
    rows, sums = exclusive_sums(m + 1), np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    begins = sums[exclusive_sums(m)]
    pointers = np.zeros(counts.size + m.size, np.int32)
    is_end_of_row = np.ones(pointers.size, bool)
    is_end_of_row[rows] = False
    pointers[is_end_of_row] = sums[1:] - np.repeat(begins, m)
    return CompressedPairs(pairs, rows, begins, pointers, columns, units)


def join_pointers(
    pairs: np.ndarray, lengths: np.ndarray, pointers: np.ndarray, columns: np.ndarray, units: np.ndarray
) -> CompressedPairs:
    """Return pairs whose pointers and entries lie one after another."""
    m = lengths[pairs[:, 0]]
    rows = exclusive_sums(m + 1)
    return CompressedPairs(pairs, rows, exclusive_sums(pointers[rows + m]), pointers, columns, units)


def allocate_pairs(lengths: np.ndarray, parts: Iterable[CompressedPairs]) -> SparsePosteriors:
    """Allocate posteriors for the pairs of all parts in both orders; other pairs have no entries."""
    counts = np.zeros((lengths.size, lengths.size), np.int64)
    for part in parts:
        x, y = part.pairs.T
        counts[x, y] = counts[y, x] = part.pointers[part.rows + lengths[x]]
    rows, entries, pointers, total = compute_offsets(lengths, counts)
    return SparsePosteriors(
        lengths, rows, entries, np.zeros(pointers, np.int32), np.empty(total, np.uint16), np.empty(total, np.uint16)
    )


def compute_offsets(lengths: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Return ``rows`` and ``entries`` of `SparsePosteriors` for these counts, and numbers of pointers and entries."""
    n = lengths.size
    sizes = np.broadcast_to(lengths[:, None] + 1, (n, n)).copy()
    np.fill_diagonal(sizes, 0)
    entries = exclusive_sums(counts)
    return exclusive_sums(sizes), entries, int(sizes.sum()), int(entries[-1] + counts[-1, -1]) if n else 0


def exclusive_sums(sizes: np.ndarray) -> np.ndarray:
    """Return exclusive prefix sums of the flattened array."""
    flat = sizes.reshape(-1)
    sums = np.cumsum(flat, dtype=np.int64)
    sums -= flat
    return sums
