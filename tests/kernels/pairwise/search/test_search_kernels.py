"""The kernels of a search compile for the architectures of users' cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from antidiag.kernels.pairwise.search import cuda_shapes
from tests.nvrtc import compile_without_device

SEARCH = Path(cuda_shapes.__file__).with_name("search.cu")


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("paired", [1, 0])
def test_kernels_compile(architecture, paired):
    shape = cuda_shapes.choose_shape(1000, bool(paired))
    defines = {"GROUP": shape.group, "ROWS": shape.rows, "PAIRED": paired, "STRIPS": 1, "THREADS": 256, "BLOCKS": 2}
    assert compile_without_device((SEARCH,), {**defines, "PADDING": 31}, architecture)
    assert compile_without_device((SEARCH.with_name("search_columns.cu"),), {"PARTS": 2, "PADDING": 31}, architecture)
