"""The methods of three sequences on the GPU (Li et al. 2014, sections 4 and 5): launches and results."""

from __future__ import annotations

from collections.abc import Callable

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple.chunks.cuda import kernel_sizes, path
from antidiag.kernels.triple.chunks.cuda.job import TripleJob, begin_job
from antidiag.kernels.triple.chunks.cuda.sources import EVENTS_PER_CHUNK, SLICE
from antidiag.kernels.triple.grid import CHUNK_KINDS, ChunkKind
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import ChunkParameters

BackendRun = Callable[[TripleProblem, ChunkParameters, Monitor, StepLog], Outcome]


def _make_backend(kind: ChunkKind) -> BackendRun:
    """Make the backend of a method."""

    def run(problem: TripleProblem, parameters: ChunkParameters, monitor: Monitor, steps: StepLog) -> Outcome:
        job = begin_job(problem, kind, parameters, monitor, steps)
        last = _sweep_chunks(job)
        moves = None
        if kind.keeps_faces:
            parts = path.link_parts(job, last) if kind.has_local_starts else path.make_whole_part(job)
            moves = path.compute_moves(job, parts)
        answer = job.encoded.make_answer(int(job.run.download_array(last)[0]), moves)
        return Outcome(answer, job.run.times_ms, job.host_bytes, job.run.device_bytes)

    return run


layered, sloped = _make_backend(CHUNK_KINDS["layered"]), _make_backend(CHUNK_KINDS["sloped"])
layered_bt1, layered_bt2, layered_bt3 = (_make_backend(CHUNK_KINDS[f"layered-bt{number}"]) for number in (1, 2, 3))
sloped_bt1, sloped_bt2, sloped_bt3 = (_make_backend(CHUNK_KINDS[f"sloped-bt{number}"]) for number in (1, 2, 3))
sloped_checkpointed = _make_backend(CHUNK_KINDS["sloped-checkpointed"])


def _sweep_chunks(job: TripleJob) -> cupy.ndarray:
    """Run phase 1: compute all chunks, slice by slice; return the value of the last cell and its local start, int32."""
    name = "layered" if job.kind.layered else "sloped"
    kernel, threads = job.compile_kernel(name, name), job.shape.threads
    shared = job.shared_bytes(False)
    most = block_limits.resident_blocks(kernel, threads, shared)
    span = kernel_sizes.count_launch_chunks(job.grid, job.shape, block_limits.multiprocessor_count())
    slices = range(0, job.grid.chunks, span)
    tickets, last = job.run.allocate_filled(len(slices), np.uint32), job.run.allocate_filled(2, np.int32)
    log = job.run.allocate_events(job.grid.chunks * EVENTS_PER_CHUNK)
    with job.run.begin_phase("phase 1") as phase:
        fixed = job.kernel_arguments()
        for index, first in enumerate(slices):
            end = min(first + span, job.grid.chunks)
            arguments = *fixed, *SLICE(first=first, last=end), tickets[index:], last, log
            kernel((min(end - first, most),), (threads,), arguments, shared_mem=shared)
            phase.note_launch(end, job.grid.chunks)
    if job.run.steps.keeps_events:
        _log_chunks(job, job.run.download_array(log).view(EVENT.dtype)[:, 0])
    return last


def _log_chunks(job: TripleJob, times: np.ndarray) -> None:
    """Add phase 1 to the step log: a few events for each chunk.

    With LAYERED an event is a range of layers; with SLOPED a range of sloped planes, which cuts all layers that it
    touches.
    """
    grid = job.grid
    found = job.run.convert_events(1, times).reshape(-1, EVENTS_PER_CHUNK)
    found["strip"] = np.arange(grid.chunks)[:, None]
    first = grid.chunk_places() * grid.s
    last = np.minimum(first + grid.s, grid.cells[:2]) - 1
    for side, name in enumerate(("row", "column")):
        found[f"{name}_start"], found[f"{name}_end"] = np.maximum(first[:, side, None] - 1, 0), last[:, side, None]
    steps, diagonals, layers = (
        kernel_sizes.event_steps(job.shape, grid.cells[2]),
        2 * job.shape.tiles_per_side - 1,
        grid.cells[2],
    )
    # LAYERED computes a layer in so many steps; a step of SLOPED touches so many layers.
    lowest, highest = (steps // diagonals,) * 2 if job.kind.layered else (steps - diagonals + 1, steps)
    found["layer_start"] = np.clip(lowest[:-1] - 1, 0, layers - 1)
    found["layer_end"] = np.clip(highest[1:] - 1, 0, layers - 1)
    job.run.steps.add_array(found[:, steps[:-1] < steps[1:]].reshape(-1))
