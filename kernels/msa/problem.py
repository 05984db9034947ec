"""Multiple alignment: sequences, what a method goes by, its answer, and how that is told.

Every method has a problem type of its own, made by `problem_type`: they share data, answer and files, and differ
in their rules, a frozen dataclass of what defines the right answer, whose fields are the options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.courtesy import in_turns
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_writing, newick, tree_files
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.alignment_files.rows import DESCRIPTION, Annotations
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.distances import DISTANCE_MATRIX
from antidiag.kernels.io.names import distinct, renaming
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import TREE
from antidiag.kernels.method import FileFormat, Input, ProblemType, Rows
from antidiag.kernels.model import Result, Sequence, SequenceType, contents_of, lengths_of, same_names
from antidiag.kernels.msa.changes import Changes
from antidiag.kernels.msa.placement import MERGES
from antidiag.kernels.msa.related import are_related
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.serialization import stored

INPUTS = (
    Input(SEQUENCE, 1, None),
    Input(TREE, 0, 1, flag="tree", label="Guide tree"),
    Input(DISTANCE_MATRIX, 0, 1, flag="distances", label="Distances"),
)
"""A given tree takes the place of distances and tree; given distances that of the distances."""
CONFIDENCE = "confidence"
"""The tag of the digits of confidence, a character a column, in an alignment's annotation."""
PART = 20_000
"""Rows that are looked through at a time."""


@stored("msa-problem")
@dataclass(frozen=True)
class MsaProblem:
    """Sequences to be aligned, what the method goes by, and a guide tree or distances where they are given.

    Sequences may be empty: their rows are gaps alone, and neither distances nor tree have them.
    """

    sequences: tuple[Sequence, ...]
    rules: Any
    tree: Tree | None = None
    distances: DistanceMatrix | None = None

    @property
    def data(self) -> tuple[Any, ...]:
        others = tuple(given for given in (self.tree, self.distances) if given is not None)
        return self.sequences + others  # the very tuple, which may have a million, where nothing else was given

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all sequences, made different: those of the rows, and of the taxa."""
        return distinct(sequence.name for sequence in in_turns(self.sequences))

    @cached_property
    def lengths(self) -> np.ndarray:
        """Letters of each sequence, int64."""
        return lengths_of(self.sequences)

    @cached_property
    def counted_lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """The different lengths, ascending, and how many sequences have each, int64: of a million there are few."""
        return np.unique(self.lengths, return_counts=True)

    @cached_property
    def filled(self) -> Sequences[int]:
        """Numbers of the sequences that have letters."""
        there = self.lengths > 0
        return range(len(self.sequences)) if there.all() else tuple(np.flatnonzero(there).tolist())

    @property
    def filled_sequences(self) -> tuple[Sequence, ...]:
        """The sequences that have letters; mostly the very tuple of all, which may have a million."""
        if len(self.filled) == len(self.sequences):
            return self.sequences
        return tuple(self.sequences[number] for number in self.filled)

    @cached_property
    def taxa(self) -> tuple[str, ...]:
        """The names of the sequences that have letters; mostly the very tuple of all."""
        return (
            self.names
            if len(self.filled) == len(self.names)
            else tuple(map(self.names.__getitem__, in_turns(self.filled)))
        )

    @cached_property
    def type(self) -> SequenceType:
        """Protein where any sequence is; RNA where all are."""
        kinds = {sequence.type for sequence in in_turns(self.sequences)}
        return SequenceType.PROTEIN if SequenceType.PROTEIN in kinds else min(kinds)

    @property
    def protein(self) -> bool:
        return self.type == SequenceType.PROTEIN

    @cached_property
    def related(self) -> bool:
        """Whether they are of one family, as far as words of letters tell."""
        return are_related(self.sequences, self.protein)

    @cached_property
    def different(self) -> int:
        """How many different sequences there are."""
        return contents_of(self.sequences)[0].size

    @cached_property
    def cells(self) -> int:
        """Products of lengths, summed over all pairs; at least 1."""
        lengths, times = self.counted_lengths
        squares = sum(count * length**2 for length, count in zip(lengths.tolist(), times.tolist(), strict=True))
        return max((int(self.lengths.sum()) ** 2 - squares) // 2, 1)

    @property
    def title(self) -> str:
        more = len(self.sequences) - 1
        return self.sequences[0].name + (f" and {more:,} more" if more else "")

    @property
    def size(self) -> str:
        longest = int(self.lengths.max())
        sequences, letters = ("s" * (number != 1) for number in (len(self.sequences), longest))
        return f"{len(self.sequences):,} sequence{sequences} of up to {longest:,} letter{letters}"

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the sequences, and what was given."""
        told = list(scoring_options.notes(self))
        if renamed := renaming((sequence.name for sequence in in_turns(self.sequences)), self.names):
            told.append(f"Sequences with {renamed}.")
        if empty := len(self.sequences) - len(self.filled):
            have, rows = ("sequence has", "row") if empty == 1 else ("sequences have", "rows")
            told.append(f"{empty:,} {have} no letters: gaps alone stand in the {rows}.")
        if self.tree is not None:
            told.append(f"The guide tree is the one given: {self.tree.name}.")
        elif self.distances is not None:
            told.append(f"The distances are those given: {self.distances.name}.")
        return (*told, *getattr(self.rules, "notes", ()))


