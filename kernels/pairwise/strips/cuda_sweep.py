"""Phase 1 on the GPU: the sweep of all strips, slice by slice, and the best cell that it finds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda.events import EVENT
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_job import LANES, Job, block, copy_rows
from antidiag.kernels.pairwise.strips.cuda_sources import (
    BOUNDARY,
    BUFFERS,
    CHECKPOINTS,
    H_STATE,
    KEY_SCALE,
    OTHERS,
    PACKED_REGISTERS,
    SCORE,
    SCORE_REGISTERS,
    SLICE,
    STATES,
    STATES_REGISTERS,
)


@dataclass(frozen=True, slots=True)
class Best:
    """The cell where the best alignment ends, oriented, and the local start state of its H."""

    score: int
    end: tuple[int, int]
    state: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """What phase 1 leaves on the device for phases 2 and 3 (Buffers of striped_states.cu)."""

    chunks: int
    true_values: bool
    boundary: cupy.ndarray
    boundary_states: cupy.ndarray
    chunk_values: cupy.ndarray
    chunk_states: cupy.ndarray
    height: int
    width: int


NOWHERE = CHECKPOINTS(rows=None, columns=None, tile=1, width=0, slots=1, height=1)
"""No special rows and columns are kept."""

Launched = Callable[[cuda_sizes.Slice, cupy.ndarray], None]
Swept = tuple[cupy.ndarray, list[cuda_sizes.Slice]]


def score(job: Job, kept: tuple = NOWHERE, launched: Launched = lambda part, state: None) -> Best:
    """The sweep of StripedScore, which also leaves special rows and columns at the places of ``kept`` (CHECKPOINTS).

    ``launched(slice, registers)`` is called after every launch.
    """
    kernel = job.kernel(SCORE, "striped_score", KEYED=keyed(job), CHECKPOINTS=kept is not NOWHERE)
    registers = PACKED_REGISTERS if job.packed else SCORE_REGISTERS
    state = job.run.empty((job.strips, registers.count(job.columns_per_lane), LANES), np.int32)
    extra = np.int32(KEY_SCALE), *kept
    boundary = boundary_ring(job, whole=False)
    crossing_bytes = 4 if job.packed else 8
    swept = sweep(job, kernel, state, boundary, crossing_bytes, extra=extra, launched=launched)
    _log_strips(job, *swept, goes_on=kept is not NOWHERE)
    return best_of(job, _fields(state, 3), keyed(job)) if job.encoded.local else _corner(job, state)


def keyed(job: Job) -> bool:
    """Whether scores leave room for a column, so that one number holds both (striped_score.cu)."""
    rows = job.first_row + job.encoded.rows.size
    return job.encoded.local and not job.packed and rows * int(job.encoded.table.max(initial=0)) < 2**26


def states(job: Job, chunks: int, height: int | None, true_values: bool) -> tuple[Kept, Best]:
    """The sweep with local start states; chunks of ``height`` rows where there are any."""
    kept, state = room(job, chunks, height, true_values)
    _log_strips(job, *_states(job, "phase 1", kept, state))
    if job.encoded.local:
        return kept, best_of(job, _fields(state, 4), states_kept=True)
    return kept, _corner(job, state, states_kept=True)


def tile_states(job: Job, kept: Kept, registers: cupy.ndarray, tiles: cupy.ndarray) -> cupy.ndarray:
    """The sweep of tiles (TILE), which fills this `room`; the log (see `tile_times`)."""
    log, _ = _states(job, "phase 2", kept, registers, tiles)
    return log


def tile_times(job: Job, log: cupy.ndarray) -> np.ndarray:
    """The log of a sweep of tiles: EVENT, shape (launches or 1, tiles, strips)."""
    return log.get().view(EVENT.dtype).reshape(len(log), job.tiles, job.strips)


def room(job: Job, chunks: int = 0, height: int | None = None, true_values: bool = False) -> tuple[Kept, cupy.ndarray]:
    """Room for what a sweep with start states leaves, and for the registers at its end."""
    rows, strips = job.encoded.rows.size, job.tiles * job.strips
    state = job.run.empty((strips, STATES_REGISTERS.count(job.columns_per_lane), LANES), np.int32)
    height, width = height or rows + 1, job.strips * job.s
    bottoms = (rows - 1) // height
    kept = Kept(
        chunks=chunks,
        true_values=true_values,
        boundary=boundary_ring(job, whole=true_values),
        boundary_states=job.run.empty((strips, rows, 2), np.int32),
        chunk_values=job.run.empty((bottoms if chunks else 0, width, 2), np.int32),
        chunk_states=job.run.empty((bottoms if chunks == 2 else 0, width, 2), np.int32),
        height=height,
        width=width,
    )
    return kept, state


def _states(job: Job, phase: str, kept: Kept, state: cupy.ndarray, tiles: cupy.ndarray | None = None) -> Swept:
    kernel = job.kernel(STATES, "striped_states", CHUNKS=kept.chunks, TILE=tiles is not None)
    buffers = BUFFERS(
        boundary_states=kept.boundary_states, values=kept.chunk_values, states=kept.chunk_states,
        height=kept.height, width=kept.width,
    )  # fmt: skip
    extra = *buffers, np.uint64(0) if tiles is None else tiles, np.int32(job.encoded.rows.size)
    return sweep(job, kernel, state, kept.boundary, crossing_bytes=16, extra=extra, phase=phase)


def boundary_ring(job: Job, whole: bool) -> cupy.ndarray:
    """Right boundaries of all strips: a ring that spans a slice, or all rows where phase 3 wants them."""
    columns = job.tiles * job.encoded.columns.size
    capacity = cuda_sizes.boundary_rows(job.encoded.rows.size, columns, job.s, job.batch, whole, job.spread)
    return job.run.filled((job.tiles * job.strips, capacity), np.uint64, byte=0xFF)


def sweep(
    job: Job,
    kernel: Any,
    state: cupy.ndarray,
    boundary: cupy.ndarray,
    crossing_bytes: int,
    extra: tuple,
    phase: str = "phase 1",
    launched: Launched = lambda part, state: None,
) -> Swept:
    """Phase 1: every slice of every strip, with progress between launches; the log of its events, and the slices.

    Of another phase the last launches are not waited for: there is more of it to come.
    """
    rows, columns = job.encoded.rows.size, job.encoded.columns.size
    slices = cuda_sizes.slices(rows, columns, job.s, job.batch, job.tiles, job.spread)
    shared = job.profile_bytes() + _shared_bytes(crossing_bytes, job.handed_over, job.spread)
    warps, most = block(kernel, job.threads, shared)
    strips = job.tiles * job.strips
    apart, merged = cuda_sizes.log_apart(len(slices), strips), phase != "phase 1"
    log = job.run.event_log(cuda_sizes.log_rows(len(slices), strips, merged), strips)
    tickets = job.run.filled((len(slices), job.tiles), np.uint32)
    done = job.strips * job.first_row
    total = done + sum(part.steps_done for part in slices)
    strip, cells = job.strip(), BOUNDARY(cells=boundary, capacity=boundary.shape[1])
    with job.run.phase(phase, job.quiet, waits=phase == "phase 1") as launches:
        for index, part in enumerate(slices):
            blocks = min(-(-(part.end_strip - part.first_strip) // warps), most)
            slice_ = SLICE(
                first_strip=part.first_strip, end_strip=part.end_strip, steps=part.steps, skew=part.skew,
                batch=job.batch, start=part.start, end=part.end,
            )  # fmt: skip
            row = index // apart if apart == 1 or (index % apart == 0 and not merged) else -1
            arguments = *strip, *cells, state, log[row], tickets[index:], *slice_, *extra
            kernel((blocks, job.tiles), (warps * LANES,), arguments, shared_mem=warps * shared)
            launched(part, state)
            done += part.steps_done
            launches.launched(done, total)
    return log, slices


def _shared_bytes(crossing_bytes: int, handed_over: int, spread: int) -> int:
    """Size of Shared in sweep.cuh."""
    letters = -(-(spread + LANES + 2) * 4 // crossing_bytes) * crossing_bytes
    return -(-(letters + (2 * handed_over + 1) * crossing_bytes) // 16) * 16


def best_of(job: Job, fields: np.ndarray, in_keys: bool = False, states_kept: bool = False) -> Best:
    """The greatest score of all lanes at its first cell: by row, then by column.

    ``fields`` int32 (strips, 3 or more, lanes): score (or key), row and column of each lane, and its start state.
    """
    best, row, column = (fields[:, index, :].ravel() for index in range(3))
    if in_keys:
        best, column = best >> 5, 31 - (best & 31)
    score = int(best.max())
    if score <= 0:
        return Best(0, (0, 0))
    lanes = np.flatnonzero(best == score)
    first = lanes[np.lexsort((lanes, row[lanes]))[0]]
    end = job.first_row + int(row[first]), int(first) * job.columns_per_lane + int(column[first]) + 1
    return Best(score, end, int(fields[:, 3, :].ravel()[first]) if states_kept else 0)


def _fields(state: cupy.ndarray, count: int) -> np.ndarray:
    """The first values that every lane left, int32 (strips, count, lanes)."""
    found = np.empty((len(state), count, LANES), np.int32)
    copy_rows(found, state, found[0].nbytes, len(state))
    cupy.cuda.get_current_stream().synchronize()
    return found


def _corner(job: Job, state: cupy.ndarray, states_kept: bool = False) -> Best:
    """H of the last cell, read from the registers that the last strip left; the state of its G where ``gap``."""
    columns, per_lane = job.encoded.columns.size, job.columns_per_lane
    lane, column = divmod((columns - 1) % job.s, per_lane)
    fields = state[-1].get()[:, lane]
    end = job.first_row + job.encoded.rows.size, columns
    if job.packed:  # base, and H less base of a column of both parts in a word (Lane.visit in packed_lane.cuh)
        part, column = divmod(column, per_lane // 2)
        base, place = int(fields[3]), PACKED_REGISTERS.first_h + column
        return Best(base + int(fields[place : place + 1].view(np.int16)[part]), end)
    first_h = (STATES_REGISTERS if states_kept else SCORE_REGISTERS).first_h
    start_state = int(fields[first_h + per_lane + OTHERS * column + H_STATE]) if states_kept else 0
    return Best(int(fields[first_h + column]), end, start_state)


def _log_strips(job: Job, log: cupy.ndarray, slices: list[cuda_sizes.Slice], goes_on: bool = False) -> None:
    """Step log of phase 1: an event for every strip and slice that computed something, and is in the log.

    Where the run ``goes_on`` it is made while the device does.
    """
    if not job.run.steps.keeps:
        return
    times, ended_ns = log.get().view(EVENT.dtype)[..., 0], time.perf_counter_ns()
    if goes_on:
        job.run.meanwhile(lambda: _log_times(job, times, slices, ended_ns))
    else:
        _log_times(job, times, slices, ended_ns)


def _log_times(job: Job, times: np.ndarray, slices: list[cuda_sizes.Slice], ended_ns: int) -> None:
    rows, columns, launches = job.encoded.rows.size, job.encoded.columns.size, len(slices)
    slices = slices[:: cuda_sizes.log_apart(launches, job.tiles * job.strips)]
    times = times[: len(slices)]
    job.run.steps.share = min(job.run.steps.share, len(slices) / launches)
    part, strip = np.nonzero(times["end"])
    shift = strip * slices[0].skew
    starts = np.array([slice_.start for slice_ in slices])[part] - shift
    ends = np.array([slice_.end for slice_ in slices])[part] - shift
    logged = job.run.logged(1, times[part, strip], strip, ended_ns)
    logged["row_start"] = job.first_row + np.clip(starts, 0, rows)
    logged["row_end"] = job.first_row + np.clip(ends, 0, rows)
    logged["column_start"], logged["column_end"] = strip * job.s, np.minimum((strip + 1) * job.s, columns)
    job.run.steps.extend(logged)
