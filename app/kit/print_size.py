"""The size of a figure in print: width in millimetres, dots an inch, and where it is wrapped columns a line and the
height at most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from antidiag.app.kit import export
from antidiag.app.kit.export import Print
from antidiag.app.kit.result_text import TIMES
from antidiag.app.kit.widgets import label
from antidiag.kernels.errors import InputError

WIDTH_MM, PAGE_MM, DPI = 180, 240, 300
"""To begin with: a page between its margins, and what most journals ask for."""
ANY_MM = 49
"""Stands for a height that nobody limits."""
LEAST_POINTS = 5.0
"""Letters below this are hard to read in print."""


@dataclass(frozen=True)
class Lines:
    """How a wrapped figure is laid out: ``columns`` of a line, and how many times as high as wide it is at most."""

    columns: int
    tallest: float = inf


Sized = Callable[[Lines], tuple[QSize, float]]
"""The size of a figure that is laid out like that, and of its letters, in pixels of the screen."""


def ask_size(parent: QWidget, sized: Sized, wrap: int | None) -> tuple[Lines, Print] | None:
    """Ask for the size, and where ``wrap`` gives the columns of a line to begin with, for those; None for neither."""
    dialog = SizeDialog(parent, sized, wrap)
    return (dialog.lines, dialog.printed) if dialog.exec() == QDialog.DialogCode.Accepted else None


class SizeDialog(QDialog):
    """Says, as one types, how high the figure becomes, and how large its letters are."""

    def __init__(self, parent: QWidget, sized: Sized, wrap: int | None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Size in print")
        self._sized = sized
        self.width_mm = _box(20, 2000, WIDTH_MM, " mm")
        self.dpi = _box(50, 2400, DPI, " dpi")
        self.columns = _box(10, 2000, wrap or 10, " columns")
        self.height_mm = _box(ANY_MM, 5000, ANY_MM, " mm")
        self.height_mm.setSpecialValueText("as it comes")
        self.told = label("", "muted", wrap=True)
        form = QFormLayout()
        form.addRow("Width", self.width_mm)
        if wrap is not None:
            form.addRow("A line has", self.columns)
            form.addRow("Height at most", self.height_mm)
            if not self._letter_px():  # nothing is lost where cells become smaller
                self.height_mm.setValue(PAGE_MM)
        form.addRow("PNG has", self.dpi)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.told)
        column.addWidget(self._buttons)
        self.told.setMinimumHeight(QLabel("0\n" * 2).sizeHint().height())
        for box in (self.width_mm, self.dpi, self.columns, self.height_mm):
            box.valueChanged.connect(self._tell)
        self.width_mm.setFocus()
        self.width_mm.selectAll()  # what is typed takes its place
        self._tell()

    @property
    def printed(self) -> Print:
        return Print(self.width_mm.value(), self.dpi.value())

    @property
    def lines(self) -> Lines:
        high = self.height_mm.value()
        return Lines(self.columns.value(), high / self.width_mm.value() if high > ANY_MM else inf)

    def _letter_px(self) -> float:
        """Pixels of the letters; 0 where there are none, or no figure."""
        try:
            return self._sized(self.lines)[1]
        except InputError:
            return 0.0

    def _tell(self) -> None:
        """Say what comes of it, and offer it where it can be drawn."""
        ok = self._buttons.button(QDialogButtonBox.StandardButton.Ok)
        try:
            size, letter_px = self._sized(self.lines)
        except InputError as error:
            self.told.setText(str(error))
            ok.setEnabled(False)
            return
        printed, dots = self.printed, export.dots_per_inch()
        scale, pixels = printed.scale(size, dots), printed.pixels(size)
        height_mm = size.height() * scale * export.MM_PER_INCH / dots
        image = f"{pixels.width():,} {TIMES} {pixels.height():,} pixels"
        said = f"{printed.width_mm} {TIMES} {height_mm:.0f} mm; as PNG {image}"
        points = letter_px * scale * 72 / dots
        if letter_px:
            said += f"; letters of {points:.1f} points" + (", hard to read" if points < LEAST_POINTS else "")
        self.told.setText(said + ".")
        ok.setEnabled(True)


def _box(least: int, most: int, value: int, suffix: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(least, most)
    box.setSuffix(suffix)
    box.setValue(value)
    return box
