"""Cards that are too old for the instructions of the device code are refused with the reason."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.devices import LEAST_CAPABILITY
from antidiag.kernels.errors import BackendUnavailable


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the compute capabilities of the cards that there are."""
    cupy = pytest.importorskip("cupy")
    there: list[tuple[int, int]] = []
    runtime = SimpleNamespace(
        getDeviceCount=lambda: len(there),
        getDeviceProperties=lambda index: {
            "name": f"card {index}".encode(), "multiProcessorCount": 80, "totalGlobalMem": 2**34,
            "major": there[index][0], "minor": there[index][1],
        },
    )  # fmt: skip
    monkeypatch.setattr(cupy.cuda, "runtime", runtime)
    devices.discover_devices.cache_clear()
    yield there
    monkeypatch.undo()
    devices.discover_devices.cache_clear()


def test_a_card_that_is_too_old_is_not_used(cards: list[tuple[int, int]]) -> None:
    cards.append((7, 0))
    found, reason = devices.discover_devices()
    assert not found and reason == "card 0 has compute capability 7.0; 7.5 is needed (Turing, 2018)"
    with pytest.raises(BackendUnavailable, match=r"compute capability 7\.0; 7\.5 is needed"):
        devices.find_device(0)


def test_a_newer_card_beside_it_keeps_its_number(cards: list[tuple[int, int]]) -> None:
    cards.extend([(6, 1), LEAST_CAPABILITY])
    assert [one.index for one in devices.discover_devices()[0]] == [0, 1]
    assert devices.find_device(1).compute_capability == LEAST_CAPABILITY
    with pytest.raises(BackendUnavailable, match=r"GPU 0 cannot be used: card 0 has compute capability 6\.1"):
        devices.find_device(0)


def test_cards_of_today_are_used(cards: list[tuple[int, int]]) -> None:
    cards.append((9, 0))
    assert devices.find_device(0).name == "card 0"
