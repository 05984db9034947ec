"""Commands, which menus, shortcuts and the command search share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QMenu, QVBoxLayout, QWidget

from antidiag.app import theme

MAX_MATCHES = 40


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

    def list_matches(self) -> list[CommandMatch]:
        """Return the enabled actions for the command search."""
        return [
            CommandMatch(_plain_text(action), _shortcut_text(action), action.trigger)
            for action in self.actions.values()
            if action.isEnabled()
        ]  # fmt: skip


@dataclass(frozen=True)
class CommandMatch:
    """A line of the command search: text, hint, and the function that it calls."""

    text: str
    hint: str
    act: Callable[[], object]


def _plain_text(action: QAction) -> str:
    return action.text().replace("&", "")


def _shortcut_text(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def find_matches(finds: Iterable[CommandMatch], query: str) -> list[CommandMatch]:
    """Return at most MAX_MATCHES lines that contain every word of the query; those that start with it come first."""
    words = query.lower().split()
    found = [find for find in finds if all(word in f"{find.text} {find.hint}".lower() for word in words)]
    return sorted(found, key=lambda find: not find.text.lower().startswith(query.strip().lower()))[:MAX_MATCHES]


class CommandSearch(QDialog):
    """A popup to find a command by typing: arrow keys choose, Enter runs it."""

    def __init__(self, parent: QWidget, finds: Callable[[str], Iterable[CommandMatch]]) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._finds = finds
        self.setObjectName("search")
        self.line, self.list = QLineEdit(), QListWidget()
        self.line.setPlaceholderText("Search commands, methods, sequences, samples")
        self.line.textChanged.connect(self._fill_list)
        self.line.installEventFilter(self)
        self.list.itemActivated.connect(self._run_item)
        self.list.itemClicked.connect(self._run_item)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(theme.SPACING, theme.SPACING, theme.SPACING, theme.SPACING)
        box.addWidget(self.line)
        box.addWidget(self.list)
        self._fill_list("")

    def open_below(self, widget: QWidget, size: QSize) -> None:
        """Show the popup below a widget, aligned at the right."""
        self.resize(size)
        corner = widget.mapToGlobal(QPoint(widget.width() - size.width(), widget.height() + 2))
        self.move(corner)
        self.show()
        self.line.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QKeyEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step and self.list.count():
                self.list.setCurrentRow((self.list.currentRow() + step) % self.list.count())
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run_item(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)

    def _fill_list(self, query: str) -> None:
        self.list.clear()
        for find in find_matches(self._finds(query), query):
            item = QListWidgetItem(f"{find.text}    {find.hint}" if find.hint else find.text)
            item.setData(Qt.ItemDataRole.UserRole, find)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _run_item(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            find = item.data(Qt.ItemDataRole.UserRole)
            self.close()
            find.act()
