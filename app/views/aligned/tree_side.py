"""A tree beside the rows: which rows a clade has, which clades are collapsed, and where a tree comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtWidgets import QFileDialog, QMessageBox

from antidiag.app.kit.background import Latest
from antidiag.app.kit.tree.layout import Layout, at_places, has_lengths
from antidiag.app.views.aligned import counting
from antidiag.app.views.aligned.picture import Fold
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.app.views.aligned.tree_panel import TreePanel
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io import aligned_rows, tree_edits, tree_files
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_columns import count
from antidiag.kernels.io.tiled_edits import flat
from antidiag.kernels.io.tiles import Tiles
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import alignment_trees

AT_ONCE, ONE_COSTS = counting.SMALL, counting.SMALL // 100
"""Letters of which the consensus of clades is made at once, and how many a clade counts for beside its own."""


class TreeSide:
    """Has the tree that stands beside the rows of a view, and its panel. Its leaves are those taxa that are rows."""

    def __init__(self, view: ShownAlignment) -> None:
        self._view = view
        self.panel = TreePanel(view.canvas)
        self.tree: Tree | None = None
        self.collapsed: frozenset[int] = frozenset()
        self._given: Tree | None = None
        self._rows = np.empty(0, np.int64)
        self._names: tuple[str, ...] = ()
        self._consensus: dict[int, np.ndarray] = {}
        self._consensus_of: AlignedSequences | None = None
        self._laid: tuple[object, ...] = ()
        self._computing, self._counting = Latest(view), Latest(view)
        self._connect()
        self.panel.hide()

    def _connect(self) -> None:
        view, panel = self._view, self.panel
        view.fold = self.fold
        view.beside_rows = self.panel
        view.another.connect(self._forget)
        view.canvas.moved.connect(self._follow)
        view.selection.taxa_changed.connect(lambda _: self._mark())
        panel.chosen.connect(self.choose)
        panel.toggled.connect(self.toggle)
        panel.sorted.connect(self.sort)
        self._computing.finished.connect(self._take_tree)
        self._computing.failed.connect(self._refuse)
        self._computing.progressed.connect(lambda told: view.say(_progress(*told)))
        self._counting.finished.connect(self._take_consensus)

    @property
    def busy(self) -> bool:
        """Whether a tree is being computed, or the consensus of a clade."""
        return self._computing.busy or self._counting.busy

    def offered(self) -> list[Tree]:
        """Trees that are at hand: that of the result, and those among the data; those with a taxon of the rows."""
        result = self._view.result
        found = [getattr(result.answer, name, None) for name in ("tree", "guide_tree")] if result else []
        names = frozenset(self._view.alignment.names)
        return [
            tree for tree in (*found, *self._view.data) if isinstance(tree, Tree) and not names.isdisjoint(tree.taxa)
        ]

    @property
    def given(self) -> Tree | None:
        """The tree as it came, with taxa that are no rows."""
        return self._given

    def switch(self, tree: Tree, on: bool) -> None:
        """Show one of the trees that are offered, or no tree."""
        self.show_tree(tree if on else None)

    def ask(self) -> None:
        """Ask for a file with a tree, and show it."""
        name, _ = QFileDialog.getOpenFileName(self._view, "Tree", "", "Trees (*)")
        if name:
            try:
                self.show_tree(tree_files.read(Path(name))[0])
            except InputError as error:
                QMessageBox.warning(self._view, "Tree beside the rows", str(error))

    def compute(self, criterion: str) -> None:
        """Let a thread compute the tree of the rows by one of `alignment_trees.criteria`, and show it then."""
        alignment = self._view.alignment
        self._view.say("Computing the tree ...")
        self._computing.request(lambda monitor: alignment_trees.tree_of(flat(alignment), criterion, monitor))

    def cancel(self) -> None:
        self._computing.cancel()
        self._view.say("")

    def show_tree(self, tree: Tree | None) -> None:
        """Show a tree beside the rows, which then are in the order of its leaves; None shows none.

        InputError where none of its taxa is a row.
        """
        if tree is not None and frozenset(self._view.alignment.names).isdisjoint(tree.taxa):
            raise InputError(f"{tree.name}: none of its taxa is the name of a row")
        self._put(tree)
        self._view.relay()
        if self.tree is not None:
            self.sort()
        self._view.tell_edits()

    @property
    def edits(self) -> dict[str, Any]:
        """The tree and the clades that are collapsed, as frozen data."""
        return {} if self._given is None else {"tree": self._given, "collapsed": tuple(sorted(self.collapsed))}

    def restore(self, edits: Mapping[str, Any]) -> None:
        """Show what `edits` said; the rows are in their order already."""
        tree = edits.get("tree")
        if isinstance(tree, Tree) and not frozenset(self._view.alignment.names).isdisjoint(tree.taxa):
            self._put(tree)
            known = range(len(self.tree)) if self.tree is not None else range(0)
            self.collapsed = frozenset(node for node in edits.get("collapsed", ()) if node in known)
            self._view.relay()

    def _put(self, tree: Tree | None) -> None:
        self._given, self.collapsed, self.tree, self._names = tree, frozenset(), None, ()
        self._consensus.clear()
        if tree is None:
            self._computing.cancel()
            self.panel.show_layout(None)
        else:
            self._match(self._view.alignment)
        self.panel.setVisible(self.tree is not None)

    def _forget(self) -> None:
        """Another alignment is shown, or none: this one's tree stays with what was done to it."""
        if self._given is not None:
            self._put(None)

    def sort(self) -> None:
        """The rows in the order of the leaves, those that the tree lacks at the end."""
        alignment, order = self._view.alignment, self._view.editor.state.order
        after, lacking = aligned_rows.in_order_of(alignment, order, self.tree.taxa, self.tree.name)
        self._view.editor.do("sorting", alignment, after)
        if lacking:
            self._view.say(f"At the end, because the tree lacks them: {lacking:,} of {after.size:,} rows.")

    def rows_of(self, node: int) -> np.ndarray:
        """The rows of a clade, int64."""
        leaves = self.tree.leaves
        first, last = np.searchsorted(leaves, (node, self.tree.ends[node]))
        return self._rows[first:last]

    def choose(self, node: int) -> None:
        """Choose the rows of a clade, and bring the first of them on the screen."""
        rows = np.zeros(len(self._view.alignment.names), bool)
        rows[self.rows_of(node)] = True
        places = np.flatnonzero(rows[self._view.picture.order])
        self._view.canvas.choose(rows, None)
        if places.size:
            self._view.canvas.go_to(int(places[0]), self._view.picture.cursor[1])
        self.panel.set_current(node)

    def toggle(self, node: int) -> None:
        """Collapse a clade to a line, or open it."""
        if self.tree.degrees[node]:
            self.collapse(self.collapsed ^ {node})

    def collapse(self, nodes: Iterable[int]) -> None:
        """Collapse these clades, and open all others."""
        self.collapsed = frozenset(nodes)
        self._view.relay()
        self._view.tell_edits()

    def collapse_within(self, share: float) -> None:
        """Collapse the largest clades whose leaves lie within a share of the height of the tree from their root."""
        ways = self.tree.distances if has_lengths(self.tree) else self.tree.depths.astype(float)
        reach = self.tree.highest_below(ways) - ways
        near = (reach <= share * reach[0]) & (self.tree.degrees > 0)
        near[1:] &= ~near[self.tree.parents[1:]]
        self.collapse(np.flatnonzero(near).tolist())

    def fold(self, alignment: AlignedSequences, order: np.ndarray) -> tuple[np.ndarray, dict[int, Fold]]:
        """Which rows have a line, and which share one: those of a collapsed clade."""
        if self._given is None or not self._match(alignment):
            return order, {}
        clade = np.full(len(alignment.names), -1)
        for node in self._outermost():
            clade[self.rows_of(node)] = node
        found = clade[order]
        together = np.argsort(found, kind="stable")
        nodes, starts = np.unique(found[together], return_index=True)
        if self._consensus_of is not alignment:
            self._consensus_of, self._consensus = alignment, {}
        first, folds, room = found < 0, {}, AT_ONCE
        for node, places in zip(nodes.tolist(), np.split(together, starts[1:]), strict=True):
            if node < 0:
                continue
            rows = order[places]
            first[places[0]] = True
            if rows.size > 1:
                room -= 0 if node in self._consensus else rows.size * alignment.letters.shape[1] + ONE_COSTS
                letters = self._letters(alignment, node, rows, room >= 0)
                folds[int(rows[0])] = Fold(rows, self._title(rows, alignment), letters)
        return order[first], folds

    def _outermost(self) -> list[int]:
        """The collapsed clades that are in no other one."""
        found, end = [], 0
        for node in sorted(self.collapsed):  # a clade stands before those in it
            if node >= end:
                found.append(node)
                end = int(self.tree.ends[node])
        return found

    def _title(self, rows: np.ndarray, alignment: AlignedSequences) -> str:
        name = alignment.names[int(rows[0])]
        return f"{name} + {rows.size - 1:,}"

    def _letters(self, alignment: AlignedSequences, node: int, rows: np.ndarray, at_once: bool) -> np.ndarray:
        """The consensus of a clade; where it is not made ``at_once``, and a thread makes it, the letters of the first
        row."""
        if node not in self._consensus and at_once:
            self._consensus[node] = count(_tiles(alignment, rows)).consensus
        return self._consensus.get(node, alignment.letters[int(rows[0])])

    def _match(self, alignment: AlignedSequences) -> bool:
        """Which row each leaf is; False where none is one any longer."""
        if self._names is alignment.names:
            return self.tree is not None
        places = {name: row for row, name in enumerate(alignment.names)}
        gone = [leaf for leaf in self._given.leaves.tolist() if self._given.names[leaf] not in places]
        before, self._names = self.tree, alignment.names
        if len(gone) == self._given.leaves.size:
            self.tree = None
            return False
        self.tree = tree_edits.prune(self._given, gone).tree if gone else self._given
        if before is not None and len(before) != len(self.tree):
            self.collapsed = frozenset()
        self._rows = np.array([places[name] for name in self.tree.taxa], np.int64)
        return True

    def _follow(self) -> None:
        """The panel goes with what the canvas shows; where lines became others, the tree is laid out anew."""
        picture = self._view.picture
        there = self.tree is not None and picture is not None and not self._view.canvas.wrapped
        if not there or self._names is not picture.alignment.names:
            self.panel.setVisible(False)
            return
        key = (self.tree, self.collapsed, picture.order.tobytes())
        if self._laid != key:
            self._laid = key
            self.panel.show_layout(self._layout())
            self._mark()
        self._count_behind()
        self.panel.setVisible(True)
        self.panel.update()

    def _layout(self) -> Layout | None:
        """The tree with its leaves in the lines of their rows; None where none of these is shown."""
        picture = self._view.picture
        line = np.full(len(picture.alignment.names), np.nan)
        line[picture.order] = np.arange(picture.order.size)
        for row, fold in picture.folds.items():
            line[fold.rows] = line[row]
        places = np.full(len(self.tree), np.nan)
        places[self.tree.leaves] = line[self._rows]
        if np.isnan(places).all():
            return None
        return at_places(self.tree, places + 0.5, picture.order.size, self.collapsed)

    def _mark(self) -> None:
        """Mark the clades whose taxa are all chosen."""
        if self.tree is None:
            return
        chosen, leaves = self._view.selection.taxa, np.zeros(len(self.tree), np.int64)
        if chosen:
            leaves[self.tree.leaves] = [name in chosen for name in self.tree.taxa]
        self.panel.mark(self.tree.below(leaves) == self.tree.leaf_counts)

    def _count_behind(self) -> None:
        """Let a thread make the consensus of large clades."""
        alignment, picture = self._view.alignment, self._view.picture
        if self._counting.busy or not picture.folds:
            return
        lacking = {int(node): self.rows_of(node) for node in self.collapsed if node not in self._consensus}
        if not lacking:
            return

        def work(monitor: Monitor) -> tuple[AlignedSequences, dict[int, np.ndarray]]:
            return alignment, {
                node: count(_tiles(alignment, rows), monitor).consensus for node, rows in lacking.items()
            }

        self._counting.request(work)

    def _take_consensus(self, made: tuple[AlignedSequences, dict[int, np.ndarray]]) -> None:
        if made[0] is self._view.alignment:
            self._consensus_of = made[0]
            self._consensus.update(made[1])
            self._view.relay()

    def _take_tree(self, tree: Tree) -> None:
        try:
            self.show_tree(tree)
        except InputError as error:
            self._refuse(error)
        else:
            self._view.kept.emit(tree)
            self._view.say(f"The tree of {tree.name} is beside the rows, and among the data.")

    def _refuse(self, error: Exception) -> None:
        self._view.say("")
        if not isinstance(error, AntidiagError):
            raise error
        QMessageBox.warning(self._view, "Tree beside the rows", str(error))


def _tiles(alignment: AlignedSequences, rows: np.ndarray) -> Tiles:
    """The letters of some rows, which are not copied."""
    letters = alignment.letters
    return (letters if isinstance(letters, Tiles) else Tiles.of(letters)).with_rows(rows)


def _progress(done: int, total: int, phase: str) -> str:
    return f"Computing the tree: {phase} {100 * done // max(total, 1)} %"
