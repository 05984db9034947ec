"""The bounds of pruning as a phase of a run on the CPU."""

from __future__ import annotations

from functools import cache

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.pairwise.encoding import make_tiny_pair
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import PruningParameters
from antidiag.kernels.pairwise.pruning import cpu_chain, sizes
from antidiag.kernels.pairwise.pruning.bounds import PruningBounds, find_bounds

PHASE = "bounds"
PHASE_NUMBER = 9
"""In the step log, where the bounds have no events."""


def find_bounds_on_cpu(run: CpuRun, problem: PairProblem, parameters: PruningParameters) -> PruningBounds | None:
    """Return the bounds of a pair that is pruned, where there are any of use; raise Cancelled when the user cancels."""
    if not parameters.is_pruned:
        return None
    run.compile_once(compile_kernels)
    with run.phase(PHASE, number=PHASE_NUMBER) as phase:
        bounds, run.times_ms[PHASE] = phase.call(lambda: sizes.timed_bounds(problem))
    return bounds


@cache
def compile_kernels() -> None:
    """Compile the kernels, or load them from the cache folder, by running a tiny pair."""
    letter = np.zeros(1, np.uint8)
    cpu_chain.count_shared_words(letter, letter, 1, 1, 1)  # which a short pair does without
    find_bounds(make_tiny_pair())
