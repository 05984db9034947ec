"""Whether states of a model can fall behind others by more than numbers of 64 bits can represent."""

from __future__ import annotations

import math

from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.model.problem import HmmProblem

LEAST_EXPONENT = -900
"""A state may be improbable by 2 to this power without being lost; some room is left to the smallest number."""
ROUNDING_SHARE = 1e-9
"""Share of the logarithm of a path's probability that is rounding."""


def log2_smallest_step(hmm: Hmm) -> float:
    """Return the binary logarithm of the smallest product of a possible transition and a possible emission."""
    smallest = (float(part[part > 0].min()) for part in (hmm.transitions, hmm.emissions))
    return sum(map(math.log2, smallest))


def cannot_underflow(problem: HmmProblem) -> bool:
    """Return whether no possible state can fall behind so far that it is lost.

    Where every transition is possible, a row forgets the one before: a state is never less probable than the smallest
    transition and emission make it. Otherwise it can fall behind at every letter.
    """
    hmm = problem.hmm
    letters = 1 if hmm.transitions.min() > 0 else problem.n
    return letters * log2_smallest_step(hmm) + math.log2(float(hmm.initial[hmm.initial > 0].min())) > LEAST_EXPONENT


def least_safe_number(hmm: Hmm) -> float:
    """Return the least value of a state whose next product cannot underflow; 2 where there is none."""
    exponent = LEAST_EXPONENT - log2_smallest_step(hmm)
    return 2.0**exponent if exponent < 0 else 2.0
