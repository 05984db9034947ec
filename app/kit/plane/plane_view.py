"""The base of views of the plane of two sequences: window, pointer, figures.

The plane has a cell (i, j) for every pair of positions. The visible view tells the others its window through the
selection, and they show it as soon as they are visible.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu

from antidiag.app import theme
from antidiag.app.kit.canvas.painted_view import FigureView
from antidiag.app.kit.controls.flow_layouts import go_to_width
from antidiag.app.kit.controls.widgets import UndoLineEdit, add_check_action, tool_button
from antidiag.app.kit.figures import export
from antidiag.app.kit.focus import mark_search_field
from antidiag.app.kit.plane import cell_address
from antidiag.app.kit.plane.matrix_picture import MatrixFrame, MatrixPicture
from antidiag.app.kit.plane.matrix_plot import MatrixPlot
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Result
from antidiag.kernels.registry.matrix_values import Span

Cell = tuple[int, int]
SNAP_PIXELS, ZOOM_SNAP_PIXELS = 6, 16
"""Pixels from the path within which a click, and a zoom, mean the path."""


class PlaneView(FigureView):
    """A plot of cells with tools above, legend and status below. A view sets ``picture`` before it calls
    `begin_picture`, adds its own tools between `add_navigation_tools` and `add_figure_tools`, and draws in `draw`."""

    hint = "Drag to move, wheel to zoom, Shift and drag for a window, double click for single cells and back"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.picture: MatrixPicture | None = None
        self._fitted = True
        self._shared_window: tuple[Span, Span] | None = None
        self._requested_window: tuple[Span, Span] | None = None
        self.plot = MatrixPlot(self.draw)
        self._build_layout()
        self._connect_plane()
        self.view_state.keep_place("window", self._list_window, self._restore_window)

    @property
    def has_content(self) -> bool:
        """Whether a plane is shown."""
        return self.picture is not None

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return result_text.is_pair(result)

    def draw(self, painter: QPainter, frame: MatrixFrame, area: QRectF, pointer: bool) -> None:
        """Draw over the image; ``pointer`` is whether hovered places are drawn too."""
        raise NotImplementedError

    def describe_cell(self, cell: Cell | None) -> str:
        """Return one line about a cell."""
        raise NotImplementedError

    def go_to(self, text: str) -> bool:
        """Go to the place that ``text`` names; report what is wrong, and return False, if it names none."""
        try:
            place = cell_address.parse_address(text, self.plot.lengths, self.result.answer if self.result else None)
        except ParameterError as error:
            self._mark_place(wrong=True)
            self.status.setText(str(error))
            return False
        self._mark_place(wrong=False)
        self._fitted = False
        if place.single_cell:
            self.plot.show_cell(place.single_cell, self.readable_cell_pixels())
            self.selection.hover_cell(place.single_cell)
        else:
            self.plot.show_window(place.rows, place.columns)
        return True

    def show_all(self) -> None:
        """Show everything."""
        self.plot.show_all()
        self._fitted = True

    def show_path(self) -> None:
        """Show the path from start to end."""
        if self.picture is not None and self.picture.path is not None and self.picture.end != (0, 0):
            (i, j), (i_end, j_end) = self.picture.path.alignment.start, self.picture.end
            self.plot.show_window((i, i_end + 1), (j, j_end + 1))
            self._fitted = False

    def show_one_to_one(self) -> None:
        """Show one cell per pixel around the centre."""
        rect = self.plot.box.viewRect()
        self.plot.show_cell((rect.center().y(), rect.center().x()), 1)
        self._fitted = False

    def readable_cell_pixels(self) -> float:
        """Return the cell size at which everything about it is readable."""
        raise NotImplementedError

    def figure_title(self) -> str:
        """Return the title of the exported figure."""
        return result_text.format_title(self.result)

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw title, plot and legend for a file."""
        self.plot.show_pointer(False)
        export.draw_plot(painter, area, self.figure_title(), self.plot, self.legend.items)
        self.plot.show_pointer(True)

    def figure_size(self) -> QSize:
        """Return the size of the exported figure."""
        return export.plot_figure_size(self.fontMetrics(), self.plot, self.legend.items)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self._requested_window is not None and self.picture is not None:
            self._show_shared_window(self._requested_window)
        self._requested_window = None

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if self._fitted:
            self.plot.show_all()

    def begin_picture(self, names: tuple[str, str] = ("", "")) -> None:
        """Show another problem or nothing; start with the window of other views of this result."""
        self._where.clear()
        self._mark_place(wrong=False)
        self._requested_window = self._shared_window = None
        self.plot.show_plane(self.picture.problem if self.picture else None, names)
        if self.picture is not None:
            self.show_all()
            if self.result is not None and self.selection.ranges is not None:
                self._show_shared_window(self.selection.ranges)

    def share_window(self, rows: Span, columns: Span) -> None:
        """Show the same window in other views of this result, unless it came from them."""
        own, self._shared_window = self._shared_window not in (None, (rows, columns)), (rows, columns)
        if own and self.result is not None and self.isVisible():
            self.selection.show_ranges(self._shared_window)

    def add_navigation_tools(self) -> None:
        """Add tools that lead to places."""
        self.tools.addWidget(self._where)
        self.tools.addWidget(tool_button("Fit", "Show everything (F)", self.show_all))
        self.path_button = tool_button("Path", "Show the path from start to end (P)", self.show_path)
        self.tools.addWidget(self.path_button)
        self.tools.addWidget(tool_button("1:1", "One cell a pixel (1)", self.show_one_to_one))

    def create_layer_menu(self, layers: Mapping[str, str]) -> QMenu:
        """Create a menu of layers by their labels, and of square cells."""
        menu = QMenu(self)
        self.layer_actions = {
            layer: add_check_action(menu, label, True, partial(self.switch_layer, layer))
            for layer, label in layers.items()
        }
        menu.addSeparator()
        self.square = add_check_action(menu, "Square cells", False, self.set_square)
        return menu

    def switch_layer(self, layer: str, on: bool) -> None:
        """Show or hide a layer."""
        raise NotImplementedError

    def show_cell_status(self, cell: Cell | None) -> None:
        """Describe a cell in the status line, or show the hint."""
        self.status.setText(self.describe_cell(cell) if cell is not None else self.hint if self.picture else "")

    def set_square(self, square: bool) -> None:
        """Set whether cells are square or the plane fills the plot."""
        self.plot.set_square(square)
        if self._fitted:
            self.plot.show_all()

    def apply_theme(self) -> None:
        """Use the colours of another theme."""
        theme.style_plot(self.plot.getPlotItem())
        self.plot.setBackground(theme.active().panel)
        self.plot.redraw_layers()

    def on_shared_cell(self, cell: Cell | None) -> None:
        """A cell is hovered, here or in another view."""
        if self.picture is not None:
            self.picture.hovered = cell
            self.show_cell_status(cell)
            self.plot.redraw_layers()

    def on_hover(self, cell: Cell | None) -> None:
        """The mouse is over a cell of this plot."""
        if self.picture is not None:
            self.selection.hover_cell(cell)

    def go_to_column(self, column: int) -> None:
        """Bring the cell of an alignment column into view at the present zoom."""
        path = self.picture.path if self.picture else None
        if path is None or column >= path.length:
            return
        i, j = path.cell(column + 1)
        frame = self.plot.visible_frame()
        if not (frame.rows[0] <= i < frame.rows[1] and frame.columns[0] <= j < frame.columns[1]):
            self._fitted = False
            self.plot.show_cell((i, j), min(frame.column_width, frame.row_height))

    def _list_window(self) -> list[list[float]] | None:
        """Return the visible columns and rows; None for the whole plane."""
        return None if self._fitted else [list(map(float, span)) for span in self.plot.box.viewRange()]

    def _restore_window(self, window: list[list[float]] | None) -> None:
        """Show these columns and rows, unless another view of this result has shared its window."""
        if window is not None and self.selection.ranges is None:
            across, down = window
            self._fitted = False
            self.plot.box.setRange(xRange=tuple(across), yRange=tuple(down), padding=0)

    def _keep_layers(self, layers: Mapping[str, str]) -> None:
        """Keep which layers are shown, and whether cells are square."""
        for layer in layers:
            self.view_state.keep_check(layer, self.layer_actions[layer])
        self.view_state.keep_check("square", self.square)

    def _build_layout(self) -> None:
        self._where = UndoLineEdit(placeholderText="Go to i, j")
        mark_search_field(self._where)
        self._where.setToolTip(cell_address.HINT)
        self._where.setAccessibleName("Go to")
        self._where.setFixedWidth(go_to_width(self._where))
        self.stack_parts(self.plot)

    def _connect_plane(self) -> None:
        self._where.returnPressed.connect(lambda: self.go_to(self._where.text()))
        self.plot.hovered.connect(self.on_hover)
        self.plot.clicked.connect(self._on_click)
        self.plot.zoomed_into.connect(self._on_zoom)
        self.plot.find_anchor = partial(self._snap_to_path, pixels=ZOOM_SNAP_PIXELS)
        self.plot.key.connect(lambda key: {"p": self.show_path, "1": self.show_one_to_one}.get(key, self.show_all)())
        self.plot.box.sigRangeChangedManually.connect(lambda *_: setattr(self, "_fitted", False))
        self.selection.cell_changed.connect(self.on_shared_cell)
        self.selection.column_changed.connect(self._on_column)
        self.selection.column_chosen.connect(self.go_to_column)
        self.selection.ranges_changed.connect(self._on_ranges)

    def _mark_place(self, wrong: bool) -> None:
        self._where.setProperty("wrong", wrong)
        self._where.style().polish(self._where)

    def _show_shared_window(self, ranges: tuple[Span, Span]) -> None:
        """Show the window of another view without sharing it again."""
        whole = tuple((0, length + 1) for length in self.plot.lengths)
        self._fitted = ranges == whole
        self._shared_window = None
        self.plot.show_all() if self._fitted else self.plot.show_window(*ranges)

    def _on_ranges(self, ranges: tuple[Span, Span] | None) -> None:
        if not self.isVisible():
            self._requested_window = ranges

    def _on_column(self, column: int | None) -> None:
        """Mark the cell at which the hovered column ends."""
        path = self.picture.path if self.picture else None
        if path is not None and column is not None and column < path.length:
            self.on_shared_cell(path.cell(column + 1))
        else:
            self.on_shared_cell(self.selection.cell)

    def _on_click(self, cell: Cell) -> None:
        self.selection.choose_cell(self._snap_to_path(cell), self.result)

    def _snap_to_path(self, cell: Cell, pixels: float = SNAP_PIXELS) -> Cell:
        """Return the path's cell within some pixels of a cell, or the cell."""
        path, frame = self.picture.path if self.picture else None, self.plot.visible_frame()
        if path is None or path.point_at(cell) is not None:
            return cell
        reach = (round(pixels / size) for size in (frame.row_height, frame.column_width))
        first, last = path.visible_points(*((x - r, x + r + 1) for x, r in zip(cell, reach, strict=True)))
        return path.cell((first + last) // 2) if first <= last else cell

    def _on_zoom(self, cell: Cell) -> None:
        """Show a cell so that it can be read, or everything if it can be read already."""
        frame, pixels = self.plot.visible_frame(), self.readable_cell_pixels()
        if min(frame.column_width, frame.row_height) > 0.9 * pixels:  # square cells may be a little smaller
            self.show_all()
            return
        self._fitted = False
        self.plot.show_cell(self._snap_to_path(cell, ZOOM_SNAP_PIXELS), pixels)


def widen_span(span: Span, length: int, margin: int) -> Span:
    """Return half-open cells with a margin, cut to the plane."""
    return max(span[0] - margin, 0), min(span[1] + margin, length + 1)
