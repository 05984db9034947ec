"""Phases 2 and 3 on the GPU: which strips the path crosses, and the path inside each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.pairwise.encoding import EndCell
from antidiag.kernels.pairwise.model import LEFT, UP
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_job import LANES, PairJob, block_warps
from antidiag.kernels.pairwise.strips.cuda_sources import BOUNDARY, IN_H, PATH, STATES, SUB_PATH, SUB_PATHS
from antidiag.kernels.pairwise.strips.cuda_sweep import SweepBuffers

LaunchPaths = Callable[[tuple[Any, ...], int], None]
"""Launches phase 3 with the arguments that all kernels share, SUB_PATHS and the log, for so many sub-paths."""


@dataclass(frozen=True, slots=True)
class PathKernel:
    """A kernel of phase 3.

    ``count_words(rows, s, pieces)`` are the 32-bit words of the directions of sub-paths that span these numbers of
    rows; ``prepare(job, buffers)`` compiles the kernel and returns the function that launches it.
    """

    count_words: Callable[[np.ndarray, int, int], np.ndarray]
    prepare: Callable[[PairJob, SweepBuffers], LaunchPaths]


def link_sub_paths(job: PairJob, buffers: SweepBuffers, best: EndCell) -> np.ndarray:
    """Run phase 2; return the sub-paths of strips or chunks from the last to the first, as records of SUB_PATH."""
    kernel = job.compile_kernel(STATES, "link_sub_paths", CHUNKS=buffers.chunks, TILE=False)
    return launch_linking(job, buffers, best, kernel)


def launch_linking(job: PairJob, buffers: SweepBuffers, best: EndCell, kernel: Any, *more: np.generic) -> np.ndarray:
    """Run phase 2 by a kernel, which takes ``more`` arguments; return what `link_sub_paths` returns."""
    most = job.strip_count + (len(buffers.chunk_states) if buffers.chunks == 2 else 0) + 1
    # The number of sub-paths is stored behind them, so that one copy transfers both.
    paths = job.run.allocate_array((most + 1, SUB_PATH.word_count), np.int32)
    strip, column = divmod(best.column - 1, job.s)
    ends = strip, best.row, column + 1, IN_H, best.state
    numbers = buffers.height, buffers.width, job.encoded.rows.size, *ends, buffers.true_values
    arguments = (buffers.boundary_states, buffers.chunk_states, *map(np.int32, numbers), paths, paths[most:], *more)
    with job.run.begin_phase("phase 2") as phase:
        kernel((1,), (1,), arguments)
        phase.note_launch()
    found = job.run.download_array(paths)
    return found[: found[most, 0]].copy().view(SUB_PATH.dtype)[:, 0]


def compute_paths(
    job: PairJob,
    buffers: SweepBuffers,
    paths: np.ndarray,
    border_operations: np.ndarray,
    kernel: PathKernel | None = None,
) -> tuple[tuple[int, int], np.ndarray]:
    """Run phase 3; return the cell where the whole path starts, and its operations from there.

    ``border_operations`` are those along the matrix border, before the first sub-path. The default kernel computes a
    strip by a warp.
    """
    kernel = kernel or STRIPED_PATH
    launch = kernel.prepare(job, buffers)
    words = kernel.count_words(paths["end_row"] - paths["start_row"] + 1, job.s, job.piece_count)
    capacity = min(int(words.sum()), max(cuda_sizes.DIRECTION_BYTES // 4, int(words.max())))
    directions = job.run.allocate_array(capacity, np.uint32)
    pieces: list[np.ndarray] = []
    for first, last in _group_sub_paths(words, capacity):
        pieces.append(_compute_sub_paths(job, launch, paths[first:last], words[first:last], directions))
        job.run.monitor.update(last, len(paths), "phase 3")
    operations = np.concatenate([*pieces, border_operations])
    end = int(paths[0]["end_row"]), int(paths[0]["strip"]) * job.s + int(paths[0]["end_column"])
    start = end[0] - int(np.count_nonzero(operations != LEFT)), end[1] - int(np.count_nonzero(operations != UP))
    return start, operations[::-1]


def _prepare_striped_path(job: PairJob, buffers: SweepBuffers) -> LaunchPaths:
    """Compile the kernel that computes a strip by a warp."""
    kernel, shared = job.compile_kernel(PATH, "striped_path"), job.profile_bytes()
    block_warps(kernel, LANES, shared)
    cells = BOUNDARY(cells=buffers.boundary, capacity=buffers.boundary.shape[1] // job.piece_count)
    sizes = np.int32(buffers.height), np.int32(buffers.width)

    def launch(given: tuple[Any, ...], count: int) -> None:
        arguments = *job.strip_arguments(), *cells, buffers.chunk_values, *sizes, *given
        kernel((count,), (LANES,), arguments, shared_mem=shared)

    return launch


STRIPED_PATH = PathKernel(cuda_sizes.direction_words, _prepare_striped_path)


def _group_sub_paths(words: np.ndarray, capacity: int) -> list[tuple[int, int]]:
    """Return half-open ranges of sub-paths whose directions fit in the buffer together."""
    if words.sum() <= capacity:
        return [(0, len(words))]
    groups, first, used = [], 0, 0
    for index, needed in enumerate(words):
        if used and used + needed > capacity:
            groups.append((first, index))
            first, used = index, 0
        used += int(needed)
    return [*groups, (first, len(words))]


def _compute_sub_paths(
    job: PairJob, launch: LaunchPaths, paths: np.ndarray, words: np.ndarray, directions: cupy.ndarray
) -> np.ndarray:
    """Compute some sub-paths in one launch; return their operations, one after another, each backwards."""
    lengths = paths["end_row"].astype(np.int64) - paths["start_row"] + job.s + 1
    operation_starts = np.cumsum(lengths) - lengths
    records = paths.view(np.int32).reshape(-1, SUB_PATH.word_count)
    on_device = job.run.upload_together(records, np.cumsum(words) - words, operation_starts)
    operations = job.run.allocate_array(int(lengths.sum()), np.uint8)
    counts = job.run.allocate_array(len(paths), np.int32)
    log = job.run.allocate_events(len(paths))
    given = SUB_PATHS(
        paths=on_device[0],
        count=len(paths),
        directions=directions,
        direction_starts=on_device[1],
        operations=operations,
        operation_starts=on_device[2],
        operation_counts=counts,
    )
    with job.run.begin_phase("phase 3") as phase:
        launch((*given, log), len(paths))
        phase.note_launch()
    found, taken = job.run.download_array(operations), job.run.download_array(counts)
    if job.run.steps.keeps_events:
        _log_sub_paths(job, job.run.download_array(log).view(EVENT.dtype)[:, 0], paths)
    whole, ends = found.data, (operation_starts + taken).tolist()
    # Joining bytes takes a ninth of the time of indexing.
    joined = b"".join([whole[start:end] for start, end in zip(operation_starts.tolist(), ends, strict=True)])
    return np.frombuffer(joined, np.uint8)


def _log_sub_paths(job: PairJob, log: np.ndarray, paths: np.ndarray) -> None:
    """Log an event of phase 3 for every strip or chunk on the path."""
    logged = job.run.convert_events(3, log, paths["strip"])
    logged["row_start"] = np.where(paths["first"] > 0, paths["first"] - 1, paths["start_row"])
    logged["row_end"] = paths["end_row"]
    logged["column_start"] = paths["strip"].astype(np.int64) * job.s
    logged["column_end"] = logged["column_start"] + paths["end_column"]
    job.run.steps.add_array(logged)
