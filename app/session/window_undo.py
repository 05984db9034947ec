"""Undo for the whole window: edits of the session and of the visible view, the last one first."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QUndoStack

from antidiag.app.kit.view_protocols import UndoView


class WindowUndo(QObject):
    """Implements Undo and Redo of the menu, wherever the focus is.

    ``view()`` returns the visible view that can undo, or None. Of session and view, the one edited last is undone
    first, then the other.
    """

    def __init__(self, parent: QObject, stack: QUndoStack, view: Callable[[], UndoView | None]) -> None:
        super().__init__(parent)
        self._stack, self._view = stack, view
        self._view_last = False
        self._actions: tuple[QAction, QAction] | None = None
        stack.indexChanged.connect(self._edited_session)

    def set_actions(self, undo: QAction, redo: QAction) -> None:
        """Keep these two actions enabled and labelled by what they would do."""
        self._actions = undo, redo
        self.tell()

    def undo(self) -> None:
        """Undo the last edit of the session or the visible view."""
        view = self._view()
        if view and view.undo_text and (self._view_last or not self._stack.canUndo()):
            view.undo()
        else:
            self._stack.undo()
        self.tell()

    def redo(self) -> None:
        """Redo the edit that was undone last."""
        view = self._view()
        if view and view.redo_text and (self._view_last or not self._stack.canRedo()):
            view.redo()
        else:
            self._stack.redo()
        self.tell()

    def note_view_edit(self) -> None:
        """Note that a view was edited last."""
        self._view_last = True
        self.tell()

    def tell(self) -> None:
        """Update the actions: enabled or not, and what they would do."""
        if self._actions is None:
            return
        view = self._view()
        for action, word, of_view, of_session in (
            (self._actions[0], "Undo", view.undo_text if view else "", self._stack.undoText()),
            (self._actions[1], "Redo", view.redo_text if view else "", self._stack.redoText()),
        ):
            what = (of_view if self._view_last or not of_session else "") or of_session
            action.setEnabled(bool(what))
            action.setToolTip(f"{word}: {what}" if what else f"Nothing to {word.lower()}")

    def _edited_session(self) -> None:
        self._view_last = False
        with contextlib.suppress(RuntimeError):  # the stack clears itself when the window goes
            self.tell()
