"""What follows a first alignment, compiled: two groups of its rows aligned anew, and the tree of its rows.

The distances of that tree are those of longest common subsequences, with the letters that stand in one column in the
place of these.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.cpu.simd import acquire
from antidiag.kernels.io import aligned
from antidiag.kernels.parttree.cpu_adding import profile_of
from antidiag.kernels.parttree.cpu_align import LANES, align, path, width
from antidiag.kernels.parttree.cpu_lcs import FAR, edge_key
from antidiag.kernels.parttree.symbols import SYMBOLS

GAP = np.uint8(aligned.GAP)
NO_LETTER = np.uint8(0)


@compiled
def aligned_anew(one, two, symbols, rules, stop):
    """The best way to align two groups of aligned rows, uint8 (rows, columns), as runs of `cpu_align.path`.

    ``symbols`` are those of `cpu_adding.profile_of`."""
    m, n = one.shape[1], two.shape[1]
    planes, done = np.zeros(SYMBOLS * (m + n), np.float32), np.zeros(1, np.int64)
    present = profile_of(one, symbols, planes[: SYMBOLS * m], done, stop)
    other = profile_of(two, symbols, planes[SYMBOLS * m :], done, stop)
    ways, runs = np.zeros((m + n) * width(m, n) + LANES, np.uint8), np.empty((m + n, 2), np.int64)
    rows_a, rows_b = np.float32(one.shape[0]), np.float32(two.shape[0])
    align(planes, 0, m, rows_a, present, SYMBOLS * m, n, rows_b, other, rules, ways, stop)
    return runs[: path(ways, m, n, runs)].copy()


@inlined
def _common(own, row):
    """Columns in which two rows have one letter; gaps of ``own`` are NO_LETTER."""
    found = np.int32(0)
    for column in range(own.size):
        found += np.int32(own[column] == row[column])
    return found


@compiled
def tree_between(rows, sizes, one, two, within, keys, lengths, done, stop):
    """The edges of the minimum spanning tree between two groups of rows, or ``within`` one that is given twice.

    ``rows`` uint8 (all rows, columns), ``sizes`` int64 their letters, ``one`` and ``two`` int64 numbers of rows. Edges
    go to ``keys`` int64 and ``lengths`` float32; of equally long ones that of the lesser key comes first. ``done``
    counts pairs.
    """
    left = one.copy() if within else np.concatenate((one, two))
    second = np.zeros(left.size, np.bool_)
    second[one.size :] = True
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
                if acquire(stop, 0) != 0:
                    return
                shared = _common(own, rows[left[at]])
                away = FAR
                if shared > 0:
                    away = np.float32(sizes[last] + sizes[left[at]] - 2 * shared) / np.float32(shared)
                if away < least[at] or (away == least[at] and last < nearest[at]):
                    least[at], nearest[at] = away, last
                done[0] += 1
            if least[at] == np.inf:
                continue
            if taken < 0 or least[at] < least[taken] or (least[at] == least[taken] and edge_key(
                    nearest[at], left[at]) < edge_key(nearest[taken], left[taken])):  # fmt: skip
                taken = at
        keys[step], lengths[step] = edge_key(nearest[taken], left[taken]), least[taken]
