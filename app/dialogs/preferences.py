"""Preferences: theme, scale, session at start, disk for long runs, and size of compressed input."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QDialogButtonBox, QFormLayout, QSpinBox, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import create_label
from antidiag.app.settings import Settings
from antidiag.kernels import memory
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.recovery import interrupted_runs

SCALES = (100, 125, 150, 175, 200)
GIB, MAX_GIB = 2**30, 100_000
DISK_WIDTH = 420


class PreferencesDialog(QDialog):
    """Applies changes at once, the scale at the next start."""

    disk_changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        self._settings = settings
        self.theme, self.scale, self.restore = QComboBox(), QComboBox(), QCheckBox("Reopen the last session")
        for text, value in (("System", "system"), ("Light", "light"), ("Dark", "dark")):
            self.theme.addItem(text, value)
        self.theme.setCurrentIndex(max(self.theme.findData(settings.text("theme", "system")), 0))
        for percent in SCALES:
            self.scale.addItem(f"{percent} %", percent)
        self.scale.setCurrentIndex(max(self.scale.findData(settings.number("scale", 100)), 0))
        self.restore.setChecked(settings.flag("restore", True))
        self.theme.activated.connect(self._save_settings)
        self.scale.activated.connect(self._save_settings)
        self.restore.clicked.connect(self._save_settings)
        self.disk = _limit_box(0, memory.disk_limit() // GIB, " GiB at most", self._limit_disk)
        self.disk.setSpecialValueText("nothing")
        unpacked = -(-memory.unpacked_limit() // GIB)
        self.unpacked = _limit_box(1, unpacked, " GiB unpacked at most", self._limit_unpacked)
        self.space_label = create_label(kind="muted", wrap=True)
        self.space_label.setFixedWidth(DISK_WIDTH)
        self._show_free_space()
        form = QFormLayout(self)
        form.setContentsMargins(2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN)
        form.setVerticalSpacing(theme.MARGIN)
        form.addRow("Theme", self.theme)
        form.addRow("Scale", self.scale)
        form.addRow(
            "", create_label("The scale applies from the next start, in addition to the desktop's scale.", "muted")
        )
        form.addRow("At the start", self.restore)
        form.addRow("Disk for long runs", self.disk)
        form.addRow("", self.space_label)
        form.addRow("Compressed files", self.unpacked)
        form.addRow("", create_label("Files with more are not opened, because they could fill the memory.", "muted"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)

    def _limit_disk(self, gib: int) -> None:
        if self._set_limit(memory.set_disk_limit, gib):
            self._show_free_space()
            self.disk_changed.emit()

    def _limit_unpacked(self, gib: int) -> None:
        self._set_limit(memory.set_unpacked_limit, gib)

    def _set_limit(self, set_bytes: Callable[[int], object], gib: int) -> bool:
        """Store a limit; if that fails, show why and return False."""
        try:
            set_bytes(gib * GIB)
        except OSError as error:
            self.space_label.setText(f"The limit could not be saved: {error.strerror or error}")
            return False
        return True

    def _show_free_space(self) -> None:
        free, taken = memory.disk_bytes_free(), sum(run.nbytes for run in interrupted_runs.list_runs())
        self.space_label.setText(
            f"{format_bytes(free)} are free in {memory.disk_folder()}. Data that does not fit into memory goes there, "
            "and the finished parts of runs of more than a minute, so that they survive a crash. Interrupted runs use "
            f"{format_bytes(taken)}; the oldest are deleted for new ones."
        )

    def _save_settings(self) -> None:
        self._settings.put("theme", self.theme.currentData())
        self._settings.put("scale", self.scale.currentData())
        self._settings.put("restore", self.restore.isChecked())
        theme.switch(self.theme.currentData())


def _limit_box(least: int, value: int, suffix: str, on_change: Callable[[int], None]) -> QSpinBox:
    box = QSpinBox(minimum=least, maximum=MAX_GIB, suffix=suffix)
    box.setGroupSeparatorShown(True)
    box.setKeyboardTracking(False)
    box.setValue(value)
    box.valueChanged.connect(on_change)
    return box
