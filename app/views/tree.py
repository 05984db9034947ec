"""TreeView: a tree to look at, to turn and to take along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QPainter
from PySide6.QtWidgets import QLineEdit, QToolButton, QVBoxLayout, QWidget

from app import theme
from app.panels.widgets import Elided
from app.selection import Selection
from app.views import export, tree_colours, tree_export, tree_menus, tree_words
from app.views.flow import Flow, together
from app.views.pieces import Legend, LegendItem, tool_button
from app.views.tree_canvas import TreeCanvas
from app.views.tree_colours import Colouring
from app.views.tree_history import History, State, followed
from app.views.tree_layout import Shape, has_lengths, layout
from app.views.tree_paint import Picture
from kernels.errors import ParameterError
from kernels.model import Result
from kernels.tree import Tree
from kernels.tree_edits import Edited, ladderize, prune, reroot, swap

SEARCH_WIDTH = 150
SEARCH_MS = 150


class TreeView(QWidget):
    """A rooted tree with its names. ``kept`` gives the tree as it is shown, to be used by other methods."""

    id = "tree"
    title = "Tree"

    kept = Signal(object)

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.history: History | None = None
        self.shape = Shape.RECTANGULAR
        self.lengths = True
        self.colour_by, self.patterns = "none", tuple[str, ...]()
        self._weights: Mapping[str, float] = {}
        self._matches = np.empty(0, np.int64)
        self._lowered: tuple[Tree, list[str]] | None = None
        self._typed = QTimer(self, singleShot=True, interval=SEARCH_MS)
        self.canvas, self._legend, self._status = TreeCanvas(), Legend(), Elided()
        self._build()
        self._connect()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(getattr(result.answer, "tree", None), Tree)

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        return isinstance(datum, Tree)

    @property
    def tree(self) -> Tree | None:
        """The tree as it is shown."""
        return self.history.state.tree if self.history else None

    @property
    def current(self) -> int | None:
        """The node that commands act on."""
        return self.canvas.picture.current if self.canvas.picture else None

    @property
    def sharp(self) -> bool:
        return not self.canvas.resting

    def show_result(self, result: Result | None) -> None:
        """Show the tree of a result, or nothing."""
        found = result if result is not None and self.shows(result) else None
        if found is self.result and found is not None:
            return
        self.result = found
        given = getattr(found.answer, "weights", None) if found else None
        self.show_tree(found.answer.tree if found else None, given if isinstance(given, Mapping) else {})

    def show_datum(self, datum: Tree) -> None:
        """Show a tree that no run made, as one from a file."""
        self.result = None
        self.show_tree(datum)

    def show_tree(self, tree: Tree | None, weights: Mapping[str, float] | None = None) -> None:
        """Show a tree, or nothing; ``weights`` of its taxa by name can be shown as colours."""
        self._weights = weights or {}
        self.history = History(tree) if tree is not None else None
        self._search.clear()
        self._matches = np.empty(0, np.int64)
        self._tools.setEnabled(tree is not None)
        self.canvas.fitted = True
        if self.colour_by == "weight" and not self._weights:
            self.colour_by = "none"
        self._show_state()

    def set_shape(self, shape: str) -> None:
        """Rectangular, slanted, circular or unrooted."""
        self.shape = Shape(shape)
        self.canvas.fitted = True
        self._show_state()

    def set_lengths(self, on: bool) -> None:
        """Draw branches by their lengths, or all tips in a line."""
        self.lengths = on
        self.canvas.fitted = True
        self._show_state()

    def set_option(self, name: str, on: bool) -> None:
        """Switch on or off what is drawn: names, aligned, supports, scale."""
        setattr(self.canvas.picture, name, on)
        if name == "names" and self.canvas.fitted:
            self.canvas.fit()
        self.canvas.update()

    def colour(self, by: str, patterns: tuple[str, ...] = ()) -> None:
        """Colour by nothing, "patterns" of names, their first "word", "weight", "support" or "length"."""
        self.colour_by, self.patterns = by, patterns
        self._recolour()

    def fit(self) -> None:
        """Show the whole tree."""
        self.canvas.fit()

    def root_here(self, node: int | None = None) -> None:
        """Put the root on the branch above a node."""
        node = self._node(node)
        if node:
            self._edit(reroot(self.tree, node), "rooting")

    def swap(self, node: int | None = None) -> None:
        """Turn the children of a node round."""
        node = self._node(node)
        if node is not None and self.tree.degrees[node] > 1:
            self._edit(swap(self.tree, node), "swapping")

    def ladderize(self, larger_last: bool = True, node: int = 0) -> None:
        """Sort the children of all nodes below one by their numbers of taxa."""
        if self.history:
            self._edit(ladderize(self.tree, node, larger_last), "sorting")

    def collapse(self, node: int | None = None) -> None:
        """Collapse the clade of a node to one tip, or open it again."""
        node = self._node(node)
        if node is not None and self.tree.degrees[node]:
            changed = self.history.state.collapsed ^ {node}
            self._do(State(self.tree, changed), "opening" if node not in changed else "collapsing")

    def expand_all(self) -> None:
        """Open all collapsed clades."""
        if self.history and self.history.state.collapsed:
            self._do(State(self.tree), "opening")

    def remove(self, node: int | None = None) -> None:
        """Take the taxa of a clade out of the tree."""
        node = self._node(node)
        if node:
            leaves = self.tree.leaves
            self._edit(prune(self.tree, leaves[(leaves >= node) & (leaves < self.tree.ends[node])]), "removing")

    def undo(self) -> None:
        if self.history and self.history.undo():
            self._show_state(keep=True)

    def redo(self) -> None:
        if self.history and self.history.redo():
            self._show_state(keep=True)

    def zoom_to(self, node: int | None = None) -> None:
        """Fill the window with a clade."""
        node = self._node(node)
        if node is None:
            return
        shown = self.canvas.picture.layout
        if shown.straight:
            self.canvas.show_rows(shown.first[node] - 0.5, shown.last[node] + 0.5)
        else:
            inside = slice(node, int(self.tree.ends[node]))
            x, y = shown.x[inside][shown.shown[inside]], shown.y[inside][shown.shown[inside]]
            self.canvas.show_box(float(x.min()), float(y.min()), float(x.max()), float(y.max()))

    def choose(self, node: int | None, add: bool = False) -> None:
        """Make a node the current one, and choose the sequences of its taxa everywhere."""
        if self.canvas.picture is None:
            return
        self.canvas.picture.current = node
        names = tree_words.taxa_below(self.tree, node) if node is not None else ()
        self.selection.choose_taxa({*self.selection.taxa, *names} if add else names)
        self._say(node)
        self.canvas.update()

    def search(self, text: str) -> int:
        """Mark all nodes with a text in their names, in any case; returns how many."""
        if not self.history:
            return 0
        if self._lowered is None or self._lowered[0] is not self.tree:
            self._lowered = self.tree, [name.lower() for name in self.tree.names]
        wanted = text.strip().lower()
        hits = [node for node, name in enumerate(self._lowered[1]) if wanted in name] if wanted else []
        self._matches = np.array(hits, np.int64)
        self.canvas.picture.found = self._matches
        self.canvas.update()
        if wanted:
            count = len(hits)
            more = " (Enter goes to the next one)" if count else ""
            self._status.setText(f"{count:,} name{'s' * (count != 1)} with {text.strip()!r}{more}")
        else:
            self._say(None)
        return len(hits)

    def next_match(self, step: int = 1) -> None:
        """Go to the next node that the search found, or the one before."""
        if not self._matches.size:
            return
        at = np.searchsorted(
            self._matches, -1 if self.current is None else self.current, "right" if step > 0 else "left"
        )
        node = int(self._matches[(at if step > 0 else at - 1) % self._matches.size])
        above = self.history.state.collapsed & set(self.tree.path(node)[1:])
        if above:
            self._do(State(self.tree, self.history.state.collapsed - above), "opening")
        self.canvas.bring(node)
        self.choose(node)
        place = int(np.searchsorted(self._matches, node)) + 1
        self._status.setText(f"{place:,} of {self._matches.size:,}: {tree_words.about(self.tree, node)}")

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """What is seen, with title and legend, for a file."""
        tree_export.draw(painter, area, self.figure(), self.canvas.frame)

    def figure(self) -> tree_export.Figure:
        """The picture as it goes into a file: without what is hovered or current."""
        return tree_export.Figure(self.canvas.picture, self.tree.name, self._legend.items)

    def save(self, size: str = "seen") -> None:
        """Ask for a file and write the figure: as it is "seen", the "whole" tree readable, or of a "size" to ask."""
        if self.history:
            tree_export.ask_and_save(self, self.figure(), self.canvas, size)

    def save_tree(self) -> None:
        """Ask for a file and write the tree as it is shown, as Newick or NEXUS."""
        if self.history:
            tree_export.ask_and_save_tree(self, self.tree)

    def keep(self) -> None:
        """Offer the tree as it is shown to other methods."""
        if self.history:
            self.kept.emit(self.tree)

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        if self.history:
            export.copy(tree_export.size_seen(self.figure(), self.canvas), self.draw_figure)

    def copy_names(self, node: int | None = None) -> None:
        """Put the names of a clade on the clipboard, one a line."""
        node = self._node(node)
        if node is not None:
            QGuiApplication.clipboard().setText("\n".join(tree_words.taxa_below(self.tree, node)))

    def ask_patterns(self) -> None:
        """Ask for patterns of names, and colour by them."""
        given = tree_menus.ask_patterns(self, self.patterns)
        if given is not None:
            self.colour("patterns" if given else "none", given)

    def available_colours(self) -> dict[str, str]:
        """Ways to colour that this tree has something for, and their labels."""
        tree = self.tree
        found = {"none": "One colour", "word": "First word of the name"}
        if self._weights:
            found["weight"] = "Weight"
        if tree is not None and has_lengths(tree):
            found["length"] = "Branch length"
        if tree is not None and not np.isnan(tree_colours.supports(tree)).all():
            found["support"] = "Support"
        return found

    def _build(self) -> None:
        self._search = QLineEdit(placeholderText="Find names")
        self._search.setToolTip("A part of a name; Enter goes to the next one found, Shift+Enter to the one before")
        self._search.setFixedWidth(SEARCH_WIDTH)
        self._search.setClearButtonEnabled(True)
        self._tools = QWidget()
        row = Flow(self._tools)
        row.addWidget(self._search)
        row.addWidget(tool_button("Fit", "Show the whole tree (F)", self.fit))
        self.menus = tree_menus.Menus(self)
        for button in self.menus.buttons:
            row.addWidget(button)
        self._undo: QToolButton = tool_button("Undo", "Nothing to undo", self.undo)
        self._redo: QToolButton = tool_button("Redo", "Nothing to redo", self.redo)
        row.addWidget(together(self._undo, self._redo))
        row.addWidget(tool_button("Copy", "Copy the figure", self.copy))
        row.addWidget(self.menus.save_button)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addWidget(self._tools)
        box.addWidget(self.canvas, 1)
        box.addWidget(self._legend)
        box.addWidget(self._status)
        previous = QAction(self._search)
        previous.setShortcut("Shift+Return")
        previous.triggered.connect(lambda: self.next_match(-1))
        previous.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self._search.addAction(previous)

    def _connect(self) -> None:
        self._typed.timeout.connect(lambda: self.search(self._search.text()))
        self._search.textChanged.connect(lambda: self._typed.start())
        self._search.returnPressed.connect(self._on_enter)
        self.canvas.hovered.connect(self._on_hover)
        self.canvas.clicked.connect(self._on_click)
        self.canvas.entered.connect(lambda node: self.zoom_to(node) if node is not None else self.fit())
        self.canvas.menu_wanted.connect(self._on_menu)
        self.canvas.key.connect(self._on_key)
        self.selection.taxa_changed.connect(lambda _: self._mark())
        theme.notifier.changed.connect(self._recolour)

    def _node(self, node: int | None) -> int | None:
        """The node of a command: the given or the current one; None where there is no tree or no node."""
        if not self.history:
            return None
        return self.current if node is None else node

    def _edit(self, edited: Edited, what: str) -> None:
        """Take an edited tree; what was collapsed and current stays so."""
        current = followed(frozenset(() if self.current is None else (self.current,)), edited)
        self._do(State(edited.tree, followed(self.history.state.collapsed, edited)), what, next(iter(current), None))

    def _do(self, state: State, what: str, current: int | None = None) -> None:
        kept = self.current if state.tree is self.tree else current
        self.history.do(state, what)
        self._show_state(keep=True)
        self.canvas.picture.current = kept

    def _show_state(self, keep: bool = False) -> None:
        """Lay the tree out anew; ``keep`` leaves the window where it is."""
        before = self.canvas.picture
        if self.history is None:
            self.canvas.show_picture(None)
        else:
            state = self.history.state
            made = layout(state.tree, self.shape, self.lengths, state.collapsed)
            picture = Picture(
                made, tree_colours.none(state.tree), np.zeros(len(state.tree), bool), np.empty(0, np.int64)
            )
            if before is not None:
                for option in tree_menus.OPTIONS:
                    setattr(picture, option, getattr(before, option))
            self.menus.apply_options(picture)
            self.canvas.show_picture(picture, keep)
            self._mark()
            self._recolour()
            if self._search.text():
                self.search(self._search.text())
        self._tell_undo()
        self._say(None)

    def _recolour(self) -> None:
        picture = self.canvas.picture
        if picture is None:
            return
        try:
            picture.colouring = self._colouring()
        except ParameterError as error:
            self._status.setText(str(error))
            picture.colouring = tree_colours.none(self.tree)
        self._describe()
        self.canvas.update()

    def _colouring(self) -> Colouring:
        tree, colours = self.tree, theme.active()
        if self.colour_by == "patterns":
            return tree_colours.by_patterns(tree, self.patterns, colours)
        if self.colour_by == "word":
            return tree_colours.by_first_word(tree, colours)
        if self.colour_by == "weight":
            return tree_colours.by_values(tree, tree_colours.weights(tree, self._weights), "weight", colours)
        if self.colour_by == "length":
            return tree_colours.by_values(tree, tree.lengths, "branch length", colours)
        if self.colour_by == "support":
            return tree_colours.by_values(tree, tree_colours.supports(tree), "support", colours)
        return tree_colours.none(tree)

    def _describe(self) -> None:
        """Legend: what the tree holds, what is selected, what the colours mean."""
        picture = self.canvas.picture
        if picture is None:
            self._legend.show_items(())
            return
        items = [LegendItem("text", self.tree.summary), *picture.colouring.items]
        chosen = int(picture.marked[self.tree.leaves].sum())
        if chosen:
            items.insert(1, LegendItem("line", f"{chosen:,} selected", (theme.active().accent,)))
        self._legend.show_items(tuple(items))

    def _mark(self) -> None:
        """Mark the clades whose taxa are all chosen."""
        picture = self.canvas.picture
        if picture is None:
            return
        chosen = self.selection.taxa
        leaves = np.zeros(len(self.tree), np.int64)
        if chosen:
            leaves[self.tree.leaves] = [name in chosen for name in self.tree.taxa]
        picture.marked = (self.tree.below(leaves) == self.tree.leaf_counts) if chosen else leaves.astype(bool)
        self._describe()
        self.canvas.update()

    def _tell_undo(self) -> None:
        for button, text, word, keys in (
            (self._undo, self.history.undo_text if self.history else "", "Undo", "Ctrl+Z"),
            (self._redo, self.history.redo_text if self.history else "", "Redo", "Ctrl+Shift+Z"),
        ):
            button.setEnabled(bool(text))
            button.setToolTip(f"{word} {text} ({keys} in the tree)" if text else f"Nothing to {word.lower()}")

    def _say(self, node: int | None) -> None:
        picture = self.canvas.picture
        if picture is None:
            self._status.setText("")
            return
        node = picture.current if node is None else node
        straight = picture.layout.straight
        hint = tree_words.HINT if straight else tree_words.ROUND_HINT
        self._status.setText(hint if node is None else tree_words.about(self.tree, node))

    def _on_enter(self) -> None:
        if self._typed.isActive():
            self._typed.stop()
            self.search(self._search.text())
        self.next_match()

    def _on_hover(self, node: int | None) -> None:
        picture = self.canvas.picture
        if picture is not None and picture.hovered != node:
            picture.hovered = node
            self._say(node)
            self.canvas.update()

    def _on_click(self, node: int | None, modifiers: Any) -> None:
        self.choose(
            node, add=bool(modifiers & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier))
        )

    def _on_menu(self, node: int | None, place: QPoint) -> None:
        if self.history is None:
            return
        if node is not None:
            self.choose(node)
        self.menus.of_node(node).exec(place)

    def _on_key(self, name: str) -> None:
        action = {
            "f": self.fit, "home": self.fit, "r": self.root_here, "s": self.swap, "c": self.collapse,
            "l": self.ladderize, "L": lambda: self.ladderize(False), "enter": self.zoom_to, "z": self.zoom_to,
            "e": self.expand_all, "undo": self.undo, "redo": self.redo, "escape": lambda: self.choose(None),
        }.get(name)  # fmt: skip
        if action:
            action()
        elif name in ("left", "right", "up", "down") and self.canvas.picture is not None:
            node = tree_words.neighbour(self.canvas.picture.layout, self.current, name)
            self.choose(node)
            self.canvas.bring(node)

    def sizeHint(self) -> QSize:
        return QSize(700, 600)
