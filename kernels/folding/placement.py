"""Where folding and matrix chains belong among the classes of dynamic programming (003, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dynamic_class import NPDP, Picture, Placement, picture


def _triangle(inner: bool) -> Picture:
    last = 4
    cells = {(j, i): f"{'N' if inner else 'C'}[{i}, {j}]" for i in range(last + 1) for j in range(i, last + 1)}
    terms = [[(k, 0), (last, k + 1)] for k in range(last)] + ([[(last - 1, 1)]] if inner else [])
    return picture((last, 0), terms, cells, "levels are lengths of parts: all shorter ones are needed")


PAIRS = Placement(
    NPDP, "N[i, j] = max(N[i+1, j-1] + pair(i, j),  max over k of  N[i, k] + N[k+1, j])",
    "A part is cut in two anywhere: both pieces count, and they may be of any shorter length.", _triangle(True),
)  # fmt: skip

CHAIN = Placement(
    NPDP, "C[i, j] = min over k of  C[i, k] + C[k+1, j] + p[i] p[k+1] p[j+1]",
    "A product is split anywhere: both factors count, and they may be of any shorter length.", _triangle(False),
)  # fmt: skip
