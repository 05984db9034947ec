"""The tree beside the rows: its source, its clades' rows, collapsed clades and their consensus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from antidiag.app.kit import ask
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.base_view import BaseAlignmentView
from antidiag.app.views.aligned.drawing.picture import CollapsedRows
from antidiag.app.views.aligned.side_panels.tree_panel import TreePanel
from antidiag.app.views.aligned.status_text import format_missing_rows, format_percent
from antidiag.kernels.alignments import column_counter, row_statistics
from antidiag.kernels.alignments.block_edits import to_arrays
from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.alignments.column_statistics import count_columns
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io import tree_edits, tree_files
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import alignment_trees
from antidiag.kernels.trees.tree_layout import TreeLayout, has_lengths, lay_out_at_rows

MAX_LETTERS_AT_ONCE, CLADE_COST = column_counter.MAX_LETTERS_AT_ONCE, column_counter.MAX_LETTERS_AT_ONCE // 100
"""Letters whose consensus is made at once, and letters that a clade counts for in addition to its own."""


class TreeController:
    """Holds the tree beside the rows and its panel. The leaves are those taxa that are rows."""

    def __init__(self, view: BaseAlignmentView) -> None:
        self._view = view
        self.panel = TreePanel(view.canvas)
        self.tree: Tree | None = None
        self.collapsed: frozenset[int] = frozenset()
        self._original_tree: Tree | None = None
        self._rows = np.empty(0, np.int64)
        self._names: tuple[str, ...] = ()
        self._consensus: dict[int, np.ndarray] = {}
        self._consensus_of: AlignedSequences | None = None
        self._layout_key: tuple[object, ...] = ()
        self._computing = LatestTask(view, self._take_tree, self._show_error)
        self._counting = LatestTask(view, self._take_consensus)
        self._connect()
        self.panel.hide()

    def _connect(self) -> None:
        view, panel = self._view, self.panel
        view.fold_rows = self.fold
        view.tree_panel = self.panel
        view.alignment_changed.connect(self._remove_tree)
        view.canvas.view_moved.connect(self._follow_canvas)
        view.selection.taxa_changed.connect(lambda _: self._mark_selected())
        panel.clade_clicked.connect(self.select_clade)
        panel.clade_toggled.connect(self.toggle_clade)
        panel.sort_requested.connect(self.sort_rows)
        self._computing.progressed.connect(
            lambda state: view.show_status(f"Computing the tree: {state[2]} {format_percent(*state)}")
        )

    @property
    def busy(self) -> bool:
        """Whether a tree or the consensus of a clade is being computed."""
        return self._computing.busy or self._counting.busy

    def list_trees(self) -> list[Tree]:
        """Return the trees of the result and of the data that share a taxon with the rows."""
        result = self._view.result
        found = [getattr(result.answer, name, None) for name in ("tree", "guide_tree")] if result else []
        names = frozenset(self._view.alignment.names)
        trees = [tree for tree in (*found, *self._view.data) if isinstance(tree, Tree)]
        return [tree for tree in trees if not names.isdisjoint(tree.taxa)]

    @property
    def original_tree(self) -> Tree | None:
        """The original tree, including taxa that are no rows."""
        return self._original_tree

    def show_offered(self, tree: Tree, on: bool) -> None:
        """Show an offered tree, or none."""
        self.show_tree(tree if on else None)

    def ask_tree(self) -> None:
        """Ask for a tree file and show its tree."""
        ask.open_and_use(
            self._view, "Tree beside the rows", "Trees (*)", lambda path: self.show_tree(tree_files.read_trees(path)[0])
        )

    def compute_tree(self, criterion: str) -> None:
        """Compute the tree of the rows on a thread by one of `alignment_trees.tree_criteria`, and show it."""
        alignment = self._view.alignment
        self._view.show_status("Computing the tree ...")
        self._computing.request(lambda monitor: alignment_trees.build_tree(to_arrays(alignment), criterion, monitor))

    def cancel_computing(self) -> None:
        """Stop computing the tree."""
        self._computing.cancel()
        self._view.show_status("")

    def show_tree(self, tree: Tree | None) -> None:
        """Show a tree beside the rows and sort them by its leaves; None shows none. InputError if no taxon is a row."""
        if tree is not None and frozenset(self._view.alignment.names).isdisjoint(tree.taxa):
            raise InputError(f"{tree.name} cannot be shown: none of its taxa is a row")
        self._set_tree(tree)
        order, lacking, what = self._view.editor.state.order, 0, "removing the tree"
        if self.tree is not None:
            order, lacking = self._order_by_leaves()
            what = "adding the tree"
        if not self._view.editor.apply_tree(what, tree, order):
            self._view.lay_out_again()
        self._tell_missing_rows(lacking)
        self._view.send_edits()

    @property
    def edits(self) -> dict[str, Any]:
        """The tree and its collapsed clades as frozen data."""
        return (
            {}
            if self._original_tree is None
            else {"tree": self._original_tree, "collapsed": tuple(sorted(self.collapsed))}
        )

    def restore_tree(self, edits: Mapping[str, Any]) -> None:
        """Show the tree of stored `edits`; the rows are sorted already."""
        tree = edits.get("tree")
        if isinstance(tree, Tree) and not frozenset(self._view.alignment.names).isdisjoint(tree.taxa):
            # The offered tree itself, so that its entry in the menu is checked.
            self._set_tree(next((offered for offered in self.list_trees() if offered == tree), tree))
            self._view.editor.hold_tree(self._original_tree)
            known = range(len(self.tree)) if self.tree is not None else range(0)
            self.collapsed = frozenset(node for node in edits.get("collapsed", ()) if node in known)
            self._view.lay_out_again()

    def _set_tree(self, tree: Tree | None) -> None:
        self._original_tree, self.collapsed, self.tree, self._names = tree, frozenset(), None, ()
        self._layout_key = ()
        self._consensus.clear()
        if tree is None:
            self._computing.cancel()
            self.panel.show_layout(None)
        else:
            self._match_leaves(self._view.alignment)
        self.panel.setVisible(self.tree is not None)

    def _remove_tree(self) -> None:
        if self._original_tree is not None:
            self._set_tree(None)

    def sort_rows(self) -> None:
        """Sort the rows by the leaves, other rows last."""
        after, lacking = self._order_by_leaves()
        self._view.editor.apply_edit("sorting", self._view.alignment, after)
        self._tell_missing_rows(lacking)

    def _order_by_leaves(self) -> tuple[np.ndarray, int]:
        """Return the shown rows in the order of the leaves, and the number of rows that are no leaves."""
        alignment, order = self._view.alignment, self._view.editor.state.order
        return row_statistics.order_by_names(alignment, order, self.tree.taxa, self.tree.name)

    def _tell_missing_rows(self, lacking: int) -> None:
        if lacking:
            self._view.show_status(format_missing_rows(lacking, self._view.editor.state.order.size))

    def clade_rows(self, node: int) -> np.ndarray:
        """Return the rows of a clade, int64."""
        leaves = self.tree.leaves
        first, last = np.searchsorted(leaves, (node, self.tree.ends[node]))
        return self._rows[first:last]

    def select_clade(self, node: int) -> None:
        """Select the rows of a clade and scroll to the first."""
        rows = np.zeros(len(self._view.alignment.names), bool)
        rows[self.clade_rows(node)] = True
        places = np.flatnonzero(rows[self._view.picture.order])
        self._view.canvas.select_cells(rows, None)
        if places.size:
            self._view.canvas.go_to(int(places[0]), self._view.picture.cursor[1])
        self.panel.set_current(node)

    def toggle_clade(self, node: int) -> None:
        """Collapse or expand a clade."""
        if self.tree.degrees[node]:
            self.set_collapsed(self.collapsed ^ {node})

    def set_collapsed(self, nodes: Iterable[int]) -> None:
        """Collapse these clades and expand all others."""
        self.collapsed = frozenset(nodes)
        self._view.lay_out_again()
        self._view.send_edits()

    def collapse_within(self, share: float) -> None:
        """Collapse the largest clades whose leaves are within a share of the tree's height from their root."""
        depths = self.tree.distances if has_lengths(self.tree) else self.tree.depths.astype(float)
        reach = self.tree.highest_below(depths) - depths
        near = (reach <= share * reach[0]) & (self.tree.degrees > 0)
        near[1:] &= ~near[self.tree.parents[1:]]
        self.set_collapsed(np.flatnonzero(near).tolist())

    def fold(self, alignment: AlignedSequences, order: np.ndarray) -> tuple[np.ndarray, dict[int, CollapsedRows]]:
        """Return the rows that begin a line, and the folds of collapsed clades; undo may have changed the tree."""
        if self._view.editor.state.tree is not self._original_tree:
            self._set_tree(self._view.editor.state.tree)
        if self._original_tree is None or not self._match_leaves(alignment):
            return order, {}
        clade = np.full(len(alignment.names), -1)
        for node in self._outermost_clades():
            clade[self.clade_rows(node)] = node
        found = clade[order]
        together = np.argsort(found, kind="stable")
        nodes, starts = np.unique(found[together], return_index=True)
        if self._consensus_of is not alignment:
            self._consensus_of, self._consensus = alignment, {}
        first, folds, room = found < 0, {}, MAX_LETTERS_AT_ONCE
        for node, places in zip(nodes.tolist(), np.split(together, starts[1:]), strict=True):
            if node < 0:
                continue
            rows = order[places]
            first[places[0]] = True
            if rows.size > 1:
                room -= 0 if node in self._consensus else rows.size * alignment.letters.shape[1] + CLADE_COST
                letters = self._clade_letters(alignment, node, rows, room >= 0)
                title = f"{alignment.names[int(rows[0])]} + {rows.size - 1:,}"
                folds[int(rows[0])] = CollapsedRows(rows, title, letters)
        return order[first], folds

    def _outermost_clades(self) -> list[int]:
        """Return the collapsed clades that are in no other collapsed clade."""
        found, end = [], 0
        for node in sorted(self.collapsed):  # a clade stands before those in it
            if node >= end:
                found.append(node)
                end = int(self.tree.ends[node])
        return found

    def _clade_letters(self, alignment: AlignedSequences, node: int, rows: np.ndarray, at_once: bool) -> np.ndarray:
        if node not in self._consensus and at_once:
            self._consensus[node] = count_columns(_row_tiles(alignment, rows), type=alignment.type).consensus
        return self._consensus.get(node, alignment.letters[int(rows[0])])

    def _match_leaves(self, alignment: AlignedSequences) -> bool:
        """Match leaves to rows; return False if no leaf is a row."""
        if self._names is alignment.names:
            return self.tree is not None
        places = {name: row for row, name in enumerate(alignment.names)}
        gone = [leaf for leaf in self._original_tree.leaves.tolist() if self._original_tree.names[leaf] not in places]
        before, self._names = self.tree, alignment.names
        if len(gone) == self._original_tree.leaves.size:
            self.tree = None
            return False
        self.tree = tree_edits.prune_leaves(self._original_tree, gone).tree if gone else self._original_tree
        if before is not None and len(before) != len(self.tree):
            self.collapsed = frozenset()
        self._rows = np.array([places[name] for name in self.tree.taxa], np.int64)
        return True

    def _follow_canvas(self) -> None:
        """Keep the panel in step with the canvas; lay the tree out again if lines changed."""
        picture = self._view.picture
        there = self.tree is not None and picture is not None and not self._view.canvas.wrapped
        if not there or self._names is not picture.alignment.names:
            self.panel.setVisible(False)
            return
        key = (self.tree, self.collapsed, picture.order.tobytes())
        if self._layout_key != key:
            self._layout_key = key
            self.panel.show_layout(self._tree_layout())
            self._mark_selected()
        self._count_in_thread()
        self.panel.setVisible(True)
        self.panel.update()

    def _tree_layout(self) -> TreeLayout | None:
        """Return the tree with its leaves in the lines of their rows; None if none of these is shown."""
        picture = self._view.picture
        places = np.full(len(self.tree), np.nan)
        places[self.tree.leaves] = np.where(picture.line_of_row < 0, np.nan, picture.line_of_row)[self._rows]
        if np.isnan(places).all():
            return None
        return lay_out_at_rows(self.tree, places + 0.5, picture.order.size, self.collapsed)

    def _mark_selected(self) -> None:
        """Mark the clades whose taxa are all selected."""
        if self.tree is None:
            return
        chosen, leaves = self._view.selection.taxa, np.zeros(len(self.tree), np.int64)
        if chosen:
            leaves[self.tree.leaves] = [name in chosen for name in self.tree.taxa]
        self.panel.mark_clades(self.tree.below(leaves) == self.tree.leaf_counts)

    def _count_in_thread(self) -> None:
        """Compute the consensus of large clades on a thread."""
        alignment, picture = self._view.alignment, self._view.picture
        if self._counting.busy or not picture.folds:
            return
        lacking = {int(node): self.clade_rows(node) for node in self.collapsed if node not in self._consensus}
        if not lacking:
            return

        def work(monitor: Monitor) -> tuple[AlignedSequences, dict[int, np.ndarray]]:
            return alignment, {
                node: count_columns(_row_tiles(alignment, rows), monitor, alignment.type).consensus
                for node, rows in lacking.items()
            }

        self._counting.request(work)

    def _take_consensus(self, made: tuple[AlignedSequences, dict[int, np.ndarray]]) -> None:
        if made[0] is self._view.alignment:
            self._consensus_of = made[0]
            self._consensus.update(made[1])
            self._view.lay_out_again()

    def _take_tree(self, tree: Tree) -> None:
        try:
            self.show_tree(tree)
        except InputError as error:
            self._show_error(error)
        else:
            self._view.datum_offered.emit(tree)
            self._view.show_status(f"The tree of {tree.name} was added beside the rows and to the data.")

    def _show_error(self, error: Exception) -> None:
        self._view.show_status("")
        if isinstance(error, AntidiagError):  # others have been reported
            ask.dialogs.show_warning(self._view, "Tree beside the rows", str(error))


def _row_tiles(alignment: AlignedSequences, rows: np.ndarray) -> BlockedCells:
    letters = alignment.letters
    return (letters if isinstance(letters, BlockedCells) else BlockedCells.of(letters)).with_rows(rows)
