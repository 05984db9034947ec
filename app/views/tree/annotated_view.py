"""The part of the tree view that handles a table of taxa, colours, and undo."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QToolButton, QWidget

from antidiag.app import theme
from antidiag.app.kit import ask
from antidiag.app.kit.controls.widgets import ElidedLabel
from antidiag.app.kit.figures import export
from antidiag.app.kit.figures.legend import Legend, LegendItem
from antidiag.app.views.tree import tip_columns, tree_colours, tree_menus
from antidiag.app.views.tree.tree_canvas import TreeCanvas
from antidiag.app.views.tree.tree_editor import TreeEditor
from antidiag.kernels.alignments.row_notes import NoteTable, read_note_table
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.trees.tree_layout import TreeShape


class AnnotatedTreeView(QWidget):
    """A view of a tree with a table of its taxa, colours and undo."""

    editor: TreeEditor | None
    canvas: TreeCanvas
    colour_by: str
    patterns: tuple[str, ...]
    shape: TreeShape
    undo_button: QToolButton
    redo_button: QToolButton
    status: ElidedLabel
    legend: Legend

    @property
    def tree(self) -> Tree | None:
        """The tree as it is shown."""
        return self.editor.tree if self.editor else None

    def ask_table(self) -> None:
        """Ask for a table of the taxa, and show its columns."""
        path = ask.open_path(self, "Columns from a table", "Tables (*.csv *.tsv *.txt);;All files (*)")
        if path is not None:
            export.run_with_warning(self, path, self.show_table, "Columns from a table")

    def show_table(self, path: str | Path) -> None:
        """Show the columns of a table; raise InputError if it cannot be read or names no taxon."""
        table = read_note_table(path)
        named = tip_columns.count_named_taxa(self.tree, table, str(path))
        self.set_table(table)
        beside = " Choose a rectangular, slanted or circular shape to see the columns." * (
            self.shape == TreeShape.UNROOTED
        )
        self.status.setText(f"{named:,} of {len(self.tree.taxa):,} taxa are in the table.{beside}")

    def set_table(self, table: NoteTable | None) -> None:
        """Show a table beside the taxa, or none."""
        if self.colour_by.startswith(tree_menus.COLUMN_PREFIX):
            self.colour_by = "none"
        self.editor.set_table(table)
        if self.canvas.fitted:
            self.canvas.show_all()

    @property
    def undo_text(self) -> str:
        """What undo would revert; "" for nothing."""
        return self.editor.undo_text if self.editor else ""

    @property
    def redo_text(self) -> str:
        """What redo would repeat; "" for nothing."""
        return self.editor.redo_text if self.editor else ""

    def undo(self) -> None:
        """Undo the last edit of the tree."""
        if self.editor is not None:
            self.editor.undo()

    def redo(self) -> None:
        """Redo the edit of the tree that was undone last."""
        if self.editor is not None:
            self.editor.redo()

    def _update_undo_buttons(self) -> None:
        undo, redo = (self.editor.undo_text, self.editor.redo_text) if self.editor else ("", "")
        for button, text, word, keys in (
            (self.undo_button, undo, "Undo", "Ctrl+Z"),
            (self.redo_button, redo, "Redo", "Ctrl+Shift+Z"),
        ):
            button.setEnabled(bool(text))
            button.setToolTip(f"{word} {text} ({keys})" if text else f"Nothing to {word.lower()}")

    def _colour_column(self) -> str:
        """Return the table column that colours the tree; "" for none."""
        title = (
            self.colour_by.removeprefix(tree_menus.COLUMN_PREFIX)
            if self.colour_by.startswith(tree_menus.COLUMN_PREFIX)
            else ""
        )
        table = self.editor.table if self.editor else None
        return title if table is not None and title in table.titles else ""

    def set_colouring(self, by: str, patterns: tuple[str, ...] = ()) -> None:
        """Colour by nothing, "patterns" of names, their first "word", "weight", "support" or "length"."""
        self.colour_by, self.patterns = by, patterns
        self._update_colours()

    def ask_patterns(self) -> None:
        """Ask for patterns of names, and colour by them."""
        given = tree_menus.ask_patterns(self, self.patterns)
        if given is not None:
            self.set_colouring("patterns" if given else "none", given)

    def _update_colours(self) -> None:
        picture, colours = self.canvas.picture, theme.active()
        if picture is None:
            return
        table = self.editor.table if self.editor else None
        if table is not None:
            picture.metadata = tip_columns.create_columns(self.tree, table, colours)
        try:
            if (title := self._colour_column()) and table is not None:
                found = tip_columns.colour_by_column(self.tree, table, title, colours)
            else:
                found = tree_colours.create_colouring(self.tree, self.colour_by, self.patterns, colours)
        except ParameterError as error:
            self.status.setText(str(error))
            found = tree_colours.make_uncoloured(self.tree)
        picture.colouring = found
        self._update_legend()
        self.canvas.update()

    def _update_legend(self) -> None:
        """List what the tree holds, what is selected, and what the colours mean."""
        picture = self.canvas.picture
        items = [LegendItem("text", self.tree.summary)]
        chosen = int(picture.marked[self.tree.leaves].sum())
        if chosen:
            items.append(LegendItem("line", f"{chosen:,} selected", (theme.active().accent,)))
        beside = picture.shown_columns.legend_items if picture.shown_columns else ()
        self.legend.show_items((*items, *picture.colouring.items, *beside))
