"""ProductView: both factors of a product of matrices, and the product, as heat maps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export, figure, heat
from antidiag.app.kit.heat_canvas import COLOURS, HeatCanvas
from antidiag.app.kit.legend import Legend, LegendItem
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Elided, tool_button
from antidiag.kernels.model import Result
from antidiag.kernels.products.problem import ProductAnswer

PARTS = ("Product", "First matrix", "Second matrix")
MOST_COPIED = 1_000_000
"""Numbers that a clipboard takes."""


class ProductView(QWidget):
    """The product of two matrices, and what it was made of; of a batch, one of its members."""

    id = "product"
    title = "Product"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.result: Result | None = None
        self.canvas, self.part, self.member, self._status = HeatCanvas(), QComboBox(), QSpinBox(), Elided()
        self.part.addItems(PARTS)
        self.member.setMinimum(1)
        self._of, self._legend = QLabel("Member"), Legend()
        tools = QHBoxLayout()
        for tool in (
            self.part,
            self._of,
            self.member,
            tool_button("Fit", "Show the whole matrix (double click)", self.canvas.fit),
            tool_button("Copy", "Copy the figure", self.copy),
            tool_button("Copy table", "Copy the numbers in sight, for a spreadsheet", self.copy_table),
            tool_button("Save figure", "Save the figure as PNG, SVG or PDF", self.save_figure),
        ):
            tools.addWidget(tool)
        tools.addStretch()
        layout = QVBoxLayout(self)
        layout.addLayout(tools)
        layout.addWidget(self.canvas, 1)
        layout.addWidget(self._legend)
        layout.addWidget(self._status)
        self.part.currentIndexChanged.connect(lambda _: self._anew())
        self.member.valueChanged.connect(lambda _: self._anew())
        self.canvas.pointed.connect(self._say)
        theme.notifier.changed.connect(self._restyle)
        self.show_result(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(result.answer, ProductAnswer)

    def show_result(self, result: Result | None) -> None:
        """Show the product of a result, or nothing."""
        self.result = result if result is not None and self.shows(result) else None
        batch = self.result.problem.batch if self.result is not None else 1
        self.member.setMaximum(batch)
        for widget in (self._of, self.member):
            widget.setVisible(batch > 1)
        self.setEnabled(self.result is not None)
        self._anew()

    def shown(self) -> np.ndarray:
        """The matrix that is shown, with NumPy's infinity."""
        if self.result is None:
            return np.empty((0, 0))
        problem = self.result.problem
        parts = (self.result.answer.floats(problem), problem.first.values, problem.second.values)
        values = parts[self.part.currentIndex()]
        return values[self.member.value() - 1] if values.ndim == 3 else values

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """What is seen, with title and legend, for a file."""
        figure.draw(painter, area, self._title(), self._legend.items, self.canvas.draw)

    def figure_size(self) -> QSize:
        return figure.size(self.canvas.width(), self.canvas.height(), self._legend.items)

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        export.copy(self.figure_size(), self.draw_figure)
        self._status.setText("Copied the figure.")

    def copy_table(self) -> None:
        """Put the numbers in sight on the clipboard, for a spreadsheet."""
        rows, columns = self.canvas.in_sight()
        values = self.canvas.values[rows, columns]
        if values.size > MOST_COPIED:
            self._status.setText(f"{values.size:,} numbers in sight, and {MOST_COPIED:,} can be copied; zoom in first")
            return
        QGuiApplication.clipboard().setText("".join(table_lines(values)))
        self._status.setText("Copied {:,} x {:,} numbers.".format(*values.shape))

    def save_figure(self) -> None:
        """Ask for a file and write the figure as PNG, SVG or PDF."""
        export.ask_and_save(self, "product", self.figure_size(), self.draw_figure, self._title())

    def _title(self) -> str:
        batch = self.member.maximum()
        member = f", member {self.member.value():,} of {batch:,}" if batch > 1 else ""
        return f"{self.result.problem.title} \N{MIDDLE DOT} {self.part.currentText().lower()}{member}"

    def _restyle(self) -> None:
        self._describe()
        self.canvas.update()

    def _anew(self) -> None:
        self.canvas.show_values(self.shown())
        self._describe()
        self._say(None)

    def _describe(self) -> None:
        """Legend: the colours, and what is no number."""
        values = self.canvas.values
        if not values.size:
            self._legend.show_items(())
            return
        low, high = (heat.short(level) for level in self.canvas.levels)
        items = [
            LegendItem("text", f"{values.shape[0]:,} x {values.shape[1]:,} numbers"),
            LegendItem("gradient", f"{low} to {high}", heat.swatches(COLOURS)),
        ]
        if not np.isfinite(values).all():
            items.append(LegendItem("fill", "no way (infinite)", (theme.active().background,)))
        self._legend.show_items(tuple(items))

    def _say(self, cell: tuple[int, int] | None) -> None:
        """The number below the pointer, or what is shown."""
        values = self.canvas.values
        if cell is not None:
            value = values[cell]
            told = f"{value:,.9g}" if np.isfinite(value) else "no way"
            self._status.setText(f"row {cell[0] + 1:,}, column {cell[1] + 1:,}: {told}")
        elif values.size:
            low, high = self.canvas.levels
            rows, columns = values.shape
            extent = f"{rows:,} x {columns:,} numbers from {low:,.6g} to {high:,.6g}"
            self._status.setText(f"{extent}; wheel to zoom, drag to move, double click to see all")
        else:
            self._status.setText("")


def table_lines(values: np.ndarray) -> Iterator[str]:
    """Rows of numbers between tabs; what is infinite is inf."""
    return ("\t".join(f"{value + 0.0:.9g}" for value in row) + "\n" for row in values.tolist())
