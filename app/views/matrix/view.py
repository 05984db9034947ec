"""MatrixView: the dynamic-programming matrix, from the whole matrix down to single cells."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import add_choice_section, menu_button
from antidiag.app.kit.painting import fonts_and_colours
from antidiag.app.kit.plane import cell_text, cells, layers, matrix_picture, profile_borders
from antidiag.app.kit.plane.matrix_picture import LAYERS, MatrixFrame
from antidiag.app.kit.plane.plane_view import PlaneView, widen_span
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.kit.tasks.progress_card import ProgressCard
from antidiag.app.views.matrix import legend
from antidiag.kernels.cuda.gpu_or_cpu import cpu_note
from antidiag.kernels.model import Result
from antidiag.kernels.profiles.problem import ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.registry import matrix_values
from antidiag.kernels.registry.matrix_values import Levels, MatrixCellBlock, MatrixRaster, Span
from antidiag.kernels.scoring import Mode

MAPS = {"viridis": "Viridis", "cividis": "Cividis", "magma": "Magma"}
LONGEST_SQUARE = 5
HOVER_REACH, CELL_MARGIN = 32, 12
LARGE_CELLS, LARGE_CELLS_ON_GPU = 2e11, 5e13  # more cells take half a minute or more, so the user is asked first


PATIENCE_MS = 300


class MatrixView(PlaneView):
    """H of every cell as colour, under strips, recomputed areas and the path."""

    id = "matrix"
    title = "Matrix"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self._scanned = None
        self._rasters: list[MatrixRaster | None] = [None, None]
        self._near: MatrixCellBlock | None = None
        self._contrast = "automatic"
        self._map = "viridis"
        self._layers_on = set(LAYERS)
        self._window = LatestTask(
            self, self._on_part, lambda error: self.status.setText(f"The window could not be computed: {error}")
        )
        self._hover = LatestTask(self, self._on_near)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._say_computing)
        self.scan_panel = ProgressCard(self.plot, "Computing the matrix", "The picture of the matrix")
        self.add_navigation_tools()
        self.tools.addWidget(
            menu_button("Show", "Show or hide strips, path and other layers", self.create_layer_menu(LAYERS))
        )
        colours = self._colour_menu()
        self.tools.addWidget(menu_button("Colours", "Colour map and contrast", colours))
        self._keep_layers(LAYERS)
        self.view_state.keep_attribute("_map", self, self.set_map, colours)
        self.view_state.keep_attribute("_contrast", self, self.set_contrast, colours)
        self.add_figure_tools()
        self._connect()
        self.apply_theme()

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return super().shows(result) or isinstance(result.problem, ProfileProblem | ProfileSequenceProblem)

    @property
    def sharp(self) -> bool:
        """Whether the picture on the screen was computed for the visible window."""
        return self._scanned is not None and not self._window.busy and not self.plot.is_settling

    def show_result(self, result: Result | None) -> None:
        """Show a result, or nothing; the picture of the same problem is kept."""
        result = result if result is not None and self.shows(result) else None
        same = result is not None and self.result is not None and result.problem == self.result.problem
        kept = self.picture.block if same and self.picture else None
        self.result = result
        self.picture = matrix_picture.create_picture(result) if result else None
        self._tools.setEnabled(result is not None)
        self._near = None
        if self.picture:
            self.picture.layers = self._layers_on
            self.path_button.setEnabled(self.picture.has_layer("path"))
        for layer, action in self.layer_actions.items():
            action.setVisible(bool(self.picture and self.picture.has_layer(layer)))
        if same:
            self.picture.block = kept
            self._update_images()
        else:
            self._reset_matrix()
        self.show_cell_status(None)
        column = self.selection.chosen_place("column", result)
        if column is not None:
            self.go_to_column(column)

    def draw(self, painter: QPainter, frame: MatrixFrame, area: QRectF, pointer: bool) -> None:
        """Draw layers, cells, pointer and path ends."""
        if self.picture is None:
            return
        colours = theme.active()
        layers.draw_layers(painter, frame, self.picture, colours)
        if frame.shows_cells:
            cells.draw_cells(painter, frame, self.picture, colours)
        if pointer:
            layers.draw_pointer(painter, frame, self.picture, colours)
        layers.draw_ends(painter, frame, self.picture, colours)
        plane = self.picture.problem
        if isinstance(plane, profile_borders.ProfilePlane):
            x, y = (frame.x(0), frame.column_width), (frame.y(0), frame.row_height)
            spans, hovered = (frame.rows, frame.columns), self.picture.hovered if pointer else None
            profile_borders.draw_profile_borders(painter, x, y, spans, area, plane, hovered, colours)
        elif frame.shows_cells:
            cells.draw_headers(painter, frame, area, self.picture, colours)

    def describe_cell(self, cell: tuple[int, int] | None) -> str:
        """Describe a cell: position, H, E, F, letters, strip, and whether it is on the path."""
        if cell is None or self.result is None:
            return ""
        return cell_text.describe_cell(self.picture, cell, self._cell_values(cell))

    def readable_cell_pixels(self) -> float:
        """Return the size of a cell at which all values near it can be read."""
        known = self._rasters[0]
        largest = int(np.abs(known.values).max()) if known is not None else 0
        return cells.comfortable_size(self.result.problem, largest)

    def on_shared_cell(self, cell: tuple[int, int] | None) -> None:
        """Mark a cell that another view shares, and fetch its values."""
        super().on_shared_cell(cell)
        if (
            self.picture is not None
            and cell is not None
            and self._cell_values(cell) is None
            and self._scanned is not None
        ):
            self._fetch_near(cell)

    def on_hover(self, cell: tuple[int, int] | None) -> None:
        """Share the strip of the hovered cell."""
        super().on_hover(cell)
        if self.picture is not None:
            self.selection.hover_strip(self.picture.strip_of(cell) if cell else None)

    def set_map(self, name: str) -> None:
        """Use another colour map."""
        self._map = name
        self._update_images()

    def set_contrast(self, name: str) -> None:
        """Use another contrast."""
        self._contrast = name
        self._update_images()

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        super().apply_theme()
        self._update_legend()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self._scan_when_visible()

    def _colour_menu(self) -> QMenu:
        menu = QMenu(self)
        add_choice_section(menu, "Colour map", MAPS, self._map, self.set_map)
        add_choice_section(menu, "Contrast", matrix_values.CONTRASTS, self._contrast, self.set_contrast)
        return menu

    def _connect(self) -> None:
        self.plot.settled.connect(self._on_window)
        self.scan_panel.finished.connect(self._on_scan)
        self.selection.strip_changed.connect(self._on_strip)

    def _reset_matrix(self) -> None:
        self._scanned, self._rasters = None, [None, None]
        self._window.cancel()
        self._hover.cancel()
        self.scan_panel.cancel_work()
        problem = self.result.problem if self.result else None
        plane = self.picture.problem if self.picture else None
        self.plot.border = profile_borders.BORDER if isinstance(plane, profile_borders.ProfilePlane) else 0
        if problem is None:
            self.begin_picture()
        else:
            self.begin_picture(result_text.axis_names(problem))
            lengths = sorted(self.plot.lengths)
            self.square.setChecked(lengths[1] <= LONGEST_SQUARE * lengths[0])
            self.set_square(self.square.isChecked())
            self._scan_when_visible()
        self._update_legend()

    def _scan_when_visible(self) -> None:
        if self.result is None or self._scanned is not None or not self.isVisible():
            return
        problem, question = self.result.problem, ""
        gpu = self._gpu_name()
        if problem.cells > (LARGE_CELLS_ON_GPU if gpu else LARGE_CELLS):
            question = (
                f"This matrix has {problem.cells:,} cells, and its picture needs a pass over all of them. "
                "The dot plot needs none."
            )
        self.scan_panel.start_or_ask(
            problem, lambda monitor: matrix_values.scan_matrix(problem, monitor, gpu), question
        )

    def _gpu_name(self) -> str:
        """Return the name of the GPU of the run, if it can compute the matrix, or "" for the CPU."""
        return (
            self.result.device
            if self.result.backend == "cuda" and matrix_values.can_use_gpu(self.result.problem)
            else ""
        )

    def _on_scan(self, scanned) -> None:
        self._scanned = scanned
        m, n = self.plot.lengths
        self._rasters[0] = MatrixRaster((0, m + 1), (0, n + 1), scanned.overview)
        if self._gpu_name() and scanned.device is None:
            self.status.setText(f"Matrix {cpu_note(self.result.device)}")
        self._update_images()
        self.plot.settle_later()

    def _on_window(self, rows: Span, columns: Span, pixels: Span) -> None:
        self.share_window(rows, columns)
        self._update_legend()
        if self._scanned is None or rows[0] >= rows[1] or columns[0] >= columns[1]:
            return
        problem, scanned = self.result.problem, self._scanned
        if self.plot.visible_frame().shows_cells:
            if self.picture.block is not None and self.picture.block.contains(rows, columns):
                self._update_images()
                return
            rows, columns = (
                widen_span(span, length, CELL_MARGIN)
                for span, length in zip((rows, columns), self.plot.lengths, strict=True)
            )
            self._window.request(lambda monitor: matrix_values.compute_cell_block(problem, scanned, rows, columns))
            self._patience.start()
        else:
            self._window.request(lambda monitor: matrix_values.compute_raster(scanned, rows, columns, pixels, monitor))

    def _say_computing(self) -> None:
        """Tell why cells have no values yet, where they take long, as at the first use."""
        if self._window.busy:
            self.status.setText("Computing the values of these cells ...")

    def _on_part(self, part: MatrixRaster | MatrixCellBlock) -> None:
        self.picture.block = part if isinstance(part, MatrixCellBlock) else None
        self._rasters[1] = part if isinstance(part, MatrixRaster) else MatrixRaster(part.rows, part.columns, part.h)
        self._update_images()
        self.show_cell_status(self.picture.hovered)

    def _update_images(self) -> None:
        levels = self._colour_levels()
        if self.picture is None or levels is None:
            self.plot.redraw_layers()
            return
        lut = pg.colormap.get(self._map).getLookupTable(nPts=256)
        for number, raster in enumerate(self._rasters):
            if raster is not None:
                tones = matrix_values.scale_to_bytes(raster.values, *levels)
                self.plot.show_image(number, raster.rows, raster.columns, tones, lut)
        block = self.picture.block
        shades = matrix_values.scale_to_bytes(block.h, *levels) if block else None
        self.picture.light_ink = fonts_and_colours.needs_light_text(lut)[shades] if block else None
        self.plot.redraw_layers()
        self._update_legend()

    def _colour_levels(self) -> Levels | None:
        """Return the scores at both ends of the colours; None while nothing is computed."""
        whole, window = self._rasters
        if whole is None:
            return None
        local = self.picture.problem.mode == Mode.LOCAL
        return matrix_values.colour_levels(self._contrast, whole, window, local, self.plot.visible_frame().shows_cells)

    def _update_legend(self) -> None:
        if self.picture is None:
            self.legend.show_items(())
        else:
            self.legend.show_items(
                legend.legend_items(self.picture, self.plot.visible_frame(), self._colour_levels(), self._map)
            )

    def _cell_values(self, cell: tuple[int, int]) -> tuple[str, str, str] | None:
        span = (cell[0], cell[0] + 1), (cell[1], cell[1] + 1)
        for block in (self.picture.block, self._near):
            if block is not None and block.contains(*span):
                h, e, f = (result_text.format_score(self.result.problem, value) for value in block.values_at(cell))
                return h, e, f
        return None

    def _fetch_near(self, cell: tuple[int, int]) -> None:
        problem, scanned = self.result.problem, self._scanned
        rows, columns = (widen_span((x, x + 1), n, HOVER_REACH) for x, n in zip(cell, self.plot.lengths, strict=True))
        self._hover.request(lambda monitor: matrix_values.compute_cell_block(problem, scanned, rows, columns))

    def _on_near(self, block: MatrixCellBlock) -> None:
        self._near = block
        self.show_cell_status(self.picture.hovered if self.picture else None)

    def _on_strip(self, strip: int | None) -> None:
        if self.picture is not None:
            own = self.selection.cell is not None
            self.picture.strip = None if own else strip
            self.plot.redraw_layers()

    def switch_layer(self, layer: str, on: bool) -> None:
        """Show or hide a layer."""
        (self._layers_on.add if on else self._layers_on.discard)(layer)
        self.plot.redraw_layers()
        self._update_legend()
