"""What the user has open: sequences and other data, which of them go into the next run, and results.

Sequences and results are frozen, so a state is a tuple of them, every edit is a pure function from state
to state, and undo goes back to the tuple before. A table may have a million rows: what is done to all of them is done
in whole arrays, so that the window does not stop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field, replace
from itertools import compress
from types import MappingProxyType
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from kernels.method import Input, ProblemType
from kernels.model import Result, Sequence, SequenceType
from kernels.sequences import SEQUENCE, with_type

UNDO_LIMIT = 50
BATCH = 1000
"""Rows that are edited between two looks whether somebody cancelled."""

Check = Callable[[], None]


@dataclass(frozen=True, slots=True)
class State:
    """The open data, and which of them go into the next run.

    ``chosen`` are the rows of the sequences that were chosen as first, second, ... input; ``subset`` those that a
    method of any number of sequences takes, all where it is empty. ``data`` are distance matrices, models and the
    like, ``picked`` the numbers of those that the user picked, the last one first.
    """

    sequences: tuple[Sequence, ...] = ()
    chosen: tuple[int, ...] = ()
    data: tuple[Any, ...] = ()
    picked: tuple[int, ...] = ()
    subset: tuple[int, ...] = ()

    def rows(self, count: int | None) -> Sequences[int]:
        """Rows of the ``count`` inputs of a run: the chosen ones, then the first that are left.

        Fewer than ``count`` when there are not enough sequences; None stands for any number.
        """
        if count is None:
            return self.subset or range(len(self.sequences))
        rows = list(dict.fromkeys(row for row in self.chosen if row < len(self.sequences)))[:count]
        spare = (row for row in range(len(self.sequences)) if row not in rows)
        while len(rows) < min(count, len(self.sequences)):
            rows.append(next(spare))
        return tuple(rows)

    def given(self, taken: Input) -> tuple[Any, ...]:
        """The data that a run takes for this input: the picked ones of its kind, then the newest."""
        if taken.kind is SEQUENCE:
            every = taken.maximum is None and not self.subset
            return self.sequences if every else tuple(map(self.sequences.__getitem__, self.rows(taken.maximum)))
        order = dict.fromkeys((*self.picked, *reversed(range(len(self.data)))))
        found = [self.data[number] for number in order if isinstance(self.data[number], taken.kind.type)]
        return tuple(found[: taken.maximum])

    def inputs(self, problem: ProblemType) -> tuple[Any, ...]:
        """Everything that a run takes, in the order of the problem's inputs, as far as it is there."""
        return sum((self.given(taken) for taken in problem.inputs), ())

    def missing(self, problem: ProblemType) -> str:
        """What a run still lacks, for people; empty when nothing does."""
        lacking = [taken for taken in problem.inputs if len(self.given(taken)) < taken.minimum]
        if not lacking:
            return ""
        counts = [f"{len(self.given(taken)):,} of {taken.number()}" for taken in lacking]
        return f"This method takes {problem.takes()}; open: {', '.join(counts)}."


def _renumbered(state: State, sequences: tuple[Sequence, ...], places: np.ndarray) -> State:
    """Other sequences; ``places`` are the new rows of the old ones, -1 of those that are gone."""
    given = (np.array(rows, np.int64) for rows in (state.chosen, state.subset))
    chosen, subset = (places[rows[rows < places.size]] for rows in given)
    subset = np.sort(subset[subset >= 0])
    return replace(
        state, sequences=sequences, chosen=tuple(chosen[chosen >= 0].tolist()), subset=tuple(subset.tolist())
    )


def inserted(state: State, row: int, sequences: Iterable[Sequence]) -> State:
    """``sequences`` before ``row``; what was chosen stays chosen."""
    new = tuple(sequences)
    after = state.sequences[:row] + new + state.sequences[row:]
    old = np.arange(len(state.sequences))
    return _renumbered(state, after, old + len(new) * (old >= row))


def removed(state: State, rows: Iterable[int]) -> State:
    """Without the sequences of these rows."""
    kept = np.ones(len(state.sequences), bool)
    kept[_rows(rows)] = False
    return _renumbered(state, tuple(compress(state.sequences, kept.tolist())), np.where(kept, np.cumsum(kept) - 1, -1))


