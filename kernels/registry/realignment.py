"""Realigning, merging and extending alignments with the methods of the registry."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels import engine, registry
from antidiag.kernels.alignments import alignment_edits, block_edits
from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences, unaligned_sequences
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.unique_names import make_names_unique
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.profile import profile_from_alignment
from antidiag.kernels.profiles.profile_files import PROFILE

WHOLE_SEQUENCE_OPTIONS = {"mode": "global", "span": "global", "column_score": "sum-of-pairs", "gaps": "position"}
"""Option values with which a method aligns all letters and scores columns by their letters."""

PAIRWISE_LIMIT = 10_000
"""Rows times sequences above which sequences are added at once and not one after another."""


def realigning_methods(count: int) -> list[Method]:
    """Return the methods that align this number of sequences or refine an alignment, without other inputs."""
    found = []
    for method in registry.METHODS:
        if "alignment" in method.returns and method.problem_type.inputs:
            first, *others = method.problem_type.inputs
            most = count if first.maximum is None else first.maximum
            takes = first.kind is SEQUENCE and not first.sequence_types and first.minimum <= count <= most
            fits = refines_alignment(method) or takes
            if fits and not any(taken.minimum for taken in others):
                found.append(method)
    return found


def refines_alignment(method: Method) -> bool:
    """Return whether a method takes an alignment as its first input."""
    return [taken.kind for taken in method.problem_type.inputs[:1]] == [ALIGNMENT]


def align_sequences(method: Method, sequences: Sequences[Sequence], monitor: Monitor | None = None) -> np.ndarray:
    """Align sequences and return the rows in their order, uint8 (sequences, columns).

    Raises InputError if the method leaves letters out.
    """
    # Rows are identified by name, and names may be equal.
    numbered = [replace(sequence, name=f"row-{number}") for number, sequence in enumerate(sequences)]
    result = _run_method(method, numbered, monitor)
    letters = _result_rows(result, numbered)
    for sequence, row in zip(sequences, letters, strict=True):
        if row.tobytes().replace(b"-", b"") != sequence.letters:
            raise InputError(f"{method.name} does not align all letters of {sequence.name}; choose another method")
    return letters


def realign_block(
    alignment: AlignedSequences, method: Method, rows: np.ndarray, first: int, last: int, monitor: Monitor | None = None
) -> AlignedSequences:
    """Return the alignment with rows (int64) realigned among themselves in columns ``first`` to ``last`` (half-open).

    Rows without letters there remain gaps. Raises InputError if fewer than two rows have letters.
    """
    part = alignment.letters[rows, first:last]
    there = np.flatnonzero((part != GAP).any(axis=1))
    if there.size < 2:
        raise InputError("realigning needs at least two rows with letters in the selected columns")
    kind = alignment.type
    sequences = [
        Sequence(alignment.names[rows[place]], part[place].tobytes().replace(b"-", b""), kind)
        for place in there.tolist()
    ]
    made = (
        _refine_rows(method, part[there], kind, monitor)
        if refines_alignment(method)
        else align_sequences(method, sequences, monitor)
    )
    block = np.full((rows.size, made.shape[1]), GAP, np.uint8)
    block[there] = made
    return alignment_edits.replace_block(alignment, rows, first, last, block)


def _refine_rows(method: Method, letters: np.ndarray, kind: SequenceType, monitor: Monitor | None) -> np.ndarray:
    """Return the rows of an alignment, uint8 (rows, columns), refined by a method."""
    names = tuple(f"row-{number}" for number in range(len(letters)))
    rows = np.ascontiguousarray(letters)
    rows.setflags(write=False)
    return _run_method(method, [AlignedSequences(names, rows, kind)], monitor).answer.alignment.letters


def merge_alignments(
    first: AlignedSequences, second: AlignedSequences, monitor: Monitor | None = None
) -> AlignedSequences:
    """Align two alignments column by column and return the rows of the first, then those of the second.

    Row annotations are kept, column annotations are not. Raises InputError for proteins with nucleotides.
    """
    proteins = [found.type == SequenceType.PROTEIN for found in (first, second)]
    if proteins[0] != proteins[1]:
        raise InputError(f"{first.name} is {first.type} and {second.name} is {second.type}; both must be of one kind")
    method = next(
        method
        for method in registry.METHODS
        if "alignment" in method.returns
        and [(taken.kind, taken.minimum) for taken in method.problem_type.inputs] == [(PROFILE, 2)]
    )
    result = _run_method(
        method, [profile_from_alignment(block_edits.to_arrays(one)) for one in (first, second)], monitor
    )
    assert method.problem_type.extract_data is not None
    (made,) = method.problem_type.extract_data(result)
    return join_rows(first, second, made.letters)


def join_rows(first: AlignedSequences, second: AlignedSequences, letters: np.ndarray) -> AlignedSequences:
    """Return an alignment with the rows of two alignments and these letters, uint8 (rows of both, columns)."""
    count = len(first.names)
    said = (*first.annotations.of_rows, *((row + count, tag, text) for row, tag, text in second.annotations.of_rows))
    letters = np.ascontiguousarray(letters)
    letters.setflags(write=False)
    notes = replace(first.annotations, of_rows=said, of_columns=(), of_letters=())
    return replace(
        first,
        names=make_names_unique((*first.names, *second.names)),
        letters=letters,
        annotations=notes,
        lower=None,
        dots=None,
    )


def add_sequences(
    alignment: AlignedSequences, others: Sequences[Sequence], monitor: Monitor | None = None
) -> AlignedSequences:
    """Return the alignment with sequences added at the end, one after another.

    Above PAIRWISE_LIMIT rows times sequences, all are added at once, each aligned to the original rows.
    """
    monitor = monitor or Monitor()
    if len(alignment.names) * len(others) > PAIRWISE_LIMIT:
        return _add_all_at_once(alignment, others, monitor)
    for number, sequence in enumerate(others):
        monitor.update(number, len(others), "adding sequences")
        letters = np.frombuffer(sequence.letters, np.uint8)[None, :]
        one = AlignedSequences((sequence.name,), letters, sequence.type, sequence.name, sequence.source)
        alignment = merge_alignments(alignment, one, Monitor(lambda done, total, phase: monitor.check()))
    return alignment


def _add_all_at_once(alignment: AlignedSequences, others: Sequences[Sequence], monitor: Monitor) -> AlignedSequences:
    """Add sequences with the method that is expected to be the fastest."""
    plans = []
    for method in registry.METHODS:
        wanted = [taken.kind for taken in method.problem_type.inputs if taken.minimum]
        if "alignment" in method.returns and wanted == [ALIGNMENT, SEQUENCE]:
            try:
                plans.append(engine.plan_run(method, method.problem_type.make_problem([alignment, *others], {})))
            except InputError as error:  # too many sequences for this method
                refused = error
    if not plans:
        raise refused
    fastest = min(plans, key=lambda plan: (plan.refusal is not None, plan.time_ms))
    made = engine.execute(fastest, monitor, keep_rate=False, keep_parts=False).answer.alignment
    one = AlignedSequences(made.names[len(alignment.names) :], made.letters[len(alignment.names) :], made.type)
    said = replace(one, annotations=replace(made.annotations, of_rows=(), of_columns=()))
    return join_rows(alignment, said, made.letters)


def realign_rows_to_others(
    alignment: AlignedSequences, rows: np.ndarray, monitor: Monitor | None = None
) -> AlignedSequences:
    """Return the alignment with rows (int64) realigned to all other rows one after another, in the same order.

    Raises InputError if no other row is left or a row has no letters.
    """
    count = len(alignment.names)
    apart = np.ones(count, bool)
    apart[rows] = False
    others = np.flatnonzero(apart)
    if not others.size:
        raise InputError("all rows are selected; select fewer rows to realign them to the others")
    rest, moved = alignment_edits.take_rows(alignment, others), alignment_edits.take_rows(alignment, rows)
    sequences = unaligned_sequences(moved)
    if len(sequences) < rows.size:
        raise InputError("a selected row has no letters; deselect it")
    rest = alignment_edits.delete_columns(rest, alignment_edits.gap_columns(rest))
    made = add_sequences(rest, sequences, monitor)
    place = np.empty(count, np.int64)
    place[np.concatenate((others, rows))] = np.arange(count)
    found = alignment_edits.take_rows(made, place)
    return replace(found, names=alignment.names)


def append_columns(first: AlignedSequences, second: AlignedSequences) -> AlignedSequences:
    """Return two alignments side by side with rows matched by name; a row that one of them lacks gets gaps.

    Raises InputError if they share no name.
    """
    places = {name: row for row, name in enumerate(second.names)}
    shared = [name for name in first.names if name in places]
    if not shared:
        raise InputError(f"no row of {second.name} has the name of a row of {first.name}")
    names = (*first.names, *(name for name in second.names if name not in set(first.names)))
    width = first.letters.shape[1]
    letters = np.full((len(names), width + second.letters.shape[1]), GAP, np.uint8)
    letters[: len(first.names), :width] = first.letters
    for row, name in enumerate(names):
        if name in places:
            letters[row, width:] = second.letters[places[name]]
    letters.setflags(write=False)
    notes = replace(first.annotations, of_columns=(), of_letters=())
    return replace(first, names=names, letters=letters, annotations=notes, lower=None, dots=None)


def _result_rows(result: Result, sequences: Sequences[Sequence]) -> np.ndarray:
    """Return the rows of the alignment of a result in the order of the sequences."""
    found = result.answer.alignment
    if isinstance(found, AlignedSequences):
        places = {name: row for row, name in enumerate(found.names)}
        return found.letters[[places[sequence.name] for sequence in sequences]]
    rows = found.gapped_rows(*sequences) if len(sequences) == 2 else found.gapped_rows(sequences)
    return np.frombuffer("".join(rows).encode("ascii"), np.uint8).reshape(len(rows), -1)


def _run_method(method: Method, data: Sequences[Any], monitor: Monitor | None) -> Result:
    """Run a method with default options so that it aligns all letters."""
    known = {option.name: option.choices for option in method.problem_type.options}
    whole = {name: value for name, value in WHOLE_SEQUENCE_OPTIONS.items() if value in (known.get(name) or ())}
    problem = method.problem_type.make_problem(data, {**method.problem_type.default_options(data), **whole})
    return engine.execute(engine.plan_run(method, problem), monitor, keep_rate=False, keep_parts=False)
