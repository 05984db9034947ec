"""Multiple alignment on the GPU: the pairs of the first stage, the joins of the second, and the nodes of each phase of
the third, by the kernels of their families."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.msa import clustalw as by_clustalw
from kernels.msa import thesis as by_thesis
from kernels.msa import walk
from kernels.msa.pipeline import Aligned, Tools, run
from kernels.msa.problem import MsaProblem
from kernels.profiles import batch
from kernels.steps import Steps
from kernels.trees.distances.cuda import distance_full, distance_ktuple
from kernels.trees.joining.cuda import nj_pruned


def _run(
    aligned: Aligned, problem: MsaProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    align_each = partial(batch.align_each, backend="cuda")
    tools = Tools(distance_full, distance_ktuple, nj_pruned, align_each, 1, walk.align)
    return run(aligned, problem, tools, monitor, steps)


thesis = partial(_run, by_thesis.aligned)
clustalw = partial(_run, by_clustalw.aligned)
