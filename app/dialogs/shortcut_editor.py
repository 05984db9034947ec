"""The page of the preferences that changes the shortcuts of commands."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QKeySequenceEdit, QLineEdit, QPushButton, QTreeWidget, QTreeWidgetItem, QWidget

from antidiag.app.commands import Commands
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.widgets import create_label


class ShortcutEditor(QWidget):
    """Lists all commands with their keys. ``changed``: a shortcut was set, removed or reset."""

    changed = Signal()
    title = "Shortcuts"
    labels = ("Shortcuts",)

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self.filter, self.list, self.keys_edit = QLineEdit(), QTreeWidget(), QKeySequenceEdit()
        self.set_button, self.clear_button = QPushButton("Set"), QPushButton("Remove")
        self.reset_button, self.message = QPushButton("Reset"), create_label("", "warning", wrap=True)
        self.filter.setPlaceholderText("Find a command or a key")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._filter_list)
        self.list.setHeaderLabels(["Command", "Keys"])
        self.list.setRootIsDecorated(False)
        self.list.setAccessibleName("Commands")
        self.keys_edit.setAccessibleName("New keys")
        self.keys_edit.setMaximumSequenceLength(1)
        self.set_button.setToolTip("Use the typed keys for the chosen command")
        self.reset_button.setToolTip("Use the program's keys for the chosen command")
        self.rows: dict[str, QWidget] = {"Shortcuts": self.filter}
        keys = row_of((self.keys_edit, 1), self.set_button, self.clear_button, self.reset_button)
        column_of(self.filter, (self.list, 1), keys, self.message, parent=self)
        self.list.currentItemChanged.connect(lambda *_: self._show_keys())
        self.keys_edit.keySequenceChanged.connect(lambda _: self._show_conflict())
        self.set_button.clicked.connect(lambda: self._set_keys(self.keys_edit.keySequence()))
        self.clear_button.clicked.connect(lambda: self._set_keys(QKeySequence()))
        self.reset_button.clicked.connect(lambda: self._set_keys(self._commands.default_keys(self.command)))
        self._fill_list()

    @property
    def command(self) -> str:
        """The name of the chosen command; "" if none is chosen."""
        item = self.list.currentItem()
        return item.data(0, Qt.ItemDataRole.UserRole) if item is not None else ""

    def choose_command(self, name: str) -> None:
        """Choose a command in the list."""
        for row in range(self.list.topLevelItemCount()):
            if self.list.topLevelItem(row).data(0, Qt.ItemDataRole.UserRole) == name:
                self.list.setCurrentItem(self.list.topLevelItem(row))

    def reset_all(self) -> None:
        """Use the program's keys for all commands."""
        for name in self._commands.actions:
            self._commands.set_keys(name, self._commands.default_keys(name))
        self._update_list()
        self.changed.emit()

    def _set_keys(self, keys: QKeySequence) -> None:
        """Set the keys of the chosen command; another command that has them loses them."""
        if not self.command:
            return
        other = self._commands.command_of_keys(keys, self.command)
        if other:
            self._commands.set_keys(other, QKeySequence())
        self._commands.set_keys(self.command, keys)
        self._update_list()
        self._show_keys()
        if other:
            self.message.setText(f"{self._commands.plain_text(other)} has no shortcut any longer.")
        self.changed.emit()

    def _fill_list(self) -> None:
        for name in self._commands.actions:
            item = QTreeWidgetItem(self.list, [self._commands.plain_text(name), ""])
            item.setData(0, Qt.ItemDataRole.UserRole, name)
        self._update_list()
        self.list.resizeColumnToContents(0)
        self.list.setCurrentItem(self.list.topLevelItem(0))

    def _update_list(self) -> None:
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            name = item.data(0, Qt.ItemDataRole.UserRole)
            item.setText(1, self._commands.shortcut_text(name))
            font = item.font(1)
            font.setBold(self._commands[name].shortcut() != self._commands.default_keys(name))
            item.setFont(1, font)

    def _show_keys(self) -> None:
        for widget in (self.keys_edit, self.set_button, self.clear_button, self.reset_button):
            widget.setEnabled(bool(self.command))
        if self.command:
            self.keys_edit.setKeySequence(self._commands[self.command].shortcut())
            self._show_conflict()

    def _show_conflict(self) -> None:
        """Say which other command has the typed keys."""
        other = self._commands.command_of_keys(self.keys_edit.keySequence(), self.command) if self.command else ""
        text = f"{self._commands.plain_text(other)} has these keys now; Set moves them." if other else ""
        self.message.setText(text)

    def _filter_list(self, text: str) -> None:
        """Show the commands with this text or keys, and choose the first of them if the chosen one is hidden."""
        word = text.strip().lower()
        items = [self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount())]
        for item in items:
            item.setHidden(word not in f"{item.text(0)} {item.text(1)}".lower())
        chosen = self.list.currentItem()
        if chosen is None or chosen.isHidden():
            self.list.setCurrentItem(next((item for item in items if not item.isHidden()), None))
