"""The dialog for the printed size of a figure: width, resolution, and the layout of wrapped figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from antidiag.app.kit.controls.spin_boxes import SpinBox
from antidiag.app.kit.controls.widgets import create_label
from antidiag.app.kit.figures import export
from antidiag.app.kit.figures.export import PrintSize
from antidiag.app.kit.figures.pages import PAGE_FORMATS, PagedFigure, PageFormat
from antidiag.app.kit.results.result_text import TIMES
from antidiag.kernels.errors import InputError

# Defaults: a page between its margins, and the resolution that most journals ask for.
WIDTH_MM, PAGE_MM, DPI = 180, 240, 300
ANY_MM = 49  # stands for an unlimited height
LEAST_POINTS = 5.0  # smaller letters are hard to read in print


@dataclass(frozen=True)
class WrapOptions:
    """How a wrapped figure is laid out: ``columns`` per line, its largest ratio of height to width, and its pages."""

    columns: int
    tallest: float = inf
    page: PageFormat | None = None


MakePages = Callable[[WrapOptions], PagedFigure]
"""Makes the figure on pages of the format of the options."""
# Returns the size of a figure with these options, and of its letters, in screen pixels.
MeasureFigure = Callable[[WrapOptions], tuple[QSize, float]]


def ask_print_size(
    parent: QWidget, sized: MeasureFigure, wrap: int | None, paged: MakePages | None = None
) -> tuple[WrapOptions, PrintSize] | None:
    """Ask for the printed size, and for columns per line if ``wrap`` gives a default; None if cancelled.

    With ``paged`` the user may choose pages instead of one figure.
    """
    dialog = PrintSizeDialog(parent, sized, wrap, paged)
    return (dialog.wrap_options, dialog.print_size) if dialog.exec() == QDialog.DialogCode.Accepted else None


class PrintSizeDialog(QDialog):
    """Shows the resulting height and letter size while the user types."""

    def __init__(self, parent: QWidget, sized: MeasureFigure, wrap: int | None, paged: MakePages | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Size in print")
        self._measure_figure = sized
        self.width_mm = _number_box(20, 2000, WIDTH_MM, " mm")
        self.dpi = _number_box(50, 2400, DPI, " dpi")
        self.columns = _number_box(10, 2000, wrap or 10, " columns")
        self.height_mm = _number_box(ANY_MM, 5000, ANY_MM, " mm")
        self.height_mm.setSpecialValueText("no limit")
        self.summary = create_label("", "muted", wrap=True)
        self._make_pages = paged
        self.pages = QComboBox()
        self.pages.addItem("One figure", None)
        for page in PAGE_FORMATS.values() if paged else ():
            self.pages.addItem(f"{page.name} pages", page)
        form = QFormLayout()
        if paged is not None:
            form.addRow("Pages", self.pages)
        form.addRow("Width", self.width_mm)
        if wrap is not None:
            form.addRow("Line length", self.columns)
            form.addRow("Largest height", self.height_mm)
            if not self._letter_pixels():  # cells without letters can shrink
                self.height_mm.setValue(PAGE_MM)
        form.addRow("PNG resolution", self.dpi)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.summary)
        column.addWidget(self._buttons)
        self.summary.setMinimumHeight(QLabel("0\n" * 2).sizeHint().height())
        for box in (self.width_mm, self.dpi, self.columns, self.height_mm):
            box.valueChanged.connect(self._show_summary)
        self.pages.currentIndexChanged.connect(self._show_summary)
        self.width_mm.setFocus()
        self.width_mm.selectAll()  # typing replaces it
        self._show_summary()

    @property
    def print_size(self) -> PrintSize:
        """Return the chosen width and resolution."""
        return PrintSize(self.width_mm.value(), self.dpi.value())

    @property
    def wrap_options(self) -> WrapOptions:
        """Return the chosen columns per block and page height."""
        high = self.height_mm.value()
        tallest = high / self.width_mm.value() if high > ANY_MM else inf
        return WrapOptions(self.columns.value(), tallest, self.pages.currentData())

    def _letter_pixels(self) -> float:
        """Return the pixels of the letters; 0 if there are none."""
        try:
            return self._measure_figure(self.wrap_options)[1]
        except InputError:
            return 0.0

    def _show_summary(self) -> None:
        """Show the resulting size, and enable OK if the figure can be drawn."""
        ok = self._buttons.button(QDialogButtonBox.StandardButton.Ok)
        lines = self.wrap_options
        for box in (self.width_mm, self.height_mm):
            box.setEnabled(lines.page is None)
        if lines.page is not None and self._make_pages is not None:
            try:
                made = self._make_pages(lines)
            except InputError as error:
                self.summary.setText(str(error))
            else:
                self.summary.setText(_describe_pages(made))
            ok.setEnabled(self.summary.text().endswith("."))
            return
        try:
            size, letter_px = self._measure_figure(self.wrap_options)
        except InputError as error:
            self.summary.setText(str(error))
            ok.setEnabled(False)
            return
        printed, dots = self.print_size, export.screen_dpi()
        scale, pixels = printed.screen_scale(size, dots), printed.image_size(size)
        height_mm = size.height() * scale * export.MM_PER_INCH / dots
        image = f"{pixels.width():,} {TIMES} {pixels.height():,} pixels"
        said = f"{printed.width_mm} {TIMES} {height_mm:.0f} mm; as PNG {image}"
        points = letter_px * scale * 72 / dots
        if letter_px:
            said += f"; letters {points:.1f} points high" + (" (hard to read)" if points < LEAST_POINTS else "")
        self.summary.setText(said + ".")
        ok.setEnabled(True)


def _describe_pages(made: PagedFigure) -> str:
    """Return the number of pages and the size of their letters in words."""
    count = len(made.drawings)
    said = f"{count} page{'s' * (count != 1)} {made.page.name}; PDF in one file, SVG and PNG in a file for each page"
    if made.letter_px:
        hard = " (hard to read)" if made.letter_points < LEAST_POINTS else ""
        said += f"; letters {made.letter_points:.1f} points high{hard}"
    return said + "."


def _number_box(least: int, most: int, value: int, suffix: str) -> QSpinBox:
    box = SpinBox()
    box.setRange(least, most)
    box.setSuffix(suffix)
    box.setValue(value)
    return box
