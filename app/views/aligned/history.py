"""What a person does to an alignment, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tiled_changes, tiled_edits
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.tiled_changes import Edited
from antidiag.kernels.io.tiled_edits import LARGE
from antidiag.kernels.io.tiles import Tiles

LEAST_KEPT, KEPT_SHARE = 1 << 28, 4
"""Bytes that undo keeps beside the alignment as it came, and the share of its letters where that is more; the oldest
states go first."""


@dataclass(frozen=True, eq=False)
class State:
    """An alignment, and the rows of it that are shown, from the top, int64."""

    alignment: AlignedSequences
    order: np.ndarray


class AlignmentEditor(QObject):
    """The states of one alignment, of which one is shown. ``changed`` says that it is another."""

    changed = Signal()

    def __init__(self, alignment: AlignedSequences) -> None:
        super().__init__()
        self.original = alignment
        self._first = State(_held(alignment), np.arange(len(alignment.names)))
        self._states: list[tuple[State, str]] = [(self._first, "")]
        self._at = 0
        self._edited = False
        self._open = False

    @property
    def state(self) -> State:
        return self._states[self._at][0]

    @property
    def undo_text(self) -> str:
        """What undo would take back; "" where there is nothing."""
        return self._states[self._at][1] if self._at else ""

    @property
    def redo_text(self) -> str:
        """What redo would do again; "" where there is nothing."""
        return self._states[self._at + 1][1] if self._at + 1 < len(self._states) else ""

    @property
    def as_it_came(self) -> bool:
        """Whether the letters are those before any edit; the order of the rows may be another."""
        return self.state.alignment is self._first.alignment

    @property
    def untouched(self) -> bool:
        """Whether nothing was ever done."""
        return not self._edited

    @property
    def edits(self) -> dict[str, Any] | None:
        """The state as frozen data: an alignment, or its changes; None where it is the alignment as it came."""
        state = self.state
        if self.as_it_came and np.array_equal(state.order, self._first.order):
            return None
        if isinstance(state.alignment.letters, Tiles):
            return {"changes": Edited(state.alignment, self.original), "order": state.order}
        return {"alignment": state.alignment, "order": state.order}

    def restore(self, edits: Mapping[str, Any]) -> None:
        """Go on from what `edits` said; InputError where that is of another alignment."""
        told, order = edits.get("changes"), np.asarray(edits["order"])
        told = told.stored_form() if isinstance(told, Edited) else told
        after = edits["alignment"] if told is None else tiled_changes.changed(self.original, told)
        if order.ndim != 1 or not np.isin(order, np.arange(len(after.names))).all():
            raise InputError("the changes of this alignment are those of another one")
        self.do("earlier changes", after, order)

    def do(self, what: str, alignment: AlignedSequences, order: np.ndarray | None = None, merge: bool = False) -> bool:
        """Go on with another alignment; False where it is the one that is there.

        ``merge``: one step of undo takes this back together with the step before, where both are called the same and
        the gesture is the same: nothing was closed in between.
        """
        before = self.state
        alignment = _held(alignment)
        order = before.order if order is None else order
        if alignment is before.alignment and np.array_equal(order, before.order):
            return False
        merged = merge and self._open and self._at > 0 and self.undo_text == what
        self._open = merge
        del self._states[self._at + (0 if merged else 1) :]
        self._states.append((State(alignment, order), what))
        self._at, self._edited = len(self._states) - 1, True
        self._lean()
        self._forget()
        self.changed.emit()
        return True

    def close(self) -> None:
        """End a gesture: what follows is a step of its own."""
        self._open = False

    def undo(self) -> None:
        self.close()
        if self.undo_text:
            self._at -= 1
            self.changed.emit()

    def redo(self) -> None:
        self.close()
        if self.redo_text:
            self._at += 1
            self.changed.emit()

    def _lean(self) -> None:
        """Of the state before the last one keep what it has otherwise than that, which more is asked of."""
        if len(self._states) > 2:
            older, newer = (state.alignment for state, _ in self._states[-3:-1])
            for cells, after in zip(_cells(older), _cells(newer), strict=True):
                if isinstance(cells, Tiles) and isinstance(after, Tiles):
                    cells.lean(after)

    def _forget(self) -> None:
        """Forget the oldest states that take too much; the last step can always be taken back."""
        while len(self._states) > 2 and self._bytes() > max(LEAST_KEPT, self.original.letters.nbytes // KEPT_SHARE):
            del self._states[0]
            self._at -= 1

    def _bytes(self) -> int:
        """Bytes of all states, without those of the alignment as it came."""
        arrays = {}
        for state, _ in self._states:
            for cells in _cells(state.alignment):
                found = cells.held if isinstance(cells, Tiles) else () if cells is None else (cells,)
                arrays.update({id(array): array.nbytes for array in found})
        for cells in _cells(self.original):
            arrays.pop(id(cells), None)
        return sum(arrays.values())


def _cells(alignment: AlignedSequences) -> tuple[Any, Any, Any]:
    return alignment.letters, alignment.lower, alignment.dots


def _held(alignment: AlignedSequences) -> AlignedSequences:
    """The alignment, in tiles where it is large."""
    return tiled_edits.tiled(alignment) if alignment.letters.size > LARGE else alignment
