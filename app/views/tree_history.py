"""What a person has done to the tree on the screen, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernels.tree import Tree
from kernels.tree_edits import Edited


@dataclass(frozen=True)
class State:
    """A tree as it is shown: ``collapsed`` are the nodes whose clades are one tip."""

    tree: Tree
    collapsed: frozenset[int] = frozenset()


class History:
    """States of one tree, of which one is shown."""

    def __init__(self, tree: Tree) -> None:
        self._states: list[tuple[State, str]] = [(State(tree), "")]
        self._at = 0

    @property
    def state(self) -> State:
        return self._states[self._at][0]

    @property
    def undo_text(self) -> str:
        """What undo would take back; "" where there is nothing."""
        return self._states[self._at][1]

    @property
    def redo_text(self) -> str:
        """What redo would do again; "" where there is nothing."""
        return self._states[self._at + 1][1] if self._at + 1 < len(self._states) else ""

    def do(self, state: State, what: str) -> None:
        """Take a new state; what was undone before is gone."""
        self._states[self._at + 1 :] = [(state, what)]
        self._at += 1

    def undo(self) -> bool:
        """Go back one step, if there is one."""
        possible = bool(self.undo_text)
        self._at -= possible
        return possible

    def redo(self) -> bool:
        """Go forward one step, if there is one."""
        possible = bool(self.redo_text)
        self._at += possible
        return possible


def followed(nodes: frozenset[int], edited: Edited) -> frozenset[int]:
    """What nodes of the old tree are in the new one; those that are gone, or now are leaves, are left out."""
    places = np.full(int(edited.origin.max(initial=0)) + 1, -1)
    old = np.flatnonzero(edited.origin >= 0)
    places[edited.origin[old]] = old
    found = (int(places[node]) for node in nodes if node < places.size)
    return frozenset(node for node in found if node >= 0 and edited.tree.degrees[node])
