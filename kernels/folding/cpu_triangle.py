"""Compiled kernels for tables over all intervals i..j of a sequence.

    Nussinov:      N[i, j] = max(N[i + 1, j - 1] + pair(i, j), max over k of N[i, k] + N[k + 1, j])      i <= k < j
    matrix chain:  C[i, j] = min over k of C[i, k] + C[k + 1, j] + p[i] p[k + 1] p[j + 1]

An interval needs those in its own row to the left and in its own column below, so the blocks of one antidiagonal of
blocks are independent. The table is square and symmetric: column j, read downwards, is row j, so that both terms of a
split are read along a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import lane_moves, simd
from antidiag.kernels.cpu.jit import cached_njit, inner_njit

BLOCK = 64


class FoldingTable(NamedTuple):
    """Nussinov's table (flat, n x n, int32) and what defines it: letter codes, which codes pair, smallest loop."""

    table: np.ndarray
    codes: np.ndarray
    pairing: np.ndarray
    min_loop: int


class ChainTable(NamedTuple):
    """The cost table of the matrix chain (flat, n x n, int64) and the n + 1 dimensions (int64)."""

    table: np.ndarray
    dimensions: np.ndarray


@inner_njit
def _find_best_split(table, row, column, length):
    """Return the largest ``table[row + x] + table[column + x]`` for x < ``length``, sixteen at a time (flat int32)."""
    best, x = simd.splat(np.int32(0)), 0
    while x + simd.LANES <= length:
        best = simd.maximum(best, simd.add(simd.load(table, row + x), simd.load(table, column + x)))
        x += simd.LANES
    most = lane_moves.last_lane(lane_moves.prefix_maximum(best))
    while x < length:
        most = max(most, table[row + x] + table[column + x])
        x += 1
    return most


@cached_njit
def fold_block(folding, top, left, stop):
    """Compute Nussinov's table in the block whose first interval is ``top``..``left``."""
    table, codes, pairing, min_loop = folding
    n = codes.size
    for i in range(min(top + BLOCK, n) - 1, top - 1, -1):
        if stop[0] != 0:
            return
        for j in range(max(left, i + 1), min(left + BLOCK, n)):
            most = _find_best_split(table, i * n + i, j * n + i + 1, j - i)
            if j - i > min_loop and pairing[codes[i], codes[j]] != 0:
                inside = table[(i + 1) * n + j - 1] if j - i > 1 else 0
                most = max(most, inside + 1)
            table[i * n + j] = most
            table[j * n + i] = most


@cached_njit
def trace_fold(folding, partners):
    """Write a structure with the most pairs to ``partners`` (int32, -1 at first).

    From the left, a letter stays single where no pair is lost, else it pairs with the first letter that loses none.
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


@inner_njit
def _find_cheapest_split(before, behind, sizes, ends):
    """Return the least ``before[x] + behind[x] + ends * sizes[x]``.

    Indices count from 0, so that LLVM sees that none is negative and vectorizes the loop.
    """
    least = np.int64(2**62)
    for x in range(sizes.size):
        least = min(least, before[x] + behind[x] + ends * sizes[x])
    return least


@cached_njit
def chain_block(chain, top, left, stop):
    """Compute the matrix chain in the block whose first interval is ``top``..``left``."""
    table, size = chain
    n = size.size - 1
    for i in range(min(top + BLOCK, n) - 1, top - 1, -1):
        if stop[0] != 0:
            return
        for j in range(max(left, i + 1), min(left + BLOCK, n)):
            before, behind = table[i * n + i : i * n + j], table[j * n + i + 1 : j * n + j + 1]
            least = _find_cheapest_split(before, behind, size[i + 1 : j + 1], size[i] * size[j + 1])
            table[i * n + j] = least
            table[j * n + i] = least


@cached_njit
def trace_chain(chain, splits):
    """Write the products of the best order to ``splits`` (int32, n - 1 rows), each split at the smallest best k.

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
