"""PlaneView: what the views of the plane of two sequences share: where one looks, what is pointed at, figures.

The plane has a cell (i, j) for every two places of the sequences. Views of the same result look at the same window:
the one that is visible tells the others through the selection, and they go there when they are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export, result_text
from antidiag.app.kit.flow import ToolRow, where_width
from antidiag.app.kit.legend import Legend
from antidiag.app.kit.plane import cell_address
from antidiag.app.kit.plane.data import Span
from antidiag.app.kit.plane.picture import Frame, Picture
from antidiag.app.kit.plane.plot import MatrixPlot
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Elided, Line, check_action, tool_button
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Result

Cell = tuple[int, int]
SNAP_PIXELS = 6


class PlaneView(QWidget):
    """A plot of cells with tools above, legend and status below. The views derive from it.

    A view sets ``picture`` before it calls `begin`, adds its own tools to ``tools`` between `add_places` and
    `add_figures`, and says what it draws in `draw`.
    """

    id = ""
    title = ""
    hint = "Drag to move, wheel to zoom, Shift and drag for a window, double click for single cells"

    def __init__(self, selection: Selection, part: pg.PlotItem | None = None) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.picture: Picture | None = None
        self._fitted = True
        self._told: tuple[Span, Span] | None = None
        self._wanted: tuple[Span, Span] | None = None
        self.plot = MatrixPlot(self.draw, part)
        self._lay_out()
        self._connect_plane()

    @classmethod
    def part(cls) -> pg.PlotItem:
        return MatrixPlot.inner()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return result_text.is_pair(result)

    def draw(self, painter: QPainter, frame: Frame, area: QRectF, pointer: bool) -> None:
        """Draw what lies over the image; ``pointer`` tells whether the places that are pointed at are drawn too."""
        raise NotImplementedError

    def hover_text(self, cell: Cell | None) -> str:
        """What is known of a cell, in one line."""
        raise NotImplementedError

    def go_to(self, text: str) -> bool:
        """Go to the place that ``text`` names; says what is wrong with it, and False, where it names none."""
        try:
            place = cell_address.parse(text, self.plot.lengths, self.result.answer if self.result else None)
        except ParameterError as error:
            self._mark_place(wrong=True)
            self._status.setText(str(error))
            return False
        self._mark_place(wrong=False)
        self._fitted = False
        if place.cell:
            self.plot.show_cell(place.cell, self.cell_pixels())
            self.selection.hover_cell(place.cell)
        else:
            self.plot.show_window(place.rows, place.columns)
        return True

    def fit(self) -> None:
        """Show everything."""
        self.plot.fit()
        self._fitted = True

    def show_path(self) -> None:
        """Show the path from start to end."""
        if self.picture is not None and self.picture.path is not None and self.picture.end != (0, 0):
            (i, j), (i_end, j_end) = self.picture.path.alignment.start, self.picture.end
            self.plot.show_window((i, i_end + 1), (j, j_end + 1))
            self._fitted = False

    def one_to_one(self) -> None:
        """One cell a pixel, around the middle of what is visible."""
        rect = self.plot.box.viewRect()
        self.plot.show_cell((rect.center().y(), rect.center().x()), 1)
        self._fitted = False

    def cell_pixels(self) -> float:
        """Size of a cell at which everything about it can be read."""
        raise NotImplementedError

    def figure_title(self) -> str:
        return result_text.title(self.result)

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Title, plot and legend, for a file."""
        self.plot.show_pointer(False)
        export.draw_plot(painter, area, self.figure_title(), self.plot, self._legend.items)
        self.plot.show_pointer(True)

    def figure_size(self) -> QSize:
        return export.plot_size(self.fontMetrics(), self.plot, self._legend.items)

    def save(self) -> None:
        """Ask for a file and write the figure as PNG or SVG."""
        export.ask_and_save(self, self.id, self.figure_size(), self.draw_figure, self.figure_title())

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        export.copy(self.figure_size(), self.draw_figure)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self._wanted is not None and self.picture is not None:
            self._adopt(self._wanted)
        self._wanted = None

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if self._fitted:
            self.plot.fit()

    def begin(self, names: tuple[str, str] = ("", "")) -> None:
        """Show another problem, or nothing; look at the window that another view of this result shows, or at all."""
        self._where.clear()
        self._mark_place(wrong=False)
        self._wanted = self._told = None
        self.plot.show_plane(self.picture.problem if self.picture else None, names)
        if self.picture is not None:
            self.fit()
            if self.result is not None and self.selection.ranges is not None:
                self._adopt(self.selection.ranges)

    def tell_window(self, rows: Span, columns: Span) -> None:
        """Let the other views of this result look at the same window, unless it came from them."""
        own, self._told = self._told not in (None, (rows, columns)), (rows, columns)
        if own and self.result is not None and self.isVisible():
            self.selection.show_ranges(self._told)

    def add_places(self) -> None:
        """Tools that lead to places."""
        self.tools.addWidget(self._where)
        self.tools.addWidget(tool_button("Fit", "Show everything (F)", self.fit))
        self.path_button = tool_button("Path", "Show the path from start to end (P)", self.show_path)
        self.tools.addWidget(self.path_button)
        self.tools.addWidget(tool_button("1:1", "One cell a pixel (1)", self.one_to_one))

    def layer_menu(self, layers: Mapping[str, str]) -> QMenu:
        """What is drawn and what is not, by the labels of the layers; and whether cells are square."""
        menu = QMenu(self)
        self.layer_actions = {
            layer: check_action(menu, label, True, partial(self.switch_layer, layer)) for layer, label in layers.items()
        }
        menu.addSeparator()
        self.square = check_action(menu, "Square cells", False, self.set_square)
        return menu

    def switch_layer(self, layer: str, on: bool) -> None:
        """Draw a layer, or leave it out."""
        raise NotImplementedError

    def add_figures(self) -> None:
        """Tools that keep the figure."""
        self.tools.addWidget(tool_button("Copy", "Copy the figure", self.copy))
        self.tools.addWidget(tool_button("Save\u2026", "Save the figure as PNG or SVG", self.save))

    def say_cell(self, cell: Cell | None) -> None:
        """Say in the status line what is known of a cell, or else what can be done."""
        self._status.setText(self.hover_text(cell) if cell is not None else self.hint if self.picture else "")

    def set_square(self, square: bool) -> None:
        """Whether cells are square, or the plane fills the plot."""
        self.plot.set_square(square)
        if self._fitted:
            self.plot.fit()

    def restyle(self) -> None:
        """Colours of another theme."""
        theme.style_plot(self.plot.getPlotItem())
        self.plot.setBackground(theme.active().panel)
        self.plot.refresh()

    def on_cell(self, cell: Cell | None) -> None:
        """A cell is hovered, here or in another view."""
        if self.picture is not None:
            self.picture.hovered = cell
            self.say_cell(cell)
            self.plot.refresh()

    def on_hover(self, cell: Cell | None) -> None:
        """The mouse is over a cell of this plot."""
        if self.picture is not None:
            self.selection.hover_cell(cell)

    def go_to_column(self, column: int) -> None:
        """Bring the cell of a column of the alignment into view, as far away as now."""
        path = self.picture.path if self.picture else None
        if path is None or column >= path.length:
            return
        i, j = path.cell(column + 1)
        frame = self.plot.frame()
        if not (frame.rows[0] <= i < frame.rows[1] and frame.columns[0] <= j < frame.columns[1]):
            self._fitted = False
            self.plot.show_cell((i, j), min(frame.width, frame.height))

    def _lay_out(self) -> None:
        self._where = Line(placeholderText="Go to i, j")
        self._where.setToolTip(cell_address.HINT)
        self._where.setAccessibleName("Go to")
        self._where.setFixedWidth(where_width(self._where))
        self._tools = QWidget()
        self.tools = ToolRow(self._tools)
        self._status = Elided()
        self._legend = Legend()
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        layout.addWidget(self._tools)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self._legend)
        layout.addWidget(self._status)

    def _connect_plane(self) -> None:
        self._where.returnPressed.connect(lambda: self.go_to(self._where.text()))
        self.plot.hovered.connect(self.on_hover)
        self.plot.clicked.connect(self._on_click)
        self.plot.zoomed_into.connect(self._on_zoom)
        self.plot.key.connect(lambda key: {"p": self.show_path, "1": self.one_to_one}.get(key, self.fit)())
        self.plot.box.sigRangeChangedManually.connect(lambda *_: setattr(self, "_fitted", False))
        self.selection.cell_changed.connect(self.on_cell)
        self.selection.column_changed.connect(self._on_column)
        self.selection.column_chosen.connect(self.go_to_column)
        self.selection.ranges_changed.connect(self._on_ranges)
        theme.notifier.changed.connect(self.restyle)

    def _mark_place(self, wrong: bool) -> None:
        self._where.setProperty("wrong", wrong)
        self._where.style().polish(self._where)

    def _adopt(self, ranges: tuple[Span, Span]) -> None:
        """Look at the window of another view, and do not call it one's own."""
        whole = tuple((0, length + 1) for length in self.plot.lengths)
        self._fitted = ranges == whole
        self._told = None
        self.plot.fit() if self._fitted else self.plot.show_window(*ranges)

    def _on_ranges(self, ranges: tuple[Span, Span] | None) -> None:
        if not self.isVisible():
            self._wanted = ranges

    def _on_column(self, column: int | None) -> None:
        """Mark the cell at which the hovered column of the alignment ends."""
        path = self.picture.path if self.picture else None
        if path is not None and column is not None and column < path.length:
            self.on_cell(path.cell(column + 1))
        else:
            self.on_cell(self.selection.cell)

    def _on_click(self, cell: Cell) -> None:
        self.selection.choose_cell(self._snapped(cell), self.result)

    def _snapped(self, cell: Cell) -> Cell:
        """The cell of the path next to a click on its line, or the clicked cell."""
        path, frame = self.picture.path, self.plot.frame()
        if path is None or path.point_at(cell) is not None:
            return cell
        reach = (round(SNAP_PIXELS / size) for size in (frame.height, frame.width))
        first, last = path.visible(*((x - r, x + r + 1) for x, r in zip(cell, reach, strict=True)))
        return path.cell((first + last) // 2) if first <= last else cell

    def _on_zoom(self, cell: Cell) -> None:
        self._fitted = False
        self.plot.show_cell(cell, self.cell_pixels())


def widened(span: Span, length: int, margin: int) -> Span:
    """Half-open cells with a margin, cut to the plane."""
    return max(span[0] - margin, 0), min(span[1] + margin, length + 1)
