"""Edits of a tree with undo and redo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from antidiag.app.views.tree.tip_columns import columns_of_tree, table_from_dict, table_to_dict
from antidiag.kernels.alignments.row_notes import NoteTable
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import EditedTree, ladderize, prune_leaves, reroot, swap_children
from antidiag.kernels.trees.rooting import reroot_at_midpoint


@dataclass(frozen=True)
class TreeEditState:
    """A tree as it is shown; the clades of ``collapsed`` nodes are tips."""

    tree: Tree
    collapsed: frozenset[int] = frozenset()


class TreeEditor(QObject):
    """The states of a tree, one of which is shown. Commands without effect are not recorded. ``changed`` carries a
    function from a node of the previous state to its node now, or None."""

    changed = Signal(object)

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self._states: list[tuple[TreeEditState, str]] = [(TreeEditState(tree), "")]
        self._position = 0
        self._own_table = columns_of_tree(tree)
        self.table: NoteTable | None = self._own_table
        """What the file of the tree, or a table, says of the taxa, shown beside the tree."""

    @property
    def state(self) -> TreeEditState:
        """The present state."""
        return self._states[self._position][0]

    @property
    def tree(self) -> Tree:
        """The edited tree."""
        return self.state.tree

    @property
    def undo_text(self) -> str:
        """What undo would revert; "" for nothing."""
        return self._states[self._position][1]

    @property
    def redo_text(self) -> str:
        """What redo would repeat; "" for nothing."""
        return self._states[self._position + 1][1] if self._position + 1 < len(self._states) else ""

    def undo(self) -> None:
        """Go back one step, if there is one."""
        if self.undo_text:
            self._go_to_state(-1)

    def redo(self) -> None:
        """Go forward one step, if there is one."""
        if self.redo_text:
            self._go_to_state(1)

    @property
    def is_untouched(self) -> bool:
        """Whether the tree was never edited."""
        return len(self._states) == 1 and self.table is self._own_table

    def set_table(self, table: NoteTable | None) -> None:
        """Show a table beside the tree, or none; this is not an undo step."""
        self.table = table
        self.changed.emit(lambda node: node)

    @property
    def saved_edits(self) -> dict[str, Any] | None:
        """The state and the table as plain values; None if nothing was changed."""
        kept: dict[str, Any] = {}
        if self._position:
            kept |= {"tree": self.tree, "collapsed": tuple(sorted(self.state.collapsed))}
        if self.table is not self._own_table:
            kept["table"] = table_to_dict(self.table)
        return kept or None

    def restore_edits(self, edits: Mapping[str, Any]) -> None:
        """Continue from `saved_edits`; one undo leads back to the original tree."""
        if "table" in edits:
            self.table = table_from_dict(edits["table"])
        if "tree" in edits:
            self._push_state(TreeEditState(edits["tree"], frozenset(edits["collapsed"])), "earlier changes")
        else:
            self.changed.emit(lambda node: node)

    def root_above(self, node: int) -> None:
        """Root the tree on the branch above a node."""
        if node:
            self._apply_edit(reroot(self.tree, node), "rooting")

    def root_at_midpoint(self) -> None:
        """Root the tree halfway between its two most distant leaves."""
        if self.tree.leaves.size > 2:
            self._apply_edit(reroot_at_midpoint(self.tree), "rooting at the midpoint")

    def swap_children(self, node: int) -> None:
        """Reverse the children of a node."""
        self._apply_edit(swap_children(self.tree, node), "swapping")

    def ladderize_below(self, node: int = 0, larger_last: bool = True) -> None:
        """Sort the children of all nodes at and below one by their numbers of taxa."""
        self._apply_edit(ladderize(self.tree, node, larger_last), "sorting")

    def remove_clade(self, node: int) -> None:
        """Remove the taxa of a clade, if others remain."""
        leaves = self.tree.leaves
        gone = leaves[(leaves >= node) & (leaves < self.tree.ends[node])]
        if gone.size < leaves.size:
            self._apply_edit(prune_leaves(self.tree, gone), "removing")

    def toggle_collapsed(self, node: int) -> None:
        """Collapse the clade of a node to one tip, or expand it."""
        if self.tree.degrees[node]:
            closed = node in self.state.collapsed
            self._push_state(
                TreeEditState(self.tree, self.state.collapsed ^ {node}), "opening" if closed else "collapsing"
            )

    def expand_clades(self, nodes: frozenset[int] | None = None) -> None:
        """Expand these collapsed clades, or all."""
        left = self.state.collapsed - nodes if nodes is not None else frozenset[int]()
        if left != self.state.collapsed:
            self._push_state(TreeEditState(self.tree, left), "opening")

    def _apply_edit(self, edited: EditedTree, what: str) -> None:
        """Show an edited tree; nodes that are still clades stay collapsed."""
        if edited.tree == self.tree:
            return
        places = _new_node_numbers(edited, len(self.tree))
        found = (int(places[node]) for node in self.state.collapsed)
        kept = frozenset(node for node in found if node >= 0 and edited.tree.degrees[node])
        self._push_state(TreeEditState(edited.tree, kept), what, places)

    def _push_state(self, state: TreeEditState, what: str, places: np.ndarray | None = None) -> None:
        self._states[self._position + 1 :] = [(state, what)]
        self._go_to_state(1, places)

    def _go_to_state(self, step: int, places: np.ndarray | None = None) -> None:
        before = self.tree
        self._position += step
        if places is not None:
            self.changed.emit(lambda node: int(places[node]) if places[node] >= 0 else None)
        else:
            self.changed.emit(lambda node: node if self.tree is before else None)


def _new_node_numbers(edited: EditedTree, nodes: int) -> np.ndarray:
    """Return the new number of each old node; -1 if it is gone."""
    places = np.full(nodes, -1)
    old = np.flatnonzero(edited.origin >= 0)
    places[edited.origin[old]] = old
    return places
