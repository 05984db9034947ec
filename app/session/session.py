"""The session: open sequences and other data, the inputs of the next run, and results, with undo.

Sequences and results are frozen, so a state is a tuple of them (app/session/state.py), and undo restores the previous
state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from antidiag.app.session.entry import DataEdits, Entry
from antidiag.app.session.state import (
    State,
    chosen,
    duplicated,
    inserted,
    left_out,
    moved,
    picked,
    removed,
    replaced,
    retyped,
    with_chosen,
    with_data,
    with_opened,
    without_data,
    without_strangers,
)
from antidiag.kernels.io.sequence_tools import rename_sequence
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import ProblemType
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.sequences.sequence_set import pack_sequences, split_data

UNDO_LIMIT = 50


class Session(QObject):
    """Holds the open data and results, with undo; signals say what changed."""

    sequences_changed = Signal()
    data_changed = Signal()
    chosen_changed = Signal()
    results_changed = Signal()
    result_added = Signal()
    edits_changed = Signal()
    view_edited = Signal(object, str)
    """Sent with an entry or a datum and the id of the view in which it was edited."""
    shown_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.state = State()
        self.entries: tuple[Entry, ...] = ()
        self.shown: Entry | None = None
        self._data_edits: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._data_views: dict[int, tuple[Any, dict[str, Any]]] = {}
        self.undo_stack = QUndoStack(self)
        self.undo_stack.setUndoLimit(UNDO_LIMIT)

    def add(
        self,
        sequences: Iterable[Sequence],
        label: str = "",
        chosen: Iterable[int] = (),
        opened: Sequences[int] = (),
        beside: Iterable[Any] = (),
    ) -> None:
        """Append sequences; the rows of ``chosen``, where given, become the inputs of the next run.

        For a method that takes any number, the rows of ``opened`` become the inputs if they are several; a single one
        is added to the inputs. Trees and distances of other sequences leave the next run, except data opened
        ``beside`` these.
        """
        new = pack_sequences(sequences)
        if new:
            before = without_strangers(self.state, new, beside)
            after = with_chosen(inserted(before, len(self.state.sequences), new), chosen)
            self.edit(label or f"Add {_count(len(new))}", with_opened(after, opened))

    def use_rows(self, chosen: Iterable[int], opened: Sequences[int]) -> None:
        """Use open sequences in the next run, by rows as in `add`."""
        after = with_opened(with_chosen(self.state, chosen), opened)
        if after != self.state:
            self.edit("Use open sequences", after)

    def add_data(self, data: Iterable[Any], behind: Iterable[Any] = (), are_used: bool = True) -> None:
        """Append data other than sequences. Where they ``are_used``, the next run takes them, after those of
        ``behind``, which were opened together with them."""
        new = tuple(data)
        if new:
            label = f"Add {new[0].name}" if len(new) == 1 else f"Add {len(new):,} data"
            self.edit(label, with_data(self.state, new, behind, are_used))

    def leave_out(self, number: int) -> None:
        """Leave a datum out of runs that do not need it."""
        self.edit(f"Leave out {self.state.data[number].name}", left_out(self.state, number))

    def use_datum(self, number: int) -> None:
        """Use a datum in the next run that takes its kind."""
        after = picked(self.state, number)
        if after != self.state:
            self.edit(f"Use {self.state.data[number].name}", after)

    def remove_data(self, numbers: Iterable[int]) -> None:
        """Delete the data of these numbers."""
        numbers = set(numbers)
        if numbers:
            self.edit("Delete data", without_data(self.state, numbers))

    def restrict_rows(self, rows: Iterable[int]) -> None:
        """Use only these rows in runs that take any number of sequences; none means all."""
        after = replace(self.state, subset=tuple(sorted(set(rows))))
        if after != self.state:
            self.edit("Use selected sequences" if after.subset else "Use all sequences", after)

    def remove(self, rows: Iterable[int]) -> None:
        """Delete the sequences of these rows."""
        after = removed(self.state, rows)
        if gone := len(self.state.sequences) - len(after.sequences):
            self.edit(f"Delete {_count(gone)}", after)

    def duplicate_rows(self, rows: Iterable[int]) -> None:
        """Add copies of the sequences of these rows."""
        rows = set(rows)
        if rows:
            self.edit(duplicate_label(len(rows)), duplicated(self.state, rows))

    def move(self, rows: Iterable[int], step: int) -> None:
        """Move the sequences of these rows up (-1) or down (1)."""
        after = moved(self.state, rows, step)
        if after != self.state:
            self.edit("Move sequences", after)

    def rename(self, row: int, name: str) -> None:
        """Rename the sequence of a row; an empty name changes nothing."""
        name = " ".join(name.split())
        if name and name != self.state.sequences[row].name:
            self.edit("Rename", replaced(self.state, {row: rename_sequence(self.state.sequences[row], name)}))

    def change_type(self, rows: Iterable[int], kind: SequenceType) -> None:
        """Change the type of these rows; InputError if a letter does not belong to it."""
        self.edit(retype_label(kind), retyped(self.state, rows, kind))

    def choose(self, role: int, row: int, count: int = 2) -> None:
        """Use the sequence of a row as input ``role`` (from 0) of ``count`` inputs."""
        after = chosen(self.state, role, row, count)
        if after.chosen != self.state.rows(count):
            self.edit(f"Use {self.state.sequences[row].name} as input {role + 1}", after)

    def use(self, problem: ProblemType, data: Iterable[Any]) -> None:
        """These data, as far as they are open, as the inputs of the next run of such a problem."""
        (wanted, others), state = split_data(data), self.state
        rows = _rows_of(wanted, state.sequences)
        numbers = [number for datum in others for number in _numbers_of(datum, state.data, problem)]
        several = any(taken.kind is SEQUENCE and taken.maximum is None for taken in problem.inputs)
        after = replace(state, subset=tuple(sorted(rows))) if several else replace(state, chosen=tuple(rows))
        for number in reversed(numbers):
            after = picked(after, number)
        if after != state:
            self.edit("Use the data of a result", after)

    def swap_inputs(self, problem: ProblemType | None = None) -> None:
        """Swap the first two inputs: other data if the ``problem`` takes two such, else sequences."""
        for taken in problem.inputs if problem else ():
            if taken.kind is not SEQUENCE and taken.maximum == 2:
                given = self.state.given(taken)
                if len(given) == 2:
                    second = next(number for number, one in enumerate(self.state.data) if one is given[1])
                    self.edit("Swap first and second", picked(self.state, second))
                return
        rows = self.state.rows(2)
        if len(rows) == 2:
            self.edit("Swap first and second", replace(self.state, chosen=(rows[1], rows[0], *self.state.chosen[2:])))

    def add_result(self, entry: Entry) -> None:
        """Put a result at the top of the list and show it."""
        self.entries = (entry, *self.entries)
        self.results_changed.emit()
        self.show(entry)
        self.result_added.emit()

    def remove_results(self, entries: Iterable[Entry]) -> None:
        """Delete results from the list."""
        wanted = set(entries)
        gone = tuple(entry for entry in self.entries if entry in wanted)
        if gone:
            label = "Delete result" if len(gone) == 1 else f"Delete {len(gone)} results"
            after = tuple(entry for entry in self.entries if entry not in gone)
            self.undo_stack.push(_RemoveResults(self, label, gone, self.entries, after))

    def relabel_results(self, label: str, changes: Mapping[Entry, Entry]) -> None:
        """Replace entries whose name, tags or note changed; ``label`` names the edit."""
        if changes:
            self.undo_stack.push(_Relabel(self, label, changes))

    def rename_result(self, entry: Entry, name: str) -> None:
        """Rename a result; an empty name restores the name of its method."""
        self.relabel_results("Rename result", {entry: replace(entry, name=name)})

    def replace_entries(self, changes: Mapping[Entry, Entry]) -> None:
        """Replace entries by others of the same results; the shown result stays."""
        self.entries = tuple(changes.get(entry, entry) for entry in self.entries)
        if self.shown is not None:
            self.shown = changes.get(self.shown, self.shown)
        self.results_changed.emit()

    def show(self, entry: Entry | None) -> None:
        """Show this result in the views."""
        if entry is not self.shown:
            self.shown = entry
            self.shown_changed.emit()

    def edits_of(self, shown: Any) -> dict[str, Any]:
        """Return the user's edits of the pictures of an entry or a datum, by the id of the view."""
        if isinstance(shown, Entry):
            return shown.edits
        # Data are distinguished by identity, because equal ones may be open. The reference keeps the id unique.
        return self._data_edits.setdefault(id(shown), (shown, {}))[1]

    def keep_edits(self, shown: Any, view_id: str, edits: Any) -> None:
        """Store the user's edits of a picture of an entry or a datum; None removes them."""
        kept = self.edits_of(shown)
        if edits is None:
            kept.pop(view_id, None)
        else:
            kept[view_id] = edits
        self.edits_changed.emit()
        self.view_edited.emit(shown, view_id)

    def views_of(self, shown: Any) -> dict[str, Any]:
        """Return what the user has set in the views of an entry or a datum, by the id of the view."""
        if isinstance(shown, Entry):
            return shown.views
        return self._data_views.setdefault(id(shown), (shown, {}))[1]

    def data_views(self) -> dict[str, dict[str, Any]]:
        """Return what the user has set in the views of all data, by the numbers of these as text."""
        found = ((number, self._data_views.get(id(datum))) for number, datum in enumerate(self.state.data))
        return {str(number): dict(held[1]) for number, held in found if held and held[1]}

    def restore_data_views(self, saved: Any) -> None:
        """Restore what `data_views` returned, as far as these data are there."""
        for number, views in saved.items() if isinstance(saved, Mapping) else ():
            if isinstance(views, Mapping) and number.isdecimal() and int(number) < len(self.state.data):
                self.views_of(self.state.data[int(number)]).update(views)

    def data_edits(self) -> DataEdits:
        """Return the user's edits of the pictures of all data."""
        found = ((number, self._data_edits.get(id(datum))) for number, datum in enumerate(self.state.data))
        return {number: dict(held[1]) for number, held in found if held and held[1]}

    def replace_all(self, state: State, entries: Iterable[Entry], edits: DataEdits = MappingProxyType({})) -> None:
        """Replace the whole session; this cannot be undone."""
        self.undo_stack.clear()
        self._data_views = {}
        self._data_edits = {id(state.data[number]): (state.data[number], dict(kept)) for number, kept in edits.items()}
        self.entries = tuple(entries)
        self.set_state(state)
        self.results_changed.emit()
        self.show(self.entries[0] if self.entries else None)

    def set_state(self, state: State) -> None:
        """Switch to another state; ``chosen_changed`` is always the last signal."""
        before, self.state = self.state, state
        if state.sequences is not before.sequences:
            self.sequences_changed.emit()
        if state.data is not before.data or state.picked != before.picked:
            self.data_changed.emit()
        self.chosen_changed.emit()

    def set_entries(self, entries: tuple[Entry, ...]) -> None:
        """Replace the list of results; if the shown one is gone, show the first."""
        self.entries = entries
        self.results_changed.emit()
        if self.shown not in entries:
            self.show(entries[0] if entries else None)

    def edit(self, label: str, after: State) -> None:
        """Switch to another state with undo; do nothing if it is the same."""
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
    """Removes results; undo restores them and keeps results that were added since."""

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


