"""ProductView: both factors of a product of matrices, and the product, as heat maps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QComboBox, QLabel

from antidiag.app import theme
from antidiag.app.kit.canvas.heat_canvas import COLOURS, HeatCanvas
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.flow_layouts import group_widgets
from antidiag.app.kit.controls.spin_boxes import SpinBox
from antidiag.app.kit.controls.widgets import tool_button
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.selection import Selection
from antidiag.kernels.model import Result
from antidiag.kernels.products.problem import ProductAnswer

MATRICES = ("Product", "First matrix", "Second matrix")
MOST_COPIED = 1_000_000  # numbers that are copied to the clipboard at most


class ProductView(PaintedView):
    """The product of two matrices or one of its factors; for a batch, one of its members."""

    id = "product"
    title = "Product"
    canvas: HeatCanvas

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.canvas, self.matrix_choice, self.member_number = HeatCanvas(), QComboBox(), SpinBox()
        self.matrix_choice.addItems(MATRICES)
        self.member_number.setMinimum(1)
        self._member_tool = group_widgets(QLabel("Member "), self.member_number)
        for tool in (
            self.matrix_choice,
            self._member_tool,
            tool_button("Fit", "Show the whole matrix (double click)", self.canvas.show_all),
            tool_button("Copy table", "Copy the visible numbers for a spreadsheet", self.copy_table),
        ):
            self.tools.addWidget(tool)
        self.build_layout(self.canvas)
        self.matrix_choice.currentIndexChanged.connect(lambda _: self._show_matrix())
        self.member_number.valueChanged.connect(lambda _: self._show_matrix())
        self.canvas.pointed.connect(self._show_status)
        self.show_result(None)
        self.view_state.keep_choice("matrix", self.matrix_choice, place=True)
        self.view_state.keep_place("member", self.member_number.value, self.member_number.setValue)
        self.view_state.keep_place("area", self.canvas.list_area, self.canvas.restore_area)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return isinstance(result.answer, ProductAnswer)

    def show_result(self, result: Result | None) -> None:
        """Show the product of a result, or nothing."""
        self.result = result if result is not None and self.shows(result) else None
        batch = self.result.problem.batch_size if self.result is not None else 1
        self.member_number.setMaximum(batch)
        self._member_tool.setVisible(batch > 1)
        self.setEnabled(self.result is not None)
        self._show_matrix()

    def shown_matrix(self) -> np.ndarray:
        """Return the matrix that is shown, with infinite entries as NumPy's infinity."""
        if self.result is None:
            return np.empty((0, 0))
        problem = self.result.problem
        parts = (self.result.answer.as_floats(problem), problem.first.values, problem.second.values)
        values = parts[self.matrix_choice.currentIndex()]
        return values[self.member_number.value() - 1] if values.ndim == 3 else values

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the matrices, for a figure."""
        self.canvas.draw_visible(painter, area.width(), area.height())

    def copy_table(self) -> None:
        """Copy the visible numbers to the clipboard, for a spreadsheet."""
        rows, columns = self.canvas.visible_ranges()
        values = self.canvas.values[rows, columns]
        if values.size > MOST_COPIED:
            self.status.setText(f"{values.size:,} numbers are visible; at most {MOST_COPIED:,} can be copied: zoom in")
            return
        QGuiApplication.clipboard().setText("".join(table_lines(values)))
        self.status.setText("Copied {:,} x {:,} numbers.".format(*values.shape))

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        super().apply_theme()
        self._update_legend()

    def figure_title(self) -> str:
        """Return the title of an exported figure."""
        batch = self.member_number.maximum()
        member = f", member {self.member_number.value():,} of {batch:,}" if batch > 1 else ""
        return f"{self.result.problem.title} \N{MIDDLE DOT} {self.matrix_choice.currentText().lower()}{member}"

    def _show_matrix(self) -> None:
        self.canvas.show_values(self.shown_matrix())
        self._update_legend()
        self._show_status(None)

    def _update_legend(self) -> None:
        values = self.canvas.values
        if not values.size:
            self.legend.show_items(())
            return
        low, high = (heat_map.short_number(level) for level in self.canvas.levels)
        items = [
            LegendItem("text", f"{values.shape[0]:,} x {values.shape[1]:,} numbers"),
            LegendItem("gradient", f"{low} to {high}", heat_map.legend_colours(COLOURS)),
        ]
        if not np.isfinite(values).all():
            items.append(LegendItem("fill", "no path (infinite)", (theme.active().background,)))
        self.legend.show_items(tuple(items))

    def _show_status(self, cell: tuple[int, int] | None) -> None:
        """Show the number under the pointer in the status line, else the range of the matrix."""
        values = self.canvas.values
        if cell is not None:
            value = values[cell]
            text = f"{value:,.9g}" if np.isfinite(value) else "no path"
            self.status.setText(f"row {cell[0] + 1:,}, column {cell[1] + 1:,}: {text}")
        elif values.size:
            low, high = self.canvas.levels
            rows, columns = values.shape
            extent = f"{rows:,} x {columns:,} numbers from {low:,.6g} to {high:,.6g}"
            self.status.setText(f"{extent}; wheel to zoom, drag to move, double click to see all")
        else:
            self.status.setText("")


def table_lines(values: np.ndarray) -> Iterator[str]:
    """Yield each row as tab-separated numbers; infinite entries are "inf"."""
    return ("\t".join(f"{value + 0.0:.9g}" for value in row) + "\n" for row in values.tolist())
