"""The class of dynamic programming of multiple alignment (by the scheme of Hanif 2014, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dp_taxonomy import NMDP, DpClassification, draw_alignment_table

MERGES = DpClassification(
    NMDP,
    "S[i, j] = max(S[i-1, j-1] + s(column i, column j),  S[i-1, j] - gap,  S[i, j-1] - gap), for each merge",
    "What takes the time is the alignment of two sequences, and later of two groups, column by column, over "
    "antidiagonals. The tree says which groups; merges of one of its levels need nothing of each other.",
    draw_alignment_table("S", "a table of its own for each merge along the tree"),
    is_borderline=True,
)
