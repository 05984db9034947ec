"""The kernels of the family compile for old and new cards, whatever their compile-time constants."""

from __future__ import annotations

import pytest

pytest.importorskip("cupy")

from antidiag.kernels.profiles.column_scores.scoring import GLOBAL, LINEAR, LOCAL, LOGARITHM, ROOT, SEMI_GLOBAL
from tests.nvrtc import compile_without_device

each = pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])


@pytest.mark.slow
@each
@pytest.mark.parametrize(
    ("steps", "kind", "mode", "opening"),
    [(4, ROOT, GLOBAL, 0), (6, LINEAR, LOCAL, 1), (2, LOGARITHM, SEMI_GLOBAL, 1)],
)
def test_strips_and_paths_compile(steps: int, kind: int, mode: int, opening: int, architecture: str) -> None:
    from antidiag.kernels.profiles.wavefront.cuda_pairs import PATHS, SQUARES, STRIPS
    from antidiag.kernels.profiles.wavefront.cuda_picture import IMAGE

    for parts, defines in (
        (STRIPS, {"BLOCKS": 3}),
        (STRIPS, {"BLOCKS": 4}),
        (PATHS, {}),
        (IMAGE, {}),
        (SQUARES, {"SIDE": 16}),
    ):
        given = {"STEPS": steps, "KIND": kind, "MODE": mode, "OPENING": opening, **defines}
        assert compile_without_device(parts, given, architecture)


@each
def test_factors_compile(architecture: str) -> None:
    from antidiag.kernels.profiles.wavefront.cuda_pairs import FACTORS

    assert compile_without_device(FACTORS, {}, architecture)


@each
@pytest.mark.parametrize(("symbols", "kind", "mode"), [(21, ROOT, GLOBAL), (5, LOGARITHM, SEMI_GLOBAL)])
def test_the_methods_of_the_thesis_compile(symbols: int, kind: int, mode: int, architecture: str) -> None:
    from antidiag.kernels.profiles.whole_table.cuda_job import BLOCK_PARTS, WAVE_PARTS

    for parts in (BLOCK_PARTS, WAVE_PARTS):
        assert compile_without_device(parts, {"SYMBOLS": symbols, "KIND": kind, "MODE": mode}, architecture)
