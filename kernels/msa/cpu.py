"""Multiple alignment on the CPU: threads share the pairs of the first stage, and the nodes of a phase of the third."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.msa import clustalw as by_clustalw
from kernels.msa import thesis as by_thesis
from kernels.msa import walk
from kernels.msa.parameters import PipelineParameters
from kernels.msa.pipeline import Aligned, Tools, run
from kernels.msa.problem import MsaProblem
from kernels.parameters import typed
from kernels.profiles import batch
from kernels.steps import Steps
from kernels.trees.distances.cpu import distance_full, distance_ktuple
from kernels.trees.joining.cpu import nj_pruned


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
