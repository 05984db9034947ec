"""The recipe of a consistency-based alignment: everything that defines it beside the sequences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from antidiag.kernels.msa.consistency.posteriors import pair_models
from antidiag.kernels.msa.consistency.posteriors.pair_models import CUT, UNIT, PairModel
from antidiag.kernels.msa.consistency.rules import ConsistencyRules, RefinementRules
from antidiag.kernels.msa.problem import MsaProblem


@dataclass(frozen=True)
class ConsistencyRecipe:
    """Everything that defines an alignment beside the sequences.

    ``rounds`` of consistency apply up to ``small`` sequences, at most one beyond. Up to ``all_others`` sequences it
    goes through all of them, beyond through the nearest ``others`` of both, or fewer: their number times the number of
    sequences is at most ``ways``, but at least ``least_others`` are used. ``refinements`` columns split the alignment
    for refinement. Posteriors below ``cut`` units are dropped. ``triplets``: three small groups are aligned at once.
    ``tree_weights``: ClustalW's weights, else one over the number of similar sequences. ``make_variants`` are recipes
    of alignments whose agreement is aligned.
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
    variants: tuple[ConsistencyRecipe, ...] = ()

    def count_rounds(self, sequences: int) -> int:
        """Return how many rounds of consistency apply to so many sequences."""
        return self.rounds if sequences <= self.small else min(self.rounds, 1)

    def intermediate_count(self, sequences: int) -> int:
        """Return through how many intermediate sequences consistency goes, of so many sequences."""
        if sequences <= self.all_others:
            return sequences
        return max(min(self.others, self.ways // sequences), self.least_others)


def make_recipe(problem: MsaProblem) -> ConsistencyRecipe:
    """Return the recipe of a problem's effort."""
    own: ConsistencyRules | RefinementRules = problem.rules
    triplets = isinstance(own, ConsistencyRules) and own.triplets
    chosen = pair_models.make_protein_models() if problem.is_protein else pair_models.make_dna_models()
    normal = ConsistencyRecipe(
        chosen, seed=own.refinement_seed, cut=minimum_units(own), triplets=triplets, tree_weights=not problem.is_protein
    )
    effort = own.effort if isinstance(own, ConsistencyRules) else "normal"
    if effort == "fast":
        return replace(normal, rounds=1, refinements=0)
    return replace(normal, variants=make_variants(normal, problem.is_protein)) if effort == "thorough" else normal


def make_variants(normal: ConsistencyRecipe, protein: bool) -> tuple[ConsistencyRecipe, ...]:
    """Return the recipes of "thorough", which differ in their models."""
    others = pair_models.make_protein_variants() if protein else pair_models.make_dna_variants()
    return (normal, *(replace(normal, models=made) for made in others))


def minimum_units(rules: ConsistencyRules | RefinementRules) -> int:
    """Return the least posterior that is kept, in units."""
    return ceil(UNIT * rules.least_posterior)
