"""The methods of the thesis' sections 4.2 and 4.3 on the GPU: what depends on no other cell is computed there, the
maximisation on one thread of the host, as the thesis has it; SMwavefront computes all cells on the GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from cupy import cublas

from kernels.cpu.phases import PhaseClock, time_ms
from kernels.cuda.compile import allow_shared
from kernels.cuda.run import Run
from kernels.cuda.structs import Constants, Struct
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.parameters import typed
from kernels.profiles import cpu_blocks, cpu_cells, cpu_table
from kernels.profiles.cpu_table import Table, maximise, tiny, vectors
from kernels.profiles.parameters import BlockParameters
from kernels.profiles.problem import Problem
from kernels.profiles.scoring import (
    GLOBAL,
    LINEAR,
    LOCAL,
    LOG_BITS,
    LOGARITHM,
    ROOT,
    SEMI_GLOBAL,
    Encoded,
)
from kernels.profiles.sizes import GPU_SLAB, SLAB
from kernels.steps import Steps

Values = Mapping[str, Any]
SCORES = "scores"
THREADS, BLOCKS = 256, 1024
SLICE_CELLS = 2**26
"""Cells of a launch, about: some milliseconds."""
WAVES = 4
"""Antidiagonals between two looks at how far the device is."""
COST, UP, ACROSS = 0, 1, 2
"""What the device makes of products: scores, and what gaps cost."""

TABLE = Struct("Table", """
    const short *rows, *columns;            // m + 1 and n + 1 columns, one after another; blank ones last
    const int *row_bias, *column_bias, *row_open, *row_extend, *column_open, *column_extend, *table;
    int m, n, factor, origin, offset, by_column;
    float unit;
""")  # fmt: skip
MATRICES = Struct("Matrices", "int *scores, *vertical, *horizontal;")
WALLS = Struct("Walls", """
    int *h_rows, *e_rows;                   // blocks down + 1 x n + 1: last rows of blocks
    int *h_columns, *f_columns;             // blocks across + 1 x m + 1: last columns
    int4* best;                             // blocks: score, row, column
    unsigned char* directions;
""")  # fmt: skip
NUMBERS = Constants.of(
    LINEAR=LINEAR, ROOT=ROOT, LOGARITHM=LOGARITHM, GLOBAL=GLOBAL, LOCAL=LOCAL, SEMI_GLOBAL=SEMI_GLOBAL,
    LOG_BITS=LOG_BITS,
)  # fmt: skip
HERE = Path(__file__).parent
CELLS = (NUMBERS, TABLE, MATRICES, WALLS, HERE / "finish.cuh", HERE / "cells.cuh")
BLOCK_PARTS, WAVE_PARTS = (*CELLS, HERE / "blocks.cu"), (*CELLS, HERE / "waves.cu")


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


def cublas_cells(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1 by cuBLAS: DAXPY and DNRM2 for each cell; every norm is waited for on the host."""
    job = Job.begin(problem, monitor, steps)
    made, run = job.made, job.run
    rows, columns = (run.up(np.ascontiguousarray(one[:, :-1].T, float)) for one in (made.rows, made.columns))
    difference, norms = run.empty(len(made.rows), np.float64), np.empty(made.n)
    products = np.empty((made.m, made.n), np.float32)
    with run.phase(SCORES) as phase:
        for i in range(made.m):
            for j in range(made.n):
                difference[...] = rows[i]
                cublas.axpy(-1.0, columns[j], difference)
                cublas.nrm2(difference, norms[j : j + 1])
            squares = made.row_bias[i] + made.column_bias[:-1].astype(float)
            products[i] = (squares - np.rint(norms**2)) / 2
            phase.launched(i + 1, made.m)
    scores = run.empty((made.m, made.n), np.int32)
    job.finish(run.up(products), COST, 0, scores)
    return job.maximised(scores)


