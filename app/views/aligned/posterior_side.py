"""Posteriors of two rows below their alignment, linked with it: what is likely, and which third rows say so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QListWidget, QSplitter, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export, figure, heat
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import Flow, together
from antidiag.app.kit.heat_canvas import COLOURS, HeatCanvas
from antidiag.app.kit.legend import Legend, LegendItem
from antidiag.app.kit.result_text import TIMES
from antidiag.app.kit.widgets import tool_button
from antidiag.app.views.aligned.picture import Frame, Picture
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.app.views.aligned.wrapping import Mark
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import AlignedSequences

if TYPE_CHECKING:
    from antidiag.kernels.msa.consistency.support import PairSupport  # loads a compiler

NAMES_WIDTH = 180
LISTED = 200
"""Third rows that are named."""
WIDEST_LINE = 6
"""Pixels of a letter up to which the line of the alignment is drawn; beyond it would hide what it goes through."""


class PosteriorSide:
    """Has the panel below the alignment: a heat map of two rows, what stands together, and the third rows."""

    def __init__(self, view: ShownAlignment) -> None:
        self._view = view
        self.found: PairSupport | None = None
        self._of: AlignedSequences | None = None
        self._place: tuple[int, int] | None = None
        self._pointed: tuple[int, int] | None = None
        self.canvas, self.thirds, self._told = HeatCanvas(), QListWidget(), QLabel(wordWrap=True)
        self.rows = QComboBox(), QComboBox()
        self.consistent = QCheckBox("After consistency")
        self._legend, self._listed = Legend(), QLabel(wordWrap=True)
        self.panel = QWidget()
        self.panel.hide()
        for widget in (self.canvas, self.thirds, self._told, *self.rows, self.consistent, self._legend, self._listed):
            widget.setParent(self.panel)  # and go with it, opened or not
        self._computing = Latest(view)
        self._computing.finished.connect(self._take)
        self._computing.failed.connect(self._refuse)
        self._computing.progressed.connect(lambda state: self._told.setText(f"Posteriors: {state[0] / state[1]:.0%}"))
        self.canvas.over, self.canvas.largest = self._draw_over, True
        self.canvas.pointed.connect(self._on_heat)
        self.canvas.clicked.connect(self._on_click)
        self.consistent.toggled.connect(lambda _: self._show())
        for box in self.rows:
            box.activated.connect(lambda _: self._request())
        view.canvas.chosen.connect(self._on_cursor)
        view.canvas.pointed.connect(self._on_alignment)
        view.another.connect(self.hide)
        view.altered.connect(self._on_altered)
        view.laid.connect(self._describe)

    @property
    def busy(self) -> bool:
        return self._computing.busy

    @property
    def there(self) -> bool:
        """Whether the panel is open."""
        return not self.panel.isHidden()

    def show(self, on: bool) -> None:
        """Open the panel with two of the chosen rows, or the row at the cursor and the one below it; or close it."""
        if not on:
            self.hide()
            return
        picture = self._view.picture
        if len(self._view.alignment.names) < 2:
            self._view.say("Posteriors are of two rows, and there is one.")
            return
        if self.panel.layout() is None:
            self._lay_out()
        self._fill()
        chosen = np.flatnonzero(picture.choice.rows)
        below = picture.cursor[0] + (1 if picture.cursor[0] + 1 < picture.order.size else -1)
        here = [int(picture.order[picture.cursor[0]]), int(picture.order[below])] if picture.order.size > 1 else [0, 1]
        first, second = chosen[:2].tolist() if chosen.size == 2 else here
        self.rows[0].setCurrentIndex(first)
        self.rows[1].setCurrentIndex(second)
        self.panel.show()
        self._request()

    def hide(self) -> None:
        """Close the panel, and forget what it showed."""
        self._computing.cancel()
        self.panel.hide()
        self._forget()

    def marks(self) -> tuple[Mark, ...]:
        """What draws over the cells: frames around the two letters that the pointer is on in the heat map."""
        if self._pointed is None or self.found is None or self._view.alignment is not self._of:
            return ()
        letters = zip(self.found.rows, self.found.columns, self._pointed, strict=True)
        cells = tuple((row, float(columns[letter])) for row, columns, letter in letters)
        return (partial(_mark, cells=cells),)

    def _lay_out(self) -> None:
        """Put everything into the panel, when it is first opened: few who look at an alignment do."""
        tools = QWidget()
        row = Flow(tools)
        for box, word in zip(self.rows, ("Posteriors of", TIMES), strict=True):
            box.setMaximumWidth(NAMES_WIDTH)
            box.setAccessibleName("Row")
            row.addWidget(together(QLabel(f"{word} "), box))
        self.consistent.setToolTip("What third rows say counts too, as in a round of consistency")
        row.addWidget(self.consistent)
        row.addWidget(tool_button("Fit", "Show all letters (double click)", self.canvas.fit))
        row.addWidget(tool_button("Copy", "Copy the figure", self.copy))
        row.addWidget(tool_button("Save figure", "Save the figure as PNG, SVG or PDF", self.save_figure))
        row.addWidget(tool_button("Close", "Close the posteriors", self.hide))
        beside, listed = QSplitter(Qt.Orientation.Horizontal), QWidget()
        column = QVBoxLayout(listed)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._listed)
        column.addWidget(self.thirds, 1)
        beside.addWidget(self.canvas)
        beside.addWidget(listed)
        beside.setStretchFactor(0, 1)
        layout = QVBoxLayout(self.panel)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(tools)
        layout.addWidget(beside, 1)
        layout.addWidget(self._legend)
        layout.addWidget(self._told)
        self.canvas.setAccessibleName("Posteriors")
        self.thirds.setAccessibleName("Third rows")
        self.thirds.itemActivated.connect(lambda item: self._go_to_third(self.thirds.row(item)))

    def _fill(self) -> None:
        names = self._view.alignment.names
        for box in self.rows:
            if [box.itemText(place) for place in range(box.count())] != list(names):
                box.clear()
                box.addItems(names)

    def _request(self) -> None:
        """Compute the posteriors of the rows that are named."""
        from antidiag.kernels.msa.consistency import support  # compiles, so that it is loaded when it is wanted

        alignment = self._view.alignment
        first, second = (box.currentIndex() for box in self.rows)
        self._forget()
        self._told.setText("Computing posteriors ...")
        self._computing.request(
            lambda monitor: (alignment, _complete(support.of_rows(alignment, first, second, monitor)))
        )

    def _forget(self) -> None:
        self.found, self._of, self._place, self._pointed = None, None, None, None
        self.thirds.clear()
        self._listed.setText("")
        self._show()

    def _take(self, made: tuple[AlignedSequences, PairSupport]) -> None:
        self._of, self.found = made
        self._on_cursor()
        self._show()
        self._tell(None)

    def _refuse(self, error: Exception) -> None:
        self._forget()
        self._told.setText(str(error))
        if not isinstance(error, InputError):
            raise error

    def _on_altered(self) -> None:
        """The alignment was edited: its letters may be others, and stand elsewhere."""
        if self.there and self._view.alignment is not self._of:
            if len(self._view.alignment.names) != self.rows[0].count():
                self.hide()
            else:
                self._request()

    def _show(self) -> None:
        if self.found is None:
            self.canvas.show_values(np.empty((0, 0)))
            self._legend.show_items(())
            return
        values = self.found.after if self.consistent.isChecked() else self.found.before
        area = self.canvas.area if self.canvas.values.shape == values.shape else None
        self.canvas.show_values(values, (0.0, 1.0))
        if area is not None:
            self.canvas.area = area
        self._describe()

    def _describe(self) -> None:
        """The legend, in the colours of the theme; and the picture again."""
        self.canvas.update()
        if self.found is None:
            return
        names = [self._of.names[row] for row in self.found.rows]
        self._legend.show_items((
            LegendItem("gradient", "posterior 0 to 1", heat.swatches(COLOURS)),
            LegendItem("line", "together in the alignment", (theme.active().path,)),
            LegendItem("text", f"down {names[0]}, across {names[1]}"),
        ))  # fmt: skip

    def _draw_over(self, painter: QPainter) -> None:
        """The letters that stand together, and lines through the place of the cursor."""
        if self.found is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        first, second = self.found.pairs
        colour = QColor(theme.active().path)
        colour.setAlpha(150)
        if self.canvas.across(1) - self.canvas.across(0) <= WIDEST_LINE:
            painter.setPen(QPen(colour, 1))
            points = [QPointF(self.canvas.across(j + 0.5), self.canvas.down(i + 0.5))
                      for i, j in zip(first.tolist(), second.tolist(), strict=True)]  # fmt: skip
            painter.drawPolyline(QPolygonF(points))
        else:
            painter.setPen(QPen(colour, 2))
            for i, j in zip(first.tolist(), second.tolist(), strict=True):
                painter.drawRect(_box(self.canvas, i, j))
        if self._place is not None:
            painter.setPen(QPen(QColor(theme.active().warning), 1))
            i, j = (place + 0.5 for place in self._place)
            rows, columns = self.canvas.values.shape
            painter.drawLine(
                QPointF(self.canvas.across(0), self.canvas.down(i)),
                QPointF(self.canvas.across(columns), self.canvas.down(i)),
            )
            painter.drawLine(
                QPointF(self.canvas.across(j), self.canvas.down(0)),
                QPointF(self.canvas.across(j), self.canvas.down(rows)),
            )
        painter.restore()

    def _on_cursor(self) -> None:
        """Lines through the letters in the column at the alignment's cursor."""
        if self._view.picture is not None:
            self._cross(self._view.picture.cursor[1])

    def _on_alignment(self, cell: tuple[int, int] | None) -> None:
        """The same in the column that the pointer is on."""
        if cell is not None:
            self._cross(cell[1])

    def _cross(self, column: int) -> None:
        if self.found is None or self._view.alignment is not self._of:
            return
        first, second = (int(np.searchsorted(columns, column)) for columns in self.found.columns)
        place = min(first, self.found.before.shape[0] - 1), min(second, self.found.before.shape[1] - 1)
        if place != self._place:
            self._place = place
            self.canvas.update()
            self._tell(place if all(int(columns[at]) == column for columns, at in
                                    zip(self.found.columns, place, strict=True)) else None)  # fmt: skip

    def _on_heat(self, cell: tuple[int, int] | None) -> None:
        """Frame both letters in the alignment, point at the first one's column, and tell what is said of them."""
        if self.found is None or self._view.alignment is not self._of:
            return
        self._pointed = cell
        self._view.canvas.viewport().update()
        self._view.selection.hover_column(int(self.found.columns[0][cell[0]]) if cell else None)
        self._tell(cell)

    def _on_click(self, cell: tuple[int, int]) -> None:
        """Put the cursor on the first letter."""
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

    def _tell(self, cell: tuple[int, int] | None) -> None:
        """What is known of a pair of letters, or of all that stand together, and which third rows say so."""
        found = self.found
        if found is None:
            return
        if cell is None:
            support, what = found.mean_support, "what stands together"
            here, then = (float(values[found.pairs].mean()) if found.pairs[0].size else 0.0
                          for values in (found.before, found.after))  # fmt: skip
            about = f"{found.pairs[0].size:,} pairs of letters stand together"
        else:
            support = found.support(np.array([cell[0]]), np.array([cell[1]]))[:, 0]
            what = about = f"{self._letter(0, cell[0])} {TIMES} {self._letter(1, cell[1])}"
            here, then = float(found.before[cell]), float(found.after[cell])
        self._told.setText(f"{about}: posterior {here:.3f}, after consistency {then:.3f}")
        self._order = np.argsort(-support, kind="stable")[:LISTED].tolist()
        rows = len(self._of.names) - 2
        shown = f", the {support.size:,} most alike of {rows:,}" if support.size < rows else ""
        self._listed.setText(f"Third rows that support {what}{shown}" if support.size else "No third row")
        self.thirds.clear()
        self.thirds.addItems([f"{support[z]:.3f}  {self._of.names[int(found.thirds[z])]}" for z in self._order])

    def _letter(self, which: int, place: int) -> str:
        row, column = self.found.rows[which], int(self.found.columns[which][place])
        return f"{chr(self._of.letters[row, column])}{place + 1:,}"

    def copy(self) -> None:
        """Copy the heat map as it is seen."""
        export.copy(self._figure_size(), self._draw_figure)
        self._told.setText("Copied the figure.")

    def save_figure(self) -> None:
        """Ask for a file and write the heat map as PNG, SVG or PDF."""
        export.ask_and_save(self._view, "posteriors", self._figure_size(), self._draw_figure, self._title())

    def _title(self) -> str:
        return f"Posteriors of {self.rows[0].currentText()} {TIMES} {self.rows[1].currentText()}"

    def _figure_size(self) -> QSize:
        return figure.size(self.canvas.width(), self.canvas.height(), self._legend.items)

    def _draw_figure(self, painter: QPainter, area: QRectF) -> None:
        figure.draw(painter, area, self._title(), self._legend.items, self.canvas.draw)


def _box(canvas: HeatCanvas, i: int, j: int) -> QRectF:
    return QRectF(QPointF(canvas.across(j), canvas.down(i)), QPointF(canvas.across(j + 1), canvas.down(i + 1)))


def _complete(found: PairSupport) -> PairSupport:
    """With all that is shown made here, on a thread."""
    _ = found.before, found.after, found.mean_support
    return found


def _mark(painter: QPainter, picture: Picture, frame: Frame, cells: Sequence[tuple[int, float]]) -> None:
    """A frame around each of these cells, which are rows and columns."""
    painter.save()
    painter.setClipRect(QRectF(frame.left, frame.top, frame.width, frame.height))
    painter.setPen(QPen(QColor(theme.active().warning), 2))
    for row, column in cells:
        for place in np.flatnonzero(picture.order == row).tolist():
            box = QRectF(frame.x(column), frame.y(place), frame.cell_width, frame.cell_height)
            painter.drawRect(box.adjusted(-1, -1, 1, 1))
    painter.restore()
