"""The kernels of the family compile for old and new cards, whatever their compile-time constants."""

from __future__ import annotations

import pytest

ARCHITECTURES = ("sm_75", "sm_90")
ELEMENTS = ("float32", "float64", "int32")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("texture", [False, True])
@pytest.mark.parametrize("semiring", [0, 1, 2])
def test_products_compile(element: str, semiring: int, texture: bool, architecture: str) -> None:
    pytest.importorskip("cupy")
    from kernels.cuda.compile import compile_without_device
    from kernels.tropical.algebra import SEMIRINGS, cuda

    constants = cuda.defines(element, SEMIRINGS[semiring], texture, indexed=texture)
    assert compile_without_device(cuda.PRODUCT, constants, architecture)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_floyd_compiles(element: str, architecture: str) -> None:
    pytest.importorskip("cupy")
    from kernels.cuda.compile import compile_without_device
    from kernels.tropical.algebra.cuda import defines
    from kernels.tropical.paths.cuda import FLOYD

    assert compile_without_device(FLOYD, defines(element), architecture)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("element", ["float64", "int32"])
@pytest.mark.parametrize("shared", [0, 1])
@pytest.mark.parametrize(("width", "teams", "per"), [(8, 32, 4), (256, 1, 4), (1024, 1, 1)])
def test_viterbi_compiles(width: int, teams: int, per: int, shared: int, element: str, architecture: str) -> None:
    pytest.importorskip("cupy")
    from kernels.cuda.compile import compile_without_device
    from kernels.tropical.cuda_run import ELEMENTS
    from kernels.tropical.viterbi.cuda import ROWS, TRACE

    constants = {"ELEMENT": ELEMENTS[element], "SEMIRING": 0}
    shape = {"WIDTH": width, "TEAMS": teams, "PER": per, "SHARED": shared, "NORMALISE": 1 - shared}
    assert compile_without_device(ROWS, {**constants, **shape}, architecture)
    assert compile_without_device(TRACE, constants, architecture)
