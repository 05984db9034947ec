"""Asking for a file and saving points or a table to it, as CSV, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from antidiag.app.kit import export
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_lines

TEXTS = {".csv": "CSV table (*.csv)", ".json": "JSON (*.json)", ".md": "Markdown table (*.md)"}


def ask_and_save(parent: QWidget, title: str, name: str, text: Callable[[str], str]) -> None:
    """Ask for a file, ``name`` at first, and write what ``text`` gives for its suffix; say where that fails."""
    asked, chosen = QFileDialog.getSaveFileName(parent, title, name, ";;".join(TEXTS.values()))
    if not asked:
        return
    path = export.with_suffix(asked, chosen, TEXTS)
    try:
        write_lines(path, [text(path.suffix.lower())])
    except InputError as error:
        QMessageBox.warning(parent, title, str(error))


def unknown_suffix(what: str) -> InputError:
    """What is wrong with a file of another suffix."""
    return InputError(f"{what} are saved as {', '.join(TEXTS)}; choose one of these suffixes")
