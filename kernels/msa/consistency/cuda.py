"""Consistency-based alignment on a GPU, which keeps and transforms posteriors; CPU threads refine the alignment."""

from __future__ import annotations

from typing import Any

from antidiag.kernels.cpu.phase_times import measure_ms
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import method_run, refinement, sizes
from antidiag.kernels.msa.consistency.cpu import AnswerFunction
from antidiag.kernels.msa.consistency.given_alignment import GivenProblem
from antidiag.kernels.msa.consistency.posteriors.cuda_stages import CudaStages
from antidiag.kernels.msa.consistency.recipe import make_recipe
from antidiag.kernels.msa.consistency.solver import CpuStages
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
    monitor.check()  # compilation cannot be interrupted
    threads, run = count_processors(), DeviceRun(monitor, StepLog())
    run.add_time(
        "compilation", measure_ms(lambda: method_run.compile_stages(CpuStages(1, Monitor()), make_recipe(problem), 1))
    )
    stages = CudaStages(run, threads, parameters.warps, make_recipe(problem).cut)
    stages.compile_kernels()
    times_ms = dict.fromkeys(("compilation", "transfer"), 0.0)
    clock = method_run.start_clock(problem, times_ms, monitor, steps)
    clock.apart_ms = lambda: run.times_ms["transfer"]
    found = answer(problem, stages, threads, monitor, clock)
    for apart in ("compilation", "transfer"):
        times_ms[apart] = run.times_ms[apart]
    host = sizes.estimate_memory(problem, parameters, "cuda").host_bytes
    return Outcome(found, times_ms, host, run.device_bytes)
