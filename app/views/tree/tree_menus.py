"""Menus of the tree view, and the dialog for name patterns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QMenu, QPlainTextEdit, QToolButton, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import (
    add_check_action,
    add_choice_section,
    check_choice,
    create_label,
    menu_button,
)
from antidiag.app.views.tree import tree_colours
from antidiag.app.views.tree.tip_labels import LARGEST
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.newick import parse_newick
from antidiag.kernels.trees.tree_layout import TreeShape, has_lengths

if TYPE_CHECKING:
    from antidiag.app.views.tree.tree_view import TreeView

OPTIONS = {"names": "Names", "aligned": "Align names", "supports": "Support values", "scale": "Scale bar"}
ON = {"names": True, "aligned": False, "supports": True, "scale": True}
COLUMN_PREFIX = "column "  # begins the names of colourings by a table column
# Labels of the sizes of names, and their pixels where rows are wide.
NAME_SIZES = {
    "small": ("Small", 9.0),
    "medium": ("Medium", LARGEST),
    "large": ("Large", 17.0),
    "huge": ("Very large", 24.0),
}


class TreeMenus:
    """The menu buttons of a view; their actions hold what is switched on."""

    def __init__(self, parent: QWidget, view: TreeView) -> None:
        self._parent, self._view, self.label_size = parent, view, LARGEST
        self.shape_menu, self.show_menu = QMenu(parent), QMenu(parent)
        self.colour_menu, self.edit_menu, self.save_menu = QMenu(parent), QMenu(parent), QMenu(parent)
        names = {str(shape): shape.capitalize() for shape in TreeShape}
        add_choice_section(self.shape_menu, "Shape", names, str(view.shape), view.set_shape)
        self.shape_menu.addSeparator()
        self.lengths = add_check_action(self.shape_menu, "Branch lengths", True, view.set_lengths)
        self.options = {
            name: add_check_action(self.show_menu, text, ON[name], partial(self._set_option, name))
            for name, text in OPTIONS.items()
        }
        sizes = {name: text for name, (text, _) in NAME_SIZES.items()}
        add_choice_section(
            self.show_menu, "Name size", sizes, "medium", lambda name: view.set_label_size(NAME_SIZES[name][1])
        )
        self.overview = add_check_action(self.show_menu, "Overview map", True, view.set_overview)
        self.show_menu.addSeparator()
        _add_entry(self.show_menu, "Columns from a table\u2026", view.ask_table).setToolTip(
            "A CSV table with taxon names in its first column; the other columns are shown beside the tips"
        )
        self.no_table = _add_entry(self.show_menu, "Remove columns", view.set_table, None)
        self.show_menu.aboutToShow.connect(lambda: self.no_table.setEnabled(view.editor.table is not None))
        self._aligned = {shape: shape == TreeShape.CIRCULAR for shape in TreeShape}
        self.edit_menu.aboutToShow.connect(lambda: self._fill_edit(self.edit_menu, view.current_node))
        self.colour_menu.aboutToShow.connect(self._fill_colours)
        self._fill_save()
        self.buttons: list[QToolButton] = [
            menu_button("Shape", "Shape of the tree; branch lengths on or off", self.shape_menu),
            menu_button("Show", "Names, support values, scale bar and columns", self.show_menu),
            menu_button("Colours", "Colours of branches and names", self.colour_menu),
            menu_button("Edit", "Root, swap, sort, collapse and remove", self.edit_menu),
        ]
        self.save_button = menu_button("Save", "Save the figure or the tree", self.save_menu)

    def check_shape(self) -> None:
        """Check the entries of the shape and of the branch lengths that the view has."""
        check_choice(self.shape_menu, str(self._view.shape))
        with QSignalBlocker(self.lengths):
            self.lengths.setChecked(self._view.lengths)

    def check_label_size(self, pixels: float) -> None:
        """Check the entry of a size of names."""
        for name, (_, size) in NAME_SIZES.items():
            if size == pixels:
                check_choice(self.show_menu, name)

    def apply_options(self, picture: Any) -> None:
        """Apply the options to a new picture; aligned names are remembered for each shape."""
        aligned = self.options["aligned"]
        aligned.blockSignals(True)
        aligned.setChecked(self._aligned[picture.layout.shape])
        aligned.blockSignals(False)
        picture.label_size = self.label_size
        for name, action in self.options.items():
            setattr(picture, name, action.isChecked())
        self.lengths.setEnabled(has_lengths(picture.layout.tree))
        self.options["scale"].setEnabled(picture.layout.lengths)
        self.options["aligned"].setEnabled(picture.layout.shape != TreeShape.UNROOTED)

    def _set_option(self, name: str, on: bool) -> None:
        if name == "aligned":
            self._aligned[self._view.shape] = on
        self._view.set_option(name, on)

    def create_node_menu(self, node: int | None) -> QMenu:
        """Create the menu of a node, or of the tree."""
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
                ("Root on this branch\tR", editor.root_above, node > 0),
                ("Swap children\tS", editor.swap_children, bool(view.tree.degrees[node] > 1) and not closed),
                ("Expand\tC" if closed else "Collapse\tC", editor.toggle_collapsed, inner),
                ("Sort clade, small first", editor.ladderize_below, inner and not closed),
                ("Sort clade, large first", partial(editor.ladderize_below, larger_last=False), inner and not closed),
                ("Zoom to clade\tEnter", view.zoom_to, True),
                ("Copy names", view.copy_names, True),
                ("Remove clade", editor.remove_clade, node > 0),
            )
            for text, slot, able in rows:
                _add_entry(menu, text, slot, node).setEnabled(able)
            menu.addSeparator()
        for text, command in (
            ("Root at the midpoint", view.editor.root_at_midpoint),
            ("Sort all, small first\tL", view.editor.ladderize_below),
            ("Sort all, large first\tShift+L", partial(view.editor.ladderize_below, larger_last=False)),
            ("Expand all\tE", view.editor.expand_clades),
            ("Use for other methods", view.offer_tree),
        ):
            _add_entry(menu, text, command)

    def _fill_colours(self) -> None:
        view, menu = self._view, self.colour_menu
        menu.clear()
        choices = tree_colours.colouring_choices(view.tree)
        if view.editor.table is not None:
            choices |= {f"{COLUMN_PREFIX}{title}": f"Column {title}" for title in view.editor.table.titles}
        add_choice_section(menu, "Colour by", choices, view.colour_by, view.set_colouring)
        action = _add_entry(menu, "Name patterns\u2026", view.ask_patterns)
        action.setCheckable(True)
        action.setChecked(view.colour_by == "patterns")

    def _fill_save(self) -> None:
        view = self._view
        _add_entry(self.save_menu, "Visible part\u2026", view.save, "seen")
        _add_entry(self.save_menu, "Whole tree, readable names\u2026", view.save, "whole")
        _add_entry(self.save_menu, "Whole tree, size in mm\u2026", view.save, "size")
        _add_entry(self.save_menu, "Tree as Newick or NEXUS\u2026", view.save_tree)


def _add_entry(menu: QMenu, text: str, slot: Callable[..., Any], *arguments: Any) -> QAction:
    """Add an entry that calls ``slot`` with these arguments only."""
    action: QAction = menu.addAction(text)
    action.triggered.connect(lambda _=False: slot(*arguments))
    return action


class PatternsDialog(QDialog):
    """Asks for name patterns, one per line; each gets a colour."""

    def __init__(self, parent: QWidget, patterns: tuple[str, ...]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Colour by name patterns")
        self.text = QPlainTextEdit("\n".join(patterns))
        self.text.setPlaceholderText("Homo|Pan\n^mouse\n_HUMAN$")
        self.text.setMinimumSize(380, 8 * QFontMetrics(self.text.font()).lineSpacing())
        self.error = create_label("", "error", wrap=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        words = "One pattern per line: a part of a name, or a regular expression. The first match colours the name."
        box.addWidget(create_label(words, "muted", wrap=True))
        box.addWidget(self.text, 1)
        box.addWidget(self.error)
        box.addWidget(buttons)

    def entered_patterns(self) -> tuple[str, ...]:
        """Return the entered patterns, one per line."""
        lines = (line.strip() for line in self.text.toPlainText().splitlines())
        return tuple(line for line in lines if line)

    def accept(self) -> None:
        """Close only with valid patterns."""
        try:
            tree_colours.colour_by_patterns(parse_newick("(a,b);")[0], self.entered_patterns(), theme.active())
        except ParameterError as error:
            self.error.setText(str(error))
            return
        super().accept()


def ask_patterns(parent: QWidget, patterns: tuple[str, ...]) -> tuple[str, ...] | None:
    """Ask for patterns; None if cancelled."""
    dialog = PatternsDialog(parent, patterns)
    return dialog.entered_patterns() if dialog.exec() == QDialog.DialogCode.Accepted else None
