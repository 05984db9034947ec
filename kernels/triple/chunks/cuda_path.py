"""Phases 2 and 3 on the GPU: which boxes the path goes through, and the path inside each."""

from __future__ import annotations

import cupy
import numpy as np

from antidiag.kernels.cuda import arrays
from antidiag.kernels.cuda.events import EVENT
from antidiag.kernels.triple.chunks import cuda_sizes
from antidiag.kernels.triple.chunks.cuda_job import Job
from antidiag.kernels.triple.chunks.cuda_sources import PART, PARTS, STOP_BOX, STOP_CHUNK, STOP_START

CELLS_A_LAUNCH = 4_000_000
"""Cells that a block computes again in a launch: some 20 ms on an H200."""


def link(job: Job, last: cupy.ndarray) -> np.ndarray:
    """Phase 2: the parts of the path, from its end, as records of PART."""
    most = cuda_sizes.parts_bound(job.grid, job.kind)
    parts, count = job.run.filled(most * PART.words, np.int32), job.run.filled(1, np.int32)
    kernel = job.kernel("path", "link_parts", moves=True)
    with job.run.phase("phase 2") as phase:
        kernel((1,), (1,), (*job.arguments(), last, parts, count, np.int32(most)))
        phase.launched()
    return parts.get().view(PART.dtype)[: int(count.get()[0])]


def whole(job: Job) -> np.ndarray:
    """One part: the whole path, where no local starts were kept."""
    part = np.zeros(1, PART.dtype)
    part["i"], part["j"], part["k"] = job.encoded.end
    part["after"] = 7
    part["start_i"] = part["start_j"] = part["start_k"] = -1
    return part


def compute(job: Job, parts: np.ndarray) -> np.ndarray:
    """Phase 3: the moves of all parts, from the start of the path."""
    lengths = sum((parts[name] - parts[f"start_{name}"]).astype(np.int64) for name in "ijk")
    places = np.cumsum(lengths) - lengths
    kernel, shared = job.kernel("path", "compute_parts", moves=True), job.shared_bytes(True)
    blocks = min(len(parts), cuda_sizes.MOST_BLOCKS)
    box = cuda_sizes.move_bytes(job.grid, job.encoded.affine)
    moves, found = job.run.empty(blocks * box, np.uint8), job.run.empty(int(lengths.sum()), np.uint8)
    on_device, where = arrays.upload(parts.view(np.int32), places)
    log = job.run.event_log(len(parts))
    stop = STOP_BOX if job.kind.local else STOP_CHUNK if job.kind.starts else STOP_START
    box_cells = job.grid.s**2 * job.grid.h
    remaining = True
    with job.run.phase("phase 3") as phase:
        while remaining:
            given = PARTS(
                parts=on_device, count=len(parts), ticket=job.run.filled(1, np.uint32), moves=moves,
                box_cells=box_cells, found=found, places=where, stop=stop, most=max(1, CELLS_A_LAUNCH // box_cells),
            )  # fmt: skip
            kernel((blocks,), (job.shape.threads,), (*job.arguments(), *given, log), shared_mem=shared)
            after = on_device.get().view(PART.dtype)
            remaining, most = not after["done"].all(), sum(job.encoded.cells)
            phase.launched(int(after["count"].sum()) if remaining else most, most)
    with job.run.timed("transfer"):
        backwards = found.get()
    if job.run.steps.keeps:
        _log_parts(job, log.get().view(EVENT.dtype)[:, 0], parts)
    pieces = [backwards[at : at + count] for at, count in zip(places, after["count"], strict=True)]
    # The move into the first cell is none of the path's columns.
    return np.concatenate(pieces)[-2::-1].copy()


def _log_parts(job: Job, times: np.ndarray, parts: np.ndarray) -> None:
    """Step log of phase 3: an event for every part of the path, over the cells that were computed again."""
    found, grid = job.run.logged(3, times), job.grid
    chunk = np.stack([parts["row"], parts["column"]]) if job.kind.starts else np.zeros((2, len(parts)), np.int32)
    size = np.full((2, 1), grid.s) if job.kind.starts else np.array(grid.cells[:2])[:, None]
    found["strip"] = grid.numbers()[tuple(chunk)]
    first = chunk.astype(np.int64) * grid.s
    last = np.minimum(first + size, np.array(grid.cells[:2])[:, None]) - 1
    for side, name in enumerate(("row", "column")):
        found[f"{name}_start"], found[f"{name}_end"] = np.maximum(first[side] - 1, 0), last[side]
    highest = parts["k"].astype(np.int64)
    lowest = highest if job.kind.local else np.maximum(parts["start_k"], 0)
    found["layer_start"], found["layer_end"] = np.maximum(lowest // grid.h * grid.h - 1, 0), highest
    job.run.steps.extend(found)
