"""The box in which names are sought."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

WIDTH = 150
PAUSE_MS = 150


class SearchBox(QLineEdit):
    """Says what is sought when typing pauses; Enter asks for the next hit, Shift+Enter for the one before."""

    sought = Signal(str)
    next_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__(placeholderText="Find names")
        self.setToolTip("A part of a name; Enter goes to the next one found, Shift+Enter to the one before")
        self.setAccessibleName("Find names in the tree")
        self.setFixedWidth(WIDTH)
        self.setClearButtonEnabled(True)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(lambda: self.sought.emit(self.text()))
        self.textChanged.connect(lambda _: self._pause.start())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        if self._pause.isActive():
            self._pause.stop()
            self.sought.emit(self.text())
        self.next_wanted.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
