"""The open data as one frozen state, and every edit of it as a pure function from state to state.

A table may have a million rows: what is done to all of them is done in whole arrays, so that the window does not stop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np

from antidiag.kernels.io.sequence_tools import rename_sequence
from antidiag.kernels.io.sequences import SEQUENCE, with_type
from antidiag.kernels.method import ProblemInput, ProblemType
from antidiag.kernels.model import Sequence, SequenceType, sequence_names
from antidiag.kernels.sequences.sequence_set import join_data, join_sequences, pack_sequences, take_sequences

LOOKED_AT = 1000
"""Sequences whose names tell whether a tree or distances are of them."""
NEAR = 1000
"""Sequences among which others of the same type are looked for."""
BATCH = 1000
"""Rows that are edited between two looks whether somebody cancelled."""

Check = Callable[[], None]


@dataclass(frozen=True, slots=True)
class State:
    """The open data, and which of them go into the next run.

    ``sequences`` are a tuple where they are few, and a `SequenceSet` where they are many. ``chosen`` are the rows of
    the sequences that were chosen as first, second, ... input; ``subset`` those that a method of any number of
    sequences takes, all where it is empty. ``data`` are distance matrices, models and the like, ``picked`` the numbers
    of those that the user picked, the last one first.
    """

    sequences: Sequences[Sequence] = ()
    chosen: tuple[int, ...] = ()
    data: tuple[Any, ...] = ()
    picked: tuple[int, ...] = ()
    subset: tuple[int, ...] = ()

    def rows(self, count: int | None) -> Sequences[int]:
        """Rows of the ``count`` inputs of a run: the chosen ones, then the first that are left, of their type where
        there are such.

        Fewer than ``count`` when there are not enough sequences; None stands for any number.
        """
        if count is None:
            return self.subset or range(len(self.sequences))
        rows = list(dict.fromkeys(row for row in self.chosen if row < len(self.sequences)))[:count]
        if (lacking := min(count, len(self.sequences)) - len(rows)) > 0:
            rows += islice(self._spare(rows), lacking)
        return tuple(rows)

    def _spare(self, rows: Sequences[int]) -> Iterator[int]:
        """The rows that are left; of the first of them those first that have the type of the first of ``rows``."""
        near = range(min(len(self.sequences), NEAR))
        wanted = self.sequences[rows[0] if rows else 0].type
        order = sorted(near, key=lambda row: self.sequences[row].type != wanted)
        return (row for row in chain(order, range(len(near), len(self.sequences))) if row not in rows)

    def given(self, taken: ProblemInput) -> Sequences[Any]:
        """The data that a run takes for this input: the picked ones of its kind, then the newest; of an input that may
        be left out, the picked ones alone."""
        if taken.kind is SEQUENCE:
            every = taken.maximum is None and not self.subset
            return self.sequences if every else take_sequences(self.sequences, self.rows(taken.maximum))
        newest = reversed(range(len(self.data))) if taken.minimum else ()
        order = dict.fromkeys((*self.picked, *newest))
        found = [self.data[number] for number in order if taken.kind.accepts(self.data[number])]
        return tuple(found[: taken.maximum])

    def inputs(self, problem: ProblemType) -> Sequences[Any]:
        """Everything that a run takes, in the order of the problem's inputs, as far as it is there."""
        return join_data([self.given(taken) for taken in problem.inputs])

    def missing(self, problem: ProblemType) -> str:
        """What a run still lacks, for people; empty when nothing does."""
        lacking = [taken for taken in problem.inputs if len(self.given(taken)) < taken.minimum]
        if not lacking:
            return ""
        counts = [f"{len(self.given(taken)):,} of {taken.describe_count()}" for taken in lacking]
        return f"This method takes {problem.describe_inputs()}; open: {', '.join(counts)}."


def _renumbered(state: State, sequences: Sequences[Sequence], place: Callable[[np.ndarray], np.ndarray]) -> State:
    """Other sequences; ``place(rows)`` are the new rows of old ones, -1 of those that are gone."""
    given = (np.array(rows, np.int64) for rows in (state.chosen, state.subset))
    chosen, subset = (place(rows[rows < len(state.sequences)]) for rows in given)
    subset = np.sort(subset[subset >= 0])
    return replace(
        state, sequences=sequences, chosen=tuple(chosen[chosen >= 0].tolist()), subset=tuple(subset.tolist())
    )


def inserted(state: State, row: int, sequences: Iterable[Sequence]) -> State:
    """``sequences`` before ``row``; what was chosen stays chosen."""
    new = pack_sequences(sequences)
    count = len(state.sequences)
    order = np.concatenate([np.arange(row), np.arange(count, count + len(new)), np.arange(row, count)])
    after = take_sequences(join_sequences(state.sequences, new), order)
    return _renumbered(state, after, lambda old: old + len(new) * (old >= row))


def removed(state: State, rows: Iterable[int]) -> State:
    """Without the sequences of these rows."""
    kept = np.ones(len(state.sequences), bool)
    kept[_rows(rows)] = False
    gone = np.flatnonzero(~kept)
    left = take_sequences(state.sequences, np.flatnonzero(kept))
    return _renumbered(state, left, lambda old: np.where(kept[old], old - np.searchsorted(gone, old), -1))


