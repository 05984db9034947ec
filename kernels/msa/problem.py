"""Multiple alignment: the problem, the answer, and their texts and files.

Each method has its own problem type, made by `problem_type`: all share data, answer and files, and differ in their
rules, a frozen dataclass of what defines the answer, whose fields are the options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import alignment_writer, newick, tree_files
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.alignment_formats.raw_alignment import DESCRIPTION, Annotations
from antidiag.kernels.io.distance_files import DISTANCE_MATRIX
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import prune_leaves
from antidiag.kernels.io.tree_files import TREE
from antidiag.kernels.method import FileFormat, LabelledRows, ProblemInput, ProblemType
from antidiag.kernels.model import (
    Result,
    Sequence,
    SequenceType,
    common_type,
    group_equal_sequences,
    have_same_names,
    sequence_lengths,
    sequence_types,
)
from antidiag.kernels.msa.dp_class import MERGES
from antidiag.kernels.msa.refinement_changes import RefinementChanges
from antidiag.kernels.msa.relatedness import are_related, sample_shared_words
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.sequences.alphabets import identity_codes
from antidiag.kernels.sequences.sequence_set import join_data, split_data, take_sequences
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_value
from antidiag.kernels.trees.named_sequences import NamedSequences

INPUTS = (
    ProblemInput(SEQUENCE, 1, None),
    ProblemInput(TREE, 0, 1, flag="tree", label="Guide tree"),
    ProblemInput(DISTANCE_MATRIX, 0, 1, flag="distances", label="Distances"),
)
"""A given tree replaces distances and tree; given distances replace the distances."""
CONFIDENCE = "confidence"
"""Annotation tag of the digits of confidence, one per column."""
PART = 20_000
"""Rows that are read at a time."""


@stored("msa-problem")
@dataclass(frozen=True)
class MsaProblem(NamedSequences):
    """Sequences to align, the rules of the method, and optionally a guide tree or distances.

    Sequences may be empty: their rows are gaps alone, and neither distances nor tree contain them.
    """

    sequences: Sequences[Sequence]
    rules: Any
    tree: Tree | None = None
    distances: DistanceMatrix | None = None

    @property
    def data(self) -> Sequences[Any]:
        """Return the sequences and the given tree and distances; the sequences themselves if nothing else is given."""
        return join_data([self.sequences, [given for given in (self.tree, self.distances) if given is not None]])

    @cached_property
    def counted_lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the different lengths, ascending, and how many sequences have each, int64."""
        return np.unique(self.lengths, return_counts=True)

    @cached_property
    def filled(self) -> Sequences[int]:
        """Return the numbers of the sequences that have letters."""
        there = self.lengths > 0
        return range(len(self.sequences)) if there.all() else tuple(np.flatnonzero(there).tolist())

    @property
    def filled_sequences(self) -> Sequences[Sequence]:
        """Return the sequences that have letters; the same list if all have."""
        if len(self.filled) == len(self.sequences):
            return self.sequences
        return take_sequences(self.sequences, self.filled)

    @cached_property
    def taxa(self) -> tuple[str, ...]:
        """Return the names of the sequences that have letters; the same tuple if all have."""
        return self.names if len(self.filled) == len(self.names) else tuple(map(self.names.__getitem__, self.filled))

    @cached_property
    def type(self) -> SequenceType:
        """Return protein if any sequence is one, RNA if all are."""
        return common_type(sequence_types(self.sequences))

    @property
    def is_protein(self) -> bool:
        """Return whether the sequences are proteins."""
        return self.type == SequenceType.PROTEIN

    @cached_property
    def are_related(self) -> bool:
        """Return whether the sequences seem to be of one family, by shared words."""
        return are_related(self.sequences, self.is_protein)

    @cached_property
    def shared_words(self) -> np.ndarray:
        """Return the shares of words that some pairs of sequences have in common, float64 from 0 to 1."""
        return sample_shared_words(self.filled_sequences, self.is_protein)

    @cached_property
    def distinct_count(self) -> int:
        """Return the number of different sequences."""
        return group_equal_sequences(self.sequences)[0].size

    @cached_property
    def cells(self) -> int:
        """Return the cells of all pairs, at least 1."""
        lengths, times = self.counted_lengths
        squares = sum(count * length**2 for length, count in zip(lengths.tolist(), times.tolist(), strict=True))
        return max((int(self.lengths.sum()) ** 2 - squares) // 2, 1)

    @property
    def size(self) -> str:
        """Return number and length of the sequences as text."""
        longest = int(self.lengths.max())
        sequences, letters = ("s" * (number != 1) for number in (len(self.sequences), longest))
        return f"{len(self.sequences):,} sequence{sequences} of up to {longest:,} letter{letters}"

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Return what a user should know of the sequences and of given data."""
        scoring = getattr(self.rules, "scoring", None)
        notes = scoring_options.sequence_notes(self.sequences, scoring and scoring.matrix)
        texts = [*notes, *self.renaming_notes]
        if empty := len(self.sequences) - len(self.filled):
            have, hold = ("sequence has", "its row holds") if empty == 1 else ("sequences have", "their rows hold")
            texts.append(f"{empty:,} {have} no letters; {hold} gaps alone.")
        if self.tree is not None:
            texts.append(f"Uses the guide tree {self.tree.name} from the input; none was computed.")
        elif self.distances is not None:
            texts.append(f"The guide tree is made of the distances {self.distances.name} from the input.")
        return (*texts, *getattr(self.rules, "notes", ()))


@stored("msa-answer")
@dataclass(frozen=True, eq=False)
class MsaAnswer:
    """A multiple alignment, its rows in the order of the sequences.

    ``tree`` is the guide tree of the sequences that have letters, or None. ``confidence`` float64, 0 to 1, one per
    column, or None if the method has none. ``changes`` are those of a refinement, or None.
    """

    alignment: AlignedSequences
    tree: Tree | None = None
    confidence: np.ndarray | None = field(default=None, repr=False)
    changes: RefinementChanges | None = field(default=None, repr=False)

    def check(self, problem: MsaProblem) -> None:
        """Raise AssertionError unless rows without gaps are the sequences and no column is of gaps alone."""
        letters = self.alignment.letters
        assert self.alignment.names == problem.names, "the names are not those of the sequences"
        for row, sequence in zip(letters, problem.sequences, strict=True):
            assert row[row != GAP].tobytes() == sequence.letters, f"the letters of {sequence.name} are others"
        assert (letters != GAP).any(axis=0).all(), "a column is of gaps alone"
        if self.tree is not None:
            assert have_same_names(self.tree.taxa, problem.taxa), "the leaves are not the sequences"
        if self.confidence is not None:
            assert self.confidence.shape == letters.shape[1:], "confidence is not of the columns"
            assert ((self.confidence >= 0) & (self.confidence <= 1)).all(), "confidence is 0 to 1"
        if self.changes is not None:
            before, after = self.changes.expected.T
            assert self.changes.rows == len(letters), "the changes are not of the rows"
            assert (after >= before).all(), "a change lowers expected accuracy"


def make_answer(
    problem: MsaProblem, letters: np.ndarray, tree: Tree | None = None, confidence: np.ndarray | None = None
) -> MsaAnswer:
    """Make the answer of rows of one length, uint8 (sequences with letters, columns), in the order of the input."""
    whole = letters
    if len(problem.filled) < len(problem.sequences):
        whole = np.full((len(problem.sequences), letters.shape[1]), GAP, np.uint8)
        whole[list(problem.filled)] = letters
    whole.setflags(write=False)
    described = tuple(
        (row, DESCRIPTION, rest)
        for row, sequence in enumerate(problem.sequences)
        if (rest := " ".join(sequence.details.split()))
    )
    marks = () if confidence is None else ((CONFIDENCE, _confidence_digits(confidence)),)
    notes = Annotations(of_rows=described, of_columns=marks)
    found = AlignedSequences(problem.names, whole, problem.type, problem.title, annotations=notes)
    if confidence is not None:
        confidence.setflags(write=False)
    return MsaAnswer(found, tree, confidence)


def _confidence_digits(confidence: np.ndarray) -> str:
    """Return confidence as a digit per column; 9 from 0.9 on."""
    tenths = np.clip(np.floor(10 * confidence), 0, 9).astype(np.uint8)
    return (tenths + ord("0")).astype(np.uint8).tobytes().decode("ascii")


SomeProblem = TypeVar("SomeProblem", bound=MsaProblem)
MakeRules = Callable[[Sequences[Sequence], Mapping[str, Any]], Any]
"""Makes rules of sequences and resolved option values; may raise InputError or ParameterError."""


def problem_type(
    id: str,
    label: str,
    options: tuple[Parameter, ...],
    rules: MakeRules,
    trials: str,
    option_values: Callable[[MsaProblem], Mapping[str, Any]] | None = None,
    inputs: tuple[ProblemInput, ...] = INPUTS,
    guide_options: tuple[str, ...] = (),
    default_options: Callable[[Any], Mapping[str, Any]] = lambda data: {},
) -> ProblemType:
    """Return the type of a problem whose answer is a multiple alignment.

    ``rules`` makes the rules; ``option_values`` returns the options that make them again (default: their fields of
    these names). ``trials`` is "package.module:NAME". ``guide_options`` are those that make distances and guide tree:
    they have no effect where these are given, and are then not among the settings.
    ``default_options`` returns the defaults that depend on the data.
    """
    labels = {option.name: option.label for option in options}

    def fields(problem: MsaProblem) -> Mapping[str, Any]:
        return {name: getattr(problem.rules, name) for name in labels}

    values = option_values or fields

    def settings(problem: MsaProblem) -> LabelledRows:
        given = describe_given_guide(problem)
        hidden = {*(guide_options if given else ())}
        if problem.type != SequenceType.PROTEIN:
            hidden |= {option.name for option in options if option.proteins_only}
        return [
            *given,
            *((labels[name], format_value(value)) for name, value in values(problem).items() if name not in hidden),
        ]

    return ProblemType(
        id=id,
        label=label,
        inputs=inputs,
        options=options,
        build_problem=partial(_build_problem, options, rules),
        default_options=default_options,
        answer_json=json_fields,
        answer_rows=describe_answer,
        format_answer=lambda result: result.answer.alignment.summary,
        file_formats=FORMATS,
        extract_data=result_data,
        setting_rows=settings,
        option_values=values,
        trials_name=trials,
        dp_classification=MERGES,
        guide_options=guide_options,
    )


def describe_given_guide(problem: MsaProblem) -> LabelledRows:
    """Return that the guide tree or the distances are given, as a labelled text, or nothing."""
    if problem.tree is not None:
        return [("Guide tree", "given")]
    return [] if problem.distances is None else [("Distances", "given")]


def _build_problem(
    options: tuple[Parameter, ...], rules: MakeRules, data: Sequences[Any], given_values: Mapping[str, Any]
) -> MsaProblem:
    """Build a problem of the user's data and options."""
    sequences, others = split_data(data)
    INPUTS[0].check(len(sequences))
    if not sequence_lengths(sequences).any():
        raise InputError("all sequences are empty; add one with letters")
    tree = next((datum for datum in others if isinstance(datum, Tree)), None)
    distances = next((datum for datum in others if isinstance(datum, DistanceMatrix)), None)
    problem = MsaProblem(sequences, rules(sequences, resolve_values(options, given_values)), tree, distances)
    problem = use_given_tree(problem)
    if distances is not None:
        check_taxa(problem, distances.name, distances.names, "taxon")
    return problem


def use_given_tree(problem: SomeProblem) -> SomeProblem:
    """Return the problem with the given tree without the leaves of sequences that have no letters.

    Raises InputError unless the other leaves are the sequences that have letters.
    """
    tree = problem.tree
    if tree is None:
        return problem
    empty = set(problem.names).difference(problem.taxa)
    extra = [leaf for leaf, name in zip(tree.leaves.tolist(), tree.taxa, strict=True) if name in empty]
    check_taxa(problem, tree.name, [name for name in tree.taxa if name not in empty], "leaf")
    return replace(problem, tree=prune_leaves(tree, extra).tree) if extra else problem


def check_taxa(problem: MsaProblem, name: str, given_values: Sequences[str], noun: str) -> None:
    """Raise InputError unless given names are those of the sequences that have letters."""
    missing, strange = set(problem.taxa) - set(given_values), set(given_values) - set(problem.taxa)
    if missing:
        raise InputError(f"{name}: {noun} {min(missing)} is missing; give data of these sequences, or none")
    if strange:
        raise InputError(
            f"{name}: {noun} {min(strange)} is not among the sequences; give data of these sequences, or none"
        )


def json_fields(result: Result) -> dict[str, Any]:
    """Return JSON fields: ``aligned`` rows in input order, ``confidence`` per column, ``tree`` as Newick."""
    answer, columns = result.answer, result.answer.alignment.letters.shape[1]
    return {
        "names": list(answer.alignment.names),
        "aligned": [row.tobytes().decode("ascii") for row in answer.alignment.letters],
        "columns": columns,
        "confidence": None if answer.confidence is None else np.round(answer.confidence, 4),
        "tree": None if answer.tree is None else newick.newick_text(answer.tree),
    }


def describe_answer(result: Result) -> LabelledRows:
    """Describe the answer for people."""
    letters = result.answer.alignment.letters
    columns = letters.shape[1]
    full, gaps = np.ones(columns, bool), 0
    alike = identity_codes(result.problem.is_protein)[letters[0]] > 0  # an ambiguous letter is identical to none
    for first in range(0, len(letters), PART):  # a part at a time, to save memory with a million rows
        part = letters[first : first + PART]
        there = part != GAP
        full &= there.all(axis=0)
        alike &= (part == letters[:1]).all(axis=0)
        gaps += there.size - int(np.count_nonzero(there))
    same = int((full & alike).sum())
    texts = [
        ("Rows", f"{letters.shape[0]:,}"),
        ("Columns", f"{columns:,} ({int(full.sum()):,} without a gap)"),
        ("Identical", f"{same:,} of {columns:,} columns, {100 * same / columns:.1f} %"),
        ("Gaps", f"{100 * gaps / letters.size:.1f} % of the cells"),
    ]
    if result.answer.confidence is not None:
        texts.append(("Confidence", f"{result.answer.confidence.mean():.3f} (mean of the columns)"))
    return texts


def result_data(result: Result) -> list[Any]:
    """Return the alignment and the guide tree as data."""
    answer = result.answer
    return [answer.alignment] if answer.tree is None else [answer.alignment, answer.tree]


def _write_alignment(path: Path, result: Result) -> None:
    alignment_writer.write_alignments(path, [result.answer.alignment])


FORMATS = (
    *(
        FileFormat(suffix, label, "alignment", write_file=_write_alignment)
        for suffix, (label, _, _) in alignment_writer.WRITERS.items()
    ),
    *(one for one in tree_files.TREE_FORMATS if one.suffix == ".nwk"),
)
