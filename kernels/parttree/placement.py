"""Where trees of many sequences belong among the classes of dynamic programming (003, 6.1; not placed there)."""

from __future__ import annotations

from antidiag.kernels.dynamic_class import SPDP, Picture, Placement, picture


def _joins() -> Picture:
    before = {(0, row): label for row, label in enumerate(("D[i, k]", "D[j, k]", "D[i, l]", "D[j, l]"))}
    after = {(3, 0): "D'[u, k]", (3, 2): "D'[u, l]"}
    return picture((3, 0), [[(0, 0), (0, 1)]], before | after,
                   "left the distances of clusters before i and j are joined to u, right after")  # fmt: skip


JOINS = Placement(
    SPDP, "D'[u, k] = 0.9 min(D[i, k], D[j, k]) + 0.05 (D[i, k] + D[j, k]),  or of single linkage the lesser of both",
    "Every join needs the distances before it alone, and joins two of them; which clusters are joined is a greedy "
    "choice. The distances themselves are sums over words (SMDP), or longest common subsequences (NMDP), pair by pair.",
    _joins(), borderline=True,
)  # fmt: skip
