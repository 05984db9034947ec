"""The preferences: a list of pages, a line that finds a setting, and the page."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from antidiag.app import settings as stored
from antidiag.app import theme
from antidiag.app.commands import Commands
from antidiag.app.dialogs.preference_pages import (
    AppearancePage,
    ComputingPage,
    PicturePage,
    PreferenceChoices,
    SessionPage,
)
from antidiag.app.dialogs.shortcut_editor import ShortcutEditor
from antidiag.app.kit import ask
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.widgets import VerticalScrollArea
from antidiag.app.kit.focus import guard_from_wheel, mark_search_field
from antidiag.app.session.autosave import DELAY_SECONDS
from antidiag.app.settings import Settings

SIZE, LIST_WIDTH = (720, 560), 160
FRAME = QSize(8, 40)
"""Pixels that the frame of a dialog takes."""
SETTINGS = {
    page.title: page.labels for page in (AppearancePage, PicturePage, SessionPage, ComputingPage, ShortcutEditor)
}
"""The labels of all settings by the title of their page."""
RESET_QUESTION = "Set all preferences, limits and shortcuts to those of the program? Data and results stay."


class PreferencesDialog(QDialog):
    """Applies changes at once, the scale at the next start.

    ``disk_changed``: a limit changed, so that plans must be made anew; ``setting_changed(name)``: another setting.
    """

    disk_changed = Signal()
    setting_changed = Signal(str)

    def __init__(
        self,
        settings: Settings,
        parent: QWidget | None = None,
        choices: PreferenceChoices | None = None,
        commands: Commands | None = None,
        device_box: QComboBox | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        self._settings = settings
        self.appearance, self.pictures = (
            AppearancePage(settings),
            PicturePage(settings, choices or PreferenceChoices()),
        )
        self.session, self.computing = SessionPage(settings, DELAY_SECONDS), ComputingPage(settings, device_box)
        self.shortcuts = ShortcutEditor(commands) if commands is not None else None
        self.theme, self.scale, self.restore = self.appearance.theme, self.appearance.scale, self.session.restore
        self.disk, self.unpacked = self.computing.disk, self.computing.unpacked
        self.space_label = self.computing.space_label
        self.find_line, self.list, self.pages = QLineEdit(), QListWidget(), QStackedWidget()
        self.pages_by_title = {
            page.title: page
            for page in (self.appearance, self.pictures, self.session, self.computing, self.shortcuts)
            if page is not None
        }
        for title, page in self.pages_by_title.items():
            item = QListWidgetItem(title, self.list)
            item.setData(Qt.ItemDataRole.UserRole, title)
            self.pages.addWidget(page if page is self.shortcuts else VerticalScrollArea(page))
        for page in (self.appearance, self.pictures, self.session, self.computing):
            page.changed.connect(self.setting_changed)
        self.computing.limits_changed.connect(self.disk_changed)
        if self.shortcuts is not None:
            self.shortcuts.changed.connect(lambda: self._store_shortcuts(commands))
        self._lay_out()
        guard_from_wheel(self.pages)
        self.list.currentRowChanged.connect(self.pages.setCurrentIndex)
        self.find_line.textChanged.connect(self._filter_pages)
        self.find_line.returnPressed.connect(self._show_first_found)
        self.list.setCurrentRow(0)

    def show_setting(self, label: str) -> None:
        """Turn to the page of a setting, and give the setting the focus."""
        for row, page in enumerate(self.pages_by_title.values()):
            if label in page.rows:
                self.list.setCurrentRow(row)
                target = page.rows[label]
                (target.findChild(QLineEdit) or target).setFocus(Qt.FocusReason.OtherFocusReason)

    def find_labels(self, text: str) -> list[str]:
        """Return the labels of the settings that contain a text."""
        word = text.strip().lower()
        return [label for title, page in self.pages_by_title.items() for label in page.rows
                if word in f"{title} {label}".lower()]  # fmt: skip

    def reset(self) -> None:
        """Set everything to the program's values after a question, and close."""
        if not ask.dialogs.confirm(self, "Preferences", RESET_QUESTION):
            return
        self._settings.forget(stored.PREFERENCES)
        self.computing.reset_limits()
        if self.shortcuts is not None:
            self.shortcuts.reset_all()
        theme.switch("system")
        self.appearance._apply_fonts()
        for name in stored.PREFERENCES:
            self.setting_changed.emit(name)
        self.accept()

    def _store_shortcuts(self, commands: Commands) -> None:
        self._settings.put(stored.SHORTCUTS, commands.changed_keys())
        self.setting_changed.emit(stored.SHORTCUTS)

    def _filter_pages(self, text: str) -> None:
        """Show only the pages with settings of this text, and turn to the first of them."""
        found = set(self.find_labels(text))
        for row, page in enumerate(self.pages_by_title.values()):
            self.list.item(row).setHidden(not found & set(page.rows))
        if self.list.item(self.list.currentRow()).isHidden():
            visible = [row for row in range(self.list.count()) if not self.list.item(row).isHidden()]
            self.list.setCurrentRow(visible[0] if visible else self.list.currentRow())

    def _show_first_found(self) -> None:
        found = self.find_labels(self.find_line.text())
        if found:
            self.show_setting(found[0])

    def _lay_out(self) -> None:
        self.resize(QSize(*SIZE).boundedTo(self.screen().availableSize() - FRAME))
        self.find_line.setPlaceholderText("Find a setting")
        self.find_line.setAccessibleName("Find a setting")
        self.find_line.setClearButtonEnabled(True)
        mark_search_field(self.find_line)
        self.list.setAccessibleName("Pages of the preferences")
        self.list.setSpacing(2)
        self.list.setFixedWidth(LIST_WIDTH)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        reset_button = buttons.addButton("Reset all\N{HORIZONTAL ELLIPSIS}", QDialogButtonBox.ButtonRole.ResetRole)
        for button in buttons.findChildren(QPushButton):  # Enter finds a setting and closes nothing
            button.setAutoDefault(False)
            button.setDefault(False)
        reset_button.clicked.connect(self.reset)
        buttons.rejected.connect(self.reject)
        left = column_of(self.find_line, (self.list, 1))
        box = column_of((row_of(left, (self.pages, 1), spacing=theme.MARGIN), 1), buttons, parent=self)
        box.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        self.find_line.setFixedWidth(LIST_WIDTH)
