"""Remembers selection and cursor of each state, so that undo restores them."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from antidiag.app.views.aligned.drawing.picture import AlignmentPicture
from antidiag.app.views.aligned.editing.cell_selection import CellSelection
from antidiag.app.views.aligned.editing.edit_history import AlignmentState

CellPosition = tuple[int, int]
"""A line and a column."""


@dataclass(frozen=True, eq=False)
class CursorPlace:
    """The selection, the cursor (line, column and row) and the anchor of a state."""

    cell_selection: CellSelection
    cursor: CellPosition
    row: int
    anchor: CellPosition

    def cursor_in(self, order: np.ndarray) -> CellPosition:
        """Return the cursor in another row order."""
        lines = np.flatnonzero(order == self.row)
        return int(lines[0]) if lines.size else min(self.cursor[0], order.size - 1), self.cursor[1]


class CursorHistory:
    """Holds a place for each state that undo or redo can reach."""

    def __init__(self) -> None:
        self._left: WeakKeyDictionary[AlignmentState, CursorPlace] = WeakKeyDictionary()
        self._state: AlignmentState | None = None

    def switch_state(
        self, state: AlignmentState, before: AlignmentPicture | None, anchor: CellPosition
    ) -> CursorPlace | None:
        """Store the place in the state that was shown as ``before``; return the place in the next state if known."""
        left, self._state = self._state, state
        if before is None or left is None or left is state:
            return None
        self._left[left] = CursorPlace(
            before.cell_selection, before.cursor, int(before.order[before.cursor[0]]), anchor
        )
        return self._left.get(state)
