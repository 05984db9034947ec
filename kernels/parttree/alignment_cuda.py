"""The alignment of very many sequences on the GPU: all profiles of a level of the tree at once; see profiles.cu."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compiling import compiled_ms
from antidiag.kernels.cpu.phases import PhaseClock
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parameters import typed
from antidiag.kernels.parttree.alignment import MEDOID, SINGLE, Leaves, table_of
from antidiag.kernels.parttree.alignment_cpu import TREE, compiler_of, stages
from antidiag.kernels.parttree.cpu_stage import Found
from antidiag.kernels.parttree.cuda import TASK, Counted
from antidiag.kernels.parttree.cuda_lcs import single_linkage
from antidiag.kernels.parttree.cuda_profiles import Levels
from antidiag.kernels.parttree.linkage import edges
from antidiag.kernels.parttree.medoids import medoid_linkage
from antidiag.kernels.parttree.parameters import Warps
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.recursion import Recursion, told
from antidiag.kernels.parttree.words import letters_of
from antidiag.kernels.steps import Steps


def msa_parttree(problem: MsaProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Guide tree and profiles on the device; rows are written on the host."""
    run, chosen = Run(monitor, steps), typed(Warps, parameters)
    times_ms = {"compilation": compiled_ms(compiler_of(problem), monitor), "transfer": 0.0}
    clock = PhaseClock(times_ms)

    def guide(leaves: Leaves) -> tuple[np.ndarray, np.ndarray]:
        with _apart(run, clock):
            return _guide(problem, leaves, run, chosen)

    def align(leaves: Leaves, joins: np.ndarray) -> Found:
        with _apart(run, clock):
            return _aligned(problem, leaves, joins, run)

    outcome = stages(problem, workers.cores(), monitor, steps, clock, times_ms, guide, align)
    for name, spent_ms in run.times_ms.items():
        times_ms[name] += spent_ms
    return replace(outcome, times_ms=times_ms, device_bytes=run.device_bytes)


@contextmanager
def _apart(run: Run, clock: PhaseClock) -> Iterator[None]:
    """What the device takes for compiling and transfers is not in the time of the phase."""
    before_ms = run.apart_ms
    yield
    clock.leave_out(run.apart_ms - before_ms)


def _aligned(problem: MsaProblem, leaves: Leaves, joins: np.ndarray, run: Run) -> Found:
    rules = table_of(problem, leaves.sequences.size)
    return Levels(run, leaves, joins, rules).aligned(workers.cores())


def _guide(problem: MsaProblem, leaves: Leaves, run: Run, chosen: Warps) -> tuple[np.ndarray, np.ndarray]:
    """Joins of the leaves, and lengths of the edges below each."""
    own = problem.rules
    if own.guide == SINGLE:
        joins, heights = single_linkage(leaves.codes, leaves.offsets, run, told(run.monitor, TREE))
        return joins, edges(joins, heights)
    if own.guide == MEDOID:  # by the host: its parts are too small for a device
        joins, heights = medoid_linkage(leaves.codes, leaves.offsets, leaves.sequences, own.references, own.pick_seed,
                                        workers.cores(), told(run.monitor, TREE))  # fmt: skip
        return joins, edges(joins, heights)
    filled = [problem.sequences[problem.filled[number]] for number in leaves.sequences.tolist()]
    part = PartTreeProblem(tuple(filled), own.references, own.pick_seed)
    measure = Counted(letters_of(filled, problem.protein), problem.protein, run, chosen)
    return Recursion(part, measure.words, measure, workers.cores(), told(run.monitor, TREE), TASK).joins()
