"""Problems of placed trees: rows of an alignment, or sequences by sketches of their words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.method import LabelledRows, ProblemInput, ProblemType
from antidiag.kernels.model import Result, Sequence, sequence_lengths
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.scoring_options import are_nucleotides, sequence_notes
from antidiag.kernels.sequences.sequence_set import pack_sequences
from antidiag.kernels.serialization import stored
from antidiag.kernels.trees import problem as tree_problem
from antidiag.kernels.trees.alignment_trees.problem import ONE_ALIGNMENT
from antidiag.kernels.trees.distances.alignment_columns.column_distances import (
    PROTEIN_PLANES,
    DistanceModel,
    count_planes,
    make_alignment_model,
    make_sketch_model,
)
from antidiag.kernels.trees.distances.problem import MODEL, SEQUENCES, refuse_empty, refuse_model
from antidiag.kernels.trees.named_sequences import AlignedRows, NamedSequences
from antidiag.kernels.trees.problem import OPTIONS as TREE_OPTIONS

BACKBONE = Parameter("backbone", "int", "Backbone", "Sequences, drawn at random, whose tree is made by neighbor "
                     "joining first, from all their distances.", default=300, minimum=4, maximum=20_000,
                     unit="sequences")  # fmt: skip
ORDER_SEED = Parameter("order_seed", "int", "Order seed", "Seed of the random order in which sequences are placed.",
                       default=1, minimum=0, maximum=2**31 - 1)  # fmt: skip
WORD = Parameter("word", "int", "Word length", "Letters of a word of the sketches. Automatic: such that a given word "
                 "is in 10 % of random sequences of the mean length.", default=None, minimum=2, maximum=16,
                 unit="letters")  # fmt: skip
BINS = Parameter("bins", "int", "Bins", "Words of a sketch. More bins make distances more precise, and take more "
                 "memory and time.", default=1024, minimum=64, maximum=65_536, step=64, unit="words")  # fmt: skip
ROOTING = tuple(option for option in TREE_OPTIONS if option.name in ("root", "outgroup"))
ALIGNED_OPTIONS = (MODEL, BACKBONE, ORDER_SEED, *ROOTING)
SKETCH_OPTIONS = (WORD, BINS, BACKBONE, ORDER_SEED, *ROOTING)
RANDOM_SHARE = 0.1
"""Share of random sequences that have a given word, by which the word length is chosen (Ondov and others 2016)."""
LONGEST_WORD = {True: 12, False: 16}
"""Letters of the longest word of proteins (True) and nucleotides, whose bits fit an integer."""


class PlacedProblem:
    """What both problems have: options of the placement and of the tree."""

    backbone: int
    order_seed: int
    root: str
    outgroup: str
    negative = "zero"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the taxa."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """The name of the data."""
        raise NotImplementedError

    @property
    def taxa(self) -> int:
        """The number of taxa."""
        return len(self.names)

    @property
    def columns(self) -> int:
        """Columns that are compared of each pair."""
        raise NotImplementedError

    @property
    def planes(self) -> int:
        """Bits of a letter."""
        raise NotImplementedError

    @property
    def cells(self) -> int:
        """Columns of all pairs."""
        return max(self.taxa * (self.taxa - 1) // 2 * self.columns, 1)

    def order(self) -> np.ndarray:
        """Return the order in which the taxa are placed, int64 (taxa,)."""
        return np.random.default_rng(self.order_seed).permutation(self.taxa)

    def make_model(self) -> DistanceModel:
        """Return the model of the distances."""
        raise NotImplementedError


@stored("placed-alignment-problem")
@dataclass(frozen=True)
class PlacedAlignmentProblem(AlignedRows, PlacedProblem):
    """The rows of an alignment, to be placed; see ALIGNED_OPTIONS."""

    alignment: AlignedSequences
    model: str = "p"
    backbone: int = 300
    order_seed: int = 1
    root: str = "none"
    outgroup: str = ""

    @property
    def columns(self) -> int:
        """Columns of the alignment."""
        return int(self.alignment.letters.shape[1])

    @property
    def planes(self) -> int:
        """Bits of a letter."""
        return count_planes(self.alignment.type)

    def make_model(self) -> DistanceModel:
        """Return the model of the distances."""
        return make_alignment_model(self.model, self.alignment)


@stored("placed-sequences-problem")
@dataclass(frozen=True)
class PlacedSequencesProblem(NamedSequences, PlacedProblem):
    """Sequences, to be placed by sketches of their words; see SKETCH_OPTIONS."""

    sequences: Sequences[Sequence]
    word: int = 9
    bins: int = 1024
    backbone: int = 300
    order_seed: int = 1
    root: str = "none"
    outgroup: str = ""

    @property
    def data(self) -> Sequences[Sequence]:
        """The input data of the problem."""
        return self.sequences

    @property
    def columns(self) -> int:
        """Bins of a sketch."""
        return self.bins

    @property
    def planes(self) -> int:
        """Bits of a bin: whether there is a word, and five bits of its number."""
        return PROTEIN_PLANES

    @property
    def size(self) -> str:
        """The number of sequences, as text."""
        return f"{len(self.sequences):,} sequence{'s' * (len(self.sequences) != 1)}"

    @cached_property
    def is_protein(self) -> bool:
        """Whether any sequence is a protein."""
        return not are_nucleotides(self.sequences)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user: names that were made distinct, types that differ, and sequences without a word."""
        notes = (*self.renaming_notes, *sequence_notes(self.sequences))
        short = int((self.lengths < self.word).sum())
        if not short:
            return notes
        have = "sequence is" if short == 1 else "sequences are"
        return (
            *notes,
            f"{short:,} {have} shorter than a word of {self.word} letters, and at distance 5 from all others.",
        )

    def make_model(self) -> DistanceModel:
        """Return the model of the distances."""
        return make_sketch_model(self.word)


