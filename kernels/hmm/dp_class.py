"""The class of dynamic programming to which hidden Markov models belong (Hanif 2014, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dp_taxonomy import SMDP, DependencyPicture, DpClassification, make_dependency_picture


def _draw_trellis() -> DependencyPicture:
    cells = {(k, state): f"M[{k}, {state + 1}]" for k in range(3) for state in range(3)}
    return make_dependency_picture(
        (2, 1), [[(1, state)] for state in range(3)], cells, "columns are letters, rows are states"
    )


VITERBI_CLASS = DpClassification(
    SMDP,
    "M[k, s] = min over s' of  M[k-1, s'] + E[s', letter k] + T[s', s]",
    "The states after a letter need only those before it, one of them per term.",
    _draw_trellis(),
)
FORWARD_CLASS = DpClassification(
    SMDP,
    "f[k, s] = sum over s' of  f[k-1, s'] e[s', letter k] t[s', s]",
    "The levels of Viterbi, with sums instead of minima: one recursive term each.",
    _draw_trellis(),
)
