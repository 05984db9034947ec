"""What is counted in the columns of an alignment: letters, consensus, conservation, gaps, entropy.

Letters are told apart as classes: 0 a gap, 1 to 26 the letters A to Z, 27 the stop '*'.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.io.aligned import GAP
from antidiag.kernels.io.cpu_tiles import MASK, SHIFT, byte_at
from antidiag.kernels.io.tiles import Tiles
from antidiag.kernels.monitor import Monitor

CLASSES = 28
CLASS = np.zeros(256, np.uint8)
CLASS[ord("A") : ord("Z") + 1] = np.arange(1, 27)
CLASS[ord("*")] = 27
LETTER = np.frombuffer(b"-ABCDEFGHIJKLMNOPQRSTUVWXYZ*", np.uint8)
"""The letter of each class."""
PART = 1 << 25
"""Letters that are counted between two looks at the wish to stop."""
ANY = {20: CLASS[ord("X")], 4: CLASS[ord("N")]}
"""The class of the letter that stands for any, of alphabets of so many letters."""
COLUMNS = 1 << 16
"""Columns that are looked at together, so that what is made of them on the way is small."""
COUNTED = 1 << 12
"""Columns that are counted together: their counts stay in a core's cache."""

STRONG = ("STA", "NEQK", "NHQK", "NDEQ", "QHRK", "MILV", "MILF", "HY", "FYW")
WEAK = ("CSA", "ATV", "SAG", "STNK", "STPA", "SGND", "SNDEQK", "NDEQHK", "NEQHRK", "FVLIM", "HFY")
"""Groups of amino acids that ClustalW marks with ':' and '.' where a column holds nothing else."""

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


@compiled
def add_counts(letters, classes, counts):
    """Add the classes of ``letters``, uint8 (rows, columns), to ``counts``, int32 (columns, CLASSES)."""
    for row in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            counts[column, classes[letters[row, column]]] += 1


@compiled
def add_counts_of_tiles(table, starts, stored, lengths, classes, counts):
    """As `add_counts`, of the tiles whose addresses are ``table``, uint64 (rows, tiles), without copying them: of runs
    of columns that are kept side by side in one tile."""
    for row in range(table.shape[0]):
        for run in range(starts.size):
            length = lengths[run]
            address = table[row, stored[run] >> SHIFT] + np.uint64(stored[run] & MASK)
            of_run = counts[starts[run] : starts[run] + length]
            for place in range(length):
                of_run[place, classes[byte_at(address, place)]] += 1


@compiled
def change_counts(old, new, rows, tiles, firsts, columns, inside, classes, counts):
    """Change ``counts``, int32 (columns, CLASSES), by what the tiles of ``new`` have otherwise than those of ``old``:
    of ``rows`` and ``tiles``. Tile t has ``columns`` from firsts[t] to firsts[t + 1], kept at ``inside`` of it."""
    for entry in range(rows.size):
        row, tile = rows[entry], tiles[entry]
        for at in range(firsts[tile], firsts[tile + 1]):
            gone, come = byte_at(old[row, tile], inside[at]), byte_at(new[row, tile], inside[at])
            if gone != come:  # most cells of a tile stay
                counts[columns[at], classes[gone]] -= 1
                counts[columns[at], classes[come]] += 1


