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
