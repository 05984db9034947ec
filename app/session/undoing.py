"""Undo of the whole window: of the session, and of what was done to the picture that is looked at, the last first."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QUndoStack

from antidiag.app.kit.view_protocols import UndoView


class Undoing(QObject):
    """Undo and redo of the menu, wherever the focus is.

    ``view()`` is a view that is seen and can undo, or None. Of session and view the one that was edited last goes
    first, and the other one when nothing of it is left.
    """

    def __init__(self, parent: QObject, stack: QUndoStack, view: Callable[[], UndoView | None]) -> None:
        super().__init__(parent)
        self._stack, self._view = stack, view
        self._view_last = False
        self._actions: tuple[QAction, QAction] | None = None
        stack.indexChanged.connect(self._edited_session)

    def dress(self, undo: QAction, redo: QAction) -> None:
        """Keep the two actions of the menu as they should be."""
        self._actions = undo, redo
        self.tell()

    def undo(self) -> None:
        view = self._view()
        if view and view.undo_text and (self._view_last or not self._stack.canUndo()):
            view.undo()
        else:
            self._stack.undo()
        self.tell()

    def redo(self) -> None:
        view = self._view()
        if view and view.redo_text and (self._view_last or not self._stack.canRedo()):
            view.redo()
        else:
            self._stack.redo()
        self.tell()

    def edited_view(self) -> None:
        """Something was done to a picture."""
        self._view_last = True
        self.tell()

    def tell(self) -> None:
        """Say at the actions what they would do."""
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
