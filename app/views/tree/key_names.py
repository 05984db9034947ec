"""The meaning of keys in a tree."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

NAMES = "Left Right Up Down Home PageUp PageDown Plus Minus Escape Enter Space"
KEYS = {Qt.Key[f"Key_{name}"]: name.lower() for name in NAMES.split()}
KEYS |= {Qt.Key.Key_Equal: "plus", Qt.Key.Key_Return: "enter"}


def key_name(event: QEvent) -> str:
    """Return what a key asks for: a letter, the key's name, or ""."""
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
