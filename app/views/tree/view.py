"""TreeView: a tree to look at, to turn and to take along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export
from antidiag.app.kit.flow import ToolRow, together
from antidiag.app.kit.legend import Legend, LegendItem
from antidiag.app.kit.recent import Recent
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tree.layout import Layout, Shape
from antidiag.app.kit.widgets import Elided, icon_button, tool_button
from antidiag.app.views.tree import colours as tree_colours
from antidiag.app.views.tree import export as tree_export
from antidiag.app.views.tree import menus, metadata
from antidiag.app.views.tree import text as tree_text
from antidiag.app.views.tree.annotated import AnnotatedView
from antidiag.app.views.tree.canvas import TreeCanvas
from antidiag.app.views.tree.history import TreeEditor
from antidiag.app.views.tree.laying import Laying
from antidiag.app.views.tree.paint import Picture
from antidiag.app.views.tree.search import Matches, SearchBox
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.parttree.problem import PartTreeAnswer
from antidiag.kernels.trees.problem import TreeAnswer

EDITORS = 8
"""Trees whose undo is kept while others are shown."""


class TreeView(AnnotatedView):
    """A tree with its names. ``kept`` gives the tree as it is shown, to be used by other methods.

    ``edited`` says what was done to a tree, as `show_edits` takes it. The trees that were looked at last keep their
    undo while others are shown.
    """

    id = "tree"
    title = "Tree"

    kept = Signal(object)
    edited = Signal(object)

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.editor = None
        self._editors, self._laying = Recent[TreeEditor](EDITORS), Laying(self)
        self.shape, self.lengths = Shape.RECTANGULAR, True
        self.colour_by, self.patterns = "none", tuple[str, ...]()
        self._matches = Matches()
        self.canvas, self._legend, self._status = TreeCanvas(), Legend(), Elided()
        self._build()
        self._connect()
        self.show_tree(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(result.answer, TreeAnswer | PartTreeAnswer | MsaAnswer) and result.answer.tree is not None

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        return isinstance(datum, Tree)

    @property
    def current(self) -> int | None:
        """The node that keys act on."""
        return self.canvas.picture.current if self.canvas.picture else None

    @property
    def sharp(self) -> bool:
        """Whether the picture is the one that stays, and not the coarse one of a tree that moves."""
        return not (self.canvas.resting or self._laying.busy)

    def show_result(self, result: Result | None) -> None:
        """Show the tree of a result, or nothing; a result that is there already keeps what was done to it."""
        found = result if result is not None and self.shows(result) else None
        if found is None or found is not self.result:
            self.show_tree(found.answer.tree if found else None, found)
        self.result = found

    def show_datum(self, datum: Tree) -> None:
        """Show a tree that no run made, as one from a file."""
        self.result = None
        self.show_tree(datum)

    def show_tree(self, tree: Tree | None, of: Result | None = None) -> None:
        """Show a tree, that ``of`` a result or one by itself, or nothing."""
        self.editor = self._editors.of(of or tree, partial(self._edited, tree)) if tree is not None else None
        self.search_box.clear()
        self._matches.forget()
        self._tools.setEnabled(tree is not None)
        if tree is not None and self.colour_by not in ("none", "patterns") and not self._column():
            self.colour_by = self.colour_by if self.colour_by in tree_colours.choices(tree) else "none"
        self._anew()

    def show_edits(self, edits: Mapping[str, Any]) -> None:
        """Go on with what was done to the tree that is shown, unless its undo is still there."""
        if self.editor is not None and self.editor.untouched:
            self.editor.restore(edits)

    def set_shape(self, shape: str) -> None:
        """Rectangular, slanted, circular or unrooted."""
        self.shape = Shape(shape)
        self._anew()

    def set_lengths(self, on: bool) -> None:
        """Draw branches by their lengths, or all tips in a line."""
        self.lengths = on
        self._anew()

    def set_option(self, name: str, on: bool) -> None:
        """Switch on or off what is drawn: names, aligned, supports, scale."""
        if self.canvas.picture is not None:
            setattr(self.canvas.picture, name, on)
            if self.canvas.fitted:
                self.canvas.fit()
            self.canvas.update()

    def set_overview(self, on: bool) -> None:
        """Whether the whole tree stands in a corner while a part of it fills the window."""
        self.canvas.overview = on
        self.canvas.update()

    def set_label_size(self, pixels: float) -> None:
        """Names of at most so many pixels; they are smaller where rows are narrow."""
        self.menus.label_size = pixels
        if self.canvas.picture is not None:
            self.canvas.picture.label_size = pixels
            if self.canvas.fitted:
                self.canvas.fit()
            self.canvas.update()

    def colour(self, by: str, patterns: tuple[str, ...] = ()) -> None:
        """Colour by nothing, "patterns" of names, their first "word", "weight", "support" or "length"."""
        self.colour_by, self.patterns = by, patterns
        self._recolour()

    def fit(self) -> None:
        """Show the whole tree."""
        self.canvas.fit()

    def zoom_to(self, node: int | None) -> None:
        """Fill the window with a clade; with the whole tree where there is none."""
        self.canvas.show_clade(node)

    def choose(self, node: int | None, add: bool = False) -> None:
        """Make a node the current one, and choose the sequences of its taxa everywhere."""
        if self.canvas.picture is None:
            return
        self.canvas.picture.current = node
        names = tree_text.taxa_below(self.tree, node) if node is not None else ()
        self.selection.choose_taxa({*self.selection.taxa, *names} if add else names)
        self._say(node)
        self.canvas.update()

    def search(self, text: str) -> int:
        """Mark all nodes with a text in their names, in any case; returns how many."""
        if self.canvas.picture is None:
            return 0
        hits = self.canvas.picture.found = self._matches.find(self.tree, text)
        self.canvas.update()
        if text.strip():
            more = "; Enter goes to the next one" if len(hits) else ""
            self._status.setText(f"{len(hits):,} name{'s' * (len(hits) != 1)} with {text.strip()!r}{more}")
        else:
            self._say(None)
        return len(hits)

    def next_match(self, step: int = 1) -> None:
        """Go to the next node that the search found, or the one before; collapsed clades above it are opened."""
        found = self._matches.next(self.current, step)
        if found is None:
            return
        node, at = found
        self.editor.open(frozenset(self.editor.state.collapsed & set(self.tree.path(node)[1:])))
        self.canvas.bring(node)
        self.choose(node)
        self._status.setText(f"{at + 1:,} of {self._matches.nodes.size:,}: {tree_text.about(self.tree, node)}")

    def figure(self) -> tree_export.Figure:
        """The picture as it goes into a file."""
        return tree_export.Figure(self.canvas.picture, self.tree.name, self._legend.items)

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """What is seen, with title and legend, for a file."""
        shown = self.figure()
        tree_export.draw(painter, area, shown, tree_export.seen(shown, self.canvas))

    def save(self, size: str = "seen") -> None:
        """Ask for a file and write the figure: as it is "seen", the "whole" tree readable, or of a "size" to ask."""
        tree_export.ask_and_save(self, self.figure(), self.canvas, size)

    def save_tree(self) -> None:
        """Ask for a file and write the tree as it is shown, as Newick or NEXUS."""
        tree_export.ask_and_save_tree(self, self.tree)

    def keep(self) -> None:
        """Offer the tree as it is shown to other methods."""
        self.kept.emit(self.tree)

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        shown = self.figure()
        export.copy(tree_export.size_of(shown, tree_export.seen(shown, self.canvas)), self.draw_figure)

    def copy_names(self, node: int) -> None:
        """Put the names of a clade on the clipboard, one a line."""
        QGuiApplication.clipboard().setText("\n".join(tree_text.taxa_below(self.tree, node)))

    def ask_patterns(self) -> None:
        """Ask for patterns of names, and colour by them."""
        given = menus.ask_patterns(self, self.patterns)
        if given is not None:
            self.colour("patterns" if given else "none", given)

    def sizeHint(self) -> QSize:
        return QSize(700, 600)

    def _build(self) -> None:
        self.search_box = SearchBox()
        self._tools = QWidget()
        row = ToolRow(self._tools)
        row.addWidget(self.search_box)
        self.undo_button = icon_button("undo", "Nothing to undo", self.undo)
        self.redo_button = icon_button("redo", "Nothing to redo", self.redo)
        row.addWidget(together(self.undo_button, self.redo_button))
        row.addWidget(tool_button("Fit", "Show the whole tree (F)", self.fit))
        self.menus = menus.Menus(self, self)
        for button in self.menus.buttons:
            row.addWidget(button)
        row.addWidget(tool_button("Copy", "Copy the figure", self.copy))
        row.addWidget(self.menus.save_button)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addWidget(self._tools)
        box.addWidget(self.canvas, 1)
        box.addWidget(self._legend)
        box.addWidget(self._status)

    def _connect(self) -> None:
        self._laying.laid.connect(self._show_layout)
        self._laying.marked.connect(self._take_marks)
        self._laying.failed.connect(lambda error: self._status.setText(str(error)))
        self.search_box.sought.connect(self.search)
        self.search_box.next_wanted.connect(self.next_match)
        self.canvas.hovered.connect(self._on_hover)
        self.canvas.clicked.connect(self._on_click)
        self.canvas.entered.connect(self.zoom_to)
        self.canvas.menu_wanted.connect(self._on_menu)
        self.canvas.key.connect(self._on_key)
        self.selection.taxa_changed.connect(lambda _: self._mark())
        theme.notifier.changed.connect(self._recolour)

    def _anew(self) -> None:
        """Lay the tree out, and show the whole of it."""
        self.canvas.fitted = True
        self._lay_out()

    def _lay_out(self, current: int | None = None) -> None:
        """Lay the tree out; of a large one a thread does it, and the picture before stays as long as it is of it."""
        if self.editor is None:
            self._laying.cancel()
            self._show_layout(None, current)
            return
        before, state = self.canvas.picture, self.editor.state
        if self._laying.lay(state, self.shape, self.lengths, current):
            return
        if before is None or before.layout.tree is not state.tree:
            self._show_layout(None, current)
        self._status.setText("Laying the tree out ...")

    def _show_layout(self, made: Layout | None, current: int | None) -> None:
        self._tools.setEnabled(made is not None)
        if made is None or self.editor is None:
            self.canvas.show_picture(None)
            self._legend.show_items(())
        else:
            state = self.editor.state
            nobody = np.zeros(len(state.tree), bool)
            picture = Picture(made, tree_colours.none(state.tree), nobody, np.empty(0, np.int64), current)
            self.menus.apply_options(picture)
            if self.editor.table is not None:
                picture.metadata = metadata.columns(state.tree, self.editor.table, theme.active())
            before = self.canvas.picture
            if before is not None and before.layout.far[0] != made.far[0]:
                self.canvas.fitted = True  # another root or fewer taxa: what was in sight is elsewhere
            self.canvas.show_picture(picture, keep=True)
            self._mark()
            self._recolour()
            if self.search_box.text():
                self.search(self.search_box.text())
        self._tell_undo()
        self._say(None)

    def _edited(self, tree: Tree) -> TreeEditor:
        editor = TreeEditor(tree)
        editor.changed.connect(self._on_edit)
        return editor

    def _on_edit(self, moved: Callable[[int], int | None]) -> None:
        self._lay_out(None if self.current is None else moved(self.current))
        self.edited.emit(self.editor.edits)

    def _recolour(self) -> None:
        picture, colours = self.canvas.picture, theme.active()
        if picture is None:
            return
        table = self.editor.table if self.editor else None
        if table is not None:
            picture.metadata = metadata.columns(self.tree, table, colours)
        try:
            if (title := self._column()) and table is not None:
                found = metadata.colouring(self.tree, table, title, colours)
            else:
                found = tree_colours.colouring(self.tree, self.colour_by, self.patterns, colours)
        except ParameterError as error:
            self._status.setText(str(error))
            found = tree_colours.none(self.tree)
        picture.colouring = found
        self._describe()
        self.canvas.update()

    def _describe(self) -> None:
        """Legend: what the tree holds, what is selected, what the colours mean."""
        picture = self.canvas.picture
        items = [LegendItem("text", self.tree.summary)]
        chosen = int(picture.marked[self.tree.leaves].sum())
        if chosen:
            items.append(LegendItem("line", f"{chosen:,} selected", (theme.active().accent,)))
        beside = picture.beside.items if picture.beside else ()
        self._legend.show_items((*items, *picture.colouring.items, *beside))

    def _mark(self) -> None:
        """Mark the clades whose taxa are all chosen."""
        self._laying.mark(self.canvas.picture, self.tree, self.selection.taxa)

    def _take_marks(self, picture: Picture, marked: np.ndarray) -> None:
        if picture is self.canvas.picture:
            picture.marked = marked
            self._describe()
            self.canvas.update()

    def _say(self, node: int | None) -> None:
        """Tell about a node, else about the current one, else what the mouse can do."""
        picture = self.canvas.picture
        node = picture.current if node is None and picture else node
        if picture is None:
            self._status.setText("")
        elif node is not None:
            said = picture.metadata.about(self.tree.names[node]) if picture.metadata else ""
            self._status.setText("   ".join(part for part in (tree_text.about(self.tree, node), said) if part))
        else:
            self._status.setText(tree_text.HINT if picture.layout.straight else tree_text.ROUND_HINT)

    def _on_hover(self, node: int | None) -> None:
        picture = self.canvas.picture
        if picture is not None and picture.hovered != node:
            picture.hovered = node
            self._say(node)
            self.canvas.update()

    def _on_click(self, node: int | None, modifiers: Qt.KeyboardModifier) -> None:
        more = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        self.choose(node, add=bool(modifiers & more))

    def _on_menu(self, node: int | None, place: QPoint) -> None:
        if self.editor is not None:
            if node is not None:
                self.choose(node)
            self.menus.of_node(node).exec(place)

    def _on_key(self, name: str) -> None:
        if self.editor is None:
            return
        editor, current = self.editor, self.current
        of_tree = {
            "f": self.fit, "home": self.fit, "l": editor.ladderize, "L": lambda: editor.ladderize(larger_last=False),
            "e": editor.open, "undo": editor.undo, "redo": editor.redo, "escape": lambda: self.choose(None),
        }  # fmt: skip
        of_node = {"r": editor.root, "s": editor.swap, "c": editor.collapse, "enter": self.zoom_to, "z": self.zoom_to}
        if name in of_tree:
            of_tree[name]()
        elif name in of_node and current is not None:
            of_node[name](current)
        elif name in ("left", "right", "up", "down"):
            node = tree_text.neighbour(self.canvas.picture.layout, current, name)
            self.choose(node)
            self.canvas.bring(node)
