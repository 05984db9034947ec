"""What a person does to the tree on the screen, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from antidiag.app.views.tree.metadata import as_plain, from_plain
from antidiag.kernels.io.aligned_notes import Table
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import Edited, ladderize, prune, reroot, swap
from antidiag.kernels.trees.rooting import midpoint


@dataclass(frozen=True)
class State:
    """A tree as it is shown: ``collapsed`` are the nodes whose clades are one tip."""

    tree: Tree
    collapsed: frozenset[int] = frozenset()


class TreeEditor(QObject):
    """The states of one tree, of which one is shown. Commands that change nothing leave no trace.

    ``changed`` gives what the nodes of the state before are now, as a function from a node to a node or None.
    """

    changed = Signal(object)

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self._states: list[tuple[State, str]] = [(State(tree), "")]
        self._at = 0
        self.table: Table | None = None
        """What a table says of the taxa, shown beside the tree."""

    @property
    def state(self) -> State:
        return self._states[self._at][0]

    @property
    def tree(self) -> Tree:
        return self.state.tree

    @property
    def undo_text(self) -> str:
        """What undo would take back; "" where there is nothing."""
        return self._states[self._at][1]

    @property
    def redo_text(self) -> str:
        """What redo would do again; "" where there is nothing."""
        return self._states[self._at + 1][1] if self._at + 1 < len(self._states) else ""

    def undo(self) -> None:
        """Go back one step, if there is one."""
        if self.undo_text:
            self._go(-1)

    def redo(self) -> None:
        """Go forward one step, if there is one."""
        if self.redo_text:
            self._go(1)

    @property
    def untouched(self) -> bool:
        """Whether nothing was ever done to the tree."""
        return len(self._states) == 1 and self.table is None

    def annotate(self, table: Table | None) -> None:
        """Show what a table says of the taxa beside the tree, or nothing; that is no step of undo."""
        self.table = table
        self.changed.emit(lambda node: node)

    @property
    def edits(self) -> dict[str, Any] | None:
        """The state and the table as plain values; None where it is the tree as it came, without a table."""
        kept: dict[str, Any] = {}
        if self._at:
            kept |= {"tree": self.tree, "collapsed": tuple(sorted(self.state.collapsed))}
        if self.table is not None:
            kept["table"] = as_plain(self.table)
        return kept or None

    def restore(self, edits: Mapping[str, Any]) -> None:
        """Go on from what `edits` said; one step of undo leads back to the tree as it came."""
        if "table" in edits:
            self.table = from_plain(edits["table"])
        if "tree" in edits:
            self._do(State(edits["tree"], frozenset(edits["collapsed"])), "earlier changes")
        else:
            self.changed.emit(lambda node: node)

    def root(self, node: int) -> None:
        """Put the root on the branch above a node."""
        if node:
            self._edit(reroot(self.tree, node), "rooting")

    def root_at_midpoint(self) -> None:
        """Put the root halfway between the two leaves that are farthest apart."""
        if self.tree.leaves.size > 2:
            self._edit(midpoint(self.tree), "rooting at the midpoint")

    def swap(self, node: int) -> None:
        """Turn the children of a node round."""
        self._edit(swap(self.tree, node), "swapping")

    def ladderize(self, node: int = 0, larger_last: bool = True) -> None:
        """Sort the children of all nodes at and below one by their numbers of taxa."""
        self._edit(ladderize(self.tree, node, larger_last), "sorting")

    def remove(self, node: int) -> None:
        """Take the taxa of a clade out of the tree, if others are left."""
        leaves = self.tree.leaves
        gone = leaves[(leaves >= node) & (leaves < self.tree.ends[node])]
        if gone.size < leaves.size:
            self._edit(prune(self.tree, gone), "removing")

    def collapse(self, node: int) -> None:
        """Collapse the clade of a node to one tip, or open it again."""
        if self.tree.degrees[node]:
            closed = node in self.state.collapsed
            self._do(State(self.tree, self.state.collapsed ^ {node}), "opening" if closed else "collapsing")

    def open(self, nodes: frozenset[int] | None = None) -> None:
        """Open these collapsed clades, or all."""
        left = self.state.collapsed - nodes if nodes is not None else frozenset[int]()
        if left != self.state.collapsed:
            self._do(State(self.tree, left), "opening")

    def _edit(self, edited: Edited, what: str) -> None:
        """Take an edited tree; what was collapsed stays so where it still is a clade."""
        if edited.tree == self.tree:
            return
        places = _places(edited, len(self.tree))
        found = (int(places[node]) for node in self.state.collapsed)
        kept = frozenset(node for node in found if node >= 0 and edited.tree.degrees[node])
        self._do(State(edited.tree, kept), what, places)

    def _do(self, state: State, what: str, places: np.ndarray | None = None) -> None:
        self._states[self._at + 1 :] = [(state, what)]
        self._go(1, places)

    def _go(self, step: int, places: np.ndarray | None = None) -> None:
        before = self.tree
        self._at += step
        if places is not None:
            self.changed.emit(lambda node: int(places[node]) if places[node] >= 0 else None)
        else:
            self.changed.emit(lambda node: node if self.tree is before else None)


def _places(edited: Edited, nodes: int) -> np.ndarray:
    """Where each of so many old nodes is in the new tree; -1 for one that is gone."""
    places = np.full(nodes, -1)
    old = np.flatnonzero(edited.origin >= 0)
    places[edited.origin[old]] = old
    return places
