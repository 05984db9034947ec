"""The tree view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import ask
from antidiag.app.kit.controls.flow_layouts import ToolRow, group_widgets
from antidiag.app.kit.controls.widgets import ElidedLabel, icon_button, tool_button
from antidiag.app.kit.figures import export
from antidiag.app.kit.figures.legend import Legend
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.saving_card import SavingCard
from antidiag.app.kit.view_state import ViewState
from antidiag.app.views.tree import node_text as tree_text
from antidiag.app.views.tree import tip_columns, tree_menus
from antidiag.app.views.tree import tree_colours as tree_colours
from antidiag.app.views.tree import tree_export as tree_export
from antidiag.app.views.tree.annotated_view import AnnotatedTreeView
from antidiag.app.views.tree.layout_task import TreeLayoutTask
from antidiag.app.views.tree.name_search import NameMatches, TreeSearchBox
from antidiag.app.views.tree.tree_canvas import TreeCanvas
from antidiag.app.views.tree.tree_editor import TreeEditor
from antidiag.app.views.tree.tree_painter import TreePicture
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.parttree.problem import PartTreeAnswer
from antidiag.kernels.trees.problem import TreeAnswer
from antidiag.kernels.trees.tree_layout import TreeLayout, TreeShape

RECENT_TREES = 8  # trees whose undo is kept while others are shown


class TreeView(AnnotatedTreeView):
    """A tree with its names; ``datum_offered`` offers the shown tree to other methods, ``edited`` carries its edits."""

    id = "tree"
    title = "Tree"

    datum_offered = Signal(object)
    edited = Signal(object)

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.editor = None
        self._layout_task = TreeLayoutTask(self)
        self.shape, self.lengths = TreeShape.RECTANGULAR, True
        self.colour_by, self.patterns = "none", tuple[str, ...]()
        self._matches = NameMatches()
        self.canvas, self.legend, self.status = TreeCanvas(), Legend(), ElidedLabel()
        self._build_layout()
        self.saving = SavingCard(self)
        self._connect_signals()
        self._keep_state()
        self.show_tree(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return isinstance(result.answer, TreeAnswer | PartTreeAnswer | MsaAnswer) and result.answer.tree is not None

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        """Return whether the view can show data."""
        return isinstance(datum, Tree)

    @property
    def current_node(self) -> int | None:
        """The node that keys act on."""
        return self.canvas.picture.current if self.canvas.picture else None

    @property
    def sharp(self) -> bool:
        """Whether the final picture is shown, not the coarse one of a moving tree."""
        return not (self.canvas.is_coarse or self._layout_task.busy)

    def show_result(self, result: Result | None) -> None:
        """Show the tree of a result, or nothing; a result that is already shown keeps its edits."""
        found = result if result is not None and self.shows(result) else None
        if found is None or found is not self.result:
            self.show_tree(found.answer.tree if found else None, found)
        self.result = found

    def show_datum(self, datum: Tree) -> None:
        """Show a tree that no run made."""
        self.result = None
        self.show_tree(datum)

    def show_tree(self, tree: Tree | None, result: Result | None = None) -> None:
        """Show a tree, of a result or by itself, or nothing."""
        if self.editor is not None:
            self.editor.changed.disconnect(self._on_edit)
        self.editor = None
        if tree is not None:
            self.editor = self.selection.find_history("trees", result or tree, partial(TreeEditor, tree), RECENT_TREES)
            self.editor.changed.connect(self._on_edit)
        self.search_box.clear()
        self._matches.clear_matches()
        self._tools.setEnabled(tree is not None)
        if tree is not None and self.colour_by not in ("none", "patterns") and not self._colour_column():
            self.colour_by = self.colour_by if self.colour_by in tree_colours.colouring_choices(tree) else "none"
        self._lay_out_whole()

    def show_edits(self, edits: Mapping[str, Any]) -> None:
        """Restore edits of the shown tree, unless its undo is still there."""
        if self.editor is not None and self.editor.is_untouched:
            self.editor.restore_edits(edits)

    def set_shape(self, shape: str) -> None:
        """Set the shape: rectangular, slanted, circular or unrooted."""
        self.shape = TreeShape(shape)
        self._lay_out_whole()

    def set_lengths(self, on: bool) -> None:
        """Draw branches by length, or all tips in a line."""
        self.lengths = on
        self._lay_out_whole()

    def set_option(self, name: str, on: bool) -> None:
        """Show or hide names, aligned, supports or scale."""
        if self.canvas.picture is not None:
            setattr(self.canvas.picture, name, on)
            self._redraw()

    def _redraw(self) -> None:
        """Draw the tree again, in the whole window if all of it was seen."""
        if self.canvas.fitted:
            self.canvas.show_all()
        self.canvas.update()

    def set_overview(self, on: bool) -> None:
        """Show or hide the minimap."""
        self.canvas.overview = on
        self.canvas.update()

    def set_label_size(self, pixels: float) -> None:
        """Limit names to so many pixels; they are smaller in narrow rows."""
        self.menus.label_size = pixels
        if self.canvas.picture is not None:
            self.canvas.picture.label_size = pixels
            self._redraw()

    def show_all(self) -> None:
        """Show the whole tree."""
        self.canvas.show_all()

    def zoom_to(self, node: int | None) -> None:
        """Fill the window with a clade, or with the whole tree."""
        self.canvas.show_clade(node)

    def choose(self, node: int | None, add: bool = False) -> None:
        """Make a node the current one, and choose its taxa in all views."""
        if self.canvas.picture is None:
            return
        self.canvas.picture.current = node
        names = tree_text.taxa_below(self.tree, node) if node is not None else ()
        self.selection.choose_taxa({*self.selection.taxa, *names} if add else names)
        self._show_status(node)
        self.canvas.update()

    def search_names(self, text: str) -> int:
        """Mark all nodes whose names contain a text, in any case; return how many."""
        if self.canvas.picture is None:
            return 0
        hits = self.canvas.picture.found = self._matches.find_nodes(self.tree, text)
        self.canvas.update()
        if text.strip():
            more = "; Enter: next match" if len(hits) else ""
            self.status.setText(f"{len(hits):,} name{'s' * (len(hits) != 1)} with {text.strip()!r}{more}")
        else:
            self._show_status(None)
        return len(hits)

    def go_to_match(self, step: int = 1) -> None:
        """Go to the next match, or the one before; expand collapsed clades above it."""
        found = self._matches.next_match(self.current_node, step)
        if found is None:
            return
        node, at = found
        self.editor.expand_clades(frozenset(self.editor.state.collapsed & set(self.tree.path(node)[1:])))
        self.canvas.scroll_to_node(node)
        self.choose(node)
        self.status.setText(f"{at + 1:,} of {self._matches.nodes.size:,}: {tree_text.describe_node(self.tree, node)}")

    def create_figure(self) -> tree_export.TreeFigure:
        """Return the picture for a file."""
        return tree_export.TreeFigure(self.canvas.picture, self.tree.name, self.legend.items)

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw the visible part with title and legend, for a file."""
        shown = self.create_figure()
        tree_export.draw_tree_figure(painter, area, shown, tree_export.frame_with_names(shown, self.canvas))

    def save(self, size: str = "seen") -> None:
        """Ask for a file and write the figure: as "seen", the "whole" tree readable, or of a "size" to ask."""
        tree_export.ask_and_save_figure(self, self._file_name, self.create_figure(), self.canvas, size, self.saving)

    def save_tree(self) -> None:
        """Ask for a file and write the tree as Newick or NEXUS."""
        tree_export.ask_and_save_tree(self, self._file_name, self.tree)

    @property
    def _file_name(self) -> str:
        return ask.suggest_name(self.result or self.tree, "tree", "tree" if self.result else "")

    def offer_tree(self) -> None:
        """Offer the shown tree to other methods."""
        self.datum_offered.emit(self.tree)

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        shown = self.create_figure()
        export.copy_figure(
            tree_export.window_figure_size(shown, tree_export.frame_with_names(shown, self.canvas)), self.draw_figure
        )

    def copy_names(self, node: int) -> None:
        """Put the names of a clade on the clipboard, one per line."""
        QGuiApplication.clipboard().setText("\n".join(tree_text.taxa_below(self.tree, node)))

    def sizeHint(self) -> QSize:
        return QSize(700, 600)

    def _keep_state(self) -> None:
        state = self.view_state = ViewState(self._is_laid_out)
        state.keep("shape", lambda: [str(self.shape), self.lengths], self._restore_shape)
        for name, action in (*self.menus.options.items(), ("overview", self.menus.overview)):
            state.keep_check(name, action)
        state.keep("label_size", lambda: self.menus.label_size, self._restore_label_size)
        state.keep("colours", lambda: [self.colour_by, list(self.patterns)], self._restore_colours)
        state.keep_place("current", lambda: self.current_node, self._restore_current)
        state.keep_place("window", self.canvas.list_window, self.canvas.restore_window)

    def _is_laid_out(self) -> bool:
        """Whether the picture is that of the tree, shape and lengths that are chosen."""
        picture = self.canvas.picture
        if picture is None or self.editor is None:
            return False
        return picture.layout.tree is self.editor.state.tree and picture.layout.shape == self.shape

    def _restore_shape(self, value: list[Any]) -> None:
        shape, lengths = TreeShape(value[0]), bool(value[1])
        if (shape, lengths) != (self.shape, self.lengths):
            self.shape, self.lengths = shape, lengths
            self.menus.check_shape()
            self._lay_out_whole()

    def _restore_label_size(self, pixels: float) -> None:
        self.menus.check_label_size(pixels)
        self.set_label_size(pixels)

    def _restore_colours(self, value: list[Any]) -> None:
        by, patterns = value
        self.set_colouring(str(by), tuple(map(str, patterns)))

    def _restore_current(self, node: int | None) -> None:
        if node is not None and 0 <= node < len(self.tree):
            self.canvas.picture.current = node
            self._show_status(node)

    def _build_layout(self) -> None:
        self.search_box = TreeSearchBox()
        self._tools = QWidget()
        row = ToolRow(self._tools)
        row.addWidget(self.search_box)
        self.undo_button = icon_button("undo", "Nothing to undo", self.undo)
        self.redo_button = icon_button("redo", "Nothing to redo", self.redo)
        row.addWidget(group_widgets(self.undo_button, self.redo_button))
        row.addWidget(tool_button("Fit", "Show the whole tree (F)", self.show_all))
        self.menus = tree_menus.TreeMenus(self, self)
        for button in self.menus.buttons:
            row.addWidget(button)
        row.essential = tool_button("Copy", "Copy the figure", self.copy), self.menus.save_button
        for button in row.essential:
            row.addWidget(button)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addWidget(self._tools)
        box.addWidget(self.canvas, 1)
        box.addWidget(self.legend)
        box.addWidget(self.status)

    def _connect_signals(self) -> None:
        self._layout_task.laid.connect(self._show_layout)
        self._layout_task.marked.connect(self._show_marks)
        self._layout_task.failed.connect(lambda error: self.status.setText(str(error)))
        self.search_box.sought.connect(self.search_names)
        self.search_box.next_wanted.connect(self.go_to_match)
        self.canvas.hovered.connect(self._on_hover)
        self.canvas.clicked.connect(self._on_click)
        self.canvas.entered.connect(self.zoom_to)
        self.canvas.menu_wanted.connect(self._on_menu)
        self.canvas.key.connect(self._on_key)
        self.selection.taxa_changed.connect(lambda _: self._request_marks())
        theme.notifier.changed.connect(self._update_colours)

    def _lay_out_whole(self) -> None:
        """Lay the tree out, and show the whole of it."""
        self.canvas.fitted = True
        self._lay_out()

    def _lay_out(self, current: int | None = None) -> None:
        """Lay the tree out; a thread does it for a large one, and the previous picture stays meanwhile."""
        if self.editor is None:
            self._layout_task.cancel_layout()
            self._show_layout(None, current)
            return
        before, state = self.canvas.picture, self.editor.state
        if self._layout_task.request_layout(state, self.shape, self.lengths, current):
            return
        if before is None or before.layout.tree is not state.tree:
            self._show_layout(None, current)
        self.status.setText("Drawing the tree ...")

    def _show_layout(self, made: TreeLayout | None, current: int | None) -> None:
        self._tools.setEnabled(made is not None)
        if made is None or self.editor is None:
            self.canvas.show_picture(None)
            self.legend.show_items(())
        else:
            state = self.editor.state
            nobody = np.zeros(len(state.tree), bool)
            picture = TreePicture(
                made, tree_colours.make_uncoloured(state.tree), nobody, np.empty(0, np.int64), current
            )
            self.menus.apply_options(picture)
            if self.editor.table is not None:
                picture.metadata = tip_columns.create_columns(state.tree, self.editor.table, theme.active())
            before = self.canvas.picture
            if before is not None and before.layout.far[0] != made.far[0]:
                self.canvas.fitted = True  # another root or fewer taxa: the window would show something else
            self.canvas.show_picture(picture, keep=True)
            self._request_marks()
            self._update_colours()
            if self.search_box.text():
                self.search_names(self.search_box.text())
        self._update_undo_buttons()
        self._show_status(None)
        self.view_state.resume()

    def _on_edit(self, moved: Callable[[int], int | None]) -> None:
        self._lay_out(None if self.current_node is None else moved(self.current_node))
        self.edited.emit(self.editor.saved_edits)

    def _request_marks(self) -> None:
        """Mark the clades whose taxa are all chosen."""
        self._layout_task.request_marks(self.canvas.picture, self.tree, self.selection.taxa)

    def _show_marks(self, picture: TreePicture, marked: np.ndarray) -> None:
        if picture is self.canvas.picture:
            picture.marked = marked
            self._update_legend()
            self.canvas.update()

    def _show_status(self, node: int | None) -> None:
        """Describe a node, else the current one, else what the mouse can do."""
        picture = self.canvas.picture
        node = picture.current if node is None and picture else node
        if picture is None:
            self.status.setText("")
        elif node is not None:
            said = picture.metadata.describe_taxon(self.tree.names[node]) if picture.metadata else ""
            self.status.setText("   ".join(part for part in (tree_text.describe_node(self.tree, node), said) if part))
        else:
            self.status.setText(tree_text.HINT if picture.layout.is_straight else tree_text.ROUND_HINT)

    def _on_hover(self, node: int | None) -> None:
        picture = self.canvas.picture
        if picture is not None and picture.hovered != node:
            picture.hovered = node
            self._show_status(node)
            self.canvas.update()

    def _on_click(self, node: int | None, modifiers: Qt.KeyboardModifier) -> None:
        more = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        self.choose(node, add=bool(modifiers & more))

    def _on_menu(self, node: int | None, place: QPoint) -> None:
        if self.editor is not None:
            if node is not None:
                self.choose(node)
            self.menus.create_node_menu(node).exec(place)

    def _on_key(self, name: str) -> None:
        if self.editor is None:
            return
        editor, current = self.editor, self.current_node
        of_tree = {
            "f": self.show_all,
            "home": self.show_all,
            "l": editor.ladderize_below,
            "e": editor.expand_clades,
            "undo": editor.undo,
        }
        of_tree |= {"redo": editor.redo, "escape": partial(self.choose, None)}
        of_tree["L"] = partial(editor.ladderize_below, larger_last=False)
        of_node = {
            "r": editor.root_above,
            "s": editor.swap_children,
            "c": editor.toggle_collapsed,
            "enter": self.zoom_to,
            "z": self.zoom_to,
        }
        if name in of_tree:
            of_tree[name]()
        elif name in of_node and current is not None:
            of_node[name](current)
        elif name in ("left", "right", "up", "down"):
            node = tree_text.find_neighbour(self.canvas.picture.layout, current, name)
            self.choose(node)
            self.canvas.scroll_to_node(node)
