"""Where shortest paths belong among the classes of dynamic programming (003, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dynamic_class import SPDP, Picture, Placement, picture


def _levels() -> Picture:
    before = {(j, i): f"d0[{i}, {j}]" for i in range(3) for j in range(3)}
    after = {(j + 4, i): f"d1[{i}, {j}]" for i in range(3) for j in range(3)}
    return picture((6, 2), [[(2, 2)], [(0, 2), (2, 0)]], before | after,
                   "left the matrix before vertex 0 was let in, right after")  # fmt: skip


def _sides() -> Picture:
    cells = {(0, 0): "D[0, 0]", (1, 0): "D[0, 1]", (0, 1): "D[1, 0]", (1, 1): "D[1, 1]"}
    after = {(x + 3, y): label.replace("D", "D²") for (x, y), label in cells.items()}
    return picture((4, 0), [[(0, 0), (1, 0)], [(1, 0), (1, 1)]], cells | after,
                   "the matrix of one side, two steps of the graph to an entry, is squared")  # fmt: skip


VERTICES = Placement(
    SPDP, "d_k[i, j] = min(d_k-1[i, j],  d_k-1[i, k] + d_k-1[k, j])",
    "Letting vertex k in needs the matrix before it alone; a path over k joins two distances.", _levels(),
)  # fmt: skip

SQUARES = Placement(
    SPDP, "D² [i, j] = min over k of  D[i, k] + D[k, j],  D = M1 M2 over (min, +)",
    "Every squaring needs the matrix before it alone; a path joins two distances.", _sides(),
)  # fmt: skip
