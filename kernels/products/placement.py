"""Where products over a semiring belong among the classes of dynamic programming (003, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dynamic_class import SPDP, Picture, Placement, picture


def _factors() -> Picture:
    cells = {(x, y): f"A[{y}, {x}]" for x in range(2) for y in range(2)}
    beside = {(x + 3, y): f"B[{y}, {x}]" for x in range(2) for y in range(2)}
    cells |= beside | {(6, 0): "C[0, 0]"}
    return picture((6, 0), [[(0, 0), (3, 0)], [(1, 0), (3, 1)]], cells,
                   "a number of the product joins one of each factor, in each way that they share")  # fmt: skip


PRODUCTS = Placement(
    SPDP, "C[i, j] = min over k of  A[i, k] + B[k, j]",
    "A level of products needs the matrices before it alone; a way joins two of their numbers.", _factors(),
)  # fmt: skip
