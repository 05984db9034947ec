"""The class of dynamic programming to which the alignment of three sequences belongs (Hanif 2014, section 6.1)."""

from __future__ import annotations

from itertools import product

from antidiag.kernels.dp_taxonomy import NMDP, DependencyPicture, DpClassification, make_dependency_picture


def _draw_cube() -> DependencyPicture:
    cells = {(3 * j + 1 - k, 3 * i + k): f"H[{i}, {j}, {k}]" for i, j, k in product(range(2), repeat=3)}
    wanted = (3, 4)
    note = "a cube seen from one side; levels are planes: one to three back"
    return make_dependency_picture(wanted, [[cell] for cell in cells if cell != wanted], cells, note)


TRIPLE_CLASS = DpClassification(
    NMDP,
    "H[i, j, k] = max over the seven neighbours (i-a, j-b, k-c), a, b, c in {0, 1}, of  H + their score",
    "A plane of equal i + j + k needs the three planes before it, one of their cells per term.",
    _draw_cube(),
)
