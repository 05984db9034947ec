"""Copies that go on beside kernels: tasks on one more thread, on a stream of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import TypeVar

import cupy
import numpy as np

from kernels.cpu import workers
from kernels.cuda import transfers
from kernels.errors import Cancelled

Found = TypeVar("Found")


class Beside:
    """``with Beside() as beside: copied = beside.do(copy); launch(); copied.result()``.

    Tasks are done one after another. They get no memory of the device: that is for the thread of the run. Where the
    block ends early, they are asked to end as well, by `check`, and are waited for: nobody copies into memory that is
    not there any more.
    """

    def __init__(self) -> None:
        self._device, self._stop = cupy.cuda.Device().id, workers.stop_word()
        self._stream = cupy.cuda.Stream(non_blocking=True)

    def __enter__(self) -> Beside:
        self._thread = ThreadPoolExecutor(1, "antidiag-beside")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._stop[0] = kind is not None
        self._thread.shutdown()

    def do(self, task: Callable[[], Found], after: cupy.cuda.Event | None = None) -> Future[Found]:
        """``task()`` on the other thread, whose stream waits for an event first."""
        return self._thread.submit(self._done, task, after)

    def check(self) -> None:
        """Raises where the block has ended early."""
        if self._stop[0]:
            raise Cancelled

    def _done(self, task: Callable[[], Found], after: cupy.cuda.Event | None) -> Found:
        self.check()
        with cupy.cuda.Device(self._device), self._stream:
            if after is not None:
                self._stream.wait_event(after)
            return task()


@contextmanager
def touched(array: np.ndarray) -> Iterator[None]:
    """While the block runs, the system finds memory for an array that is filled behind it."""
    if array.nbytes <= transfers.LEAST:
        yield
        return
    with Beside() as beside:
        beside.do(partial(transfers.touch, array))
        yield
