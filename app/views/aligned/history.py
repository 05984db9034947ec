"""What a person does to an alignment, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from kernels.io.aligned import AlignedSequences

KEPT_BYTES = 1 << 30
"""Letters of states that are kept for undo; the oldest go first."""


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
        first = State(alignment, np.arange(len(alignment.names)))
        self._states: list[tuple[State, str]] = [(first, "")]
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
    def untouched(self) -> bool:
        """Whether nothing was ever done."""
        return not self._edited

    @property
    def edits(self) -> dict[str, Any] | None:
        """The state as frozen data; None where it is the alignment as it came."""
        state = self.state
        plain = state.alignment is self.original and np.array_equal(state.order, np.arange(len(state.alignment.names)))
        return None if plain else {"alignment": state.alignment, "order": state.order}

    def restore(self, edits: Mapping[str, Any]) -> None:
        """Go on from what `edits` said."""
        self.do("earlier changes", edits["alignment"], np.asarray(edits["order"]))

    def do(self, what: str, alignment: AlignedSequences, order: np.ndarray | None = None, merge: bool = False) -> bool:
        """Go on with another alignment; False where it is the one that is there.

        ``merge``: one step of undo takes this back together with the step before, where both are called the same and
        the gesture is the same: nothing was closed in between.
        """
        before = self.state
        order = before.order if order is None else order
        if alignment is before.alignment and np.array_equal(order, before.order):
            return False
        merged = merge and self._open and self._at > 0 and self.undo_text == what
        self._open = merge
        del self._states[self._at + (0 if merged else 1) :]
        self._states.append((State(alignment, order), what))
        self._at, self._edited = len(self._states) - 1, True
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

    def _forget(self) -> None:
        """Forget the oldest states that take too much; the last step can always be taken back."""
        while len(self._states) > 2 and self._bytes() > KEPT_BYTES:
            del self._states[0]
            self._at -= 1

    def _bytes(self) -> int:
        return sum({id(state.alignment): state.alignment.letters.nbytes for state, _ in self._states}.values())
