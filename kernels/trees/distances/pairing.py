"""Sequences in groups of similar length, so that the pairs of a group cost the same."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from kernels.cpu.workers import cores, share, stop_word


@dataclass(frozen=True, eq=False)
class Grouped:
    """Sequences by ascending length, those of one length in their own order, in groups of ``lanes``.

    ``order`` int64 are the sequences so sorted, ``lengths`` int64 their lengths. ``letters[g]`` int32 (columns x
    lanes,) are the letters of group g side by side, after an end the code of no letter; ``lane_lengths`` int32 (groups,
    lanes).
    """

    order: np.ndarray
    lengths: np.ndarray
    letters: list[np.ndarray]
    lane_lengths: np.ndarray


def grouped(codes: Sequences[np.ndarray], lanes: int, no_letter: int) -> Grouped:
    """The groups of encoded sequences."""
    lengths = np.array([code.size for code in codes])
    order = np.argsort(lengths, kind="stable")
    letters = []
    lane_lengths = np.zeros((-(-len(codes) // lanes), lanes), np.int32)
    for group, ends in enumerate(lane_lengths):
        members = order[group * lanes : (group + 1) * lanes]
        ends[: members.size] = lengths[members]
        block = np.full((int(ends.max()), lanes), no_letter, np.int32)
        for lane, member in enumerate(members.tolist()):
            block[: codes[member].size, lane] = codes[member]
        letters.append(block.ravel())
    return Grouped(order, lengths[order], letters, lane_lengths)


ROWS_AT_ONCE = 16
"""Rows of the matrix that are computed at a time, from what was counted."""


def mirrored(
    values: np.ndarray, distances_of: Callable[[np.ndarray, slice, slice], np.ndarray],
    check: Callable[[], None] = lambda: None,
) -> np.ndarray:  # fmt: skip
    """Make distances of what was counted, float64 (n, n), in place: a second matrix would take as much again.

    What was counted of a pair stands above the diagonal or below it, and 0 on the other side. ``distances_of(counts,
    rows, columns)`` gives the distances of a block of pairs, the same for both orders of a pair; all cores do so.
    ``check()`` is called meanwhile, and what it raises ends it.
    """
    firsts, stop = iter(range(0, len(values), ROWS_AT_ONCE)), stop_word()

    def work(worker: int) -> None:
        for first in firsts:
            if stop[0]:
                return
            rows, columns = slice(first, min(first + ROWS_AT_ONCE, len(values))), slice(first, len(values))
            block = distances_of(values[rows, columns] + values[columns, rows].T, rows, columns)
            np.fill_diagonal(block, 0)
            values[rows, columns], values[columns, rows] = block, block.T

    share(work, min(cores(), max(len(values) // ROWS_AT_ONCE, 1)), stop, check)
    return values
