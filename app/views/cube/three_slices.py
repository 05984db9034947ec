"""The slices across i, j and k beside the cube, through one cell.

Each plot is made, and updated, in a turn of the event loop of its own, because three at once would stop the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject, QTimer, Signal

from antidiag.app.kit.controls.lazy_widget import LazyWidget
from antidiag.app.kit.cube import colour_map
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.cube.plane_colours import ColouredPlanes, colour_planes
from antidiag.app.views.cube.slice_plot import LEAST_SIZE, SlicePlot
from antidiag.kernels.triple.model import Cell

AXES = range(3)
PLOT_ORDER = (2, 0, 1)  # first the slice beside the cube, then those below it
PAUSE_MS = 30  # between two plots, so that each is painted in a turn of its own
SMALL_CELLS = 1_000_000  # cells of planes; more are coloured on a thread: so many take about 10 ms

Planes = Mapping[int, np.ndarray]


class ThreeSlices(QObject):
    """Three slice plots, each made in its own turn (20 ms) inside one of the placeholder widgets ``places``.

    ``moved(cell)``: a slice was clicked, or its lines dragged; ``hovered(cell)``: the cell under the mouse, or None;
    ``colour_planes(found)``: planes are shown with these colours.
    """

    moved = Signal(object)
    hovered = Signal(object)
    planes_coloured = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.placeholders = tuple(LazyWidget(partial(self._make_plot, axis)) for axis in AXES)
        for place in self.placeholders:
            place.setMinimumSize(*LEAST_SIZE)
        self.planes: Planes = {}
        """H of the planes on the screen, by axis."""
        self._cube: tuple[Cell, Sequence[str], tuple[int, int]] | None = None
        self._path: np.ndarray | None = None
        self._place: Cell = (0, 0, 0)
        self._shown_at = dict.fromkeys(AXES, -1)
        self._box: np.ndarray | None = None
        self._coloured: ColouredPlanes | None = None
        self._dressing = LatestTask(self, self._show_dressed)
        self._waiting: list[SlicePlot] = []
        self._inner_plot: pg.PlotItem | None = None
        self._making = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._making.timeout.connect(self._make_next)
        self._start_pause()

    @property
    def made_plots(self) -> tuple[SlicePlot, ...]:
        """The plots made so far, across i, j, k."""
        return tuple(place.content for place in self.placeholders if place.is_created)

    @property
    def _current_plots(self) -> tuple[SlicePlot, ...]:
        return tuple(plot for plot in self.made_plots if plot not in self._waiting)

    @property
    def busy(self) -> bool:
        """Whether plots are still to be made or updated, or planes to be coloured."""
        return self._has_unfinished or self._dressing.busy

    def make_all_plots(self) -> tuple[SlicePlot, ...]:
        """Make and update all three plots now, and return them."""
        while self._has_unfinished:
            self._make_next()
        return self.made_plots

    def drop_planes(self) -> None:
        """Drop the values of H."""
        self.planes, self._coloured = {}, None
        self._dressing.cancel()

    def show_cube(self, cells: Cell, names: Sequence[str], steps: tuple[int, int], path: np.ndarray | None) -> None:
        """Begin with a cube; ``steps``: s and h, 0 for none; ``path``: its cells, shape (n, 3), or None."""
        self._cube, self._path, self._coloured = (cells, names, steps), path, None
        self.update_plots()
        for plot in self._waiting:
            plot.hide()

    def update_plots(self) -> None:
        """Update every plot in a turn of its own."""
        self._waiting = [self.placeholders[axis].content for axis in PLOT_ORDER if self.placeholders[axis].is_created]
        for plot in self._waiting:
            plot.setUpdatesEnabled(False)
        if self._waiting:
            self._start_pause()

    def show_place(self, place: Cell) -> None:
        """Move all slices to a cell."""
        self._place = place
        for plot in self._current_plots:
            self._show_place_in(plot)

    def current_planes(self) -> Planes:
        """Return the planes on the screen that go through the present cell."""
        return {axis: plane for axis, plane in self.planes.items() if self._shown_at[axis] == self._place[axis]}

    def show_planes(self, planes: Planes) -> None:
        """Show H of these planes in one range of colours; large planes are coloured on a thread."""
        self.planes = planes
        self._shown_at = dict(zip(AXES, self._place, strict=True))
        if sum(plane.size for plane in planes.values()) <= SMALL_CELLS:
            self._dressing.cancel()
            self._show_dressed(colour_planes(planes))
            return
        for plot in self._current_plots:
            if plot.axis not in planes:
                plot.show_values(None, None, colour_map.colour_table())
        self._dressing.request(lambda monitor: colour_planes(planes))

    def show_lit(self, box: np.ndarray | None) -> None:
        """Outline a chunk, given by its box, or none."""
        self._box = box
        for plot in self._current_plots:
            plot.show_lit(box)

    def fit(self) -> None:
        """Show whole slices."""
        for plot in self.made_plots:
            plot.fit()

    def restyle(self) -> None:
        """Use the colours of the present theme."""
        for plot in self.made_plots:
            plot.restyle()

    def _make_next(self) -> None:
        """Update the next waiting plot, or make the next plot, its inner part first."""
        if self._waiting:
            plot = self._waiting.pop(0)
            plot.show()
            self._update_plot(plot)
            plot.setUpdatesEnabled(True)
        elif self._inner_plot is None and not all(place.is_created for place in self.placeholders):
            self._inner_plot = SlicePlot.make_inner_plot()
        elif missing := [axis for axis in PLOT_ORDER if not self.placeholders[axis].is_created]:
            self._waiting.append(self.placeholders[missing[0]].content)
        if self._has_unfinished:
            self._start_pause()
        else:
            self._making.stop()

    def _start_pause(self) -> None:
        """Start the pause after the plot is painted, which may take longer than the pause."""
        QTimer.singleShot(0, self._making, self._making.start)

    @property
    def _has_unfinished(self) -> bool:
        return bool(self._waiting) or not all(place.is_created for place in self.placeholders)

    def _make_plot(self, axis: int) -> SlicePlot:
        plot, self._inner_plot = SlicePlot(axis, self._inner_plot), None
        plot.moved.connect(self.moved)
        plot.hovered.connect(self.hovered)
        return plot

    def _update_plot(self, plot: SlicePlot) -> None:
        if self._cube is None:
            return
        plot.show_cube(*self._cube, self._path)
        self._show_place_in(plot)
        if self._coloured is not None:
            self._show_values_in(plot, self._coloured)
        plot.show_lit(self._box)

    def _show_place_in(self, plot: SlicePlot) -> None:
        path, place = self._path, self._place
        plot.show_place(place, None if path is None else path[path[:, plot.axis] == place[plot.axis]])

    def _show_dressed(self, found: ColouredPlanes) -> None:
        self._coloured = found
        for plot in self._current_plots:
            self._show_values_in(plot, found)
        self.planes_coloured.emit(found)

    def _show_values_in(self, plot: SlicePlot, found: ColouredPlanes) -> None:
        plot.show_values(found.values.get(plot.axis), found.tones.get(plot.axis), colour_map.colour_table())
