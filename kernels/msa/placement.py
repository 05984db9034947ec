"""Where multiple alignment belongs among the classes of dynamic programming (003, section 6.1; not placed there)."""

from __future__ import annotations

from antidiag.kernels.dynamic_class import NMDP, Picture, Placement, picture


def _grid() -> Picture:
    cells = {(j, i): f"S[{i}, {j}]" for i in range(3) for j in range(3)}
    return picture((2, 2), [[(1, 1)], [(2, 1)], [(1, 2)]], cells, "a table of its own for each merge along the tree")


MERGES = Placement(
    NMDP, "S[i, j] = max(S[i-1, j-1] + s(column i, column j),  S[i-1, j] - gap,  S[i, j-1] - gap), for each merge",
    "What takes the time is the alignment of two sequences, and later of two groups, column by column, over "
    "antidiagonals. The tree says which groups; merges of one of its levels need nothing of each other.",
    _grid(), borderline=True,
)  # fmt: skip