def moved(state: State, rows: Iterable[int], step: int) -> State:
    """The rows moved up (step -1) or down (step 1) by one place; rows at the border stay."""
    count, old = len(state.sequences), np.unique(_rows(rows))
    border = np.arange(old.size) if step < 0 else np.arange(count - old.size, count)
    if np.array_equal(old, border):
        return state
    places = np.full(count, -1)
    places[old] = np.where(old == border, old, old + step)
    others = np.ones(count, bool)
    others[places[old]] = False
    places[places < 0] = np.flatnonzero(others)
    return _renumbered(state, tuple(map(state.sequences.__getitem__, np.argsort(places).tolist())), places)


def replaced(state: State, changes: dict[int, Sequence]) -> State:
    """Other sequences in these rows."""
    sequences = list(state.sequences)
    for row, sequence in changes.items():
        sequences[row] = sequence
    return replace(state, sequences=tuple(sequences))


def duplicated(state: State, rows: Iterable[int], check: Check = lambda: None) -> State:
    """With copies of these rows behind the last of them; ``check`` is called now and then, and may raise."""
    order = sorted(set(rows))
    copies = []
    for at in range(0, len(order), BATCH):
        check()
        found = map(state.sequences.__getitem__, order[at : at + BATCH])
        copies += [replace(sequence, name=f"{sequence.name}_copy") for sequence in found]
    return inserted(state, order[-1] + 1, copies)


def retyped(state: State, rows: Iterable[int], kind: SequenceType, check: Check = lambda: None) -> State:
    """With another type of these rows; InputError where a letter does not belong to it. ``check`` as above."""
    changes = {}
    for number, row in enumerate(rows):
        if number % BATCH == 0:
            check()
        if state.sequences[row].type != kind:
            changes[row] = with_type(state.sequences[row], kind)
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


def with_chosen(state: State, sequences: Iterable[Sequence]) -> State:
    """These very sequences as the inputs, in this order; as it was where there are none."""
    order = [id(sequence) for sequence in sequences]
    wanted = set(order)
    rows = {id(sequence): row for row, sequence in enumerate(state.sequences) if id(sequence) in wanted}
    found = tuple(rows[number] for number in order if number in rows)
    return replace(state, chosen=found) if found else state


def with_data(state: State, data: Iterable[Any]) -> State:
    """More data that are no sequences; what is new is picked."""
    new = tuple(data)
    numbers = range(len(state.data), len(state.data) + len(new))
    return replace(state, data=state.data + new, picked=(*numbers, *state.picked))


def picked(state: State, number: int) -> State:
    """The datum of this number goes before others of its kind."""
    return replace(state, picked=(number, *(other for other in state.picked if other != number)))


def without_data(state: State, numbers: Iterable[int]) -> State:
    """Without the data of these numbers."""
    gone = set(numbers)
    kept = [number for number in range(len(state.data)) if number not in gone]
    place = {number: index for index, number in enumerate(kept)}
    data = tuple(state.data[number] for number in kept)
    return replace(state, data=data, picked=tuple(place[number] for number in state.picked if number in place))


@dataclass(frozen=True, eq=False)
class Entry:
    """A result in the list; ``options`` and ``parameters`` are what the user had set, for doing it again.

    ``edits`` is what the user did to the picture of it, by the id of the view: plain values and frozen data of the
    engine, which a session file keeps.
    """

    result: Result
    options: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    edits: dict[str, Any] = field(default_factory=dict)


DataEdits = Mapping[int, Mapping[str, Any]]
"""Of data, by their numbers, what the user did to their pictures, as in `Entry`."""


