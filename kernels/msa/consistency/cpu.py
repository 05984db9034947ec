"""Consistency-based alignment on the CPU: threads share the pairs of sequences and the tree nodes that are ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import method_run, refinement, sizes
from antidiag.kernels.msa.consistency.posterior_blocks import BlockPosteriors, open_block, pack_block
from antidiag.kernels.msa.consistency.posteriors.cpu_stages import CpuStages, FindPairs
from antidiag.kernels.msa.consistency.recipe import make_recipe
from antidiag.kernels.msa.consistency.solver import ConsistencyStages
from antidiag.kernels.msa.consistency.stage_observer import StageObserver
from antidiag.kernels.msa.parameters import PosteriorParameters
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.run_splitting import PieceSource
from antidiag.kernels.steps import StepLog

AnswerFunction = Callable[[Any, ConsistencyStages, CpuRun, StageObserver], MsaAnswer]


def compute_block(
    problem: MsaProblem, parameters: PosteriorParameters, numbers: Mapping[str, int], monitor: Monitor
) -> Mapping[str, np.ndarray]:
    """Compute the posteriors of a block of pairs; see `posterior_blocks`."""
    block, run = open_block(problem, numbers), CpuRun(monitor, threads=parameters.threads)
    sequences = method_run.encode_sequences(problem)
    run.compile(lambda: method_run.compile_posteriors(block.models))
    return pack_block(CpuStages(run, block.recipe.cut).compute_pairs(sequences, block.models, block.tasks))


def finish_alignment(
    problem: MsaProblem, parameters: PosteriorParameters, monitor: Monitor, steps: StepLog, source: PieceSource
) -> Outcome:
    """Align sequences as `align_sequences` does, by posteriors that workers compute."""
    find_pairs = BlockPosteriors(problem, source).find_pairs
    return _run_on_cpu(problem, parameters, monitor, steps, method_run.align_problem, find_pairs)


def _run_on_cpu(
    problem: Any,
    parameters: PosteriorParameters,
    monitor: Monitor,
    steps: StepLog,
    answer: AnswerFunction,
    find_pairs: FindPairs | None = None,
) -> Outcome:
    """Run an answer function on the CPU and time its stages."""
    threads = parameters.threads
    run, recipe = CpuRun(monitor, steps, threads), make_recipe(problem)
    run.compile(lambda: method_run.compile_stages(recipe))
    found = answer(problem, CpuStages(run, recipe.cut, find_pairs), run, method_run.StageClock(problem, run))
    return Outcome(found, run.times_ms, sizes.estimate_memory(problem, parameters, "cpu").host_bytes)


align_sequences = partial(_run_on_cpu, answer=method_run.align_problem)
"""Align sequences on the CPU; the answer has a guide tree and the confidence of each column."""
process_alignment = partial(_run_on_cpu, answer=refinement.process_alignment)
"""Add sequences to a given alignment or refine it, and compute its confidence, on the CPU."""
