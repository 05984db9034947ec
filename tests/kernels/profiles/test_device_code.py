"""The kernels of the family compile for old and new cards, whatever their compile-time constants."""

from __future__ import annotations

import pytest

pytest.importorskip("cupy")

from tests.nvrtc import compile_without_device


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
@pytest.mark.parametrize(("symbols", "kind", "mode"), [(21, 1, 0), (5, 0, 1), (21, 2, 2)])
def test_strips_compile(symbols: int, kind: int, mode: int, architecture: str) -> None:
    from kernels.profiles.cuda_wavefront import STRIPS

    assert compile_without_device(STRIPS, {"SYMBOLS": symbols, "KIND": kind, "MODE": mode}, architecture)
