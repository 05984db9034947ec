"""Rows of an alignment aligned anew, joined with others, or added to: by whichever methods of the registry can."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_edits, tiled_edits
from antidiag.kernels.io.aligned import GAP, AlignedSequences, unaligned
from antidiag.kernels.io.aligned_kind import ALIGNMENT
from antidiag.kernels.io.names import distinct
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.files import PROFILE
from antidiag.kernels.profiles.profile import from_alignment

WHOLE = {"mode": "global", "span": "global", "column_score": "sum-of-pairs", "gaps": "position"}
"""Values of options that a method may have: all letters are aligned, and columns scored by their letters."""

MANY = 10_000
"""Rows times sequences, from which on sequences are not added one after another."""


def methods(count: int) -> list[Method]:
    """Methods that take so many sequences, or an alignment, and return an alignment; nothing else must be given."""
    found = []
    for method in registry.METHODS:
        if "alignment" in method.returns and method.problem.inputs:
            first, *others = method.problem.inputs
            most = count if first.maximum is None else first.maximum
            fits = refines(method) or (first.kind is SEQUENCE and first.minimum <= count <= most)
            if fits and not any(taken.minimum for taken in others):
                found.append(method)
    return found


def refines(method: Method) -> bool:
    """Whether a method begins with an alignment."""
    return [taken.kind for taken in method.problem.inputs[:1]] == [ALIGNMENT]


def align(method: Method, sequences: Sequences[Sequence], monitor: Monitor | None = None) -> np.ndarray:
    """The rows of the alignment of all letters of these sequences, in their order, uint8 (sequences, columns).

    InputError where the method leaves letters out.
    """
    # Names may be equal, and rows are told apart by them.
    numbered = [replace(sequence, name=f"row-{number}") for number, sequence in enumerate(sequences)]
    result = _run(method, numbered, monitor)
    letters = _rows(result, numbered)
    for sequence, row in zip(sequences, letters, strict=True):
        if row.tobytes().replace(b"-", b"") != sequence.letters:
            raise InputError(f"{method.name} does not align all letters of {sequence.name}; choose another method")
    return letters


def realigned(
    alignment: AlignedSequences, method: Method, rows: np.ndarray, first: int, last: int, monitor: Monitor | None = None
) -> AlignedSequences:
    """With the cells of these rows, int64, from column ``first`` to ``last`` (half-open) aligned anew among themselves.

    Rows without letters there stay gaps. InputError where fewer than two rows have any.
    """
    part = alignment.letters[rows, first:last]
    there = np.flatnonzero((part != GAP).any(axis=1))
    if there.size < 2:
        raise InputError("realigning takes two rows or more with letters in the chosen columns")
    kind = alignment.type
    sequences = [
        Sequence(alignment.names[rows[place]], part[place].tobytes().replace(b"-", b""), kind)
        for place in there.tolist()
    ]
    made = _refined(method, part[there], kind, monitor) if refines(method) else align(method, sequences, monitor)
    block = np.full((rows.size, made.shape[1]), GAP, np.uint8)
    block[there] = made
    return aligned_edits.with_block(alignment, rows, first, last, block)


def _refined(method: Method, letters: np.ndarray, kind: SequenceType, monitor: Monitor | None) -> np.ndarray:
    """The rows of an alignment, uint8 (rows, columns), as a method has refined them."""
    names = tuple(f"row-{number}" for number in range(len(letters)))
    rows = np.ascontiguousarray(letters)
    rows.setflags(write=False)
    return _run(method, [AlignedSequences(names, rows, kind)], monitor).answer.alignment.letters


def merged(first: AlignedSequences, second: AlignedSequences, monitor: Monitor | None = None) -> AlignedSequences:
    """Both alignments as one, column against column: the rows of the first, then those of the second.

    What is said of rows stays, what is said of columns goes. InputError for proteins and nucleotides.
    """
    proteins = [found.type == SequenceType.PROTEIN for found in (first, second)]
    if proteins[0] != proteins[1]:
        raise InputError(f"{first.name} holds {first.type}, and {second.name} {second.type}; both must be of one kind")
    method = next(method for method in registry.METHODS if "alignment" in method.returns
                  and [(taken.kind, taken.minimum) for taken in method.problem.inputs] == [(PROFILE, 2)])  # fmt: skip
    result = _run(method, [from_alignment(tiled_edits.flat(one)) for one in (first, second)], monitor)
    assert method.problem.products is not None
    (made,) = method.problem.products(result)
    return joined(first, second, made.letters)


def joined(first: AlignedSequences, second: AlignedSequences, letters: np.ndarray) -> AlignedSequences:
    """The rows of two alignments with these letters, uint8 (rows of both, columns)."""
    count = len(first.names)
    said = (*first.annotations.of_rows, *((row + count, tag, text) for row, tag, text in second.annotations.of_rows))
    letters = np.ascontiguousarray(letters)
    letters.setflags(write=False)
    notes = replace(first.annotations, of_rows=said, of_columns=(), of_letters=())
    return replace(first, names=distinct((*first.names, *second.names)), letters=letters, annotations=notes, lower=None,
                   dots=None)  # fmt: skip


def added(alignment: AlignedSequences, others: Sequences[Sequence], monitor: Monitor | None = None) -> AlignedSequences:
    """With sequences added as rows at the end, each aligned to the rows that are there then; where there are MANY rows
    and sequences, each to those of the alignment alone."""
    monitor = monitor or Monitor()
    if len(alignment.names) * len(others) > MANY:
        return _added_at_once(alignment, others, monitor)
    for number, sequence in enumerate(others):
        monitor.update(number, len(others), "adding sequences")
        letters = np.frombuffer(sequence.letters, np.uint8)[None, :]
        one = AlignedSequences((sequence.name,), letters, sequence.type, sequence.name, sequence.source)
        alignment = merged(alignment, one, Monitor(lambda done, total, phase: monitor.check()))
    return alignment


def _added_at_once(alignment: AlignedSequences, others: Sequences[Sequence], monitor: Monitor) -> AlignedSequences:
    """By the method for it that is expected to be the fastest."""
    plans = []
    for method in registry.METHODS:
        wanted = [taken.kind for taken in method.problem.inputs if taken.minimum]
        if "alignment" in method.returns and wanted == [ALIGNMENT, SEQUENCE]:
            try:
                plans.append(engine.plan(method, method.problem.make([alignment, *others], {})))
            except InputError as error:  # so many are too many for it
                refused = error
    if not plans:
        raise refused
    fastest = min(plans, key=lambda plan: (plan.refusal is not None, plan.time_ms))
    made = engine.execute(fastest, monitor, keep_rate=False, keep=False).answer.alignment
    one = AlignedSequences(made.names[len(alignment.names) :], made.letters[len(alignment.names) :], made.type)
    said = replace(one, annotations=replace(made.annotations, of_rows=(), of_columns=()))
    return joined(alignment, said, made.letters)


def aligned_to_the_rest(
    alignment: AlignedSequences, rows: np.ndarray, monitor: Monitor | None = None
) -> AlignedSequences:
    """With these rows, int64, aligned anew to all others, one after another; the order of the rows stays.

    InputError where no other row is left, or one of these has no letters.
    """
    count = len(alignment.names)
    apart = np.ones(count, bool)
    apart[rows] = False
    others = np.flatnonzero(apart)
    if not others.size:
        raise InputError("no other row is left to align to; choose fewer rows")
    rest, moved = aligned_edits.take_rows(alignment, others), aligned_edits.take_rows(alignment, rows)
    sequences = unaligned(moved)
    if len(sequences) < rows.size:
        raise InputError("a chosen row has no letters; choose others")
    rest = aligned_edits.delete_columns(rest, aligned_edits.gap_columns(rest))
    made = added(rest, sequences, monitor)
    place = np.empty(count, np.int64)
    place[np.concatenate((others, rows))] = np.arange(count)
    found = aligned_edits.take_rows(made, place)
    return replace(found, names=alignment.names)


def appended(first: AlignedSequences, second: AlignedSequences) -> AlignedSequences:
    """The columns of two alignments side by side, rows matched by their names; a row that one of them lacks has gaps
    there. InputError where they share no name."""
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


def _rows(result: Result, sequences: Sequences[Sequence]) -> np.ndarray:
    """The rows of the alignment of a result, in the order of its sequences."""
    found = result.answer.alignment
    if isinstance(found, AlignedSequences):
        places = {name: row for row, name in enumerate(found.names)}
        return found.letters[[places[sequence.name] for sequence in sequences]]
    rows = found.gapped(*sequences) if len(sequences) == 2 else found.gapped(sequences)
    return np.frombuffer("".join(rows).encode("ascii"), np.uint8).reshape(len(rows), -1)


def _run(method: Method, data: Sequences[Any], monitor: Monitor | None) -> Result:
    """Run a method with the settings that suit the data, on all of their letters."""
    known = {option.name: option.choices for option in method.problem.options}
    whole = {name: value for name, value in WHOLE.items() if value in (known.get(name) or ())}
    problem = method.problem.make(data, {**method.problem.defaults(data), **whole})
    return engine.execute(engine.plan(method, problem), monitor, keep_rate=False, keep=False)
