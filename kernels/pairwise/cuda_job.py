"""One run on a GPU: the problem on the device, its buffers, its clocks, its step log."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from kernels.cuda import arrays, devices
from kernels.cuda.compile import allow_shared, function
from kernels.errors import MemoryRefused
from kernels.model import PairProblem
from kernels.monitor import Monitor
from kernels.pairwise import cuda_sizes
from kernels.pairwise.encoding import Encoded, encode
from kernels.steps import STEP, Steps

LANES = cuda_sizes.LANES
EVENT = np.dtype([("start", "i8"), ("end", "i8"), ("worker", "i4"), ("unused", "i4")])
"""Event of strip.cuh; CuPy holds no records, so on the device it is three 64-bit words."""
LAUNCHES_AHEAD = 2
"""Launches queued beyond the one that is waited for: the device never idles, cancel stays quick."""


@dataclass
class Job:
    """One run on the current device: the oriented problem on the device and the clocks of its phases.

    ``borders`` are the values above and left of the problem, where it is a part of a larger one; row ``first_row`` of
    that lies above it. A ``quiet`` job can be cancelled, but reports no progress. ``tiles`` parts of the size of the
    problem are computed side by side, each with buffers of its own. ``packed``: StripedScore's sweep holds two cells in
    a register.
    """

    encoded: Encoded
    s: int
    batch: int
    threads: int
    monitor: Monitor
    steps: Steps
    times_ms: dict[str, float]
    began_ns: int
    sequences: tuple[cupy.ndarray, ...] = ()
    borders: tuple[cupy.ndarray | np.uint64, ...] = (np.uint64(0), np.uint64(0))
    first_row: int = 0
    quiet: bool = False
    tiles: int = 1
    packed: bool = False
    taken: list[int] = field(default_factory=list)

    @property
    def columns_per_lane(self) -> int:
        return self.s // LANES

    @property
    def strips(self) -> int:
        return -(-self.encoded.columns.size // self.s)

    @property
    def spread(self) -> int:
        return cuda_sizes.spread(self.packed)

    @property
    def wide(self) -> bool:
        """Whether scores do not fit in a byte."""
        return bool(np.abs(self.encoded.table).max(initial=0) > 127)

    @property
    def handed_over(self) -> int:
        """Boundary cells that a strip takes at a time; a larger T is waited for in these."""
        return math.gcd(self.batch, LANES)

    def defines(self, **more: int) -> dict[str, int]:
        fixed = {"R": self.columns_per_lane, "BATCH": self.handed_over}
        return {**fixed, "LOCAL": self.encoded.local, "WIDE": self.wide, "PACKED": self.packed, **more}

    def problem_arguments(self) -> tuple:
        encoded = self.encoded
        return (
            *self.sequences,
            np.int32(encoded.letters),
            np.int32(encoded.rows.size),
            np.int32(encoded.columns.size),
            np.int32(encoded.open + encoded.extend),
            np.int32(encoded.extend),
            *self.borders,
        )

    def profile_bytes(self) -> int:
        """Shared memory of a warp for the scores of its strip."""
        parts = 1 + self.packed
        words = self.columns_per_lane if self.wide else parts * -(-self.columns_per_lane // parts // 4)
        return self.encoded.letters * words * LANES * 4

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> cupy.ndarray:
        """An array in memory that is kept for the next run."""
        array = arrays.empty(shape, dtype)
        self.taken.append(devices.kept_memory().used_bytes())
        return array

    def upload(self, *on_host: np.ndarray) -> tuple[cupy.ndarray, ...]:
        """Arrays on the device, by one transfer."""
        before = time.perf_counter()
        copies = arrays.upload(*on_host)
        self.taken.append(devices.kept_memory().used_bytes())
        self.spend("transfer", (time.perf_counter() - before) * 1e3)
        return copies

    def event_log(self, *shape: int) -> cupy.ndarray:
        """Room for events, zeroed: an event that ends at 0 never was."""
        log = self.empty((*shape, EVENT.itemsize // 8), np.int64)
        log.data.memset_async(0, log.nbytes, cupy.cuda.get_current_stream())
        return log

    @property
    def device_bytes(self) -> int:
        """Most bytes that were taken at a time."""
        return max(self.taken)

    @property
    def host_bytes(self) -> int:
        return self.encoded.rows.nbytes + self.encoded.columns.nbytes

    def spend(self, phase: str, milliseconds: float) -> None:
        self.times_ms[phase] = self.times_ms.get(phase, 0.0) + milliseconds

    def kernel(self, files: tuple[Path, ...], name: str, **more: int):
        """A kernel compiled for this run; ``more`` are its own compile-time constants."""
        kernel, milliseconds = function(files, name, self.defines(**more))
        self.spend("compilation", milliseconds)
        return kernel


def begin(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Job:
    """Copy the problem to the current device."""
    job = Job(
        encoded=encode(problem),
        s=parameters.get("s", 0),
        batch=parameters.get("T", 0),
        threads=parameters["threads"],
        packed="precision" in parameters and cuda_sizes.packed(problem, parameters),
        monitor=monitor,
        steps=steps,
        times_ms={"compilation": 0.0, "transfer": 0.0},
        began_ns=time.perf_counter_ns(),
    )
    job.sequences = job.upload(job.encoded.rows, job.encoded.columns, job.encoded.table)
    return job


def copy_rows(target: np.ndarray, source: cupy.ndarray, nbytes: int, count: int) -> None:
    """Queue a copy to the host: the first ``nbytes`` of each of ``count`` rows; in ``target`` they are adjacent."""
    pitch, stream = source.strides[0] if count > 1 else nbytes, cupy.cuda.get_current_stream().ptr
    kind = cupy.cuda.runtime.memcpyDeviceToHost
    cupy.cuda.runtime.memcpy2DAsync(target.ctypes.data, nbytes, source.data.ptr, pitch, nbytes, count, kind, stream)


def block(kernel, threads: int, shared: int) -> tuple[int, int]:
    """Warps of a block whose shared memory fits, and how many such blocks the device holds at once."""
    warps, resident = _block(kernel, threads, shared, cupy.cuda.Device().id)
    allow_shared(kernel, warps * shared)
    return warps, resident


@cache
def _block(kernel, threads: int, shared: int, device: int) -> tuple[int, int]:
    attributes = _device_attributes(device)
    limit = attributes["MaxSharedMemoryPerBlockOptin"]
    if shared > limit:
        raise MemoryRefused(
            f"the scores of a strip need {shared:,} bytes of shared memory and this GPU has {limit:,}; "
            "choose a smaller s"
        )
    warps = max(1, min(-(-threads // LANES), limit // shared, kernel.attributes["max_threads_per_block"] // LANES))
    allow_shared(kernel, warps * shared)
    resident = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
        kernel.kernel.ptr, warps * LANES, warps * shared
    )
    return warps, max(1, resident) * attributes["MultiProcessorCount"]


@cache
def _device_attributes(device: int) -> Mapping[str, int]:
    """All attributes of a device; CuPy asks the driver for each of a hundred whenever it is asked for one."""
    return cupy.cuda.Device(device).attributes


class Clock:
    """Waits for launches, a few behind, so that progress is real and cancel is quick; times a phase."""

    def __init__(self, job: Job, phase: str, total: int, done: int = 0) -> None:
        self.job, self.phase, self.total, self.done = job, phase, total, done
        self.first = cupy.cuda.Event()
        self.first.record()
        self.pending: list[tuple[cupy.cuda.Event, int]] = []

    def launched(self, amount: int) -> None:
        event = cupy.cuda.Event()
        event.record()
        self.pending.append((event, amount))
        while len(self.pending) > LAUNCHES_AHEAD:
            self._wait()

    def finish(self) -> None:
        last = self.pending[-1][0]
        while self.pending:
            self._wait()
        self.job.spend(self.phase, cupy.cuda.get_elapsed_time(self.first, last))

    def _wait(self) -> None:
        event, amount = self.pending.pop(0)
        event.synchronize()
        self.done += amount
        if self.job.quiet:
            self.job.monitor.check()
        else:
            self.job.monitor.update(self.done, self.total, self.phase)


def events(job: Job, phase: int, strips: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Events with the device's clock moved to nanoseconds since the run began."""
    events = np.zeros(len(times), STEP)
    if len(times):
        # The device clock has an origin of its own: the last event of a phase ended just now.
        offset = time.perf_counter_ns() - job.began_ns - int(times["end"].max())
        events["start_ns"], events["end_ns"] = times["start"] + offset, times["end"] + offset
    events["phase"], events["strip"], events["worker"] = phase, strips, times["worker"]
    return events
