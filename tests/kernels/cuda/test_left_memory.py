"""The memory that a run on a GPU keeps for the next one: all of it for a run of the same kind, else a small share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from antidiag.kernels.cuda import devices


@pytest.fixture(autouse=True)
def _much_is_little(emulated, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """More than a kilobyte of a device is more than a small share."""
    monkeypatch.setattr(devices, "POOLED_SHARE", devices.find_device(0).memory_bytes // 1024)
    yield
    with devices.use_device(0):
        pass  # nothing is left


def left_by(kind: object, nbytes: int = 1 << 20, fails: bool = False) -> int:
    """Bytes that are free in the pool after a run of a kind, which takes so many."""
    with devices.use_device(0, kind):
        devices.allocate_memory(nbytes // (not fails))
    return devices.run_memory_pool().free_bytes()


def free_inside(kind: object) -> int:
    with devices.use_device(0, kind):
        return devices.run_memory_pool().free_bytes()


def test_a_run_like_the_last_one_finds_all_that_it_left() -> None:
    assert left_by("sloped") >= 1 << 20
    assert free_inside("sloped") >= 1 << 20


def test_a_run_of_another_kind_finds_nothing_in_pieces() -> None:
    left_by("sloped")
    assert free_inside("layered") == 0


def test_a_run_of_no_kind_leaves_nothing() -> None:
    assert left_by(None) == 0


def test_a_failed_run_leaves_nothing() -> None:
    left_by("sloped")
    with pytest.raises(ZeroDivisionError):
        left_by("sloped", fails=True)
    assert devices.run_memory_pool().free_bytes() == 0


def test_a_share_of_the_memory_stays() -> None:
    assert left_by(None, 512) > 0
    assert free_inside("layered") > 0


def test_a_run_that_never_began_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost GPU has no stream for it; the next run still finds nothing of another kind in pieces."""
    import cupy

    left_by("sloped")
    with monkeypatch.context() as patched:
        patched.setattr(devices, "_idle_streams", lambda *of: [])
        patched.setattr(cupy.cuda, "Stream", lambda **of: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            left_by("sloped")
    assert free_inside("layered") == 0
