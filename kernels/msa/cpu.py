"""Multiple alignment on the CPU: threads share the pairs of the first stage, and the nodes of a phase of the third."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from kernels.io.tree import Tree
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.msa import clustalw as by_clustalw
from kernels.msa import thesis as by_thesis
from kernels.msa.parameters import PipelineParameters
from kernels.msa.pipeline import Job, Tools
from kernels.msa.problem import MsaProblem
from kernels.parameters import typed
from kernels.profiles import batch
from kernels.steps import Steps
from kernels.trees.distances.cpu import distance_full, distance_ktuple
from kernels.trees.joining.cpu import nj_pruned

Aligned = Callable[[Job], tuple[np.ndarray, Tree]]
"""What a method does: rows in the order of the sequences that have letters, and the guide tree."""


def _run(
    aligned: Aligned, problem: MsaProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    threads = typed(PipelineParameters, parameters).threads
    align = lambda pairs, scoring, span, monitor: batch.align(pairs, scoring, span, threads, monitor)  # noqa: E731
    job = Job(problem, Tools(distance_full, distance_ktuple, nj_pruned, align, threads), monitor, steps)
    return job.outcome(*aligned(job))


thesis = partial(_run, by_thesis.aligned)
clustalw = partial(_run, by_clustalw.aligned)
