"""Rows of an alignment compared, sorted and searched."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tiled_edits
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.tiles import Tiles


@compiled
def _same(letters, row):
    """Columns in which each of the rows and another one have letters, and the same ones, int64 (rows, 2)."""
    found = np.zeros((letters.shape[0], 2), np.int64)
    for other in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            both = row[column] != GAP and letters[other, column] != GAP
            found[other, 0] += both
            found[other, 1] += both and row[column] == letters[other, column]
    return found


def _of_rows(alignment: AlignedSequences, tell: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What is told of the letters of rows, some rows at a time, for all of them."""
    rows, columns = alignment.letters.shape
    return np.concatenate([tell(alignment.letters[part]) for part in tiled_edits.parts(np.arange(rows), columns)])


_NUMBERS = re.compile("[0-9]+")


def identities(alignment: AlignedSequences, row: int) -> np.ndarray:
    """The share of equal letters in the columns where a row and each other have one, float64 (rows,); 0 where none."""
    reference = alignment.letters[row]
    found = _of_rows(alignment, lambda letters: _same(letters, reference))
    return found[:, 1] / np.maximum(found[:, 0], 1)


def lengths(alignment: AlignedSequences) -> np.ndarray:
    """Letters of each row, int64."""
    return _of_rows(alignment, lambda letters: np.count_nonzero(letters != GAP, axis=1))


def sorted_rows(alignment: AlignedSequences, order: np.ndarray, by: str, row: int = 0) -> np.ndarray:
    """``order`` sorted by "name", "length" (longest first), "identity" to a row (most first), or "start" (the column of
    the first letter)."""
    if by == "name":
        keys = [_by_numbers(alignment.names[number].lower()) for number in order.tolist()]
        places = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    elif by == "length":
        places = np.argsort(-lengths(alignment)[order], kind="stable")
    elif by == "identity":
        places = np.argsort(-identities(alignment, row)[order], kind="stable")
    else:
        starts = _of_rows(alignment, lambda letters: (letters != GAP).argmax(axis=1))
        places = np.argsort(starts[order], kind="stable")
    return order[places]


def _by_numbers(name: str) -> str:
    """What names are sorted by: numbers in them by size, of which Python would not make one of very many digits."""
    return _NUMBERS.sub(_by_size, name)


def _by_size(found: re.Match[str]) -> str:
    """A number as text that is sorted like it: below all letters, by its digits, and then as it is written."""
    written = found[0]
    digits = written.lstrip("0")
    return f"\0{chr(len(digits))}{digits}{written}\0"


def sorted_by_letters(alignment: AlignedSequences, order: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """``order`` sorted by the letters in some columns, int64: those of the first column first; gaps at the end."""
    letters = alignment.letters[np.ix_(order, columns)]
    return order[np.lexsort(np.where(letters == GAP, 255, letters).T[::-1])]


def in_order_of(
    alignment: AlignedSequences, order: np.ndarray, names: tuple[str, ...], source: str
) -> tuple[np.ndarray, int]:
    """``order`` sorted by the places of their names among ``names``, those that are not there at the end, and how many
    these are; InputError where none is there."""
    places = {name: place for place, name in enumerate(names)}
    keys = np.array([places.get(alignment.names[row], len(places)) for row in order.tolist()], np.int64)
    lacking = int((keys == len(places)).sum())
    if lacking == keys.size:
        raise InputError(f"{source}: no leaf has the name of a row")
    return order[np.argsort(keys, kind="stable")], lacking


def column_of(alignment: AlignedSequences, row: int, position: int) -> int | None:
    """The column of a letter of a row, counted from 1 without gaps; None where there is none."""
    there = np.flatnonzero(alignment.letters[row] != GAP)
    return int(there[position - 1]) if 1 <= position <= there.size else None


def positions(alignment: AlignedSequences, row: int, column: int) -> int:
    """How many letters of a row lie in its columns up to and with this one."""
    letters = alignment.letters
    if isinstance(letters, Tiles):
        return letters.others(row, slice(column + 1), GAP)
    return int(np.count_nonzero(letters[row, : column + 1] != GAP))
