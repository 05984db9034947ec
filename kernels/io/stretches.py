"""Where columns come from, as stretches side by side: what moves far is told in a few numbers, not in one a column."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise

import numpy as np

from antidiag.kernels.io.tiles import NEW

Stretches = tuple[tuple[int, int], ...]
"""Of each stretch the number of the first old column, or NEW for gaps, and how many columns it has."""


def width(columns: Stretches) -> int:
    """How many columns they are."""
    return sum(count for _, count in columns)


def staying(old: int, new: int) -> Stretches:
    """``new`` columns, of which each is the one of its number as far as there were ``old`` ones; gaps after them."""
    kept = min(old, new)
    return (0, kept), (NEW, new - kept)


def numbers(columns: Stretches) -> np.ndarray:
    """The number of the old column of each, or NEW; int64."""
    return np.concatenate([np.full(count, NEW) if first == NEW else np.arange(first, first + count)
                           for first, count in columns])  # fmt: skip


def differing(one: Stretches, other: Stretches) -> tuple[int, int]:
    """The first column that comes from elsewhere in the other, and the one after the last; (0, 0) where none does."""
    borders = sorted({0, *_ends(one), *_ends(other)})
    apart = [(first, last) for first, last in pairwise(borders) if _source(one, first) != _source(other, first)]
    return (apart[0][0], apart[-1][1]) if apart else (0, 0)


def sources(columns: Stretches, first: int, last: int) -> Iterator[tuple[int, slice]]:
    """Of columns from the first to before the last those that were there: the first of a stretch, and the old ones."""
    at = 0
    for source, count in columns:
        start, stop = max(at, first), min(at + count, last)
        if source != NEW and start < stop:
            yield start, slice(source + start - at, source + stop - at)
        at += count


def _ends(columns: Stretches) -> list[int]:
    return list(accumulate(count for _, count in columns))


def _source(columns: Stretches, column: int) -> int:
    """The old column that a column comes from, or NEW."""
    found = next(sources(columns, column, column + 1), None)
    return NEW if found is None else found[1].start
