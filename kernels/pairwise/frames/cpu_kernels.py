"""Compiled functions of frame alignment: a segment of a strand row by row, and the path back from its end.

Recurrence (i amino acids, j bases, a the amino acid i, t the codon that ends at base j):
    E(i, j) = max(E(i-1, j), H(i-1, j) - open) - extend
    F(i, j) = max(F(i, j-3), H(i, j-3) - open) - extend
    H(i, j) = max(max(H(i-1, j-3), H(i-1, j-2) - shift, H(i-1, j-4) - shift) + c(a, t), E, F, 0)
All of a row but F depends on the row before, so it is computed in vectors; F is three chains along the row. Since
opening never costs less than extending, F may continue max(diagonal, E, 0) in place of H.

Arrays of a row have PAD places before column 0, which hold minus infinity.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.simd import load_acquire

PAD = 4
"""Places before column 0: the farthest cell that a cell takes."""
NEGATIVE = np.int32(-(2**30))
ROWS_A_LOOK = 64
"""Rows between two looks at the stop flag."""
CODON, AMINO_GAP, CODON_GAP, SHIFT_BACK, SHIFT_ON = (np.uint8(number) for number in range(5))


@inner_njit
def _compute_row(before, row, gap_up, gap_on, scores, opening, extend, shift, floor):
    """Compute H of a row and F (``gap_on``) from H of the row ``before``; update E (``gap_up``) of all columns.

    int32 arrays: ``before``, ``row`` and ``gap_on`` (columns + 1 + PAD), ``gap_up`` and ``scores`` (columns + 1).
    """
    count = gap_up.size
    in_frame, back, on = before[PAD - 3 :], before[PAD - 2 :], before[PAD - 4 :]  # loops of few arrays become vectors
    straight, own, carried = before[PAD:], row[PAD:], gap_on[PAD:]
    for k in range(count):  # a difference of 32-bit numbers has 64 bits in Numba unless it is cut
        gap_up[k] = max(gap_up[k], np.int32(straight[k] - opening)) - extend
    for k in range(count):
        own[k] = max(back[k], on[k]) - shift
    for k in range(count):
        own[k] = max(in_frame[k], own[k]) + scores[k]
    for k in range(count):
        own[k] = max(max(own[k], gap_up[k]), floor)
    first, second, third = NEGATIVE, NEGATIVE, NEGATIVE
    for k in range(count - 3):
        following = np.int32(max(first, np.int32(own[k] - opening)) - extend)
        first, second, third = second, third, following
        carried[k + 3] = following
    for k in range(count):
        own[k] = max(own[k], carried[k])


@inline_njit
def _blank_rows(count):
    """Return H of row 0 and of another row, E and F, before the first row."""
    before, row = np.full(count + PAD, NEGATIVE, np.int32), np.full(count + PAD, NEGATIVE, np.int32)
    before[PAD:] = 0
    return before, row, np.full(count, NEGATIVE, np.int32), np.full(count + PAD, NEGATIVE, np.int32)


@cached_njit
def fill_scores(table, letters, places):
    """Return the scores of the given row codes with all places, int32 (letters, places)."""
    found = np.empty((letters.size, places.size), np.int32)
    for number in range(letters.size):
        scores = table[letters[number]]
        for k in range(places.size):
            found[number, k] = scores[places[k]]
    return found


@cached_njit
def sweep_segment(rows, scores, costs, is_local, best, done, worker, stop):
    """Compute a segment; ``best`` int64 (3) becomes the greatest score, and the first row and column that have it.

    ``rows`` int64: the number in ``scores`` (letters, columns + 1) of each amino acid. ``costs``: opening, extension
    and shift, int32. Columns are counted from the first place of the segment, whose H is that of a border.
    """
    opening, extend, shift = costs[0], costs[1], costs[2]
    floor = np.int32(0) if is_local else NEGATIVE
    before, row, gap_up, gap_on = _blank_rows(scores.shape[1])
    if is_local:
        best[0], best[1], best[2] = 0, 0, 0
    for i in range(rows.size):
        if i % ROWS_A_LOOK == 0 and load_acquire(stop, 0) != 0:
            return
        _compute_row(before, row, gap_up, gap_on, scores[rows[i]], opening, extend, shift, floor)
        before[:] = row  # exchanged arrays would not be known apart, and loops would not become vectors
        if is_local or i == rows.size - 1:
            most, values = NEGATIVE, before[PAD:]
            for k in range(values.size):
                most = max(most, values[k])
            if most > best[0]:
                best[0], best[1] = most, i + 1
                for k in range(PAD, before.size):
                    if before[k] == most:
                        best[2] = k - PAD
                        break
        done[worker] += scores.shape[1]


@cached_njit
def trace_back(rows, scores, costs, is_local, block, operations, stop):
    """Return the start of the path that ends in the last row and column, and the place of its first operation.

    Arguments as in `sweep_segment`; ``operations`` uint8 is filled from its end. H and E of every ``block``-th row are
    kept, and blocks are computed again from there, the last one first.
    """
    opening, extend, shift = costs[0], costs[1], costs[2]
    floor = np.int32(0) if is_local else NEGATIVE
    count, blocks = scores.shape[1], (rows.size + block - 1) // block
    kept_rows, kept_gaps = np.empty((blocks, count + PAD), np.int32), np.empty((blocks, count), np.int32)
    before, row, gap_up, gap_on = _blank_rows(count)
    for i in range(rows.size):
        if i % block == 0:
            kept_rows[i // block], kept_gaps[i // block] = before, gap_up
        if i % ROWS_A_LOOK == 0 and load_acquire(stop, 0) != 0:
            return 0, 0, operations.size
        _compute_row(before, row, gap_up, gap_on, scores[rows[i]], opening, extend, shift, floor)
        before[:] = row  # exchanged arrays would not be known apart, and loops would not become vectors
    H, E = np.empty((block + 1, count + PAD), np.int32), np.empty((block + 1, count), np.int32)
    F = np.full((block + 1, count + PAD), NEGATIVE, np.int32)
    i, j, state, at = rows.size, count - 1, 0, operations.size
    for number in range(blocks - 1, -1, -1):
        top = number * block
        H[0], E[0] = kept_rows[number], kept_gaps[number]
        H[1:, :PAD] = NEGATIVE
        for r in range(1, min(block, rows.size - top) + 1):
            E[r] = E[r - 1]
            _compute_row(H[r - 1], H[r], E[r], F[r], scores[rows[top + r - 1]], opening, extend, shift, floor)
        while i > top:
            r, k = i - top, j + PAD
            if state == 0:
                value = H[r, k]
                if is_local and value == 0:
                    return i, j, at
                pair = scores[rows[i - 1], j]
                if value == H[r - 1, k - 3] + pair:
                    at -= 1
                    operations[at] = CODON
                    i, j = i - 1, j - 3
                elif value == H[r - 1, k - 2] - shift + pair:
                    at -= 1
                    operations[at] = SHIFT_BACK
                    i, j = i - 1, j - 2
                elif value == H[r - 1, k - 4] - shift + pair:
                    at -= 1
                    operations[at] = SHIFT_ON
                    i, j = i - 1, j - 4
                else:
                    state = 1 if value == E[r, j] else 2
            elif state == 1:
                at -= 1
                operations[at] = AMINO_GAP
                state = 0 if E[r, j] == H[r - 1, k] - opening - extend else 1
                i -= 1
            else:
                at -= 1
                operations[at] = CODON_GAP
                state = 0 if F[r, k] == H[r, k - 3] - opening - extend else 2
                j -= 3
    return i, j, at
