"""Large arrays go to a device and come back whole, whatever their shape and type."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import numpy as np
import pytest

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor

SHAPES = [(3_000_000,), (1700, 1100), (3, 700, 1100), (1, 500_000), (500_000, 1), (5, 7), (0, 5), (5, 0)]
"""Some chunks and a rest; rows that are no power of two; what is copied at once; nothing at all."""


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arrays_come_back_as_they_were(emulated, shape) -> None:
    from antidiag.kernels.cuda.run import DeviceRun

    random = np.random.default_rng(1)
    kept = random.random(shape)
    kept.setflags(write=False)
    small, swapped = random.integers(0, 100, shape).astype(np.uint8), random.random(shape).astype(">f4")
    for array in (kept, small, swapped, random.random(shape[::-1]).T):
        with devices.use_device(0):
            run = DeviceRun(Monitor())
            np.testing.assert_array_equal(run.download_array(run.upload_array(array)), array)


def test_rows_are_made_on_their_way(emulated) -> None:
    """What the host has in 8 bytes reaches the device in 4."""
    import cupy

    from antidiag.kernels.cuda.run import DeviceRun

    given = np.random.default_rng(1).random((900, 1001))
    with devices.use_device(0):
        run, target = DeviceRun(Monitor()), cupy.empty(given.shape, np.float32)
        run.upload_rows(target, lambda first, last, out: np.copyto(out, given[first:last], casting="unsafe"))
        np.testing.assert_array_equal(target.get(), given.astype(np.float32))


def test_a_part_of_an_array_on_the_device_comes_back(emulated) -> None:
    import cupy

    from antidiag.kernels.cuda.run import DeviceRun

    with devices.use_device(0):
        whole = np.arange(2_000_000).reshape(1000, 2000)
        on_device = cupy.asarray(whole)
        np.testing.assert_array_equal(DeviceRun(Monitor()).download_array(on_device[:, 3:1900]), whole[:, 3:1900])
        np.testing.assert_array_equal(DeviceRun(Monitor()).download_array(on_device[7:900]), whole[7:900])


def test_what_ends_a_transfer_is_raised(emulated) -> None:
    import cupy

    from antidiag.kernels.cuda import pinned_transfers

    def fails(first: int, last: int, out: np.ndarray) -> None:
        raise ArithmeticError("no rows")

    with devices.use_device(0):
        target = cupy.empty((3000, 1000))
        for _ in range(3):
            with pytest.raises(ArithmeticError):
                pinned_transfers.upload_rows(target, fails, Monitor().check)
        monitor = Monitor()
        monitor.cancel()
        with pytest.raises(Cancelled):
            pinned_transfers.upload_rows(target, lambda first, last, out: out.fill(0), monitor.check)
        with pytest.raises(Cancelled):
            pinned_transfers.download_rows(target, lambda first, last, rows: None, monitor.check)
        pinned_transfers.upload_rows(target, lambda first, last, out: out.fill(7), Monitor().check)
        assert (target.get() == 7).all()


def test_a_row_may_be_larger_than_a_chunk(emulated) -> None:
    given = np.random.default_rng(1).random((3, 1_000_000))
    with devices.use_device(0):
        import cupy

        from antidiag.kernels.cuda.run import DeviceRun

        run, target = DeviceRun(Monitor()), cupy.empty(given.shape)
        run.upload_rows(target, lambda first, last, out: np.copyto(out, given[first:last]))
        np.testing.assert_array_equal(run.download_array(target), given)


class Late:
    """A device that copies as late as it may: when somebody waits for an event behind the copy."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        from tests.emulator.fake_cupy import device_memory, streams

        self._queue: deque[tuple[int, Callable[[], None]]] = deque()
        self._queued = self._done = 0
        self._lock = threading.RLock()
        pointer, event = device_memory.MemoryPointer, streams.Event
        for name in ("copy_from_host", "copy_to_host"):
            patch.setattr(pointer, f"{name}_async", self._later(getattr(pointer, name)))
        patch.setattr(event, "record", lambda event, stream=None: setattr(event, "after", self._queued))
        patch.setattr(event, "synchronize", lambda event: self._until(getattr(event, "after", 0)))
        patch.setattr(event, "done", property(lambda event: getattr(event, "after", 0) <= self._done))
        patch.setattr(streams.Stream, "synchronize", lambda stream: self._until(self._queued))

    def _later(self, copy: Callable[..., None]) -> Callable[..., None]:
        def queue(pointer: object, address: int, size: int, stream: object) -> None:
            with self._lock:
                self._queued += 1
                self._queue.append((self._queued, lambda: copy(pointer, address, size)))

        return queue

    def _until(self, number: int) -> None:
        with self._lock:
            while self._queue and self._queue[0][0] <= number:
                self._queue.popleft()[1]()
            self._done = max(self._done, number)


