"""The problem of a guide tree of very many sequences, its answer, and how both are reported."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.io import newick
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import LabelledRows, ProblemInput
from antidiag.kernels.model import Result, Sequence, have_same_names
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.parttree.dp_class import JOINS
from antidiag.kernels.sequences.sequence_set import SequenceSet, pack_sequences
from antidiag.kernels.serialization import stored
from antidiag.kernels.trees.distances.shared_words.kmers import K
from antidiag.kernels.trees.named_sequences import NamedSequences
from antidiag.kernels.trees.problem import make_tree_problem_type

SEQUENCES = ProblemInput(SEQUENCE, 1, None)

FILTER_SHARE = 0.7
"""A pick is dropped if it is nearer to a kept pick than this share of the largest distance from the pivot."""
MEAN_SHARE = 0.1
"""The share of the mean in the linkage of the references; the rest is the smaller distance."""
LINKED_PER_REFERENCE = 20
"""Medoid trees: sequences drawn for each reference; groups of no more than that are linked as a whole."""
MEDOID_ROUNDS = 10
"""Rounds of the search for medoids, at most."""
DISTANCE_UNIT = 1 << 16
"""Parts of 1 in which distances to medoids are summed, so that a sum is the same in any order."""

PARTTREE, SINGLE, MEDOID = "PartTree", "single linkage", "medoids"
"""Criteria: which tree of the sequences a method makes."""

OPTIONS = (
    Parameter("references", "int", "References",
              "Reference sequences at each level of the recursion; all others are compared with them (50 in MAFFT; "
              "5,000 in Razzolini and Melo 2020). More references give a better tree and take longer.",
              default=50, minimum=2, maximum=100_000, unit="sequences"),
    Parameter("pick_seed", "int", "Seed", "Seed of the random choice of references. The same seed gives the same "
              "tree. Neither has an effect on single linkage.", default=1, minimum=0,
              maximum=2**31 - 1),
)  # fmt: skip


@stored("parttree-problem")
@dataclass(frozen=True)
class PartTreeProblem(NamedSequences):
    """Sequences of any number and length, and how many of them are picked as references; see OPTIONS."""

    sequences: tuple[Sequence, ...] | SequenceSet = field(repr=False)
    references: int = 50
    pick_seed: int = 1

    @property
    def data(self) -> Sequences[Sequence]:
        """The input data of the problem."""
        return self.sequences

    @property
    def cells(self) -> int:
        """Distances between references and sequences on the first level."""
        return min(self.references, len(self.sequences)) * len(self.sequences)

    @property
    def size(self) -> str:
        """The number of sequences and of references, as text."""
        count = len(self.sequences)
        return f"{count:,} sequence{'s' * (count != 1)}, {self.references:,} references"

    @cached_property
    def letters(self) -> int:
        """The number of letters of all sequences."""
        return int(self.lengths.sum())

    @cached_property
    def is_protein(self) -> bool:
        """Whether any sequence is a protein."""
        return not scoring_options.are_nucleotides(self.sequences)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user: names that were made distinct, and types that differ."""
        return (*self.renaming_notes, *scoring_options.sequence_notes(self.sequences))


@stored("parttree-answer")
@dataclass(frozen=True, eq=False)
class PartTreeAnswer:
    """A guide tree, and the recursion that made it.

    ``splits`` int64 (k, 5), ascending: for each group that was split its level (from 0), pivot (number of the sequence,
    from 0), number of different sequences, number of picks, and number of references after the filter. A group with no
    picks has only distances of 0 and was joined evenly. Other criteria have no splits.

    ``references`` int64 (r, 4), in the order of the splits: for each reference its split (row of ``splits``), its
    sequence, the number of different sequences that joined it, itself included, and the split of that group, -1 where
    it is alone. For a group that was joined evenly these are all its members. Files of earlier versions have none.
    """

    tree: Tree
    splits: np.ndarray = field(default_factory=lambda: np.zeros((0, 5), np.int64), repr=False)
    references: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), np.int64), repr=False)

    def check(self, problem: PartTreeProblem) -> None:
        """Raise AssertionError unless every sequence is a leaf once, the tree is binary, and no edge is negative."""
        tree = self.tree
        assert have_same_names(tree.taxa, problem.names), "the leaves are not the sequences"
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


