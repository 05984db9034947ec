"""Local start states, phase 2, and the joined path of the striped and chunked alignments.

Both backends use these codes. Everything here is oriented: rows belong to the shorter sequence, and strip k
covers columns k s + 1 .. (k + 1) s, so that boundary column k lies on its left. Chunk c of a strip covers rows
c h + 1 .. (c + 1) h.

A local start state is 32 bits: a kind above a row or column. It says where the best path to a value entered the
strip or chunk: diagonally from H of the left boundary in that row, by a horizontal gap from K there, from H or
by a vertical gap from G of the chunk above in that column of the strip, or not at all, because it starts inside, in
that row. With two-piece gap costs, K2 and G2 are the gap states of the second piece.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.pairwise.encoding import EncodedPair
from antidiag.kernels.pairwise.model import LEFT, UP, Alignment

KIND_H, KIND_K, KIND_NEW, KIND_TOP_H, KIND_TOP_G, KIND_K2, KIND_TOP_G2 = range(7)
ON_LEFT, ON_TOP = (KIND_H, KIND_K, KIND_K2), (KIND_TOP_H, KIND_TOP_G, KIND_TOP_G2)
"""Kinds of paths that enter from the left boundary and from the chunk above, in the order in which values are kept."""
PLACE_BITS = 28

STOP, FROM_DIAGONAL, FROM_E, FROM_F = 0, 1, 2, 3
"""Direction bits 0-1 of a cell: how H was reached, or that a path starts here."""
REACHED = 3
OPENS_E, OPENS_F = 4, 8
"""Direction bits 2 and 3: the gap states E of the cell below and F of the cell to the right open here."""

FROM_E2, FROM_F2 = 4, 5
REACHED_BY_TWO = 7
OPENS_E_BY_TWO, OPENS_F_BY_TWO, OPENS_E2, OPENS_F2 = 8, 16, 32, 64
"""The same with two-piece gap costs, in a byte: how H was reached in bits 0-2, and what opens here in bits 3-6."""


@dataclass(frozen=True, slots=True)
class SubPath:
    """The part of the path inside one strip or chunk, known by its ends.

    It starts at row ``start_row`` (``kind`` says how) and ends in cell (end_row, end_column) as H, or inside a gap: the
    next part begins with ``end_kind``.
    """

    strip: int
    kind: int
    start_row: int
    end_row: int
    end_column: int
    end_kind: int

    @property
    def top_row(self) -> int:
        """The row above the first one with cells of this part; a gap along a row enters in the row itself."""
        return self.start_row - (self.kind in (KIND_K, KIND_K2))

    @property
    def enters_from_left(self) -> bool:
        """Whether it starts on the left boundary, rather than at its start row."""
        return self.kind in ON_LEFT


@dataclass(frozen=True, slots=True)
class StartStates:
    """Local start states that phase 1 kept.

    ``boundaries[k, part, row]`` is that of H, K or K2 on the right boundary of strip k. Where states are local to
    chunks of ``h`` rows, ``bottoms[k, c, part, column]`` is that of H, G or G2 in the last row of chunk c, columns
    counted from 0; no state leads there otherwise.
    """

    boundaries: np.ndarray
    bottoms: np.ndarray
    s: int
    h: int


def unpack_state(state: int) -> tuple[int, int]:
    """Return kind and row, or column, of a local start state."""
    return int(state) >> PLACE_BITS, int(state) & ((1 << PLACE_BITS) - 1)


def link_sub_paths(states: StartStates, end: tuple[int, int], end_state: int) -> list[SubPath]:
    """Run phase 2: return the parts of the path from its start, found strip by strip or chunk by chunk from the end.

    ``end_state`` is the start state of the end cell. A path that ends on row 0 or column 0 has no parts.
    """
    parts: list[SubPath] = []
    if 0 in end:
        return parts
    (row, column), end_kind = end, KIND_H
    strip = (column - 1) // states.s
    kind, place = unpack_state(end_state)
    while True:
        from_above = kind in ON_TOP
        chunk = (row - 1) // states.h
        start_row = chunk * states.h if from_above else place
        parts.append(SubPath(strip, kind, start_row, row, column, end_kind))
        if kind == KIND_NEW or (strip == 0 and not from_above):
            return parts[::-1]
        row, end_kind = start_row, kind
        if from_above:
            column = strip * states.s + place
            kind, place = unpack_state(states.bottoms[strip, chunk - 1, ON_TOP.index(kind), place - 1])
        else:
            column, strip = strip * states.s, strip - 1
            kind, place = unpack_state(states.boundaries[strip, ON_LEFT.index(kind), row])


def join_pieces(pair: EncodedPair, parts: list[SubPath], pieces: list[np.ndarray], end: tuple[int, int]) -> Alignment:
    """Return the alignment of a path to ``end`` whose parts have these operations, in the orientation of the problem.

    Without parts it ends on row 0 or column 0.
    """
    if not parts:
        start, operations = pair.border_path(end)
        return pair.make_alignment(start, end, operations)
    before = [pair.border_path((parts[0].start_row, 0))[1]] if parts[0].enters_from_left else []
    operations = np.concatenate([*before, *pieces])
    start = end[0] - int(np.count_nonzero(operations != LEFT)), end[1] - int(np.count_nonzero(operations != UP))
    return pair.make_alignment(start, end, operations)


def finish_path(
    pair: EncodedPair, start: tuple[int, int], end: tuple[int, int], reversed_operations: np.ndarray
) -> Alignment:
    """Return the alignment of a path traced from ``end`` to ``start``; on a border that is not free it continues."""
    border = np.empty(0, np.uint8)
    if 0 in start:
        start, border = pair.border_path(start)
    return pair.make_alignment(start, end, np.concatenate([border, reversed_operations[::-1]]))
