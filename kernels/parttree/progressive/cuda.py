"""The alignment of very many sequences on the GPU: all profiles of a level of the tree at once; see profiles.cu."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compilation import compile_cancellably
from antidiag.kernels.cpu.phase_times import PhaseClock
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parttree.kmers.word_arrays import LetterArrays
from antidiag.kernels.parttree.lcs.cuda_linkage import link_on_device
from antidiag.kernels.parttree.lcs.linkage import Joins
from antidiag.kernels.parttree.parameters import PartTreeWarps
from antidiag.kernels.parttree.progress import RecursionProgress, ReportProgress
from antidiag.kernels.parttree.progressive.alignment_rules import AlignmentLeaves, make_score_rules
from antidiag.kernels.parttree.progressive.cpu import TREE, alignment_compiler, make_guide, run_stages
from antidiag.kernels.parttree.progressive.cpu_stage import AlignedNodes
from antidiag.kernels.parttree.progressive.cuda_profiles import LevelAlignments
from antidiag.kernels.parttree.splitting.cuda import TASK, DeviceDistances
from antidiag.kernels.steps import StepLog


def msa_parttree(problem: MsaProblem, parameters: PartTreeWarps, monitor: Monitor, steps: StepLog) -> Outcome:
    """Make guide tree and profiles on the device; rows are written on the host."""
    run = DeviceRun(monitor, steps)
    times_ms = {"compilation": compile_cancellably(alignment_compiler(problem), monitor), "transfer": 0.0}
    clock = PhaseClock(times_ms)

    def guide(leaves: AlignmentLeaves) -> tuple[np.ndarray, np.ndarray]:
        with _leave_out_transfers(run, clock):
            return _make_device_guide(problem, leaves, run, parameters)

    def align(leaves: AlignmentLeaves, joins: np.ndarray) -> AlignedNodes:
        with _leave_out_transfers(run, clock):
            return _align_on_device(problem, leaves, joins, run)

    outcome = run_stages(problem, workers.count_processors(), monitor, steps, clock, times_ms, guide, align)
    for name, spent_ms in run.times_ms.items():
        times_ms[name] += spent_ms
    return replace(outcome, times_ms=times_ms, device_bytes=run.device_bytes)


@contextmanager
def _leave_out_transfers(run: DeviceRun, clock: PhaseClock) -> Iterator[None]:
    """Leave compilation and transfers out of the time of the phase."""
    before_ms = run.overhead_ms
    yield
    clock.exclude_ms(run.overhead_ms - before_ms)


def _align_on_device(problem: MsaProblem, leaves: AlignmentLeaves, joins: np.ndarray, run: DeviceRun) -> AlignedNodes:
    """Align all nodes on the device."""
    rules = make_score_rules(problem, leaves.sequences.size)
    return LevelAlignments(run, leaves, joins, rules).align_all(workers.count_processors())


def _make_device_guide(
    problem: MsaProblem, leaves: AlignmentLeaves, run: DeviceRun, chosen: PartTreeWarps
) -> tuple[np.ndarray, np.ndarray]:
    """Make the guide tree on the device; see `make_guide`."""

    def link(codes: np.ndarray, offsets: np.ndarray, report: ReportProgress) -> Joins:
        return link_on_device(codes, offsets, run, report)

    def measure_of(letters: LetterArrays) -> tuple[DeviceDistances, int]:
        return DeviceDistances(letters, problem.protein, run, chosen), TASK

    return make_guide(
        problem, leaves, workers.count_processors(), RecursionProgress(run.monitor, TREE), link, measure_of
    )