def note_short_sequences(problem: PartTreeProblem) -> tuple[str, ...]:
    """Return a note on sequences without a word of 6 letters, for methods whose distances count such words."""
    short = int((problem.lengths < K).sum())
    if not short:
        return ()
    if short == 1:
        return (f"1 sequence has no word of {K} letters; its position in the tree means nothing.",)
    return (f"{short:,} sequences have no word of {K} letters; their positions in the tree mean nothing.",)


def note_unused_picks(problem: PartTreeProblem) -> tuple[str, ...]:
    """Return a note for a method that compares all pairs, where options of the random choice were set."""
    if (problem.references, problem.pick_seed) == (OPTIONS[0].default, OPTIONS[1].default):
        return ()
    return ("All pairs are compared, so that the number of references and the seed have no effect.",)


def draw_key(seed: int, level: int, sequence: int) -> int:
    """Return the random key of a sequence, 64 bits (splitmix64): the sequences of the smallest keys are picked.

    It depends on nothing else, so that groups may be split in any order, and on any device.
    """
    mask = 2**64 - 1
    value = (seed * 0x9E3779B97F4A7C15 + level * 0xD1B54A32D192ED03 + sequence * 0x8CB92BA72F3D8DD7) & mask
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
    return value ^ (value >> 31)


def build_problem(data: Sequences[Sequence], options: Mapping[str, Any]) -> PartTreeProblem:
    """Return the problem of these sequences; empty ones are accepted."""
    return PartTreeProblem(pack_sequences(data), **resolve_values(OPTIONS, options))


def option_values(problem: PartTreeProblem) -> Mapping[str, Any]:
    """Return the option values of a problem."""
    return {option.name: getattr(problem, option.name) for option in OPTIONS}


def json_fields(result: Result) -> dict[str, Any]:
    """Return the tree as Newick, and the recursion."""
    answer: PartTreeAnswer = result.answer
    return {
        "taxa": len(result.problem.sequences),
        "newick": newick.newick_text(answer.tree),
        "splits": answer.splits.tolist(),
        "references": answer.references.tolist(),
    }


def answer_rows(result: Result) -> LabelledRows:
    """Return the rows of the report of an answer."""
    answer: PartTreeAnswer = result.answer
    found = [("Taxa", f"{len(result.problem.sequences):,}"), ("Height", f"{int(answer.tree.depths.max()):,} edges")]
    if len(answer.splits):
        levels, _, members, picks, kept = answer.splits.T
        found += [("Levels", f"{int(levels.max()) + 1:,}"), ("Groups", f"{len(levels):,}")]
        found += [
            ("References of level 1", f"{kept[0]:,} of {picks[0]:,} picks for {members[0]:,} different sequences")
        ]
    return found


def first_level_numbers(result: Result) -> Mapping[str, float]:
    """Return the counts of the first level (Razzolini and Melo 2020, table 4): references after the filter, and their
    distances."""
    splits = result.answer.splits
    if not len(splits):
        return {}
    count, kept = float(len(result.problem.sequences)), float(splits[0, 4])
    return {"references": kept, "distances": kept * count, "megabytes": 4 * kept * count / 2**20}


PART_TREE = make_tree_problem_type(
    id="parttree",
    label="Guide tree of many sequences",
    inputs=(SEQUENCES,),
    options=OPTIONS,
    build_problem=build_problem,
    default_options=lambda data: {},
    answer_json=json_fields,
    answer_rows=answer_rows,
    answer_quantities=first_level_numbers,
    setting_rows=lambda problem: [("References", f"{problem.references:,}"), ("Seed", str(problem.pick_seed))],
    option_values=option_values,
    work_unit="pairs",
    trials_name="antidiag.kernels.parttree.trials:PART_TREE",
    dp_classification=JOINS,
)