def matprod_v1(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.2, MatProd V1: the differences of a row with all columns as A I - C by GEMM; then their squares."""
    job = Job.begin(problem, monitor, steps)
    made, run, (m, n) = job.made, job.run, (job.made.m, job.made.n)
    rows, columns = (run.up(one[:, :-1].astype(np.float32)) for one in (made.rows, made.columns))
    identity = cupy.eye(n, dtype=np.float32)
    repeated, difference = run.empty((len(made.rows), n), np.float32), run.empty((len(made.rows), n), np.float32)
    scores, kernel = run.empty((m, n), np.int32), job.kernel(BLOCK_PARTS, "squares")
    with run.phase(SCORES) as phase:
        for i in range(m):
            repeated[...] = rows[:, i : i + 1]
            difference[...] = columns
            cublas.gemm("N", "N", repeated, identity, difference, 1.0, -1.0)
            kernel((-(-n // THREADS),), (THREADS,), (*job.given, difference, np.int32(i), scores))
            if (i + 1) % SLAB == 0 or i + 1 == m:
                phase.launched(i + 1, m)
    return job.maximised(scores)


def sequence_matvecprod_v1(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.3: V column by column, H and D row by row, by GEMV."""
    return _matrices(_by_vectors, Job.begin(problem, monitor, steps))


def sequence_matprod_v1(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.4: V, H and D by three GEMMs for each slab of rows."""
    return _matrices(_by_matrices, Job.begin(problem, monitor, steps))


def sequence_matvecprod_v2(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.5: D row by row by GEMV."""
    job = Job.begin(problem, monitor, steps)

    def products(factors: Factors, first: int, last: int, target: cupy.ndarray) -> None:
        for i in range(first, last):
            cublas.gemv("T", 1.0, factors.columns, factors.rows[i], 0.0, target[i - first])

    return _scores_alone(products, job)


def sequence_matprod_v2(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.6: D by GEMM, a slab of rows at a time."""
    job = Job.begin(problem, monitor, steps)

    def products(factors: Factors, first: int, last: int, target: cupy.ndarray) -> None:
        cublas.gemm("N", "N", factors.rows[first:last], factors.columns, target, 1.0, 0.0)

    return _scores_alone(products, job)


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


@dataclass(frozen=True)
class Factors:
    """Factors of products as float32: rows (m + 1, symbols), columns (symbols, n), and the blank column."""

    rows: cupy.ndarray
    columns: cupy.ndarray
    blank: cupy.ndarray

    @classmethod
    def of(cls, run: Run, made: Encoded) -> Factors:
        columns = made.columns.astype(np.float32)
        return cls(run.up(made.rows.T.astype(np.float32)), run.up(columns[:, :-1]), run.up(columns[:, -1]))


@dataclass(frozen=True)
class Job:
    """A run on the device and the table on the host that its scores come to; ``given`` are the kernels' arguments."""

    made: Encoded
    run: Run
    table: Table
    given: tuple[Any, ...]
    arrays: tuple[cupy.ndarray, ...]

    @classmethod
    def begin(cls, problem: Problem, monitor: Monitor, steps: Steps) -> Job:
        made = problem.encoded
        run = Run(monitor, steps, columns=made.n)
        run.spend("compilation", time_ms(_compiled))
        table = Table.of(made)
        names = ("row_bias", "column_bias", "row_open", "row_extend", "column_open", "column_extend", "table")
        arrays = run.upload(table.pair.rows, table.pair.columns, *(getattr(made, name) for name in names))
        given = TABLE(
            rows=arrays[0], columns=arrays[1], **dict(zip(names, arrays[2:], strict=True)), m=made.m, n=made.n,
            factor=made.factor, origin=made.origin, offset=made.offset, by_column=made.by_column,
            unit=2.0**-made.shift,
        )  # fmt: skip
        return cls(made, run, table, given, arrays)

    def kernel(self, parts: tuple[Any, ...], name: str) -> Any:
        return self.run.kernel(parts, name, SYMBOLS=len(self.made.rows), KIND=self.made.kind, MODE=self.made.mode)

    def blocks(self, name: str, k: int, threads: int, matrices: tuple[Any, ...], shared: int = 0) -> None:
        """All blocks of k x k cells, rows of blocks in slices."""
        kernel, across, down = self.kernel(BLOCK_PARTS, name), -(-self.made.n // k), -(-self.made.m // k)
        allow_shared(kernel, shared)
        slice_rows = max(SLICE_CELLS // (k * self.made.n), 1)
        with self.run.phase(SCORES) as phase:
            for first in range(0, down, slice_rows):
                last = min(first + slice_rows, down)
                kernel((across, last - first), (threads,), (*self.given, *matrices, np.int32(k), np.int32(first)),
                       shared_mem=shared)  # fmt: skip
                phase.launched(min(last * k, self.made.m), self.made.m)

    def finish(self, products: cupy.ndarray, what: int, first: int, target: cupy.ndarray) -> None:
        """Scores, or costs of gaps, of whole rows from their products."""
        kernel = self.kernel(BLOCK_PARTS, "finish")
        count = products.size
        kernel((min(-(-count // THREADS), BLOCKS),), (THREADS,), (
            *self.given, products, np.int32(what), np.int32(first), np.int64(count), target,
        ))  # fmt: skip

    def maximised(
        self, scores: cupy.ndarray, vertical: cupy.ndarray | None = None, horizontal: cupy.ndarray | None = None
    ) -> Outcome:
        """The maximisation on the host, with gap costs as matrices or, where there are none, as vectors."""
        on_host, n = self.run.down(scores).ravel(), self.made.n
        costs = vectors(self.made)
        if vertical is not None and horizontal is not None:
            down, across = (self.run.down(one).ravel() for one in (vertical, horizontal))
            costs = (down, n, 1), (across, n, 1)
        host = self.host_run()
        maximise(host, 2, self.table, on_host, *costs)
        return self.outcome(self.table, host, on_host.nbytes * (1 if vertical is None else 3))

    def host_run(self) -> cpu_table.Run:
        """The part of the run that is on the host, from now on, in the same times and log."""
        clock = PhaseClock(self.run.times_ms)
        clock.started_ns = self.run.began_ns
        return cpu_table.Run(self.made, self.run.monitor, self.run.steps, self.run.times_ms, clock)

    def outcome(self, table: Table, host: cpu_table.Run, nbytes: int = 0) -> Outcome:
        return replace(host.outcome(table, nbytes), device_bytes=self.run.device_bytes)


def _scalar_products(name: str, threads: Callable[[int], int], job: Job, parameters: Values) -> Outcome:
    """Algorithm 4.1: D, V and H as matrices."""
    k, shape = typed(BlockParameters, parameters).k, (job.made.m, job.made.n)
    scores, vertical, horizontal = (job.run.empty(shape, np.int32) for _ in range(3))
    job.blocks(name, k, threads(k), MATRICES(scores=scores, vertical=vertical, horizontal=horizontal))
    return job.maximised(scores, vertical, horizontal)


def _scores_alone(products: Callable[[Factors, int, int, cupy.ndarray], None], job: Job) -> Outcome:
    """D from the products of slabs of rows; gap costs as vectors."""
    made, run = job.made, job.run
    factors, scores = Factors.of(run, made), run.empty((made.m, made.n), np.int32)
    room = run.empty((min(GPU_SLAB, made.m), made.n), np.float32)
    with run.phase(SCORES) as phase:
        for first in range(0, made.m, GPU_SLAB):
            last = min(first + GPU_SLAB, made.m)
            products(factors, first, last, room[: last - first])
            job.finish(room[: last - first], COST, first, scores)
            phase.launched(last, made.m)
    return job.maximised(scores)


def _by_vectors(factors: Factors, m: int, first: int, last: int, room: tuple[cupy.ndarray, ...]) -> None:
    """V of some rows column by column, H and D row by row; each by a product of a matrix and a vector."""
    down, across, scores = room
    columns = cupy.empty((scores.shape[1], last - first), np.float32)
    for j in range(scores.shape[1]):
        cublas.gemv("N", 1.0, factors.rows[first:last], factors.blank, 0.0, columns[j])
    down[...] = columns.T
    for i in range(first, last):
        cublas.gemv("T", 1.0, factors.columns, factors.rows[m], 0.0, across[i - first])
        cublas.gemv("T", 1.0, factors.columns, factors.rows[i], 0.0, scores[i - first])


def _by_matrices(factors: Factors, m: int, first: int, last: int, room: tuple[cupy.ndarray, ...]) -> None:
    """V, H and D of some rows by products of matrices, of which one is a column or a row many times."""
    down, across, scores = room
    rows = factors.rows[first:last]
    blanks = cupy.ascontiguousarray(cupy.broadcast_to(factors.blank[:, None], factors.columns.shape))
    gaps = cupy.ascontiguousarray(cupy.broadcast_to(factors.rows[m : m + 1], rows.shape))
    cublas.gemm("N", "N", rows, blanks, down, 1.0, 0.0)
    cublas.gemm("N", "N", gaps, factors.columns, across, 1.0, 0.0)
    cublas.gemm("N", "N", rows, factors.columns, scores, 1.0, 0.0)


def _matrices(products: Callable[..., None], job: Job) -> Outcome:
    """V, H and D as matrices, from the products of slabs of rows. Where gaps have costs of their own, V and H hold
    these, as many times."""
    made, run = job.made, job.run
    factors, shape = Factors.of(run, made), (made.m, made.n)
    vertical, horizontal, scores = (run.empty(shape, np.int32) for _ in range(3))
    room = [run.empty((min(GPU_SLAB, made.m), made.n), np.float32) for _ in range(3)]
    with run.phase(SCORES) as phase:
        for first in range(0, made.m, GPU_SLAB):
            last = min(first + GPU_SLAB, made.m)
            parts = tuple(one[: last - first] for one in room)
            products(factors, made.m, first, last, parts)
            for what, part, target in zip((UP, ACROSS, COST), parts, (vertical, horizontal, scores), strict=True):
                job.finish(part, what, first, target)
            phase.launched(last, made.m)
    return job.maximised(scores, vertical, horizontal)


def _borders(run: Run, table: Table, k: int) -> dict[str, cupy.ndarray]:
    """The borders of all blocks, with those of the table set."""
    made = table.made
    first_column: np.ndarray = np.zeros(made.m + 1, np.int32)
    if made.mode == GLOBAL:
        first_column[1:] = -cpu_cells.border(made.row_open, made.row_extend)
    walls = cpu_blocks.walls_of(made.m, made.n, k, table.state.h, first_column, made.mode)
    return {name: run.up(getattr(walls, name)) for name in ("h_rows", "e_rows", "h_columns", "f_columns")}


@cache
def _compiled() -> None:
    """Compile what the host does, or load it from the cache folder."""
    host, made = cpu_table.Run.begin(tiny(), 0.0, Monitor(), Steps()), tiny()
    table = Table.of(made)
    maximise(host, 1, table, np.zeros(1, np.int32), *vectors(made))
    maximise(host, 1, table, np.zeros(1, np.int32), *((np.zeros(1, np.int32), 1, 1),) * 2)
    host.outcome(table)
