"""The two bounds of exact pruning: a score that the best alignment reaches at least, and what a path can still gain.

No alignment through a cell (i, j) scores more than H(i, j), or the value of the gap state there, plus the most that its
rest can gain; where that is less than a score that some alignment has, the cell cannot lie on a best one.

**What the rest can gain.** A path from (i, j) on takes letters of both rests. Each letter of a row gains at most its
best score with any letter, so all together at most their sum, and the same holds for the columns: the lesser sum
counts. A word that occurs nowhere in the other sequence cannot be matched whole. Whoever passes it pairs one of its
letters with another letter, or skips one, or puts a gap between two of them; so it loses at least the cheapest of
these. Words that do not overlap lose each for themselves. One gap may skip letters of several words: half of its
opening is charged to the first and half to the last of them, and to each the letters that it skips there. (The bound is
the seed heuristic of A*PA, Groot Koerkamp and Ivanov 2024, for any scores and affine gaps.)

Where the path must use up all columns, columns that exceed the rows are in gaps, and their extension is subtracted,
too; the gap between two letters of a word then costs its opening alone. So for the rows.

Of gap costs of two pieces the cheaper one counts in each place.

**The least score.** Words of both sequences are chained to a path (cpu_chain.py), whose score is a lower bound; its
gaps cost what the first piece says.
"""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from antidiag.kernels.pairwise.encoding import EncodedPair
from antidiag.kernels.pairwise.pruning import cpu_chain, cpu_words, sizes
from antidiag.kernels.processors import count_processors

MOST_MATCHES = 2**22
"""Matches that are chained at most."""
PIECE, CELLS, MOST_THREADS = 2**20, 2**15, 8
"""Columns that are searched, and cells of a chain that are joined, at a time on each of so many threads at most."""
SAMPLED_WORDS = 4096
"""Words that are looked for first in a long pair."""
CHANCE, LEAST_SIMILAR = 1.25, 0.015
"""Factor of the words that are found by chance, and share of those that similar sequences have in common at least."""
LEAST_SHARE = 0.05
"""Where the least score is a smaller share of the greatest one that could be, next to nothing can be skipped."""


@dataclass(frozen=True, eq=False)
class PruningBounds:
    """Bounds by which blocks are skipped.

    ``least`` is a score that the best alignment has at least. ``row_gains`` int32 (m + 1) and ``column_gains`` int32
    (n + 1) are the most that the letters from each position on can gain. ``column_cost`` is the extension cost of a
    gap where paths must use up all columns, else 0; so ``row_cost`` for the rows. ``chain`` int32 (cells, 2) and
    ``scores`` int64 (cells) are the path whose score is ``least``: its cells, and its score up to each. The costs of
    gaps, and whether a path may start in every cell, are those of the pair.
    """

    least: int
    row_gains: np.ndarray
    column_gains: np.ndarray
    row_cost: int
    column_cost: int
    gap_open: int
    gap_extend: int
    starts_anywhere: bool
    chain: np.ndarray
    scores: np.ndarray

    def gain(self, row: int, column: int) -> int:
        """Return the most that a path can still gain behind a cell."""
        rows, columns = self.row_gains.size - 1 - row, self.column_gains.size - 1 - column
        return min(
            int(self.row_gains[row]) - self.column_cost * max(columns - rows, 0),
            int(self.column_gains[column]) - self.row_cost * max(rows - columns, 0),
        )

    def restrict(self, row: int, column: int, least: int) -> PruningBounds:
        """Return the bounds of the matrix below a row and right of a column, with another least score."""
        return replace(self, least=least, row_gains=self.row_gains[row:], column_gains=self.column_gains[column:])


def find_bounds(pair: EncodedPair) -> PruningBounds | None:
    """Return the bounds of a pair, or None where they are too far apart for anything to be skipped."""
    ranks, length, bits = sizes.choose_words(pair.rows, pair.columns)
    rows, columns = ranks[pair.rows], ranks[pair.columns]
    if not _are_similar(rows, columns, length, bits):
        return None
    forced = not (pair.is_local or pair.free.bottom), not (pair.is_local or pair.free.right)
    least_extend = min(extend for _, extend in pair.gap_pieces)
    column_cost, row_cost = (least_extend if is_forced else 0 for is_forced in forced)
    by_rows = partial(_compute_gains, pair, rows, columns, pair.rows, pair.table, column_cost, length, bits)
    by_columns = partial(_compute_gains, pair, columns, rows, pair.columns, pair.table.T, row_cost, length, bits)
    with ThreadPoolExecutor(min(count_processors(), MOST_THREADS)) as pool:
        gains = [pool.submit(by_rows), pool.submit(by_columns)]
        chain, scores, least = _score_chain(pair, _chain_words(rows, columns, length, bits, pool), pool)
    if least < LEAST_SHARE * max(_most_score(pair), 1):
        return None
    return PruningBounds(
        least=least,
        row_gains=gains[0].result(),
        column_gains=gains[1].result(),
        row_cost=row_cost,
        column_cost=column_cost,
        gap_open=pair.open,
        gap_extend=pair.extend,
        starts_anywhere=pair.is_local,
        chain=chain,
        scores=scores,
    )


