"""Menus in which a letter goes to the next entry that begins with it, as keys go through long menus elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget


class LetteredMenu(QMenu):
    """A letter makes the next entry active that begins with it, and does it where it is the only one.

    Menus in it are of this kind too, by `inner`.
    """

    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(title, parent)

    def inner(self, title: str) -> LetteredMenu:
        """Another menu at the end of this one."""
        made = LetteredMenu(title, self)
        self.addMenu(made)
        return made

    def empty(self) -> None:
        """Without entries, and without the menus that were made in it."""
        self.clear()
        for made in self.findChildren(LetteredMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
            made.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        letter = event.text().lower()
        found = [action for action in self.actions() if self._offers(action, letter)] if letter.isalnum() else []
        if not found:
            super().keyPressEvent(event)
            return
        self._step_to(found)
        if len(found) == 1:
            super().keyPressEvent(_key(Qt.Key.Key_Return))

    def _step_to(self, wanted: list[QAction]) -> None:
        """Go down to the next of these entries, as the key does: to make a menu's entry active by itself opens it."""
        for _ in self.actions():
            super().keyPressEvent(_key(Qt.Key.Key_Down))
            if self.activeAction() in wanted:
                return

    @staticmethod
    def _offers(action: QAction, letter: str) -> bool:
        there = action.isVisible() and action.isEnabled() and not action.isSeparator()
        return there and action.text().replace("&", "").lower().startswith(letter)


def _key(key: Qt.Key) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
