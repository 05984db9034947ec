"""The methods of the thesis' section 4.2 on the GPU, with kernels of our own: what depends on no other cell is computed
there, the maximisation on one thread of the host, as the thesis has it; SMwavefront computes all cells on the GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cupy
import numpy as np

from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.profiles import cpu_blocks, cpu_cells
from antidiag.kernels.profiles.cpu_table import Table
from antidiag.kernels.profiles.cuda_job import MATRICES, WALLS, WAVE_PARTS, Job, Values
from antidiag.kernels.profiles.parameters import BlockParameters
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.scoring import GLOBAL
from antidiag.kernels.steps import Steps

WAVES = 4
"""Antidiagonals between two looks at how far the device is."""


def simple(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1, Simple k: a thread a cell."""
    return _scalar_products("simple_k", lambda k: min(k * k, 1024), Job.begin(problem, monitor, steps), parameters)


def row(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1, Row k: a thread a row of a block."""
    return _scalar_products("row_k", int, Job.begin(problem, monitor, steps), parameters)


def column(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1, Column k: a thread a column of a block."""
    return _scalar_products("column_k", int, Job.begin(problem, monitor, steps), parameters)


def mix(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1, Mix k: a thread a row and a column of a block."""
    return _scalar_products("mix_k", int, Job.begin(problem, monitor, steps), parameters)


def matprod_v2(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.2, MatProd V2 k: tiles of products by k threads; gap costs as vectors."""
    job = Job.begin(problem, monitor, steps)
    k, made = typed(BlockParameters, parameters).k, job.made
    shared = 2 * 2 * len(made.rows) * k
    scores = job.run.empty((made.m, made.n), np.int32)
    job.blocks("tiles_k", k, k, MATRICES(scores=scores, vertical=None, horizontal=None), shared)
    return job.maximised(scores)


def smwavefront(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """SMwavefront k: a launch for the blocks of an antidiagonal; the way back on the host."""
    job = Job.begin(problem, monitor, steps)
    made, run, k = job.made, job.run, typed(BlockParameters, parameters).k
    m, n, down, across = made.m, made.n, -(-made.m // k), -(-made.n // k)
    best = run.empty((down * across, 4), np.int32)
    directions = run.empty(m * n, np.uint8)
    walls = WALLS(**_borders(run, job.table, k), best=best, directions=directions)
    kernel, shared = job.kernel(WAVE_PARTS, "wave"), k * (16 + 2 * 8 + 4 * len(made.rows))
    allow_shared(kernel, shared)
    with run.phase("antidiagonals") as phase:
        for number in range(down + across - 1):
            first, last = max(0, number - across + 1), min(down, number + 1)
            kernel((last - first,), (k,), (*job.given, *walls, *map(np.int32, (k, number, first))), shared_mem=shared)
            if (number + 1) % WAVES == 0 or number == down + across - 2:
                phase.launched(number + 1, down + across - 1)
    found: np.ndarray = np.zeros(0, np.int32)
    ends = cpu_blocks.Walls(found, found, found, found, run.down(best)[:, :3].astype(np.int64), made.mode)
    table = replace(job.table, directions=run.down(directions))
    table.state.best[:] = cpu_blocks.best_of(ends, m, n)
    return job.outcome(table, job.host_run())


def _scalar_products(name: str, threads: Callable[[int], int], job: Job, parameters: Values) -> Outcome:
    """Algorithm 4.1: D, V and H as matrices."""
    k, shape = typed(BlockParameters, parameters).k, (job.made.m, job.made.n)
    scores, vertical, horizontal = (job.run.empty(shape, np.int32) for _ in range(3))
    job.blocks(name, k, threads(k), MATRICES(scores=scores, vertical=vertical, horizontal=horizontal))
    return job.maximised(scores, vertical, horizontal)


def _borders(run: Run, table: Table, k: int) -> dict[str, cupy.ndarray]:
    """The borders of all blocks, with those of the table set."""
    made = table.made
    first_column: np.ndarray = np.zeros(made.m + 1, np.int32)
    if made.mode == GLOBAL:
        first_column[1:] = -cpu_cells.border(made.row_open, made.row_extend)
    walls = cpu_blocks.walls_of(made.m, made.n, k, table.state.h, first_column, made.mode)
    return {name: run.up(getattr(walls, name)) for name in ("h_rows", "e_rows", "h_columns", "f_columns")}
