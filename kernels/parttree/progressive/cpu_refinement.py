"""Refinement of an alignment, compiled: two groups of its rows realigned, and the tree of its rows.

The distances of that tree are those of longest common subsequences, but with the letters that are equal in a column in
place of these.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cpu.simd import load_acquire
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.parttree.insertion.insertion_kernels import count_profile
from antidiag.kernels.parttree.lcs.cpu_spanning_tree import NO_COMMON_DISTANCE, edge_key
from antidiag.kernels.parttree.progressive.cpu_profiles import find_path
from antidiag.kernels.parttree.symbols import SYMBOLS

GAP = np.uint8(aligned_sequences.GAP)
NO_LETTER = np.uint8(0)


@cached_njit
def realign_groups(first_rows, second_rows, symbols, rules, stop):
    """Return the best alignment of two groups of aligned rows, uint8 (rows, columns), as runs of `trace_path`.

    ``symbols`` are those of `count_profile`.
    """
    m, n = first_rows.shape[1], second_rows.shape[1]
    planes, done = np.zeros(SYMBOLS * (m + n), np.float32), np.zeros(1, np.int64)
    present = count_profile(first_rows, symbols, planes[: SYMBOLS * m], done, stop)
    other = count_profile(second_rows, symbols, planes[SYMBOLS * m :], done, stop)
    rows_a, rows_b = np.float32(first_rows.shape[0]), np.float32(second_rows.shape[0])
    packed, ways = np.empty(1, np.float32), np.empty(1, np.uint8)
    second = SYMBOLS * m
    return find_path(planes, 0, m, rows_a, present, second, n, rows_b, other, rules, packed, ways, stop)[0].copy()


@inline_njit
def _count_equal_columns(first_row, row):
    """Count columns in which two rows have the same letter; gaps of ``first_row`` are NO_LETTER."""
    found = np.int32(0)
    for column in range(first_row.size):
        found += np.int32(first_row[column] == row[column])
    return found


@cached_njit
def spanning_tree_between(rows, sizes, first_rows, second_rows, within, keys, lengths, done, stop):
    """Write the minimum spanning tree between two groups of rows, or ``within`` one that is given twice.

    ``rows`` uint8 (all rows, columns), ``sizes`` int64 their letters, ``first_rows`` and ``second_rows`` int64 numbers
    of rows. Edges go to ``keys`` int64 and ``lengths`` float32; of equally long ones the smaller key comes first.
    ``done`` counts pairs.
    """
    left = first_rows.copy() if within else np.concatenate((first_rows, second_rows))
    second = np.zeros(left.size, np.bool_)
    second[first_rows.size :] = True
    least, nearest = np.full(left.size, np.float32(np.inf)), np.zeros(left.size, np.int64)
    count, taken = left.size, 0
    for step in range(left.size - 1):
        last, side = left[taken], second[taken]
        count -= 1
        left[taken], second[taken] = left[count], second[count]
        least[taken], nearest[taken] = least[count], nearest[count]
        own = np.where(rows[last] == GAP, NO_LETTER, rows[last])
        taken = -1
        for at in range(count):
            if within or second[at] != side:
                if load_acquire(stop, 0) != 0:
                    return
                shared = _count_equal_columns(own, rows[left[at]])
                away = NO_COMMON_DISTANCE
                if shared > 0:
                    away = np.float32(sizes[last] + sizes[left[at]] - 2 * shared) / np.float32(shared)
                if away < least[at] or (away == least[at] and last < nearest[at]):
                    least[at], nearest[at] = away, last
                done[0] += 1
            if least[at] == np.inf:
                continue
            if (
                taken < 0
                or least[at] < least[taken]
                or (
                    least[at] == least[taken]
                    and edge_key(nearest[at], left[at]) < edge_key(nearest[taken], left[taken])
                )
            ):
                taken = at
        keys[step], lengths[step] = edge_key(nearest[taken], left[taken]), least[taken]
