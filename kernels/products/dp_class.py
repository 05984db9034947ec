"""The class of dynamic programming of products over a semiring (Hanif 2014, section 6.1)."""

from __future__ import annotations

from antidiag.kernels.dp_taxonomy import SPDP, DependencyPicture, DpClassification, make_dependency_picture


def _draw_factors() -> DependencyPicture:
    cells = {(x, y): f"A[{y}, {x}]" for x in range(2) for y in range(2)}
    beside = {(x + 3, y): f"B[{y}, {x}]" for x in range(2) for y in range(2)}
    cells |= beside | {(6, 0): "C[0, 0]"}
    return make_dependency_picture(
        (6, 0),
        [[(0, 0), (3, 0)], [(1, 0), (3, 1)]],
        cells,
        "A number of the product joins one of each factor, for each shared index",
    )


PRODUCTS = DpClassification(
    SPDP,
    "C[i, j] = min over k of  A[i, k] + B[k, j]",
    "A level of products needs only the matrices before it; a path joins two of their numbers.",
    _draw_factors(),
)