class Recount:
    """The letters of the columns of ``new``, from those that were counted ``before`` of ``old``: of as many rows, and
    with tiles in common. ``cells`` are how many are looked at."""

    def __init__(self, before: Columns, old: Tiles, new: Tiles) -> None:
        self._before, self._new = before, new
        width = max(old.table.shape[1], new.table.shape[1])
        self._tables = [tiles.table_of(width) for tiles in (old, new)]
        self._rows, self._tiles = old.otherwise(new)
        column = np.full(max(old.used, new.used), -1)
        column[old.places] = np.arange(old.places.size)
        self._column = column[new.places]
        kept = np.bincount(new.places[self._column >= 0] >> SHIFT, minlength=width)
        self.cells = int(kept[self._tiles].sum()) + int((self._column < 0).sum()) * len(new)

    def columns(self, monitor: Monitor | None = None) -> Columns:
        """The counts."""
        counts = self._before.counts[self._column]
        kept, fresh = np.flatnonzero(self._column >= 0), np.flatnonzero(self._column < 0)
        if fresh.size:
            counts[fresh] = count(self._new.at(fresh), monitor).counts
        kept = kept[np.argsort(self._new.places[kept] >> SHIFT, kind="stable")]
        stored = self._new.places[kept]
        firsts = np.searchsorted(stored >> SHIFT, np.arange(self._tables[0].shape[1] + 1))
        change_counts(*self._tables, self._rows, self._tiles, firsts, kept, stored & MASK, CLASS, counts)
        counts.setflags(write=False)
        return Columns(counts, self._before.rows)


