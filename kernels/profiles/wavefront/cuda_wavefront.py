"""ProfileWavefront on the GPU: strips from a queue on the device, then the path, tile by tile, from kept borders."""

from __future__ import annotations

from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.pair_batch import ProfilePairBatch
from antidiag.kernels.profiles.parameters import ProfileStripParameters
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.sizes import GPU_BATCH
from antidiag.kernels.profiles.wavefront.cuda_pairs import DeviceProfilePairs
from antidiag.kernels.steps import StepLog

SLICE_CELLS = 2**33
"""Approximate cells of a launch, some tens of milliseconds, so that progress is visible and Cancel is heard."""


def align_by_strips(problem: Problem, parameters: ProfileStripParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best alignment by strips of 128 columns; the whole table is never in memory."""
    made = problem.encoded
    run = DeviceRun(monitor, steps, columns=made.n)
    pairs = DeviceProfilePairs(run, ProfilePairBatch.join_pairs([made]))
    pairs.compile_all()
    with run.begin_phase("strips") as phase:
        for first, until in slice_rows(made.m, made.n):
            pairs.launch_strips((0, len(pairs.items)), (first, until))
            phase.note_launch(until, made.m)
    run.columns = 0  # the path does not advance by rows
    pairs.launch_paths()
    (answer,) = pairs.download_answers()
    return Outcome(answer, run.times_ms, 0, run.device_bytes)


def slice_rows(m: int, n: int) -> list[tuple[int, int]]:
    """Return the first row and the end of each launch, in whole batches of rows."""
    rows = max(SLICE_CELLS // (n * GPU_BATCH), 1) * GPU_BATCH
    return [(first, min(first + rows, m)) for first in range(0, m, rows)]
