"""Seeking names: the box in which they are typed, and the nodes that have them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent

from antidiag.app.kit.widgets import Line
from antidiag.kernels.io.tree import Tree

WIDTH = 150
PAUSE_MS = 150


class SearchBox(Line):
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


class Matches:
    """The nodes whose names have a text in them, in any case."""

    def __init__(self) -> None:
        self.nodes = np.empty(0, np.int64)
        self._lowered: tuple[Tree, list[str]] | None = None

    def forget(self) -> None:
        """Nothing is sought."""
        self.nodes = np.empty(0, np.int64)

    def find(self, tree: Tree, text: str) -> np.ndarray:
        """All nodes with this text, in their order; none for nothing."""
        if self._lowered is None or self._lowered[0] is not tree:
            self._lowered = tree, [name.lower() for name in tree.names]
        wanted = text.strip().lower()
        hits = [node for node, name in enumerate(self._lowered[1]) if wanted in name] if wanted else []
        self.nodes = np.array(hits, np.int64)
        return self.nodes

    def next(self, current: int | None, step: int) -> tuple[int, int] | None:
        """The node found after the current one, or with a step of -1 before it, and its number; None where none is."""
        if not self.nodes.size:
            return None
        here = -1 if current is None else current
        found = np.searchsorted(self.nodes, here, "right") if step > 0 else np.searchsorted(self.nodes, here) - 1
        at = int(found) % self.nodes.size
        return int(self.nodes[at]), at