def test_no_buffer_is_filled_or_read_while_its_copy_is_under_way(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several runs on several threads at the same time."""
    from antidiag.kernels.cuda.run import DeviceRun

    Late(monkeypatch)
    given = [np.random.default_rng(seed).random(3_000_000) for seed in range(3)]
    wrong: list[str] = []

    def copies(number: int) -> None:
        with devices.use_device(0):
            run = DeviceRun(Monitor())
            for array in (given[number], given[number - 1]):
                if not np.array_equal(run.download_array(run.upload_array(array)), array):
                    wrong.append(f"thread {number}")

    threads = [threading.Thread(target=copies, args=(number,)) for number in range(len(given))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_array_that_is_given_is_filled(emulated) -> None:
    from antidiag.kernels.cuda.run import DeviceRun

    given = np.random.default_rng(1).random((1000, 700))
    into = np.empty_like(given)
    with devices.use_device(0):
        run = DeviceRun(Monitor())
        assert run.download_array(run.upload_array(given), into) is into
    np.testing.assert_array_equal(into, given)


def test_ordinary_memory_serves_where_none_can_be_pinned(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    import cupy

    from antidiag.kernels.cuda.run import DeviceRun

    def refuse(size: int) -> bytearray:
        raise cupy.cuda.runtime.CUDARuntimeError("cudaErrorMemoryAllocation: out of memory")

    monkeypatch.setattr(cupy.cuda, "alloc_pinned_memory", refuse)
    given = np.random.default_rng(1).random(4_000_000)
    with devices.use_device(0):
        run = DeviceRun(Monitor())
        np.testing.assert_array_equal(run.download_array(run.upload_array(given)), given)


def test_rows_that_lie_apart_are_refused(emulated) -> None:
    import cupy

    from antidiag.kernels.cuda import pinned_transfers

    with devices.use_device(0), pytest.raises(ValueError, match="C-contiguous"):
        pinned_transfers.upload_rows(
            cupy.empty((3000, 1000))[:, :999], lambda first, last, out: out.fill(0), Monitor().check
        )


def test_a_run_that_ends_early_leaves_no_threads(emulated) -> None:
    from antidiag.kernels.cpu import workers
    from antidiag.kernels.cuda.run import DeviceRun

    def cancelled_after_a_copy() -> None:
        with devices.use_device(0):
            run = DeviceRun(Monitor())
            run.allocate_answer((3000, 1000), np.float64)
            assert workers.map_on_threads(lambda part: part, [1, 2], 2) == [1, 2]
            assert set(threading.enumerate()) - before
            raise Cancelled

    workers.end_idle_threads()
    before = set(threading.enumerate())
    with pytest.raises(Cancelled):
        cancelled_after_a_copy()
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("nbytes", [0, 1, 17, (1 << 20) + 1])
def test_arrays_of_any_size_come_by_one_transfer(emulated, nbytes: int) -> None:
    from antidiag.kernels.cuda import device_arrays

    given = np.random.default_rng(1).integers(0, 256, nbytes).astype(np.uint8)
    first, second = device_arrays.upload_arrays(given, np.arange(3.0))
    np.testing.assert_array_equal(first.get(), given)
    np.testing.assert_array_equal(second.get(), np.arange(3.0))