@stored("msa-answer")
@dataclass(frozen=True, eq=False)
class MsaAnswer:
    """A multiple alignment, its rows in the order of the sequences.

    ``tree`` is the guide tree that it followed, of the sequences that have letters; None where there is none.
    ``confidence`` is float64, 0 to 1, one for a column; None where the method does not say. ``changes`` are what a
    refinement changed; None where there was none.
    """

    alignment: AlignedSequences
    tree: Tree | None = None
    confidence: np.ndarray | None = field(default=None, repr=False)
    changes: Changes | None = field(default=None, repr=False)

    def check(self, problem: MsaProblem) -> None:
        """AssertionError unless the rows without gaps are the sequences, and no column is of gaps alone."""
        letters = self.alignment.letters
        assert self.alignment.names == problem.names, "the names are not those of the sequences"
        for row, sequence in zip(letters, problem.sequences, strict=True):
            assert row[row != GAP].tobytes() == sequence.letters, f"the letters of {sequence.name} are others"
        assert (letters != GAP).any(axis=0).all(), "a column is of gaps alone"
        if self.tree is not None:
            assert same_names(self.tree.taxa, problem.taxa), "the leaves are not the sequences"
        if self.confidence is not None:
            assert self.confidence.shape == letters.shape[1:], "confidence is not of the columns"
            assert ((self.confidence >= 0) & (self.confidence <= 1)).all(), "confidence is 0 to 1"
        if self.changes is not None:
            before, after = self.changes.expected.T
            assert self.changes.rows == len(letters), "the changes are not of the rows"
            assert (after >= before).all(), "a change lowers expected accuracy"


def answer_of(
    problem: MsaProblem, letters: np.ndarray, tree: Tree | None = None, confidence: np.ndarray | None = None
) -> MsaAnswer:
    """The answer of rows of one length, uint8 (sequences with letters, columns), in the order of the input."""
    whole = letters
    if len(problem.filled) < len(problem.sequences):
        whole = np.full((len(problem.sequences), letters.shape[1]), GAP, np.uint8)
        whole[list(problem.filled)] = letters
    whole.setflags(write=False)
    described = tuple(
        (row, DESCRIPTION, rest) for row, sequence in enumerate(problem.sequences) if (rest := _described(sequence))
    )
    marks = () if confidence is None else ((CONFIDENCE, _digits(confidence)),)
    notes = Annotations(of_rows=described, of_columns=marks)
    found = AlignedSequences(problem.names, whole, problem.type, problem.title, annotations=notes)
    if confidence is not None:
        confidence.setflags(write=False)
    return MsaAnswer(found, tree, confidence)


def _described(sequence: Sequence) -> str:
    """What follows the name in the title line."""
    words = sequence.description.split()
    return " ".join(words[1:] if words[:1] == [sequence.name] else words)


def _digits(confidence: np.ndarray) -> str:
    """A digit a column: 9 from 0.9 on."""
    tenths = np.clip(np.floor(10 * confidence), 0, 9).astype(np.uint8)
    return (tenths + ord("0")).astype(np.uint8).tobytes().decode("ascii")


MakeRules = Callable[[tuple[Sequence, ...], Mapping[str, Any]], Any]
"""Rules of sequences and resolved option values; InputError or ParameterError where they do not fit."""


