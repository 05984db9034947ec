"""A file dialog whose errors are shown in a message box."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from antidiag.kernels.errors import InputError


def open_file(parent: QWidget, title: str, kinds: str, use_file: Callable[[Path], object]) -> None:
    """Ask for a file and pass its path to ``use_file``; show an InputError as a warning."""
    name, _ = QFileDialog.getOpenFileName(parent, title, "", kinds)
    if name:
        try:
            use_file(Path(name))
        except InputError as error:
            QMessageBox.warning(parent, title, str(error))
