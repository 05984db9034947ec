"""Large arrays go to a device and come back whole, whatever their shape and type, by as many threads as there are."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import numpy as np
import pytest

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import Cancelled, MemoryRefused
from antidiag.kernels.monitor import Monitor

SHAPES = [(3_000_000,), (1700, 1100), (3, 700, 1100), (1, 500_000), (500_000, 1), (5, 7), (0, 5), (5, 0)]
"""Some chunks and a rest; rows that are no power of two; what is copied at once; nothing at all."""


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arrays_come_back_as_they_were(emulated, shape) -> None:
    from antidiag.kernels.cuda.run import Run

    random = np.random.default_rng(1)
    kept = random.random(shape)
    kept.setflags(write=False)
    small, swapped = random.integers(0, 100, shape).astype(np.uint8), random.random(shape).astype(">f4")
    for array in (kept, small, swapped, random.random(shape[::-1]).T):
        with devices.use(0):
            run = Run(Monitor())
            np.testing.assert_array_equal(run.down(run.up(array)), array)


def test_rows_are_made_on_their_way(emulated) -> None:
    """What the host has in 8 bytes reaches the device in 4."""
    import cupy

    from antidiag.kernels.cuda.run import Run

    given = np.random.default_rng(1).random((900, 1001))
    with devices.use(0):
        run, target = Run(Monitor()), cupy.empty(given.shape, np.float32)
        run.bring(target, lambda first, last, out: np.copyto(out, given[first:last], casting="unsafe"))
        np.testing.assert_array_equal(target.get(), given.astype(np.float32))


def test_a_part_of_an_array_on_the_device_comes_back(emulated) -> None:
    import cupy

    from antidiag.kernels.cuda.run import Run

    with devices.use(0):
        whole = np.arange(2_000_000).reshape(1000, 2000)
        on_device = cupy.asarray(whole)
        np.testing.assert_array_equal(Run(Monitor()).down(on_device[:, 3:1900]), whole[:, 3:1900])
        np.testing.assert_array_equal(Run(Monitor()).down(on_device[7:900]), whole[7:900])


def test_what_a_thread_raises_is_raised_and_no_buffer_is_lost(emulated) -> None:
    import cupy

    from antidiag.kernels.cuda import transfers

    def fails(first: int, last: int, out: np.ndarray) -> None:
        raise ArithmeticError("no rows")

    with devices.use(0):
        target = cupy.empty((3000, 1000))
        for _ in range(3):
            with pytest.raises(ArithmeticError):
                transfers.up(target, fails)
        monitor = Monitor()
        monitor.cancel()
        with pytest.raises(Cancelled):
            transfers.up(target, lambda first, last, out: out.fill(0), monitor.check)
        transfers.up(target, lambda first, last, out: out.fill(7))
        assert (target.get() == 7).all()
        assert 0 < len(transfers._idle[0]) <= transfers.MOST_KEPT


def test_a_row_that_no_buffer_holds_is_refused(emulated) -> None:
    import cupy

    from antidiag.kernels.cuda import transfers

    with devices.use(0), pytest.raises(ValueError, match="a row of 8,000,000 bytes"):
        transfers.up(cupy.empty((2, 1_000_000)), lambda first, last, out: out.fill(0))


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
    """Of one run after another, and of several threads that share the buffers that are kept."""
    from antidiag.kernels.cuda.run import Run

    Late(monkeypatch)
    given = [np.random.default_rng(seed).random(3_000_000) for seed in range(3)]
    wrong: list[str] = []

    def copies(number: int) -> None:
        with devices.use(0):
            run = Run(Monitor())
            for array in (given[number], given[number - 1]):
                if not np.array_equal(run.down(run.up(array)), array):
                    wrong.append(f"thread {number}")

    threads = [threading.Thread(target=copies, args=(number,)) for number in range(len(given))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_copies_may_be_queued_one_behind_another(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second finds the buffers of the first, whose copies are still to come."""
    import cupy

    from antidiag.kernels.cuda import transfers

    Late(monkeypatch)
    monkeypatch.setattr(transfers, "_idle", {})
    given = [np.random.default_rng(seed).random((3000, 1000)) for seed in range(2)]
    with devices.use(0):
        targets = [cupy.empty(one.shape) for one in given]
        for one, target in zip(given, targets, strict=True):
            transfers.up(target, lambda first, last, out, one=one: np.copyto(out, one[first:last]))
        cupy.cuda.get_current_stream().synchronize()
        for one, target in zip(given, targets, strict=True):
            np.testing.assert_array_equal(target.get(), one)


