"""What the tree view has of a table, and of undo, beside what it paints."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QToolButton, QWidget

from antidiag.app.kit.tree.layout import Shape
from antidiag.app.kit.widgets import Elided
from antidiag.app.views.tree import menus, metadata
from antidiag.app.views.tree.canvas import TreeCanvas
from antidiag.app.views.tree.history import TreeEditor
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_notes import Table, read_table
from antidiag.kernels.io.tree import Tree


class AnnotatedView(QWidget):
    """A view of a tree whose taxa a table tells about, and whose edits are taken back."""

    editor: TreeEditor | None
    canvas: TreeCanvas
    colour_by: str
    shape: Shape
    undo_button: QToolButton
    redo_button: QToolButton
    _status: Elided

    @property
    def tree(self) -> Tree | None:
        """The tree as it is shown."""
        return self.editor.tree if self.editor else None

    def ask_table(self) -> None:
        """Ask for a table of the taxa, and show its columns beside the tree."""
        path, _ = QFileDialog.getOpenFileName(
            self, "Columns from a table", "", "Tables (*.csv *.tsv *.txt);;All files (*)"
        )
        if not path:
            return
        try:
            self.show_table(path)
        except InputError as error:
            QMessageBox.warning(self, "Columns from a table", str(error))

    def show_table(self, path: str | Path) -> None:
        """Show the columns of a table beside the tree; InputError for a file that is none, or has none of the taxa."""
        table = read_table(path)
        named = metadata.met(self.tree, table, str(path))
        self.set_table(table)
        beside = " Choose a shape with a side for them: rectangular, slanted or circular." * (
            self.shape == Shape.UNROOTED
        )
        self._status.setText(f"{named:,} of {len(self.tree.taxa):,} taxa are in the table.{beside}")

    def set_table(self, table: Table | None) -> None:
        """Show what a table says of the taxa beside them, or nothing."""
        if self.colour_by.startswith(menus.COLUMN):
            self.colour_by = "none"
        self.editor.annotate(table)
        if self.canvas.fitted:
            self.canvas.fit()

    @property
    def undo_text(self) -> str:
        """What undo would take back; "" where there is nothing."""
        return self.editor.undo_text if self.editor else ""

    @property
    def redo_text(self) -> str:
        """What redo would do again; "" where there is nothing."""
        return self.editor.redo_text if self.editor else ""

    def undo(self) -> None:
        if self.editor is not None:
            self.editor.undo()

    def redo(self) -> None:
        if self.editor is not None:
            self.editor.redo()

    def _tell_undo(self) -> None:
        undo, redo = (self.editor.undo_text, self.editor.redo_text) if self.editor else ("", "")
        for button, text, word, keys in (
            (self.undo_button, undo, "Undo", "Ctrl+Z"),
            (self.redo_button, redo, "Redo", "Ctrl+Shift+Z"),
        ):
            button.setEnabled(bool(text))
            button.setToolTip(f"{word} {text} ({keys})" if text else f"Nothing to {word.lower()}")

    def _column(self) -> str:
        """The title of the column of the table that colours the tree; "" for none."""
        title = self.colour_by.removeprefix(menus.COLUMN) if self.colour_by.startswith(menus.COLUMN) else ""
        table = self.editor.table if self.editor else None
        return title if table is not None and title in table.titles else ""
