"""The striped methods with the published mapping on the GPU: a block computes a strip (published_sweep.cu)."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.pairwise.encoding import EndCell
from antidiag.kernels.pairwise.strips import cuda_path, cuda_sizes, cuda_sweep, published_sizes
from antidiag.kernels.pairwise.strips.cuda_job import PairJob
from antidiag.kernels.pairwise.strips.cuda_path import LaunchPaths, PathKernel
from antidiag.kernels.pairwise.strips.cuda_sources import (
    BUFFERS,
    PUBLISHED,
    PUBLISHED_PATH,
    PUBLISHED_SCORE,
    PUBLISHED_STATES,
    SLICE,
)
from antidiag.kernels.pairwise.strips.cuda_sweep import SweepBuffers


def sweep_scores(job: PairJob) -> EndCell:
    """Run StripedScore."""
    constants = {**job.mode_constants, "STATES": False, "CHUNKS": 0}
    kernel = job.compile_plain_kernel(PUBLISHED_SCORE, "published_sweep", **constants)
    return _sweep(job, kernel, _allocate_boundary(job), states=False)


def sweep_states(job: PairJob, chunks: int, height: int | None, true_values: bool) -> tuple[SweepBuffers, EndCell]:
    """Run phase 1 with local start states, in chunks of ``height`` rows where there are any.

    ``true_values`` says from what phase 3 computes, as in striped_path.cu.
    """
    rows, strips = job.encoded.rows.size, job.strip_count
    height, width = height or rows + 1, strips * job.s
    bottoms = (rows - 1) // height
    kept = SweepBuffers(
        chunks=chunks,
        true_values=true_values,
        boundary=_allocate_boundary(job),
        boundary_states=job.run.allocate_array((strips, rows, job.value_count), np.int32),
        chunk_values=job.run.allocate_array((bottoms if chunks else 0, width, job.value_count), np.int32),
        chunk_states=job.run.allocate_array((bottoms if chunks == 2 else 0, width, job.value_count), np.int32),
        height=height,
        width=width,
    )
    buffers = BUFFERS(
        boundary_states=kept.boundary_states,
        values=kept.chunk_values,
        states=kept.chunk_states,
        height=height,
        width=width,
    )
    constants = {**job.mode_constants, "STATES": True, "CHUNKS": chunks}
    kernel = job.compile_plain_kernel(PUBLISHED_STATES, "published_sweep", **constants)
    return kept, _sweep(job, kernel, kept.boundary, states=True, more=buffers)


def link_sub_paths(job: PairJob, buffers: SweepBuffers, best: EndCell) -> np.ndarray:
    """Run phase 2; return the sub-paths of strips or chunks from the last to the first, as records of SUB_PATH."""
    kernel = _compile_path(job, "link_published", buffers.chunks)
    return cuda_path.launch_linking(job, buffers, best, kernel, np.int32(job.s))


def _prepare_path(job: PairJob, buffers: SweepBuffers) -> LaunchPaths:
    """Compile the kernel of phase 3."""
    kernel = _compile_path(job, "published_path", buffers.chunks)
    shared = published_sizes.path_shared_bytes(job.s, job.encoded.letter_count, job.piece_count)
    _allow_shared(kernel, shared)
    threads = published_sizes.count_threads(min(job.s, job.encoded.columns.size))
    sizes = map(np.int32, (buffers.height, buffers.width, job.s))
    fixed = *job.strip_arguments(), buffers.boundary, buffers.chunk_values, *sizes

    def launch(given: tuple[Any, ...], count: int) -> None:
        kernel((count,), (threads,), (*fixed, *given), shared_mem=shared)

    return launch


LESS_THAN_ANY = 0x80
"""A byte; four of them are a number below every score."""

PATH = PathKernel(published_sizes.direction_words, _prepare_path)


def _compile_path(job: PairJob, name: str, chunks: int) -> Any:
    return job.compile_plain_kernel(PUBLISHED_PATH, name, **job.mode_constants, STATES=False, CHUNKS=chunks)


def _allocate_boundary(job: PairJob) -> cupy.ndarray:
    """Allocate the right boundaries of all strips: H and K of every row."""
    return job.run.allocate_array((job.strip_count, job.encoded.rows.size * job.piece_count), np.uint64)


def _allow_shared(kernel: Any, shared: int) -> None:
    """Allow a kernel its shared memory; MemoryRefused where this GPU has less."""
    limit = block_limits.max_shared_bytes()
    if shared + published_sizes.STATIC_SHARED > limit:
        raise MemoryRefused(
            f"a strip needs {shared:,} bytes of shared memory and this GPU has {limit:,}; choose a smaller s or T"
        )
    allow_shared_bytes(kernel, shared)


def _sweep(job: PairJob, kernel: Any, boundary: cupy.ndarray, states: bool, more: tuple[Any, ...] = ()) -> EndCell:
    """Launch every slice of every strip, with progress between launches; return the best cell."""
    run, strips, (rows, columns) = job.run, job.strip_count, (job.encoded.rows.size, job.encoded.columns.size)
    shared = published_sizes.shared_bytes(job.s, job.batch, job.encoded.letter_count, states, job.piece_count)
    _allow_shared(kernel, shared)
    threads = published_sizes.count_threads(min(job.s, columns))
    most = min(block_limits.multiprocessor_count(), block_limits.resident_blocks(kernel, threads, shared))
    slices = published_sizes.make_slices(rows, columns, job.s, job.batch)
    numbers = published_sizes.kept_numbers(columns, job.s, len(slices), states, job.piece_count)
    kept = run.allocate_array(numbers, np.int32)
    best, progress = run.allocate_filled((strips, 4), np.int32, LESS_THAN_ANY), run.allocate_filled(strips, np.uint64)
    apart = cuda_sizes.log_apart(len(slices), strips)
    log = run.allocate_events(cuda_sizes.log_rows(len(slices), strips), strips)
    tickets = run.allocate_filled(len(slices), np.uint32)
    problem = (
        *job.strip_arguments(),
        *PUBLISHED(s=job.s, batch=job.batch, boundary=boundary, progress=progress, kept=kept, best=best),
    )
    done, total = 0, sum(part.steps_done for part in slices)
    with run.begin_phase("phase 1") as launches:
        for index, part in enumerate(slices):
            slice_ = SLICE(
                first_strip=part.first_strip,
                end_strip=part.end_strip,
                steps=part.steps,
                skew=part.skew,
                batch=job.batch,
                start=part.start,
                end=part.end,
            )
            row = index // apart if index % apart == 0 else -1
            arguments = *problem, log[row], tickets[index:], *slice_, *more
            blocks = min(part.end_strip - part.first_strip, most)
            kernel((blocks,), (threads,), arguments, shared_mem=shared)
            done += part.steps_done
            launches.note_launch(done, total)
    cuda_sweep.log_strips(job, log, slices)
    return _find_best_cell(job, run.download_array(best))


def _find_best_cell(job: PairJob, best: np.ndarray) -> EndCell:
    """Return the best end by the tie rule: of those of the strips, and on the upper borders."""
    score, row, column, state = best.T.astype(np.int64)
    column += np.arange(len(best)) * job.s + 1
    first = np.lexsort((column, row, -score))[0]
    found = EndCell(int(score[first]), int(row[first]), int(column[first]), int(state[first]))
    return cuda_sweep.choose_best_end(job.encoded, found)
