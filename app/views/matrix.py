"""MatrixView: the dynamic-programming matrix, from the whole of it down to single cells."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLineEdit, QMenu, QVBoxLayout, QWidget

from app import theme
from app.panels.widgets import Elided
from app.selection import Selection
from app.views import export, matrix_cells, matrix_data, matrix_layers, matrix_legend, matrix_words, places, texts
from app.views.background import Latest
from app.views.flow import WHERE_WIDTH, Flow
from app.views.matrix_data import CellBlock, Levels, Raster, Span
from app.views.matrix_layers import LAYERS, Picture
from app.views.matrix_plot import MatrixPlot
from app.views.matrix_scan import ScanPanel
from app.views.pieces import Legend, check_action, choice_actions, menu_button, tool_button
from kernels.errors import ParameterError
from kernels.model import Mode, Result

MAPS = {"viridis": "Viridis", "cividis": "Cividis", "magma": "Magma"}
LONGEST_SQUARE = 5
HOVER_REACH, CELL_MARGIN = 32, 12
SNAP_PIXELS = 6


class MatrixView(QWidget):
    """H of every cell as colour, with strips, recomputed areas and the path over it."""

    id = "matrix"
    title = "Matrix"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.picture: Picture | None = None
        self._scanned = None
        self._rasters: list[Raster | None] = [None, None]
        self._near: CellBlock | None = None
        self._fitted = True
        self._contrast = "automatic"
        self._map = "viridis"
        self._layers_on = set(LAYERS)
        self._window, self._hover = Latest(self), Latest(self)
        self._build()
        self._connect()
        self._restyle()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return texts.is_pair(result)

    @property
    def sharp(self) -> bool:
        """Whether what is on the screen is computed for exactly this window."""
        return self._scanned is not None and not self._window.busy and not self.plot.resting

    def show_result(self, result: Result | None) -> None:
        """Show a result, or nothing; the scan of the same problem is kept."""
        if result is not None and not self.shows(result):
            result = None
        same = result is not None and self.result is not None and result.problem == self.result.problem
        kept = self.picture.block if same and self.picture else None
        self.result = result
        self.picture = matrix_layers.picture(result) if result else None
        self._tools.setEnabled(result is not None)
        self._near = None
        self.layer_actions["chunks"].setVisible(bool(self.picture and self.picture.chunk_height))
        if same:
            self.picture.layers, self.picture.block = self._layers_on, kept
            self.plot.replace_picture(self.picture)
            self._recolour()
        else:
            self._start_anew()
        self._say_cell(None)
        column = self.selection.chosen("column", result)
        if column is not None:
            self._on_column_chosen(column)

    def hover_text(self, cell: tuple[int, int] | None) -> str:
        """What is known of a cell: place, H, E, F, letters, and whether the path goes through it."""
        if cell is None or self.result is None:
            return ""
        return matrix_words.cell_text(self.result.problem, self.picture.path, cell, self._values(cell))

    def go_to(self, text: str) -> bool:
        """Go to the place that ``text`` names; says what is wrong with it, and False, where it names none."""
        try:
            place = places.parse(text, self.plot.lengths, self.result.answer)
        except ParameterError as error:
            self._where.setProperty("wrong", True)
            self._where.style().polish(self._where)
            self._status.setText(str(error))
            return False
        self._where.setProperty("wrong", False)
        self._where.style().polish(self._where)
        self._fitted = False
        if place.cell:
            self.plot.show_cell(place.cell, self._cell_pixels())
            self.selection.hover_cell(place.cell)
        else:
            self.plot.show_window(place.rows, place.columns)
        return True

    def fit(self) -> None:
        """Show the whole matrix."""
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

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Title, plot and legend, for a file."""
        self.plot.show_pointer(False)
        export.draw_plot(painter, area, texts.title(self.result), self.plot, self._legend.items)
        self.plot.show_pointer(True)

    def figure_size(self) -> QSize:
        return export.plot_size(self.fontMetrics(), self.plot, self._legend.items)

    def save(self) -> None:
        """Ask for a file and write the figure as PNG or SVG."""
        export.ask_and_save(self, "matrix", self.figure_size(), self.draw_figure, texts.title(self.result))

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        export.copy(self.figure_size(), self.draw_figure)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self._scan_when_visible()

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if self._fitted:
            self.plot.fit()

    def _build(self) -> None:
        self._where = QLineEdit(placeholderText="Go to i, j")
        self._where.setToolTip(places.HINT)
        self._where.setFixedWidth(WHERE_WIDTH)
        self._tools = QWidget()
        row = Flow(self._tools)
        row.addWidget(self._where)
        row.addWidget(tool_button("Fit", "Show the whole matrix (F)", self.fit))
        row.addWidget(tool_button("Path", "Show the path from start to end (P)", self.show_path))
        row.addWidget(tool_button("1:1", "One cell a pixel (1)", self.one_to_one))
        row.addWidget(menu_button("Show", "What is drawn over the matrix", self._show_menu()))
        row.addWidget(menu_button("Colours", "Colour map and contrast", self._colour_menu()))
        row.addWidget(tool_button("Copy", "Copy the figure", self.copy))
        row.addWidget(tool_button("Save\u2026", "Save the figure as PNG or SVG", self.save))
        self._status = Elided()
        self._legend = Legend()
        self.plot = MatrixPlot()
        self.scan_panel = ScanPanel(self.plot)
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        layout.addWidget(self._tools)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self._legend)
        layout.addWidget(self._status)

    def _show_menu(self) -> QMenu:
        menu = QMenu(self)
        self.layer_actions = {
            layer: check_action(menu, label, True, partial(self._switch, layer)) for layer, label in LAYERS.items()
        }
        menu.addSeparator()
        self.square = check_action(menu, "Square cells", False, self._set_square)
        return menu

    def _colour_menu(self) -> QMenu:
        menu = QMenu(self)
        choice_actions(menu, "Colour map", MAPS, self._map, self.set_map)
        choice_actions(menu, "Contrast", matrix_data.CONTRASTS, self._contrast, self.set_contrast)
        return menu

    def _connect(self) -> None:
        self._where.returnPressed.connect(lambda: self.go_to(self._where.text()))
        self.plot.settled.connect(self._on_window)
        self.plot.hovered.connect(self._on_hover)
        self.plot.clicked.connect(self._on_click)
        self.plot.zoomed_into.connect(self._on_zoom)
        self.plot.key.connect(lambda key: {"p": self.show_path, "1": self.one_to_one}.get(key, self.fit)())
        self.plot.box.sigRangeChangedManually.connect(lambda *_: setattr(self, "_fitted", False))
        self._window.finished.connect(self._on_part)
        self._window.failed.connect(lambda error: self._status.setText(f"The window could not be computed: {error}"))
        self._hover.finished.connect(self._on_near)
        self.scan_panel.finished.connect(self._on_scan)
        self.selection.cell_changed.connect(self._on_cell)
        self.selection.column_changed.connect(self._on_column)
        self.selection.strip_changed.connect(self._on_strip)
        self.selection.column_chosen.connect(self._on_column_chosen)
        theme.notifier.changed.connect(self._restyle)

    def _start_anew(self) -> None:
        self._where.clear()
        self._scanned, self._rasters = None, [None, None]
        self._window.cancel()
        self._hover.cancel()
        self.scan_panel.stop()
        problem = self.result.problem if self.result else None
        self.plot.show_picture(self.picture, (problem.first.name, problem.second.name) if problem else ("", ""))
        if problem:
            self.picture.layers = self._layers_on
            lengths = sorted(self.plot.lengths)
            self.square.setChecked(lengths[1] <= LONGEST_SQUARE * lengths[0])
            self._set_square(self.square.isChecked())
            self.fit()
            self._scan_when_visible()
        self._describe()

    def _scan_when_visible(self) -> None:
        if self.result is not None and self._scanned is None and self.isVisible():
            self.scan_panel.offer(self.result.problem)

    def _on_scan(self, scanned) -> None:
        self._scanned = scanned
        m, n = self.plot.lengths
        self._rasters[0] = Raster((0, m + 1), (0, n + 1), scanned.overview)
        self._recolour()
        self.plot.settle()

    def _on_window(self, rows: Span, columns: Span, pixels: Span) -> None:
        self.selection.show_ranges((rows, columns) if self.result else None)
        self._describe()
        if self._scanned is None or rows[0] >= rows[1] or columns[0] >= columns[1]:
            return
        problem, scanned = self.result.problem, self._scanned
        if self.plot.frame().shows_cells:
            if self.picture.block is not None and self.picture.block.holds(rows, columns):
                self._recolour()
                return
            rows, columns = (
                _widen(span, length) for span, length in zip((rows, columns), self.plot.lengths, strict=True)
            )
            self._window.request(lambda monitor: matrix_data.cell_block(problem, scanned, rows, columns))
        else:
            self._window.request(lambda monitor: matrix_data.raster(scanned, rows, columns, pixels, monitor))

    def _on_part(self, part: Raster | CellBlock) -> None:
        self.picture.block = part if isinstance(part, CellBlock) else None
        self._rasters[1] = part if isinstance(part, Raster) else Raster(part.rows, part.columns, part.h)
        self._recolour()
        self._say_cell(self.picture.hovered)

    def _recolour(self) -> None:
        """Map the values that are there to colours, and draw."""
        levels = self._levels()
        if self.picture is None or levels is None:
            return
        lut = pg.colormap.get(self._map).getLookupTable(nPts=256)
        for number, raster in enumerate(self._rasters):
            if raster is not None:
                self.plot.show_raster(number, raster, levels, lut)
        block = self.picture.block
        shades = matrix_data.tones(block.h, *levels) if block else None
        self.picture.light_ink = matrix_data.needs_light_ink(lut)[shades] if block else None
        self.plot.refresh()
        self._describe()

    def _cell_pixels(self) -> float:
        """Size of a cell at which all values near it can be read."""
        known = self._rasters[0]
        largest = int(np.abs(known.values).max()) if known is not None else 0
        return matrix_cells.comfortable_size(self.result.problem, largest)

    def _levels(self) -> Levels | None:
        """What the colours mean now; None while nothing is computed."""
        whole, window = self._rasters
        if whole is None:
            return None
        local = self.result.problem.mode == Mode.LOCAL
        return matrix_data.levels(self._contrast, whole, window, local, self.plot.frame().shows_cells)

    def _describe(self) -> None:
        """Say in the legend what is drawn just now."""
        if self.picture is None:
            self._legend.show_items(())
        else:
            self._legend.show_items(matrix_legend.items(self.picture, self.plot.frame(), self._levels(), self._map))

    def _values(self, cell: tuple[int, int]) -> tuple[str, str, str] | None:
        span = (cell[0], cell[0] + 1), (cell[1], cell[1] + 1)
        for block in (self.picture.block, self._near):
            if block is not None and block.holds(*span):
                h, e, f = (texts.score(self.result.problem, value) for value in block.at(cell))
                return h, e, f
        return None

    def _say_cell(self, cell: tuple[int, int] | None) -> None:
        if cell is not None:
            self._status.setText(self.hover_text(cell))
        elif self.result is not None:
            self._status.setText(
                "Drag to move, wheel to zoom, Shift and drag for a window, double click for single cells"
            )
        else:
            self._status.setText("")

    def _on_hover(self, cell: tuple[int, int] | None) -> None:
        if self.picture is not None:
            self.selection.hover_cell(cell)
            self.selection.hover_strip(self.picture.strip_of(cell) if cell else None)

    def _on_cell(self, cell: tuple[int, int] | None) -> None:
        if self.picture is None:
            return
        self.picture.hovered = cell
        self._say_cell(cell)
        self.plot.refresh()
        if cell is not None and self._values(cell) is None and self._scanned is not None:
            self._fetch_near(cell)

    def _fetch_near(self, cell: tuple[int, int]) -> None:
        problem, scanned = self.result.problem, self._scanned
        rows, columns = (_widen((x, x + 1), n, HOVER_REACH) for x, n in zip(cell, self.plot.lengths, strict=True))
        self._hover.request(lambda monitor: matrix_data.cell_block(problem, scanned, rows, columns))

    def _on_near(self, block: CellBlock) -> None:
        self._near = block
        self._say_cell(self.picture.hovered if self.picture else None)

    def _on_column(self, column: int | None) -> None:
        """Mark the cell at which the hovered column of the alignment ends."""
        path = self.picture.path if self.picture else None
        if path is not None and column is not None and column < path.length:
            self._on_cell(path.cell(column + 1))
        else:
            self._on_cell(self.selection.cell)

    def _on_strip(self, strip: int | None) -> None:
        if self.picture is not None:
            own = self.selection.cell is not None
            self.picture.strip = None if own else strip
            self.plot.refresh()

    def _on_click(self, cell: tuple[int, int]) -> None:
        self.selection.choose_cell(self._snapped(cell), self.result)

    def _snapped(self, cell: tuple[int, int]) -> tuple[int, int]:
        """The cell of the path next to a click on its line, or the clicked cell."""
        path, frame = self.picture.path, self.plot.frame()
        if path is None or path.point_at(cell) is not None:
            return cell
        reach = (round(SNAP_PIXELS / size) for size in (frame.height, frame.width))
        first, last = path.visible(*((x - r, x + r + 1) for x, r in zip(cell, reach, strict=True)))
        return path.cell((first + last) // 2) if first <= last else cell

    def _on_zoom(self, cell: tuple[int, int]) -> None:
        self._fitted = False
        self.plot.show_cell(cell, self._cell_pixels())

    def _on_column_chosen(self, column: int) -> None:
        path = self.picture.path if self.picture else None
        if path is None or column >= path.length:
            return
        i, j = path.cell(column + 1)
        frame = self.plot.frame()
        if not (frame.rows[0] <= i < frame.rows[1] and frame.columns[0] <= j < frame.columns[1]):
            self._fitted = False
            self.plot.show_cell((i, j), min(frame.width, frame.height))

    def _switch(self, layer: str, on: bool) -> None:
        (self._layers_on.add if on else self._layers_on.discard)(layer)
        self.plot.refresh()
        self._describe()

    def set_map(self, name: str) -> None:
        self._map = name
        self._recolour()

    def set_contrast(self, name: str) -> None:
        self._contrast = name
        self._recolour()

    def _set_square(self, square: bool) -> None:
        self.plot.set_square(square)
        if self._fitted:
            self.plot.fit()

    def _restyle(self) -> None:
        theme.style_plot(self.plot.getPlotItem())
        self.plot.setBackground(theme.active().panel)
        self.plot.refresh()
        self._describe()


def _widen(span: Span, length: int, margin: int = CELL_MARGIN) -> Span:
    """Half-open cells with a margin, cut to the matrix."""
    return max(span[0] - margin, 0), min(span[1] + margin, length + 1)
