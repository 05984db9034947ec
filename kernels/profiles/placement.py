"""Where the alignment of profiles belongs among the classes of dynamic programming (003, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dynamic_class import NMDP, Picture, Placement, picture


def _grid() -> Picture:
    cells = {(j, i): f"S[{i}, {j}]" for i in range(3) for j in range(3)}
    return picture((2, 2), [[(1, 1)], [(2, 1)], [(1, 2)]], cells, "levels are antidiagonals: one and two back")


COLUMNS = Placement(
    NMDP, "S[i, j] = max(S[i-1, j-1] + d(p_i, q_j),  S[i-1, j] + d(p_i, -),  S[i, j-1] + d(-, q_j))",
    "The recurrence of two sequences, over antidiagonals. What a column scores is a product of two vectors and depends "
    "on no cell, so that all scores are a product of matrices, apart from the recurrence.", _grid(),
)  # fmt: skip
