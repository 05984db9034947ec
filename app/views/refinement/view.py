"""RefinementView: an alignment before and after each step of its refinement."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter
from PySide6.QtWidgets import QSlider, QSplitter, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.canvas.heat_canvas import COLOURS, HeatCanvas
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.flow_layouts import group_widgets
from antidiag.app.kit.controls.widgets import create_label, tool_button
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.model import Result
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.msa.refinement_steps import (
    FIRST,
    MOVED,
    SECOND,
    RefinementStep,
    RefinementSteps,
    shade_cells,
)

LETTER = 9.0  # width in pixels of the smallest column with letters
KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class RefinementCanvas(HeatCanvas):
    """One of two alignments; ``turned(area)`` is sent when it was moved or zoomed."""

    turned = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.largest, self.letters = True, np.empty((0, 0), np.uint8)
        self.over = self._draw_letters
        self.setAccessibleName(name)

    def show_side(self, values: np.ndarray, letters: np.ndarray) -> None:
        """Show an alignment, and keep the visible part if it has as many rows as before."""
        area, whole = QRectF(self.area), self.area.width() >= self.values.shape[1]
        same = bool(self.values.size) and self.values.shape[0] == values.shape[0]
        self.show_values(values, (0.0, 1.0))
        self.letters = letters
        if same and not whole:
            self._set_area(area)

    def look_at(self, area: QRectF) -> None:
        """Show a part without sending ``turned``."""
        if self.values.size:
            self._set_area(area)

    def show_all(self) -> None:
        """Show all columns."""
        super().show_all()
        self.turned.emit(None)

    def _move_area(self, area: QRectF) -> None:
        self._set_area(area)
        self.turned.emit(self.area)

    def _set_area(self, area: QRectF) -> None:
        super()._move_area(QRectF(area))

    def _draw_letters(self, painter: QPainter) -> None:
        wide, high = self.x_of_column(1) - self.x_of_column(0), self.y_of_row(1) - self.y_of_row(0)
        if wide < LETTER or high < LETTER:
            return
        rows, columns = self.visible_ranges()
        painter.setPen(QColor(theme.active().text))
        for row in range(rows.start, rows.stop):
            for column in range(columns.start, columns.stop):
                if self.letters[row, column] != GAP:
                    painter.setPen(QColor("#10141a" if self.values[row, column] >= FIRST else "#ffffff"))
                    box = QRectF(self.x_of_column(column), self.y_of_row(row), wide, high)
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, chr(self.letters[row, column]))


class RefinementView(PaintedView):
    """The alignment before and after each step of the refinement, with the letters that moved."""

    id = "refinement"
    title = "Refinement"
    hint = "Left and right step through the changes; wheel to zoom, drag to move, double click shows everything"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.steps: RefinementSteps | None = None
        self.shown_step: RefinementStep | None = None
        self._shown_number = 0
        self.before, self.after = RefinementCanvas("Alignment before"), RefinementCanvas("Alignment after")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.summary = create_label(wrap=True)
        self._making = LatestTask(self, self._take_step, lambda error: self.show_status(str(error)))
        self._build()
        self.view_state.keep_place("change", self.slider.value, self.slider.setValue)
        self.view_state.keep_place("area", self.after.list_area, self._restore_area)

    @property
    def has_content(self) -> bool:
        """Whether a change is on the screen."""
        return self.shown_step is not None

    def _restore_area(self, area: list[float] | None) -> None:
        self.after.restore_area(area)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        answer = result.answer
        return isinstance(answer, MsaAnswer) and answer.changes is not None and len(answer.changes) > 0

    @property
    def busy(self) -> bool:
        """Whether a step is being computed."""
        return self._making.busy

    @property
    def change_number(self) -> int:
        """The selected change, from 0."""
        return self.slider.value()

    def show_result(self, result: Result | None) -> None:
        """Show the first change of a result, or nothing."""
        self._making.cancel()
        self.result = result if result is not None and self.shows(result) else None
        self.steps = RefinementSteps(self.result.answer) if self.result is not None else None
        self.shown_step = None
        self._tools.setEnabled(self.steps is not None)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(len(self.steps) - 1, 0) if self.steps else 0)
            self.slider.setValue(0)
        self._request_step()
        self.apply_theme()
        self.show_status("")

    def step_change(self, by: int) -> None:
        """Go to the next or the previous change."""
        self.slider.setValue(self.change_number + by)

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw both alignments as they are on the screen."""
        half = area.height() / 2
        for canvas, top in ((self.before, area.top()), (self.after, area.top() + half)):
            with saved_painter_state(painter):
                painter.translate(area.left(), top)
                painter.setClipRect(QRectF(0, 0, area.width(), half - 4))
                canvas.draw_visible(painter, area.width(), half - 4)

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        words = {FIRST: "letters of the first group", SECOND: "letters of the second group", MOVED: "letters realigned"}
        shades = {
            text: int(heat_map.map_colours(COLOURS)[int(value * (heat_map.SHADES - 1))])
            for value, text in words.items()
        }
        items = tuple(LegendItem("fill", text, (QColor.fromRgb(shade).name(),)) for text, shade in shades.items())
        self.legend.show_items(items if self.steps else ())
        for canvas in (self.before, self.after):
            canvas.update()

    def change_text(self) -> str:
        """Describe the change that is shown."""
        step = self.shown_step
        if step is None or self.steps is None:
            return "Computing the step\u2026" if self.busy else ""
        before, after = step.change.expected
        first = int(step.change.first.sum())
        widths = [side.has_letter.shape[1] for side in (step.before, step.after)]
        gain = f" ({(after - before) / before:+.3%})" if before > 0 else ""
        earlier = self.steps.answer.changes.earlier
        number = f"{self._shown_number + 1 + earlier:,} of {len(self.steps) + earlier:,}"
        parts = (
            f"Change {number}: groups of {first:,} and {step.change.first.size - first:,} rows realigned",
            f"expected pairs between groups {before:,.2f} to {after:,.2f}{gain}",
            f"columns {widths[0]:,} to {widths[1]:,}",
            f"{step.moved_letters:,} letters in {step.moved_rows:,} rows realigned",
        )
        return "; ".join(parts)

    def table_text(self) -> str:
        """Return a table with a line for each change: group sizes, expected pairs, and columns."""
        if self.steps is None or self.steps.answer.changes is None:
            return ""
        lines = ["change\tfirst rows\tother rows\texpected before\texpected after\tcolumns before"]
        for number in range(len(self.steps)):
            change = self.steps.answer.changes[number]
            first, (before, after) = int(change.first.sum()), change.expected
            rows = f"{number + 1 + self.steps.answer.changes.earlier}\t{first}\t{change.first.size - first}"
            lines.append(f"{rows}\t{before:.6g}\t{after:.6g}\t{change.before.size}")
        return "\n".join(lines) + "\n"

    def copy_table(self) -> None:
        """Copy the table of the changes to the clipboard, for a spreadsheet."""
        QGuiApplication.clipboard().setText(self.table_text())
        self.show_status("Copied the table of the changes")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in KEYS:
            self.step_change(KEYS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _request_step(self) -> None:
        way, number = self.steps, self.change_number
        if way is None:
            self._show_step(None)
        else:
            self.summary.setText(self.change_text())
            self._making.request(lambda monitor: (number, way.step_at(number)))

    def _take_step(self, made: tuple[int, RefinementStep]) -> None:
        if made[0] == self.change_number:
            self._shown_number = made[0]
            self._show_step(made[1])

    def _show_step(self, step: RefinementStep | None) -> None:
        self.shown_step = step
        if step is None:
            for canvas in (self.before, self.after):
                canvas.show_side(np.empty((0, 0), np.float32), np.empty((0, 0), np.uint8))
        else:
            for canvas, side in ((self.before, step.before), (self.after, step.after)):
                canvas.show_side(shade_cells(side, step.change.first), self._letters_at(side.has_letter))
            self.view_state.resume()
        self.summary.setText(self.change_text())

    def _letters_at(self, there: np.ndarray) -> np.ndarray:
        assert self.result is not None
        letters = np.asarray(self.result.answer.alignment.letters)
        found = np.full(there.shape, GAP, np.uint8)
        found[there] = letters[letters != GAP]
        return found

    def _on_turn(self, other: RefinementCanvas, area: QRectF | None) -> None:
        if area is not None:
            other.look_at(area)
        elif other.area.width() < other.values.shape[1] or other.area.height() < other.values.shape[0]:
            HeatCanvas.show_all(other)

    def _on_point(self, side: RefinementCanvas, cell: tuple[int, int] | None) -> None:
        if cell is None or self.result is None:
            self.show_status("")
            return
        row, column = cell
        letter = chr(side.letters[row, column])
        self.show_status(f"{self.result.answer.alignment.names[row]}, column {column + 1:,}: {letter}")

    def _on_click(self, side: RefinementCanvas, cell: tuple[int, int]) -> None:
        if self.result is not None:
            self.selection.choose_taxa([self.result.answer.alignment.names[cell[0]]])
            if side is self.after and self.steps is not None and self.change_number == len(self.steps) - 1:
                self.selection.choose_column(cell[1], self.result)

    def _build(self) -> None:
        self.slider.setMinimumWidth(200)
        self.slider.setAccessibleName("Change")
        self.slider.valueChanged.connect(lambda _: self._request_step())
        back = tool_button("Back", "Go to the previous change (Left)", lambda: self.step_change(-1))
        on = tool_button("Next", "Go to the next change (Right)", lambda: self.step_change(1))
        self.tools.addWidget(group_widgets(back, self.slider, on))
        self.tools.addWidget(tool_button("Fit", "Show everything (double click)", self._fit_both))
        self.tools.addWidget(tool_button("Copy table", "Copy the table of all changes", self.copy_table))
        both, holder = QSplitter(Qt.Orientation.Vertical), QWidget()
        for canvas, other in ((self.before, self.after), (self.after, self.before)):
            both.addWidget(canvas)
            canvas.turned.connect(lambda area, other=other: self._on_turn(other, area))
            canvas.pointed.connect(lambda cell, canvas=canvas: self._on_point(canvas, cell))
            canvas.clicked.connect(lambda cell, canvas=canvas: self._on_click(canvas, cell))
        both.setChildrenCollapsible(False)
        column_of(self.summary, (both, 1), parent=holder)
        holder.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.build_layout(holder)
        self._tools.setEnabled(False)

    def _fit_both(self) -> None:
        self.before.show_all()
        self.after.show_all()
