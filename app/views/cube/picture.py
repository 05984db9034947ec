"""The cube in space: the scene, and the widget that draws it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.cube import scene as cube_scene
from antidiag.app.kit.cube.colours import argb, lut
from antidiag.app.kit.cube.data import Chunks
from antidiag.app.kit.cube.drawing import CubeDrawing, Eye
from antidiag.app.kit.cube.scene import Ink, Scene, Sheet, Shown
from antidiag.kernels.triple.model import Cell

MISSING_WORKER = 1
"""The grey among the colours of phases: chunks that the log does not tell of."""


class CubePicture(QWidget):
    """Shows chunks, path and slices of a cube. ``hovered(number)``: the chunk under the mouse, or None."""

    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.eye = Eye()
        self.shown = Shown()
        self.found: Chunks | None = None
        self.path: np.ndarray | None = None
        self.names = ("", "", "")
        self.place: Cell | None = None
        self.number: int | None = None
        self.drawing = CubeDrawing(self.eye)
        self._slices: tuple[Sheet, ...] = ()
        self._near = self.eye.near()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.drawing)
        self.drawing.hovered.connect(self._on_hovered)
        self.drawing.turned.connect(self._on_turned)

    def show_chunks(self, found: Chunks | None, path: np.ndarray | None, names: tuple[str, str, str]) -> None:
        self.found, self.path, self.names = found, path, names
        self._slices, self.number = (), None
        self.redraw()

    def show_slices(self, sheets: tuple[Sheet, ...]) -> None:
        """Slices of H, drawn where ``shown.slices`` says so."""
        self._slices = sheets
        if self.shown.slices:
            self.redraw()

    def show_place(self, place: Cell) -> None:
        self.place = place
        self._mark()

    def show_lit(self, number: int | None) -> None:
        """Light a chunk, or none."""
        self.number = number
        self._mark()

    def change(self, **values: Any) -> None:
        """Show other things (cube_scene.Shown)."""
        self.shown = replace(self.shown, **values)
        self.redraw()

    def reset(self) -> None:
        """The first view."""
        self.eye.reset()
        self._on_turned()
        self.drawing.update()

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """The cube as it is turned now, for a file."""
        self.drawing.show_scene(self.scene(), self.names, self._s)
        self.drawing.draw_figure(painter, area)

    def scene(self) -> Scene | None:
        if self.found is None:
            return None
        return cube_scene.build(self.found, self.path, self._slices, self.shown, self._near, ink())

    def redraw(self) -> None:
        """Build the scene again, as after a change of colours."""
        self.drawing.show_scene(self.scene(), self.names, self._s)
        self._mark()

    @property
    def _s(self) -> int:
        return self.found.grid.s if self.found else 1

    def _mark(self) -> None:
        if self.found is not None:
            box = self.found.box(self.number) if self.number is not None else None
            self.drawing.show_marks(cube_scene.marks(box, self.place, self.found.grid.cells, ink()))

    def _on_hovered(self, chunk: tuple[int, int] | None) -> None:
        self.hovered.emit(None if chunk is None or self.found is None else int(self.found.numbers[chunk]))

    def _on_turned(self) -> None:
        near = self.eye.near()
        if near != self._near:
            self._near = near
            self.redraw()


def ink() -> Ink:
    """The colours in use."""
    active = theme.active()

    palette = [QColor(colour).rgba() for colour in (*worker_colours(), active.boundary, active.recomputed)]
    return Ink(
        text=active.text,
        muted=active.muted,
        border=active.panel,
        path=active.path,
        lit=active.text,
        palette=np.array(palette, np.uint32),
        lut=argb(lut()),
        dark=QColor(active.panel).lightnessF() < 0.5,
    )


def worker_colours() -> tuple[str, ...]:
    """Colours of workers, in turn."""
    return tuple(colour for number, colour in enumerate(theme.active().phases) if number != MISSING_WORKER)
