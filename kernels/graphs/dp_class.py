"""The class of dynamic programming of shortest paths (Hanif 2014, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dp_taxonomy import SPDP, DependencyPicture, DpClassification, make_dependency_picture


def _draw_levels() -> DependencyPicture:
    before = {(j, i): f"d0[{i}, {j}]" for i in range(3) for j in range(3)}
    after = {(j + 4, i): f"d1[{i}, {j}]" for i in range(3) for j in range(3)}
    return make_dependency_picture(
        (6, 2), [[(2, 2)], [(0, 2), (2, 0)]], before | after, "Left: the matrix before vertex 0 is added; right: after"
    )


def _draw_sides() -> DependencyPicture:
    cells = {(0, 0): "D[0, 0]", (1, 0): "D[0, 1]", (0, 1): "D[1, 0]", (1, 1): "D[1, 1]"}
    after = {(x + 3, y): label.replace("D", "D²") for (x, y), label in cells.items()}
    return make_dependency_picture(
        (4, 0),
        [[(0, 0), (1, 0)], [(1, 0), (1, 1)]],
        cells | after,
        "The matrix of one side, with paths of two edges, is squared",
    )


VERTICES = DpClassification(
    SPDP,
    "d_k[i, j] = min(d_k-1[i, j],  d_k-1[i, k] + d_k-1[k, j])",
    "Adding vertex k needs only the matrix before it; a path through k joins two distances.",
    _draw_levels(),
)

SQUARES = DpClassification(
    SPDP,
    "D² [i, j] = min over k of  D[i, k] + D[k, j],  D = M1 M2 over (min, +)",
    "Every squaring needs only the matrix before it; a path joins two distances.",
    _draw_sides(),
)
