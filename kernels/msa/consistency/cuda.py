"""Consistency-based alignment on the GPU: posteriors and consistency; the CPU's threads do the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import refining, running, sizes
from antidiag.kernels.msa.consistency.cpu import Answer
from antidiag.kernels.msa.consistency.cuda_stages import CudaStages
from antidiag.kernels.msa.consistency.engine import CpuStages
from antidiag.kernels.msa.consistency.given import GivenProblem
from antidiag.kernels.msa.consistency.recipe import recipe
from antidiag.kernels.msa.parameters import PosteriorParameters
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps


def msa(problem: MsaProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The alignment, its tree and its confidence: those of the CPU."""
    return _run(running.answer, problem, parameters, monitor, steps)


def given(problem: GivenProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The given alignment, added to, refined and judged: as the CPU does it."""
    return _run(refining.answer, problem, parameters, monitor, steps)


def _run(answer: Answer, problem: Any, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    monitor.check()  # compiling is not interrupted
    threads, run = cores(), Run(monitor, Steps())
    run.spend("compilation", time_ms(lambda: running.warm(CpuStages(1, Monitor()), recipe(problem), 1)))
    stages = CudaStages(run, threads, typed(PosteriorParameters, parameters).warps, recipe(problem).cut)
    stages.compile()
    times_ms = dict.fromkeys(("compilation", "transfer"), 0.0)
    clock = running.clock(problem, times_ms, monitor, steps)
    clock.apart_ms = lambda: run.times_ms["transfer"]
    found = answer(problem, stages, threads, monitor, clock)
    for apart in ("compilation", "transfer"):
        times_ms[apart] = run.times_ms[apart]
    host = sizes.footprint(problem, parameters, "cuda").host_bytes
    return Outcome(found, times_ms, host, run.device_bytes)
