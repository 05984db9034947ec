"""One run on a GPU: its kernels, arrays and copies, launches that are watched, and clocks; shared by all families.

A family adds its problem on the device, and what it launches.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import cupy
import numpy as np

from antidiag.kernels.cuda import arrays, devices, transfers
from antidiag.kernels.cuda.compile import Part, function
from antidiag.kernels.cuda.events import EVENT
from antidiag.kernels.cuda.transfers import Fill
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import STEP, Steps

ELEMENTS = {"float32": 0, "float64": 1, "int32": 2, "int64": 3}
"""Numbers of element types in the device code."""

LAUNCHES_AHEAD = 2
"""Launches queued beyond the one that is waited for: the device never idles, cancel stays quick."""
SHORT_AHEAD = 8
"""As many that take a small part of what one may take."""


@dataclass
class Run:
    """Times, step log and the wish to cancel of one run on the current device, which `devices.use` has begun.

    Where ``rows`` is given, every launch is in the log, with so many rows, and as columns what it does of its phase;
    where ``columns`` is, it has so many columns, and does rows; else the family logs what its device code tells of
    itself.
    """

    monitor: Monitor
    steps: Steps = field(default_factory=Steps)
    times_ms: dict[str, float] = field(default_factory=lambda: {"compilation": 0.0, "transfer": 0.0})
    rows: int = 0
    columns: int = 0
    began_ns: int = field(default_factory=time.perf_counter_ns)
    _numbers: dict[str, int] = field(default_factory=dict)
    _told: dict[str, float] = field(default_factory=dict)
    _queued: deque[tuple[Phase, Launch | None]] = field(default_factory=deque)
    _meanwhile: list[Callable[[], None]] = field(default_factory=list)

    def spend(self, phase: str, milliseconds: float) -> None:
        self.times_ms[phase] = self.times_ms.get(phase, 0.0) + milliseconds

    @property
    def apart_ms(self) -> float:
        """What was spent so far on compiling and on transfers, which is of no phase."""
        return self.times_ms["compilation"] + self.times_ms["transfer"]

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Time of a phase by the host's clock: where it works too, or waits for each launch; but for what was compiled
        or transferred meanwhile. Launches of the phase that are watched meanwhile count once."""
        if phase != "transfer":
            self._numbers.setdefault(phase, len(self._numbers) + 1)
        before, counted_ms = time.perf_counter(), self._counted_ms(phase)
        yield
        self.spend(phase, max((time.perf_counter() - before) * 1e3 - (self._counted_ms(phase) - counted_ms), 0.0))

    def _counted_ms(self, phase: str) -> float:
        return self.apart_ms + (0.0 if phase == "transfer" else self.times_ms.get(phase, 0.0))

    def kernel(self, parts: tuple[Part, ...], name: str, **defines: int) -> Any:
        """A compiled kernel; ``defines`` are its compile-time constants.

        A run that was cancelled has nothing compiled, which may take many seconds and cannot be interrupted.
        """
        self.monitor.check()
        kernel, milliseconds = function(parts, name, defines)
        self.spend("compilation", milliseconds)
        return kernel

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> cupy.ndarray:
        """An array of whatever its memory holds."""
        return arrays.empty(shape, dtype)

    def filled(self, shape: int | tuple[int, ...], dtype: Any, byte: int = 0) -> cupy.ndarray:
        """An array all of whose bytes are the same, as soon as the device comes to it."""
        array = arrays.empty(shape, dtype)
        array.data.memset_async(byte, array.nbytes, cupy.cuda.get_current_stream())
        return array

    def upload(self, *on_host: np.ndarray) -> tuple[cupy.ndarray, ...]:
        """Copies of small arrays on the device, by one transfer."""
        self.drain()
        with self.timed("transfer"):
            return arrays.upload(*on_host)

    def up(self, array: np.ndarray) -> cupy.ndarray:
        """A copy on the device of an array that may be large."""
        self.drain()
        given = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        target = self.empty(given.size, given.dtype)
        flat = given.reshape(-1)
        if flat.nbytes <= transfers.PLAIN:
            self._timed(lambda: target.set(flat))
        else:
            self.bring(target, lambda first, last, out: np.copyto(out, flat[first:last]))
        return target.reshape(given.shape)

    def bring(self, target: cupy.ndarray, fill: Fill) -> None:
        """Fill an array on the device, whose rows lie close together, by rows that ``fill`` makes on threads."""
        self.drain()
        with self.timed("transfer"):
            transfers.up(target, fill, self.monitor.check)
            cupy.cuda.get_current_stream().synchronize()

    def down(self, array: cupy.ndarray, into: np.ndarray | None = None) -> np.ndarray:
        """A copy on the host, in an array of its own, or one of this shape and type, whose rows lie close together.

        What was queued before is waited for first, and not timed.
        """
        self.drain()
        cupy.cuda.get_current_stream().synchronize()
        if not array.flags.c_contiguous:
            return self._timed(array.get)
        copied = np.empty(array.size, array.dtype) if into is None else into.reshape(-1)
        with self.timed("transfer"):
            if array.nbytes <= transfers.PLAIN:
                array.reshape(-1).get(out=copied)
            else:
                put = lambda first, last, rows: np.copyto(copied[first:last], rows)  # noqa: E731
                transfers.down(array.reshape(-1), put, self.monitor.check)
        return copied.reshape(array.shape)

    def phase(self, name: str, quiet: bool = False, ahead: int = LAUNCHES_AHEAD, waits: bool = True) -> Phase:
        """Launches of a phase; a ``quiet`` one can be cancelled, but reports no progress.

        One that does not wait for its end lets the next begin behind it, so that the device never idles between them;
        its time is known when the run has settled.
        """
        self._numbers.setdefault(name, len(self._numbers) + 1)
        return Phase(self, name, quiet, ahead, waits)

    def meanwhile(self, work: Callable[[], None]) -> None:
        """Have something done when the host would next wait for the device; at the latest when the run settles."""
        self._meanwhile.append(work)

    def queue(self, phase: Phase, launch: Launch | None, ahead: int) -> None:
        """A launch of a phase, or its end, is waited for behind all before it, when more launches than may be ``ahead``
        are queued."""
        self._queued.append((phase, launch))
        while sum(launch is not None for _, launch in self._queued) > ahead:
            self._wait()

    @property
    def queued(self) -> int:
        """Launches and ends of phases that were not waited for."""
        return len(self._queued)

    def forget(self) -> None:
        """Wait for nothing that is queued, and do nothing meanwhile, as the run has ended or failed: what was to be
        done may hold arrays of the run, which holds it."""
        self._queued.clear()
        self._meanwhile.clear()

    def settle(self) -> None:
        """Wait for all launches of phases that did not wait for their ends, and do what was to be done meanwhile."""
        self.drain()
        self._work()

    def drain(self) -> None:
        """Wait for all launches of phases that did not wait for their ends."""
        while self._queued:
            self._wait()

    def _wait(self) -> None:
        """Wait for the first that is queued: a launch, or the end of a phase."""
        self._work()
        phase, launch = self._queued.popleft()
        phase.waited(launch) if launch else phase.ended()

    def _work(self) -> None:
        while self._meanwhile:
            self._meanwhile.pop(0)()

    def event_log(self, *shape: int) -> cupy.ndarray:
        """Room for events, none of which was yet; int64, as CuPy holds no records: ``.get().view(EVENT.dtype)``."""
        return self.filled((*shape, EVENT.dtype.itemsize // 8), np.int64)

    def logged(self, phase: int, times: np.ndarray, strips: Any = 0, ended_ns: int | None = None) -> np.ndarray:
        """Steps of these events (EVENT), the device's clock moved to nanoseconds since the run began.

        The device's clock has an origin of its own: the last event ended at ``ended_ns`` by the host's, or just now.
        """
        found = np.zeros(len(times), STEP)
        if len(times):
            ended_ns = time.perf_counter_ns() if ended_ns is None else ended_ns
            offset = ended_ns - self.began_ns - int(times["end"].max())
            found["start_ns"], found["end_ns"] = times["start"] + offset, times["end"] + offset
        found["phase"], found["strip"], found["worker"] = phase, strips, times["worker"]
        found["waited_ns"] = np.clip(times["waited"], 0, found["end_ns"] - found["start_ns"])
        return found

    def tell(self, done: int, total: int, phase: str) -> None:
        """Progress of a phase, which may be entered again: what was told of it never falls."""
        share = done / total if total else 1.0
        if share > self._told.get(phase, -1.0):
            self._told[phase] = share
            self.monitor.update(done, total, phase)
        else:
            self.monitor.check()

    def log(self, phase: str, done: tuple[int, int], from_ms: float, until_ms: float) -> None:
        """A launch, in the times of the run; the device is one worker."""
        begun_ns, ended_ns = round(1e6 * from_ms), round(1e6 * until_ms)
        done = min(done), max(done)
        rows, columns = (done, (0, self.columns)) if self.columns else ((0, self.rows), done)
        self.steps.add(self._numbers[phase], 0, rows, columns, 0, begun_ns, ended_ns)

    @property
    def device_bytes(self) -> int:
        """Most bytes that were taken at a time."""
        return devices.most_taken()

    def _timed(self, copy: Callable[[], Any]) -> Any:
        with self.timed("transfer"):
            copied = copy()
            cupy.cuda.get_current_stream().synchronize()
            return copied


class Launch(NamedTuple):
    """A launch that may not have ended yet: ``done`` of ``total`` is finished with it."""

    event: cupy.cuda.Event
    done: int
    total: int


class Phase:
    """``with run.phase("rows") as phase: launch(); phase.launched(done, total)``, as often as there is a launch.

    Waits for launches, a few behind, so that progress is real and cancel is quick. The phase lasts until the end of
    the last launch that it was told of.
    """

    def __init__(self, run: Run, name: str, quiet: bool, ahead: int, waits: bool) -> None:
        self._run, self._name, self._quiet, self._ahead, self._waits = run, name, quiet, ahead, waits

    def __enter__(self) -> Phase:
        self._first = self._last = cupy.cuda.Event()
        self._first.record()
        self._done, self._before_ms = 0, -1.0
        if not self._run.queued:
            self._begin()
        return self

    def _begin(self) -> None:
        """What is between two phases is in no time of the run, and so not in its log."""
        self._before_ms = self._at_ms = sum(self._run.times_ms.values())

    def launched(self, done: int = 1, total: int = 1) -> None:
        """``done`` of ``total`` will be finished with what was launched so far."""
        self._last = cupy.cuda.Event()
        self._last.record()
        self._run.queue(self, Launch(self._last, done, total), self._ahead)

    def __exit__(self, kind: Any, error: Any, place: Any) -> None:
        if kind is not None:
            self._run.forget()
            return
        self._run.queue(self, None, self._ahead)
        if self._waits:
            self._run.drain()

    def ended(self) -> None:
        """All launches have been waited for."""
        self._last.synchronize()  # the first event, where nothing was launched
        self._run.spend(self._name, cupy.cuda.get_elapsed_time(self._first, self._last))

    def waited(self, launch: Launch) -> None:
        """Wait for a launch, the next one of this phase, and tell of it."""
        event, done, total = launch
        event.synchronize()
        if self._before_ms < 0:
            self._begin()
        if self._run.rows or self._run.columns:
            at_ms = self._before_ms + cupy.cuda.get_elapsed_time(self._first, event)
            self._run.log(self._name, (self._done, done), self._at_ms, at_ms)
            self._at_ms, self._done = at_ms, done
        if self._quiet:
            self._run.monitor.check()
        else:
            self._run.tell(done, total, self._name)
