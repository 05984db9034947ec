"""Frame alignment on the GPU: a warp a segment; the path is followed on the CPU, from the end that the GPU found."""

from __future__ import annotations

import cupy
import numpy as np

from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.frames import cpu, sizes
from antidiag.kernels.pairwise.frames.cpu import FrameEnd
from antidiag.kernels.pairwise.frames.cuda_sources import FRAME_PAIR, FRAME_SEGMENT, ROWS, SWEEP
from antidiag.kernels.pairwise.frames.genetic_codes import NO_CODON
from antidiag.kernels.pairwise.frames.model import FrameProblem
from antidiag.kernels.pairwise.frames.parameters import FrameParameters
from antidiag.kernels.pairwise.frames.segments import Segment, cut_segments
from antidiag.kernels.steps import StepLog

LANES = 32
SCORE_BYTES = (NO_CODON + 1) * LANES * ROWS * 4
"""Shared memory of a warp."""
LAUNCH_CELLS = 4_000_000_000
"""Cells of a launch: about 40 ms on an H200."""


def frame_alignment(problem: FrameProblem, parameters: FrameParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best alignment of a protein with nucleotides that are read in frames, on the current device."""
    run = DeviceRun(monitor, steps)
    run.compile_host_code(cpu.compile_kernels)
    best = _find_best_end(problem, run, parameters.threads)
    answer, host_bytes = cpu.follow_path(problem, run.host_part(), best)
    return Outcome(answer, run.times_ms, host_bytes, run.device_bytes)


def _find_best_end(problem: FrameProblem, run: DeviceRun, threads: int) -> FrameEnd:
    """Run phase 1 launch by launch; return the best end by the tie rule."""
    segments = cut_segments(problem, sizes.GPU_LEAST_BASES, sizes.GPU_WARM_UPS)
    m, strips = len(problem.protein), -(-len(problem.protein) // (LANES * ROWS))
    width = max(one.last - one.first for one in segments) + 1
    kernel = run.compile_kernel(SWEEP, "frame_sweep", LOCAL=problem.is_local)
    places = np.concatenate([problem.places(strand) for strand in problem.strands])
    rows, table, on_device = run.upload_together(problem.rows, problem.table, _segment_records(problem, segments))
    pair = FRAME_PAIR(
        rows=rows,
        places=run.upload_array(places),
        table=table,
        m=m,
        opening=problem.scoring.open,
        extend=problem.scoring.extend,
        shift=problem.shift_cost,
        n=len(problem.dna),
    )
    border = run.allocate_array((len(segments), width, 2), np.int32)
    ends = run.allocate_array((len(segments), strips, LANES, 4), np.int32)
    log = run.allocate_events(len(segments))
    warps = _choose_warps(kernel, threads)
    together = max(LAUNCH_CELLS // (m * width) // warps, 1) * warps
    with run.begin_phase("phase 1") as phase:
        for first in range(0, len(segments), together):
            count = min(together, len(segments) - first)
            arrays = border[first:], ends[first:], log[first:]
            arguments = (*pair, on_device[first:], np.int32(count), np.int64(width), *arrays)
            kernel((-(-count // warps),), (warps * LANES,), arguments, shared_mem=warps * SCORE_BYTES)
            phase.note_launch(first + count, len(segments))
    found = run.download_array(ends).reshape(len(segments), -1, 4)
    if run.steps.keeps_events:
        _log_segments(problem, run, run.download_array(log).view(EVENT.dtype)[:, 0], segments)
    return cpu.choose_end([_best_of_segment(problem, *both) for both in zip(segments, found, strict=True)])


def _choose_warps(kernel: object, threads: int) -> int:
    """Return the warps of a block, as many as the shared memory of every card allows."""
    warps = max(1, min(-(-threads // LANES), 48 * 1024 // SCORE_BYTES))
    allow_shared_bytes(kernel, warps * SCORE_BYTES)
    return warps


def _segment_records(problem: FrameProblem, segments: list[Segment]) -> np.ndarray:
    """Return the segments as device code reads them, int64 (segments, 3)."""
    records = np.zeros(len(segments), FRAME_SEGMENT.dtype)
    records["strand"] = [problem.strands.index(one.strand) for one in segments]
    records["first"], records["last"] = [one.first for one in segments], [one.last for one in segments]
    return records.view(np.int64).reshape(len(segments), -1)


def _best_of_segment(problem: FrameProblem, segment: Segment, ends: np.ndarray) -> FrameEnd:
    """Return the best end of a segment from those of all lanes; int32 (lanes, 4): score, row, column, unused."""
    scores, rows, columns = ends[:, 0].astype(np.int64), ends[:, 1], ends[:, 2]
    lane = np.lexsort((columns, rows, -scores))[0]
    if problem.is_local and scores[lane] <= 0:
        return FrameEnd(0, segment.strand, 0, segment.first)
    return FrameEnd(int(scores[lane]), segment.strand, int(rows[lane]), int(columns[lane]) + segment.first)


def _log_segments(problem: FrameProblem, run: DeviceRun, times: cupy.ndarray, segments: list[Segment]) -> None:
    """Log an event of phase 1 for every segment."""
    steps = run.convert_events(1, times, np.arange(len(segments)))
    steps["row_end"] = len(problem.protein)
    steps["column_start"], steps["column_end"] = [one.first for one in segments], [one.last for one in segments]
    run.steps.add_array(steps)
