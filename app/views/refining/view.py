"""RefinementView: an alignment before and after each step of its refinement."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter
from PySide6.QtWidgets import QSlider, QSplitter, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import heat
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import together
from antidiag.app.kit.heat_canvas import COLOURS, HeatCanvas
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.painted_view import PaintedView
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import label, tool_button
from antidiag.app.views.refining.way import FIRST, MOVED, SECOND, Step, Way, shown
from antidiag.kernels.io.aligned import GAP
from antidiag.kernels.model import Result
from antidiag.kernels.msa.problem import MsaAnswer

LETTER = 9.0
"""Pixels of a column from which on its letters are drawn."""
KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class SideCanvas(HeatCanvas):
    """One of two alignments; ``turned(area)`` says that it was moved or zoomed."""

    turned = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.largest, self.letters = True, np.empty((0, 0), np.uint8)
        self.over = self._draw_letters
        self.setAccessibleName(name)

    def show_side(self, values: np.ndarray, letters: np.ndarray) -> None:
        """Show an alignment; the same part of it as of the one before, where that is there."""
        area, whole = QRectF(self.area), self.area.width() >= self.values.shape[1]
        same = bool(self.values.size) and self.values.shape[0] == values.shape[0]
        self.show_values(values, (0.0, 1.0))
        self.letters = letters
        if same and not whole:
            self._place(area)

    def look_at(self, area: QRectF) -> None:
        """Show a part, and tell nobody."""
        if self.values.size:
            self._place(area)

    def fit(self) -> None:
        super().fit()
        self.turned.emit(None)

    def _move(self, area: QRectF) -> None:
        self._place(area)
        self.turned.emit(self.area)

    def _place(self, area: QRectF) -> None:
        super()._move(QRectF(area))

    def _draw_letters(self, painter: QPainter) -> None:
        """The letters in sight, where there is room for them."""
        wide, high = self.across(1) - self.across(0), self.down(1) - self.down(0)
        if wide < LETTER or high < LETTER:
            return
        rows, columns = self.in_sight()
        painter.setPen(QColor(theme.active().text))
        for row in range(rows.start, rows.stop):
            for column in range(columns.start, columns.stop):
                if self.letters[row, column] != GAP:
                    painter.setPen(QColor("#10141a" if self.values[row, column] >= FIRST else "#ffffff"))
                    box = QRectF(self.across(column), self.down(row), wide, high)
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, chr(self.letters[row, column]))


class RefinementView(PaintedView):
    """Above an alignment as it was, below as it became, with what moved, a step of the refinement after another."""

    id = "refinement"
    title = "Refinement"
    hint = "Left and right step through the changes; wheel to zoom, drag to move, double click shows everything"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.way: Way | None = None
        self.shown_step: Step | None = None
        self._shown_number = 0
        self.before, self.after = SideCanvas("Alignment before"), SideCanvas("Alignment after")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self._told = label(wrap=True)
        self._making = Latest(self)
        self._making.finished.connect(self._take)
        self._making.failed.connect(lambda error: self.say(str(error)))
        self._build()

    @classmethod
    def shows(cls, result: Result) -> bool:
        answer = result.answer
        return isinstance(answer, MsaAnswer) and answer.changes is not None and len(answer.changes) > 0

    @property
    def busy(self) -> bool:
        """Whether a step is still being made."""
        return self._making.busy

    @property
    def number(self) -> int:
        """The change that is shown, from 0."""
        return self.slider.value()

    def show_result(self, result: Result | None) -> None:
        """Show the first change of a result, or nothing."""
        self._making.cancel()
        self.result = result if result is not None and self.shows(result) else None
        self.way = Way(self.result.answer) if self.result is not None else None
        self.shown_step = None
        self._tools.setEnabled(self.way is not None)
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(len(self.way) - 1, 0) if self.way else 0)
        self.slider.setValue(0)
        self.slider.blockSignals(False)
        self._request()
        self.restyle()
        self.say("")

    def step(self, by: int) -> None:
        """To the next change, or the one before."""
        self.slider.setValue(self.number + by)

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Both alignments as they are seen."""
        half = area.height() / 2
        for canvas, top in ((self.before, area.top()), (self.after, area.top() + half)):
            painter.save()
            painter.translate(area.left(), top)
            painter.setClipRect(QRectF(0, 0, area.width(), half - 4))
            canvas.draw(painter, area.width(), half - 4)
            painter.restore()

    def restyle(self) -> None:
        words = ((FIRST, "letters of the first part of the rows"), (SECOND, "of the second"),
                 (MOVED, "beside others than in the other alignment"))  # fmt: skip
        shades = heat.colours(COLOURS)
        self.legend.show_items(tuple(
            LegendItem("fill", text, (QColor.fromRgb(int(shades[int(value * (heat.SHADES - 1))])).name(),))
            for value, text in words
        ) if self.way else ())  # fmt: skip
        for canvas in (self.before, self.after):
            canvas.update()

    def told(self) -> str:
        """What the change that is shown did."""
        step = self.shown_step
        if step is None or self.way is None:
            return "Going back through the refinement \N{HORIZONTAL ELLIPSIS}" if self.busy else ""
        before, after = step.change.expected
        first = int(step.change.first.sum())
        widths = [side.there.shape[1] for side in (step.before, step.after)]
        gain = f" ({(after - before) / before:+.3%})" if before > 0 else ""
        earlier = self.way.answer.changes.earlier
        of = f"{self._shown_number + 1 + earlier:,} of {len(self.way) + earlier:,}"
        parts = (
            f"Change {of}: {first:,} and {step.change.first.size - first:,} rows parted and merged again",
            f"expected pairs between them {before:,.2f} to {after:,.2f}{gain}",
            f"columns {widths[0]:,} to {widths[1]:,}",
            f"{step.moved_letters:,} letters of {step.moved_rows:,} rows beside others",
        )
        return "; ".join(parts)

    def table_text(self) -> str:
        """A line for each change: rows parted, expected pairs and columns before, expected pairs after."""
        if self.way is None or self.way.answer.changes is None:
            return ""
        lines = ["change\tfirst rows\tother rows\texpected before\texpected after\tcolumns before"]
        for number in range(len(self.way)):
            change = self.way.answer.changes[number]
            first, (before, after) = int(change.first.sum()), change.expected
            lines.append(f"{number + 1 + self.way.answer.changes.earlier}\t{first}\t{change.first.size - first}\t"
                         f"{before:.6g}\t{after:.6g}\t{change.before.size}")  # fmt: skip
        return "\n".join(lines) + "\n"

    def copy_table(self) -> None:
        """Copy all changes, for a spreadsheet."""
        QGuiApplication.clipboard().setText(self.table_text())
        self.say("Copied the table of the changes")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in KEYS:
            self.step(KEYS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _request(self) -> None:
        way, number = self.way, self.number
        if way is None:
            self._show(None)
        else:
            self._told.setText(self.told())
            self._making.request(lambda monitor: (number, way.step(number)))

    def _take(self, made: tuple[int, Step]) -> None:
        if made[0] == self.number:
            self._shown_number = made[0]
            self._show(made[1])

    def _show(self, step: Step | None) -> None:
        self.shown_step = step
        if step is None:
            for canvas in (self.before, self.after):
                canvas.show_side(np.empty((0, 0), np.float32), np.empty((0, 0), np.uint8))
        else:
            for canvas, side in ((self.before, step.before), (self.after, step.after)):
                canvas.show_side(shown(side, step.change.first), self._letters(side.there))
        self._told.setText(self.told())

    def _letters(self, there: np.ndarray) -> np.ndarray:
        """The letters of the rows where they stood, uint8."""
        assert self.result is not None
        given = np.asarray(self.result.answer.alignment.letters)
        found = np.full(there.shape, GAP, np.uint8)
        found[there] = given[given != GAP]
        return found

    def _on_turn(self, other: SideCanvas, area: QRectF | None) -> None:
        if area is not None:
            other.look_at(area)
        elif other.area.width() < other.values.shape[1] or other.area.height() < other.values.shape[0]:
            HeatCanvas.fit(other)

    def _on_point(self, side: SideCanvas, cell: tuple[int, int] | None) -> None:
        if cell is None or self.result is None:
            self.say("")
            return
        row, column = cell
        letter = chr(side.letters[row, column])
        self.say(f"{self.result.answer.alignment.names[row]}, column {column + 1:,}: {letter}")

    def _on_click(self, side: SideCanvas, cell: tuple[int, int]) -> None:
        if self.result is not None:
            self.selection.choose_taxa([self.result.answer.alignment.names[cell[0]]])
            if side is self.after and self.way is not None and self.number == len(self.way) - 1:
                self.selection.choose_column(cell[1], self.result)

    def _build(self) -> None:
        self.slider.setMinimumWidth(200)
        self.slider.setAccessibleName("Change")
        self.slider.valueChanged.connect(lambda _: self._request())
        back = tool_button("Back", "The change before (Left)", lambda: self.step(-1))
        on = tool_button("Next", "The next change (Right)", lambda: self.step(1))
        self.tools.addWidget(together(back, self.slider, on))
        self.tools.addWidget(tool_button("Fit", "Show everything (double click)", self._fit))
        self.tools.addWidget(tool_button("Copy table", "Copy what all changes did", self.copy_table))
        both, holder = QSplitter(Qt.Orientation.Vertical), QWidget()
        for canvas, other in ((self.before, self.after), (self.after, self.before)):
            both.addWidget(canvas)
            canvas.turned.connect(lambda area, other=other: self._on_turn(other, area))
            canvas.pointed.connect(lambda cell, canvas=canvas: self._on_point(canvas, cell))
            canvas.clicked.connect(lambda cell, canvas=canvas: self._on_click(canvas, cell))
        both.setChildrenCollapsible(False)
        box = QVBoxLayout(holder)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._told)
        box.addWidget(both, 1)
        holder.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lay_out(holder)
        self._tools.setEnabled(False)

    def _fit(self) -> None:
        self.before.fit()
        self.after.fit()
