"""Statistics of the columns of an alignment: consensus, conservation, gaps, entropy.

Letters are counted in classes: 0 a gap, 1 to 26 the letters A to Z, 27 the stop '*'.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.alignments.cpu_blocks import BLOCK_MASK, BLOCK_SHIFT
from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.sequences.alphabets import ambiguous_letters

PROTEIN = SequenceType.PROTEIN
CLASSES = 28
LETTER_CLASS = np.zeros(256, np.uint8)
LETTER_CLASS[ord("A") : ord("Z") + 1] = np.arange(1, 27)
LETTER_CLASS[ord("*")] = 27
CLASS_LETTER = np.frombuffer(b"-ABCDEFGHIJKLMNOPQRSTUVWXYZ*", np.uint8)
"""The letter of each class."""
BATCH_LETTERS = 1 << 25
"""Letters that are counted between two checks for cancelling."""
AMBIGUOUS_CLASSES = {
    size: LETTER_CLASS[list(ambiguous_letters(protein).encode())] for size, protein in ((20, True), (4, False))
}
"""The classes of ambiguous letters, by the size of the alphabet."""
BATCH_COLUMNS = 1 << 16
"""Columns in a batch, so that temporary arrays stay small."""
CACHED_COLUMNS = 1 << 12
"""Columns that are counted together; their counts fit the cache of a core."""

PROPERTIES = {
    "hydrophobic": "ACFGHIKLMTVWXY",
    "polar": "CDEHKNQRSTWXY",
    "small": "ACDGNPSTVX",
    "proline": "PX",
    "tiny": "AGSCX",
    "aliphatic": "ILVX",
    "aromatic": "FHWYX",
    "positive": "HKRX",
    "negative": "DEX",
    "charged": "DEHKRX",
}
"""The properties of amino acids of Livingstone and Barton (1993)."""


@cached_njit
def add_counts(letters, classes, counts):
    """Add the classes of ``letters``, uint8 (rows, columns), to ``counts``, int32 (columns, CLASSES)."""
    for row in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            counts[column, classes[letters[row, column]]] += 1


@cached_njit
def add_block_counts(table, array, blocks, starts, stored, lengths, classes, counts):
    """Add the classes of letters in blocks to ``counts``: of runs of columns, each within one block."""
    for row in range(table.shape[0]):
        for run in range(starts.size):
            entry, place, length = table[row, stored[run] >> BLOCK_SHIFT], stored[run], lengths[run]
            of_run = counts[starts[run] : starts[run] + length]
            if entry >= 0:
                _add_letters(array[entry, place : place + length], classes, of_run)
            else:
                place &= BLOCK_MASK
                _add_letters(blocks[~entry, place : place + length], classes, of_run)


@inner_njit
def _add_letters(letters, classes, counts):
    """Add the classes of letters, one a column."""
    for column in range(letters.size):
        counts[column, classes[letters[column]]] += 1


@cached_njit
def change_counts(old, new, array, blocks, rows, tiles, firsts, columns, stored, classes, counts):
    """Change ``counts``, int32 (columns, CLASSES), by what the table ``new`` has otherwise than ``old``.

    They differ in the blocks ``tiles`` of ``rows``; block t has ``columns`` from firsts[t] to firsts[t + 1], ``stored``
    at these places of a row.
    """
    for entry in range(rows.size):
        row, tile = rows[entry], tiles[entry]
        for at in range(firsts[tile], firsts[tile + 1]):
            place, entry = stored[at], old[row, tile]
            gone = array[entry, place] if entry >= 0 else blocks[~entry, place & BLOCK_MASK]
            entry = new[row, tile]
            come = array[entry, place] if entry >= 0 else blocks[~entry, place & BLOCK_MASK]
            if gone != come:  # most cells of a block stay
                counts[columns[at], classes[gone]] -= 1
                counts[columns[at], classes[come]] += 1


class CountUpdate:
    """The counts of an edited alignment, from those of the alignment before the edit.

    ``new`` has as many rows as ``old``, and the same store. ``cells`` is how many cells must be looked at.
    """

    def __init__(self, before: ColumnCounts, old: BlockedCells, new: BlockedCells) -> None:
        self._before, self._new = before, new
        width = max(old.table.shape[1], new.table.shape[1])
        self._tables = [tiles.table_of(width) for tiles in (old, new)]
        self._rows, self._tiles = old.changed_blocks(new)
        column = np.full(max(old.used, new.used), -1)
        column[old.places] = np.arange(old.places.size)
        self._column = column[new.places]
        kept = np.bincount(new.places[self._column >= 0] >> BLOCK_SHIFT, minlength=width)
        self.cells = int(kept[self._tiles].sum()) + int((self._column < 0).sum()) * len(new)

    def columns(self, monitor: Monitor | None = None) -> ColumnCounts:
        """Return the counts of the edited alignment."""
        counts = self._before.counts[self._column]
        kept, fresh = np.flatnonzero(self._column >= 0), np.flatnonzero(self._column < 0)
        if fresh.size:
            counts[fresh] = count_columns(self._new.select_columns(fresh), monitor).counts
        kept = kept[np.argsort(self._new.places[kept] >> BLOCK_SHIFT, kind="stable")]
        stored = self._new.places[kept]
        firsts = np.searchsorted(stored >> BLOCK_SHIFT, np.arange(self._tables[0].shape[1] + 1))
        store = self._new.store
        change_counts(
            *self._tables,
            store.cells,
            store.blocks,
            self._rows,
            self._tiles,
            firsts,
            kept,
            stored,
            LETTER_CLASS,
            counts,
        )
        counts.setflags(write=False)
        return replace(self._before, counts=counts)


def count_columns(
    letters: np.ndarray | BlockedCells, monitor: Monitor | None = None, type: SequenceType | None = None
) -> ColumnCounts:
    """Count the letter classes of every column, on all cores where there are many.

    Parameters
    ----------
    letters : array of uint8 or BlockedCells, shape (rows, columns)
        Letters as in `AlignedSequences`.
    monitor : Monitor, optional
        Receives the parts that are done; may cancel.
    type : SequenceType, optional
        Says which letters are ambiguous; without it none is.

    Returns
    -------
    ColumnCounts
    """
    monitor = monitor or Monitor()
    rows, columns = letters.shape
    counts = np.zeros((columns, CLASSES), np.int32)
    width = max(1, min(columns, CACHED_COLUMNS))
    step = max(1, BATCH_LETTERS // width)
    parts = [
        (slice(row, min(row + step, rows)), slice(first, min(first + width, columns)))
        for first in range(0, columns, width)
        for row in range(0, rows, step)
    ]
    adding, done = threading.Lock(), [0]

    def add(part: tuple[slice, slice]) -> None:
        found = np.zeros((part[1].stop - part[1].start, CLASSES), np.int32)
        _add_part(letters, *part, found)
        with adding:  # other threads count the same columns
            counts[part[1]] += found
            done[0] += 1

    workers.map_on_threads(add, parts, poll=lambda: monitor.update(done[0], len(parts), "counting"))
    counts.setflags(write=False)
    return ColumnCounts(counts, rows, type)


def _add_part(letters: np.ndarray | BlockedCells, rows: slice, columns: slice, counts: np.ndarray) -> None:
    """Add the letters of some rows and columns to the counts of these columns."""
    if isinstance(letters, BlockedCells):
        table, array, blocks = letters.storage
        add_block_counts(table[rows], array, blocks, *letters.runs(columns), LETTER_CLASS, counts)
    else:
        add_counts(letters[rows, columns], LETTER_CLASS, counts)


def _column_entropy(counts: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return Shannon's entropy in bits of the letters of each column; ``there`` is their total."""
    counts = counts[:, counts.any(axis=0)]  # of nucleotides few of the classes
    shares = counts / np.maximum(there, 1)[:, None]
    return 0 - (shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=1)  # a minus alone would make -0


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """Counts of letter classes: ``counts`` is int32 (columns, CLASSES), for an alignment of ``rows`` rows.

    Ambiguous letters of the ``type`` are identical to none: they are no consensus beside a known letter and make no
    identity, conservation of 11, or information. Each property is one value a column, float32 or uint8.
    """

    counts: np.ndarray
    rows: int
    type: SequenceType | None = None

    def __len__(self) -> int:
        return len(self.counts)

    def part(self, first: int, last: int) -> ColumnCounts:
        """Return the counts of columns ``first`` to ``last``."""
        return replace(self, counts=self.counts[first:last])

    @property
    def ambiguous(self) -> np.ndarray:
        """The classes of letters that are identical to none."""
        return LETTER_CLASS[:0] if self.type is None else AMBIGUOUS_CLASSES[20 if self.type == PROTEIN else 4]

    @cached_property
    def known_letters(self) -> np.ndarray:
        """Counts of letters, int32 (columns, CLASSES - 1), without gaps; those of ambiguous letters are 0."""
        known = self.counts[:, 1:]
        if known[:, self.ambiguous - 1].any():
            known = known.copy()
            known[:, self.ambiguous - 1] = 0
        return known

    @cached_property
    def consensus(self) -> np.ndarray:
        """The most frequent letter, uint8 ASCII, the first in the alphabet where several are; '-' where most rows
        have a gap. An ambiguous letter only where there is no other."""
        known = self.known_letters
        best = 1 + np.where(known.any(axis=1), known.argmax(axis=1), self.counts[:, 1:].argmax(axis=1))
        return np.where(2 * self.counts[:, 0] > self.rows, GAP, CLASS_LETTER[best]).astype(np.uint8)

    @cached_property
    def occupancy(self) -> np.ndarray:
        """The share of rows with a letter."""
        return (1 - self.counts[:, 0] / np.float32(max(self.rows, 1))).astype(np.float32)

    @cached_property
    def gaps(self) -> np.ndarray:
        """The share of rows with a gap."""
        return 1 - self.occupancy

    @cached_property
    def identity(self) -> np.ndarray:
        """The share of all rows that hold the most frequent letter that is not ambiguous."""
        return (self.known_letters.max(axis=1) / np.float32(max(self.rows, 1))).astype(np.float32)

    @cached_property
    def entropy(self) -> np.ndarray:
        """Shannon's entropy of the letters, gaps left out, in bits."""
        found = np.zeros(len(self), np.float32)
        for at in range(0, len(self), BATCH_COLUMNS):
            part = self.counts[at : at + BATCH_COLUMNS, 1:].astype(np.float32)
            found[at : at + BATCH_COLUMNS] = _column_entropy(part, part.sum(axis=1))
        return found

    def information(self, letters: int) -> np.ndarray:
        """Return the height of a sequence logo in bits (Schneider and Stephens 1990), times the occupancy.

        The height is log2 of the alphabet's ``letters`` less the entropy, less the correction for few rows. Ambiguous
        letters count as gaps.
        """
        found = np.zeros(len(self), np.float32)
        for at in range(0, len(self), BATCH_COLUMNS):
            known = self.counts[at : at + BATCH_COLUMNS, 1:].astype(np.float32)
            known[:, AMBIGUOUS_CLASSES[letters] - 1] = 0
            there = known.sum(axis=1)
            correction = (letters - 1) / (2 * np.log(2) * np.maximum(there, 1))
            bits = np.log2(letters) - _column_entropy(known, there) - correction
            found[at : at + BATCH_COLUMNS] = np.maximum(bits, 0) * there / max(self.rows, 1)
        return found

    @cached_property
    def conservation(self) -> np.ndarray:
        """Conservation from 0 to 11: how many properties of amino acids all letters share (Livingstone and Barton
        1993).

        A property is shared where all letters have it or none has it; 10 where all are shared, 11 where all letters are
        the same. Letters in fewer than 3 % of the rows do not count; gaps share no property. 0 where more than a
        quarter are gaps.
        """
        sets = np.zeros((CLASSES, len(PROPERTIES)), bool)
        for number, members in enumerate(PROPERTIES.values()):
            sets[[LETTER_CLASS[ord(letter)] for letter in members], number] = True
        sets[0] = True
        found = np.zeros(len(self), np.float32)
        for at in range(0, len(self), BATCH_COLUMNS):
            counts = self.counts[at : at + BATCH_COLUMNS]
            there = counts > 0.03 * self.rows
            some = there.astype(np.float32) @ sets.astype(np.float32)
            shared = ((some == 0) | (some == there.sum(axis=1, keepdims=True))).sum(axis=1)
            same = (counts[:, 1:] > 0).sum(axis=1) == 1
            same &= self.known_letters[at : at + BATCH_COLUMNS].any(axis=1)
            value = np.where(same & (counts[:, 0] == 0), 11, shared)
            found[at : at + BATCH_COLUMNS] = np.where(4 * counts[:, 0] > self.rows, 0, value)
        return found

    def quality(self, scores: np.ndarray) -> np.ndarray:
        """Return the mean score of the pairs of letters, from 0 to 1, as in ClustalX's quality curve.

        ``scores`` are (CLASSES, CLASSES); 1 is the score of letters with themselves, and a gap scores 0.
        """
        found = np.zeros(len(self), np.float32)
        own = np.sqrt(np.maximum(np.diagonal(scores), 1e-6))
        relative = ((scores / np.outer(own, own)).clip(-1, 1) + 1) / 2
        relative[0, :] = relative[:, 0] = 0
        pairs = max(self.rows * (self.rows - 1), 1)
        for at in range(0, len(self), BATCH_COLUMNS):
            part = self.counts[at : at + BATCH_COLUMNS].astype(np.float64)
            both = ((part @ relative) * part).sum(axis=1) - (part * np.diagonal(relative)).sum(axis=1)
            found[at : at + BATCH_COLUMNS] = both / pairs
        return found
