"""How much of a reference an alignment has: SP and TC, over all columns or over some, and for each column.

SP: of the pairs of letters that stand in one column of the reference, the share that do in the test. TC: of the
columns of the reference with at least two letters, the share whose letters all stand in one column of the test. Rows
are matched by their names; rows of the test that the reference lacks do not count (Thompson, Plewniak and Poch 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernels.errors import InputError
from kernels.io.aligned import GAP, AlignedSequences
from kernels.io.aligned_edits import take_rows
from kernels.io.alignment_files.balibase import CORE

PART = 1 << 22
"""Cells that are looked at together."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """Of each column of the reference, int64 (columns,): ``pairs`` of letters, those ``kept`` by the test, and whether
    it is ``whole``: all of two or more letters stand in one column of the test. ``rows`` are how many were compared."""

    pairs: np.ndarray
    kept: np.ndarray
    whole: np.ndarray
    rows: int

    def scores(self, columns: np.ndarray | None = None) -> tuple[float, float]:
        """SP and TC over the columns of a mask, or over all; 0 where nothing is there to be kept."""
        chosen = slice(None) if columns is None else columns
        counted = int((self.pairs[chosen] > 0).sum())
        pairs = int(self.pairs[chosen].sum())
        return int(self.kept[chosen].sum()) / max(pairs, 1), int(self.whole[chosen].sum()) / max(counted, 1)

    @property
    def shares(self) -> np.ndarray:
        """The share of its pairs that the test keeps, of each column, float32; 1 where it has none."""
        return np.where(self.pairs > 0, self.kept / np.maximum(self.pairs, 1), 1).astype(np.float32)


def core_columns(reference: AlignedSequences) -> np.ndarray | None:
    """A mask of the columns that the reference calls its core blocks; None where it says nothing of them."""
    marks = next((marks for tag, marks in reference.annotations.of_columns if tag == CORE), None)
    return None if marks is None else np.array([mark == "1" for mark in marks])


def compare(test: AlignedSequences, reference: AlignedSequences) -> Agreement:
    """The agreement of a test with a reference.

    InputError where a row of the reference is not in the test, or has other letters there.
    """
    places = {name: row for row, name in enumerate(test.names)}
    found = np.full(reference.letters.shape, -1, np.int64)
    for row, name in enumerate(reference.names):
        if name not in places:
            raise InputError(f"{name} is in the reference and not in {test.name}; both need the same names")
        here = np.flatnonzero(test.letters[places[name]] != GAP)
        there = reference.letters[row] != GAP
        _check_letters(name, test.letters[places[name], here], reference.letters[row, there])
        found[row, there] = here
    return _counted(found)


def agreement(test: AlignedSequences, reference: AlignedSequences) -> np.ndarray:
    """Of the pairs of letters in each column of a test, the share that stand together in the reference too, float32
    (columns,); rows that the reference lacks do not count. InputError as of `compare`, or where no row is in both."""
    known = set(reference.names)
    shared = np.array([row for row, name in enumerate(test.names) if name in known], np.int64)
    if not shared.size:
        raise InputError(f"no row of {test.name} is in the reference; both need the same names")
    found = test if shared.size == len(test.names) else take_rows(test, shared)
    return compare(reference, found).shares


def _check_letters(name: str, test: np.ndarray, reference: np.ndarray) -> None:
    if test.size != reference.size:
        raise InputError(
            f"{name}: {reference.size:,} letters in the reference, and {test.size:,} in the test; they must be of the "
            "same sequences"
        )
    other = np.flatnonzero(test != reference)
    if other.size and other.size > test.size // 2:
        raise InputError(f"{name}: most letters are others in the test; they must be of the same sequences")


def _counted(found: np.ndarray) -> Agreement:
    """``found`` are the columns of the test of all letters of the reference, (rows, columns), -1 for gaps."""
    rows, columns = found.shape
    pairs, kept, whole = (np.zeros(columns, np.int64) for _ in range(3))
    step = max(1, PART // rows)
    for first in range(0, columns, step):
        part = np.sort(found[:, first : first + step], axis=0)
        letters = (part >= 0).sum(axis=0)
        # Equal places stand together: the size of each run grows by one a row, and its pairs by the size so far.
        run, together = np.zeros(part.shape[1], np.int64), np.zeros(part.shape[1], np.int64)
        for row in range(1, rows):
            same = (part[row] == part[row - 1]) & (part[row] >= 0)
            run = np.where(same, run + 1, 0)
            together += run
        pairs[first : first + step] = letters * (letters - 1) // 2
        kept[first : first + step] = together
        whole[first : first + step] = (letters > 1) & (together == letters * (letters - 1) // 2)
    return Agreement(pairs, kept, whole, rows)
