"""Where the alignment of three sequences belongs among the classes of dynamic programming (003, section 6.1)."""

from __future__ import annotations

from itertools import product

from antidiag.kernels.dynamic_class import NMDP, Picture, Placement, picture


def _cube() -> Picture:
    cells = {(3 * j + 1 - k, 3 * i + k): f"H[{i}, {j}, {k}]" for i, j, k in product(range(2), repeat=3)}
    wanted = (3, 4)
    return picture(wanted, [[cell] for cell in cells if cell != wanted], cells,
                   "a cube seen from one side; levels are planes: one to three back")  # fmt: skip


NEIGHBOURS = Placement(
    NMDP, "H[i, j, k] = max over the seven neighbours (i-a, j-b, k-c), a, b, c in {0, 1}, of  H + their score",
    "Planes of equal i + j + k need up to three planes before, one cell of them at a time.", _cube(),
)  # fmt: skip
