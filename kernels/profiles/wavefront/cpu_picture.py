"""Compiled tiles of the table with all cells, for pictures, computed again from the borders that a run keeps."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.simd import LANES
from antidiag.kernels.profiles.column_scores.scoring import FIRST_START, SECOND_START
from antidiag.kernels.profiles.wavefront.cpu_strips import (
    ProfileStripBorder,
    allocate_rings,
    compute_kept_tile,
    cut_strip,
)
from antidiag.kernels.profiles.whole_table.cpu_cells import NEVER


@cached_njit
def compute_tile_cells(strip_problem, packed, borders, number, at, stop):
    """Return H, E and F of tile ``at`` of strip ``number``, int32 (rows + 1, columns + 1).

    They include the row above and the column on the left, of which only H, E of the row and F of the column are known;
    others are NEVER.
    """
    m, n, s, batch, mode = strip_problem.cuts
    left, top = number * s, at * batch
    real, bottom = min(s, n - left), min(top + batch, m)
    factors, gaps = cut_strip(strip_problem, packed, left)
    width = factors.width
    rings = allocate_rings(bottom - top + 1, width)
    behind = ProfileStripBorder(np.empty(m + 1, np.int32), np.empty(m + 1, np.int32))
    compute_kept_tile(strip_problem, borders, factors, gaps, rings, number, at, bottom, behind, stop)
    shape, length = (bottom - top + 1, real + 1), width + LANES
    h, e, f = np.empty(shape, np.int32), np.full(shape, np.int32(NEVER)), np.full(shape, np.int32(NEVER))
    for i in range(shape[0]):
        first = i * length + LANES - 1
        h[i] = rings.h[first : first + real + 1]
        e[i, 1:] = rings.e[first + 1 : first + real + 1]
        if i > 0:
            f[i] = rings.f[first : first + real + 1]
    if mode & FIRST_START == 0 and left == 0:
        e[1:, 0] = h[1:, 0]
    if mode & SECOND_START == 0 and top == 0:
        f[0, 1:] = h[0, 1:]
    return h, e, f
