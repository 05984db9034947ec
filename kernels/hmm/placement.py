"""Where hidden Markov models belong among the classes of dynamic programming (003, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dynamic_class import SMDP, Picture, Placement, picture


def _trellis() -> Picture:
    cells = {(k, state): f"M[{k}, {state + 1}]" for k in range(3) for state in range(3)}
    return picture((2, 1), [[(1, state)] for state in range(3)], cells, "columns are letters, rows are states")


VITERBI = Placement(
    SMDP, "M[k, s] = min over s' of  M[k-1, s'] + E[s', letter k] + T[s', s]",
    "The states after a letter need those before it alone, one of them at a time.", _trellis(),
)  # fmt: skip
FORWARD = Placement(
    SMDP, "f[k, s] = sum over s' of  f[k-1, s'] e[s', letter k] t[s', s]",
    "As Viterbi, with sums for minima: the same levels, one recursive term each.", _trellis(),
)  # fmt: skip
