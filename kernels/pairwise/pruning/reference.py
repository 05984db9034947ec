"""Pruning as in a textbook: short, slow, easy to trust.

A block of s columns and T rows is not computed where every way into it scores less than `least`:

    max( H, E + open above it;  H, F + open on its left;  0 where an alignment may begin inside )
        + the most that can be gained behind its first cell  <  least

E + open, because a gap that goes on into the block does not open again, while what is gained behind the cell counts
each gap with its opening. Where gap costs have two pieces, each has its E and F.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.pairwise.encoding import NEGATIVE, EncodedPair
from antidiag.kernels.pairwise.pruning import sizes
from antidiag.kernels.pairwise.reference import AffineMatrices, border_matrices

Block = tuple[int, int]
"""Numbers of a block: among the blocks of its strip, and of its strip."""


@dataclass(frozen=True, eq=False)
class BlockBound:
    """The bound of a block, which is computed only if ``greatest`` + ``gain`` reaches the least score.

    ``greatest`` is the greatest value of its border, in cell ``entry``; None for a path that begins inside.
    """

    greatest: int
    entry: tuple[int, int] | None
    gain: int

    @property
    def most(self) -> int:
        """The most that an alignment through the block can score."""
        return self.greatest + self.gain


@dataclass(frozen=True, eq=False)
class PrunedMatrices:
    """H, E and F of computed cells, minus infinity elsewhere, and the bound of every block."""

    values: AffineMatrices
    least: int
    bounds: dict[Block, BlockBound]

    def is_skipped(self, block: Block) -> bool:
        """Return whether a block was skipped."""
        return self.bounds[block].most < self.least


def list_gains(pair: EncodedPair, by_rows: bool) -> list[int]:
    """Return the most that the letters from each position on can gain, of the rows or of the columns.

    Words that the other sequence does not have lose something; of these as many as do not overlap count, from the end.
    """
    own, other, table = (pair.rows, pair.columns, pair.table) if by_rows else (pair.columns, pair.rows, pair.table.T)
    length = sizes.choose_words(pair.rows, pair.columns)[1]
    words = {other[j : j + length].tobytes() for j in range(other.size - length + 1)}
    best = [max(int(row.max()), 0) for row in table]
    losses = [_least_loss(pair, table, letter, best[letter], length) for letter in range(len(table))]
    is_forced = not (pair.is_local or (pair.free.bottom if by_rows else pair.free.right))
    most_loss = min(map(sum, pair.gap_pieces)) - (min(extend for _, extend in pair.gap_pieces) if is_forced else 0)
    gains, free_from = [0] * (own.size + 1), own.size
    for i in reversed(range(own.size)):
        word = own[i : i + length]
        gains[i] = gains[i + 1] + best[own[i]]
        if i + length <= free_from and word.size == length and word.tobytes() not in words:
            total = sum(best[letter] for letter in word)
            passing = gains[i + length] + total - min(most_loss, *(losses[letter] for letter in word))
            gains[i], free_from = max(passing, total - best[word[-1]]), i
    return np.maximum.accumulate(gains[::-1])[::-1].tolist()


def _least_loss(pair: EncodedPair, table: np.ndarray, letter: int, best: int, length: int) -> int:
    """Return what a letter loses at least in a pair with another one, or in a gap."""
    others = np.delete(table[letter], letter)
    in_gap = [min(opening // 2 + best + extend, length * (best + extend)) for opening, extend in pair.gap_pieces]
    return min(best - int(others.max(initial=NEGATIVE)), *in_gap)


def prune_matrices(pair: EncodedPair, s: int, T: int, least: int) -> PrunedMatrices:
    """Return the matrices of a pair without the blocks through which no alignment scores ``least``."""
    m, n = pair.rows.size, pair.columns.size
    found = PrunedMatrices(border_matrices(pair), least, {})
    row_gains, column_gains = list_gains(pair, by_rows=True), list_gains(pair, by_rows=False)
    for strip, left in enumerate(range(0, n, s)):
        for number, top in enumerate(range(0, m, T)):
            bottom, right = min(top + T, m), min(left + s, n)
            gain = min(row_gains[top], column_gains[left])
            found.bounds[number, strip] = _bound_block(pair, found, (top, bottom), (left, right), gain)
            if not found.is_skipped((number, strip)):
                _fill_block(pair, found, range(top + 1, bottom + 1), range(left + 1, right + 1))
    return found


def _bound_block(
    pair: EncodedPair, found: PrunedMatrices, rows: tuple[int, int], columns: tuple[int, int], gain: int
) -> BlockBound:
    """Return the bound of the block of rows rows[0] + 1 .. rows[1] and of columns columns[0] + 1 .. columns[1]."""
    (top, bottom), (left, right) = rows, columns
    H, openings = found.values.H, [opening for opening, _ in pair.gap_pieces]

    def best_into(gaps: tuple[np.ndarray, ...], i: int, j: int) -> tuple[int, tuple[int, int]]:
        going_on = (int(values[i, j]) + opening for values, opening in zip(gaps, openings, strict=True))
        return max(int(H[i, j]), *going_on), (i, j)

    above = [best_into(found.values.each_e, top, j) for j in range(left, right + 1)]
    beside = [best_into(found.values.each_f, i, left) for i in range(top, bottom + 1)]
    greatest, entry = max(above + beside, key=lambda one: one[0])
    if pair.is_local and greatest < 0:
        return BlockBound(0, None, gain)
    return BlockBound(greatest, entry, gain)


def _fill_block(pair: EncodedPair, found: PrunedMatrices, rows: range, columns: range) -> None:
    H, each_e, each_f = found.values.H, found.values.each_e, found.values.each_f
    for i in rows:
        for j in columns:
            best = max(H[i - 1, j - 1] + pair.table[pair.rows[i - 1], pair.columns[j - 1]], pair.score_floor)
            for (opening, extend), E, F in zip(pair.gap_pieces, each_e, each_f, strict=True):
                E[i, j] = max(E[i - 1, j], H[i - 1, j] - opening) - extend
                F[i, j] = max(F[i, j - 1], H[i, j - 1] - opening) - extend
                best = max(best, E[i, j], F[i, j])
            H[i, j] = best
