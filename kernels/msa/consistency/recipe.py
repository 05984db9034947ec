"""What defines an alignment beside the sequences, as the engine takes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from antidiag.kernels.msa.consistency import models
from antidiag.kernels.msa.consistency.models import CUT, UNIT, PairModel
from antidiag.kernels.msa.consistency.rules import ConsistencyRules, RefinementRules
from antidiag.kernels.msa.problem import MsaProblem


@dataclass(frozen=True)
class Recipe:
    """What defines the alignment beside the sequences.

    ``rounds`` of consistency up to ``small`` sequences, one beyond, none at all where it is 0; it goes by way of all
    sequences up to ``all_others``, beyond by way of the nearest ``others`` of both, or of fewer, so that these times
    the sequences are ``ways``, ``least_others`` at least; ``refinements`` are the columns at which the alignment is
    split and merged again. Posteriors below ``cut`` units are dropped. ``triplets``: groups are aligned three at a time
    where they are small (`triplets`). ``tree_weights``: sequences weigh what the tree says, else one over how many are
    like them. ``variants``, where there are any, are recipes of alignments of which one is made that agrees with them
    most.
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
    triplets: bool = False
    tree_weights: bool = False
    variants: tuple[Recipe, ...] = ()

    def others_of(self, sequences: int) -> int:
        """By way of how many others so many sequences become consistent."""
        if sequences <= self.all_others:
            return sequences
        return max(min(self.others, self.ways // sequences), self.least_others)


def recipe(problem: MsaProblem) -> Recipe:
    """The recipe of an effort."""
    own: ConsistencyRules | RefinementRules = problem.rules
    triplets = isinstance(own, ConsistencyRules) and own.triplets
    chosen = models.protein_models() if problem.protein else models.dna_models()
    normal = Recipe(
        chosen, seed=own.refinement_seed, cut=cut_of(own), triplets=triplets, tree_weights=not problem.protein
    )
    effort = own.effort if isinstance(own, ConsistencyRules) else "normal"
    if effort == "fast":
        return replace(normal, rounds=1, refinements=0)
    return replace(normal, variants=variants(normal, problem.protein)) if effort == "thorough" else normal


def variants(normal: Recipe, protein: bool) -> tuple[Recipe, ...]:
    """What differs in the alignments of "thorough" are the models."""
    others = models.protein_variants() if protein else models.dna_variants()
    return (normal, *(replace(normal, models=made) for made in others))


def cut_of(rules: ConsistencyRules | RefinementRules) -> int:
    """The least posterior that is kept, in units."""
    return ceil(UNIT * rules.least_posterior)
