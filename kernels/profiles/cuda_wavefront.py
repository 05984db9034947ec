"""profile-wavefront on the GPU: a warp a strip; the path, tile by tile, on the host, from the borders that are kept."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from kernels.cpu.phases import time_ms
from kernels.cuda import blocks
from kernels.cuda.run import Run
from kernels.cuda.structs import Constants, Struct
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.parameters import typed
from kernels.profiles import cpu_strips, cpu_wavefront
from kernels.profiles.cpu_strips import Kept, Whole
from kernels.profiles.parameters import StripParameters
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
from kernels.profiles.sizes import GPU_STRIP
from kernels.steps import Steps

SLICE_CELLS = 2**31
"""Cells of a launch, about: some tens of milliseconds, so that progress is real and a wish to cancel is heard."""
LANES, WARPS = 32, 16
"""Lanes of a warp; and warps for each multiprocessor: as many as registers allow, or more, which then wait."""

WHOLE = Struct("Whole", """
    const float4* rows;         // m x WORDS, a row after the other, padded with zeros
    const float* columns;       // SYMBOLS x (n + 1)
    const int *row_bias, *column_bias, *row_open, *row_extend, *column_open, *column_extend;
    const int *first_row, *table;
    int m, n;
""")  # fmt: skip
FINISH = Struct("Finish", "float unit; int factor, origin, offset;")
KEPT = Struct("Kept", """
    int *columns, *rows;        // borders of strips and of batches, see above
    long long* best;            // strips x 3: score, row, column in the strip
    unsigned long long* progress;
    int *ticket;
    int strips, batch, batches, padded;
    int from, until;            // rows of this launch
""")  # fmt: skip
NUMBERS = Constants.of(
    LINEAR=LINEAR, ROOT=ROOT, LOGARITHM=LOGARITHM, GLOBAL=GLOBAL, LOCAL=LOCAL, SEMI_GLOBAL=SEMI_GLOBAL,
    LOG_BITS=LOG_BITS,
)  # fmt: skip
STRIPS = (NUMBERS, WHOLE, FINISH, KEPT, Path(__file__).with_name("strips.cu"))


def wavefront(problem: Problem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best alignment in strips of 128 columns; no matrix of the size of the table is ever in memory."""
    made, batch = problem.encoded, typed(StripParameters, {"s": GPU_STRIP, **parameters}).T
    run = Run(monitor, steps, columns=made.n)
    run.spend("compilation", time_ms(cpu_wavefront._compiled))
    whole = cpu_wavefront.whole_of(made, GPU_STRIP, batch)
    kept = _kept(run, made, whole)
    with run.timed("path"):
        answer = cpu_wavefront.path(made, whole, cpu_strips.packed_rows(whole.rows), kept, monitor)
    return Outcome(answer, run.times_ms, sum(one.nbytes for one in kept), run.device_bytes)


def slices(m: int, n: int, batch: int) -> list[tuple[int, int]]:
    """First row and end of each launch, in whole batches of rows."""
    rows = max(SLICE_CELLS // (n * batch), 1) * batch
    return [(first, min(first + rows, m)) for first in range(0, m, rows)]


def defines(made: Encoded) -> dict[str, int]:
    """Compile-time constants."""
    return {"SYMBOLS": len(made.rows), "KIND": made.kind, "MODE": made.mode}


def _kept(run: Run, made: Encoded, whole: Whole) -> Kept:
    """The borders of all strips and batches, as the CPU keeps them."""
    kernel = run.kernel(STRIPS, "strips", **defines(made))
    on_host = cpu_wavefront.room(whole)
    count, (symbols, m, n) = len(on_host.best), (len(made.rows), made.m, made.n)
    rows: np.ndarray = np.zeros((m, -(-symbols // 4) * 4), np.float32)
    rows[:, :symbols] = made.rows[:, :m].T
    small = (made.row_bias, made.column_bias, made.row_open, made.row_extend, made.column_open, made.column_extend,
             whole.first_row, made.table)  # fmt: skip
    factors = run.up(rows), run.up(made.columns.astype(np.float32))
    given = [run.up(one) for one in small]
    columns = run.empty(on_host.columns.shape, np.int32)
    with run.timed("transfer"):
        columns[0] = cupy.asarray(on_host.columns[0])
    kept = Kept(columns, run.empty(on_host.rows.shape, np.int32), run.filled((count, 3), np.int64))
    progress, ticket = run.filled(count, np.uint64), run.filled(1, np.int32)
    names = ("row_bias", "column_bias", "row_open", "row_extend", "column_open", "column_extend", "first_row", "table")
    given_whole = (
        *WHOLE(rows=factors[0], columns=factors[1], m=m, n=n, **dict(zip(names, given, strict=True))),
        *FINISH(unit=2.0**-made.shift, factor=made.factor, origin=made.origin, offset=made.offset),
    )
    given_kept = partial(KEPT, columns=kept.columns, rows=kept.rows, best=kept.best, progress=progress, ticket=ticket,
                         strips=count, batch=whole.cuts[3], batches=on_host.rows.shape[1] + 1,
                         padded=on_host.rows.shape[3])  # fmt: skip
    with run.phase("strips") as phase:
        warps = min(count, WARPS * blocks.multiprocessors())
        for first, until in slices(m, n, whole.cuts[3]):
            ticket.data.memset_async(0, ticket.nbytes, cupy.cuda.get_current_stream())
            kernel((warps,), (LANES,), (*given_whole, *given_kept(**{"from": first}, until=until)))
            phase.launched(until, m)
    return Kept(*(run.down(one) for one in kept))
