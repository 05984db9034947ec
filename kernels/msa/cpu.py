"""Multiple alignment on the CPU: threads share the pairs of the first stage, and the nodes of a phase of the third."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import clustalw as by_clustalw
from antidiag.kernels.msa import thesis as by_thesis
from antidiag.kernels.msa import walk
from antidiag.kernels.msa.parameters import PipelineParameters
from antidiag.kernels.msa.pipeline import Aligned, Tools, run
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parameters import typed
from antidiag.kernels.profiles import batch
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees.distances.cpu import distance_full, distance_ktuple
from antidiag.kernels.trees.joining.cpu import nj_pruned


def _run(
    aligned: Aligned, problem: MsaProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps,
    at_once: bool = True,
) -> Outcome:  # fmt: skip
    threads = typed(PipelineParameters, parameters).threads
    align_each = partial(batch.align_each, threads=threads)
    progressive = partial(walk.align, at_once=at_once)
    return run(aligned, problem, Tools(distance_full, distance_ktuple, nj_pruned, align_each, threads, progressive),
               monitor, steps)  # fmt: skip


thesis = partial(_run, by_thesis.aligned)
thesis_serial = partial(_run, by_thesis.aligned, at_once=False)
clustalw = partial(_run, by_clustalw.aligned)
