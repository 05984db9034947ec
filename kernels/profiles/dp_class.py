"""The class of dynamic programming of profile alignment (Hanif 2014, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dp_taxonomy import NMDP, DpClassification, draw_alignment_table

COLUMNS = DpClassification(
    NMDP,
    "S[i, j] = max(S[i-1, j-1] + d(p_i, q_j),  S[i-1, j] + d(p_i, -),  S[i, j-1] + d(-, q_j))",
    "The recurrence of two sequences, over antidiagonals. What a column scores is a product of two vectors and depends "
    "on no cell, so that all scores are a product of matrices, apart from the recurrence.",
    draw_alignment_table("S", "levels are antidiagonals: one and two back"),
)