class Session(QObject):
    """The open data, with undo. Signals say what changed; readers take the new state from here."""

    sequences_changed = Signal()
    data_changed = Signal()
    chosen_changed = Signal()
    results_changed = Signal()
    edits_changed = Signal()
    shown_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.state = State()
        self.entries: tuple[Entry, ...] = ()
        self.shown: Entry | None = None
        self._data_edits: dict[int, tuple[Any, dict[str, Any]]] = {}
        self.undo_stack = QUndoStack(self)
        self.undo_stack.setUndoLimit(UNDO_LIMIT)

    def add(self, sequences: Iterable[Sequence], label: str = "", chosen: Iterable[Sequence] = ()) -> None:
        """Append sequences; those of ``chosen``, where given, become the inputs of the next run."""
        new = tuple(sequences)
        if new:
            after = with_chosen(inserted(self.state, len(self.state.sequences), new), chosen)
            self.edit(label or f"Add {_count(len(new))}", after)

    def add_data(self, data: Iterable[Any]) -> None:
        """Append data that are no sequences; they go into the next run that takes such."""
        new = tuple(data)
        if new:
            self.edit(f"Add {new[0].name}" if len(new) == 1 else f"Add {len(new):,} data", with_data(self.state, new))

    def pick(self, number: int) -> None:
        """The datum of this number goes into the next run that takes one of its kind."""
        after = picked(self.state, number)
        if after != self.state:
            self.edit(f"Use {self.state.data[number].name}", after)

    def remove_data(self, numbers: Iterable[int]) -> None:
        numbers = set(numbers)
        if numbers:
            self.edit("Delete data", without_data(self.state, numbers))

    def restrict(self, rows: Iterable[int]) -> None:
        """Only these rows go into runs that take any number of sequences; all of them where there are none."""
        after = replace(self.state, subset=tuple(sorted(set(rows))))
        if after != self.state:
            self.edit("Use selected sequences" if after.subset else "Use all sequences", after)

    def remove(self, rows: Iterable[int]) -> None:
        rows = set(rows)
        if rows:
            self.edit(f"Delete {_count(len(rows))}", removed(self.state, rows))

    def duplicate(self, rows: Iterable[int]) -> None:
        rows = set(rows)
        if rows:
            self.edit(duplicate_label(len(rows)), duplicated(self.state, rows))

    def move(self, rows: Iterable[int], step: int) -> None:
        after = moved(self.state, rows, step)
        if after != self.state:
            self.edit("Move sequences", after)

    def rename(self, row: int, name: str) -> None:
        name = " ".join(name.split())
        if name and name != self.state.sequences[row].name:
            self.edit("Rename", replaced(self.state, {row: replace(self.state.sequences[row], name=name)}))

    def retype(self, rows: Iterable[int], kind: SequenceType) -> None:
        """Another type for these rows; InputError where a letter does not belong to it."""
        self.edit(retype_label(kind), retyped(self.state, rows, kind))

    def choose(self, role: int, row: int, count: int = 2) -> None:
        after = chosen(self.state, role, row, count)
        if after.chosen != self.state.rows(count):
            self.edit(f"Use {self.state.sequences[row].name} as input {role + 1}", after)

    def use(self, problem: ProblemType, data: Iterable[Any]) -> None:
        """These data, as far as they are open, as the inputs of the next run of such a problem."""
        wanted, state = list(data), self.state
        rows = _rows_of(wanted, state.sequences)
        numbers = [number for number, datum in enumerate(state.data) if any(datum is one for one in wanted)]
        several = any(taken.kind is SEQUENCE and taken.maximum is None for taken in problem.inputs)
        after = replace(state, subset=tuple(sorted(rows))) if several else replace(state, chosen=tuple(rows))
        for number in reversed(numbers):
            after = picked(after, number)
        if after != state:
            self.edit("Use the data of a result", after)

    def swap(self) -> None:
        """The first two inputs change places."""
        rows = self.state.rows(2)
        if len(rows) == 2:
            self.edit("Swap first and second", replace(self.state, chosen=(rows[1], rows[0], *self.state.chosen[2:])))

    def add_result(self, entry: Entry) -> None:
        """Put a result at the top of the list and show it."""
        self.entries = (entry, *self.entries)
        self.results_changed.emit()
        self.show(entry)

    def remove_results(self, entries: Iterable[Entry]) -> None:
        wanted = set(entries)
        gone = tuple(entry for entry in self.entries if entry in wanted)
        if gone:
            label = "Delete result" if len(gone) == 1 else f"Delete {len(gone)} results"
            after = tuple(entry for entry in self.entries if entry not in gone)
            self.undo_stack.push(_RemoveResults(self, label, gone, self.entries, after))

    def show(self, entry: Entry | None) -> None:
        """Make this result the one that the views show."""
        if entry is not self.shown:
            self.shown = entry
            self.shown_changed.emit()

    def edits_of(self, shown: Any) -> dict[str, Any]:
        """What the user did to the pictures of a result, given as its entry, or of a datum; by the id of the view."""
        if isinstance(shown, Entry):
            return shown.edits
        # Data are told apart by identity, as rows may be equal. A datum is held here, so that its id stays its own.
        return self._data_edits.setdefault(id(shown), (shown, {}))[1]

    def keep_edits(self, shown: Any, view_id: str, edits: Any) -> None:
        """What the user did to the picture of an entry or a datum; None where nothing is left of it."""
        kept = self.edits_of(shown)
        if edits is None:
            kept.pop(view_id, None)
        else:
            kept[view_id] = edits
        self.edits_changed.emit()

    def data_edits(self) -> DataEdits:
        """What the user did to the pictures of the data."""
        found = ((number, self._data_edits.get(id(datum))) for number, datum in enumerate(self.state.data))
        return {number: dict(held[1]) for number, held in found if held and held[1]}

    def replace_all(self, state: State, entries: Iterable[Entry], edits: DataEdits = MappingProxyType({})) -> None:
        """Open another session; there is no way back by undo."""
        self.undo_stack.clear()
        self._data_edits = {id(state.data[number]): (state.data[number], dict(kept)) for number, kept in edits.items()}
        self.entries = tuple(entries)
        self.set_state(state)
        self.results_changed.emit()
        self.show(self.entries[0] if self.entries else None)

    def set_state(self, state: State) -> None:
        """Go over to another state; whatever it changes, ``chosen_changed`` is the last signal."""
        before, self.state = self.state, state
        if state.sequences is not before.sequences:
            self.sequences_changed.emit()
        if state.data is not before.data or state.picked != before.picked:
            self.data_changed.emit()
        self.chosen_changed.emit()

    def set_entries(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries
        self.results_changed.emit()
        if self.shown not in entries:
            self.show(entries[0] if entries else None)

    def edit(self, label: str, after: State) -> None:
        """Go on with another state, from which undo leads back; nothing happens where it is the same."""
        if after is not self.state:
            self.undo_stack.push(_Edit(self, label, self.state, after))


class _Edit(QUndoCommand):
    def __init__(self, session: Session, label: str, before: State, after: State) -> None:
        super().__init__(label)
        self._session, self._before, self._after = session, before, after

    def redo(self) -> None:
        self._session.set_state(self._after)

    def undo(self) -> None:
        self._session.set_state(self._before)


class _RemoveResults(QUndoCommand):
    """Results may have been added since, so undo puts the removed ones back among those that are there."""

    def __init__(
        self, session: Session, label: str, gone: tuple[Entry, ...], before: tuple[Entry, ...], after: tuple[Entry, ...]
    ) -> None:
        super().__init__(label)
        self._session, self._gone, self._before, self._after = session, gone, before, after

    def redo(self) -> None:
        self._session.set_entries(tuple(entry for entry in self._session.entries if entry not in self._gone))

    def undo(self) -> None:
        newer = tuple(entry for entry in self._session.entries if entry not in self._after)
        self._session.set_entries(newer + self._before)
        self._session.show(self._gone[0])


def duplicate_label(rows: int) -> str:
    return f"Duplicate {_count(rows)}"


def retype_label(kind: SequenceType) -> str:
    return f"Change type to {kind}"


def _rows_of(wanted: Iterable[Any], sequences: tuple[Sequence, ...]) -> list[int]:
    """Rows of these very sequences, or of the first ones that equal them; of those that are there."""
    wanted = [datum for datum in wanted if isinstance(datum, Sequence)]
    by_identity = {id(sequence): row for row, sequence in enumerate(sequences)}
    found = [by_identity.get(id(datum)) for datum in wanted]
    if None in found:
        equal = {sequence: row for row, sequence in reversed(list(enumerate(sequences)))}
        found = [equal.get(datum) if row is None else row for row, datum in zip(found, wanted, strict=True)]
    return [row for row in found if row is not None]


def _rows(rows: Iterable[int]) -> np.ndarray:
    return np.fromiter(rows, np.int64)


def _count(number: int) -> str:
    return "1 sequence" if number == 1 else f"{number:,} sequences"
