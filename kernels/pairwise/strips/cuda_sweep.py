"""Phase 1 on the GPU: the sweep of all strips, slice by slice, and the best cell that it finds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.pairwise.encoding import EncodedPair, EndCell, choose_end
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_bands import (
    StripBand,
    find_owners,
    open_bands,
    open_dealt_bands,
)
from antidiag.kernels.pairwise.strips.cuda_job import LANES, PairJob, copy_rows
from antidiag.kernels.pairwise.strips.cuda_pruning import UNUSED_STATE, DevicePruning
from antidiag.kernels.pairwise.strips.cuda_sources import (
    BUFFERS,
    CHECKPOINTS,
    H_STATE,
    KEY_SCALE,
    SCORE,
    STATES,
)
from antidiag.kernels.steps import STEP


@dataclass(frozen=True, slots=True)
class SweepBuffers:
    """Device arrays that phase 1 leaves for phases 2 and 3 (Buffers of striped_states.cu)."""

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

Launched = Callable[[cuda_sizes.SweepSlice, cupy.ndarray, list[StripBand]], None]
"""Called after a slice with the registers that lanes keep, and the bands of the GPUs."""
Swept = tuple[cupy.ndarray, list[cuda_sizes.SweepSlice]]


def sweep_scores(
    job: PairJob,
    checkpoint_arguments: tuple = NOWHERE,
    after_launch: Launched = lambda part, state, bands: None,
    pruning: DevicePruning | None = None,
) -> EndCell:
    """Run the sweep of StripedScore; it also keeps special rows and columns as ``checkpoint_arguments`` say.

    ``after_launch`` is called after every launch. With ``pruning`` as many GPUs work as it uses.
    """
    job = pruning.job if pruning else job
    keeps_checkpoints, pruned = checkpoint_arguments is not NOWHERE, {"PRUNED": 1} if pruning else {}
    compile_kernel = partial(
        job.compile_kernel, SCORE, "striped_score", KEYED=uses_keys(job), CHECKPOINTS=keeps_checkpoints, **pruned
    )
    registers = job.registers.choose_score(job.packed)
    state = job.run.allocate_array((job.strip_count, registers.count_registers(job.columns_per_lane), LANES), np.int32)
    extra = np.int32(KEY_SCALE), *checkpoint_arguments
    boundary = None if job.peers or pruning else allocate_boundaries(job, whole=False)
    crossing_bytes = (4 if job.packed else 8) * job.piece_count
    if pruning:
        state.data.memset_async(UNUSED_STATE, state.nbytes, cupy.cuda.get_current_stream())
    swept = run_sweep(
        job,
        compile_kernel,
        state,
        boundary,
        crossing_bytes,
        extra_arguments=extra,
        after_launch=after_launch,
        pruning=pruning,
    )
    log_strips(job, *swept, run_continues=keeps_checkpoints)
    return (
        find_best_cell(job, _read_lane_fields(job, state, 3), uses_keys(job))
        if job.lanes_keep_best
        else _read_corner(job, state)
    )


def uses_keys(job: PairJob) -> bool:
    """Return whether scores leave room for a column, so that one number holds both (striped_score.cu)."""
    rows = job.first_row + job.encoded.rows.size
    return job.encoded.is_local and not job.packed and rows * int(job.encoded.table.max(initial=0)) < 2**26


def sweep_states(job: PairJob, chunks: int, height: int | None, true_values: bool) -> tuple[SweepBuffers, EndCell]:
    """Run the sweep with local start states, in chunks of ``height`` rows where there are any."""
    kept, state = allocate_buffers(job, chunks, height, true_values)
    log_strips(job, *_run_state_sweep(job, "phase 1", kept, state))
    if job.lanes_keep_best:
        found = find_best_cell(job, _read_lane_fields(job, state, 4), states_kept=True)
    else:
        found = _read_corner(job, state, states_kept=True)
    return kept, choose_best_end(job.encoded, found)


def sweep_tiles(job: PairJob, buffers: SweepBuffers, registers: cupy.ndarray, tiles: cupy.ndarray) -> cupy.ndarray:
    """Run the sweep of tiles (TILE), which fills these buffers; return its log (see `read_tile_times`)."""
    log, _ = _run_state_sweep(job, "phase 2", buffers, registers, tiles)
    return log


def read_tile_times(job: PairJob, log: cupy.ndarray) -> np.ndarray:
    """Return the log of a sweep of tiles: EVENT, shape (launches or 1, tiles, strips)."""
    return job.run.download_array(log).view(EVENT.dtype).reshape(len(log), job.tiles, job.strip_count)


def allocate_buffers(
    job: PairJob, chunks: int = 0, height: int | None = None, true_values: bool = False
) -> tuple[SweepBuffers, cupy.ndarray]:
    """Allocate the buffers of a sweep with start states, and the registers at its end."""
    rows, strips = job.encoded.rows.size, job.tiles * job.strip_count
    registers, values = job.registers.states, job.value_count
    state = job.run.allocate_array((strips, registers.count_registers(job.columns_per_lane), LANES), np.int32)
    height, width = height or rows + 1, job.strip_count * job.s
    bottoms = (rows - 1) // height
    kept = SweepBuffers(
        chunks=chunks,
        true_values=true_values,
        boundary=allocate_boundaries(job, whole=true_values),
        boundary_states=job.run.allocate_array((strips, rows, values), np.int32),
        chunk_values=job.run.allocate_array((bottoms if chunks else 0, width, values), np.int32),
        chunk_states=job.run.allocate_array((bottoms if chunks == 2 else 0, width, values), np.int32),
        height=height,
        width=width,
    )
    return kept, state


def _run_state_sweep(
    job: PairJob, phase: str, kept: SweepBuffers, state: cupy.ndarray, tiles: cupy.ndarray | None = None
) -> Swept:
    compile_kernel = partial(job.compile_kernel, STATES, "striped_states", CHUNKS=kept.chunks, TILE=tiles is not None)
    buffers = BUFFERS(
        boundary_states=kept.boundary_states,
        values=kept.chunk_values,
        states=kept.chunk_states,
        height=kept.height,
        width=kept.width,
    )
    extra = *buffers, np.uint64(0) if tiles is None else tiles
    crossing_bytes = 16 * job.piece_count
    return run_sweep(job, compile_kernel, state, kept.boundary, crossing_bytes, extra_arguments=extra, phase=phase)


def allocate_boundaries(job: PairJob, whole: bool) -> cupy.ndarray:
    """Allocate the right boundaries of all strips: a ring that spans a slice, or all rows for phase 3."""
    columns = job.tiles * job.encoded.columns.size
    capacity = cuda_sizes.boundary_rows(job.encoded.rows.size, columns, job.s, job.batch, whole, job.row_spread)
    cells = capacity * job.piece_count
    return job.run.allocate_filled((job.tiles * job.strip_count, cells), np.uint64, byte=0xFF)


def run_sweep(
    job: PairJob,
    compile_kernel: Callable[[], Any],
    state: cupy.ndarray,
    boundary: cupy.ndarray | None,
    crossing_bytes: int,
    extra_arguments: tuple,
    phase: str = "phase 1",
    after_launch: Launched = lambda part, state, bands: None,
    pruning: DevicePruning | None = None,
) -> Swept:
    """Launch every slice of every strip, with progress between launches; return the log of events, and the slices.

    Without a ``boundary`` the GPUs of the job share the strips, and each has its own. The last launches of another
    phase than phase 1 are not waited for: more of that phase follows.
    """
    rows, columns, gpus = job.encoded.rows.size, job.encoded.columns.size, 1 if boundary is not None else job.band_count
    slices = (
        pruning.slices
        if pruning
        else cuda_sizes.make_slices(rows, columns, job.s, job.batch, job.tiles, job.row_spread, gpus)
    )
    shared = job.profile_bytes() + _shared_bytes(crossing_bytes, job.handover_cells, job.row_spread)
    strips = job.tiles * job.strip_count
    apart, merged = cuda_sizes.log_apart(len(slices), strips), phase != "phase 1"
    log = job.run.allocate_events(cuda_sizes.log_rows(len(slices), strips, merged), strips)
    done = job.strip_count * job.first_row
    total = done + sum(part.steps_done for part in slices)
    opened = (
        open_dealt_bands(job, compile_kernel, pruning, shared)
        if pruning
        else open_bands(job, compile_kernel, slices, shared, boundary)
    )
    with opened as bands, job.run.begin_phase(phase, job.quiet, waits=phase == "phase 1") as launches:

        def finish_slice(index: int) -> None:
            """Queue what follows a slice behind it on all GPUs."""
            for band in bands:
                bands[0].wait_for_slice(band, index)
            after_launch(slices[index], state, bands)

        for index, part in enumerate(slices):
            row = index // apart if apart == 1 or (index % apart == 0 and not merged) else -1
            for band in bands:
                band.launch(index, part, job.batch, (state, log[row]), extra_arguments)
            if index >= gpus - 1:  # what all GPUs have done
                finish_slice(index - gpus + 1)
            done += part.steps_done
            launches.note_launch(done, total)
        for index in range(max(len(slices) - gpus + 1, 0), len(slices)):
            finish_slice(index)
            launches.note_launch(total, total)
    return log, slices


def _shared_bytes(crossing_bytes: int, handed_over: int, spread: int) -> int:
    """Return the size of Shared in sweep.cuh."""
    letters = -(-(spread + LANES + 2) * 4 // crossing_bytes) * crossing_bytes
    return -(-(letters + (2 * handed_over + 1) * crossing_bytes) // 16) * 16


def find_best_cell(job: PairJob, fields: np.ndarray, in_keys: bool = False, states_kept: bool = False) -> EndCell:
    """Return the greatest score of all lanes at its first cell: by row, then by column.

    ``fields`` int32 (strips, 3 or more, lanes): score (or key), row and column of each lane, and its start state.
    """
    best, row, column = (fields[:, index, :].ravel() for index in range(3))
    if in_keys:
        best, column = best >> 5, 31 - (best & 31)
    score = int(best.max())
    lanes = np.flatnonzero(best == score)
    first = lanes[np.lexsort((lanes, row[lanes]))[0]]
    end = job.first_row + int(row[first]), int(first) * job.columns_per_lane + int(column[first]) + 1
    return EndCell(score, *end, int(fields[:, 3, :].ravel()[first]) if states_kept else 0)


def choose_best_end(encoded: EncodedPair, found: EndCell) -> EndCell:
    """Return the best end by the tie rule: the best cell of a sweep, or one on row 0 or column 0."""
    return choose_end([found, *encoded.border_ends, *([EndCell(0, 0, 0)] if encoded.is_local else [])])


def _read_lane_fields(job: PairJob, state: cupy.ndarray, count: int) -> np.ndarray:
    """Return the first ``count`` values that every lane left, int32 (strips, count, lanes)."""
    found = np.empty((len(state), count, LANES), np.int32)
    with job.run.time_phase("transfer"):
        copy_rows(found, state, found[0].nbytes, len(state))
        cupy.cuda.get_current_stream().synchronize()
    return found


def _read_corner(job: PairJob, state: cupy.ndarray, states_kept: bool = False) -> EndCell:
    """Return H of the last cell, and its start state, from the registers that the last strip left."""
    columns, per_lane = job.encoded.columns.size, job.columns_per_lane
    lane, column = divmod((columns - 1) % job.s, per_lane)
    fields = job.run.download_array(state[-1])[:, lane]
    end = job.first_row + job.encoded.rows.size, columns
    if job.packed:  # base, and H less base of a column of both parts in a word (Lane.visit in packed_lane.cuh)
        part, column = divmod(column, per_lane // 2)
        base, place = int(fields[3]), job.registers.packed.first_h + column
        return EndCell(base + int(fields[place : place + 1].view(np.int16)[part]), *end)
    first_h = (job.registers.states if states_kept else job.registers.score).first_h
    start_state = int(fields[first_h + per_lane + job.registers.others * column + H_STATE]) if states_kept else 0
    return EndCell(int(fields[first_h + column]), *end, start_state)


def log_strips(
    job: PairJob, log: cupy.ndarray, slices: list[cuda_sizes.SweepSlice], run_continues: bool = False
) -> None:
    """Log an event of phase 1 for every strip and logged slice that computed something.

    Where the ``run_continues``, the log is made while the device computes.
    """
    if not job.run.steps.keeps_events:
        return
    times, ended_ns = job.run.download_array(log).view(EVENT.dtype)[..., 0], time.perf_counter_ns()
    if run_continues:
        job.run.run_while_waiting(lambda: _log_times(job, times, slices, ended_ns))
    else:
        _log_times(job, times, slices, ended_ns)


def _log_times(job: PairJob, times: np.ndarray, slices: list[cuda_sizes.SweepSlice], ended_ns: int) -> None:
    rows, columns, launches = job.encoded.rows.size, job.encoded.columns.size, len(slices)
    slices = slices[:: cuda_sizes.log_apart(launches, job.tiles * job.strip_count)]
    times = times[: len(slices)]
    job.run.steps.share = min(job.run.steps.share, len(slices) / launches)
    part, strip = np.nonzero(times["end"])
    shift = slices[0].shift_of(strip)
    starts = np.array([slice_.start for slice_ in slices])[part] - shift
    ends = np.array([slice_.end for slice_ in slices])[part] - shift
    logged = _convert_times(job, times[part, strip], strip, slices[0].group, ended_ns)
    logged["row_start"] = job.first_row + np.clip(starts, 0, rows)
    logged["row_end"] = job.first_row + np.clip(ends, 0, rows)
    logged["column_start"], logged["column_end"] = strip * job.s, np.minimum((strip + 1) * job.s, columns)
    job.run.steps.add_array(logged)


def _convert_times(job: PairJob, times: np.ndarray, strip: np.ndarray, group: int, ended_ns: int) -> np.ndarray:
    """Return the steps of strips; multiprocessors of several GPUs, each with a clock of its own, are counted on."""
    if job.tiles > 1 or job.band_count == 1:
        return job.run.convert_events(1, times, strip, ended_ns)
    owners, logged, workers = find_owners(job, group)[strip], np.zeros(strip.size, STEP), 0
    for index in dict.fromkeys((cupy.cuda.Device().id, *job.peers)):
        own = owners == index
        logged[own] = job.run.convert_events(1, times[own], strip[own], ended_ns)
        logged["worker"][own] += workers
        workers += devices.find_device(index).multiprocessors
    return logged
