"""Phases 2 and 3 on the GPU: which strips the path crosses, and the path inside each."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda.events import EVENT
from antidiag.kernels.pairwise.model import LEFT, UP
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_job import LANES, Job, block
from antidiag.kernels.pairwise.strips.cuda_sources import BOUNDARY, IN_H, PATH, STATES, SUB_PATH, SUB_PATHS
from antidiag.kernels.pairwise.strips.cuda_sweep import Best, Kept


def link(job: Job, kept: Kept, best: Best) -> np.ndarray:
    """Phase 2: the sub-paths of strips or chunks, from the last to the first, as records of SUB_PATH."""
    kernel = job.kernel(STATES, "link_sub_paths", CHUNKS=kept.chunks, TILE=False)
    most = job.strips + (len(kept.chunk_states) if kept.chunks == 2 else 0) + 1
    # Their number is behind them: one copy brings both.
    paths = job.run.empty((most + 1, SUB_PATH.words), np.int32)
    strip, column = divmod(best.end[1] - 1, job.s)
    ends = strip, best.end[0], column + 1, IN_H, best.state
    numbers = kept.height, kept.width, job.encoded.rows.size, *ends, kept.true_values
    arguments = (kept.boundary_states, kept.chunk_states, *map(np.int32, numbers), paths, paths[most:])
    with job.run.phase("phase 2") as phase:
        kernel((1,), (1,), arguments)
        phase.launched()
    found = paths.get()
    return found[: found[most, 0]].copy().view(SUB_PATH.dtype)[:, 0]


def compute(job: Job, kept: Kept, paths: np.ndarray, rest: np.ndarray) -> tuple[tuple[int, int], np.ndarray]:
    """Phase 3: the cell where the whole path starts, and its operations from there.

    ``rest`` are the operations along the matrix border, before the first sub-path.
    """
    kernel = job.kernel(PATH, "striped_path")
    words = cuda_sizes.direction_words(paths["end_row"] - paths["start_row"] + 1, job.s)
    capacity = min(int(words.sum()), max(cuda_sizes.DIRECTION_BYTES // 4, int(words.max())))
    directions = job.run.empty(capacity, np.uint32)
    pieces: list[np.ndarray] = []
    for first, last in _groups(words, capacity):
        pieces.append(_sub_paths(job, kernel, kept, paths[first:last], words[first:last], directions))
        job.run.monitor.update(last, len(paths), "phase 3")
    operations = np.concatenate([*pieces, rest])
    end = int(paths[0]["end_row"]), int(paths[0]["strip"]) * job.s + int(paths[0]["end_column"])
    start = end[0] - int(np.count_nonzero(operations != LEFT)), end[1] - int(np.count_nonzero(operations != UP))
    return start, operations[::-1]


def _groups(words: np.ndarray, capacity: int) -> list[tuple[int, int]]:
    """Half-open ranges of sub-paths whose directions fit in the buffer together."""
    if words.sum() <= capacity:
        return [(0, len(words))]
    groups, first, used = [], 0, 0
    for index, needed in enumerate(words):
        if used and used + needed > capacity:
            groups.append((first, index))
            first, used = index, 0
        used += int(needed)
    return [*groups, (first, len(words))]


def _sub_paths(
    job: Job, kernel: Any, kept: Kept, paths: np.ndarray, words: np.ndarray, directions: cupy.ndarray
) -> np.ndarray:
    """Operations of some sub-paths, one after another, each backwards, computed in one launch."""
    lengths = paths["end_row"].astype(np.int64) - paths["start_row"] + job.s + 1
    operation_starts = np.cumsum(lengths) - lengths
    records = paths.view(np.int32).reshape(-1, SUB_PATH.words)
    on_device = job.run.upload(records, np.cumsum(words) - words, operation_starts)
    operations = job.run.empty(int(lengths.sum()), np.uint8)
    counts = job.run.empty(len(paths), np.int32)
    log = job.run.event_log(len(paths))
    block(kernel, LANES, job.profile_bytes())
    cells = BOUNDARY(cells=kept.boundary, capacity=kept.boundary.shape[1])
    given = SUB_PATHS(
        paths=on_device[0], count=len(paths), directions=directions, direction_starts=on_device[1],
        operations=operations, operation_starts=on_device[2], operation_counts=counts,
    )  # fmt: skip
    sizes = np.int32(kept.height), np.int32(kept.width)
    with job.run.phase("phase 3") as phase:
        arguments = *job.strip(), *cells, kept.chunk_values, *sizes, *given, log
        kernel((len(paths),), (LANES,), arguments, shared_mem=job.profile_bytes())
        phase.launched()
    with job.run.timed("transfer"):
        found, taken = operations.get(), counts.get()
    if job.run.steps.keeps:
        _log_sub_paths(job, log.get().view(EVENT.dtype)[:, 0], paths)
    whole, ends = memoryview(found), (operation_starts + taken).tolist()
    # Bytes are joined in a ninth of the time that indexing takes.
    joined = b"".join([whole[start:end] for start, end in zip(operation_starts.tolist(), ends, strict=True)])
    return np.frombuffer(joined, np.uint8)


def _log_sub_paths(job: Job, log: np.ndarray, paths: np.ndarray) -> None:
    """Step log of phase 3: an event for every strip or chunk on the path."""
    logged = job.run.logged(3, log, paths["strip"])
    logged["row_start"] = np.where(paths["first"] > 0, paths["first"] - 1, paths["start_row"])
    logged["row_end"] = paths["end_row"]
    logged["column_start"] = paths["strip"].astype(np.int64) * job.s
    logged["column_end"] = logged["column_start"] + paths["end_column"]
    job.run.steps.extend(logged)
