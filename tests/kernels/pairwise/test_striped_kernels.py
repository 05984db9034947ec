"""The striped kernels compile for old and new cards, whatever their compile-time constants."""

from __future__ import annotations

import pytest

from tests.kernels.pairwise.compiled_modes import GLOBAL, LOCAL, OVERLAP

CARDS = [(1, "sm_75"), (1, "sm_90"), (5, "sm_75"), (5, "sm_90"), (18, "sm_75"), (32, "sm_90")]
"""Columns a lane, and cards: both with narrow strips; a wide one takes seconds, and differs in the unrolling alone."""


@pytest.fixture(scope="module")
def sources() -> dict[str, tuple]:
    pytest.importorskip("cupy")
    from antidiag.kernels.pairwise.strips import cuda_path, cuda_sweep

    return {"score": cuda_sweep.SCORE, "states": cuda_sweep.STATES, "path": cuda_path.PATH}


@pytest.mark.slow
@pytest.mark.parametrize(("per_lane", "architecture"), CARDS)
@pytest.mark.parametrize(
    ("kernel", "defines"),
    [
        ("score", {"KEYED": 1, "CHECKPOINTS": 0, **LOCAL}),
        ("score", {"KEYED": 0, "CHECKPOINTS": 1, **OVERLAP}),
        ("score", {"KEYED": 0, "CHECKPOINTS": 1, **LOCAL, "PACKED": 1}),
        ("score", {"KEYED": 0, "CHECKPOINTS": 1, **OVERLAP, "PACKED": 1}),
        ("states", {"CHUNKS": 0, "TILE": 1, **LOCAL}),
        ("states", {"CHUNKS": 2, "TILE": 0, **GLOBAL}),
        ("path", LOCAL),
    ],
)
def test_kernels_compile(sources, kernel, defines, per_lane, architecture):
    from tests.nvrtc import compile_without_device

    # Scores of more than a byte and small batches are tried on one width, for they hardly interact with it.
    fixed = {"R": per_lane, "WIDE": int(per_lane == 5), "BATCH": 8 if per_lane == 5 else 16, "PACKED": 0}
    if defines.get("PACKED"):
        fixed |= {"R": max(per_lane // 2 * 2, 2), "WIDE": 0}
    assert compile_without_device(sources[kernel], {**fixed, **defines}, architecture)


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("defines", [{"KEYED": 1, "PACKED": 0, **LOCAL}, {"KEYED": 0, "PACKED": 1, **OVERLAP}])
def test_pruning_kernels_compile(sources, defines, architecture):
    from tests.nvrtc import compile_without_device

    fixed = {"R": 4, "WIDE": 0, "BATCH": 32, "CHECKPOINTS": 1, "PRUNED": 1}
    assert compile_without_device(sources["score"], {**fixed, **defines}, architecture)


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_dot_plots_compile(architecture):
    pytest.importorskip("cupy")
    from antidiag.kernels.pairwise.pictures.cuda_dotplot import DOTPLOT
    from tests.nvrtc import compile_without_device

    assert compile_without_device(DOTPLOT, {}, architecture)


@pytest.mark.slow
def test_kernels_for_gap_costs_of_two_pieces_compile():
    pytest.importorskip("cupy")
    from antidiag.kernels.pairwise.baselines import cuda_sources as baselines
    from antidiag.kernels.pairwise.pictures import cuda_matrix_view
    from antidiag.kernels.pairwise.strips import cuda_sources
    from tests.nvrtc import compile_without_device

    lane = {"R": 4, "BATCH": 16, "WIDE": 0, "PACKED": 0, "TWO_PIECES": 1}
    kernels = [
        (cuda_sources.SCORE, {**lane, **LOCAL, "KEYED": 1, "CHECKPOINTS": 1}),
        (cuda_sources.SCORE, {**lane, **OVERLAP, "KEYED": 0, "CHECKPOINTS": 1, "PACKED": 1}),
        (cuda_sources.STATES, {**lane, **GLOBAL, "CHUNKS": 2, "TILE": 0}),
        (cuda_sources.STATES, {**lane, **LOCAL, "CHUNKS": 0, "TILE": 1}),
        (cuda_sources.PATH, {**lane, **LOCAL}),
        (cuda_sources.PUBLISHED_STATES, {**LOCAL, "STATES": 1, "CHUNKS": 2, "TWO_PIECES": 1}),
        (cuda_sources.PUBLISHED_PATH, {**LOCAL, "STATES": 0, "CHUNKS": 2, "TWO_PIECES": 1}),
        (cuda_matrix_view.TWO_PIECE_IMAGE, {**lane, **LOCAL}),
    ]
    levels = [
        (tuple(baselines.TWO_PIECE_PROBLEM if part is baselines.PROBLEM else part for part in parts), defines)
        for parts, defines in ((baselines.ANTIDIAGONAL, {}), (baselines.BLOCKED, {"S": 8}), (baselines.PEROT, {}))
    ]
    for architecture in ("sm_75", "sm_90"):
        for parts, defines in kernels:
            assert compile_without_device(cuda_sources.with_two_pieces(parts), defines, architecture)
        for parts, defines in levels:
            assert compile_without_device(parts, {**defines, "TWO_PIECES": 1}, architecture)