def choose_word(sequences: Sequences[Sequence]) -> int:
    """Return the length of words of which RANDOM_SHARE of random sequences of the mean length have a given one."""
    letters = 4 if are_nucleotides(sequences) else 20
    mean = max(float(sequence_lengths(sequences).mean()), 2.0)
    found = math.ceil(math.log(mean * (1 - RANDOM_SHARE) / RANDOM_SHARE, letters))
    return min(max(found, 2), LONGEST_WORD[letters == 20])


def _build_aligned(data: Sequences[AlignedSequences], options: Mapping[str, Any]) -> PlacedAlignmentProblem:
    """Build a problem of the rows of an alignment."""
    ONE_ALIGNMENT.check(len(data))
    (alignment,) = data
    values = dict(resolve_values(ALIGNED_OPTIONS, options))
    model = values.pop("distance_model")
    refuse_model(alignment, model)
    tree_problem.check_outgroup(values["root"], values["outgroup"], alignment.names, alignment.name)
    return PlacedAlignmentProblem(alignment, model, **values)


def _build_sequences(data: Sequences[Sequence], options: Mapping[str, Any]) -> PlacedSequencesProblem:
    """Build a problem of sequences."""
    refuse_empty(data)
    values = dict(resolve_values(SKETCH_OPTIONS, options))
    values["word"] = values["word"] or choose_word(data)
    problem = PlacedSequencesProblem(pack_sequences(data), **values)
    longest = LONGEST_WORD[problem.is_protein]
    if problem.word > longest:
        raise InputError(f"word={problem.word} is too long for proteins; give at most {longest}")
    tree_problem.check_outgroup(problem.root, problem.outgroup, problem.names, problem.title)
    return problem


def _json_fields(result: Result) -> dict[str, Any]:
    """Return the fields of a tree, and the options of the placement."""
    problem = result.problem
    fields = tree_problem.json_fields(result) | {"backbone": problem.backbone, "order_seed": problem.order_seed}
    if isinstance(problem, PlacedAlignmentProblem):
        return fields | {"distance_model": problem.model}
    return fields | {"word": problem.word, "bins": problem.bins}


def _option_values(problem: Any) -> dict[str, Any]:
    """Return the option values of a problem."""
    names = ("backbone", "order_seed", "root", "outgroup")
    own = {"distance_model": problem.model} if isinstance(problem, PlacedAlignmentProblem) else {}
    own = own or {"word": problem.word, "bins": problem.bins}
    return {**own, **{name: getattr(problem, name) for name in names}}


def _setting_rows(problem: Any) -> LabelledRows:
    """Return the settings of a problem for the report."""
    aligned = isinstance(problem, PlacedAlignmentProblem)
    rows = (
        [("Model", problem.model)] if aligned else [("Sketches", f"{problem.bins:,} words of {problem.word} letters")]
    )
    root = f"outgroup {problem.outgroup}" if problem.root == "outgroup" else problem.root
    return [*rows, ("Backbone", f"{problem.backbone:,}"), ("Order seed", f"{problem.order_seed}"), ("Root", root)]


def _placed_problem_type(
    id: str, label: str, inputs: ProblemInput, options: tuple[Parameter, ...], build: Any, defaults: Any, trials: str
) -> ProblemType:
    """Return a problem type whose answer is a placed tree."""
    return tree_problem.make_tree_problem_type(
        id=id,
        label=label,
        inputs=(inputs,),
        options=options,
        build_problem=build,
        default_options=defaults,
        answer_json=_json_fields,
        answer_rows=tree_problem.answer_rows,
        setting_rows=_setting_rows,
        option_values=_option_values,
        work_unit="columns",
        trials_name=f"antidiag.kernels.trees.placement.trials:{trials}",
    )


PLACED_ALIGNMENT = _placed_problem_type(
    "placed-alignment", "Placed tree of an alignment", ONE_ALIGNMENT, ALIGNED_OPTIONS, _build_aligned, lambda data: {},
    "ALIGNED",
)  # fmt: skip
PLACED_SEQUENCES = _placed_problem_type(
    "placed-sequences", "Placed tree of sequences", SEQUENCES, SKETCH_OPTIONS, _build_sequences,
    lambda data: {"word": choose_word(data)}, "SKETCHED",
)  # fmt: skip
