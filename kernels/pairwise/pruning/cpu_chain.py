"""Compiled kernels of pruning: the score of one good alignment, along words that both sequences have.

Words of the rows, one after another, are looked up in the columns. The longest chain of places where they occur, rising
in both sequences, is joined to a path: between two places that lie on one diagonal along it, else with one gap where it
costs least. Every score found is that of a real path, so it is a lower bound of the best score.

    letters  uint8: codes of a sequence
    slots    int64 (2 ** k): numbers of words of the rows, plus one; 0 is empty
    places   int32 (2 ** k): where the word begins, -1 if it occurs twice
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.pairwise.encoding import NEGATIVE
from antidiag.kernels.pairwise.pruning.cpu_words import append_letter

BAND = 12
"""Diagonals on either side of those of two cells that a band has."""
WIDEST_BAND, MOST_BAND_CELLS = 2048, 2**22
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@inline_njit
def find_slot(slots, number):
    """Return the slot that holds a word, or the empty one where it belongs."""
    mask = np.uint64(slots.size - 1)
    slot = (number * GOLDEN >> np.uint64(20)) & mask
    while slots[slot] != 0 and slots[slot] != np.int64(number) + 1:
        slot = (slot + np.uint64(1)) & mask
    return slot


@cached_njit
def store_words(letters, length, bits, slots, places):
    """Store the words of a sequence that begin at multiples of their length."""
    mask, number = (np.uint64(1) << np.uint64(length * bits)) - np.uint64(1), np.uint64(0)
    for i in range(letters.size // length * length):
        number = append_letter(number, letters[i], bits, mask)
        if (i + 1) % length == 0:
            slot = find_slot(slots, number)
            places[slot] = i + 1 - length if slots[slot] == 0 else -1
            slots[slot] = np.int64(number) + 1


@cached_njit
def count_shared_words(rows, columns, length, bits, apart):
    """Return how many of the words of the rows that begin ``apart`` letters after each other occur in the columns."""
    mask = (np.uint64(1) << np.uint64(length * bits)) - np.uint64(1)
    sampled = (rows.size - length) // apart + 1
    size = 4
    while size < 8 * sampled:
        size *= 2
    slots, counts = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for k in range(sampled):
        number = np.uint64(0)
        for i in range(k * apart, k * apart + length):
            number = append_letter(number, rows[i], bits, mask)
        slot = find_slot(slots, number)
        slots[slot] = np.int64(number) + 1
        counts[slot] += 1
    found, number = 0, np.uint64(0)
    for j in range(columns.size):
        number = append_letter(number, columns[j], bits, mask)
        if j >= length - 1:
            slot = find_slot(slots, number)
            found += counts[slot]
            counts[slot] = 0
    return found


@cached_njit
def find_matches(rows, columns, start, end, length, bits, slots, places, found):
    """Find stored words in the columns from ``start`` to ``end``; return how many are in ``found``, int32 (most, 2).

    Each is the row and the column where an equal word begins, in the order of the columns. Words of equal numbers are
    compared letter by letter. A full ``found`` ends the search.
    """
    mask, number, count = (np.uint64(1) << np.uint64(length * bits)) - np.uint64(1), np.uint64(0), 0
    for j in range(start, end):
        number = append_letter(number, columns[j], bits, mask)
        if j < start + length - 1:
            continue
        slot = find_slot(slots, number)
        if slots[slot] == 0 or places[slot] < 0:
            continue
        row, column, same = places[slot], j + 1 - length, True
        for k in range(length):
            same &= rows[row + k] == columns[column + k]
        if same:
            if count == found.shape[0]:
                return count
            found[count, 0], found[count, 1] = row, column
            count += 1
    return count


@cached_njit
def chain_matches(found):
    """Return the longest chain of matches that rises in rows and columns, as indices; int64."""
    count = found.shape[0]
    tails, before = np.empty(count, np.int64), np.empty(count, np.int64)
    most = 0
    for k in range(count):
        low, high = 0, most
        while low < high:
            middle = (low + high) // 2
            if found[tails[middle], 0] < found[k, 0]:
                low = middle + 1
            else:
                high = middle
        before[k] = tails[low - 1] if low else -1
        tails[low] = k
        most = max(most, low + 1)
    chain = np.empty(most, np.int64)
    at = tails[most - 1] if most else -1
    for k in range(most - 1, -1, -1):
        chain[k] = at
        at = before[at]
    return chain


@inline_njit
def best_score(table):
    """Return the greatest score of a table."""
    best = table[0, 0]
    for row in table:
        for score in row:
            best = max(best, score)
    return best


@inline_njit
def gap_cost(length, open_cost, extend):
    """Return the cost of a gap; 0 for none."""
    return open_cost + length * extend if length > 0 else 0


@inner_njit
def score_one_gap(rows, columns, table, open_cost, extend, start, end):
    """Return the best score of a path between two cells with one gap, or with two gaps and no pair of letters."""
    i, j = start
    height, width = end[0] - i, end[1] - j
    pairs, gap = min(height, width), abs(height - width)
    down, right = (height - width if height > width else 0), (width - height if width > height else 0)
    score = 0  # of all pairs behind the gap
    for k in range(pairs):
        score += table[rows[i + down + k], columns[j + right + k]]
    best = score
    if gap > 0:
        for k in range(pairs):
            score += table[rows[i + k], columns[j + k]] - table[rows[i + down + k], columns[j + right + k]]
            best = max(best, score)
    skipped = gap_cost(height, open_cost, extend) + gap_cost(width, open_cost, extend)
    return max(best - gap_cost(gap, open_cost, extend), -skipped)


@inner_njit
def score_band(rows, columns, table, open_cost, extend, start, end, H, E):
    """Return the best score of a path between two cells that stays near their diagonals.

    ``H`` and ``E`` int32, as wide as the band: the diagonals from the lower left one on.
    """
    i, j = start
    height, width = end[0] - i, end[1] - j
    lowest = min(width - height, 0) - BAND  # column less row
    size = max(width - height, 0) + BAND - lowest + 1
    for d in range(size):
        column = d + lowest
        H[d] = -gap_cost(column, open_cost, extend) if column >= 0 else NEGATIVE
        E[d] = NEGATIVE
    for row in range(1, height + 1):
        F, letter = np.int32(NEGATIVE), rows[i + row - 1]
        first, last = max(-row - lowest, 0), min(width - row - lowest, size - 1)
        for d in range(first, last + 1):
            column = row + d + lowest
            above, gap_above = (H[d + 1], E[d + 1]) if d + 1 < size else (np.int32(NEGATIVE), np.int32(NEGATIVE))
            E[d] = max(gap_above, above - open_cost) - extend
            best = max(E[d], F)
            if column > 0:
                best = max(best, H[d] + table[letter, columns[j + column - 1]])
            H[d] = best
            F = max(F, best - open_cost) - extend
        if last + 1 < size:
            H[last + 1], E[last + 1] = NEGATIVE, NEGATIVE
    return H[width - height - lowest]


@inner_njit
def score_joint(rows, columns, table, open_cost, extend, start, end, most_loss, H, E):
    """Return the score of a good path between two cells: with one gap if it loses little, else in a band."""
    best = score_one_gap(rows, columns, table, open_cost, extend, start, end)
    height, width = end[0] - start[0], end[1] - start[1]
    pairs, shift = min(height, width), abs(height - width)
    lost = pairs * best_score(table) - gap_cost(shift, open_cost, extend) - best
    size = shift + 2 * BAND + 1
    if lost <= most_loss or size > H.size or size * height > MOST_BAND_CELLS:
        return best
    return max(best, score_band(rows, columns, table, open_cost, extend, start, end, H, E))


@cached_njit
def score_joints(rows, columns, table, open_cost, extend, cells, scores):
    """Compute the score of the path between each cell and the one before it; ``scores`` int64 (cells), the first is 0.

    ``cells`` int32 (cells, 2), each above and left of the next.
    """
    most_loss = 3 * (best_score(table) - np.min(table))
    H, E = np.empty(WIDEST_BAND, np.int32), np.empty(WIDEST_BAND, np.int32)
    scores[:1] = 0
    for k in range(1, cells.shape[0]):
        start, end = (cells[k - 1, 0], cells[k - 1, 1]), (cells[k, 0], cells[k, 1])
        scores[k] = score_joint(rows, columns, table, open_cost, extend, start, end, most_loss, H, E)


@cached_njit
def add_joints(scores, may_begin, may_end):
    """Add the scores of joints along a chain to those of its cells, in place; return the best score of a path along it.

    A path may begin at every cell, at score 0, with ``may_begin``, else at the first alone; and end at every one with
    ``may_end``, else at the last.
    """
    best, score = 0, 0
    for k in range(scores.size):
        score += scores[k]
        if may_begin:
            score = max(score, 0)
        scores[k] = score
        best = score if k == 0 or not may_end else max(best, score)
    return best
