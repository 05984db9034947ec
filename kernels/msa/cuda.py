"""Multiple alignment on the GPU: the pairs of the first stage, the joins of the second, and the nodes of each phase of
the third, by the kernels of their families."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import clustalw as by_clustalw
from antidiag.kernels.msa import thesis as by_thesis
from antidiag.kernels.msa import walk
from antidiag.kernels.msa.pipeline import Aligned, Tools, run
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.profiles import batch
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees.distances.cuda import distance_full, distance_ktuple
from antidiag.kernels.trees.joining.cuda import nj_pruned


def _run(
    aligned: Aligned, problem: MsaProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    align_each = partial(batch.align_each, backend="cuda")
    tools = Tools(distance_full, distance_ktuple, nj_pruned, align_each, 1, walk.align)
    return run(aligned, problem, tools, monitor, steps)


thesis = partial(_run, by_thesis.aligned)
clustalw = partial(_run, by_clustalw.aligned)
