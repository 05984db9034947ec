"""Preferences: theme, scale, and what happens at the start."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QDialogButtonBox, QFormLayout, QWidget

from app import theme
from app.panels.widgets import label
from app.settings import Settings

SCALES = (100, 125, 150, 175, 200)


class PreferencesDialog(QDialog):
    """Changes take effect at once, the scale at the next start."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        self._settings = settings
        self.theme, self.scale, self.restore = QComboBox(), QComboBox(), QCheckBox("Open what was open last")
        for text, value in (("Like the desktop", "system"), ("Light", "light"), ("Dark", "dark")):
            self.theme.addItem(text, value)
        self.theme.setCurrentIndex(max(self.theme.findData(settings.text("theme", "system")), 0))
        for percent in SCALES:
            self.scale.addItem(f"{percent} %", percent)
        self.scale.setCurrentIndex(max(self.scale.findData(settings.number("scale", 100)), 0))
        self.restore.setChecked(settings.flag("restore", True))
        self.theme.activated.connect(self._save)
        self.scale.activated.connect(self._save)
        self.restore.clicked.connect(self._save)
        form = QFormLayout(self)
        form.setContentsMargins(2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN)
        form.setVerticalSpacing(theme.MARGIN)
        form.addRow("Theme", self.theme)
        form.addRow("Scale", self.scale)
        form.addRow("", label("The scale changes at the next start; it comes on top of the desktop's own.", "muted"))
        form.addRow("At the start", self.restore)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)

    def _save(self) -> None:
        self._settings.put("theme", self.theme.currentData())
        self._settings.put("scale", self.scale.currentData())
        self._settings.put("restore", self.restore.isChecked())
        theme.switch(self.theme.currentData())
