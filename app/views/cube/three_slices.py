"""The slices across i, j and k beside the cube, through one cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from antidiag.app.kit.cube import colour_map
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.cube.plane_colours import ColouredPlanes, colour_planes
from antidiag.app.views.cube.slice_plot import SlicePlot
from antidiag.kernels.triple.model import Cell

AXES = range(3)
SMALL_CELLS = 1_000_000  # cells of planes; more are coloured on a thread: so many take about 10 ms

Planes = Mapping[int, np.ndarray]


class ThreeSlices(QObject):
    """The slice plots across i, j, k.

    ``moved(cell)``: a slice was clicked, or its lines dragged; ``hovered(cell)``: the cell under the mouse, or None;
    ``planes_coloured(found)``: planes are shown with these colours.
    """

    moved = Signal(object)
    hovered = Signal(object)
    planes_coloured = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.plots = SlicePlot(0), SlicePlot(1), SlicePlot(2)
        for plot in self.plots:
            plot.moved.connect(self.moved)
            plot.hovered.connect(self.hovered)
        self.planes: Planes = {}
        """H of the planes on the screen, by axis."""
        self._path: np.ndarray | None = None
        self._place: Cell = (0, 0, 0)
        self._shown_at = dict.fromkeys(AXES, -1)
        self._colouring = LatestTask(self, self._show_colours)

    @property
    def busy(self) -> bool:
        """Whether planes are still to be coloured."""
        return self._colouring.busy

    def drop_planes(self) -> None:
        """Drop the values of H."""
        self.planes = {}
        self._colouring.cancel()

    def show_cube(self, cells: Cell, names: Sequence[str], steps: tuple[int, int], path: np.ndarray | None) -> None:
        """Begin with a cube; ``steps``: s and h, 0 for none; ``path``: its cells, shape (n, 3), or None."""
        self._path = path
        for plot in self.plots:
            plot.show_cube(cells, names, steps, path)

    def show_place(self, place: Cell) -> None:
        """Move all slices to a cell."""
        self._place, path = place, self._path
        for plot in self.plots:
            plot.show_place(place, None if path is None else path[path[:, plot.axis] == place[plot.axis]])

    def current_planes(self) -> Planes:
        """Return the planes on the screen that go through the present cell."""
        return {axis: plane for axis, plane in self.planes.items() if self._shown_at[axis] == self._place[axis]}

    def show_planes(self, planes: Planes) -> None:
        """Show H of these planes in one range of colours; large planes are coloured on a thread."""
        self.planes = planes
        self._shown_at = dict(zip(AXES, self._place, strict=True))
        if sum(plane.size for plane in planes.values()) <= SMALL_CELLS:
            self._colouring.cancel()
            self._show_colours(colour_planes(planes))
            return
        for plot in self.plots:
            if plot.axis not in planes:
                plot.show_values(None, None, colour_map.colour_table())
        self._colouring.request(lambda monitor: colour_planes(planes))

    def show_lit(self, box: np.ndarray | None) -> None:
        """Outline a chunk, given by its box, or none."""
        for plot in self.plots:
            plot.show_lit(box)

    def fit(self) -> None:
        """Show whole slices."""
        for plot in self.plots:
            plot.fit()

    def list_windows(self) -> list[list[list[float]]]:
        """Return the visible part of each slice."""
        return [[list(map(float, span)) for span in plot.getViewBox().viewRange()] for plot in self.plots]

    def restore_windows(self, windows: list[list[list[float]]]) -> None:
        """Show the parts that `list_windows` returned."""
        for plot, (across, down) in zip(self.plots, windows, strict=True):
            plot.setRange(xRange=tuple(across), yRange=tuple(down), padding=0)

    def restyle(self) -> None:
        """Use the colours of the present theme."""
        for plot in self.plots:
            plot.restyle()

    def _show_colours(self, found: ColouredPlanes) -> None:
        for plot in self.plots:
            plot.show_values(found.values.get(plot.axis), found.tones.get(plot.axis), colour_map.colour_table())
        self.planes_coloured.emit(found)
