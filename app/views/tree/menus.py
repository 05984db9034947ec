"""The menus of the tree view, and its question for patterns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QMenu, QPlainTextEdit, QToolButton, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.tree.layout import Shape, has_lengths
from antidiag.app.kit.widgets import check_action, choice_actions, label, menu_button
from antidiag.app.views.tree import colours
from antidiag.app.views.tree.history import TreeEditor
from antidiag.app.views.tree.labels import LARGEST
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.aligned_notes import Table
from antidiag.kernels.io.newick import parse
from antidiag.kernels.io.tree import Tree

OPTIONS = {"names": "Names", "aligned": "Names in a column", "supports": "Support values", "scale": "Scale bar"}
ON = {"names": True, "aligned": False, "supports": True, "scale": True}
COLUMN = "column "
"""How the name of a colouring begins that a column of the table gives."""
SIZES = {"small": ("Small", 9.0), "medium": ("Medium", LARGEST), "large": ("Large", 17.0), "huge": ("Very large", 24.0)}
"""Sizes of names: what they are called, and pixels of the font where rows are wide."""
SHAPES = {Shape.RECTANGULAR: "Rectangular", Shape.SLANTED: "Slanted", Shape.CIRCULAR: "Circular",
          Shape.UNROOTED: "Unrooted"}  # fmt: skip


class Shown(Protocol):
    """What the menus ask of the view that shows the tree."""

    shape: Shape
    editor: TreeEditor
    colour_by: str

    @property
    def tree(self) -> Tree: ...
    @property
    def current(self) -> int | None: ...
    def set_shape(self, shape: str) -> None: ...
    def set_lengths(self, on: bool) -> None: ...
    def set_option(self, name: str, on: bool) -> None: ...
    def set_label_size(self, pixels: float) -> None: ...
    def set_overview(self, on: bool) -> None: ...
    def ask_table(self) -> None: ...
    def set_table(self, table: Table | None) -> None: ...
    def zoom_to(self, node: int | None) -> None: ...
    def colour(self, by: str, patterns: tuple[str, ...] = ...) -> None: ...
    def ask_patterns(self) -> None: ...
    def copy_names(self, node: int) -> None: ...
    def keep(self) -> None: ...
    def save(self, size: str = ...) -> None: ...
    def save_tree(self) -> None: ...


class Menus:
    """Buttons with menus for a view; what is switched on lives in their actions."""

    def __init__(self, parent: QWidget, view: Shown) -> None:
        self._parent, self._view, self.label_size = parent, view, LARGEST
        self.shape_menu, self.show_menu = QMenu(parent), QMenu(parent)
        self.colour_menu, self.edit_menu, self.save_menu = QMenu(parent), QMenu(parent), QMenu(parent)
        names = {str(shape): text for shape, text in SHAPES.items()}
        choice_actions(self.shape_menu, "Shape", names, str(view.shape), view.set_shape)
        self.shape_menu.addSeparator()
        self.lengths = check_action(self.shape_menu, "Branch lengths", True, view.set_lengths)
        self.options = {
            name: check_action(self.show_menu, text, ON[name], partial(self._set_option, name))
            for name, text in OPTIONS.items()
        }
        sizes = {name: text for name, (text, _) in SIZES.items()}
        choice_actions(
            self.show_menu, "Size of names", sizes, "medium", lambda name: view.set_label_size(SIZES[name][1])
        )
        self.overview = check_action(self.show_menu, "Whole tree in the corner", True, view.set_overview)
        self.show_menu.addSeparator()
        _add(self.show_menu, "Columns from a table\u2026", view.ask_table).setToolTip(
            "A table (CSV) with the names of taxa in its first column; the others stand beside the tips"
        )
        self.no_table = _add(self.show_menu, "No columns", view.set_table, None)
        self.show_menu.aboutToShow.connect(lambda: self.no_table.setEnabled(view.editor.table is not None))
        self._aligned = {shape: shape == Shape.CIRCULAR for shape in Shape}
        self.edit_menu.aboutToShow.connect(lambda: self._fill_edit(self.edit_menu, view.current))
        self.colour_menu.aboutToShow.connect(self._fill_colours)
        self._fill_save()
        self.buttons: list[QToolButton] = [
            menu_button("Shape", "Rectangular, slanted, circular or unrooted; with branch lengths or without",
                        self.shape_menu),
            menu_button("Show", "What is drawn beside the branches", self.show_menu),
            menu_button("Colours", "Colours of branches and names", self.colour_menu),
            menu_button("Edit", "Root, swap, sort, collapse and remove", self.edit_menu),
        ]  # fmt: skip
        self.save_button = menu_button("Save", "Save the figure or the tree", self.save_menu)

    def apply_options(self, picture: Any) -> None:
        """Give a new picture what is switched on; names in a column, or a ring, are remembered for each shape."""
        aligned = self.options["aligned"]
        aligned.blockSignals(True)
        aligned.setChecked(self._aligned[picture.layout.shape])
        aligned.blockSignals(False)
        picture.label_size = self.label_size
        for name, action in self.options.items():
            setattr(picture, name, action.isChecked())
        self.lengths.setEnabled(has_lengths(picture.layout.tree))
        self.options["scale"].setEnabled(picture.layout.lengths)
        self.options["aligned"].setEnabled(picture.layout.shape != Shape.UNROOTED)

    def _set_option(self, name: str, on: bool) -> None:
        if name == "aligned":
            self._aligned[self._view.shape] = on
        self._view.set_option(name, on)

    def of_node(self, node: int | None) -> QMenu:
        """What can be done with a node, or with the tree where there is none."""
        menu = QMenu(self._parent)
        self._fill_edit(menu, node)
        return menu

    def _fill_edit(self, menu: QMenu, node: int | None) -> None:
        menu.clear()
        view = self._view
        if node is not None:
            inner = bool(view.tree.degrees[node])
            closed, editor = node in view.editor.state.collapsed, view.editor
            rows = (
                ("Root on this branch\tR", editor.root, node > 0),
                ("Swap children\tS", editor.swap, bool(view.tree.degrees[node] > 1) and not closed),
                ("Open\tC" if closed else "Collapse\tC", editor.collapse, inner),
                ("Sort below, small first", editor.ladderize, inner and not closed),
                ("Sort below, large first", partial(editor.ladderize, larger_last=False), inner and not closed),
                ("Zoom to it\tEnter", view.zoom_to, True),
                ("Copy names", view.copy_names, True),
                ("Remove from the tree", editor.remove, node > 0),
            )
            for text, slot, able in rows:
                _add(menu, text, slot, node).setEnabled(able)
            menu.addSeparator()
        for text, command in (
            ("Root at the midpoint", view.editor.root_at_midpoint),
            ("Sort all, small first\tL", view.editor.ladderize),
            ("Sort all, large first\tShift+L", partial(view.editor.ladderize, larger_last=False)),
            ("Open all collapsed\tE", view.editor.open),
            ("Use for other methods", view.keep),
        ):
            _add(menu, text, command)

    def _fill_colours(self) -> None:
        view, menu = self._view, self.colour_menu
        menu.clear()
        choices = colours.choices(view.tree)
        if view.editor.table is not None:
            choices |= {f"{COLUMN}{title}": f"Column {title}" for title in view.editor.table.titles}
        choice_actions(menu, "Colour by", choices, view.colour_by, view.colour)
        action = _add(menu, "Patterns of names\u2026", view.ask_patterns)
        action.setCheckable(True)
        action.setChecked(view.colour_by == "patterns")

    def _fill_save(self) -> None:
        view = self._view
        _add(self.save_menu, "Figure as seen\u2026", view.save, "seen")
        _add(self.save_menu, "Figure of the whole tree, all names readable\u2026", view.save, "whole")
        _add(self.save_menu, "Figure of the whole tree, size in mm\u2026", view.save, "size")
        _add(self.save_menu, "Tree as Newick or NEXUS\u2026", view.save_tree)


def _add(menu: QMenu, text: str, slot: Callable[..., Any], *arguments: Any) -> QAction:
    """An entry that calls ``slot`` with these arguments; what Qt says of the entry is kept from it."""
    action: QAction = menu.addAction(text)
    action.triggered.connect(lambda _=False: slot(*arguments))
    return action


class PatternsDialog(QDialog):
    """Patterns of names, one a line, of which each gets a colour."""

    def __init__(self, parent: QWidget, patterns: tuple[str, ...]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Colour by patterns of names")
        self.text = QPlainTextEdit("\n".join(patterns))
        self.text.setPlaceholderText("Homo|Pan\n^mouse\n_HUMAN$")
        self.text.setMinimumSize(380, 8 * QFontMetrics(self.text.font()).lineSpacing())
        self.error = label("", "error", wrap=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        words = "One pattern a line: a part of a name, or a regular expression. The first that fits a name colours it."
        box.addWidget(label(words, "muted", wrap=True))
        box.addWidget(self.text, 1)
        box.addWidget(self.error)
        box.addWidget(buttons)

    def patterns(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self.text.toPlainText().splitlines())
        return tuple(line for line in lines if line)

    def accept(self) -> None:
        """Close only with patterns that are some."""
        try:
            colours.by_patterns(parse("(a,b);")[0], self.patterns(), theme.active())
        except ParameterError as error:
            self.error.setText(str(error))
            return
        super().accept()


def ask_patterns(parent: QWidget, patterns: tuple[str, ...]) -> tuple[str, ...] | None:
    """Patterns that the user gives; None where they change their mind."""
    dialog = PatternsDialog(parent, patterns)
    return dialog.patterns() if dialog.exec() == QDialog.DialogCode.Accepted else None
