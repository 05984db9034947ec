"""Large arrays go to a device and come back whole, whatever their shape and type, by as many threads as there are."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.cuda import devices
from kernels.errors import Cancelled
from kernels.monitor import Monitor

SHAPES = [(3_000_000,), (1700, 1100), (3, 700, 1100), (1, 500_000), (500_000, 1), (5, 7), (0, 5), (5, 0)]
"""Some chunks and a rest; rows that are no power of two; what is copied at once; nothing at all."""


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arrays_come_back_as_they_were(emulated, shape) -> None:
    from kernels.cuda.run import Run

    random = np.random.default_rng(1)
    for array in (random.random(shape), random.integers(0, 100, shape).astype(np.uint8), random.random(shape[::-1]).T):
        with devices.use(0):
            run = Run(Monitor())
            np.testing.assert_array_equal(run.down(run.up(array)), array)


def test_rows_are_made_on_their_way(emulated) -> None:
    """What the host has in 8 bytes reaches the device in 4."""
    import cupy

    from kernels.cuda.run import Run

    given = np.random.default_rng(1).random((900, 1001))
    with devices.use(0):
        run, target = Run(Monitor()), cupy.empty(given.shape, np.float32)
        run.bring(target, lambda first, last, out: np.copyto(out, given[first:last], casting="unsafe"))
        np.testing.assert_array_equal(target.get(), given.astype(np.float32))


def test_a_part_of_an_array_on_the_device_comes_back(emulated) -> None:
    import cupy

    from kernels.cuda.run import Run

    with devices.use(0):
        whole = np.arange(2_000_000).reshape(1000, 2000)
        on_device = cupy.asarray(whole)
        np.testing.assert_array_equal(Run(Monitor()).down(on_device[:, 3:1900]), whole[:, 3:1900])
        np.testing.assert_array_equal(Run(Monitor()).down(on_device[7:900]), whole[7:900])


def test_what_a_thread_raises_is_raised_and_no_buffer_is_lost(emulated) -> None:
    import cupy

    from kernels.cuda import transfers

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
        assert 0 < len(transfers._idle) <= 2 * transfers.MOST_THREADS


def test_a_row_that_no_buffer_holds_is_refused(emulated) -> None:
    import cupy

    from kernels.cuda import transfers

    with devices.use(0), pytest.raises(ValueError, match="a row of 8,000,000 bytes"):
        transfers.up(cupy.empty((2, 1_000_000)), lambda first, last, out: out.fill(0))