def problem_type(
    id: str,
    label: str,
    options: tuple[Parameter, ...],
    rules: MakeRules,
    trials: str,
    settings: Callable[[MsaProblem], Rows] | None = None,
    option_values: Callable[[MsaProblem], Mapping[str, Any]] | None = None,
    inputs: tuple[Input, ...] = INPUTS,
) -> ProblemType:
    """A problem whose answer is a multiple alignment.

    ``rules`` makes what a method goes by; ``option_values`` are the options that make the rules again, their fields of
    these names where it is not given; ``settings`` tells them, all option values where it is not given. ``trials`` is
    "package.module:NAME".
    """
    labels = {option.name: option.label for option in options}

    def fields(problem: MsaProblem) -> Mapping[str, Any]:
        return {name: getattr(problem.rules, name) for name in labels}

    values = option_values or fields
    return ProblemType(
        id=id,
        label=label,
        inputs=inputs,
        options=options,
        build=partial(_build, options, rules),
        defaults=lambda data: {},
        data=json_fields,
        rows=rows,
        answer=lambda result: result.answer.alignment.summary,
        formats=FORMATS,
        products=products,
        settings=settings or (lambda problem: [(labels[name], str(value)) for name, value in values(problem).items()]),
        option_values=values,
        trials=trials,
        placement=MERGES,
    )


def _build(
    options: tuple[Parameter, ...], rules: MakeRules, data: Sequences[Any], given: Mapping[str, Any]
) -> MsaProblem:
    alone = isinstance(data, tuple) and all(isinstance(datum, Sequence) for datum in in_turns(data))
    sequences = tuple(data) if alone else tuple(datum for datum in in_turns(data) if isinstance(datum, Sequence))
    INPUTS[0].check(len(sequences))
    if not any(map(len, sequences)):
        raise InputError("all sequences are empty; give one with letters")
    tree = next((datum for datum in data if isinstance(datum, Tree)), None)
    distances = next((datum for datum in data if isinstance(datum, DistanceMatrix)), None)
    problem = MsaProblem(sequences, rules(sequences, resolve(options, given)), tree, distances)
    if tree is not None:
        check_taxa(problem, tree.name, tree.taxa, "leaf")
    if distances is not None:
        check_taxa(problem, distances.name, distances.names, "taxon")
    return problem


def check_taxa(problem: MsaProblem, name: str, given: Sequences[str], noun: str) -> None:
    """InputError unless what is given is of the sequences that have letters."""
    missing, strange = set(problem.taxa) - set(given), set(given) - set(problem.taxa)
    if missing:
        raise InputError(f"{name}: no {noun} {min(missing)}; give that of these sequences, or leave it out")
    if strange:
        raise InputError(
            f"{name}: the {noun} {min(strange)} is none of the sequences; give that of these, or leave it out"
        )


def json_fields(result: Result) -> dict[str, Any]:
    """``aligned`` are the rows in the order of the input, ``confidence`` a number a column, ``tree`` is Newick."""
    answer, columns = result.answer, result.answer.alignment.letters.shape[1]
    return {
        "names": list(answer.alignment.names),
        "aligned": [row.tobytes().decode("ascii") for row in answer.alignment.letters],
        "columns": columns,
        "confidence": None if answer.confidence is None else np.round(answer.confidence, 4),
        "tree": None if answer.tree is None else newick.newick(answer.tree),
    }


def rows(result: Result) -> Rows:
    """The answer for people."""
    letters = result.answer.alignment.letters
    columns = letters.shape[1]
    full, alike, gaps = np.ones(columns, bool), np.ones(columns, bool), 0
    for first in range(0, len(letters), PART):  # of a million rows some at a time, which take little memory
        part = letters[first : first + PART]
        there = part != GAP
        full &= there.all(axis=0)
        alike &= (part == letters[:1]).all(axis=0)
        gaps += there.size - int(np.count_nonzero(there))
    same = int((full & alike).sum())
    told = [
        ("Rows", f"{letters.shape[0]:,}"),
        ("Columns", f"{columns:,}, {int(full.sum()):,} of them without a gap"),
        ("Identical", f"{same:,} of {columns:,} columns, {100 * same / columns:.1f} %"),
        ("Gaps", f"{100 * gaps / letters.size:.1f} % of the cells"),
    ]
    if result.answer.confidence is not None:
        told.append(("Confidence", f"{result.answer.confidence.mean():.3f}, the mean of the columns"))
    return told


def products(result: Result) -> list[Any]:
    """The alignment, and the guide tree, as data."""
    answer = result.answer
    return [answer.alignment] if answer.tree is None else [answer.alignment, answer.tree]


def _write(path: Path, result: Result) -> None:
    aligned_writing.write(path, [result.answer.alignment])


FORMATS = (
    *(
        FileFormat(suffix, label, "alignment", write=_write)
        for suffix, (label, _, _) in aligned_writing.WRITERS.items()
    ),
    *(one for one in tree_files.FORMATS if one.suffix == ".nwk"),
)
