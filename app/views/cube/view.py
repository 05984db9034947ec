"""CubeView: the cube of three sequences: chunks, path, and slices of H."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QSlider, QSplitter, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export, result_text
from antidiag.app.kit.cube import data, scene
from antidiag.app.kit.cube.data import COLOURINGS, Chunks
from antidiag.app.kit.flow import ToolRow, together, where_width
from antidiag.app.kit.legend import Legend, LegendItem
from antidiag.app.kit.on_device import by_the_cpu
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Elided, Line, check_action, menu_button, tool_button
from antidiag.app.views.cube import legend
from antidiag.app.views.cube import text as cube_text
from antidiag.app.views.cube.cells import Candidates
from antidiag.app.views.cube.dressing import Dressed
from antidiag.app.views.cube.picture import CubePicture
from antidiag.app.views.cube.three import ThreeSlices
from antidiag.app.views.cube.wait import SliceBar
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Result
from antidiag.kernels.triple.model import Cell
from antidiag.kernels.triple.pictures import slices
from antidiag.kernels.triple.pictures.slices import Values

LAYERS = {
    "chunks": "Chunks",
    "numbers": "Numbers of the chunks",
    "path": "Path",
    "projections": "Path on the three far faces",
    "slices": "Slices of H in the cube",
}
SLIDER_WIDTH = 72
"""Pixels of the slider along the path, so that the tools fit in one line."""
SETTLE_MS = 150
"""A place that stays for so long is computed, where H is not kept."""
UPPER_LOWER = [560, 440]
"""Shares of the height: the cube above, slices below."""
HINT = "Drag the cube to turn it, wheel to zoom; click a slice, or drag its lines, to look at another cell"


class CubeView(QWidget):
    """The cube from outside and three slices through it; all parts show the same cell and the same chunk."""

    id = "cube"
    title = "Cube"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.found: Chunks | None = None
        self.path: np.ndarray | None = None
        self.place: Cell = (0, 0, 0)
        self._gone_to: Cell | None = None
        self.values: Values | None = None
        self._levels = (0, 1)
        self._hovered: Cell | None = None
        self._build()
        self._connect()
        self._restyle()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return data.is_triple(result)

    @property
    def sharp(self) -> bool:
        """Whether all that is wanted is on the screen."""
        return not (self.bar.busy or self._settle.isActive() or self.slices.busy)

    def show_result(self, result: Result | None) -> None:
        """Show the cube of a result, or nothing; H of the same problem is kept."""
        result = result if result is not None and self.shows(result) else None
        same = result is not None and self.result is not None and result.problem == self.result.problem
        self.result = result
        self.found = data.chunks(result) if result else None
        self.path = self.found.path if self.found else None
        self._hovered = None
        self._offer_path()
        self._tools.setEnabled(result is not None)
        self.picture.show_chunks(self.found, self.path, cube_text.edges(self.result))
        if not same:
            self.values = None
            self.slices.forget()
            self.bar.stop()
        if result is not None:
            self._show_slices_anew()
            if not same:
                self.bar.offer(result.problem, result.device if result.backend == "cuda" else "")
                self.place = self._first_place()
            self.go(self.place)
        self._say()

    def go(self, place: Cell) -> None:
        """Show the slices through a cell."""
        self.place = self._gone_to = place
        self.slices.show_place(place)
        if self.path is not None:
            self._slider.blockSignals(True)
            self._slider.setValue(cube_text.nearest(self.path, place))
            self._slider.blockSignals(False)
        if self.values is not None:
            self.slices.show_planes({axis: self.values.plane(axis, place[axis]) for axis in range(3)})
        else:
            self.slices.show_planes(self.slices.still())
            self._settle.start()
        self.picture.show_place(place)
        self._show_card()
        self._light()

    def go_to(self, text: str) -> bool:
        """Go to the cell that ``text`` names; says what is wrong with it, and False, where it names none."""
        wrong = ""
        try:
            self.go(cube_text.parse(text, self.result.problem.lengths))
        except ParameterError as error:
            wrong = str(error)
        self._where.setProperty("wrong", bool(wrong))
        self._where.style().polish(self._where)
        if wrong:
            self._status.setText(wrong)
        return not wrong

    def hover_text(self, cell: Cell) -> str:
        """What is known of a cell: place, H, letters, chunk, and whether the path goes through it."""
        point, chunk = cube_text.point_at(self.path, cell), self.found.chunk_at(cell)
        return cube_text.cell_text(self.result.problem, cell, self._h(cell), point, self.path is not None, chunk)

    def reset(self) -> None:
        """The first view of the cube, and whole slices."""
        self.picture.reset()
        self.slices.fit()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self.result is not None and self.place != self._gone_to:  # it may have followed a column unseen
            self.go(self.place)
        elif self.result is not None and self.values is None and len(self.slices.still()) < len(self.place):
            self._settle.start()

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Title, cube, the slices that are shown beside it, and legend, for a file."""
        legend.draw_figure(painter, area, result_text.title(self.result), self._figure_rows(), self._legend.items)

    def figure_size(self) -> QSize:
        return legend.figure_size(
            self.fontMetrics(), result_text.title(self.result), self._figure_rows(), self._legend.items
        )

    def _figure_rows(self) -> list[list[legend.Part]]:
        return legend.figure_rows(self.picture, self.slices.complete() if self.beside.isChecked() else ())

    def save(self) -> None:
        """Ask for a file and write the figure as PNG or SVG."""
        if self.result is not None:
            export.ask_and_save(self, "cube", self.figure_size(), self.draw_figure, result_text.title(self.result))

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        if self.result is not None:
            export.copy(self.figure_size(), self.draw_figure)

    def leaveEvent(self, event) -> None:
        self._on_hover(None)
        super().leaveEvent(event)

    def _build(self) -> None:
        self.picture = CubePicture()
        self.slices = ThreeSlices(self)
        self.bar, self.card, self._legend, self._status = SliceBar(), Candidates(), Legend(), Elided()
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._tools = QWidget()
        self._fill_tools(ToolRow(self._tools))
        self._rows = QSplitter(Qt.Orientation.Horizontal), QSplitter(Qt.Orientation.Horizontal)
        across_i, across_j, across_k = self.slices.places
        parts: tuple[QWidget, ...] = (self.picture, across_k, across_i, across_j)
        for number, part in enumerate(parts):
            self._rows[number // 2].addWidget(part)
        for row in self._rows:
            row.setSizes([1000, 1000])
        halves = QSplitter(Qt.Orientation.Vertical)
        for row in self._rows:
            halves.addWidget(row)
        halves.setSizes(UPPER_LOWER)
        for splitter in (halves, *self._rows):
            splitter.setHandleWidth(theme.SPACING)
            splitter.setChildrenCollapsible(False)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addWidget(self._tools)
        box.addWidget(halves, 1)
        for widget in (self.card, self.bar, self._legend, self._status):
            box.addWidget(widget)

    def _fill_tools(self, tools: ToolRow) -> None:
        self._where = Line(placeholderText="Go to i, j, k")
        self._where.setToolTip(cube_text.WHERE)
        self._where.setFixedWidth(where_width(self._where))
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setToolTip("Along the path, column by column")
        self._slider.setAccessibleName("Along the path")
        self._slider.setFixedWidth(SLIDER_WIDTH)
        self.colour = QComboBox()
        self.colour.setToolTip("What the colours of the chunks say")
        self.colour.addItems([f"Colour: {label}" for label in COLOURINGS.values()])
        tools.addWidget(self._where)
        label = QLabel("Path ")
        label.setMinimumHeight(self._where.sizeHint().height())
        tools.addWidget(together(label, self._slider))
        tools.addWidget(self.colour)
        tools.addWidget(menu_button("Show", "What is drawn in the cube and beside it", self._show_menu()))
        tools.addWidget(tool_button("Fit", "The first view of the cube, and whole slices", self.reset))
        tools.addWidget(tool_button("Copy", "Copy the figure", self.copy))
        tools.addWidget(tool_button("Save\u2026", "Save the figure as PNG or SVG", self.save))

    def _show_menu(self) -> QMenu:
        menu = QMenu(self)
        self.layer_actions = {
            layer: check_action(menu, label, getattr(self.picture.shown, layer), partial(self._switch, layer))
            for layer, label in LAYERS.items()
        }
        menu.addSeparator()
        menu.setToolTipsVisible(True)
        self.beside = check_action(menu, "Slices beside the cube", True, self._show_beside)
        return menu

    def _connect(self) -> None:
        self._where.returnPressed.connect(lambda: self.go_to(self._where.text()))
        self._slider.valueChanged.connect(lambda point: self.go(tuple(self.path[point].tolist())))
        self.colour.currentIndexChanged.connect(self._on_colour)
        self._settle.timeout.connect(lambda: self.bar.want(self.place) if self.isVisible() else None)
        self.bar.kept.connect(self._on_kept)
        self.bar.sliced.connect(self._on_sliced)
        self.picture.hovered.connect(self.selection.hover_strip)
        self.slices.moved.connect(self.go)
        self.slices.hovered.connect(self._on_hover)
        self.slices.dressed.connect(self._show_dressed)
        self.selection.strip_changed.connect(lambda _: self._light())
        self.selection.column_changed.connect(self._on_column)
        self.selection.column_chosen.connect(self._on_column)
        theme.notifier.changed.connect(self._restyle)

    def _first_place(self) -> Cell:
        """The middle of the path, or of the cube."""
        if self.path is None:
            i, j, k = (length // 2 for length in self.result.problem.lengths)
        else:
            i, j, k = self.path[len(self.path) // 2].tolist()
        return i, j, k

    def _offer_path(self) -> None:
        """What belongs to the path can be used where there is one."""
        there = self.path is not None
        self._slider.blockSignals(True)
        self._slider.setRange(0, len(self.path) - 1 if there else 0)
        self._slider.blockSignals(False)
        self._slider.setEnabled(there)
        for layer in ("path", "projections"):
            self.layer_actions[layer].setEnabled(there)

    def _show_slices_anew(self) -> None:
        grid = self.found.grid
        steps = grid.s if grid.chunks > 1 else 0, grid.h if grid.boxes > 1 else 0
        self.slices.show_cube(grid.cells, cube_text.edges(self.result), steps, self.path)
        self.colour.setItemText(0, f"Colour: {self._worker_name()}")

    def _worker_name(self) -> str:
        return "multiprocessor" if self.result is not None and self.result.backend == "cuda" else "thread"

    def _on_kept(self, values: Values) -> None:
        self.values = values
        self.slices.one_by_one()
        self.go(self.place)

    def _on_sliced(self, planes: Mapping[int, np.ndarray]) -> None:
        self.slices.show_planes(planes)
        self._say()

    def _show_dressed(self, found: Dressed) -> None:
        self._levels = found.levels
        sheets = (
            scene.slice_sheet(axis, self.place[axis], self.found.grid.cells, pixels)
            for axis, pixels in found.sheets.items()
        )
        self.picture.show_slices(tuple(sheets))
        self._describe()

    def _h(self, cell: Cell) -> int | None:
        """H of a cell in engine units, where it is known."""
        if self.values is not None:
            return self.values.h(cell)
        for axis, plane in self.slices.planes.items():
            if cell[axis] == self.place[axis]:
                return int(plane[tuple(place for side, place in enumerate(cell) if side != axis)])
        return None

    def _show_card(self) -> None:
        self.card.setVisible(self.result is not None and slices.is_kept(self.result.problem))
        self.card.show_cell(self.values, self._hovered or self.place)

    def _on_hover(self, cell: Cell | None) -> None:
        self._hovered = cell if self.found is not None else None
        self._show_card()
        if self.found is not None:
            self.selection.hover_strip(None if cell is None else self.found.chunk_at(cell))
        self._say()

    def _light(self) -> None:
        """Light the chunk that is hovered here or in another view."""
        if self.found is None:
            return
        number = self.selection.strip
        known = number if number is not None and 0 <= number < self.found.count else None
        self.picture.show_lit(known)
        self.slices.show_lit(self.found.box(known) if known is not None else None)
        self._say()

    def _say(self) -> None:
        number = self.picture.number
        if self._hovered is not None:
            self._status.setText(self.hover_text(self._hovered))
        elif self.found is not None and number is not None:
            self._status.setText(cube_text.chunk_text(self.found, number, self._worker_name()))
        else:
            self._status.setText(HINT if self.found is not None else "")
        self._describe()

    def _describe(self) -> None:
        """Say in the legend what is drawn just now."""
        items: tuple[LegendItem, ...] = ()
        if self.found is not None:
            levels = self._levels if self.slices.planes else None
            items = legend.items(
                self.found, self.picture.shown, self._worker_name(), levels, self.result.problem, self.path is not None
            )
            if self.slices.planes and self.bar.by_cpu:
                items += (LegendItem("text", by_the_cpu(self.result.device)),)
        self._legend.show_items(items)

    def _on_column(self, column: int | None) -> None:
        """Show the cell at which the column of the alignment that is pointed at ends."""
        if self.path is not None and column is not None and column + 1 < len(self.path):
            i, j, k = self.path[column + 1].tolist()
            self.place = i, j, k
            if self.isVisible():
                self.go(self.place)

    def _on_colour(self, index: int) -> None:
        self.picture.change(colouring=tuple(COLOURINGS)[index])
        self._describe()

    def _switch(self, layer: str, on: bool) -> None:
        self.picture.change(**{layer: on})
        self._describe()

    def _show_beside(self, on: bool) -> None:
        self.slices.places[2].setVisible(on)
        self._rows[1].setVisible(on)

    def _restyle(self) -> None:
        self.slices.restyle()
        self.picture.redraw()
        self.card.update()
        self._describe()
