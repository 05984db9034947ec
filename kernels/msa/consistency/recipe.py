"""What defines an alignment beside the sequences, as the engine takes it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from kernels.msa.consistency import models
from kernels.msa.consistency.models import CUT, UNIT, PairModel
from kernels.msa.consistency.rules import ConsistencyRules, RefinementRules
from kernels.msa.problem import MsaProblem


@dataclass(frozen=True)
class Recipe:
    """What defines the alignment beside the sequences.

    ``rounds`` of consistency up to ``small`` sequences, one beyond, none at all where it is 0; it goes by way of all
    sequences up to ``all_others``, beyond by way of the nearest ``others`` of both, or of fewer, so that these times
    the sequences are ``ways``, ``least_others`` at least; ``refinements`` are the columns at which the alignment is
    split and merged again. Posteriors below ``cut`` units are dropped.
    """

    models: tuple[PairModel, ...]
    rounds: int = 2
    small: int = 50
    all_others: int = 200
    others: int = 100
    ways: int = 40_000
    least_others: int = 30
    refinements: int = 30
    seed: int = 1
    cut: int = CUT

    def others_of(self, sequences: int) -> int:
        """By way of how many others so many sequences become consistent."""
        if sequences <= self.all_others:
            return sequences
        return max(min(self.others, self.ways // sequences), self.least_others)


def recipe(problem: MsaProblem) -> Recipe:
    """The recipe of an effort."""
    own: ConsistencyRules | RefinementRules = problem.rules
    chosen = models.protein_models() if problem.protein else models.dna_models()
    if isinstance(own, ConsistencyRules) and own.effort == "fast":
        return Recipe(chosen, rounds=1, refinements=0, seed=own.refinement_seed, cut=cut_of(own))
    return Recipe(chosen, seed=own.refinement_seed, cut=cut_of(own))


def cut_of(rules: ConsistencyRules | RefinementRules) -> int:
    """The least posterior that is kept, in units."""
    return ceil(UNIT * rules.least_posterior)
