"""One run on a GPU: kernels, copies, and launches that are watched; shared by the areas of the family."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from kernels.cuda.compile import module
from kernels.monitor import Monitor

ELEMENTS = {"float32": 0, "float64": 1, "int32": 2, "int64": 3}
"""Numbers of element types in the device code."""

LAUNCHES_AHEAD = 2
"""Launches queued beyond the one that is waited for: the device never idles, cancel stays quick."""


@dataclass
class Run:
    """Times and the wish to cancel of one run on the current device."""

    monitor: Monitor
    times_ms: dict[str, float] = field(default_factory=lambda: {"compilation": 0.0, "transfer": 0.0})

    def spend(self, phase: str, milliseconds: float) -> None:
        self.times_ms[phase] = self.times_ms.get(phase, 0.0) + milliseconds

    def kernel(self, files: tuple[Path, ...], name: str, **defines: int) -> Any:
        """A compiled kernel; ``defines`` are its compile-time constants."""
        compiled, milliseconds = module(files, defines)
        self.spend("compilation", milliseconds)
        return compiled.get_function(name)

    def up(self, array: np.ndarray) -> cupy.ndarray:
        """A copy on the device; timed as transfer."""
        return self._timed(lambda: cupy.asarray(np.ascontiguousarray(array)))

    def down(self, array: cupy.ndarray) -> np.ndarray:
        """A copy on the host; timed as transfer, with what was queued before it waited for first."""
        cupy.cuda.get_current_stream().synchronize()
        return self._timed(array.get)

    def phase(self, name: str) -> Phase:
        return Phase(self, name)

    @property
    def device_bytes(self) -> int:
        """Most bytes that were taken at a time: what is freed is kept for reuse until the run ends."""
        return cupy.get_default_memory_pool().total_bytes()

    def _timed(self, copy: Callable[[], Any]) -> Any:
        before = time.perf_counter()
        copied = copy()
        cupy.cuda.get_current_stream().synchronize()
        self.spend("transfer", (time.perf_counter() - before) * 1e3)
        return copied


class Phase:
    """Launches of one phase: ``with run.phase("rows") as phase: launch(); phase.launched(done, total)``.

    Waits for launches, a few behind, so that progress is real and cancel is quick.
    """

    def __init__(self, run: Run, name: str) -> None:
        self._run, self._name = run, name
        self._pending: list[tuple[cupy.cuda.Event, int, int]] = []

    def __enter__(self) -> Phase:
        self._first = cupy.cuda.Event()
        self._first.record()
        return self

    def launched(self, done: int, total: int) -> None:
        """``done`` of ``total`` will be finished with what was launched so far."""
        event = cupy.cuda.Event()
        event.record()
        self._pending.append((event, done, total))
        while len(self._pending) > LAUNCHES_AHEAD:
            self._wait()

    def __exit__(self, kind: Any, error: Any, place: Any) -> None:
        if kind is not None:
            return
        while self._pending:
            self._wait()
        last = cupy.cuda.Event()
        last.record()
        last.synchronize()
        self._run.spend(self._name, cupy.cuda.get_elapsed_time(self._first, last))

    def _wait(self) -> None:
        event, done, total = self._pending.pop(0)
        event.synchronize()
        self._run.monitor.update(done, total, self._name)
