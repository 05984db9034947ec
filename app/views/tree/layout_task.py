"""Lays trees out, large ones on a thread."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from PySide6.QtCore import QObject, Signal

from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.kit.tree.visible_branches import sort_by_extent
from antidiag.app.views.tree.fit_to_window import longest_named_tips
from antidiag.app.views.tree.tip_labels import tips_in_rows
from antidiag.app.views.tree.tree_editor import TreeEditState
from antidiag.app.views.tree.tree_painter import TreePicture
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.trees.tree_layout import TreeLayout, TreeShape
from antidiag.kernels.trees.tree_layout import lay_out_tree as layout_of

IMMEDIATE_NODES = 100_000  # nodes of the largest tree that is laid out without a thread


class TreeLayoutTask(QObject):
    """Lays trees out and finds selected clades; the latest request counts. ``laid(layout, current)``: the layout of a
    state, and the node that was current at the request; ``failed(error)``; ``marked(picture, marked)``: the nodes with
    only chosen taxa, bool (nodes,)."""

    laid = Signal(object, object)
    failed = Signal(object)
    marked = Signal(object, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._laying = LatestTask(self, lambda found: self.laid.emit(*found), self.failed)
        self._marking = LatestTask(self, lambda found: self.marked.emit(*found))

    @property
    def busy(self) -> bool:
        """Whether a layout is being computed."""
        return self._laying.busy

    def cancel_layout(self) -> None:
        """Cancel the running layout."""
        self._laying.cancel()

    def request_layout(self, state: TreeEditState, shape: TreeShape, lengths: bool, current: int | None) -> bool:
        """Lay a state out; return whether it is ready at once."""
        self._laying.cancel()
        if len(state.tree) <= IMMEDIATE_NODES:
            self.laid.emit(layout_of(state.tree, shape, lengths, state.collapsed), current)
            return True
        self._laying.request(lambda monitor: (_lay_out_and_warm(state.tree, shape, lengths, state.collapsed), current))
        return False

    def request_marks(self, picture: TreePicture | None, tree: Tree | None, chosen: Collection[str]) -> None:
        """Find the clades of a picture whose taxa are all chosen."""
        self._marking.cancel()
        if picture is None or tree is None:
            return
        if chosen and len(tree) > IMMEDIATE_NODES:
            self._marking.request(lambda monitor: (picture, _find_chosen_clades(tree, chosen)))
        else:
            self.marked.emit(picture, _find_chosen_clades(tree, chosen))


def _lay_out_and_warm(tree: Tree, shape: TreeShape, lengths: bool, collapsed: Collection[int]) -> TreeLayout:
    """Lay a tree out and fill the caches that the window needs first; on any thread."""
    made = layout_of(tree, shape, lengths, collapsed)
    longest_named_tips(made)
    tips_in_rows(made)
    sort_by_extent(made)
    tree.children_of(made.tips[:1])
    return made


def _find_chosen_clades(tree: Tree, chosen: Collection[str]) -> np.ndarray:
    """Return whether all taxa of each clade are chosen; bool (nodes,)."""
    if not chosen:
        return np.zeros(len(tree), bool)
    leaves = np.zeros(len(tree), np.int64)
    leaves[tree.leaves] = np.fromiter((name in chosen for name in tree.taxa), np.int64, tree.leaves.size)
    return tree.below(leaves) == tree.leaf_counts
