"""CubePicture: the widget that draws the cube in space."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.cube import scene as cube_scene
from antidiag.app.kit.cube.colour_map import colour_table, pack_argb
from antidiag.app.kit.cube.cube_chunks import CubeChunks
from antidiag.app.kit.cube.drawing import CubeCanvas, CubeViewpoint
from antidiag.app.kit.cube.scene import CubeColours, CubeOptions, CubeScene, CubeSheet
from antidiag.kernels.triple.model import Cell

MISSING_WORKER = 1  # index of the grey among the phase colours, for chunks that are not in the step log


class CubePicture(QWidget):
    """Chunks, path and slices of a cube. ``hovered(number)`` sends the chunk under the mouse, or None."""

    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.eye = CubeViewpoint()
        self.options = CubeOptions()
        self.chunks: CubeChunks | None = None
        self.path: np.ndarray | None = None
        self.names = ("", "", "")
        self.place: Cell | None = None
        self.lit_chunk: int | None = None
        self.drawing = CubeCanvas(self.eye)
        self._slices: tuple[CubeSheet, ...] = ()
        self._near = self.eye.near_sides()
        column_of(self.drawing, parent=self)
        self.drawing.hovered.connect(self._on_hovered)
        self.drawing.turned.connect(self._on_turned)

    def show_chunks(self, found: CubeChunks | None, path: np.ndarray | None, names: tuple[str, str, str]) -> None:
        """Show the chunks and the path of a result."""
        self.chunks, self.path, self.names = found, path, names
        self._slices, self.lit_chunk = (), None
        self.rebuild_scene()

    def show_slices(self, sheets: tuple[CubeSheet, ...]) -> None:
        """Show slices of H, if ``shown.slices`` is set."""
        self._slices = sheets
        if self.options.slices:
            self.rebuild_scene()

    def show_place(self, place: Cell) -> None:
        """Mark a cell."""
        self.place = place
        self._update_marks()

    def show_lit(self, number: int | None) -> None:
        """Highlight a chunk, or none."""
        self.lit_chunk = number
        self._update_marks()

    def change_options(self, **values: Any) -> None:
        """Change what is shown, by fields of `CubeOptions`."""
        self.options = replace(self.options, **values)
        self.rebuild_scene()

    def reset_eye(self) -> None:
        """Turn the cube back to its first position."""
        self.eye.reset_view()
        self._on_turned()
        self.drawing.update()

    def list_eye(self) -> list[float]:
        """Return turn, tilt and zoom of the direction of view."""
        return [float(self.eye.turn), float(self.eye.tilt), float(self.eye.zoom)]

    def restore_eye(self, eye: list[float]) -> None:
        """Turn the cube to what `list_eye` returned."""
        self.eye.turn, self.eye.tilt, self.eye.zoom = map(float, eye)
        self._on_turned()
        self.drawing.update()

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw the cube as it is turned, for a file."""
        self.drawing.show_scene(self.build_scene(), self.names, self._strip_width)
        self.drawing.draw_figure(painter, area)

    def build_scene(self) -> CubeScene | None:
        """Return the scene of the chunks; None without chunks."""
        if self.chunks is None:
            return None
        return cube_scene.build_scene(self.chunks, self.path, self._slices, self.options, self._near, scene_colours())

    def rebuild_scene(self) -> None:
        """Build the scene again."""
        self.drawing.show_scene(self.build_scene(), self.names, self._strip_width)
        self._update_marks()

    @property
    def _strip_width(self) -> int:
        return self.chunks.grid.s if self.chunks else 1

    def _update_marks(self) -> None:
        if self.chunks is not None:
            box = self.chunks.chunk_box(self.lit_chunk) if self.lit_chunk is not None else None
            self.drawing.show_marks(cube_scene.build_marks(box, self.place, self.chunks.grid.cells, scene_colours()))

    def _on_hovered(self, chunk: tuple[int, int] | None) -> None:
        self.hovered.emit(None if chunk is None or self.chunks is None else int(self.chunks.grid_numbers[chunk]))

    def _on_turned(self) -> None:
        near = self.eye.near_sides()
        if near != self._near:
            self._near = near
            self.rebuild_scene()


def scene_colours() -> CubeColours:
    """Return the colours of the present theme."""
    active = theme.active()
    palette = [QColor(colour).rgba() for colour in (*worker_colours(), active.boundary, active.recomputed)]
    return CubeColours(
        text=active.text,
        muted=active.muted,
        border=active.panel,
        path=active.path,
        lit=active.text,
        palette=np.array(palette, np.uint32),
        lut=pack_argb(colour_table()),
        dark=QColor(active.panel).lightnessF() < 0.5,
    )


def worker_colours() -> tuple[str, ...]:
    """Return the colours that workers use in turn."""
    return tuple(colour for number, colour in enumerate(theme.active().phases) if number != MISSING_WORKER)
