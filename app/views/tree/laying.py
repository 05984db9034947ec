"""What is worked out of a tree before it is drawn: of a large one on a thread."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from PySide6.QtCore import QObject, Signal

from antidiag.app.kit.background import Latest
from antidiag.app.kit.tree.frame import by_extent
from antidiag.app.kit.tree.layout import Layout, Shape
from antidiag.app.kit.tree.layout import layout as layout_of
from antidiag.app.views.tree.fitting import long_named
from antidiag.app.views.tree.history import State
from antidiag.app.views.tree.labels import tips_in_rows
from antidiag.app.views.tree.paint import Picture
from antidiag.kernels.courtesy import in_turns
from antidiag.kernels.io.tree import Tree

AT_ONCE = 100_000
"""Nodes of a tree that is laid out at once."""


class Laying(QObject):
    """Lays trees out, and finds the clades whose taxa are chosen; what was asked for last counts.

    ``laid(layout, current)``: the layout of a state, with the node that was current when it was asked for;
    ``failed(error)``; ``marked(picture, marked)``: which nodes of a picture have only chosen taxa, bool (nodes,).
    """

    laid = Signal(object, object)
    failed = Signal(object)
    marked = Signal(object, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._laying, self._marking = Latest(self), Latest(self)
        self._laying.finished.connect(lambda found: self.laid.emit(*found))
        self._laying.failed.connect(self.failed)
        self._marking.finished.connect(lambda found: self.marked.emit(*found))

    @property
    def busy(self) -> bool:
        """Whether a layout is under way."""
        return self._laying.busy

    def cancel(self) -> None:
        """Forget the layout that is under way."""
        self._laying.cancel()

    def lay(self, state: State, shape: Shape, lengths: bool, current: int | None) -> bool:
        """Lay a state out; whether it is there at once."""
        self._laying.cancel()
        if len(state.tree) <= AT_ONCE:
            self.laid.emit(layout_of(state.tree, shape, lengths, state.collapsed), current)
            return True
        self._laying.request(lambda monitor: (_prepared(state.tree, shape, lengths, state.collapsed), current))
        return False

    def mark(self, picture: Picture | None, tree: Tree | None, chosen: Collection[str]) -> None:
        """Find the clades of a picture whose taxa are all chosen."""
        self._marking.cancel()
        if picture is None or tree is None:
            return
        if chosen and len(tree) > AT_ONCE:
            self._marking.request(lambda monitor: (picture, _marked(tree, chosen)))
        else:
            self.marked.emit(picture, _marked(tree, chosen))


def _prepared(tree: Tree, shape: Shape, lengths: bool, collapsed: Collection[int]) -> Layout:
    """The layout of a tree, with what the window asks of it first already known; on any thread."""
    made = layout_of(tree, shape, lengths, collapsed)
    long_named(made)
    tips_in_rows(made)
    by_extent(made)
    tree.children_of(made.tips[:1])
    return made


def _marked(tree: Tree, chosen: Collection[str]) -> np.ndarray:
    """Whether all taxa of each clade are chosen; bool (nodes,)."""
    if not chosen:
        return np.zeros(len(tree), bool)
    leaves = np.zeros(len(tree), np.int64)
    leaves[tree.leaves] = np.fromiter((name in chosen for name in in_turns(tree.taxa)), np.int64, tree.leaves.size)
    return tree.below(leaves) == tree.leaf_counts
