"""A pair problem on the device, and what all its launches share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits, devices
from antidiag.kernels.cuda.kernel_compiler import SourcePart, allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.cuda.structs import DeviceStruct
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import EncodedPair, encode_pair
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_sources import STRIP, SweepRegisters, sweep_registers, with_two_pieces
from antidiag.kernels.steps import StepLog

LANES = cuda_sizes.LANES


@dataclass
class PairJob:
    """An oriented pair problem on the current device.

    ``borders`` are the values above and left of the problem, where it is a part of a larger one; row ``first_row`` of
    that lies above it. A ``quiet`` job can be cancelled, but reports no progress. ``tiles`` parts of the size of the
    problem are computed side by side, each with buffers of its own. ``packed``: StripedScore's sweep holds two cells in
    a register. ``peers`` are the GPUs of the bands of the sweep of all strips, behind that of the current one
    (cuda_bands.py); with pruning a fast GPU may have several.
    """

    encoded: EncodedPair
    s: int
    batch: int
    threads: int
    run: DeviceRun
    sequences: tuple[cupy.ndarray, ...]
    borders: tuple[cupy.ndarray | None, cupy.ndarray | None] = (None, None)
    first_row: int = 0
    quiet: bool = False
    tiles: int = 1
    packed: bool = False
    peers: tuple[int, ...] = ()

    @property
    def columns_per_lane(self) -> int:
        """Columns of a lane."""
        return self.s // LANES

    @property
    def strip_count(self) -> int:
        """Number of strips."""
        return -(-self.encoded.columns.size // self.s)

    @property
    def band_count(self) -> int:
        """Number of bands of the sweep of all strips, mostly one on each GPU."""
        return min(1 + len(self.peers), self.strip_count)

    @property
    def lanes_keep_best(self) -> bool:
        """Whether paths may end in several cells, so that every lane keeps the best of those that it computes."""
        return self.encoded.is_local or self.encoded.free.bottom or self.encoded.free.right

    @property
    def row_spread(self) -> int:
        """Rows that the lanes of a warp are at together."""
        return cuda_sizes.row_spread(self.packed)

    @property
    def has_wide_scores(self) -> bool:
        """Whether scores do not fit in a byte."""
        return bool(np.abs(self.encoded.table).max(initial=0) > 127)

    @property
    def handover_cells(self) -> int:
        """Boundary cells that a strip takes at a time, a divisor of T and of the lanes."""
        return math.gcd(self.batch, LANES)

    @property
    def mode_constants(self) -> dict[str, int]:
        """The compile-time constants of the mode."""
        free = {f"{border.upper()}_FREE": is_free for border, is_free in self.encoded.free._asdict().items()}
        return {"LOCAL": self.encoded.is_local, **free}

    @property
    def piece_count(self) -> int:
        """The pieces of the gap costs."""
        return len(self.encoded.gap_pieces)

    @property
    def value_count(self) -> int:
        """The values that are kept of a cell: H, and a gap state for each piece of the gap costs."""
        return self.encoded.value_count

    @property
    def registers(self) -> SweepRegisters:
        """The registers of the lanes of a sweep."""
        return sweep_registers(self.piece_count == 2)

    def compile_constants(self, **more: int) -> dict[str, int]:
        """Return the compile-time constants of the problem, and ``more``."""
        fixed = {"R": self.columns_per_lane, "BATCH": self.handover_cells}
        return {**fixed, **self.mode_constants, "WIDE": self.has_wide_scores, "PACKED": self.packed, **more}

    def strip_arguments(self, sequences: tuple[cupy.ndarray, ...] = ()) -> tuple:
        """Return the problem as arguments of a kernel (STRIP); ``sequences`` are those of the GPU that runs it."""
        (top, left), (strip,) = self.borders, self.device_parts((STRIP,))
        assert isinstance(strip, DeviceStruct)
        return strip(**self.problem_fields(sequences), top=top, left=left)

    def device_parts(self, parts: tuple[SourcePart, ...]) -> tuple[SourcePart, ...]:
        """Return the parts of a source as this problem needs them: those of two pieces where gap costs have two."""
        return with_two_pieces(parts) if self.piece_count == 2 else parts

    def problem_fields(self, sequences: tuple[cupy.ndarray, ...] = ()) -> dict[str, Any]:
        """Return the fields that the structs of all pair kernels share: letters, scores, sizes and gap costs."""
        encoded, (rows, columns, table) = self.encoded, sequences or self.sequences
        return {
            "rows": rows,
            "columns": columns,
            "table": table,
            "letters": encoded.letter_count,
            "m": encoded.rows.size,
            "n": encoded.columns.size,
            "open_extend": encoded.open + encoded.extend,
            "extend": encoded.extend,
            **self.second_costs(),
        }

    def second_costs(self) -> dict[str, int]:
        """Return the costs of the second piece, which structs for two-piece gap costs have; nothing for one piece."""
        if self.encoded.second is None:
            return {}
        opening, extend = self.encoded.second
        return {"open_extend2": opening + extend, "extend2": extend}

    def profile_bytes(self) -> int:
        """Return the shared memory of a warp for the scores of its strip."""
        parts = 1 + self.packed
        words = self.columns_per_lane if self.has_wide_scores else parts * -(-self.columns_per_lane // parts // 4)
        return self.encoded.letter_count * words * LANES * 4

    @property
    def host_bytes(self) -> int:
        """Bytes of the encoded sequences on the host."""
        return self.encoded.rows.nbytes + self.encoded.columns.nbytes

    def compile_kernel(self, parts: tuple[SourcePart, ...], name: str, **more: int) -> Any:
        """Return a kernel compiled for this problem; ``more`` are its own compile-time constants."""
        return self.compile_plain_kernel(parts, name, **self.compile_constants(**more))

    def compile_plain_kernel(self, parts: tuple[SourcePart, ...], name: str, **constants: int) -> Any:
        """Return a kernel that is compiled with these constants, and for two-piece gap costs where there are such."""
        if self.piece_count == 2:
            constants["TWO_PIECES"] = True
        return self.run.compile_kernel(self.device_parts(parts), name, **constants)


def begin_job(
    problem: PairProblem,
    monitor: Monitor,
    steps: StepLog,
    *,
    threads: int,
    s: int = 0,
    batch: int = 0,
    packed: bool = False,
) -> PairJob:
    """Copy the problem to the current device."""
    run, encoded = DeviceRun(monitor, steps), encode_pair(problem)
    return PairJob(
        encoded=encoded,
        s=s,
        batch=batch,
        threads=threads,
        packed=packed,
        run=run,
        sequences=run.upload_together(encoded.rows, encoded.columns, encoded.table),
        peers=devices.peer_indices(),
    )


def copy_rows(target: np.ndarray, source: cupy.ndarray, nbytes: int, count: int) -> None:
    """Queue a copy to the host: the first ``nbytes`` of each of ``count`` rows, adjacent in ``target``."""
    pitch, stream = source.strides[0] if count > 1 else nbytes, cupy.cuda.get_current_stream().ptr
    kind = cupy.cuda.runtime.memcpyDeviceToHost
    cupy.cuda.runtime.memcpy2DAsync(target.ctypes.data, nbytes, source.data.ptr, pitch, nbytes, count, kind, stream)


def block_warps(kernel: Any, threads: int, shared: int) -> tuple[int, int]:
    """Return the warps of a block whose shared memory fits, and how many such blocks the device holds at once."""
    warps, resident = _choose_block_warps(kernel, threads, shared, cupy.cuda.Device().id)
    allow_shared_bytes(kernel, warps * shared)
    return warps, resident


@cache
def _choose_block_warps(kernel: Any, threads: int, shared: int, device: int) -> tuple[int, int]:
    limit = block_limits.max_shared_bytes()
    if shared > limit:
        raise MemoryRefused(
            f"the scores of a strip need {shared:,} bytes of shared memory and this GPU has {limit:,}; "
            "choose a smaller s"
        )
    warps = max(1, min(-(-threads // LANES), limit // shared, kernel.attributes["max_threads_per_block"] // LANES))
    allow_shared_bytes(kernel, warps * shared)
    return warps, block_limits.resident_blocks(kernel, warps * LANES, warps * shared)
