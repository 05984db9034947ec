"""CheckpointedAlignment on the GPU: a score sweep that keeps special rows and columns, then tiles along the path.

Tiles between special rows and columns are swept again with local start states, and the path is followed through them
(cuda_tiles.py). The result are the sub-paths of strips; phase 3 of the striped methods computes all of them in
parallel at the end.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.checkpointed import cuda_checkpoints, cuda_tiles
from antidiag.kernels.pairwise.checkpointed import cuda_sizes as sizes
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import CheckpointedParameters
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes
from antidiag.kernels.pairwise.pruning.bounds import PruningBounds
from antidiag.kernels.pairwise.pruning.cpu import find_bounds_on_cpu
from antidiag.kernels.pairwise.strips import cuda_job, cuda_path
from antidiag.kernels.pairwise.strips import cuda_sizes as strip_sizes
from antidiag.kernels.pairwise.strips.cuda_job import LANES, PairJob
from antidiag.kernels.pairwise.strips.cuda_sweep import SweepBuffers
from antidiag.kernels.steps import StepLog


def checkpointed_alignment(
    problem: PairProblem, parameters: CheckpointedParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the best alignment in linear memory, on the current device.

    Raises Cancelled, MemoryRefused, and DiskFull where checkpoints do not fit on the disk.
    """
    packed = strip_sizes.packs_two_cells(problem, parameters)
    job = cuda_job.begin_job(
        problem, monitor, steps, threads=parameters.threads, s=parameters.s, batch=parameters.T, packed=packed
    )
    bounds = find_bounds_on_cpu(job.run.host_part(), problem, parameters)
    try:
        outcome = _run_alignment(job, parameters, bounds)
        made = pruning_sizes.bound_bytes(problem) if parameters.is_pruned else 0
        return replace(outcome, host_bytes=outcome.host_bytes + made)
    finally:
        job.run.discard_pending()


def _run_alignment(job: PairJob, chosen: CheckpointedParameters, bounds: PruningBounds | None) -> Outcome:
    """Run the three phases."""
    size = job.encoded.rows.size, job.encoded.columns.size
    limit = chosen.checkpoint_bytes
    slack = strip_sizes.choose_slack(chosen)
    layout = sizes.plan_layout(
        *size, job.s, job.batch, chosen.rounded_tile, limit, job.row_spread, job.value_count, slack
    )
    if layout.on_disk and job.peers:
        raise MemoryRefused(
            "special rows and columns do not fit in checkpoint_memory on the first GPU, which several GPUs need; raise "
            "checkpoint_memory, or choose one GPU"
        )
    with cuda_checkpoints.open_checkpoints(job, layout) as checkpoints:
        best, skipped, work, notes = checkpoints.run_sweep(bounds)
        if 0 in best.cell:
            start, operations = job.encoded.border_path(best.cell)
        else:
            with job.run.time_phase("phase 2"):
                paths, rest = cuda_tiles.trace_tiles(job, checkpoints, best)
            narrow = replace(job, s=sizes.tile_strip_width(job.s), packed=False)
            with job.run.time_phase("phase 3"):
                start, operations = cuda_path.compute_paths(narrow, _make_empty_sweep(job), paths, rest)
    job.run.finish_pending()
    alignment = job.encoded.make_alignment(start, best.cell, operations)
    answer = job.encoded.make_answer(best.score, best.cell, alignment, skipped)
    host_bytes = job.host_bytes + checkpoints.host_bytes
    computed = size[0] * size[1] if work is None else work
    return Outcome(answer, job.run.times_ms, host_bytes, job.run.device_bytes, notes, computed)


def _make_empty_sweep(job: PairJob) -> SweepBuffers:
    """Return empty buffers: phase 3 from start states alone needs no values."""
    nothing = job.run.allocate_array((0, LANES, job.value_count), np.int32)
    return SweepBuffers(0, False, nothing, nothing, nothing, nothing, 1, 0)
