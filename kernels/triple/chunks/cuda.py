"""The methods of three sequences on the GPU (000, sections 4 and 5): what is launched, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.events import EVENT
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import Steps
from antidiag.kernels.triple.chunks import cuda_path, cuda_sizes
from antidiag.kernels.triple.chunks.cuda_job import Job, begin
from antidiag.kernels.triple.chunks.cuda_sources import PIECES, SLICE
from antidiag.kernels.triple.grid import KINDS, Kind
from antidiag.kernels.triple.model import TripleProblem

Run = Callable[[TripleProblem, Mapping[str, Any], Monitor, Steps], Outcome]


def _chunked(kind: Kind) -> Run:
    """The run of a method."""

    def run(problem: TripleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
        job = begin(problem, kind, parameters, monitor, steps)
        last = _sweep(job)
        moves = None
        if kind.keeps:
            parts = cuda_path.link(job, last) if kind.starts else cuda_path.whole(job)
            moves = cuda_path.compute(job, parts)
        answer = job.encoded.answer(int(last.get()[0]), moves)
        return Outcome(answer, job.run.times_ms, job.host_bytes, job.run.device_bytes)

    return run


layered, sloped = _chunked(KINDS["layered"]), _chunked(KINDS["sloped"])
layered_bt1, layered_bt2, layered_bt3 = (_chunked(KINDS[f"layered-bt{number}"]) for number in (1, 2, 3))
sloped_bt1, sloped_bt2, sloped_bt3 = (_chunked(KINDS[f"sloped-bt{number}"]) for number in (1, 2, 3))
sloped_checkpointed = _chunked(KINDS["sloped-checkpointed"])


def _sweep(job: Job) -> cupy.ndarray:
    """Phase 1: all chunks, slice by slice; the value of the last cell and its local start, int32."""
    name = "layered" if job.kind.layered else "sloped"
    kernel, threads = job.kernel(name, name), job.shape.threads
    shared = job.shared_bytes(False)
    most = blocks.resident(kernel, threads, shared)
    span = cuda_sizes.chunks_a_launch(job.grid, job.shape, blocks.multiprocessors())
    slices = range(0, job.grid.chunks, span)
    tickets, last = job.run.filled(len(slices), np.uint32), job.run.filled(2, np.int32)
    log = job.run.event_log(job.grid.chunks * PIECES)
    with job.run.phase("phase 1") as phase:
        job.empty_faces()
        fixed = job.arguments()
        for index, first in enumerate(slices):
            end = min(first + span, job.grid.chunks)
            arguments = *fixed, *SLICE(first=first, last=end), tickets[index:], last, log
            kernel((min(end - first, most),), (threads,), arguments, shared_mem=shared)
            phase.launched(end, job.grid.chunks)
    if job.run.steps.keeps:
        _log_chunks(job, log.get().view(EVENT.dtype)[:, 0])
    return last


def _log_chunks(job: Job, times: np.ndarray) -> None:
    """Step log of phase 1: a few events for each chunk.

    With LAYERED a piece is a range of layers; with SLOPED a range of sloped planes, which cuts all layers that it
    touches.
    """
    grid = job.grid
    found = job.run.logged(1, times).reshape(-1, PIECES)
    found["strip"] = np.arange(grid.chunks)[:, None]
    first = grid.places() * grid.s
    last = np.minimum(first + grid.s, grid.cells[:2]) - 1
    for side, name in enumerate(("row", "column")):
        found[f"{name}_start"], found[f"{name}_end"] = np.maximum(first[:, side, None] - 1, 0), last[:, side, None]
    steps, diagonals, layers = cuda_sizes.pieces(job.shape, grid.cells[2]), 2 * job.shape.side - 1, grid.cells[2]
    # LAYERED computes a layer in so many steps; a step of SLOPED touches so many layers.
    lowest, highest = (steps // diagonals,) * 2 if job.kind.layered else (steps - diagonals + 1, steps)
    found["layer_start"] = np.clip(lowest[:-1] - 1, 0, layers - 1)
    found["layer_end"] = np.clip(highest[1:] - 1, 0, layers - 1)
    some = steps[:-1] < steps[1:]
    job.run.steps.extend((found if some.all() else found[:, some]).reshape(-1))
