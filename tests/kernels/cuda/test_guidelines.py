"""Guidelines for GPUs: the thesis' examples, and counts that can be made by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.cuda import devices, guidelines
from antidiag.kernels.cuda.guidelines import (
    coalesce_access,
    compute_occupancy,
    count_bank_conflicts,
    diverge_warp,
    tile_product,
)
from antidiag.kernels.errors import BackendUnavailable

FERMI, *_, HOPPER = guidelines.CARDS


@pytest.mark.parametrize(("threads", "blocks", "share"), [(64, 8, 1 / 3), (192, 8, 1.0), (256, 6, 1.0)])
def test_occupancy_as_the_thesis_has_it(threads: int, blocks: int, share: float) -> None:
    """Section 6.2, number of blocks and threads."""
    found = compute_occupancy(FERMI, threads, registers=20)
    assert found.blocks == blocks and found.warp_share == pytest.approx(share)


def test_what_limits_occupancy_is_named() -> None:
    assert compute_occupancy(HOPPER, 32).limited_by == "blocks"
    assert compute_occupancy(HOPPER, 1024).limited_by == "threads"
    assert compute_occupancy(HOPPER, 256, shared_bytes=100 << 10) == guidelines.Occupancy(2, 16, 64, "shared memory")
    assert compute_occupancy(HOPPER, 256, registers=128) == guidelines.Occupancy(2, 16, 64, "registers")
    assert compute_occupancy(HOPPER, 2048).limited_by == "block too large"
    assert compute_occupancy(HOPPER, 256, shared_bytes=228 << 10).warp_share == 0


@given(threads=st.integers(1, 1024), shared=st.integers(0, 227 << 10), registers=st.integers(0, 255),
       card=st.sampled_from(guidelines.CARDS))  # fmt: skip
def test_occupancy_never_exceeds_what_is_there(threads: int, shared: int, registers: int, card) -> None:
    found = compute_occupancy(card, threads, shared, registers)
    assert 0 <= found.warp_share <= 1
    assert found.blocks * -(-threads // 32) * 32 <= card.threads
    assert found.blocks * shared <= card.shared_bytes
    assert found.blocks * threads * registers <= card.registers
    if registers > 0:
        assert compute_occupancy(card, threads, shared, registers - 1).warp_share >= found.warp_share


def test_curves_are_what_they_are_made_of() -> None:
    by_threads = dict(guidelines.occupancy_by_threads(FERMI, registers=20))
    assert by_threads[64] == compute_occupancy(FERMI, 64, registers=20) and len(by_threads) == 32
    by_shared = dict(guidelines.occupancy_by_shared(HOPPER, 256))
    assert by_shared[0].warp_share == 1 and by_shared[224 << 10].blocks == 1
    assert {192, 256, 512} <= set(guidelines.best_threads(FERMI, registers=20))


@pytest.mark.parametrize(
    ("stride", "item", "offset", "segments", "efficiency"),
    [(1, 4, 0, 4, 1.0), (1, 4, 1, 5, 0.8), (2, 4, 0, 8, 0.5), (8, 4, 0, 32, 0.125), (0, 4, 0, 1, 0.125),
     (1, 8, 0, 8, 1.0), (100, 1, 0, 32, 1 / 32)],
)  # fmt: skip
def test_coalescing(stride: int, item: int, offset: int, segments: int, efficiency: float) -> None:
    found = coalesce_access(stride, item, offset)
    assert found.segments == segments and found.byte_efficiency == pytest.approx(efficiency)
    assert len(found.lines) == 32


@pytest.mark.parametrize(
    ("stride", "item", "times"), [(1, 4, 1), (2, 4, 2), (32, 4, 32), (33, 4, 1), (0, 4, 1), (1, 8, 1), (1, 16, 1)]
)
def test_bank_conflicts(stride: int, item: int, times: int) -> None:
    assert count_bank_conflicts(stride, item) == times


def test_divergence() -> None:
    assert diverge_warp(32, 10, 50).steps == 10 and diverge_warp(0, 10, 50).steps == 50
    one = diverge_warp(1, 100, 0)
    assert one.steps == 100 and one.step_efficiency == pytest.approx(1 / 32)
    assert diverge_warp(16, 10, 10).step_efficiency == pytest.approx(0.5)
    assert diverge_warp(5, 0, 0).step_efficiency == 1


def test_larger_tiles_need_less_memory_bandwidth_and_more_registers() -> None:
    small, ours, large = (tile_product(HOPPER, tile) for tile in (16, 128, 512))
    assert small.steps_per_byte < ours.steps_per_byte < large.steps_per_byte
    assert ours.fits_card and ours.occupancy.blocks == 2 and ours.shared_bytes == 16 << 10
    assert not large.fits_card
    assert small.steps_per_byte * 4.27e12 < 11.5e12 <= ours.steps_per_byte * 4.27e12  # an H200 computes, or waits


def test_without_a_gpu_its_limits_cannot_be_asked_for() -> None:

    if not devices.discover_devices()[0]:
        with pytest.raises(BackendUnavailable):
            guidelines.read_card_limits()


@pytest.mark.gpu
def test_the_device_at_hand() -> None:
    found = guidelines.read_card_limits()
    assert (
        found.name and compute_occupancy(found, 256).warp_share == 1 and found.reserved_bytes < found.shared_per_block
    )


def test_kernels_that_are_measured_compile() -> None:
    pytest.importorskip("cupy_backends.cuda.libs.nvrtc", exc_type=ImportError)
    from antidiag.kernels.cuda import guideline_timings
    from tests.nvrtc import compile_without_device

    for architecture in ("sm_75", "sm_90"):
        assert compile_without_device((guideline_timings.SOURCE,), {}, architecture)
