"""The kernels of batches compile for the architectures of users' cards."""

from __future__ import annotations

import pytest

from antidiag.kernels.pairwise.batch import cuda_sources
from antidiag.kernels.pairwise.batch.slices import BatchKernel
from tests.nvrtc import compile_without_device


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
@pytest.mark.parametrize(("paired", "local"), [(True, False), (True, True), (False, False)])
def test_kernels_compile(architecture, paired, local):
    defines = BatchKernel(32, 32 if paired else 16, paired, local, True).defines(128, 4)
    assert compile_without_device(cuda_sources.SCORE_SOURCES, defines, architecture)
    assert compile_without_device(cuda_sources.TRACE_SOURCES, defines, architecture)
