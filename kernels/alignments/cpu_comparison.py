"""Compiled loops that compare two alignments."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.io.aligned_sequences import GAP


@cached_njit
def count_row_letters(letters, rows):
    """Return the number of letters of each of these rows."""
    found = np.zeros(rows.size, np.int64)
    for place in range(rows.size):
        row = rows[place]
        for column in range(letters.shape[1]):
            found[place] += letters[row, column] != GAP
    return found


@cached_njit
def look_up_columns(outer, inner, outer_rows, inner_rows, first, last, next_column, different, places):
    """Fill ``places`` (columns, rows): the column of the inner alignment of each letter in columns ``first`` to
    ``last``."""
    for place in range(outer_rows.size):
        row, partner = outer_rows[place], inner_rows[place]
        at = next_column[place]
        for column in range(first, last):
            letter = outer[row, column]
            if letter == GAP:
                places[column - first, place] = -1
                continue
            while inner[partner, at] == GAP:
                at += 1
            different[place] += inner[partner, at] != letter
            places[column - first, place] = at
            at += 1
        next_column[place] = at


@cached_njit
def tally_columns(places, first, last, seen, pairs, kept, partner):
    """Count the pairs of each column, and those that stand together in the other alignment.

    ``seen`` is zero before and after.
    """
    for column in range(first, last):
        letters, best = 0, 0
        here = places[column - first]
        for place in range(here.size):
            if here[place] >= 0:
                seen[here[place]] += 1
                letters += 1
        for place in range(here.size):
            if here[place] >= 0 and seen[here[place]] > 0:
                together = seen[here[place]]
                kept[column] += together * (together - 1) // 2
                if together > best or (together == best and here[place] < partner[column]):
                    best = together
                    partner[column] = here[place]
                seen[here[place]] = 0
        pairs[column] = letters * (letters - 1) // 2
