"""What a run on a GPU leaves for the next one: a share of the memory, and for a moment all that one like it takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from antidiag.kernels.cuda import devices

LATE_S, LONG_S = 0.05, 60.0


@pytest.fixture(autouse=True)
def _much_is_little(emulated, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """More than a kilobyte of a device is much, and nobody gives it back by himself."""
    monkeypatch.setattr(devices, "KEPT_SHARE", devices.device(0).memory_bytes // 1024)
    monkeypatch.setattr(devices, "LEFT_S", LONG_S)
    yield
    with devices.use(0):
        pass  # nothing is left


def left_by(kind: object, nbytes: int = 1 << 20, fails: bool = False) -> int:
    """Bytes that are free in the pool after a run of a kind, which takes so many."""
    with devices.use(0, kind):
        devices.take(nbytes // (not fails))
    return devices.kept_memory().free_bytes()


def free_inside(kind: object) -> int:
    with devices.use(0, kind):
        return devices.kept_memory().free_bytes()


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
    assert devices.kept_memory().free_bytes() == 0


def test_a_share_of_the_memory_stays() -> None:
    assert left_by(None, 512) > 0
    assert free_inside("layered") > 0


def test_who_does_not_come_back_leaves_nothing_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "LEFT_S", LATE_S)
    assert left_by("sloped") >= 1 << 20
    limit = time.monotonic() + LONG_S
    while devices.kept_memory().free_bytes() and time.monotonic() < limit:
        time.sleep(LATE_S)
    assert devices.kept_memory().free_bytes() == 0


def test_a_run_beside_others_is_not_disturbed() -> None:
    """Runs on two threads: that of another kind, which begins later, leaves what the first has freed."""
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        with devices.use(0, "layered"):
            inside.set()
            done.wait(LONG_S)

    thread = threading.Thread(target=other)
    with devices.use(0, "sloped"):
        devices.take(1 << 20)
        thread.start()
        assert inside.wait(LONG_S)
        assert devices.kept_memory().free_bytes() >= 1 << 20
    done.set()
    thread.join()
    assert free_inside("layered") >= 1 << 20


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
