"""Sizes that are measured on a device: no long run is begun, and what shorter runs foretell to be quick is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from antidiag.kernels import engine
from antidiag.kernels.cuda import devices
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method
from tests.kernels.conformance import memory
from tests.kernels.conformance.dummy import METHOD
from tests.kernels.conformance.pace import LONGEST_S, Pace

Seconds = Callable[[int], float]

LAUNCH_S = 5e-6
KINDS: dict[str, tuple[Callable[[int], float], Seconds]] = {
    "cells": (lambda size: size**2, lambda size: 1e-3 + 1e-6 * size**2),
    "launches": (lambda size: 64 * size, lambda size: LAUNCH_S * 64 * size),
    "launches beside cells": (lambda size: size**2, lambda size: 2e-3 + LAUNCH_S * 64 * size + 1e-9 * size**2),
    "cubes": (lambda size: size**3, lambda size: 0.2 + 1e-7 * size**3),
    "slow from the start": (lambda size: size, lambda size: 1.5 * size),
}


class Clock:
    """Runs that take what they are said to; those that were made are known."""

    def __init__(self, work: Callable[[int], float | None], seconds: Seconds) -> None:
        self.made: list[int] = []
        self._seconds = seconds
        self.pace = Pace(work, self._run)

    def _run(self, size: int) -> float:
        self.made.append(size)
        return self._seconds(size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2, 3, 50, 1_000, 30_000, 10**6, 10**9])
def test_no_long_run_is_begun(kind: str, size: int) -> None:
    work, seconds = KINDS[kind]
    clock = Clock(work, seconds)
    if clock.pace.allows(size):
        assert seconds(size) <= LONGEST_S
    assert all(seconds(made) <= LONGEST_S for made in clock.made)
    assert len(clock.made) <= 12, clock.made


@pytest.mark.parametrize("kind", KINDS)
def test_what_takes_half_the_time_is_quick(kind: str) -> None:
    work, seconds = KINDS[kind]
    for size in (1, 2, 10, 300, 700, 1_200, 3_000, 20_000):
        if seconds(size) <= LONGEST_S / 2:
            assert Clock(work, seconds).pace.allows(size), size


def test_what_one_size_told_serves_the_next() -> None:
    clock = Clock(*KINDS["launches"])
    assert clock.pace.allows(2_000)
    made = len(clock.made)
    assert clock.pace.allows(1_000)
    assert clock.pace.allows(2_500)
    assert not clock.pace.allows(10**6)
    assert len(clock.made) <= made + 2


def test_a_size_that_is_refused_is_not_quick() -> None:
    clock = Clock(lambda size: None if size > 10 else size, lambda size: 1e-3)
    assert clock.pace.allows(10)
    assert not clock.pace.allows(11)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], list[int]]:
    """A function that has runs take so many seconds a cell, and take what they are told to; it gives a list that gets
    the cells of every run."""
    cells: list[int] = []
    monkeypatch.setattr(devices, "find_device", lambda index=0: devices.Device(0, "a GPU", 1, (9, 0), 2**34))
    monkeypatch.setattr(devices, "free_memory_bytes", lambda index: 2**34)
    monkeypatch.setattr(engine, "execute", lambda planned, **given: cells.append(planned.problem.cells))

    def at(second_a_cell: float) -> list[int]:
        monkeypatch.setattr(memory, "_seconds", lambda planned: planned.problem.cells * second_a_cell)
        monkeypatch.setattr(memory, "device_peak_of", lambda call: call() or _told(cells[-1]))
        return cells

    return at


def _told(cells: int) -> int:
    return 8 * cells


def on_device() -> Method:
    """The family of the suite's own test as if it ran on a device, where it takes 8 bytes a cell."""

    def footprint(problem: Any, parameters: Any, backend: str) -> Footprint:
        return Footprint({"values": 2**20}, {"values": _told(problem.cells)})

    return replace(
        METHOD,
        backends={"cuda": METHOD.backends["cpu"]},
        cost=replace(METHOD.cost, estimate_memory=footprint),
    )


def sizes(cells: list[int]) -> list[int]:
    """MiB that the measured runs took, which are the last ones."""
    return [round(_told(one) / 2**20) for one in cells[len(cells) // 2 :]]


def test_where_all_sizes_are_quick_all_are_measured(timed: Callable[[float], list[int]]) -> None:
    cells = timed(1e-9)
    assert memory.device_estimate_is_right(on_device(), "cuda") == ()
    assert sizes(cells) == pytest.approx([4, 8, 16], rel=0.3)


def test_sizes_that_take_long_are_told(timed: Callable[[float], list[int]]) -> None:
    cells = timed(LONGEST_S / 700_000)
    assert memory.device_estimate_is_right(on_device(), "cuda") == (memory.LONG,) * 2
    assert sizes(cells) == pytest.approx([4], rel=0.3)


def test_where_all_take_long_a_smaller_one_is_measured(timed: Callable[[float], list[int]]) -> None:
    cells = timed(LONGEST_S / 150_000)
    assert memory.device_estimate_is_right(on_device(), "cuda") == (memory.LONG,) * 3
    assert sizes(cells) == pytest.approx([1], rel=0.3)


@pytest.mark.parametrize(("near", "found"), [(memory.NEAR, None), (memory.ABOUT, 448_916)])
def test_families_that_grow_by_leaps(
    monkeypatch: pytest.MonkeyPatch, near: tuple[float, float], found: int | None
) -> None:
    """Of the sizes that are always measured a run must be near; what stands for one that takes long is so about."""

    def planned_at(method: Method, backend: str, size: int) -> SimpleNamespace:
        return SimpleNamespace(footprint=Footprint({}, {"values": 448_916 if size < 100 else 2_200_000}))

    monkeypatch.setattr(memory, "planned_at", planned_at)
    if found is None:
        with pytest.raises(AssertionError, match="do not come near"):
            memory.sized(METHOD, "cuda", "device_bytes", 2**20, None, near)
    else:
        planned = memory.sized(METHOD, "cuda", "device_bytes", 2**20, None, near)
        assert planned is not None and planned.footprint.device_bytes == found