def count(letters: np.ndarray | Tiles, monitor: Monitor | None = None) -> Columns:
    """The letters of all columns of ``letters``, uint8 (rows, columns) as in `AlignedSequences`; of many by as many
    threads as there are cores."""
    monitor = monitor or Monitor()
    rows, columns = letters.shape
    counts = np.zeros((columns, CLASSES), np.int32)
    width = max(1, min(columns, COUNTED))
    step = max(1, PART // width)
    parts = [
        (slice(row, min(row + step, rows)), slice(first, min(first + width, columns)))
        for first in range(0, columns, width)
        for row in range(0, rows, step)
    ]
    adding, done = threading.Lock(), [0]

    def add(part: tuple[slice, slice]) -> None:
        found = np.zeros((part[1].stop - part[1].start, CLASSES), np.int32)
        _add(letters, *part, found)
        with adding:  # parts of the same columns
            counts[part[1]] += found
            done[0] += 1

    workers.each(add, parts, poll=lambda: monitor.update(done[0], len(parts), "counting"))
    counts.setflags(write=False)
    return Columns(counts, rows)


def _add(letters: np.ndarray | Tiles, rows: slice, columns: slice, counts: np.ndarray) -> None:
    """Add the letters of some rows and columns to the counts of these columns."""
    if isinstance(letters, Tiles):
        add_counts_of_tiles(letters.table[rows], *letters.runs(columns), CLASS, counts)
    else:
        add_counts(letters[rows, columns], CLASS, counts)


def _entropy(counts: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Shannon's entropy of the letters of each column, of which so many are ``there``, in bits."""
    counts = counts[:, counts.any(axis=0)]  # of nucleotides few of the classes
    shares = counts / np.maximum(there, 1)[:, None]
    return 0 - (shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=1)  # a minus alone would make -0


@dataclass(frozen=True, eq=False)
class Columns:
    """``counts`` are int32 (columns, CLASSES), how many of ``rows`` rows hold each class. What follows is a value a
    column, float32 or uint8."""

    counts: np.ndarray
    rows: int

    def __len__(self) -> int:
        return len(self.counts)

    def part(self, first: int, last: int) -> Columns:
        """Columns ``first`` to ``last``, of which little is to be made."""
        return Columns(self.counts[first:last], self.rows)

    @cached_property
    def consensus(self) -> np.ndarray:
        """The most frequent letter, uint8 ASCII, the first in the alphabet where several are; '-' where gaps are more
        than half."""
        best = self.counts[:, 1:].argmax(axis=1) + 1
        return np.where(2 * self.counts[:, 0] > self.rows, GAP, LETTER[best]).astype(np.uint8)

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
        """The share of all rows that hold the most frequent letter."""
        return (self.counts[:, 1:].max(axis=1) / np.float32(max(self.rows, 1))).astype(np.float32)

    @cached_property
    def entropy(self) -> np.ndarray:
        """Shannon's entropy of the letters, gaps left out, in bits."""
        found = np.zeros(len(self), np.float32)
        for at in range(0, len(self), COLUMNS):
            part = self.counts[at : at + COLUMNS, 1:].astype(np.float32)
            found[at : at + COLUMNS] = _entropy(part, part.sum(axis=1))
        return found

    def information(self, letters: int) -> np.ndarray:
        """The height of a sequence logo (Schneider and Stephens 1990) in bits, times the occupancy: log2 of the
        alphabet's ``letters`` less the entropy, less the correction for few rows. A letter that stands for any tells
        as little as a gap."""
        found = np.zeros(len(self), np.float32)
        for at in range(0, len(self), COLUMNS):
            known = self.counts[at : at + COLUMNS, 1:].astype(np.float32)
            known[:, ANY[letters] - 1] = 0
            there = known.sum(axis=1)
            correction = (letters - 1) / (2 * np.log(2) * np.maximum(there, 1))
            bits = np.log2(letters) - _entropy(known, there) - correction
            found[at : at + COLUMNS] = np.maximum(bits, 0) * there / max(self.rows, 1)
        return found

    @cached_property
    def conservation(self) -> np.ndarray:
        """From 0 to 11: the properties of amino acids that all letters of a column share, present or absent
        (Livingstone and Barton 1993), 10 where all are; 11 where all letters are the same.

        Letters in fewer than 3 % of the rows are not seen, and gaps share no property. 0 where a quarter are gaps.
        """
        sets = np.zeros((CLASSES, len(PROPERTIES)), bool)
        for number, members in enumerate(PROPERTIES.values()):
            sets[[CLASS[ord(letter)] for letter in members], number] = True
        sets[0] = True
        found = np.zeros(len(self), np.float32)
        for at in range(0, len(self), COLUMNS):
            counts = self.counts[at : at + COLUMNS]
            there = counts > 0.03 * self.rows
            some = there.astype(np.float32) @ sets.astype(np.float32)
            shared = ((some == 0) | (some == there.sum(axis=1, keepdims=True))).sum(axis=1)
            same = (counts[:, 1:] > 0).sum(axis=1) == 1
            value = np.where(same & (counts[:, 0] == 0), 11, shared)
            found[at : at + COLUMNS] = np.where(4 * counts[:, 0] > self.rows, 0, value)
        return found

    def quality(self, scores: np.ndarray) -> np.ndarray:
        """The mean over pairs of rows of the score of their letters, from 0 to 1, as ClustalX tells by its quality
        curve: ``scores`` are (CLASSES, CLASSES), and 1 is the score of letters with themselves. A gap scores least."""
        found = np.zeros(len(self), np.float32)
        own = np.sqrt(np.maximum(np.diagonal(scores), 1e-6))
        relative = ((scores / np.outer(own, own)).clip(-1, 1) + 1) / 2
        relative[0, :] = relative[:, 0] = 0
        pairs = max(self.rows * (self.rows - 1), 1)
        for at in range(0, len(self), COLUMNS):
            part = self.counts[at : at + COLUMNS].astype(np.float64)
            both = ((part @ relative) * part).sum(axis=1) - (part * np.diagonal(relative)).sum(axis=1)
            found[at : at + COLUMNS] = both / pairs
        return found


def clustal_marks(letters: np.ndarray) -> bytes:
    """The marks that Clustal writes below columns: '*' one letter, ':' and '.' a group of alike letters, else ' '."""
    counts = count(letters).counts
    there = counts > 0
    marks = np.full(len(counts), ord(" "), np.uint8)
    for groups, mark in ((WEAK, "."), (STRONG, ":")):
        for group in groups:
            others = np.ones(CLASSES, bool)
            others[[CLASS[ord(letter)] for letter in group]] = False
            marks[~there[:, others].any(axis=1)] = ord(mark)
    marks[~there[:, 0] & (there.sum(axis=1) == 1)] = ord("*")
    return marks.tobytes()
