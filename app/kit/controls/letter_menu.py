"""Menus in which a letter key selects the next entry that begins with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget


class LetterMenu(QMenu):
    """A letter activates the next entry that begins with it, and triggers the only one. Submenus come from
    `add_submenu`."""

    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(title, parent)

    def add_submenu(self, title: str) -> LetterMenu:
        """Append a submenu."""
        made = LetterMenu(title, self)
        self.addMenu(made)
        return made

    def remove_all(self) -> None:
        """Remove all entries and submenus."""
        self.clear()
        for made in self.findChildren(LetterMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
            made.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        letter = event.text().lower()
        found = (
            [action for action in self.actions() if self._matches_letter(action, letter)] if letter.isalnum() else []
        )
        if not found:
            super().keyPressEvent(event)
            return
        self._activate_next(found)
        if len(found) == 1:
            super().keyPressEvent(_key_press(Qt.Key.Key_Return))

    def _activate_next(self, wanted: list[QAction]) -> None:
        """Press Down until one of these entries is active: activating a submenu directly would open it."""
        for _ in self.actions():
            super().keyPressEvent(_key_press(Qt.Key.Key_Down))
            if self.activeAction() in wanted:
                return

    @staticmethod
    def _matches_letter(action: QAction, letter: str) -> bool:
        there = action.isVisible() and action.isEnabled() and not action.isSeparator()
        return there and action.text().replace("&", "").lower().startswith(letter)


def _key_press(key: Qt.Key) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
