"""A tile of the table with all its cells, compiled, for pictures; computed again from the borders that a run keeps."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.simd import LANES
from antidiag.kernels.profiles.cpu_cells import NEVER
from antidiag.kernels.profiles.cpu_strips import Border, cut, rings_of
from antidiag.kernels.profiles.cpu_tile import ALL, tile
from antidiag.kernels.profiles.scoring import GLOBAL


@compiled
def tile_cells(whole, packed, kept, number, at, stop):
    """H, E and F of tile ``at`` of strip ``number``, int32 (rows + 1, columns + 1): with the row above and the column
    on the left, of which only H, E of the row and F of the column are known (NEVER elsewhere)."""
    m, n, s, batch, mode = whole.cuts
    left, top = number * s, at * batch
    real, bottom = min(s, n - left), min(top + batch, m)
    factors, gaps = cut(whole, packed, left)
    width = factors.width
    rings = rings_of(bottom - top + 1, width)
    if at == 0:
        rings.h[LANES : LANES + real] = whole.first_row[left + 1 : left + 1 + real]
    else:
        rings.h[LANES : LANES + width] = kept.rows[number, at - 1, 0, :width]
        rings.e[LANES : LANES + width] = kept.rows[number, at - 1, 1, :width]
    before = Border(kept.columns[number, 0], kept.columns[number, 1])
    behind = Border(np.empty(m + 1, np.int32), np.empty(m + 1, np.int32))
    rings.h[LANES - 1] = before.h[top]
    nothing = np.array([2**62, 0, 0])  # no cell is better: no end of a path is looked for
    tile(factors, whole.finish, gaps, rings, (top, bottom, top, np.int64(ALL)), before, behind, nothing,
         (mode, m, real, np.int64(0)), stop)  # fmt: skip
    shape, length = (bottom - top + 1, real + 1), width + LANES
    h, e, f = np.empty(shape, np.int32), np.full(shape, np.int32(NEVER)), np.full(shape, np.int32(NEVER))
    for i in range(shape[0]):
        first = i * length + LANES - 1
        h[i] = rings.h[first : first + real + 1]
        e[i, 1:] = rings.e[first + 1 : first + real + 1]
        if i > 0:
            f[i] = rings.f[first : first + real + 1]
    if mode == GLOBAL and left == 0:
        e[1:, 0] = h[1:, 0]
    if mode == GLOBAL and top == 0:
        f[0, 1:] = h[0, 1:]
    return h, e, f
