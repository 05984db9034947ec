"""The class of dynamic programming of folding and matrix chains (Hanif 2014, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dp_taxonomy import NPDP, DependencyPicture, DpClassification, make_dependency_picture


def _draw_triangle(inner: bool) -> DependencyPicture:
    """Return the picture of an interval's dependencies; ``inner``: with the interval inside a pair."""
    last = 4
    cells = {(j, i): f"{'N' if inner else 'C'}[{i}, {j}]" for i in range(last + 1) for j in range(i, last + 1)}
    terms = [[(k, 0), (last, k + 1)] for k in range(last)] + ([[(last - 1, 1)]] if inner else [])
    return make_dependency_picture(
        (last, 0), terms, cells, "levels are lengths of intervals: all shorter ones are needed"
    )


PAIRS = DpClassification(
    NPDP,
    "N[i, j] = max(N[i+1, j-1] + pair(i, j),  max over k of  N[i, k] + N[k+1, j])",
    "An interval is split anywhere: both pieces count, and they may have any shorter length.",
    _draw_triangle(True),
)

CHAIN = DpClassification(
    NPDP,
    "C[i, j] = min over k of  C[i, k] + C[k+1, j] + p[i] p[k+1] p[j+1]",
    "A product is split anywhere: both factors count, and they may have any shorter length.",
    _draw_triangle(False),
)
