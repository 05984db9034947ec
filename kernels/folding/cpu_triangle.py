"""Tables over all parts i..j of a row of things, compiled; half of such a table is used.

    Nussinov:      N[i, j] = max(N[i + 1, j - 1] + pair(i, j), max over k of N[i, k] + N[k + 1, j])      i <= k < j
    matrix chain:  C[i, j] = min over k of C[i, k] + C[k + 1, j] + p[i] p[k + 1] p[j + 1]

A part needs those of its own row to the left and of its own column below, so that the blocks of an antidiagonal of
blocks are independent. The table is square, and its lower half is the mirror of the upper one: column j, read
downwards, is row j, so that both factors of a split are read along a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import simd
from antidiag.kernels.cpu.jit import called, compiled

BLOCK = 64


class Folding(NamedTuple):
    """The table of Nussinov, flat, n x n, int32, and what decides it: letters, which may pair, and how far apart."""

    table: np.ndarray
    codes: np.ndarray
    pairing: np.ndarray
    min_loop: int


class Chain(NamedTuple):
    """The table of the matrix chain, flat, n x n, int64, and the n + 1 dimensions, int64."""

    table: np.ndarray
    dimensions: np.ndarray


@called
def _best_split(table, row, column, length):
    """The largest ``table[row + x] + table[column + x]``, x from 0 to ``length`` - 1, sixteen at a time; flat int32."""
    best, x = simd.splat(np.int32(0)), 0
    while x + simd.LANES <= length:
        best = simd.maximum(best, simd.add(simd.load(table, row + x), simd.load(table, column + x)))
        x += simd.LANES
    most = simd.last_lane(simd.prefix_maximum(best))
    while x < length:
        most = max(most, table[row + x] + table[column + x])
        x += 1
    return most


@compiled
def fold_block(folding, top, left, stop):
    """Nussinov in the block whose first part is ``top``..``left``."""
    table, codes, pairing, min_loop = folding
    n = codes.size
    for i in range(min(top + BLOCK, n) - 1, top - 1, -1):
        if stop[0] != 0:
            return
        for j in range(max(left, i + 1), min(left + BLOCK, n)):
            most = _best_split(table, i * n + i, j * n + i + 1, j - i)
            if j - i > min_loop and pairing[codes[i], codes[j]] != 0:
                inside = table[(i + 1) * n + j - 1] if j - i > 1 else 0
                most = max(most, inside + 1)
            table[i * n + j] = most
            table[j * n + i] = most


@compiled
def trace_fold(folding, partners):
    """A structure of the most pairs into ``partners`` (int32, -1 at first).

    From the left: a letter stays single where nothing is lost, else it pairs with the first letter that loses nothing.
    Reads the upper half of the table only.
    """
    table, codes, pairing, min_loop = folding
    n = codes.size
    waiting = [(0, n - 1)]
    while len(waiting) > 0:
        i, j = waiting.pop()
        while i < j and table[i * n + j] == table[(i + 1) * n + j]:
            i += 1
        if i >= j:
            continue
        for k in range(i + min_loop + 1, j + 1):
            if pairing[codes[i], codes[k]] == 0:
                continue
            inside = table[(i + 1) * n + k - 1] if k - i > 1 else 0
            right = table[(k + 1) * n + j] if k < j else 0
            if inside + 1 + right == table[i * n + j]:
                partners[i] = k
                partners[k] = i
                waiting.append((i + 1, k - 1))
                waiting.append((k + 1, j))
                break


@called
def _cheapest(before, behind, sizes, ends):
    """The least ``before[x] + behind[x] + ends * sizes[x]``; counted from 0, so that LLVM sees that no index is counted
    from the end, and takes several at a time."""
    least = np.int64(2**62)
    for x in range(sizes.size):
        least = min(least, before[x] + behind[x] + ends * sizes[x])
    return least


@compiled
def chain_block(chain, top, left, stop):
    """The matrix chain in the block whose first part is ``top``..``left``."""
    table, size = chain
    n = size.size - 1
    for i in range(min(top + BLOCK, n) - 1, top - 1, -1):
        if stop[0] != 0:
            return
        for j in range(max(left, i + 1), min(left + BLOCK, n)):
            before, behind = table[i * n + i : i * n + j], table[j * n + i + 1 : j * n + j + 1]
            least = _cheapest(before, behind, size[i + 1 : j + 1], size[i] * size[j + 1])
            table[i * n + j] = least
            table[j * n + i] = least


@compiled
def trace_chain(chain, splits):
    """The products of the best order into ``splits`` (int32, n - 1 rows); each at the smallest k that costs least.

    Reads the upper half of the table only.
    """
    table, size = chain
    n = size.size - 1
    waiting = [(0, n - 1)]
    count = 0
    while len(waiting) > 0:
        i, j = waiting.pop()
        if i >= j:
            continue
        for k in range(i, j):
            if table[i * n + k] + table[(k + 1) * n + j] + size[i] * size[k + 1] * size[j + 1] == table[i * n + j]:
                splits[count] = i, k, j
                count += 1
                waiting.append((k + 1, j))
                waiting.append((i, k))
                break
