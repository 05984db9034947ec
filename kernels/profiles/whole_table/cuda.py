"""The methods of Hanif (2014, section 4.2) on the GPU with own kernels.

The GPU computes what depends on no other cell, and one host thread the recurrence, as in the thesis; SMwavefront
computes all cells on the GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.parameters import ProfileBlockParameters, ProfileBlockSize
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.whole_table import cpu_blocks
from antidiag.kernels.profiles.whole_table.cuda_job import MATRICES, WALLS, WAVE_PARTS, ProfileTableJob
from antidiag.kernels.steps import StepLog

WAVES = 4
"""Antidiagonals between two progress reports."""


def align_by_matrix_product(
    problem: Problem, parameters: ProfileBlockSize, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Algorithm 4.2, MatProd V2 k: tiles of products by k threads; gap costs are vectors."""
    job = ProfileTableJob(problem, monitor, steps)
    k, made = parameters.k, job.made
    shared = 2 * 2 * len(made.rows) * k
    scores = job.run.allocate_array((made.m, made.n), np.int32)
    job.compute_blocks("tiles_k", k, k, MATRICES(scores=scores, vertical=None, horizontal=None), shared)
    return job.maximise_on_host(scores)


def align_by_block_waves(
    problem: Problem, parameters: ProfileBlockParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """SMwavefront k: one launch for the blocks of an antidiagonal; the host traces the path."""
    job = ProfileTableJob(problem, monitor, steps)
    made, run, k = job.made, job.run, parameters.k
    m, n, down, across = made.m, made.n, -(-made.m // k), -(-made.n // k)
    best = run.allocate_array((down * across, 4), np.int32)
    directions = run.allocate_array(m * n, np.uint8)
    borders = cpu_blocks.allocate_block_borders(made, k)
    names = "h_rows", "e_rows", "h_columns", "f_columns"
    on_device = {name: run.upload_array(getattr(borders, name)) for name in names}
    del borders  # they leave the host before the directions come
    walls = WALLS(**on_device, best=best, directions=directions)
    kernel, shared = job.compile_kernel(WAVE_PARTS, "wave"), k * (16 + 2 * 8 + 4 * len(made.rows))
    allow_shared_bytes(kernel, shared)
    with run.begin_phase("antidiagonals") as phase:
        for number in range(down + across - 1):
            first, last = max(0, number - across + 1), min(down, number + 1)
            kernel((last - first,), (k,), (*job.given, *walls, *map(np.int32, (k, number, first))), shared_mem=shared)
            if (number + 1) % WAVES == 0 or number == down + across - 2:
                phase.note_launch(number + 1, down + across - 1)
    table = replace(job.table, directions=run.download_array(directions))
    table.state.best[:] = cpu_blocks.best_block_end(run.download_array(best)[:, :3], made)
    return job.trace_on_host(table)


def _compute_scalar_products(
    problem: Problem,
    parameters: ProfileBlockParameters,
    monitor: Monitor,
    steps: StepLog,
    name: str,
    threads: Callable[[int], int],
) -> Outcome:
    """Algorithm 4.1: compute D, V and H as matrices."""
    job = ProfileTableJob(problem, monitor, steps)
    k, shape = parameters.k, (job.made.m, job.made.n)
    scores, vertical, horizontal = (job.run.allocate_array(shape, np.int32) for _ in range(3))
    job.compute_blocks(name, k, threads(k), MATRICES(scores=scores, vertical=vertical, horizontal=horizontal))
    return job.maximise_on_host(scores, vertical, horizontal)


align_simple_k = partial(_compute_scalar_products, name="simple_k", threads=lambda k: min(k * k, 1024))
"""Algorithm 4.1, Simple k: one thread per cell."""
align_row_k = partial(_compute_scalar_products, name="row_k", threads=int)
"""Algorithm 4.1, Row k: one thread per row of a block."""
align_column_k = partial(_compute_scalar_products, name="column_k", threads=int)
"""Algorithm 4.1, Column k: one thread per column of a block."""
align_mix_k = partial(_compute_scalar_products, name="mix_k", threads=int)
"""Algorithm 4.1, Mix k: one thread per row and column of a block."""
