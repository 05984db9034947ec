"""Progressive alignment on the CPU: threads share the pairs of the first stage and the nodes of each level."""

from __future__ import annotations

from functools import partial

from antidiag.kernels.cpu.cpu_run import CpuRun
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
from antidiag.kernels.trees.distances.cpu import distance_full, distance_ktuple
from antidiag.kernels.trees.joining.cpu import nj_pruned


def _run_pipeline(
    aligned: AlignMethod,
    problem: MsaProblem,
    parameters: MethodParameters,
    monitor: Monitor,
    steps: StepLog,
    at_once: bool = True,
) -> Outcome:
    """Run a pipeline with the methods of the CPU."""
    threads = parameters.worker_threads
    align_each = partial(many_alignments.align_encoded_pairs, threads=threads)
    along_tree = partial(progressive.align_along_tree, align_each=align_each, at_once=at_once)
    tools, run = PipelineTools(distance_full, distance_ktuple, nj_pruned, along_tree), CpuRun(monitor, steps, threads)
    run.compile(partial(compile_pipeline, aligned, problem, tools, monitor))
    return run_pipeline(aligned, problem, tools, run)


align_thesis = partial(_run_pipeline, by_thesis.align_thesis)
align_thesis_serially = partial(_run_pipeline, by_thesis.align_thesis, at_once=False)
align_clustalw = partial(_run_pipeline, by_clustalw.align_clustalw)