def test_devices_have_buffers_of_their_own(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event of one GPU cannot be recorded on a stream of another."""
    from antidiag.kernels.cuda import transfers

    monkeypatch.setattr(transfers, "_idle", {0: [transfers._Buffer(), transfers._Buffer()]})
    of_0 = set(transfers._idle[0])
    assert not of_0 & set(transfers._borrowed(1, 2))
    assert set(transfers._borrowed(0, 2)) == of_0


@pytest.mark.parametrize("had", [0, 1, 2])
def test_where_little_memory_can_be_pinned(emulated, monkeypatch: pytest.MonkeyPatch, had: int) -> None:
    """Copies take turns with what there is; without any the run is refused, and lets go of the device's memory."""
    import cupy

    from antidiag.kernels.cuda import transfers
    from antidiag.kernels.cuda.run import Run

    allocated, given = [0], np.random.default_rng(1).random(4_000_000)

    def allocate(size: int) -> bytearray:
        allocated[0] += 1
        if allocated[0] > had:
            raise cupy.cuda.runtime.CUDARuntimeError("cudaErrorMemoryAllocation: out of memory")
        return bytearray(size)

    monkeypatch.setattr(transfers, "_idle", {})
    monkeypatch.setattr(cupy.cuda, "alloc_pinned_memory", allocate)
    if had:
        with devices.use(0):
            run = Run(Monitor())
            np.testing.assert_array_equal(run.down(run.up(given)), given)
        assert len(transfers._idle[0]) == had
        return

    def refused() -> None:
        with devices.use(0):
            Run(Monitor()).up(given)

    with pytest.raises(MemoryRefused, match="locked pages") as caught:
        refused()
    assert caught.tb is not None and devices.kept_memory().used_bytes() == 0


def test_rows_that_lie_apart_are_refused(emulated) -> None:
    import cupy

    from antidiag.kernels.cuda import transfers

    with devices.use(0), pytest.raises(ValueError, match="close together"):
        transfers.up(cupy.empty((3000, 1000))[:, :999], lambda first, last, out: out.fill(0))


def test_buffers_take_a_small_part_of_what_the_host_has(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    from antidiag.kernels.cuda import transfers
    from antidiag.kernels.cuda.run import Run

    given = np.random.default_rng(1).random(4_000_000)
    for free, expected in ((0, 1), (2 * transfers.SHARE * transfers.CHUNK, 2)):
        monkeypatch.setattr(transfers, "_idle", {})
        monkeypatch.setattr(transfers, "host_bytes_free", lambda free=free: free)
        with devices.use(0):
            run = Run(Monitor())
            np.testing.assert_array_equal(run.down(run.up(given)), given)
        assert len(transfers._idle[0]) == expected


def test_a_run_that_ends_early_leaves_no_threads(emulated) -> None:
    from antidiag.kernels.cpu import workers
    from antidiag.kernels.cuda.run import Run

    def cancelled_after_a_copy() -> None:
        with devices.use(0):
            run = Run(Monitor())
            run.up(np.zeros((3000, 1000)))
            assert set(threading.enumerate()) - before
            raise Cancelled

    workers.end_idle()
    before = set(threading.enumerate())
    with pytest.raises(Cancelled):
        cancelled_after_a_copy()
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("nbytes", [0, 1, 64 << 10, (64 << 10) + 1, 1 << 20, 4 << 20, (4 << 20) + 1])
def test_arrays_of_any_size_come_by_one_transfer(emulated, nbytes: int) -> None:
    """From wherever they are staged: pinned memory of runs before, or memory of their own."""
    from antidiag.kernels.cuda import arrays

    for seed in range(2):
        given = np.random.default_rng(seed).integers(0, 256, nbytes).astype(np.uint8)
        first, second = arrays.upload(given, np.arange(3.0))
        np.testing.assert_array_equal(first.get(), given)
        np.testing.assert_array_equal(second.get(), np.arange(3.0))


def test_arrays_come_where_no_memory_can_be_pinned(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    from antidiag.kernels.cuda import arrays, transfers

    def refused(device: int, count: int) -> None:
        raise MemoryRefused("no locked pages")

    monkeypatch.setattr(transfers, "_borrowed", refused)
    given = np.arange(100_000.0)
    np.testing.assert_array_equal(arrays.upload(given)[0].get(), given)
