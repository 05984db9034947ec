"""One run on a GPU: the problem and its faces on the device, launches, clocks, step log."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import cupy
import numpy as np

from kernels.cuda import arrays, devices
from kernels.cuda.compile import allow_shared, function
from kernels.errors import MemoryRefused
from kernels.monitor import Monitor
from kernels.steps import STEP, Steps
from kernels.triple import cuda_sizes
from kernels.triple.encoding import Encoded, encode
from kernels.triple.grid import Grid, Kind, grid, refuse_layers
from kernels.triple.model import TripleProblem

EVENT = np.dtype([("start", "i8"), ("end", "i8"), ("worker", "i4"), ("unused", "i4")])
"""Event of chunk.cuh; CuPy holds no records, so on the device it is three 64-bit words."""
LAUNCHES_AHEAD = 2
"""Launches queued beyond the one that is waited for: the device never idles, cancel stays quick."""


@dataclass
class Job:
    """One run on the current device.

    ``faces`` are those southwards, eastwards and down, then their local starts (or a place that is never used); int32,
    or where the former two are overwritten uint64 (cube.cuh).
    """

    encoded: Encoded
    grid: Grid
    kind: Kind
    shape: cuda_sizes.Shape
    monitor: Monitor
    steps: Steps
    times_ms: dict[str, float]
    began_ns: int
    sequences: tuple[cupy.ndarray, ...] = ()
    faces: tuple[cupy.ndarray, ...] = ()
    taken: list[int] = field(default_factory=list)

    def arguments(self) -> tuple[Any, ...]:
        """SWEEP_ARGUMENTS of sweep.cuh."""
        grid, encoded = self.grid, self.encoded
        numbers = (encoded.letters, *encoded.cells, encoded.open, grid.rows, grid.columns, grid.h, grid.boxes)
        return (*self.sequences, *map(np.int32, numbers), *self.faces)

    def kernel(self, source: str, name: str, moves: bool = False) -> Any:
        """A kernel compiled for this run, allowed the shared memory that it needs."""
        files, defines = cuda_sizes.files(source, self.shape.affine), self.shape.defines(moves)
        kernel, milliseconds = function(files, name, defines)
        self.spend("compilation", milliseconds)
        if name != "link_parts":
            allow_shared(kernel, self.shared_bytes(moves))
        return kernel

    def shared_bytes(self, moves: bool) -> int:
        needed = self.shape.shared_bytes(self.encoded.letters, moves)
        limit = cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
        if needed + cuda_sizes.STATIC_SHARED > limit:
            raise MemoryRefused(
                f"a chunk needs {needed:,} bytes of shared memory and this GPU has {limit:,}; choose a smaller s"
            )
        return needed

    def empty(self, count: int, dtype: Any) -> cupy.ndarray:
        """An array in memory that is kept for the next run."""
        array = arrays.empty(count, dtype)
        self.taken.append(devices.kept_memory().used_bytes())
        return array

    def zeros(self, count: int, dtype: Any) -> cupy.ndarray:
        found = self.empty(count, dtype)
        found.data.memset_async(0, found.nbytes, cupy.cuda.get_current_stream())
        return found

    def empty_faces(self) -> None:
        """Mark the words of the faces southwards and eastwards as not written (EMPTY in cube.cuh, or by no chunk)."""
        for face in self.faces[:2]:
            face.data.memset_async(0x80 if self.kind.keeps else 0, face.nbytes, cupy.cuda.get_current_stream())

    @property
    def device_bytes(self) -> int:
        """Most bytes that were taken at a time."""
        return max(self.taken)

    @property
    def host_bytes(self) -> int:
        return sum(self.encoded.cells)

    def spend(self, phase: str, milliseconds: float) -> None:
        self.times_ms[phase] = self.times_ms.get(phase, 0.0) + milliseconds


def begin(problem: TripleProblem, kind: Kind, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Job:
    """Copy the problem to the current device and take its memory."""
    refuse_layers(problem, kind)
    encoded = encode(problem)
    chunks = grid(problem, parameters["s"], parameters["h"] if kind.subchunks else None)
    shape = cuda_sizes.shape(chunks, kind, encoded.affine)
    times_ms = {"compilation": 0.0, "transfer": 0.0}
    job = Job(encoded, chunks, kind, shape, monitor, steps, times_ms, time.perf_counter_ns())
    before = time.perf_counter()
    job.sequences = arrays.upload(*encoded.codes, encoded.table)
    job.spend("transfer", (time.perf_counter() - before) * 1e3)
    numbers = cuda_sizes.face_numbers(chunks, kind, encoded.affine)
    word = np.int32 if kind.keeps else np.uint64
    faces = [job.empty(numbers[name], word) for name in ("south", "east")]
    faces.append(job.empty(numbers["bottom"], np.int32))
    starts = (kind.starts, kind.starts, kind.local)
    faces += [job.empty(face.size if has else 2, np.int32) for face, has in zip(faces, starts, strict=True)]
    job.faces = tuple(faces)
    return job


class Clock:
    """Waits for launches, a few behind, so that progress is real and cancel is quick; times a phase."""

    def __init__(self, job: Job, phase: str, total: int) -> None:
        self.job, self.phase, self.total, self.done = job, phase, total, 0
        self.first = cupy.cuda.Event()
        self.first.record()
        self.pending: list[tuple[Any, int]] = []

    def launched(self, amount: int) -> None:
        """A launch was queued that does so much of the total."""
        event = cupy.cuda.Event()
        event.record()
        self.pending.append((event, amount))
        if len(self.pending) > LAUNCHES_AHEAD:
            self._wait()

    def finish(self) -> None:
        """Wait for all launches, and enter the time of the phase."""
        last = self.pending[-1][0]
        while self.pending:
            self._wait()
        self.job.spend(self.phase, cupy.cuda.get_elapsed_time(self.first, last))

    def _wait(self) -> None:
        event, amount = self.pending.pop(0)
        event.synchronize()
        self.done += amount
        self.job.monitor.update(self.done, self.total, self.phase)


def logged(job: Job, phase: int, times: np.ndarray) -> np.ndarray:
    """Events with the device's clock moved to nanoseconds since the run began; dtype STEP."""
    found = np.zeros(len(times), STEP)
    if len(times):
        # The device clock has an origin of its own: the last event of a phase ended just now.
        offset = time.perf_counter_ns() - job.began_ns - int(times["end"].max())
        found["start_ns"], found["end_ns"] = times["start"] + offset, times["end"] + offset
    found["phase"], found["worker"] = phase, times["worker"]
    return found
