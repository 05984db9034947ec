"""The cube in space: the scene, and the widget that draws it, by OpenGL or by QPainter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app import theme
from app.views import cube_gl, cube_scene
from app.views.cube_data import Chunks
from app.views.cube_drawing import CubeDrawing, Eye
from app.views.cube_scene import Ink, Scene, Sheet, Shown
from kernels.triple.model import Cell

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
        self.drawing: CubeDrawing = CubeDrawing(self.eye)
        self.gl: Any = None
        self._slices: tuple[Sheet, ...] = ()
        self._near = self.eye.near()
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._adopt(self.drawing)

    @property
    def active(self) -> Any:
        """The widget that draws now."""
        return self.gl if self.gl is not None and not self.gl.isHidden() else self.drawing

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
        self.active.update()

    def use_opengl(self, wanted: bool) -> str:
        """Draw by OpenGL, or by QPainter; the reason where OpenGL is not there, else ''."""
        reason = cube_gl.missing() if wanted else ""
        if wanted and not reason and self.gl is None:
            self.gl = cube_gl.make(self.eye)
            self._adopt(self.gl)
        by_opengl = wanted and not reason
        if self.gl is not None:
            self.gl.setVisible(by_opengl)
        self.drawing.setVisible(not by_opengl)
        self.redraw()
        return reason

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
        self.active.show_scene(self.scene(), self.names, self._s)
        self._mark()

    @property
    def _s(self) -> int:
        return self.found.grid.s if self.found else 1

    def _adopt(self, widget: Any) -> None:
        self._box.addWidget(widget)
        widget.hovered.connect(self._on_hovered)
        widget.turned.connect(self._on_turned)

    def _mark(self) -> None:
        if self.found is not None:
            box = self.found.box(self.number) if self.number is not None else None
            self.active.show_marks(cube_scene.marks(box, self.place, self.found.grid.cells, ink()))

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


def lut() -> np.ndarray:
    """The colours of H and of time: uint8, shape (256, 3)."""
    return pg.colormap.get("viridis").getLookupTable(nPts=256)[:, :3]


def argb(colours: np.ndarray) -> np.ndarray:
    """Colours of shape (n, 3) as uint32 of QImage.Format_ARGB32."""
    red, green, blue = (colours[:, channel].astype(np.uint32) for channel in range(3))
    return np.uint32(255 << 24) | red << 16 | green << 8 | blue


def worker_colours() -> tuple[str, ...]:
    """Colours of workers, in turn."""
    return tuple(colour for number, colour in enumerate(theme.active().phases) if number != MISSING_WORKER)
