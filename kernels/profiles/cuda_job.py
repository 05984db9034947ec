"""What the thesis' methods share on the GPU: a problem on the device, its blocks, and the maximisation on the host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.phases import PhaseClock, time_ms
from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.cuda.structs import Constants, Struct
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import cpu_table
from antidiag.kernels.profiles.cpu_table import Table, maximise, tiny, vectors
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.scoring import (
    GLOBAL,
    LINEAR,
    LOCAL,
    LOG_BITS,
    LOGARITHM,
    ROOT,
    SEMI_GLOBAL,
    Encoded,
)
from antidiag.kernels.steps import Steps

Values = Mapping[str, Any]
SCORES = "scores"
THREADS, BLOCKS = 256, 1024
SLICE_CELLS = 2**26
"""Cells of a launch, about: some milliseconds."""
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


@cache
def _compiled() -> None:
    """Compile what the host does, or load it from the cache folder."""
    host, made = cpu_table.Run.begin(tiny(), 0.0, Monitor(), Steps()), tiny()
    table = Table.of(made)
    maximise(host, 1, table, np.zeros(1, np.int32), *vectors(made))
    maximise(host, 1, table, np.zeros(1, np.int32), *((np.zeros(1, np.int32), 1, 1),) * 2)
    host.outcome(table)
