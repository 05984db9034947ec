"""A problem of two sequences on the device, and what all launches for it share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.compile import Part, allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import Encoded, encode
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import LevelParameters
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_sources import STRIP
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps

LANES = cuda_sizes.LANES


@dataclass
class Job:
    """The oriented problem on the current device.

    ``borders`` are the values above and left of the problem, where it is a part of a larger one; row ``first_row`` of
    that lies above it. A ``quiet`` job can be cancelled, but reports no progress. ``tiles`` parts of the size of the
    problem are computed side by side, each with buffers of its own. ``packed``: StripedScore's sweep holds two cells in
    a register.
    """

    encoded: Encoded
    s: int
    batch: int
    threads: int
    run: Run
    sequences: tuple[cupy.ndarray, ...]
    borders: tuple[cupy.ndarray | None, cupy.ndarray | None] = (None, None)
    first_row: int = 0
    quiet: bool = False
    tiles: int = 1
    packed: bool = False

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

    def strip(self) -> tuple:
        """The problem as arguments of a kernel (STRIP)."""
        encoded, (rows, columns, table), (top, left) = self.encoded, self.sequences, self.borders
        return STRIP(
            rows=rows, columns=columns, table=table,
            letters=encoded.letters, m=encoded.rows.size, n=encoded.columns.size,
            open_extend=encoded.open + encoded.extend, extend=encoded.extend, top=top, left=left,
        )  # fmt: skip

    def profile_bytes(self) -> int:
        """Shared memory of a warp for the scores of its strip."""
        parts = 1 + self.packed
        words = self.columns_per_lane if self.wide else parts * -(-self.columns_per_lane // parts // 4)
        return self.encoded.letters * words * LANES * 4

    @property
    def host_bytes(self) -> int:
        return self.encoded.rows.nbytes + self.encoded.columns.nbytes

    def kernel(self, parts: tuple[Part, ...], name: str, **more: int) -> Any:
        """A kernel compiled for this problem; ``more`` are its own compile-time constants."""
        return self.run.kernel(parts, name, **self.defines(**more))


def begin(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Job:
    """Copy the problem to the current device."""
    run, encoded = Run(monitor, steps), encode(problem)
    return Job(
        encoded=encoded,
        s=parameters.get("s", 0),
        batch=parameters.get("T", 0),
        threads=typed(LevelParameters, parameters).threads,
        packed="precision" in parameters and cuda_sizes.packed(problem, parameters),
        run=run,
        sequences=run.upload(encoded.rows, encoded.columns, encoded.table),
    )


def copy_rows(target: np.ndarray, source: cupy.ndarray, nbytes: int, count: int) -> None:
    """Queue a copy to the host: the first ``nbytes`` of each of ``count`` rows; in ``target`` they are adjacent."""
    pitch, stream = source.strides[0] if count > 1 else nbytes, cupy.cuda.get_current_stream().ptr
    kind = cupy.cuda.runtime.memcpyDeviceToHost
    cupy.cuda.runtime.memcpy2DAsync(target.ctypes.data, nbytes, source.data.ptr, pitch, nbytes, count, kind, stream)


def block(kernel: Any, threads: int, shared: int) -> tuple[int, int]:
    """Warps of a block whose shared memory fits, and how many such blocks the device holds at once."""
    warps, resident = _block(kernel, threads, shared, cupy.cuda.Device().id)
    allow_shared(kernel, warps * shared)
    return warps, resident


@cache
def _block(kernel: Any, threads: int, shared: int, device: int) -> tuple[int, int]:
    limit = blocks.most_shared()
    if shared > limit:
        raise MemoryRefused(
            f"the scores of a strip need {shared:,} bytes of shared memory and this GPU has {limit:,}; "
            "choose a smaller s"
        )
    warps = max(1, min(-(-threads // LANES), limit // shared, kernel.attributes["max_threads_per_block"] // LANES))
    allow_shared(kernel, warps * shared)
    return warps, blocks.resident(kernel, warps * LANES, warps * shared)
