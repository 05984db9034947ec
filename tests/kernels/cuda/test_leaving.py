"""Answers come to the host whole, however large, and threads end whatever happens meanwhile."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor


@pytest.fixture
def small(emulated, monkeypatch):
    """Threads take 100 numbers at a time, of the smallest answer too."""
    from antidiag.kernels.cuda import leaving

    monkeypatch.setattr(leaving, "LEAST", 8)
    monkeypatch.setattr(leaving, "CHUNK", 800)
    return leaving


def fetched(module, numbers: np.ndarray) -> np.ndarray:
    import cupy

    from antidiag.kernels.cuda.run import Run

    with module.leaving(Run(Monitor()), numbers.shape, numbers.dtype) as answer:
        answer.fetch(cupy.asarray(numbers))
    return answer.numbers


@pytest.mark.parametrize("shape", [(1,), (100,), (7, 43), (1001, 3), (500_000,)])
@pytest.mark.parametrize("type", [np.float64, np.int32])
def test_all_numbers_come(small, shape: tuple[int, ...], type: type) -> None:
    numbers = np.random.default_rng(1).integers(0, 1 << 30, shape).astype(type)
    np.testing.assert_array_equal(fetched(small, numbers), numbers)


def test_nothing_and_little_come_without_threads(emulated, monkeypatch) -> None:
    from antidiag.kernels.cuda import leaving

    monkeypatch.setattr(leaving.native_threads, "beside", None)
    for numbers in (np.empty((0, 5)), np.arange(12.0)):
        np.testing.assert_array_equal(fetched(leaving, numbers), numbers)


@pytest.mark.parametrize("raises", [True, False])
def test_threads_end_where_nothing_is_fetched(small, raises: bool) -> None:
    from antidiag.kernels.cuda.run import Run

    def leave() -> None:
        with small.leaving(Run(Monitor()), (1000, 30), np.dtype(np.float64)):
            if raises:
                raise Cancelled

    def left() -> None:
        if not raises:
            leave()
            return
        with pytest.raises(Cancelled):
            leave()

    # A thread that waits on would keep this one waiting for good.
    thread = threading.Thread(target=left, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
