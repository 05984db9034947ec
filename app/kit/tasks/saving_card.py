"""A card that shows how far the writing of a large file is, and can cancel it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from antidiag.app.kit import ask
from antidiag.app.kit.tasks.progress_card import ProgressCard
from antidiag.kernels.monitor import Monitor

WriteFile = Callable[[Path, Monitor], object]
"""Writes a file and reports progress; it raises Cancelled before anything of the file is written."""


class SavingCard(ProgressCard):
    """Writes one file at a time on a thread, behind a card over a widget; ``saved(path)`` follows a whole file.

    After Cancel, and after an error, an older file of that name stays as it was.
    """

    saved = Signal(object)

    def __init__(self, over: QWidget) -> None:
        super().__init__(over, "Saving", "The file")
        self._owner_widget = over
        self.finished.connect(self.saved)

    def save(self, path: Path, write: WriteFile) -> None:
        """Write a file; refuse while another is being written."""
        if self.busy:
            ask.dialogs.show_warning(self._owner_widget, "Save", "Another file is being written; wait, or cancel it.")
            return
        self.doing = f"Saving {path.name}"

        def work(monitor: Monitor) -> Path:
            write(path, monitor)
            return path

        self.start_or_ask(path, work)

    def _cancel_and_ask(self) -> None:
        self.cancel_work()

    def _on_failure(self, error: Exception) -> None:
        self.cancel_work()
        ask.dialogs.show_warning(self._owner_widget, "Save", str(error))
