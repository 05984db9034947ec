"""Whether probabilities of a model can vanish: states fall behind others by more than numbers of 64 bits can tell."""

from __future__ import annotations

import math

from antidiag.kernels.hmm.hmm import Hmm
from antidiag.kernels.hmm.problem import HmmProblem

LOWEST = -900
"""A state may be improbable by 2 to this power without being lost; some room is left to the smallest number."""
CLOSE = 1e-9
"""A share of the logarithm of a path's probability that is rounding."""


def steepest(hmm: Hmm) -> float:
    """The binary logarithm of the smallest product of a transition and an emission that are possible."""
    smallest = (float(part[part > 0].min()) for part in (hmm.transitions, hmm.emissions))
    return sum(map(math.log2, smallest))


def bounded(problem: HmmProblem) -> bool:
    """Whether no state that is possible can fall behind so far that it is lost.

    Where every transition is possible, a row forgets the one before: a state is never less probable than the smallest
    transition and emission make it. Else it can fall behind at every letter.
    """
    hmm = problem.hmm
    letters = 1 if hmm.transitions.min() > 0 else problem.n
    return letters * steepest(hmm) + math.log2(float(hmm.initial[hmm.initial > 0].min())) > LOWEST


def least(hmm: Hmm) -> float:
    """What a state must be worth, so that its next product is no smaller than a number can be; 2 where nothing is."""
    exponent = LOWEST - steepest(hmm)
    return 2.0**exponent if exponent < 0 else 2.0
