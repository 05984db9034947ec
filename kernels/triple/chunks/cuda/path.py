"""Phases 2 and 3 on the GPU: which boxes the path goes through, and the path inside each."""

from __future__ import annotations

import cupy
import numpy as np

from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.triple.chunks.cuda import kernel_sizes
from antidiag.kernels.triple.chunks.cuda.job import TripleJob
from antidiag.kernels.triple.chunks.cuda.sources import PART, PARTS, STOP_BOX, STOP_CHUNK, STOP_START

CELLS_A_LAUNCH = 4_000_000
"""Cells that a block computes again in a launch: some 20 ms on an H200."""


def link_parts(job: TripleJob, last: cupy.ndarray) -> np.ndarray:
    """Run phase 2: find the parts of the path, from its end, as records of PART."""
    most = kernel_sizes.bound_part_count(job.grid, job.kind)
    parts, count = job.run.allocate_filled(most * PART.word_count, np.int32), job.run.allocate_filled(1, np.int32)
    kernel = job.compile_kernel("path", "link_parts", moves=True)
    with job.run.begin_phase("phase 2") as phase:
        kernel((1,), (1,), (*job.kernel_arguments(), last, parts, count, np.int32(most)))
        phase.note_launch()
    return job.run.download_array(parts).view(PART.dtype)[: int(job.run.download_array(count)[0])]


def make_whole_part(job: TripleJob) -> np.ndarray:
    """Return one part, the whole path, for methods without local starts."""
    part = np.zeros(1, PART.dtype)
    part["i"], part["j"], part["k"] = job.encoded.end_cell
    part["after"] = 7
    part["start_i"] = part["start_j"] = part["start_k"] = -1
    return part


def compute_moves(job: TripleJob, parts: np.ndarray) -> np.ndarray:
    """Run phase 3: compute the moves of all parts; they are returned from the start of the path."""
    lengths = sum((parts[name] - parts[f"start_{name}"]).astype(np.int64) for name in "ijk")
    places = np.cumsum(lengths) - lengths
    kernel, shared = job.compile_kernel("path", "compute_parts", moves=True), job.shared_bytes(True)
    blocks = min(len(parts), kernel_sizes.MOST_BLOCKS)
    box = kernel_sizes.box_move_bytes(job.grid, job.encoded.has_affine_gaps)
    moves, found = job.run.allocate_array(blocks * box, np.uint8), job.run.allocate_array(int(lengths.sum()), np.uint8)
    on_device, places_on_device = job.run.upload_together(parts.view(np.int32), places)
    log = job.run.allocate_events(len(parts))
    stop = STOP_BOX if job.kind.starts_per_subchunk else STOP_CHUNK if job.kind.has_local_starts else STOP_START
    box_cells = job.grid.s**2 * job.grid.h
    remaining = True
    with job.run.begin_phase("phase 3") as phase:
        while remaining:
            arguments = PARTS(
                parts=on_device,
                count=len(parts),
                ticket=job.run.allocate_filled(1, np.uint32),
                moves=moves,
                box_cells=box_cells,
                found=found,
                places=places_on_device,
                stop=stop,
                most=max(1, CELLS_A_LAUNCH // box_cells),
            )
            kernel((blocks,), (job.shape.threads,), (*job.kernel_arguments(), *arguments, log), shared_mem=shared)
            # Parts are read inside the phase, whose time this is: they decide whether another launch follows.
            after = on_device.get().view(PART.dtype)
            remaining, most = not after["done"].all(), sum(job.encoded.cells)
            phase.note_launch(int(after["count"].sum()) if remaining else most, most)
    backwards = job.run.download_array(found)
    if job.run.steps.keeps_events:
        _log_parts(job, job.run.download_array(log).view(EVENT.dtype)[:, 0], parts)
    pieces = [backwards[at : at + count] for at, count in zip(places, after["count"], strict=True)]
    # The move into the first cell is none of the path's columns.
    return np.concatenate(pieces)[-2::-1].copy()


def _log_parts(job: TripleJob, times: np.ndarray, parts: np.ndarray) -> None:
    """Add phase 3 to the step log: an event for every part of the path, over the cells that were computed again."""
    found, grid = job.run.convert_events(3, times), job.grid
    chunk = (
        np.stack([parts["row"], parts["column"]]) if job.kind.has_local_starts else np.zeros((2, len(parts)), np.int32)
    )
    size = np.full((2, 1), grid.s) if job.kind.has_local_starts else np.array(grid.cells[:2])[:, None]
    found["strip"] = grid.chunk_numbers()[tuple(chunk)]
    first = chunk.astype(np.int64) * grid.s
    last = np.minimum(first + size, np.array(grid.cells[:2])[:, None]) - 1
    for side, name in enumerate(("row", "column")):
        found[f"{name}_start"], found[f"{name}_end"] = np.maximum(first[side] - 1, 0), last[side]
    highest = parts["k"].astype(np.int64)
    lowest = highest if job.kind.starts_per_subchunk else np.maximum(parts["start_k"], 0)
    found["layer_start"], found["layer_end"] = np.maximum(lowest // grid.h * grid.h - 1, 0), highest
    job.run.steps.add_array(found)
