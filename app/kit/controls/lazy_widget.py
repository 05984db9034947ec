"""Widgets that are created when they are first shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget


class LazyWidget(QWidget):
    """The place of a widget that is created on first use. ``frame`` may wrap it, such as in a scroll area."""

    def __init__(self, make: Callable[[], QWidget], frame: Callable[[QWidget], QWidget] = lambda made: made) -> None:
        super().__init__()
        self._make, self._frame, self.is_created = make, frame, False
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)

    @cached_property
    def content(self) -> Any:
        """The content, made at the first use."""
        found = self._make()
        framed = self._frame(found)
        self.layout().addWidget(framed)
        framed.show()  # a visible layout would show it only in the next turn of the event loop
        self.is_created = True
        return found
