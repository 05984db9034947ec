"""MatrixView: the dynamic-programming matrix, from the whole of it down to single cells."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu

from antidiag.app import theme
from antidiag.app.kit import ink, result_text
from antidiag.app.kit.background import Latest
from antidiag.app.kit.plane import cell_text, cells, data, layers, picture, profiles
from antidiag.app.kit.plane.data import CellBlock, Levels, Raster, Span
from antidiag.app.kit.plane.picture import LAYERS, Frame
from antidiag.app.kit.plane.view import PlaneView, widened
from antidiag.app.kit.scan_panel import ScanPanel
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import choice_actions, menu_button
from antidiag.app.views.matrix import legend
from antidiag.kernels.model import Result
from antidiag.kernels.profiles.problem import ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.scoring import Mode

MAPS = {"viridis": "Viridis", "cividis": "Cividis", "magma": "Magma"}
LONGEST_SQUARE = 5
HOVER_REACH, CELL_MARGIN = 32, 12
LARGE_CELLS, LARGE_CELLS_ON_GPU = 2e11, 5e13
"""Half a minute or more of work, which is asked for first."""


class MatrixView(PlaneView):
    """H of every cell as colour, with strips, recomputed areas and the path over it."""

    id = "matrix"
    title = "Matrix"

    def __init__(self, selection: Selection, part: pg.PlotItem | None = None) -> None:
        super().__init__(selection, part)
        self._scanned = None
        self._rasters: list[Raster | None] = [None, None]
        self._near: CellBlock | None = None
        self._contrast = "automatic"
        self._map = "viridis"
        self._layers_on = set(LAYERS)
        self._window, self._hover = Latest(self), Latest(self)
        self.scan_panel = ScanPanel(self.plot, "Computing the matrix", "The picture of the matrix")
        self.add_places()
        self.tools.addWidget(menu_button("Show", "What is drawn over the matrix", self.layer_menu(LAYERS)))
        self.tools.addWidget(menu_button("Colours", "Colour map and contrast", self._colour_menu()))
        self.add_figures()
        self._connect()
        self.restyle()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return super().shows(result) or isinstance(result.problem, ProfileProblem | ProfileSequenceProblem)

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
        self.picture = picture.picture(result) if result else None
        self._tools.setEnabled(result is not None)
        self._near = None
        if self.picture:
            self.picture.layers = self._layers_on
            self.path_button.setEnabled(self.picture.has("path"))
        for layer, action in self.layer_actions.items():
            action.setVisible(bool(self.picture and self.picture.has(layer)))
        if same:
            self.picture.block = kept
            self._recolour()
        else:
            self._start_anew()
        self.say_cell(None)
        column = self.selection.chosen("column", result)
        if column is not None:
            self.go_to_column(column)

    def draw(self, painter: QPainter, frame: Frame, area: QRectF, pointer: bool) -> None:
        if self.picture is None:
            return
        colours = theme.active()
        layers.draw(painter, frame, self.picture, colours)
        if frame.shows_cells:
            cells.draw(painter, frame, self.picture, colours)
        if pointer:
            layers.draw_pointer(painter, frame, self.picture, colours)
        layers.draw_ends(painter, frame, self.picture, colours)
        plane = self.picture.problem
        if isinstance(plane, profiles.ProfilePlane):
            x, y = (frame.x(0), frame.width), (frame.y(0), frame.height)
            spans, hovered = (frame.rows, frame.columns), self.picture.hovered if pointer else None
            profiles.draw(painter, x, y, spans, area, plane, hovered, colours)
        elif frame.shows_cells:
            cells.draw_headers(painter, frame, area, self.picture, colours)

    def hover_text(self, cell: tuple[int, int] | None) -> str:
        """What is known of a cell: place, H, E, F, letters, whether the path goes through it, its strip."""
        if cell is None or self.result is None:
            return ""
        return cell_text.cell_text(self.picture, cell, self._values(cell))

    def cell_pixels(self) -> float:
        """Size of a cell at which all values near it can be read."""
        known = self._rasters[0]
        largest = int(np.abs(known.values).max()) if known is not None else 0
        return cells.comfortable_size(self.result.problem, largest)

    def on_cell(self, cell: tuple[int, int] | None) -> None:
        super().on_cell(cell)
        if self.picture is not None and cell is not None and self._values(cell) is None and self._scanned is not None:
            self._fetch_near(cell)

    def on_hover(self, cell: tuple[int, int] | None) -> None:
        super().on_hover(cell)
        if self.picture is not None:
            self.selection.hover_strip(self.picture.strip_of(cell) if cell else None)

    def set_map(self, name: str) -> None:
        self._map = name
        self._recolour()

    def set_contrast(self, name: str) -> None:
        self._contrast = name
        self._recolour()

    def restyle(self) -> None:
        super().restyle()
        self._describe()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self._scan_when_visible()

    def _colour_menu(self) -> QMenu:
        menu = QMenu(self)
        choice_actions(menu, "Colour map", MAPS, self._map, self.set_map)
        choice_actions(menu, "Contrast", data.CONTRASTS, self._contrast, self.set_contrast)
        return menu

    def _connect(self) -> None:
        self.plot.settled.connect(self._on_window)
        self._window.finished.connect(self._on_part)
        self._window.failed.connect(lambda error: self._status.setText(f"The window could not be computed: {error}"))
        self._hover.finished.connect(self._on_near)
        self.scan_panel.finished.connect(self._on_scan)
        self.selection.strip_changed.connect(self._on_strip)

    def _start_anew(self) -> None:
        self._scanned, self._rasters = None, [None, None]
        self._window.cancel()
        self._hover.cancel()
        self.scan_panel.stop()
        problem = self.result.problem if self.result else None
        plane = self.picture.problem if self.picture else None
        self.plot.border = profiles.BORDER if isinstance(plane, profiles.ProfilePlane) else 0
        self.begin(
            (result_text.shortened(problem.first.name), result_text.shortened(problem.second.name))
            if problem
            else ("", "")
        )
        if problem:
            lengths = sorted(self.plot.lengths)
            self.square.setChecked(lengths[1] <= LONGEST_SQUARE * lengths[0])
            self.set_square(self.square.isChecked())
            self._scan_when_visible()
        self._describe()

    def _scan_when_visible(self) -> None:
        if self.result is None or self._scanned is not None or not self.isVisible():
            return
        problem, question = self.result.problem, ""
        gpu = self._gpu()
        if problem.cells > (LARGE_CELLS_ON_GPU if gpu else LARGE_CELLS):
            question = (
                f"This matrix has {problem.cells:,} cells. Its picture needs one pass over all of them; "
                "the dot plot needs none."
            )
        self.scan_panel.offer(problem, lambda monitor: data.scan(problem, monitor, gpu), question)

    def _gpu(self) -> str:
        """The name of the GPU that computes the matrix: the one that ran, where it can."""
        return self.result.device if self.result.backend == "cuda" and data.on_gpu(self.result.problem) else ""

    def _on_scan(self, scanned) -> None:
        self._scanned = scanned
        m, n = self.plot.lengths
        self._rasters[0] = Raster((0, m + 1), (0, n + 1), scanned.overview)
        if self._gpu() and scanned.device is None:
            self._status.setText(
                f"{self.result.device} is not here or has too little memory: the CPU shows the matrix."
            )
        self._recolour()
        self.plot.settle()

    def _on_window(self, rows: Span, columns: Span, pixels: Span) -> None:
        self.tell_window(rows, columns)
        self._describe()
        if self._scanned is None or rows[0] >= rows[1] or columns[0] >= columns[1]:
            return
        problem, scanned = self.result.problem, self._scanned
        if self.plot.frame().shows_cells:
            if self.picture.block is not None and self.picture.block.holds(rows, columns):
                self._recolour()
                return
            rows, columns = (
                widened(span, length, CELL_MARGIN)
                for span, length in zip((rows, columns), self.plot.lengths, strict=True)
            )
            self._window.request(lambda monitor: data.cell_block(problem, scanned, rows, columns))
        else:
            self._window.request(lambda monitor: data.raster(scanned, rows, columns, pixels, monitor))

    def _on_part(self, part: Raster | CellBlock) -> None:
        self.picture.block = part if isinstance(part, CellBlock) else None
        self._rasters[1] = part if isinstance(part, Raster) else Raster(part.rows, part.columns, part.h)
        self._recolour()
        self.say_cell(self.picture.hovered)

    def _recolour(self) -> None:
        """Map the values that are there to colours, and draw."""
        levels = self._levels()
        if self.picture is None or levels is None:
            self.plot.refresh()
            return
        lut = pg.colormap.get(self._map).getLookupTable(nPts=256)
        for number, raster in enumerate(self._rasters):
            if raster is not None:
                tones = data.tones(raster.values, *levels)
                self.plot.show_image(number, raster.rows, raster.columns, tones, lut)
        block = self.picture.block
        shades = data.tones(block.h, *levels) if block else None
        self.picture.light_ink = ink.needs_light_ink(lut)[shades] if block else None
        self.plot.refresh()
        self._describe()

    def _levels(self) -> Levels | None:
        """What the colours mean now; None while nothing is computed."""
        whole, window = self._rasters
        if whole is None:
            return None
        local = self.picture.problem.mode == Mode.LOCAL
        return data.levels(self._contrast, whole, window, local, self.plot.frame().shows_cells)

    def _describe(self) -> None:
        """Say in the legend what is drawn just now."""
        if self.picture is None:
            self._legend.show_items(())
        else:
            self._legend.show_items(legend.items(self.picture, self.plot.frame(), self._levels(), self._map))

    def _values(self, cell: tuple[int, int]) -> tuple[str, str, str] | None:
        span = (cell[0], cell[0] + 1), (cell[1], cell[1] + 1)
        for block in (self.picture.block, self._near):
            if block is not None and block.holds(*span):
                h, e, f = (result_text.score(self.result.problem, value) for value in block.at(cell))
                return h, e, f
        return None

    def _fetch_near(self, cell: tuple[int, int]) -> None:
        problem, scanned = self.result.problem, self._scanned
        rows, columns = (widened((x, x + 1), n, HOVER_REACH) for x, n in zip(cell, self.plot.lengths, strict=True))
        self._hover.request(lambda monitor: data.cell_block(problem, scanned, rows, columns))

    def _on_near(self, block: CellBlock) -> None:
        self._near = block
        self.say_cell(self.picture.hovered if self.picture else None)

    def _on_strip(self, strip: int | None) -> None:
        if self.picture is not None:
            own = self.selection.cell is not None
            self.picture.strip = None if own else strip
            self.plot.refresh()

    def switch_layer(self, layer: str, on: bool) -> None:
        (self._layers_on.add if on else self._layers_on.discard)(layer)
        self.plot.refresh()
        self._describe()