def _are_similar(rows: np.ndarray, columns: np.ndarray, length: int, bits: int) -> bool:
    """Return whether more words of the rows occur in the columns than by chance, judged by a sample of long pairs."""
    apart = rows.size // SAMPLED_WORDS
    if apart < length:
        return True
    found = cpu_chain.count_shared_words(rows, columns, length, bits, apart)
    by_chance = columns.size / 2 ** (bits * length)
    return found > SAMPLED_WORDS * (CHANCE * by_chance + LEAST_SIMILAR)


def _compute_gains(
    pair: EncodedPair,
    own: np.ndarray,
    other: np.ndarray,
    codes: np.ndarray,
    table: np.ndarray,
    gap_cost: int,
    length: int,
    bits: int,
) -> np.ndarray:
    """Return the most that the letters of a sequence from each position on can gain; int32 (letters + 1).

    ``own`` and ``other`` are ranks; ``codes`` and ``table`` are those of the sequence. ``gap_cost``: what is subtracted
    for each letter of the other sequence that must be in a gap.
    """
    marks = np.zeros(sizes.table_bytes(length, bits), np.uint8)
    cpu_words.mark_words(other, length, bits, marks)
    best, losses = _letter_scores(pair, table, length)
    gains = np.empty(own.size + 1, np.int32)
    absent = cpu_words.find_absent_words(own, length, bits, marks)
    most_loss = min(map(sum, pair.gap_pieces)) - gap_cost
    cpu_words.compute_gains(codes, length, absent, best, losses, most_loss, gains)
    return gains


def _most_score(pair: EncodedPair) -> int:
    """Return a score that no alignment exceeds, from the best score of each letter alone."""
    sums = []
    for codes, table in ((pair.rows, pair.table), (pair.columns, pair.table.T)):
        best = np.maximum(table.max(axis=1), 0)
        sums.append(int(np.bincount(codes, minlength=best.size) @ best))
    return min(sums)


def _letter_scores(pair: EncodedPair, table: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the best score of each letter, at least 0, and what it loses in a pair with another letter or in a gap.

    Both int32. ``table`` is indexed by the letter first.
    """
    best = np.maximum(table.max(axis=1), 0)
    others = table.astype(np.int64)
    np.fill_diagonal(others, -(2**30))
    losses = best - others.max(axis=1)
    for opening, extend in pair.gap_pieces:
        skipped = best + extend
        losses = np.minimum(losses, np.minimum(opening // 2 + skipped, length * skipped))
    return best.astype(np.int32), losses.astype(np.int32)


def _chain_words(rows: np.ndarray, columns: np.ndarray, length: int, bits: int, pool: Executor) -> np.ndarray:
    """Return the cells where words of the longest chain begin and end; int32 (cells, 2)."""
    count = rows.size // length
    slots = np.zeros(sizes.slot_count(count), np.int64)
    places = np.empty(slots.size, np.int32)
    cpu_chain.store_words(rows, length, bits, slots, places)

    def find_in_piece(start: int) -> np.ndarray:
        end = min(start + PIECE + length - 1, columns.size)
        found = np.empty((2 * (end - start), 2), np.int32)
        return found[: cpu_chain.find_matches(rows, columns, start, end, length, bits, slots, places, found)]

    found = np.concatenate([*pool.map(find_in_piece, range(0, columns.size, PIECE))])[:MOST_MATCHES]
    chosen = found[cpu_chain.chain_matches(found)]
    kept = np.ones(len(chosen), bool)  # words of one row each; of columns that overlap, the first
    if len(chosen):
        kept[1:] = (np.diff(chosen, axis=0) >= length).all(axis=1)
    chosen = chosen[kept]
    return np.stack([chosen, chosen + length], axis=1).reshape(-1, 2).astype(np.int32)


def _score_chain(pair: EncodedPair, cells: np.ndarray, pool: Executor) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the path along a chain with its ends, the score up to each cell, and the score of the path."""
    cells = cells if len(cells) else np.zeros((1, 2), np.int32)
    cells = np.concatenate([_path_start(pair, cells[0]), cells, _path_end(pair, cells[-1])]).astype(np.int32)
    scores = np.zeros(len(cells), np.int64)

    def score_piece(start: int) -> None:
        piece = slice(start, start + CELLS + 1)
        found = np.empty(len(cells[piece]), np.int64)
        cpu_chain.score_joints(pair.rows, pair.columns, pair.table, pair.open, pair.extend, cells[piece], found)
        scores[piece][1:] = found[1:]

    list(pool.map(score_piece, range(0, len(cells) - 1, CELLS)))
    return cells, scores, int(cpu_chain.add_joints(scores, pair.is_local, pair.is_local))


def _path_start(pair: EncodedPair, cell: np.ndarray) -> np.ndarray:
    """Return where a path that goes through a cell begins; int64 (1, 2)."""
    start = cell - cell.min()
    if (start[0] and not pair.free.left) or (start[1] and not pair.free.top):
        start = np.zeros(2, np.int64)
    return start[None]


def _path_end(pair: EncodedPair, cell: np.ndarray) -> np.ndarray:
    """Return where a path that goes through a cell ends; int64 (1, 2)."""
    corner = np.array([pair.rows.size, pair.columns.size])
    end = cell + (corner - cell).min()
    row_left, column_left = end < corner
    if not pair.is_local and ((row_left and not pair.free.right) or (column_left and not pair.free.bottom)):
        end = corner
    return end[None]
