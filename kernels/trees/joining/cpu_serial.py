"""Neighbor joining by the pseudocode of figure 2 of Liu, Schmidt and Maskell (2009, section 4.1), compiled."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit

SUMS = 32
"""Partial sums of a row: column j belongs to sum j mod 32, as it belongs to a lane of a warp."""


@inner_njit
def sum_rows(D, S, first, last):
    """Write sums of rows ``first`` .. ``last`` to ``S``, in double precision and in one order on every device.

    Each of 32 partial sums takes its columns in order; then sum l takes sum l + 16, l + 8, l + 4, l + 2, l + 1.
    """
    partial = np.empty(SUMS)
    for i in range(first, last):
        partial[:] = 0.0
        for start in range(0, D.shape[1], SUMS):
            for lane in range(min(SUMS, D.shape[1] - start)):
                partial[lane] += D[i, start + lane]
        half = SUMS // 2
        while half:
            for lane in range(half):
                partial[lane] += partial[lane + half]
            half //= 2
        S[i] = partial[0]


call_sum_rows = cached_njit(sum_rows)
"""`sum_rows` for calls from Python."""


@inner_njit
def find_best_pair(D, S, valid, r, stop):
    """Return the first pair of the smallest criterion, in the order of the loops of figure 2: (j, i) with i < j.

    ``stop`` ends the search early.
    """
    smallest, best_j, best_i = np.inf, -1, -1
    for j in range(valid.size):
        if stop[0]:
            break
        if not valid[j]:
            continue
        for i in range(j):
            if valid[i]:
                criterion = (r - 2) * np.float64(D[j, i]) - (S[j] + S[i])
                if criterion < smallest:
                    smallest, best_j, best_i = criterion, j, i
    return best_j, best_i


@inner_njit
def join_clusters(D, S, valid, nodes, j, i, r, node):
    """Put the cluster of j and i in the place of i: its distances and its row sum; the other sums follow."""
    between = np.float64(D[j, i])
    sum_of_new = 0.5 * ((S[i] + S[j]) - r * between)
    for k in range(valid.size):
        if valid[k] and k != i and k != j:
            both = np.float64(D[i, k]) + np.float64(D[j, k])
            distance = D.dtype.type(0.5 * (both - between))
            D[i, k] = D[k, i] = distance
            S[k] = (S[k] - both) + distance
    S[i], nodes[i], valid[j] = sum_of_new, node, 0


@cached_njit
def make_joins(D, S, valid, nodes, done, join_limit, joined, stop):
    """Make up to ``join_limit`` joins after the first ``done``, into a `cpu_pruned.JoinArrays`; return the joins
    done."""
    joins, records = joined
    taxa = valid.size
    for step in range(done, min(done + join_limit, taxa - 3)):
        r = taxa - step
        j, i = find_best_pair(D, S, valid, r, stop)
        if stop[0]:
            return step
        joins[step, 0], joins[step, 1] = nodes[i], nodes[j]
        records[step, 0], records[step, 1], records[step, 2] = D[i, j], S[i], S[j]
        join_clusters(D, S, valid, nodes, j, i, r, taxa + step)
    return min(done + join_limit, taxa - 3)
