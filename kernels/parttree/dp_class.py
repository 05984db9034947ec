"""The class of dynamic programming of guide trees of many sequences (classes of Hanif, section 6.1; not placed
there)."""

from __future__ import annotations

from antidiag.kernels.dp_taxonomy import SPDP, DpClassification
from antidiag.kernels.trees.dp_classes import draw_joins

JOINS = DpClassification(
    SPDP,
    "D'[u, k] = 0.9 min(D[i, k], D[j, k]) + 0.05 (D[i, k] + D[j, k]),  or of single linkage the lesser of both",
    "Every join needs only the distances before it, and combines two of them; which clusters are joined is a greedy "
    "choice. The distances themselves are sums over words (SMDP), or longest common subsequences (NMDP), pair by pair.",
    draw_joins("left: the distances of clusters before i and j are joined to u; right: after"),
    is_borderline=True,
)
