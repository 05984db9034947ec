"""The kernels of the family compile for old and new cards, whatever their compile-time constants."""

from __future__ import annotations

import pytest

pytest.importorskip("cupy")

from antidiag.kernels.cuda.run import ELEMENT_NUMBERS
from tests.nvrtc import compile_without_device

OLD, NEW = "sm_75", "sm_90"


@pytest.mark.parametrize(
    ("element", "semiring", "texture", "architecture"),
    [("float32", 0, False, NEW), ("int32", 0, True, NEW), ("float64", 1, True, OLD), ("int32", 2, False, OLD)],
)
def test_products_compile(element: str, semiring: int, texture: bool, architecture: str) -> None:
    from antidiag.kernels.semiring import SEMIRINGS, cuda

    constants = cuda.compile_constants(element, SEMIRINGS[semiring], texture)
    assert compile_without_device(cuda.PRODUCT, constants, architecture)


@pytest.mark.parametrize(("element", "architecture"), [("float64", OLD), ("int32", NEW)])
def test_products_that_keep_their_winners_compile_by_themselves(element: str, architecture: str) -> None:
    """A product takes long to compile: no module has one that it does not use."""
    from antidiag.kernels.semiring import cuda

    constants = cuda.compile_constants(element, indexed=True)
    found = [compile_without_device(files, constants, architecture)
             for files in (cuda.TILE_FILES, cuda.PRODUCT, cuda.INDEXED_PRODUCT)]  # fmt: skip
    assert [b".text.product" in code for code in found] == [False, True, False]
    assert [b".text.indexed_product" in code for code in found] == [False, False, True]


@pytest.mark.parametrize(("element", "architecture"), [("float64", OLD), ("int32", NEW)])
def test_floyd_compiles(element: str, architecture: str) -> None:
    from antidiag.kernels.graphs.cuda import ARRANGE, FLOYD
    from antidiag.kernels.semiring.cuda import compile_constants

    for files in (FLOYD, ARRANGE):
        assert compile_without_device(files, compile_constants(element), architecture)
    assert compile_without_device(FLOYD, compile_constants(element, small=True), architecture)


@pytest.mark.parametrize(
    ("element", "width", "per", "normalise", "architecture"),
    [("int32", 8, 4, 1, NEW), ("int32", 256, 2, 1, OLD), ("float64", 1024, 1, 0, OLD), ("float64", 32, 4, 1, NEW)],
)
def test_rows_of_viterbi_compile(element: str, width: int, per: int, normalise: int, architecture: str) -> None:
    from antidiag.kernels.hmm.rows.cuda_rows import ROWS

    shape = {"WIDTH": width, "PER": per, "NORMALISE": normalise}
    assert compile_without_device(ROWS, {"ELEMENT": ELEMENT_NUMBERS[element], "SEMIRING": 0, **shape}, architecture)


@pytest.mark.parametrize(
    ("element", "line", "per", "texture", "architecture"),
    [("int32", 8, 1, 0, NEW), ("int32", 256, 4, 1, OLD), ("float64", 16, 1, 0, OLD), ("float64", 256, 4, 1, NEW)],
)
def test_products_of_matrices_compile(element: str, line: int, per: int, texture: int, architecture: str) -> None:
    from antidiag.kernels.hmm.viterbi.cuda import PRODUCT_SOURCES

    constants = {"ELEMENT": ELEMENT_NUMBERS[element], "SEMIRING": 0, "LINE": line, "PER": per, "TEXTURE": texture}
    assert compile_without_device(PRODUCT_SOURCES, constants, architecture)


@pytest.mark.parametrize(
    ("width", "per", "normalise", "architecture"), [(8, 4, 2, NEW), (8, 4, 1, OLD), (256, 4, 1, NEW), (1024, 1, 1, OLD)]
)
def test_rows_of_sums_compile(width: int, per: int, normalise: int, architecture: str) -> None:
    from antidiag.kernels.hmm.rows.cuda_rows import PIECES, ROWS
    from antidiag.kernels.hmm.rows.cuda_sizes import SCALE_EXPONENT

    shape = {"WIDTH": width, "PER": per, "NORMALISE": normalise}
    constants = {"ELEMENT": ELEMENT_NUMBERS["float64"], "SEMIRING": 2, "RAISED": SCALE_EXPONENT}
    assert compile_without_device(ROWS, {**constants, **shape}, architecture)
    assert compile_without_device(PIECES, constants, architecture)


@pytest.mark.parametrize(("states", "architecture"), [(8, OLD), (17, NEW), (33, NEW)])
def test_sums_compile(states: int, architecture: str) -> None:
    from antidiag.kernels.hmm.rows import cuda_sizes
    from antidiag.kernels.hmm.sums.cuda import SUM_SOURCES
    from antidiag.kernels.hmm.sums.cuda_forward_backward import TREE_SOURCES

    shape = {"TEAM": cuda_sizes.count_team_lanes(states), "PER": cuda_sizes.count_thread_pairs(states)}
    for files, constants in ((SUM_SOURCES, shape), (TREE_SOURCES, {})):
        assert compile_without_device(files, {**constants, "RAISED": cuda_sizes.SCALE_EXPONENT}, architecture)


@pytest.mark.parametrize(("element", "architecture"), [("float64", OLD), ("int32", NEW)])
def test_pieces_and_paths_of_viterbi_compile(element: str, architecture: str) -> None:
    from antidiag.kernels.hmm.viterbi.cuda import PIECES, SCALAR_SOURCES, TRACE_SOURCES

    for files in (PIECES, SCALAR_SOURCES, TRACE_SOURCES):
        assert compile_without_device(files, {"ELEMENT": ELEMENT_NUMBERS[element], "SEMIRING": 0}, architecture)


@pytest.mark.parametrize(("element", "architecture"), [("int32", OLD), ("int64", NEW)])
def test_splits_compile(element: str, architecture: str) -> None:
    import numpy as np

    from antidiag.kernels.folding.cuda import SPLITS, kernel_constants

    assert compile_without_device(SPLITS, kernel_constants(np.dtype(element).type), architecture)
