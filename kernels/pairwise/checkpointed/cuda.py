"""CheckpointedAlignment on the GPU: a score sweep that keeps special rows and columns, then tiles along the path.

Tiles between special rows and columns are swept again with local start states, and the path is followed through them
(cuda_tiles.py). What is found are the sub-paths of strips; phase 3 of the striped methods computes all of them in
parallel at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.checkpointed import cuda_checkpoints, cuda_tiles
from antidiag.kernels.pairwise.checkpointed import cuda_sizes as sizes
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import CheckpointedParameters
from antidiag.kernels.pairwise.strips import cuda_job, cuda_path
from antidiag.kernels.pairwise.strips.cuda_job import LANES, Job
from antidiag.kernels.pairwise.strips.cuda_sweep import Kept
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps


def checkpointed_alignment(
    problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """CheckpointedAlignment on the current device; DiskFull where the disk cannot take what has to go there."""
    job = cuda_job.begin(problem, parameters, monitor, steps)
    try:
        return _aligned(job, parameters)
    finally:
        job.run.forget()


def _aligned(job: Job, parameters: Mapping[str, Any]) -> Outcome:
    size, chosen = (job.encoded.rows.size, job.encoded.columns.size), typed(CheckpointedParameters, parameters)
    layout = sizes.layout(*size, job.s, job.batch, chosen.whole_tile, chosen.checkpoint_bytes, job.spread)
    start, operations = (0, 0), np.empty(0, np.uint8)
    with cuda_checkpoints.checkpoints(job, layout) as checkpoints:
        best = checkpoints.sweep()
        if best.end != (0, 0):
            with job.run.timed("phase 2"):
                paths, rest = cuda_tiles.follow(job, checkpoints, best)
            narrow = replace(job, s=sizes.tile_strip_width(job.s), packed=False)
            with job.run.timed("phase 3"):
                start, operations = cuda_path.compute(narrow, _nothing_kept(), paths, rest)
    job.run.settle()
    alignment = job.encoded.alignment(start, best.end, operations)
    answer = job.encoded.answer(best.score, best.end, alignment)
    return Outcome(answer, job.run.times_ms, job.host_bytes + checkpoints.host_bytes, job.run.device_bytes)


def _nothing_kept() -> Kept:
    """Phase 3 from start states alone needs no values."""
    nothing = cupy.empty((0, LANES, 2), np.int32)
    return Kept(0, False, nothing, nothing, nothing, nothing, 1, 0)
