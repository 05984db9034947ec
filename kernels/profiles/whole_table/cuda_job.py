"""What the methods of the thesis share on the GPU: the problem on the device, its blocks, and the host's recurrence."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.cuda.structs import DeviceStruct
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.device import FOLDER, SCORES_AND_MODES
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.whole_table.cpu_table import (
    DirectionTable,
    extension_vectors,
    maximise_scores,
    tiny_problem,
    trace_outcome,
)
from antidiag.kernels.steps import StepLog

SCORES = "scores"
THREADS, BLOCKS = 256, 1024
SLICE_CELLS = 2**26
"""Approximate cells of a launch, which takes some milliseconds."""
COST, UP, ACROSS = 0, 1, 2
"""What products become: scores, or costs of gaps."""

TABLE = DeviceStruct(
    "Table",
    """
    const short *rows, *columns;            // m + 1 and n + 1 columns, one after another; blank ones last
    const int *row_bias, *column_bias, *row_open, *row_extend, *column_open, *column_extend, *table;
    int m, n, factor, origin, offset, by_column;
    float unit;
""",
)
TABLE_ARRAYS = (
    *("rows", "columns", "row_bias", "column_bias"),
    *("row_open", "row_extend", "column_open", "column_extend", "table"),
)
MATRICES = DeviceStruct("Matrices", "int *scores, *vertical, *horizontal;")
WALLS = DeviceStruct(
    "Walls",
    """
    int *h_rows, *e_rows;                   // blocks down + 1 x n + 1: last rows of blocks
    int *h_columns, *f_columns;             // blocks across + 1 x m + 1: last columns
    int4* best;                             // blocks: score, row, column
    unsigned char* directions;
""",
)
CELLS = (SCORES_AND_MODES, TABLE, MATRICES, WALLS, FOLDER / "finish.cuh", FOLDER / "cells.cuh")
BLOCK_PARTS, WAVE_PARTS = (*CELLS, FOLDER / "blocks.cu"), (*CELLS, FOLDER / "waves.cu")


class ProfileTableJob:
    """A run on the device, and the host table for its scores; ``given`` are the kernels' arguments."""

    def __init__(self, problem: Problem, monitor: Monitor, steps: StepLog) -> None:
        self.made = made = problem.encoded
        self.run = DeviceRun(monitor, steps, columns=made.n)
        self.run.compile_host_code(_compile_host_code)
        self.table = DirectionTable.allocate_table(made)
        arrays = self.run.upload_together(*(getattr(self.table.pair, name) for name in TABLE_ARRAYS))
        on_device = dict(zip(TABLE_ARRAYS, arrays, strict=True))
        self.given = TABLE.from_object(made, **on_device, unit=2.0**-made.shift)

    def compile_kernel(self, sources: tuple[Any, ...], name: str) -> Any:
        """Compile a kernel for the symbols, score and mode of the problem."""
        return self.run.compile_kernel(
            sources, name, SYMBOLS=len(self.made.rows), KIND=self.made.kind, MODE=self.made.mode
        )

    def compute_blocks(self, name: str, k: int, threads: int, matrices: tuple[Any, ...], shared: int = 0) -> None:
        """Compute all blocks of k x k cells, rows of blocks in slices."""
        kernel, across, down = self.compile_kernel(BLOCK_PARTS, name), -(-self.made.n // k), -(-self.made.m // k)
        allow_shared_bytes(kernel, shared)
        slice_rows = max(SLICE_CELLS // (k * self.made.n), 1)
        with self.run.begin_phase(SCORES) as phase:
            for first in range(0, down, slice_rows):
                last = min(first + slice_rows, down)
                kernel(
                    (across, last - first),
                    (threads,),
                    (*self.given, *matrices, np.int32(k), np.int32(first)),
                    shared_mem=shared,
                )
                phase.note_launch(min(last * k, self.made.m), self.made.m)

    def finish_products(self, products: cupy.ndarray, purpose: int, first: int, target: cupy.ndarray) -> None:
        """Turn products of whole rows into scores or gap costs."""
        kernel = self.compile_kernel(BLOCK_PARTS, "finish")
        count = products.size
        kernel(
            (min(-(-count // THREADS), BLOCKS),),
            (THREADS,),
            (*self.given, products, np.int32(purpose), np.int32(first), np.int64(count), target),
        )

    def maximise_on_host(
        self, scores: cupy.ndarray, vertical: cupy.ndarray | None = None, horizontal: cupy.ndarray | None = None
    ) -> Outcome:
        """Compute the cells on the host; gap costs are matrices or, if there are none, vectors."""
        on_host, n = self.run.download_array(scores).ravel(), self.made.n
        costs = extension_vectors(self.made)
        if vertical is not None and horizontal is not None:
            down, across = (self.run.download_array(one).ravel() for one in (vertical, horizontal))
            costs = (down, n, 1), (across, n, 1)
        maximise_scores(self.run.host_part(), self.table, on_host, *costs)
        return self.trace_on_host(self.table, on_host.nbytes * (1 if vertical is None else 3))

    def trace_on_host(self, table: DirectionTable, nbytes: int = 0) -> Outcome:
        """Trace the path of a finished table; ``nbytes`` are those of other arrays of the host."""
        return replace(trace_outcome(self.run.host_part(), table, nbytes), device_bytes=self.run.device_bytes)


@cache
def _compile_host_code() -> None:
    """Compile the host's part, or load it from the cache folder."""
    host, made = CpuRun(), tiny_problem()
    table = DirectionTable.allocate_table(made)
    maximise_scores(host, table, np.zeros(1, np.int32), *extension_vectors(made))
    maximise_scores(host, table, np.zeros(1, np.int32), *((np.zeros(1, np.int32), 1, 1),) * 2)
    trace_outcome(host, table)