class _Relabel(QUndoCommand):
    def __init__(self, session: Session, label: str, changes: Mapping[Entry, Entry]) -> None:
        super().__init__(label)
        self._session, self._changes = session, dict(changes)

    def redo(self) -> None:
        self._session.replace_entries(self._changes)

    def undo(self) -> None:
        self._session.replace_entries({after: before for before, after in self._changes.items()})


def duplicate_label(rows: int) -> str:
    """Return the undo text of duplicating rows."""
    return f"Duplicate {_count(rows)}"


def retype_label(kind: SequenceType) -> str:
    """Return the undo text of changing the type of sequences."""
    return f"Change type to {kind}"


def _rows_of(wanted: Sequences[Sequence], sequences: Sequences[Sequence]) -> Sequences[int]:
    """Rows of sequences that equal these, of those that are open; of equal ones another row each, while there are."""
    if wanted is sequences or (len(wanted) == len(sequences) and wanted == sequences):
        return range(len(sequences))
    free: dict[Sequence, deque[int]] = {sequence: deque() for sequence in wanted}
    for row, sequence in enumerate(sequences):
        if sequence in free:
            free[sequence].append(row)
    rows = [free[sequence] for sequence in wanted if free[sequence]]
    return [found.popleft() if len(found) > 1 else found[0] for found in rows]


def _numbers_of(wanted: Any, data: tuple[Any, ...], problem: ProblemType) -> list[int]:
    """Return the number of this datum, or else of the first that converts to it; none if it is not open."""
    found = [number for number, datum in enumerate(data) if datum is wanted]
    if found:
        return found
    made = ((number, datum, problem.convert_datum(datum)) for number, datum in enumerate(data))
    return next(([number] for number, datum, one in made if one is not datum and one == wanted), [])


def _count(number: int) -> str:
    return "1 sequence" if number == 1 else f"{number:,} sequences"
