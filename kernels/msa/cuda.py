"""Progressive alignment on a GPU: pairs, joins and the nodes of each level run on the kernels of their families."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cuda import devices
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.pipelines import clustalw as by_clustalw
from antidiag.kernels.msa.pipelines import progressive
from antidiag.kernels.msa.pipelines import thesis as by_thesis
from antidiag.kernels.msa.pipelines.pipeline import AlignMethod, PipelineTools, compile_pipeline, run_pipeline
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles.wavefront import many_alignments
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.distances.cuda import distance_full, distance_ktuple
from antidiag.kernels.trees.joining.cuda import nj_pruned


def _run_pipeline(
    aligned: AlignMethod, problem: MsaProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run a pipeline with the methods of the GPU."""
    align_each = partial(many_alignments.align_encoded_pairs, backend="cuda")
    tools = PipelineTools(distance_full, distance_ktuple, nj_pruned, partial(_align_along_tree, align_each=align_each))
    run = CpuRun(monitor, steps)
    before = time.perf_counter()
    compile_pipeline(aligned, problem, tools, monitor)  # on this thread, for which the device is open
    run.times_ms["compilation"] = (time.perf_counter() - before) * 1e3
    return run_pipeline(aligned, problem, tools, run)


def _align_along_tree(*given: Any, **named: Any) -> np.ndarray:
    """Align along the tree. Its memory is given back first: small arrays in it would keep the rest from the nodes."""
    devices.run_memory_pool().free_all_blocks()
    return progressive.align_along_tree(*given, **named)


align_thesis = partial(_run_pipeline, by_thesis.align_thesis)
align_clustalw = partial(_run_pipeline, by_clustalw.align_clustalw)
