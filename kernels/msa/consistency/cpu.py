"""Consistency-based alignment on the CPU: threads share pairs, and nodes of the guide tree that are ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import refining, running, sizes
from antidiag.kernels.msa.consistency.engine import CpuStages, Stages
from antidiag.kernels.msa.consistency.given import GivenProblem
from antidiag.kernels.msa.consistency.recipe import recipe
from antidiag.kernels.msa.consistency.telling import Told
from antidiag.kernels.msa.parameters import PosteriorParameters
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps

Answer = Callable[[Any, Stages, int, Monitor, Told], MsaAnswer]


def msa(problem: MsaProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The alignment, its tree and its confidence."""
    return _run(running.answer, problem, parameters, monitor, steps)


def given(problem: GivenProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The given alignment, added to, refined and judged."""
    return _run(refining.answer, problem, parameters, monitor, steps)


def _run(answer: Answer, problem: Any, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    threads = typed(PosteriorParameters, parameters).threads
    quiet = CpuStages(1, Monitor())
    times_ms = {"compilation": time_ms(lambda: running.warm(quiet, recipe(problem), 1)), "transfer": 0.0}
    clock = running.clock(problem, times_ms, monitor, steps)
    found = answer(problem, CpuStages(threads, monitor, recipe(problem).cut), threads, monitor, clock)
    return Outcome(found, times_ms, sizes.footprint(problem, parameters, "cpu").host_bytes)
