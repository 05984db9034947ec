"""Consistency-based alignment on a GPU, which keeps and transforms posteriors; CPU threads refine the alignment."""

from __future__ import annotations

from typing import Any

from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import method_run, refinement, sizes
from antidiag.kernels.msa.consistency.cpu import AnswerFunction
from antidiag.kernels.msa.consistency.given_alignment import GivenProblem
from antidiag.kernels.msa.consistency.posteriors.cuda_stages import CudaStages
from antidiag.kernels.msa.consistency.recipe import make_recipe
from antidiag.kernels.msa.parameters import PosteriorParameters
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.steps import StepLog


def align_sequences(problem: MsaProblem, parameters: PosteriorParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Align sequences on a GPU, with the same answer as on the CPU."""
    return _run_on_gpu(method_run.align_problem, problem, parameters, monitor, steps)


def process_alignment(
    problem: GivenProblem, parameters: PosteriorParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Add sequences to a given alignment or refine it, with the same answer as on the CPU."""
    return _run_on_gpu(refinement.process_alignment, problem, parameters, monitor, steps)


def _run_on_gpu(
    answer: AnswerFunction, problem: Any, parameters: PosteriorParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run an answer function on a GPU and time its stages."""
    run, recipe = DeviceRun(monitor, steps), make_recipe(problem)
    host = run.host_part(count_processors())
    host.compile(lambda: method_run.compile_stages(recipe))
    stages = CudaStages(run, parameters.warps, recipe.cut)
    found = answer(problem, stages, host, method_run.StageClock(problem, host))
    nbytes = sizes.estimate_memory(problem, parameters, "cuda").host_bytes
    return Outcome(found, run.times_ms, nbytes, run.device_bytes)
