"""The scaffold of every run on a GPU: kernels, arrays, transfers, phases, the step log, progress and Cancel.

A family creates one `DeviceRun` per call, copies its problem to the device, launches its kernels inside phases, and
copies the answer back:

    run = DeviceRun(monitor, steps)
    matrix = run.upload_array(problem.matrix)
    kernel = run.compile_kernel(PARTS, "sweep", TILE=64)
    with run.begin_phase("sweep") as phase:
        for band in range(bands):
            kernel(grid, threads, arguments)
            phase.note_launch(band + 1, bands)
    answer = run.download_array(matrix)

Launches are asynchronous. A phase waits for the launch that lies a few behind the newest one; so progress is real,
Cancel is quick, and the device never idles. `DeviceRun.times_ms` has the time of every phase, and apart from them
"compilation" and "transfer".
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import cupy
import numpy as np

from antidiag.kernels.cpu.compilation import compile_cancellably
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.parallel_copy import copy_values
from antidiag.kernels.cuda import device_arrays, devices, pinned_transfers
from antidiag.kernels.cuda.kernel_compiler import SourcePart, compile_kernel, compile_module, is_compiled
from antidiag.kernels.cuda.pinned_transfers import FillRows, TakeRows
from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import STEP, StepLog

ELEMENT_NUMBERS = {"float32": 0, "float64": 1, "int32": 2, "int64": 3}
"""The number by which device code knows an element type (`elements.cuh`)."""

LAUNCHES_AHEAD = 2
"""Launches that are queued beyond the one that the host waits for, so that the device never idles."""
SHORT_AHEAD = 8
"""The same for phases whose launches are short."""


@dataclass
class DeviceRun:
    """One run on the current device, inside `devices.use_device`.

    Parameters
    ----------
    monitor : Monitor
        Hears progress, and raises Cancelled from `check`.
    steps : Steps
        The step log.
    rows, columns : int
        Where one of them is set, every launch becomes a step of the log: with ``rows``, a launch does columns of that
        many rows; with ``columns``, it does rows of that many columns. Otherwise the family logs its own events.
    launches_ahead : int
        Launches that a phase queues beyond the one that the host waits for, where it does not say otherwise.
    """

    monitor: Monitor
    steps: StepLog = field(default_factory=StepLog)
    times_ms: dict[str, float] = field(default_factory=lambda: {"compilation": 0.0, "transfer": 0.0})
    rows: int = 0
    columns: int = 0
    began_ns: int = field(default_factory=time.perf_counter_ns)
    launches_ahead: int = LAUNCHES_AHEAD
    _phase_numbers: dict[str, int] = field(default_factory=dict)
    _progress: dict[str, float] = field(default_factory=dict)
    _pending: deque[tuple[LaunchPhase, PendingLaunch | None]] = field(default_factory=deque)
    _deferred: list[Callable[[], None]] = field(default_factory=list)

    # Compilation

    def compile_kernel(self, parts: tuple[SourcePart, ...], name: str, **defines: int) -> Any:
        """Return a compiled kernel; ``defines`` are its compile-time constants.

        Compiling may take many seconds: the monitor hears of it, and Cancel is answered at once, although the compiler
        goes on in the background. A run that was cancelled compiles nothing.
        """
        self.monitor.check()
        if not is_compiled(parts, defines):
            self._compile_module(parts, defines)
        kernel, milliseconds = compile_kernel(parts, name, defines)
        self.add_time("compilation", milliseconds)
        return kernel

    def _compile_module(self, parts: tuple[SourcePart, ...], defines: Mapping[str, int]) -> None:
        """Compile a module for the current device on a thread of its own."""
        device = cupy.cuda.Device()

        def compile_there() -> None:
            with device:  # which device is current, is a matter of each thread
                compile_module(parts, defines)

        self.add_time("compilation", compile_cancellably(compile_there, self.monitor))

    def compile_host_code(self, prepare: Callable[[], object]) -> None:
        """Call a function that compiles host code; its time is compilation. Raises Cancelled at once on Cancel."""
        self.add_time("compilation", compile_cancellably(prepare, self.monitor))

    def host_part(self, threads: int = 1) -> CpuRun:
        """Return the part of the run that the CPU computes: it has the same times, step log and phases."""
        return CpuRun(
            self.monitor,
            self.steps,
            threads,
            self.times_ms,
            started_ns=self.began_ns,
            _phase_numbers=self._phase_numbers,
        )

    # Arrays and transfers

    def allocate_array(self, shape: int | tuple[int, ...], dtype: Any) -> cupy.ndarray:
        """Allocate an array on the device without setting its values."""
        return device_arrays.allocate_array(shape, dtype)

    def allocate_filled(self, shape: int | tuple[int, ...], dtype: Any, byte: int = 0) -> cupy.ndarray:
        """Allocate an array on the device, and queue a memset of all its bytes."""
        array = device_arrays.allocate_array(shape, dtype)
        array.data.memset_async(byte, array.nbytes, cupy.cuda.get_current_stream())
        return array

    def upload_together(self, *on_host: np.ndarray) -> tuple[cupy.ndarray, ...]:
        """Copy several small arrays to the device in one transfer."""
        self.wait_for_launches()
        with self.time_phase("transfer"):
            return device_arrays.upload_arrays(*on_host)

    def upload_array(self, array: np.ndarray) -> cupy.ndarray:
        """Copy an array of any size to the device."""
        flat = np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(-1)
        target = self.allocate_array(flat.size, flat.dtype)
        self.upload_rows(target, lambda first, last, out: copy_values(out, flat[first:last]))
        return target.reshape(array.shape)

    def upload_rows(self, target: cupy.ndarray, fill: FillRows) -> None:
        """Fill a C-contiguous array on the device with rows that ``fill`` computes; a large one in chunks."""
        self.wait_for_launches()
        with self.time_phase("transfer"):
            pinned_transfers.upload_rows(target, fill, self.monitor.check)

    def download_array(self, array: cupy.ndarray, into: np.ndarray | None = None) -> np.ndarray:
        """Copy an array to the host, into a new array or into a C-contiguous one of the same shape and type."""
        copied = np.empty(array.shape, array.dtype) if into is None else into
        flat = copied.reshape(-1)
        self.download_rows(
            cupy.ascontiguousarray(array).reshape(-1),
            lambda first, last, values: copy_values(flat[first:last], values),
        )
        return copied

    def download_rows(self, source: cupy.ndarray, take_rows: TakeRows) -> None:
        """Give the rows of a C-contiguous array on the device to ``take_rows``; a large one in chunks.

        The launches queued before are waited for first, and not counted as transfer.
        """
        self.wait_for_launches()
        cupy.cuda.get_current_stream().synchronize()
        with self.time_phase("transfer"):
            pinned_transfers.download_rows(source, take_rows, self.monitor.check)

    def allocate_answer(self, shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
        """Allocate an array on the host that an answer will be copied to; its pages are touched while the device works.

        Without that, to provide new memory takes longer than to copy into it. Only `download_rows` and
        `download_array` may write into it.
        """
        answer = np.empty(shape, dtype)
        pinned_transfers.touch_in_background(answer)
        return answer

    @property
    def device_bytes(self) -> int:
        """The largest number of bytes that were allocated at a time."""
        return devices.peak_allocated_bytes()

    # Times

    def add_time(self, phase: str, milliseconds: float) -> None:
        """Add to the time of a phase."""
        self.times_ms[phase] = self.times_ms.get(phase, 0.0) + milliseconds

    @property
    def overhead_ms(self) -> float:
        """The time spent so far on compilation and transfers, which belongs to no phase."""
        return self.times_ms["compilation"] + self.times_ms["transfer"]

    @contextmanager
    def time_phase(self, phase: str) -> Iterator[None]:
        """Count the host's time of the block as a phase.

        Compilation, transfers and launches of the phase inside the block are not counted twice.
        """
        if phase != "transfer":
            self._number_phase(phase)
        before, counted_ms = time.perf_counter(), self._counted_ms(phase)
        yield
        self.add_time(phase, max((time.perf_counter() - before) * 1e3 - (self._counted_ms(phase) - counted_ms), 0.0))

    def _counted_ms(self, phase: str) -> float:
        return self.overhead_ms + (0.0 if phase == "transfer" else self.times_ms.get(phase, 0.0))

    def _number_phase(self, phase: str) -> None:
        self._phase_numbers.setdefault(phase, len(self._phase_numbers) + 1)

    # Phases and their launches

    def begin_phase(self, name: str, quiet: bool = False, ahead: int | None = None, waits: bool = True) -> LaunchPhase:
        """Begin a phase of launches, as a context manager.

        Parameters
        ----------
        name : str
            The key of `times_ms`.
        quiet : bool
            Hear Cancel, but report no progress.
        ahead : int or None
            Launches that are queued beyond the one that the host waits for; None, as many as the run says.
        waits : bool
            Whether the block ends only when its last launch has ended. Without it the next phase follows at once on
            the device; the time is known after `settle`.
        """
        self._number_phase(name)
        return LaunchPhase(self, name, quiet, self.launches_ahead if ahead is None else ahead, waits)

    def run_while_waiting(self, work: Callable[[], None]) -> None:
        """Call a function when the host would next wait for the device, at the latest in `settle`."""
        self._deferred.append(work)

    def queue_launch(self, phase: LaunchPhase, launch: PendingLaunch | None, ahead: int) -> None:
        """Append a launch of a phase, or its end (None), and wait until at most ``ahead`` launches are pending."""
        self._pending.append((phase, launch))
        while sum(launch is not None for _, launch in self._pending) > ahead:
            self._wait_for_first()

    @property
    def pending_count(self) -> int:
        """Launches and ends of phases that nobody has waited for yet."""
        return len(self._pending)

    def discard_pending(self) -> None:
        """Drop all pending launches and deferred calls of a run that has ended or failed: they may hold its arrays."""
        self._pending.clear()
        self._deferred.clear()

    def finish_pending(self) -> None:
        """Wait for all pending launches, and make all deferred calls."""
        self.wait_for_launches()
        self._call_deferred()

    def wait_for_launches(self) -> None:
        """Wait for all pending launches."""
        while self._pending:
            self._wait_for_first()

    def _wait_for_first(self) -> None:
        self._call_deferred()
        phase, launch = self._pending.popleft()
        phase.wait_for_launch(launch) if launch else phase.finish_phase()

    def _call_deferred(self) -> None:
        while self._deferred:
            self._deferred.pop(0)()

    # Progress and the step log

    def report_progress(self, done: int, total: int, phase: str) -> None:
        """Report progress of a phase, which may be entered again: the reported share never falls."""
        share = done / total if total else 1.0
        if share > self._progress.get(phase, -1.0):
            self._progress[phase] = share
            self.monitor.update(done, total, phase)
        else:
            self.monitor.check()

    def log_launch(self, phase: str, done: tuple[int, int], from_ms: float, until_ms: float) -> None:
        """Add a launch to the step log; the device counts as one worker."""
        begun_ns, ended_ns = round(1e6 * from_ms), round(1e6 * until_ms)
        done = min(done), max(done)
        rows, columns = (done, (0, self.columns)) if self.columns else ((0, self.rows), done)
        self.steps.add(self._phase_numbers[phase], 0, rows, columns, 0, begun_ns, ended_ns)

    def allocate_events(self, *shape: int) -> cupy.ndarray:
        """Allocate zeroed events for device code, as int64; read them by ``.get().view(EVENT.dtype)``."""
        return self.allocate_filled((*shape, EVENT.dtype.itemsize // 8), np.int64)

    def convert_events(self, phase: int, times: np.ndarray, strips: Any = 0, ended_ns: int | None = None) -> np.ndarray:
        """Convert events of the device (EVENT) to steps, in nanoseconds since the run began.

        The device's clock has another origin: the last event is taken to have ended at ``ended_ns`` of the host's
        clock, by default now.
        """
        steps = np.zeros(len(times), STEP)
        if len(times):
            ended_ns = time.perf_counter_ns() if ended_ns is None else ended_ns
            offset = ended_ns - self.began_ns - int(times["end"].max())
            steps["start_ns"], steps["end_ns"] = times["start"] + offset, times["end"] + offset
        steps["phase"], steps["strip"], steps["worker"] = phase, strips, times["worker"]
        steps["waited_ns"] = np.clip(times["waited"], 0, steps["end_ns"] - steps["start_ns"])
        return steps


class PendingLaunch(NamedTuple):
    """A launch that may not have ended yet: when ``event`` has passed, ``done`` of ``total`` are finished."""

    event: cupy.cuda.Event
    done: int
    total: int


class LaunchPhase:
    """A phase of launches: ``with run.phase("rows") as phase: kernel(...); phase.launched(done, total)``.

    The phase lasts from its first event to the end of the last launch that `launched` was called for.
    """

    def __init__(self, run: DeviceRun, name: str, quiet: bool, ahead: int, waits: bool) -> None:
        self._run, self._name, self._quiet, self._ahead, self._waits = run, name, quiet, ahead, waits

    def __enter__(self) -> LaunchPhase:
        self._first = self._last = cupy.cuda.Event()
        self._first.record()
        self._done, self._before_ms = 0, -1.0
        if not self._run.pending_count:
            self._start_log()
        return self

    def _start_log(self) -> None:
        """Set where the log of this phase begins: time between two phases is in no phase, and so not in the log."""
        self._before_ms = self._at_ms = sum(self._run.times_ms.values())

    def note_launch(self, done: int = 1, total: int = 1) -> None:
        """Note that ``done`` of ``total`` are finished when the work launched so far has ended."""
        self._last = cupy.cuda.Event()
        self._last.record()
        self._run.queue_launch(self, PendingLaunch(self._last, done, total), self._ahead)

    def __exit__(self, kind: Any, error: Any, place: Any) -> None:
        if kind is not None:
            self._run.discard_pending()
            return
        self._run.queue_launch(self, None, self._ahead)
        if self._waits:
            self._run.wait_for_launches()

    def finish_phase(self) -> None:
        """Count the time of the phase, all of whose launches have ended."""
        self._last.synchronize()  # the first event, where nothing was launched
        self._run.add_time(self._name, cupy.cuda.get_elapsed_time(self._first, self._last))

    def wait_for_launch(self, launch: PendingLaunch) -> None:
        """Wait for the next launch of this phase, log it and report progress."""
        event, done, total = launch
        event.synchronize()
        if self._before_ms < 0:
            self._start_log()
        if self._run.rows or self._run.columns:
            at_ms = self._before_ms + cupy.cuda.get_elapsed_time(self._first, event)
            self._run.log_launch(self._name, (self._done, done), self._at_ms, at_ms)
            self._at_ms, self._done = at_ms, done
        if self._quiet:
            self._run.monitor.check()
        else:
            self._run.report_progress(done, total, self._name)
