"""What the keys mean in a tree."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

KEYS = {
    Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down",
    Qt.Key.Key_Home: "home", Qt.Key.Key_PageUp: "pageup", Qt.Key.Key_PageDown: "pagedown",
    Qt.Key.Key_Plus: "plus", Qt.Key.Key_Equal: "plus", Qt.Key.Key_Minus: "minus", Qt.Key.Key_Escape: "escape",
    Qt.Key.Key_Return: "enter", Qt.Key.Key_Enter: "enter", Qt.Key.Key_Space: "space",
}  # fmt: skip


def name_of(event: QEvent) -> str:
    """What a key asks for: a letter, or the name of the key; "" for one that means nothing here."""
    if not isinstance(event, QKeyEvent):
        return ""
    control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    if control and event.key() in (Qt.Key.Key_Z, Qt.Key.Key_Y):
        return "redo" if shift or event.key() == Qt.Key.Key_Y else "undo"
    if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
        return ""
    if Qt.Key.Key_A <= event.key() <= Qt.Key.Key_Z:
        return chr(event.key()) if shift else chr(event.key()).lower()
    return KEYS.get(Qt.Key(event.key()), "")
