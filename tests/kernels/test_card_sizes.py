"""Runs of the methods of families and trees on a card whose memory is as large as their estimate."""

from __future__ import annotations

import pytest

from antidiag.kernels import registry
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.method import Method
from tests.kernels.conformance import card_sizes

FAMILIES = ("msa", "parttree", "trees")
ON_DEVICE = [method for method in registry.METHODS if method.family in FAMILIES and "cuda" in method.backends]


@pytest.mark.gpu
@pytest.mark.parametrize("method", ON_DEVICE, ids=lambda method: method.id)
def test_the_largest_quick_run_fits_a_card_of_the_size_of_its_estimate(method: Method) -> None:
    card_sizes.fits_its_card(method)


@pytest.mark.parametrize("method_id", ["nj-pruned", "distance-6mer", "distance-alignment"])
def test_an_emulated_card_of_that_size_is_enough(emulated, method_id: str) -> None:
    assert card_sizes.fits_its_card(registry.find_method(method_id), longest_s=0.5) > card_sizes.SMALL_ARRAYS


def test_a_card_that_is_smaller_than_the_estimate_is_not_enough(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_sizes, "card_bytes", lambda footprint: footprint.device_bytes // 16)
    with pytest.raises(MemoryRefused, match="the memory estimate of this run was wrong"):
        card_sizes.fits_its_card(registry.find_method("distance-6mer"), longest_s=0.5)
