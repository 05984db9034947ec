"""Consistency-based alignment on a GPU, which keeps and transforms posteriors; CPU threads refine the alignment."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import method_run, refinement, sizes
from antidiag.kernels.msa.consistency.cpu import AnswerFunction
from antidiag.kernels.msa.consistency.posterior_blocks import BlockPosteriors, open_block, pack_block
from antidiag.kernels.msa.consistency.posteriors.cpu_stages import FindPairs
from antidiag.kernels.msa.consistency.posteriors.cuda_stages import CudaStages
from antidiag.kernels.msa.consistency.recipe import make_recipe
from antidiag.kernels.msa.parameters import PosteriorParameters
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.run_splitting import PieceSource
from antidiag.kernels.steps import StepLog


def compute_block(
    problem: MsaProblem, parameters: PosteriorParameters, numbers: Mapping[str, int], monitor: Monitor
) -> Mapping[str, np.ndarray]:
    """Compute the posteriors of a block of pairs; see `posterior_blocks`."""
    block, run = open_block(problem, numbers), DeviceRun(monitor, StepLog())
    stages, sequences = CudaStages(run, parameters.warps, block.recipe.cut), method_run.encode_sequences(problem)
    return pack_block(stages.compute_pairs(sequences, block.models, block.tasks))


def finish_alignment(
    problem: MsaProblem, parameters: PosteriorParameters, monitor: Monitor, steps: StepLog, source: PieceSource
) -> Outcome:
    """Align sequences as `align_sequences` does, by posteriors that workers compute."""
    find_pairs = BlockPosteriors(problem, source).find_pairs
    return _run_on_gpu(problem, parameters, monitor, steps, method_run.align_problem, find_pairs)


def _run_on_gpu(
    problem: Any,
    parameters: PosteriorParameters,
    monitor: Monitor,
    steps: StepLog,
    answer: AnswerFunction,
    find_pairs: FindPairs | None = None,
) -> Outcome:
    """Run an answer function on a GPU and time its stages."""
    run, recipe = DeviceRun(monitor, steps), make_recipe(problem)
    host = run.host_part(count_processors())
    host.compile(lambda: method_run.compile_stages(recipe))
    stages = CudaStages(run, parameters.warps, recipe.cut, find_pairs)
    found = answer(problem, stages, host, method_run.StageClock(problem, host))
    nbytes = sizes.estimate_memory(problem, parameters, "cuda").host_bytes
    return Outcome(found, run.times_ms, nbytes, run.device_bytes)


align_sequences = partial(_run_on_gpu, answer=method_run.align_problem)
"""Align sequences on a GPU, with the same answer as on the CPU."""
process_alignment = partial(_run_on_gpu, answer=refinement.process_alignment)
"""Add sequences to a given alignment or refine it, with the same answer as on the CPU."""
