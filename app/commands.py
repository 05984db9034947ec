"""Commands, which menus, shortcuts and the command search share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from antidiag.app.command_search import CommandMatch


@dataclass(frozen=True)
class Command:
    """An action of the user: ``name`` is its key, ``menu`` its menu; ``line`` draws a separator above it."""

    name: str
    text: str
    menu: str
    slot: Callable[[], object]
    shortcut: str | QKeySequence.StandardKey = ""
    tip: str = ""
    checkable: bool = False
    line: bool = False


class Commands(QObject):
    """Makes an action of each command and gives access to them by name."""

    def __init__(self, parent: QWidget, commands: Iterable[Command]) -> None:
        super().__init__(parent)
        self.actions: dict[str, QAction] = {}
        self._commands = tuple(commands)
        for command in self._commands:
            action = QAction(command.text, parent)
            action.setCheckable(command.checkable)
            if command.shortcut:
                action.setShortcut(QKeySequence(command.shortcut))
            if command.tip:
                action.setToolTip(command.tip)
            action.triggered.connect(lambda _=False, slot=command.slot: slot())
            parent.addAction(action)
            self.actions[command.name] = action
        self._default_keys = {name: action.shortcut() for name, action in self.actions.items()}

    def __getitem__(self, name: str) -> QAction:
        return self.actions[name]

    def fill(self, menus: dict[str, QMenu]) -> None:
        """Add the actions to their menus."""
        for command in self._commands:
            if command.menu in menus:
                if command.line:
                    menus[command.menu].addSeparator()
                menus[command.menu].addAction(self.actions[command.name])

    def keys_of(self, menu: str) -> list[tuple[str, str]]:
        """Return the text and the shortcut of each action of a menu that has one."""
        actions = [self.actions[command.name] for command in self._commands if command.menu == menu]
        return [(_plain_text(action), _shortcut_text(action)) for action in actions if not action.shortcut().isEmpty()]

    def plain_text(self, name: str) -> str:
        """Return the text of a command without marks of keys."""
        return _plain_text(self.actions[name])

    def shortcut_text(self, name: str) -> str:
        """Return the keys of a command as the desktop writes them; "" for none."""
        return _shortcut_text(self.actions[name])

    def default_keys(self, name: str) -> QKeySequence:
        """Return the keys that a command has in the program."""
        return self._default_keys[name]

    def set_keys(self, name: str, keys: QKeySequence) -> None:
        """Give a command these keys, also in its tooltip."""
        action = self.actions[name]
        action.setShortcut(keys)
        tip = re.sub(r" \([^()]*\)$", "", action.toolTip())
        text = _shortcut_text(action)
        action.setToolTip(f"{tip} ({text})" if text else tip)

    def command_of_keys(self, keys: QKeySequence, but: str = "") -> str:
        """Return the name of a command with these keys other than ``but``; "" if there is none."""
        found = (name for name, action in self.actions.items() if action.shortcut() == keys and name != but)
        return next(found, "") if not keys.isEmpty() else ""

    def changed_keys(self) -> dict[str, str]:
        """Return the keys that differ from those of the program, by the names of commands."""
        portable = QKeySequence.SequenceFormat.PortableText
        return {
            name: action.shortcut().toString(portable)
            for name, action in self.actions.items()
            if action.shortcut() != self._default_keys[name]
        }

    def restore_keys(self, keys: Mapping[str, Any]) -> None:
        """Give commands the keys that `changed_keys` returned; unknown commands are left out."""
        for name, text in keys.items():
            if name in self.actions:
                self.set_keys(name, QKeySequence(str(text), QKeySequence.SequenceFormat.PortableText))

    def list_matches(self) -> list[CommandMatch]:
        """Return the enabled actions for the command search."""
        return [
            CommandMatch(_plain_text(action), _shortcut_text(action), action.trigger, f"{action.toolTip()} {name}")
            for name, action in self.actions.items()
            if action.isEnabled()
        ]  # fmt: skip


def _plain_text(action: QAction) -> str:
    return action.text().replace("&", "")


def _shortcut_text(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
