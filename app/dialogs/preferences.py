"""Preferences: theme, scale, what happens at the start, the disk that long runs may take, and what is unpacked."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QDialogButtonBox, QFormLayout, QSpinBox, QWidget

from antidiag.app import theme
from antidiag.app.kit.widgets import label
from antidiag.app.settings import Settings
from antidiag.kernels import memory
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.recovery import resuming

SCALES = (100, 125, 150, 175, 200)
GIB, MOST_GIB = 2**30, 100_000
DISK_WIDTH = 420


class PreferencesDialog(QDialog):
    """Changes take effect at once, the scale at the next start."""

    disk_changed = Signal()

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
        self.disk, self.room = QSpinBox(), label(kind="muted", wrap=True)
        self.disk.setRange(0, MOST_GIB)
        self.disk.setSuffix(" GiB at most")
        self.disk.setSpecialValueText("nothing")
        self.disk.setGroupSeparatorShown(True)
        self.disk.setKeyboardTracking(False)
        self.disk.setValue(memory.disk_limit() // GIB)
        self.disk.valueChanged.connect(self._limit_disk)
        self.unpacked = QSpinBox()
        self.unpacked.setRange(1, MOST_GIB)
        self.unpacked.setSuffix(" GiB unpacked at most")
        self.unpacked.setGroupSeparatorShown(True)
        self.unpacked.setKeyboardTracking(False)
        self.unpacked.setValue(-(-memory.unpacked_limit() // GIB))
        self.unpacked.valueChanged.connect(self._limit_unpacked)
        self.room.setFixedWidth(DISK_WIDTH)
        self._say_room()
        form = QFormLayout(self)
        form.setContentsMargins(2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN)
        form.setVerticalSpacing(theme.MARGIN)
        form.addRow("Theme", self.theme)
        form.addRow("Scale", self.scale)
        form.addRow("", label("The scale changes at the next start; it comes on top of the desktop's own.", "muted"))
        form.addRow("At the start", self.restore)
        form.addRow("Disk for long runs", self.disk)
        form.addRow("", self.room)
        form.addRow("Packed files", self.unpacked)
        form.addRow(
            "", label("A file packed with gzip that holds more is not opened: it could fill the memory.", "muted")
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)

    def _limit_disk(self, gib: int) -> None:
        try:
            memory.set_disk_limit(gib * GIB)
        except OSError as error:
            self.room.setText(f"This limit cannot be kept: {error.strerror or error}")
            return
        self._say_room()
        self.disk_changed.emit()

    def _limit_unpacked(self, gib: int) -> None:
        try:
            memory.set_unpacked_limit(gib * GIB)
        except OSError as error:
            self.room.setText(f"This limit cannot be kept: {error.strerror or error}")

    def _say_room(self) -> None:
        free, taken = memory.disk_bytes_free(), sum(run.nbytes for run in resuming.runs())
        self.room.setText(
            f"{bytes_text(free)} are free in {memory.disk_folder()}. What does not fit into memory goes there, and "
            "what runs of more than a minute have finished, so that they survive a crash. Interrupted runs take "
            f"{bytes_text(taken)} of it; the oldest make room for new ones."
        )

    def _save(self) -> None:
        self._settings.put("theme", self.theme.currentData())
        self._settings.put("scale", self.scale.currentData())
        self._settings.put("restore", self.restore.isChecked())
        theme.switch(self.theme.currentData())
