"""CubeView: the cube of three sequences with its chunks, the path, and slices of H."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import cast

import numpy as np
from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QSlider, QSplitter, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.flow_layouts import go_to_width, group_widgets
from antidiag.app.kit.controls.widgets import UndoLineEdit, add_check_action, menu_button, tool_button
from antidiag.app.kit.cube import cube_chunks, scene
from antidiag.app.kit.cube.cube_chunks import COLOURINGS, CubeChunks
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.focus import mark_search_field
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.app.views.cube import cell_texts as cube_text
from antidiag.app.views.cube import cube_figure
from antidiag.app.views.cube.candidate_cards import CandidateCards
from antidiag.app.views.cube.cube_picture import CubePicture
from antidiag.app.views.cube.plane_colours import ColouredPlanes
from antidiag.app.views.cube.slice_bar import SliceBar
from antidiag.app.views.cube.three_slices import ThreeSlices
from antidiag.kernels.cuda.gpu_or_cpu import cpu_note
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Result
from antidiag.kernels.triple.model import Cell
from antidiag.kernels.triple.pictures import slices
from antidiag.kernels.triple.pictures.slices import CubeValues

LAYERS = {
    "chunks": "Chunks",
    "numbers": "Chunk numbers",
    "path": "Path",
    "projections": "Path on the back faces",
    "slices": "Slices of H in the cube",
}
SLIDER_WIDTH = 72  # pixels; keeps the tools in one line
SETTLE_MS = 150  # slices are computed when the cell has not changed for so long
UPPER_LOWER = [560, 440]  # heights of the cube and of the slices below it, as shares
HINT = "Drag the cube to turn it, wheel to zoom; click a slice or drag its lines to choose a cell"


class CubeView(PaintedView):
    """The cube and three slices through it, which all show the same cell and the same chunk."""

    id = "cube"
    title = "Cube"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.chunks: CubeChunks | None = None
        self.path: np.ndarray | None = None
        self.place: Cell = (0, 0, 0)
        self._gone_to: Cell | None = None
        self.values: CubeValues | None = None
        self._levels = (0, 1)
        self._hovered: Cell | None = None
        self._build()
        self._connect()
        self.apply_theme()
        self._keep_state()

    @property
    def has_content(self) -> bool:
        """Whether a cube is shown."""
        return self.chunks is not None

    def _keep_state(self) -> None:
        state = self.view_state
        state.keep_choice("colour", self.colour)
        for layer, action in self.layer_actions.items():
            state.keep_check(layer, action)
        state.keep_check("beside", self.slices_action)
        state.keep_place("place", lambda: list(map(int, self.place)), self._restore_place)
        state.keep_place("eye", self.picture.list_eye, self.picture.restore_eye)
        state.keep_place("windows", self.slices.list_windows, self.slices.restore_windows)

    def _restore_place(self, place: list[int]) -> None:
        if all(0 <= at <= length for at, length in zip(place, self.result.problem.lengths, strict=True)):
            self.go_to_cell((place[0], place[1], place[2]))

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return cube_chunks.is_triple(result)

    @property
    def sharp(self) -> bool:
        """Whether everything is computed and on the screen."""
        return not (self.bar.busy or self._settle.isActive() or self.slices.busy)

    def show_result(self, result: Result | None) -> None:
        """Show the cube of a result, or nothing; values of H are kept if the problem is the same."""
        result = result if result is not None and self.shows(result) else None
        same = result is not None and self.result is not None and result.problem == self.result.problem
        self.result = result
        self.chunks = cube_chunks.collect_chunks(result) if result else None
        self.path = self.chunks.path if self.chunks else None
        self._hovered = None
        self._enable_path_tools()
        self._tools.setEnabled(result is not None)
        self.picture.show_chunks(self.chunks, self.path, cube_text.edge_labels(self.result))
        if not same:
            self.values = None
            self.slices.drop_planes()
            self.bar.stop()
        if result is not None:
            self._reset_slices()
            if not same:
                self.bar.show_problem(result.problem, result.device if result.backend == "cuda" else "")
                self.place = self._first_place()
            self.go_to_cell(self.place)
        self._show_status()

    def go_to_cell(self, place: Cell) -> None:
        """Show the slices through a cell."""
        self.place = self._gone_to = place
        self.slices.show_place(place)
        if self.path is not None:
            with QSignalBlocker(self._slider):
                self._slider.setValue(cube_text.nearest_point(self.path, place))
        if self.values is not None:
            self.slices.show_planes({axis: self.values.plane_scores(axis, place[axis]) for axis in range(3)})
        else:
            self.slices.show_planes(self.slices.current_planes())
            self._settle.start()
        self.picture.show_place(place)
        self._show_card()
        self._highlight_chunk()

    def go_to(self, text: str) -> bool:
        """Go to the cell that ``text`` names. Return False and show the error if it names none."""
        wrong = ""
        try:
            self.go_to_cell(cube_text.parse_cell(text, self.result.problem.lengths))
        except ParameterError as error:
            wrong = str(error)
        self._cell_field.setProperty("wrong", bool(wrong))
        self._cell_field.style().polish(self._cell_field)
        if wrong:
            self.status.setText(wrong)
        return not wrong

    def hover_text(self, cell: Cell) -> str:
        """Describe a cell: position, H, letters, chunk, and whether it is on the path."""
        point, chunk = cube_text.point_at(self.path, cell), self.chunks.chunk_at(cell)
        return cube_text.cell_text(self.result.problem, cell, self._known_h(cell), point, self.path is not None, chunk)

    def reset_views(self) -> None:
        """Reset the view of the cube and show whole slices."""
        self.picture.reset_eye()
        self.slices.fit()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self.result is not None and self.place != self._gone_to:  # it followed a column while hidden
            self.go_to_cell(self.place)
        elif self.result is not None and self.values is None and len(self.slices.current_planes()) < len(self.place):
            self._settle.start()

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw title, cube, the visible slices and legend, for a file."""
        cube_figure.draw_figure(painter, area, self.figure_title(), self._figure_rows(), self.legend.items)

    def figure_size(self) -> QSize:
        """Return the size of an exported figure."""
        return cube_figure.figure_size(self.fontMetrics(), self.figure_title(), self._figure_rows(), self.legend.items)

    def figure_title(self) -> str:
        """Return the title of an exported figure."""
        return result_text.format_title(self.result)

    def _figure_rows(self) -> list[list[cube_figure.FigurePart]]:
        return cube_figure.figure_rows(self.picture, self.slices.plots if self.slices_action.isChecked() else ())

    def leaveEvent(self, event) -> None:
        self._on_hover(None)
        super().leaveEvent(event)

    def _build(self) -> None:
        self.picture = CubePicture()
        self.slices = ThreeSlices(self)
        self.bar, self.card = SliceBar(), CandidateCards()
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._add_tools()
        self._rows = QSplitter(Qt.Orientation.Horizontal), QSplitter(Qt.Orientation.Horizontal)
        across_i, across_j, across_k = self.slices.plots
        halves = QSplitter(Qt.Orientation.Vertical)
        contents: tuple[tuple[QWidget, ...], ...] = (self.picture, across_k), (across_i, across_j)
        for row, widgets in zip(self._rows, contents, strict=True):
            for widget in widgets:
                row.addWidget(widget)
            row.setSizes([1000, 1000])
            halves.addWidget(row)
        halves.setSizes(UPPER_LOWER)
        for splitter in (halves, *self._rows):
            splitter.setHandleWidth(theme.SPACING)
            splitter.setChildrenCollapsible(False)
        self.build_layout(halves)
        cast(QVBoxLayout, self.layout()).insertWidget(2, self.card)
        cast(QVBoxLayout, self.layout()).insertWidget(3, self.bar)

    def _add_tools(self) -> None:
        self._cell_field = UndoLineEdit(placeholderText="Go to i, j, k")
        mark_search_field(self._cell_field)
        self._cell_field.setToolTip(cube_text.CELL_HINT)
        self._cell_field.setFixedWidth(go_to_width(self._cell_field))
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setToolTip("Move along the path, column by column")
        self._slider.setAccessibleName("Along the path")
        self._slider.setFixedWidth(SLIDER_WIDTH)
        self.colour = QComboBox()
        self.colour.setToolTip("Meaning of the chunk colours")
        self.colour.addItems([f"Colour: {label}" for label in COLOURINGS.values()])
        label = QLabel("Path ")
        label.setMinimumHeight(self._cell_field.sizeHint().height())
        for tool in (
            self._cell_field,
            group_widgets(label, self._slider),
            self.colour,
            menu_button("Show", "Show or hide parts of the cube and the slices", self._make_menu()),
            tool_button("Fit", "Reset the view of the cube and show whole slices", self.reset_views),
        ):
            self.tools.addWidget(tool)

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        self.layer_actions = {
            layer: add_check_action(
                menu, label, getattr(self.picture.options, layer), partial(self._switch_layer, layer)
            )
            for layer, label in LAYERS.items()
        }
        menu.addSeparator()
        self.slices_action = add_check_action(menu, "Slices beside the cube", True, self._show_beside)
        return menu

    def _connect(self) -> None:
        self._cell_field.returnPressed.connect(lambda: self.go_to(self._cell_field.text()))
        self._slider.valueChanged.connect(lambda point: self.go_to_cell(tuple(self.path[point].tolist())))
        self.colour.currentIndexChanged.connect(self._on_colour)
        self._settle.timeout.connect(lambda: self.bar.request_slices(self.place) if self.isVisible() else None)
        self.bar.cells_computed.connect(self._on_kept)
        self.bar.planes_computed.connect(self._on_sliced)
        self.picture.hovered.connect(self.selection.hover_strip)
        self.slices.moved.connect(self.go_to_cell)
        self.slices.hovered.connect(self._on_hover)
        self.slices.planes_coloured.connect(self._show_dressed)
        self.selection.strip_changed.connect(lambda _: self._highlight_chunk())
        self.selection.column_changed.connect(self._on_column)
        self.selection.column_chosen.connect(self._on_column)

    def _first_place(self) -> Cell:
        if self.path is None:
            i, j, k = (length // 2 for length in self.result.problem.lengths)
        else:
            i, j, k = self.path[len(self.path) // 2].tolist()
        return i, j, k

    def _enable_path_tools(self) -> None:
        with QSignalBlocker(self._slider):
            self._slider.setRange(0, len(self.path) - 1 if self.path is not None else 0)
        self._slider.setEnabled(self.path is not None)
        for layer in ("path", "projections"):
            self.layer_actions[layer].setEnabled(self.path is not None)

    def _reset_slices(self) -> None:
        grid = self.chunks.grid
        steps = grid.s if grid.chunks > 1 else 0, grid.h if grid.boxes > 1 else 0
        self.slices.show_cube(grid.cells, cube_text.edge_labels(self.result), steps, self.path)
        self.colour.setItemText(0, f"Colour: {self._worker_name()}")

    def _worker_name(self) -> str:
        return "multiprocessor" if self.result is not None and self.result.backend == "cuda" else "thread"

    def _on_kept(self, values: CubeValues) -> None:
        self.values = values
        self.go_to_cell(self.place)

    def _on_sliced(self, planes: Mapping[int, np.ndarray]) -> None:
        self.slices.show_planes(planes)
        self._show_status()

    def _show_dressed(self, found: ColouredPlanes) -> None:
        self._levels = found.levels
        sheets = (
            scene.create_slice_sheet(axis, self.place[axis], self.chunks.grid.cells, pixels)
            for axis, pixels in found.sheets.items()
        )
        self.picture.show_slices(tuple(sheets))
        self._update_legend()

    def _known_h(self, cell: Cell) -> int | None:
        if self.values is not None:
            return self.values.cell_score(cell)
        for axis, plane in self.slices.planes.items():
            if cell[axis] == self.place[axis]:
                return int(plane[tuple(place for side, place in enumerate(cell) if side != axis)])
        return None

    def _show_card(self) -> None:
        self.card.setVisible(self.result is not None and slices.is_kept(self.result.problem))
        self.card.show_cell(self.values, self._hovered or self.place)

    def _on_hover(self, cell: Cell | None) -> None:
        self._hovered = cell if self.chunks is not None else None
        self._show_card()
        if self.chunks is not None:
            self.selection.hover_strip(None if cell is None else self.chunks.chunk_at(cell))
        self._show_status()

    def _highlight_chunk(self) -> None:
        if self.chunks is None:
            return
        number = self.selection.strip
        known = number if number is not None and 0 <= number < self.chunks.count else None
        self.picture.show_lit(known)
        self.slices.show_lit(self.chunks.chunk_box(known) if known is not None else None)
        self._show_status()

    def _show_status(self) -> None:
        number = self.picture.lit_chunk
        if self._hovered is not None:
            self.status.setText(self.hover_text(self._hovered))
        elif self.chunks is not None and number is not None:
            self.status.setText(cube_text.chunk_text(self.chunks, number, self._worker_name()))
        else:
            self.status.setText(HINT if self.chunks is not None else "")
        self._update_legend()

    def _update_legend(self) -> None:
        items: tuple[LegendItem, ...] = ()
        if self.chunks is not None:
            levels = self._levels if self.slices.planes else None
            items = cube_figure.legend_items(
                self.chunks,
                self.picture.options,
                self._worker_name(),
                levels,
                self.result.problem,
                self.path is not None,
            )
            if self.slices.planes and self.bar.by_cpu:
                items += (LegendItem("text", cpu_note(self.result.device)),)
        self.legend.show_items(items)

    def _on_column(self, column: int | None) -> None:
        if self.path is not None and column is not None and column + 1 < len(self.path):
            i, j, k = self.path[column + 1].tolist()
            self.place = i, j, k
            if self.isVisible():
                self.go_to_cell(self.place)

    def _on_colour(self, index: int) -> None:
        self.picture.change_options(colouring=tuple(COLOURINGS)[index])
        self._update_legend()

    def _switch_layer(self, layer: str, on: bool) -> None:
        self.picture.change_options(**{layer: on})
        self._update_legend()

    def _show_beside(self, on: bool) -> None:
        self.slices.plots[2].setVisible(on)
        self._rows[1].setVisible(on)

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        self.slices.restyle()
        self.picture.rebuild_scene()
        self.card.update()
        self._update_legend()
