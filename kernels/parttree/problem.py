"""The problem of a guide tree of very many sequences, its answer, and how they are told."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.courtesy import in_turns
from antidiag.kernels.io import newick, tree_files
from antidiag.kernels.io.names import distinct, renaming
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import Input, ProblemType, Rows
from antidiag.kernels.model import Result, Sequence, lengths_of, same_names
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.parttree.placement import JOINS
from antidiag.kernels.serialization import stored
from antidiag.kernels.trees.distances.kmers import K

SEQUENCES = Input(SEQUENCE, 1, None)

FILTER = 0.7
"""A pick is dropped that is nearer to one kept than this part of the largest distance from the pivot."""
MEAN_SHARE = 0.1
"""The share of the mean in the linkage of the references; the rest is the lesser distance."""
LINKED = 20
"""Medoid trees: sequences for each reference that are drawn; groups of no more are linked as a whole."""
ROUNDS = 10
"""How often medoids are sought."""
UNIT = 1 << 16
"""Parts of 1 in which distances to medoids are summed, so that a sum is the same in any order."""

PARTTREE, SINGLE, MEDOID = "PartTree", "single linkage", "medoids"
"""Criteria: what methods mean by the tree of the sequences."""

OPTIONS = (
    Parameter("references", "int", "References",
              "Sequences that are picked at every level of the recursion, with which all others are compared (50 in "
              "MAFFT; 5,000 in the paper). Many give a better tree, and take longer.",
              default=50, minimum=2, maximum=100_000, unit="sequences"),
    Parameter("pick_seed", "int", "Seed", "What decides which sequences are picked; one seed gives one tree.",
              default=1, minimum=0, maximum=2**31 - 1),
)  # fmt: skip


@stored("parttree-problem")
@dataclass(frozen=True)
class PartTreeProblem:
    """Sequences, of any number and length, and how many of them are references; see OPTIONS."""

    sequences: tuple[Sequence, ...] = field(repr=False)
    references: int = 50
    pick_seed: int = 1

    @property
    def data(self) -> tuple[Sequence, ...]:
        return self.sequences

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the leaves: those of the sequences, made different."""
        return distinct(sequence.name for sequence in in_turns(self.sequences))

    @property
    def cells(self) -> int:
        """Distances between references and sequences on the first level."""
        return min(self.references, len(self.sequences)) * len(self.sequences)

    @property
    def title(self) -> str:
        more = len(self.sequences) - 1
        return self.sequences[0].name + (f" and {more:,} more" if more else "")

    @property
    def size(self) -> str:
        count = len(self.sequences)
        return f"{count:,} sequence{'s' * (count != 1)}, {self.references:,} references"

    @cached_property
    def lengths(self) -> np.ndarray:
        """Letters of each sequence, int64."""
        return lengths_of(self.sequences)

    @cached_property
    def letters(self) -> int:
        """Letters of all sequences."""
        return int(self.lengths.sum())

    @cached_property
    def protein(self) -> bool:
        return not scoring_options.nucleotides(self.sequences)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the sequences: names that were made different, and those without a word."""
        renamed = renaming((sequence.name for sequence in in_turns(self.sequences)), self.names)
        short = int((self.lengths < K).sum())
        have = "sequence has" if short == 1 else "sequences have"
        told = f"{short:,} {have} no word of {K} letters: in the tree, but its place there says nothing."
        return (*((f"Sequences with {renamed}.",) if renamed else ()), *((told,) if short else ()))


@stored("parttree-answer")
@dataclass(frozen=True, eq=False)
class PartTreeAnswer:
    """A guide tree, and the recursion that made it.

    ``splits`` int64 (k, 5), in ascending order: of every group that was split the level (from 0), its pivot (number of
    the sequence, from 0), different sequences in it, picks, and references that the filter left; no picks where all
    distances are 0, so that the group was joined evenly. Other criteria have no splits.

    ``references`` int64 (r, 4), in the order of the splits: of every reference its split (row of ``splits``), its
    sequence, how many different sequences joined it, itself included, and the split that these became, -1 where it is
    alone. Of a group that was joined evenly they are all its members. Files of earlier versions have none.
    """

    tree: Tree
    splits: np.ndarray = field(default_factory=lambda: np.zeros((0, 5), np.int64), repr=False)
    references: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), np.int64), repr=False)

    def check(self, problem: PartTreeProblem) -> None:
        """AssertionError unless every sequence is a leaf once, the tree is binary, and no edge is negative."""
        tree = self.tree
        assert same_names(tree.taxa, problem.names), "the leaves are not the sequences"
        assert ((tree.degrees == 2) | (tree.degrees == 0)).all(), "a node has not two children"
        assert (tree.lengths[1:] >= 0).all(), "an edge has no length, or a negative one"
        if len(self.splits):
            levels, _, members, picks, kept = self.splits.T
            assert levels[0] == 0 and (np.diff(np.unique(levels)) == 1).all(), "a level is missing"
            assert (members >= picks).all() and (picks >= kept).all(), "more references than picks, or than members"
            assert ((kept >= 2) | (picks == 0)).all(), "a group was not split"
        if len(self.references):
            split, _, joined, below = self.references.T
            sums = np.bincount(split, joined, len(self.splits))
            assert (sums == self.splits[:, 2]).all(), "the groups of the references are not their group"
            parts = below >= 0
            assert (np.sort(below[parts]) == np.arange(1, len(self.splits))).all(), "a group is of no reference"
            assert (self.splits[below[parts], 2] == joined[parts]).all(), "a group has another size on its level"


def draw_key(seed: int, level: int, sequence: int) -> int:
    """What decides by chance which sequences are picked: those of the least keys; 64 bits (splitmix64).

    It depends on nothing else, so that groups may be split in any order, and on any device.
    """
    mask = 2**64 - 1
    value = (seed * 0x9E3779B97F4A7C15 + level * 0xD1B54A32D192ED03 + sequence * 0x8CB92BA72F3D8DD7) & mask
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
    return value ^ (value >> 31)


def build(data: Sequences[Sequence], options: Mapping[str, Any]) -> PartTreeProblem:
    """The problem of these sequences; empty ones are taken as well."""
    return PartTreeProblem(tuple(data), **resolve(OPTIONS, options))


def option_values(problem: PartTreeProblem) -> Mapping[str, Any]:
    return {option.name: getattr(problem, option.name) for option in OPTIONS}


def json_fields(result: Result) -> dict[str, Any]:
    """Newick, and the recursion."""
    answer: PartTreeAnswer = result.answer
    return {
        "taxa": len(result.problem.sequences), "newick": newick.newick(answer.tree), "splits": answer.splits.tolist(),
        "references": answer.references.tolist(),
    }  # fmt: skip


def rows(result: Result) -> Rows:
    """The answer for people."""
    answer: PartTreeAnswer = result.answer
    told = [("Taxa", f"{len(result.problem.sequences):,}"), ("Height", f"{int(answer.tree.depths.max()):,} edges")]
    if len(answer.splits):
        levels, _, members, picks, kept = answer.splits.T
        told += [("Levels", f"{int(levels.max()) + 1:,}"), ("Groups", f"{len(levels):,}")]
        told += [("References of level 1", f"{kept[0]:,} of {picks[0]:,} picks for {members[0]:,} different sequences")]
    return told


def numbers(result: Result) -> Mapping[str, float]:
    """What is told of the first level (002, table 4): references that the filter left, and their distances."""
    splits = result.answer.splits
    if not len(splits):
        return {}
    count, kept = float(len(result.problem.sequences)), float(splits[0, 4])
    return {"references": kept, "distances": kept * count, "megabytes": 4 * kept * count / 2**20}


PART_TREE = ProblemType(
    id="parttree",
    label="Guide tree of many sequences",
    inputs=(SEQUENCES,),
    options=OPTIONS,
    build=build,
    defaults=lambda data: {},
    data=json_fields,
    rows=rows,
    answer=lambda result: result.answer.tree.summary,
    formats=tree_files.FORMATS,
    products=lambda result: [result.answer.tree],
    numbers=numbers,
    settings=lambda problem: [("References", f"{problem.references:,}"), ("Seed", str(problem.pick_seed))],
    option_values=option_values,
    unit="pairs",
    trials="antidiag.kernels.parttree.trials:PART_TREE",
    placement=JOINS,
)
