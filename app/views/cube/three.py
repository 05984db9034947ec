"""The slices across i, j and k beside the cube, which all show one cell: each plot is made, and shows what is new, in a
turn of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject, QTimer, Signal

from antidiag.app.kit.background import Latest
from antidiag.app.kit.cube import colours
from antidiag.app.kit.later import Later
from antidiag.app.views.cube.dressing import Dressed, dressed
from antidiag.app.views.cube.slices import LEAST_SIZE, SlicePlot
from antidiag.kernels.triple.model import Cell

AXES = range(3)
MADE_IN_ORDER = (2, 0, 1)
"""The slice beside the cube is made first, then those below."""
PAUSE_MS = 30
"""Between two plots, so that what was made, or shows what is new, is painted in a turn of its own, which takes less."""
AT_ONCE = 1_000_000
"""Cells of planes that are dressed while one looks: some 10 ms."""

Planes = Mapping[int, np.ndarray]


class ThreeSlices(QObject):
    """Plots in ``places``, widgets that wait for them: a plot takes 20 ms to be made, three would stop the window.

    ``moved(cell)``: a slice was clicked, or its lines dragged; ``hovered(cell)``: the cell under the mouse, or None;
    ``dressed(found)``: planes are shown in these colours (`Dressed`).
    """

    moved = Signal(object)
    hovered = Signal(object)
    dressed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.places = tuple(Later(partial(self._make, axis)) for axis in AXES)
        for place in self.places:
            place.setMinimumSize(*LEAST_SIZE)
        self.planes: Planes = {}
        """H of the planes that are shown, as ``slices.Values.plane`` has them."""
        self._cube: tuple[Cell, Sequence[str], tuple[int, int]] | None = None
        self._path: np.ndarray | None = None
        self._place: Cell = (0, 0, 0)
        self._shown_at = dict.fromkeys(AXES, -1)
        self._box: np.ndarray | None = None
        self._found: Dressed | None = None
        self._dressing = Latest(self)
        self._dressing.finished.connect(self._show_dressed)
        self._waiting: list[SlicePlot] = []
        self._inner: pg.PlotItem | None = None
        self._making = QTimer(self, interval=PAUSE_MS, singleShot=True)  # the pause begins when a plot is there
        self._making.timeout.connect(self._make_next)
        self._go_on()

    @property
    def plots(self) -> tuple[SlicePlot, ...]:
        """Those that are there by now, across i, j, k."""
        return tuple(place.content for place in self.places if place.made)

    @property
    def _settled(self) -> tuple[SlicePlot, ...]:
        """Those that show what there is to show."""
        return tuple(plot for plot in self.plots if plot not in self._waiting)

    @property
    def busy(self) -> bool:
        """Whether a plot is still to be made, or to show what is new, or planes to be dressed."""
        return self._unfinished or self._dressing.busy

    def complete(self) -> tuple[SlicePlot, ...]:
        """All three plots, made and filled now where they are not."""
        while self._unfinished:
            self._make_next()
        return self.plots

    def forget(self) -> None:
        """Nothing is known of H any longer."""
        self.planes, self._found = {}, None
        self._dressing.cancel()

    def show_cube(self, cells: Cell, names: Sequence[str], steps: tuple[int, int], path: np.ndarray | None) -> None:
        """Begin with a cube; ``steps``: s and h, 0 for none; ``path``: its cells, shape (n, 3), or None."""
        self._cube, self._path, self._found = (cells, names, steps), path, None
        self.one_by_one()
        for plot in self._waiting:
            plot.hide()

    def one_by_one(self) -> None:
        """Have every plot show all that is new in a turn of its own, and stay as it is until then: three pictures at
        once would stop the window."""
        self._waiting = [self.places[axis].content for axis in MADE_IN_ORDER if self.places[axis].made]
        for plot in self._waiting:
            plot.setUpdatesEnabled(False)
        if self._waiting:
            self._go_on()

    def show_place(self, place: Cell) -> None:
        """The cell that all slices go through."""
        self._place = place
        for plot in self._settled:
            self._show_place_in(plot)

    def still(self) -> Planes:
        """Of the planes shown last those that go through the present place."""
        return {axis: plane for axis, plane in self.planes.items() if self._shown_at[axis] == self._place[axis]}

    def show_planes(self, planes: Planes) -> None:
        """Show H where it is there; one range of colours for all slices. Large ones are dressed on a thread."""
        self.planes = planes
        self._shown_at = dict(zip(AXES, self._place, strict=True))
        if sum(plane.size for plane in planes.values()) <= AT_ONCE:
            self._dressing.cancel()
            self._show_dressed(dressed(planes))
            return
        for plot in self._settled:
            if plot.axis not in planes:
                plot.show_values(None, None, colours.lut())
        self._dressing.request(lambda monitor: dressed(planes))

    def show_lit(self, box: np.ndarray | None) -> None:
        """Outline a chunk (cube_data.Chunks.box), or none."""
        self._box = box
        for plot in self._settled:
            plot.show_lit(box)

    def fit(self) -> None:
        """Show whole slices."""
        for plot in self.plots:
            plot.fit()

    def restyle(self) -> None:
        """Take the colours in use."""
        for plot in self.plots:
            plot.restyle()

    def _make_next(self) -> None:
        """Show in a plot that waits for it what there is to show, or make one, its inner part first."""
        if self._waiting:
            plot = self._waiting.pop(0)
            plot.show()
            self._bring(plot)
            plot.setUpdatesEnabled(True)
        elif self._inner is None and not all(place.made for place in self.places):
            self._inner = SlicePlot.inner()
        elif missing := [axis for axis in MADE_IN_ORDER if not self.places[axis].made]:
            self._waiting.append(self.places[missing[0]].content)
        if self._unfinished:
            self._go_on()
        else:
            self._making.stop()

    def _go_on(self) -> None:
        """Wait, from the turn on in which what was made is painted: that may take longer than the pause."""
        QTimer.singleShot(0, self._making, self._making.start)

    @property
    def _unfinished(self) -> bool:
        """Whether a plot is not there yet, or does not show what there is."""
        return bool(self._waiting) or not all(place.made for place in self.places)

    def _make(self, axis: int) -> SlicePlot:
        plot, self._inner = SlicePlot(axis, self._inner), None
        plot.moved.connect(self.moved)
        plot.hovered.connect(self.hovered)
        return plot

    def _bring(self, plot: SlicePlot) -> None:
        """Show in a plot all that the others show."""
        if self._cube is None:
            return
        plot.show_cube(*self._cube, self._path)
        self._show_place_in(plot)
        if self._found is not None:
            self._show_values_in(plot, self._found)
        plot.show_lit(self._box)

    def _show_place_in(self, plot: SlicePlot) -> None:
        path, place = self._path, self._place
        plot.show_place(place, None if path is None else path[path[:, plot.axis] == place[plot.axis]])

    def _show_dressed(self, found: Dressed) -> None:
        self._found = found
        for plot in self._settled:
            self._show_values_in(plot, found)
        self.dressed.emit(found)

    def _show_values_in(self, plot: SlicePlot, found: Dressed) -> None:
        plot.show_values(found.values.get(plot.axis), found.tones.get(plot.axis), colours.lut())
