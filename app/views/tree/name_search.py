"""Search for names in a tree."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent

from antidiag.app.kit.controls.widgets import UndoLineEdit
from antidiag.app.kit.focus import mark_search_field
from antidiag.kernels.io.tree import Tree

WIDTH = 150
PAUSE_MS = 150


class TreeSearchBox(UndoLineEdit):
    """Emits the text when typing pauses; Enter goes to the next match, Shift+Enter to the previous."""

    sought = Signal(str)
    next_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__(placeholderText="Find names")
        self.setToolTip("Part of a name; Enter: next match, Shift+Enter: previous match")
        self.setAccessibleName("Find names in the tree")
        mark_search_field(self)
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


class NameMatches:
    """The nodes whose names contain a text, in any case."""

    def __init__(self) -> None:
        self.nodes = np.empty(0, np.int64)
        self._lowered: tuple[Tree, list[str]] | None = None

    def clear_matches(self) -> None:
        """Forget all matches."""
        self.nodes = np.empty(0, np.int64)

    def find_nodes(self, tree: Tree, text: str) -> np.ndarray:
        """Return all nodes with this text in order; none for an empty text."""
        if self._lowered is None or self._lowered[0] is not tree:
            self._lowered = tree, [name.lower() for name in tree.names]
        wanted = text.strip().lower()
        hits = [node for node, name in enumerate(self._lowered[1]) if wanted in name] if wanted else []
        self.nodes = np.array(hits, np.int64)
        return self.nodes

    def next_match(self, current: int | None, step: int) -> tuple[int, int] | None:
        """Return the node after the current one, or with step -1 before it, and its number; None if none."""
        if not self.nodes.size:
            return None
        here = -1 if current is None else current
        found = np.searchsorted(self.nodes, here, "right") if step > 0 else np.searchsorted(self.nodes, here) - 1
        at = int(found) % self.nodes.size
        return int(self.nodes[at]), at
