"""Consistency-based alignment on the CPU: threads share the pairs of sequences and the tree nodes that are ready."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antidiag.kernels.cpu.phase_times import measure_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import method_run, refinement, sizes
from antidiag.kernels.msa.consistency.given_alignment import GivenProblem
from antidiag.kernels.msa.consistency.recipe import make_recipe
from antidiag.kernels.msa.consistency.solver import ConsistencyStages, CpuStages
from antidiag.kernels.msa.consistency.stage_observer import StageObserver
from antidiag.kernels.msa.parameters import PosteriorParameters
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.steps import StepLog

AnswerFunction = Callable[[Any, ConsistencyStages, int, Monitor, StageObserver], MsaAnswer]


def align_sequences(problem: MsaProblem, parameters: PosteriorParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Align sequences on the CPU; the answer has a guide tree and the confidence of each column."""
    return _run_on_cpu(method_run.align_problem, problem, parameters, monitor, steps)


def process_alignment(
    problem: GivenProblem, parameters: PosteriorParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Add sequences to a given alignment or refine it, and compute its confidence, on the CPU."""
    return _run_on_cpu(refinement.process_alignment, problem, parameters, monitor, steps)


def _run_on_cpu(
    answer: AnswerFunction, problem: Any, parameters: PosteriorParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run an answer function on the CPU and time its stages."""
    threads = parameters.threads
    quiet = CpuStages(1, Monitor())
    times_ms = {
        "compilation": measure_ms(lambda: method_run.compile_stages(quiet, make_recipe(problem), 1)),
        "transfer": 0.0,
    }
    clock = method_run.start_clock(problem, times_ms, monitor, steps)
    found = answer(problem, CpuStages(threads, monitor, make_recipe(problem).cut), threads, monitor, clock)
    return Outcome(found, times_ms, sizes.estimate_memory(problem, parameters, "cpu").host_bytes)
