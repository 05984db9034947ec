"""A view in a window of its own, which stays with its result or datum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.view_protocols import ResultView, UndoView, view_widget
from antidiag.app.panels.view_subject import ViewPreferences, ViewSubject, make_view

WINDOW_SIZE = 900, 640


class DetachedView(QWidget):
    """Shows one view of one subject. Its signals are as those of `ResultViews`."""

    closed = Signal(object)
    made = Signal(object)
    profile_wanted = Signal(object)
    task_wanted = Signal(object)
    result_made = Signal(object)
    edited = Signal(object, str, object)

    def __init__(
        self,
        parent: QWidget,
        kind: type[ResultView],
        subject: ViewSubject,
        selection: Selection,
        offered: Sequence[Any],
        preferences: ViewPreferences,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.kind, self.subject, self.selection, self._preferences = kind, subject, selection, preferences
        selection.setParent(self)
        selection.begin_subject(subject.key)
        self.view = make_view(kind, selection, self, offered, preferences)
        box = QVBoxLayout(self)
        box.setContentsMargins(theme.SPACING, theme.SPACING, theme.SPACING, theme.SPACING)
        box.addWidget(view_widget(self.view))
        for keys, step in ((QKeySequence.StandardKey.Undo, "undo"), (QKeySequence.StandardKey.Redo, "redo")):
            QShortcut(QKeySequence(keys), self, lambda step=step: self._step_edit(step))
        self.resize(*WINDOW_SIZE)
        self.show_subject(subject)
        self.show()
        subject.show_in(self.view)
        preferences.note(self.view)

    def show_subject(self, subject: ViewSubject) -> None:
        """Take the present entry of the result, and name it in the title."""
        self.subject = subject
        name = ", ".join(filter(None, (subject.title, subject.start_text)))
        self.setWindowTitle(f"{self.kind.title}: {name} - Antidiag")

    def send_edits(self, view: ResultView, edits: Any) -> None:
        """Pass on the edits of the picture."""
        self.edited.emit(self.subject.shown, view.id, edits)

    def store_states(self) -> None:
        """Store what the user has set in the view."""
        self.subject.store_state(self.view)
        self._preferences.remember(self.view)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.store_states()
        self.selection.leave_twins()
        self.closed.emit(self)

    def _step_edit(self, step: str) -> None:
        if isinstance(self.view, UndoView):
            getattr(self.view, step)()
