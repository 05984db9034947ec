"""Where the alignment of two sequences belongs among the classes of dynamic programming (003, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dynamic_class import NMDP, Picture, Placement, picture


def _grid() -> Picture:
    cells = {(j, i): f"H[{i}, {j}]" for i in range(3) for j in range(3)}
    return picture((2, 2), [[(1, 1)], [(2, 1)], [(1, 2)]], cells, "levels are antidiagonals: one and two back")


GAPS = Placement(
    NMDP, "H[i, j] = max(H[i-1, j-1] + s(i, j), E[i, j], F[i, j]);  E and F extend H[i, j-1] and H[i-1, j]",
    "Antidiagonals need the one before for gaps and the second before for a match; three states for affine gaps "
    "keep one recursive term, where gaps of any cost would need whole rows and columns.", _grid(),
)  # fmt: skip
