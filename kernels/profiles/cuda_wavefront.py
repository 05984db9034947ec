"""profile-wavefront on the GPU: strips of a queue on the device, and the path, tile by tile, from what they kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.cuda_pairs import Pairs
from antidiag.kernels.profiles.many import Many
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.sizes import GPU_BATCH
from antidiag.kernels.steps import Steps

SLICE_CELLS = 2**33
"""Cells of a launch, about: some tens of milliseconds, so that progress is real and a wish to cancel is heard."""


def wavefront(problem: Problem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best alignment in strips of 128 columns; no matrix of the size of the table is ever in memory."""
    made = problem.encoded
    run = Run(monitor, steps, columns=made.n)
    pairs = Pairs.of(run, Many.of([made]))
    pairs.prepare()
    with run.phase("strips") as phase:
        for first, until in slices(made.m, made.n):
            pairs.strips((0, len(pairs.items)), (first, until))
            phase.launched(until, made.m)
    run.columns = 0  # the path goes where it goes, and not by rows
    pairs.path()
    (answer,) = pairs.answers()
    return Outcome(answer, run.times_ms, 0, run.device_bytes)


def slices(m: int, n: int) -> list[tuple[int, int]]:
    """First row and end of each launch, in whole batches of rows."""
    rows = max(SLICE_CELLS // (n * GPU_BATCH), 1) * GPU_BATCH
    return [(first, min(first + rows, m)) for first in range(0, m, rows)]
