"""Statistics of the rows of an alignment, and sorting rows by them."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from antidiag.kernels.alignments import block_edits
from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.sequences.alphabets import ambiguous_letters


@cached_njit
def _count_same_letters(letters, row):
    """Return the columns where a row and each other have letters, and those with the same letter, int64 (rows, 2)."""
    found = np.zeros((letters.shape[0], 2), np.int64)
    for other in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            both = row[column] != GAP and letters[other, column] != GAP
            found[other, 0] += both
            found[other, 1] += both and row[column] == letters[other, column]
    return found


def _for_all_rows(alignment: AlignedSequences, measure: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return what ``measure`` gives for the letters of all rows, some rows at a time."""
    rows, columns = alignment.letters.shape
    return np.concatenate(
        [measure(alignment.letters[part]) for part in block_edits.row_batches(np.arange(rows), columns)]
    )


NO_LETTER = 0
"""Stands in a row for a letter that is identical to none."""
_NUMBERS = re.compile("[0-9]+")


def row_identities(alignment: AlignedSequences, row: int) -> np.ndarray:
    """Return the identity of each row to one row, float64: identical letters among columns where both have one; 0
    without any. Ambiguous letters are identical to none."""
    reference = alignment.letters[row].copy()
    reference[np.isin(reference, list(ambiguous_letters(alignment.type == SequenceType.PROTEIN).encode()))] = NO_LETTER
    found = _for_all_rows(alignment, lambda letters: _count_same_letters(letters, reference))
    return found[:, 1] / np.maximum(found[:, 0], 1)


def row_lengths(alignment: AlignedSequences) -> np.ndarray:
    """Return the number of letters of each row, int64."""
    return _for_all_rows(alignment, lambda letters: np.count_nonzero(letters != GAP, axis=1))


def sort_rows(alignment: AlignedSequences, order: np.ndarray, key: str, row: int = 0) -> np.ndarray:
    """Return ``order`` sorted by a key.

    The key is "name", "length" (longest first), "identity" to a row (highest first), or "start" (column of the first
    letter).
    """
    if key == "name":
        keys = [_natural_sort_key(alignment.names[number].lower()) for number in order.tolist()]
        places = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    elif key == "length":
        places = np.argsort(-row_lengths(alignment)[order], kind="stable")
    elif key == "identity":
        places = np.argsort(-row_identities(alignment, row)[order], kind="stable")
    else:
        starts = _for_all_rows(alignment, lambda letters: (letters != GAP).argmax(axis=1))
        places = np.argsort(starts[order], kind="stable")
    return order[places]


def _natural_sort_key(name: str) -> str:
    """Return a sort key of a name in which numbers sort by size; Python makes no number of very many digits."""
    return _NUMBERS.sub(_number_sort_key, name)


def _number_sort_key(found: re.Match[str]) -> str:
    """Return a number as text that sorts as the number does: below all letters, by its digits, then as it is
    written."""
    written = found[0]
    digits = written.lstrip("0")
    return f"\0{chr(len(digits))}{digits}{written}\0"


def sort_by_letters(alignment: AlignedSequences, order: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return ``order`` sorted by the letters in some columns, int64, the first column first; gaps at the end."""
    letters = alignment.letters[np.ix_(order, columns)]
    return order[np.lexsort(np.where(letters == GAP, 255, letters).T[::-1])]


def order_by_names(
    alignment: AlignedSequences, order: np.ndarray, names: tuple[str, ...], source: str
) -> tuple[np.ndarray, int]:
    """Return ``order`` sorted by the place of each name among ``names``, and the number of rows whose name is not
    there.

    Those rows come last. InputError where no name is there.
    """
    places = {name: place for place, name in enumerate(names)}
    keys = np.array([places.get(alignment.names[row], len(places)) for row in order.tolist()], np.int64)
    lacking = int((keys == len(places)).sum())
    if lacking == keys.size:
        raise InputError(f"{source}: no leaf has the name of a row; choose a tree of these sequences")
    return order[np.argsort(keys, kind="stable")], lacking


def column_of_letter(alignment: AlignedSequences, row: int, position: int) -> int | None:
    """Return the column of a letter of a row, counted from 1 without gaps; None where the row has fewer letters."""
    there = np.flatnonzero(alignment.letters[row] != GAP)
    return int(there[position - 1]) if 1 <= position <= there.size else None


def count_letters_up_to(alignment: AlignedSequences, row: int, column: int) -> int:
    """Return how many letters a row has in its columns up to and including this one."""
    letters = alignment.letters
    if isinstance(letters, BlockedCells):
        return letters.count_others(row, slice(column + 1), GAP)
    return int(np.count_nonzero(letters[row, : column + 1] != GAP))
