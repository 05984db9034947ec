"""What was chosen, and where the cursor was, in each state of an alignment when it was left: undo goes back there."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from antidiag.app.views.aligned.choice import Choice
from antidiag.app.views.aligned.history import State
from antidiag.app.views.aligned.picture import Picture

Cell = tuple[int, int]
"""A line and a column."""


@dataclass(frozen=True, eq=False)
class Place:
    """What was chosen, the line, column and row of the cursor, and where keys chose from."""

    choice: Choice
    cursor: Cell
    row: int
    anchor: Cell

    def cursor_in(self, order: np.ndarray) -> Cell:
        """The cursor where these rows have lines; some may share one since."""
        lines = np.flatnonzero(order == self.row)
        return int(lines[0]) if lines.size else min(self.cursor[0], order.size - 1), self.cursor[1]


class Places:
    """Remembers a place a state, for as long as there is a way back to it."""

    def __init__(self) -> None:
        self._left: WeakKeyDictionary[State, Place] = WeakKeyDictionary()
        self._state: State | None = None

    def turn(self, state: State, before: Picture | None, anchor: Cell) -> Place | None:
        """Go from the state that was shown, as ``before``, to another; the place there, if it was shown before."""
        left, self._state = self._state, state
        if before is None or left is None or left is state:
            return None
        self._left[left] = Place(before.choice, before.cursor, int(before.order[before.cursor[0]]), anchor)
        return self._left.get(state)