def moved(state: State, rows: Iterable[int], step: int) -> State:
    """The rows moved up (step -1) or down (step 1) by one place; rows at the border stay."""
    count = len(state.sequences)
    wanted = np.zeros(count, bool)
    wanted[_rows(rows)] = True
    old = np.flatnonzero(wanted)
    border = np.arange(old.size) if step < 0 else np.arange(count - old.size, count)
    if np.array_equal(old, border):
        return state
    places = np.full(count, -1)
    places[old] = np.where(old == border, old, old + step)
    others = np.ones(count, bool)
    others[places[old]] = False
    places[places < 0] = np.flatnonzero(others)
    return _renumbered(state, take_sequences(state.sequences, np.argsort(places)), places.__getitem__)


def replaced(state: State, changes: dict[int, Sequence]) -> State:
    """Other sequences in these rows."""
    rows = np.array(sorted(changes))
    order = np.arange(len(state.sequences))
    order[rows] = order.size + np.arange(rows.size)
    both = join_sequences(state.sequences, [changes[row] for row in rows.tolist()])
    return replace(state, sequences=take_sequences(both, order))


def duplicated(state: State, rows: Iterable[int], check: Check = lambda: None) -> State:
    """With copies of these rows behind the last of them; ``check`` is called now and then, and may raise."""
    order = sorted(set(rows))
    copies = []
    for at in range(0, len(order), BATCH):
        check()
        found = (state.sequences[row] for row in order[at : at + BATCH])
        copies += [rename_sequence(sequence, f"{sequence.name}_copy") for sequence in found]
    return inserted(state, order[-1] + 1, copies)


def with_made(
    state: State, rows: Iterable[int], made: Callable[[Sequence], Sequence], check: Check = lambda: None
) -> State:
    """With what is made of these rows behind the last of them; ``check`` as above, also before each sequence."""
    order, found = sorted(set(rows)), []
    for row in order:
        check()
        found.append(made(state.sequences[row]))
    return inserted(state, order[-1] + 1, found)


def kept_alone(state: State, kept: Iterable[int]) -> State:
    """Without all sequences but those of these rows."""
    wanted = set(kept)
    return removed(state, [row for row in range(len(state.sequences)) if row not in wanted])


def retyped(state: State, rows: Iterable[int], kind: SequenceType, check: Check = lambda: None) -> State:
    """With another type of these rows; InputError where a letter does not belong to it. ``check`` as above."""
    changes = {}
    for number, row in enumerate(rows):
        if number % BATCH == 0:
            check()
        sequence = state.sequences[row]
        if sequence.type != kind:
            changes[row] = with_type(sequence, kind)
    return replaced(state, changes) if changes else state


def chosen(state: State, role: int, row: int, count: int) -> State:
    """``row`` as input number ``role`` (from 0); a row that had another role changes places."""
    rows = list(state.rows(count))
    if row in rows:
        other = rows.index(row)
        rows[other], rows[role] = rows[role], rows[other]
    else:
        rows[role] = row
    return replace(state, chosen=tuple(rows))


def with_chosen(state: State, rows: Iterable[int]) -> State:
    """These rows as the inputs, in this order; as it was where there are none."""
    found = tuple(rows)
    return replace(state, chosen=found) if found else state


def with_opened(state: State, rows: Sequences[int]) -> State:
    """These rows, where they are several, as the input of a run that takes any number of sequences; a single one beside
    those that are it. As it was for none."""
    if not len(rows) or (len(rows) == 1 and not state.subset):
        return state
    subset = sorted({*state.subset, rows[0]}) if len(rows) == 1 else rows
    subset = () if len(subset) == len(state.sequences) else subset
    return replace(state, subset=tuple(sorted(subset)))


def with_data(state: State, data: Iterable[Any], behind: Iterable[Any] = (), are_picked: bool = True) -> State:
    """More data that are no sequences; where it is picked, what is new goes behind what was opened together with it."""
    if not are_picked:
        return replace(state, data=state.data + tuple(data))
    new, before = tuple(data), {id(datum) for datum in behind}
    front = [number for number in state.picked if id(state.data[number]) in before]
    rest = [number for number in state.picked if number not in front]
    numbers = range(len(state.data), len(state.data) + len(new))
    return replace(state, data=state.data + new, picked=(*front, *numbers, *rest))


def picked(state: State, number: int) -> State:
    """The datum of this number goes before others of its kind."""
    return replace(state, picked=(number, *(other for other in state.picked if other != number)))


def left_out(state: State, number: int) -> State:
    """The datum of this number is given to no run that can do without it."""
    return replace(state, picked=tuple(other for other in state.picked if other != number))


def without_strangers(state: State, sequences: Sequences[Sequence], beside: Iterable[Any] = ()) -> State:
    """Trees, distances and the like that are of other sequences than these, which have just come, are left out; those
    that were opened ``beside`` them stay."""
    names = set(sequence_names(sequences[:LOOKED_AT]))
    kept = {id(datum) for datum in beside}

    def stays(datum: Any) -> bool:
        taxa = getattr(datum, "taxa", None) or getattr(datum, "names", None)
        return id(datum) in kept or not taxa or not names.isdisjoint(taxa)

    picked = tuple(number for number in state.picked if stays(state.data[number]))
    return state if picked == state.picked else replace(state, picked=picked)


def without_data(state: State, numbers: Iterable[int]) -> State:
    """Without the data of these numbers."""
    gone = set(numbers)
    kept = [number for number in range(len(state.data)) if number not in gone]
    place = {number: index for index, number in enumerate(kept)}
    data = tuple(state.data[number] for number in kept)
    return replace(state, data=data, picked=tuple(place[number] for number in state.picked if number in place))


def _rows(rows: Iterable[int]) -> np.ndarray:
    if isinstance(rows, range):
        return np.arange(rows.start, rows.stop, rows.step)
    return np.fromiter(rows, np.int64)
