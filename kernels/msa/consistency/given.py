"""An alignment that is given: to be refined, judged, or added to; what that takes, and its problem types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.aligned_kind import ALIGNMENT
from antidiag.kernels.io.alignment_files.rows import DESCRIPTION
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import TREE
from antidiag.kernels.method import Input, ProblemType
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa.consistency.rules import SEED, RefinementRules, check_sizes, least_of
from antidiag.kernels.msa.problem import MsaProblem, check_taxa, problem_type
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.serialization import stored

NONE, ONCE, THOROUGH = "none", "once", "thorough"

REFINEMENT = Parameter(
    "refinement", "choice", "Refinement", "none: the columns stay, and are told how sure they are. once: the rows are "
    "parted at every edge of the tree, at columns and at random, and merged again where that has more expected "
    "accuracy. thorough: so long until nothing rises.", default=ONCE, choices=(NONE, ONCE, THOROUGH),
)  # fmt: skip
OPTIONS = (REFINEMENT, SEED)
GIVEN = Input(ALIGNMENT, 1, 1)
GIVEN_TREE = Input(TREE, 0, 1, flag="tree", label="Guide tree")
ADDED = Input(SEQUENCE, 1, None, flag="add", label="Sequences to add")


@stored("msa-given-problem")
@dataclass(frozen=True)
class GivenProblem(MsaProblem):
    """An alignment of the first of the sequences; those after them are to be added to it.

    The columns stay as they are where ``rules.refinement`` is "none"; those of gaps alone are left out all the same.
    """

    alignment: AlignedSequences = field(kw_only=True)

    @property
    def data(self) -> tuple[Any, ...]:
        given = () if self.tree is None else (self.tree,)
        return (self.alignment, *self.sequences[len(self.alignment.names) :], *given)

    @property
    def title(self) -> str:
        added = len(self.sequences) - len(self.alignment.names)
        return self.alignment.name + (f" and {added:,} more" if added else "")

    @cached_property
    def letters(self) -> np.ndarray:
        """The rows of the alignment without columns of gaps alone, uint8 (rows, columns)."""
        found = self.alignment.letters
        return found[:, (found != GAP).any(axis=0)]

    @property
    def notes(self) -> tuple[str, ...]:
        """As of its sequences, and which columns are left out."""
        left_out = self.alignment.letters.shape[1] - self.letters.shape[1]
        columns = "1 column" if left_out == 1 else f"{left_out:,} columns"
        more = (f"{columns} of gaps alone left out.",) if left_out else ()
        return (*super().notes, *more)


def _refining(data: Sequences[Any], given: Mapping[str, Any]) -> GivenProblem:
    return _problem(data, resolve(OPTIONS, given))


def _adding(data: Sequences[Any], given: Mapping[str, Any]) -> GivenProblem:
    resolve((), given)
    ADDED.check(sum(isinstance(datum, Sequence) for datum in data))
    return _problem(data, {REFINEMENT.name: NONE, SEED.name: SEED.default})


def _problem(data: Sequences[Any], values: Mapping[str, Any]) -> GivenProblem:
    return given_problem(data, lambda sequences: _rules(sequences, values))


def given_problem(data: Sequences[Any], rules: Callable[[tuple[Sequence, ...]], Any]) -> GivenProblem:
    """The problem of an alignment, what is to be added to it, and a tree; ``rules`` are made of all sequences."""
    alignments = [datum for datum in data if isinstance(datum, AlignedSequences)]
    GIVEN.check(len(alignments))
    (alignment,) = alignments
    if not (np.asarray(alignment.letters) != GAP).any():
        raise InputError(f"{alignment.name}: all rows are gaps alone; give an alignment with letters")
    added = [datum for datum in data if isinstance(datum, Sequence)]
    for sequence in added:
        if (sequence.type == SequenceType.PROTEIN) != (alignment.type == SequenceType.PROTEIN):
            raise InputError(
                f"{alignment.name} holds {alignment.type}, and {sequence.name} is {sequence.type}; "
                "both must be of one kind"
            )
    sequences = (*_rows(alignment), *added)
    tree = next((datum for datum in data if isinstance(datum, Tree)), None)
    problem = GivenProblem(sequences, rules(sequences), tree, alignment=alignment)
    if tree is not None:
        check_taxa(problem, tree.name, tree.taxa, "leaf")
    return problem


def _rules(sequences: tuple[Sequence, ...], values: Mapping[str, Any]) -> RefinementRules:
    check_sizes(sequences)
    return RefinementRules(values[REFINEMENT.name], values[SEED.name], least_of(sequences))


def _rows(alignment: AlignedSequences) -> list[Sequence]:
    """All rows without their gaps, those of gaps alone too."""
    described = {row: said for row, tag, said in alignment.annotations.of_rows if tag == DESCRIPTION}
    return [
        Sequence(name, letters[letters != GAP].tobytes(), alignment.type, f"{name} {described.get(row, '')}".strip())
        for row, (name, letters) in enumerate(zip(alignment.names, alignment.letters, strict=True))
    ]


REFINING: ProblemType = replace(
    problem_type("msa-refine", "Refinement of an alignment", OPTIONS, _rules,
                 "antidiag.kernels.msa.consistency.given_trials:REFINING", inputs=(GIVEN, GIVEN_TREE)),
    build=_refining,
)  # fmt: skip
ADDING: ProblemType = replace(
    problem_type("msa-add", "Sequences added to an alignment", (), _rules,
                 "antidiag.kernels.msa.consistency.given_trials:ADDING", inputs=(GIVEN, ADDED, GIVEN_TREE)),
    build=_adding,
)  # fmt: skip
