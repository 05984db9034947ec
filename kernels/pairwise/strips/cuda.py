"""The striped and chunked methods on the GPU: what is launched, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import UP, PairProblem
from antidiag.kernels.pairwise.parameters import StripParameters
from antidiag.kernels.pairwise.strips import cuda_job, cuda_path, cuda_sweep
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps


def striped_score(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """StripedScore (001, section IV) on the current device."""
    job = cuda_job.begin(problem, parameters, monitor, steps)
    best = cuda_sweep.score(job)
    return Outcome(job.encoded.answer(best.score, best.end), job.run.times_ms, job.host_bytes, job.run.device_bytes)


def striped_alignment(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """StripedAlignment (001, section V.A) on the current device."""
    return _align(problem, parameters, monitor, steps, 0, true_values=typed(StripParameters, parameters).from_first_row)


def chunked_alignment_1(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """ChunkedAlignment1 (001, section V.B) on the current device."""
    return _align(problem, parameters, monitor, steps, 1, true_values=True)


def chunked_alignment_2(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """ChunkedAlignment2 (001, section V.C) on the current device."""
    return _align(problem, parameters, monitor, steps, 2, true_values=True)


def _align(
    problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps, chunks: int, true_values: bool
) -> Outcome:
    """The three phases; ``chunks`` as in striped_states.cu, ``true_values`` as in striped_path.cu."""
    job = cuda_job.begin(problem, {**parameters, "precision": "32"}, monitor, steps)
    kept, best = cuda_sweep.states(job, chunks, parameters.get("h"), true_values)
    start, operations = (0, 0), np.empty(0, np.uint8)
    if best.end != (0, 0):
        with job.run.timed("phase 2"):
            paths = cuda_path.link(job, kept, best)
        rest = np.full(0 if job.encoded.local else paths[-1]["start_row"], UP, np.uint8)
        with job.run.timed("phase 3"):
            start, operations = cuda_path.compute(job, kept, paths, rest)
    alignment = job.encoded.alignment(start, best.end, operations)
    return Outcome(
        job.encoded.answer(best.score, best.end, alignment), job.run.times_ms, job.host_bytes, job.run.device_bytes
    )
