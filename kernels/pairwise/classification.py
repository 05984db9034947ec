"""The class of dynamic programming of the alignment of two sequences (Hanif 2014, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dp_taxonomy import NMDP, DpClassification, draw_alignment_table

GAPS = DpClassification(
    NMDP,
    "H[i, j] = max(H[i-1, j-1] + s(i, j), E[i, j], F[i, j]);  E and F extend H[i, j-1] and H[i-1, j]",
    "Antidiagonals need the one before for gaps and the second before for a match; three states for affine gaps "
    "(five where gap costs have two pieces) keep one recursive term, where gaps of any cost would need whole rows and "
    "columns.",
    draw_alignment_table("H", "levels are antidiagonals: one and two back"),
)
