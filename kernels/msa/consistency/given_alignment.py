"""A given alignment that is refined, judged or extended: its problem, options and inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.alignment_formats.raw_alignment import DESCRIPTION
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import TREE
from antidiag.kernels.method import ProblemInput, ProblemType
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa.consistency.rules import SEED, RefinementRules, check_sizes, choose_least_posterior
from antidiag.kernels.msa.problem import MsaProblem, problem_type, use_given_tree
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count

NONE, ONCE, THOROUGH = "none", "once", "thorough"

REFINEMENT = Parameter(
    name="refinement",
    kind="choice",
    label="Refinement",
    help="none: keep the alignment and compute its confidence. once: split the rows at each edge of the tree, at "
    "columns and at random, and merge them again where expected accuracy rises. thorough: repeat until the score "
    "stops improving.",
    default=ONCE,
    choices=(NONE, ONCE, THOROUGH),
)
OPTIONS = (REFINEMENT, SEED)
GIVEN = ProblemInput(ALIGNMENT, 1, 1)
GIVEN_TREE = ProblemInput(TREE, 0, 1, flag="tree", label="Guide tree")
ADDED = ProblemInput(SEQUENCE, 1, None, flag="add", label="Sequences to add")


@stored("msa-given-problem")
@dataclass(frozen=True)
class GivenProblem(MsaProblem):
    """An alignment of the first sequences; the later ones are added to it.

    Its columns stay if ``rules.refinement`` is "none"; columns of gaps alone are always dropped.
    """

    alignment: AlignedSequences = field(kw_only=True)

    @property
    def data(self) -> tuple[Any, ...]:
        """Return the alignment, the sequences to add and the tree, as the user gave them."""
        given = () if self.tree is None else (self.tree,)
        return (self.alignment, *self.sequences[len(self.alignment.names) :], *given)

    @property
    def title(self) -> str:
        """Return the name of the alignment and the number of added sequences."""
        added = len(self.sequences) - len(self.alignment.names)
        return self.alignment.name + (f" plus {format_count(added, 'sequence')}" if added else "")

    @cached_property
    def letters(self) -> np.ndarray:
        """Return the rows of the alignment without columns of gaps alone, uint8 (rows, columns)."""
        found = self.alignment.letters
        return found[:, (found != GAP).any(axis=0)]

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes of the sequences and the number of dropped columns."""
        left_out = self.alignment.letters.shape[1] - self.letters.shape[1]
        columns = "1 column" if left_out == 1 else f"{left_out:,} columns"
        more = (f"Dropped {columns} of gaps alone.",) if left_out else ()
        return (*super().notes, *more)


def _build_refinement(data: Sequences[Any], option_values: Mapping[str, Any]) -> GivenProblem:
    """Build the problem of a refinement."""
    return _build_problem(data, resolve_values(OPTIONS, option_values))


def _build_addition(data: Sequences[Any], option_values: Mapping[str, Any]) -> GivenProblem:
    """Build the problem of adding sequences."""
    resolve_values((), option_values)
    ADDED.check(sum(isinstance(datum, Sequence) for datum in data))
    return _build_problem(data, {REFINEMENT.name: NONE, SEED.name: SEED.default})


def _build_problem(data: Sequences[Any], values: Mapping[str, Any]) -> GivenProblem:
    """Build a problem with resolved option values."""
    return build_given_problem(data, lambda sequences: _make_rules(sequences, values))


def build_given_problem(data: Sequences[Any], rules: Callable[[tuple[Sequence, ...]], Any]) -> GivenProblem:
    """Build the problem of an alignment, sequences to add and a tree; ``rules`` takes all sequences."""
    alignments = [datum for datum in data if isinstance(datum, AlignedSequences)]
    GIVEN.check(len(alignments))
    (alignment,) = alignments
    if not (np.asarray(alignment.letters) != GAP).any():
        raise InputError(f"{alignment.name}: all rows are gaps alone; choose an alignment with letters")
    added = [datum for datum in data if isinstance(datum, Sequence)]
    for sequence in added:
        if (sequence.type == SequenceType.PROTEIN) != (alignment.type == SequenceType.PROTEIN):
            raise InputError(
                f"{alignment.name} holds {alignment.type}, and {sequence.name} is {sequence.type}; "
                "use sequences of one type"
            )
    sequences = (*_extract_sequences(alignment), *added)
    tree = next((datum for datum in data if isinstance(datum, Tree)), None)
    return use_given_tree(GivenProblem(sequences, rules(sequences), tree, alignment=alignment))


def _make_rules(sequences: Sequences[Sequence], values: Mapping[str, Any]) -> RefinementRules:
    """Return the rules of option values."""
    check_sizes(sequences)
    return RefinementRules(values[REFINEMENT.name], values[SEED.name], choose_least_posterior(sequences))


def _extract_sequences(alignment: AlignedSequences) -> list[Sequence]:
    """Return all rows as sequences without gaps, also those of gaps alone."""
    described = {row: said for row, tag, said in alignment.annotations.of_rows if tag == DESCRIPTION}
    return [
        Sequence(name, letters[letters != GAP].tobytes(), alignment.type, f"{name} {described.get(row, '')}".strip())
        for row, (name, letters) in enumerate(zip(alignment.names, alignment.letters, strict=True))
    ]


REFINING: ProblemType = replace(
    problem_type(
        "msa-refine",
        "Refinement of an alignment",
        OPTIONS,
        _make_rules,
        "antidiag.kernels.msa.consistency.given_alignment_trials:REFINING",
        inputs=(GIVEN, GIVEN_TREE),
    ),
    build_problem=_build_refinement,
)
ADDING: ProblemType = replace(
    problem_type(
        "msa-add",
        "Sequences added to an alignment",
        (),
        _make_rules,
        "antidiag.kernels.msa.consistency.given_alignment_trials:ADDING",
        inputs=(GIVEN, ADDED, GIVEN_TREE),
    ),
    build_problem=_build_addition,
)
