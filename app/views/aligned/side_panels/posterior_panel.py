"""A panel with posteriors of two rows below their alignment, linked with it, and the third rows that support them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QListWidget, QSplitter, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.canvas.heat_canvas import COLOURS, HeatCanvas
from antidiag.app.kit.controls.flow_layouts import FlowLayout, group_widgets
from antidiag.app.kit.controls.widgets import tool_button
from antidiag.app.kit.figures import export, framed_figure
from antidiag.app.kit.figures.legend import Legend, LegendItem
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.kit.results.result_text import TIMES
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.base_view import BaseAlignmentView
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame
from antidiag.app.views.aligned.drawing.wrapped_blocks import CellMark
from antidiag.app.views.aligned.side_panels import pair_axes
from antidiag.app.views.aligned.side_panels.pair_axes import PairAxes
from antidiag.kernels.io.aligned_sequences import AlignedSequences

if TYPE_CHECKING:
    from antidiag.kernels.msa.consistency.pair_support import PairSupport  # loads a compiler

NAMES_WIDTH = 180
MAX_LISTED = 200
"""Most third rows that are listed."""
MAX_LINE_CELL = 6
"""Most pixels of a letter for the path of the alignment to be drawn as a line; wider ones get boxes."""


class PosteriorPanel:
    """Holds the panel: a heat map of two rows, the letters aligned with each other, and the third rows."""

    def __init__(self, view: BaseAlignmentView) -> None:
        self._view = view
        self.found: PairSupport | None = None
        self._of: AlignedSequences | None = None
        self._place: tuple[int, int] | None = None
        self._wanted = (0, 0)
        self._pointed: tuple[int, int] | None = None
        self.canvas, self.thirds, self.summary = HeatCanvas(), QListWidget(), QLabel(wordWrap=True)
        self._axes: PairAxes | None = None
        self.rows = QComboBox(), QComboBox()
        self.follows = QCheckBox("Follow the rows")
        self.follows.setChecked(True)
        self.consistent = QCheckBox("After consistency")
        self.legend, self._listed = Legend(), QLabel(wordWrap=True)
        self.panel = QWidget()
        self.panel.hide()
        for widget in (
            self.canvas,
            self.thirds,
            self.summary,
            *self.rows,
            self.consistent,
            self.follows,
            self.legend,
            self._listed,
        ):
            widget.setParent(self.panel)  # so that they are deleted with it, opened or not
        self._computing = LatestTask(view, self._take_result, self._show_error)
        self._computing.progressed.connect(lambda state: self.summary.setText(f"Posteriors: {state[0] / state[1]:.0%}"))
        self.canvas.over, self.canvas.largest = self._draw_over, True
        self.canvas.pointed.connect(self._on_heat)
        self.canvas.clicked.connect(self._on_click)
        self.consistent.toggled.connect(lambda _: self._show_heat_map())
        for box in self.rows:
            box.activated.connect(lambda _: self._request_posteriors())
        view.canvas.selection_changed.connect(self._on_cursor)
        view.canvas.cell_hovered.connect(self._on_alignment)
        view.alignment_changed.connect(self.close_panel)
        view.cells_changed.connect(self._on_altered)
        view.lines_changed.connect(self._show_legend)

    @property
    def busy(self) -> bool:
        """Whether posteriors are being computed."""
        return self._computing.busy

    @property
    def is_open(self) -> bool:
        """Whether the panel is open."""
        return not self.panel.isHidden()

    def show_panel(self, on: bool) -> None:
        """Open the panel for two selected rows, or for the row at the cursor and the next one; or close it."""
        if not on:
            self.close_panel()
            return
        picture = self._view.picture
        if len(self._view.alignment.names) < 2:
            self._view.show_status("Posteriors need two rows; this alignment has one.")
            return
        if self.panel.layout() is None:
            self._lay_out()
        chosen = np.flatnonzero(picture.cell_selection.rows)
        below = picture.cursor[0] + (1 if picture.cursor[0] + 1 < picture.order.size else -1)
        here = [int(picture.order[picture.cursor[0]]), int(picture.order[below])] if picture.order.size > 1 else [0, 1]
        first, second = chosen[:2].tolist() if chosen.size == 2 else here
        self._show_rows(first, second)

    def list_rows(self) -> list[int] | None:
        """Return the two rows whose posteriors are shown; None while the panel is closed."""
        return [box.currentIndex() for box in self.rows] if self.is_open else None

    def restore_rows(self, rows: list[int] | None) -> None:
        """Show the posteriors of two rows again, or close the panel."""
        if rows is None:
            self.close_panel()
        elif all(0 <= row < len(self._view.alignment.names) for row in rows):
            if self.panel.layout() is None:
                self._lay_out()
            self._show_rows(rows[0], rows[1])

    def _show_rows(self, first: int, second: int) -> None:
        """Open the panel for two rows."""
        self._fill_boxes()
        self.rows[0].setCurrentIndex(first)
        self.rows[1].setCurrentIndex(second)
        self.panel.show()
        self._request_posteriors()

    def close_panel(self) -> None:
        """Close the panel and forget its content."""
        self._computing.cancel()
        self.panel.hide()
        self._clear_result()

    def cell_marks(self) -> tuple[CellMark, ...]:
        """Return what draws over the cells: frames around the letters under the pointer in the heat map."""
        if self._pointed is None or self.found is None or self._view.alignment is not self._of:
            return ()
        letters = zip(self.found.rows, self.found.columns, self._pointed, strict=True)
        cells = tuple((row, float(columns[letter])) for row, columns, letter in letters)
        return (partial(_frame_cells, cells=cells),)

    def _lay_out(self) -> None:
        """Lay out the panel when it is first opened, because few viewers open it."""
        tools = QWidget()
        row = FlowLayout(tools)
        for box, word in zip(self.rows, ("Posteriors of", TIMES), strict=True):
            box.setMaximumWidth(NAMES_WIDTH)
            box.setAccessibleName("Row")
            row.addWidget(group_widgets(QLabel(f"{word} "), box))
        self.consistent.setToolTip("Add the support of third rows, as one consistency round does")
        row.addWidget(self.consistent)
        self.follows.setToolTip("Show two selected rows, or the row at the cursor in place of the first one")
        row.addWidget(self.follows)
        row.addWidget(tool_button("Fit", "Show all letters (double click)", self.canvas.show_all))
        row.addWidget(tool_button("Copy", "Copy the figure", self.copy_figure))
        row.addWidget(tool_button("Save figure", "Save the figure as PNG, SVG or PDF", self.save_figure))
        row.addWidget(tool_button("Close", "Close the posteriors", self.close_panel))
        beside, listed = QSplitter(Qt.Orientation.Horizontal), QWidget()
        column_of(self._listed, (self.thirds, 1), parent=listed)
        beside.addWidget(self.canvas)
        beside.addWidget(listed)
        beside.setStretchFactor(0, 1)
        column_of(tools, (beside, 1), self.legend, self.summary, parent=self.panel, spacing=2)
        self.canvas.setAccessibleName("Posteriors")
        self.thirds.setAccessibleName("Third rows")
        self.thirds.itemActivated.connect(lambda item: self._go_to_third(self.thirds.row(item)))

    def _fill_boxes(self) -> None:
        names = self._view.alignment.names
        for box in self.rows:
            if [box.itemText(place) for place in range(box.count())] != list(names):
                box.clear()
                box.addItems(names)

    def _request_posteriors(self) -> None:
        """Compute the posteriors of the two rows."""
        from antidiag.kernels.msa.consistency import pair_support  # compiles, so that it is loaded when it is wanted

        alignment = self._view.alignment
        first, second = (box.currentIndex() for box in self.rows)
        self._clear_result()
        self.summary.setText("Computing posteriors ...")
        self._wanted = first, second
        self._computing.request(
            lambda monitor: (
                alignment,
                _compute_values(pair_support.compute_pair_support(alignment, first, second, monitor)),
            )
        )

    def _clear_result(self) -> None:
        self.found, self._of, self._place, self._pointed = None, None, None, None
        self.thirds.clear()
        self._listed.setText("")
        self._show_heat_map()

    def _take_result(self, made: tuple[AlignedSequences, PairSupport]) -> None:
        self._of, self.found = made
        self._on_cursor()
        self._show_heat_map()
        self._describe_pair(None)

    def _show_error(self, error: Exception) -> None:
        self._clear_result()
        self.summary.setText(str(error))

    def _on_altered(self) -> None:
        """Compute again after an edit."""
        if self.is_open and self._view.alignment is not self._of:
            if len(self._view.alignment.names) != self.rows[0].count():
                self.close_panel()
            else:
                self._request_posteriors()

    def _show_heat_map(self) -> None:
        if self.found is None:
            self.canvas.show_values(np.empty((0, 0)))
            self.legend.show_items(())
            self._axes = None
            return
        self._axes = self._make_axes(self.found)
        self.canvas.left, self.canvas.top = self._axes.margins(self.canvas.fontMetrics())
        values = self.found.after if self.consistent.isChecked() else self.found.before
        area = self.canvas.area if self.canvas.values.shape == values.shape else None
        self.canvas.show_values(values, (0.0, 1.0))
        if area is not None:
            self.canvas.area = area
        self._show_legend()

    def _make_axes(self, found: PairSupport) -> PairAxes:
        """Return the axes of both rows: names and letters."""
        letters = [
            self._of.letters[row, columns].tobytes().decode("ascii")
            for row, columns in zip(found.rows, found.columns, strict=True)
        ]
        names = [self._of.names[row] for row in found.rows]
        return PairAxes(names[0], names[1], letters[0], letters[1])

    def _show_legend(self) -> None:
        """Show the legend in the colours of the theme and paint again."""
        self.canvas.update()
        if self.found is None:
            return
        names = [self._of.names[row] for row in self.found.rows]
        gradient = LegendItem("gradient", "posterior 0 to 1", heat_map.legend_colours(COLOURS))
        line = LegendItem("line", "aligned letters", (theme.active().path,))
        self.legend.show_items((gradient, line, LegendItem("text", f"down {names[0]}, across {names[1]}")))

    def _draw_over(self, painter: QPainter) -> None:
        """Draw the aligned letters and lines through the letters at the cursor."""
        if self.found is None:
            return
        canvas, pairs = self.canvas, list(zip(*(letters.tolist() for letters in self.found.pairs), strict=True))
        colour = QColor(theme.active().path)
        colour.setAlpha(150)
        if self._axes is not None:
            pair_axes.draw_axes(painter, canvas, self._axes)
            pair_axes.draw_values(painter, canvas)
        with saved_painter_state(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(canvas.picture_box(), Qt.ClipOperation.IntersectClip)
            if canvas.x_of_column(1) - canvas.x_of_column(0) <= MAX_LINE_CELL:
                painter.setPen(QPen(colour, 1))
                painter.drawPolyline(QPolygonF([_canvas_point(canvas, i + 0.5, j + 0.5) for i, j in pairs]))
            else:
                painter.setPen(QPen(colour, 2))
                for i, j in pairs:
                    painter.drawRect(QRectF(_canvas_point(canvas, i, j), _canvas_point(canvas, i + 1, j + 1)))
            if self._place is not None:
                painter.setPen(QPen(QColor(theme.active().warning), 1))
                i, j = (place + 0.5 for place in self._place)
                rows, columns = canvas.values.shape
                painter.drawLine(_canvas_point(canvas, i, 0), _canvas_point(canvas, i, columns))
                painter.drawLine(_canvas_point(canvas, 0, j), _canvas_point(canvas, rows, j))

    def _on_cursor(self) -> None:
        if self._view.picture is not None:
            self._follow_rows()
            self._mark_column(self._view.picture.cursor[1])

    def _follow_rows(self) -> None:
        """Show the posteriors of two selected rows, or of the row at the cursor and the second one."""
        picture = self._view.picture
        if not (self.is_open and self.follows.isChecked()) or self._view.alignment is not self._of or self.busy:
            return
        first, second = self._wanted
        chosen = np.flatnonzero(picture.cell_selection.rows)
        place = picture.cursor[0]
        if chosen.size == 2:
            first, second = chosen.tolist()
        elif not chosen.size > 2 and 0 <= place < picture.order.size and int(picture.order[place]) != second:
            first = int(picture.order[place])
        if (first, second) != self._wanted and first != second:
            self.rows[0].setCurrentIndex(first)
            self.rows[1].setCurrentIndex(second)
            self._request_posteriors()

    def _on_alignment(self, cell: tuple[int, int] | None) -> None:
        if cell is not None:
            self._mark_column(cell[1])

    def _mark_column(self, column: int) -> None:
        if self.found is None or self._view.alignment is not self._of:
            return
        first, second = (int(np.searchsorted(columns, column)) for columns in self.found.columns)
        place = min(first, self.found.before.shape[0] - 1), min(second, self.found.before.shape[1] - 1)
        if place != self._place:
            self._place = place
            self.canvas.update()
            both = all(int(columns[at]) == column for columns, at in zip(self.found.columns, place, strict=True))
            self._describe_pair(place if both else None)

    def _on_heat(self, cell: tuple[int, int] | None) -> None:
        """Frame both letters in the alignment, point at the first one's column, and describe them."""
        if self.found is None or self._view.alignment is not self._of:
            return
        self._pointed = cell
        self._view.canvas.viewport().update()
        self._view.selection.hover_column(int(self.found.columns[0][cell[0]]) if cell else None)
        self._describe_pair(cell)

    def _on_click(self, cell: tuple[int, int]) -> None:
        if self.found is not None and self._view.alignment is self._of:
            places = np.flatnonzero(self._view.picture.order == self.found.rows[0])
            row = int(places[0]) if places.size else self._view.picture.cursor[0]
            self._view.canvas.go_to(row, int(self.found.columns[0][cell[0]]))

    def _go_to_third(self, number: int) -> None:
        """Put the cursor on a third row."""
        if self.found is not None and self._view.alignment is self._of:
            third = self._order[number]
            places = np.flatnonzero(self._view.picture.order == int(self.found.thirds[third]))
            if places.size:
                self._view.canvas.go_to(int(places[0]), self._view.picture.cursor[1])

    def _describe_pair(self, cell: tuple[int, int] | None) -> None:
        """Describe a pair of letters, or all aligned pairs, and list the third rows that support them."""
        found = self.found
        if found is None:
            return
        if cell is None:
            support, what, count = found.mean_support, "the aligned letters", found.pairs[0].size
            matrices = found.before, found.after
            here, then = (float(values[found.pairs].mean()) if count else 0.0 for values in matrices)
            about = f"{count:,} aligned pairs of letters"
        else:
            support = found.score_thirds(np.array([cell[0]]), np.array([cell[1]]))[:, 0]
            what = about = f"{self._letter_text(0, cell[0])} {TIMES} {self._letter_text(1, cell[1])}"
            here, then = float(found.before[cell]), float(found.after[cell])
        self.summary.setText(f"{about}: posterior {here:.3f}, after consistency {then:.3f}")
        self._order = np.argsort(-support, kind="stable")[:MAX_LISTED].tolist()
        rows = len(self._of.names) - 2
        shown = f" ({support.size:,} most similar of {rows:,})" if support.size < rows else ""
        self._listed.setText(f"Third rows that support {what}{shown}" if support.size else "No third row")
        self.thirds.clear()
        self.thirds.addItems([f"{support[z]:.3f}  {self._of.names[int(found.thirds[z])]}" for z in self._order])

    def _letter_text(self, which: int, place: int) -> str:
        row, column = self.found.rows[which], int(self.found.columns[which][place])
        return f"{chr(self._of.letters[row, column])}{place + 1:,}"

    def copy_figure(self) -> None:
        """Copy the heat map as a figure."""
        export.copy_figure(self._figure_size(), self._draw_figure)
        self.summary.setText("Copied the figure.")

    def save_figure(self) -> None:
        """Ask for a file and write the heat map as PNG, SVG or PDF."""
        name = f"{self._view.exporter.file_name}-posteriors"
        export.ask_and_save_figure(self._view, name, self._figure_size(), self._draw_figure, self._figure_title())

    def _figure_title(self) -> str:
        return f"Posteriors of {self.rows[0].currentText()} {TIMES} {self.rows[1].currentText()}"

    def _figure_size(self) -> QSize:
        return framed_figure.figure_size(self.canvas.width(), self.canvas.height(), self.legend.items)

    def _draw_figure(self, painter: QPainter, area: QRectF) -> None:
        framed_figure.draw_figure(painter, area, self._figure_title(), self.legend.items, self.canvas.draw_visible)


def _canvas_point(canvas: HeatCanvas, i: float, j: float) -> QPointF:
    return QPointF(canvas.x_of_column(j), canvas.y_of_row(i))


def _compute_values(found: PairSupport) -> PairSupport:
    _ = found.before, found.after, found.mean_support
    return found


def _frame_cells(
    painter: QPainter, picture: AlignmentPicture, frame: CellFrame, cells: Sequence[tuple[int, float]]
) -> None:
    """Frame these cells, given as rows and columns."""
    with saved_painter_state(painter):
        painter.setClipRect(frame.body_box)
        painter.setPen(QPen(QColor(theme.active().warning), 2))
        for row, column in cells:
            for place in np.flatnonzero(picture.order == row).tolist():
                painter.drawRect(frame.cell_box(place, column).adjusted(-1, -1, 1, 1))
