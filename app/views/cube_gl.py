"""The cube drawn by OpenGL, in perspective, where OpenGL and PyOpenGL are there."""

from __future__ import annotations

import importlib.util
import math
from functools import cache, partial
from typing import Any

import numpy as np
from pyqtgraph import Transform3D
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QOffscreenSurface, QOpenGLContext, QVector3D

from app import theme
from app.views.cube_drawing import DARK_INK, LIGHT_INK, Eye, Turning, chunk_at
from app.views.cube_scene import Scene, Sheet, Stroke, box_edges

FIELD = 30
"""Degrees that are seen across."""
ROOMY = 1.1
"""Distance of the camera, as a share of that at which a ball around the cube fills the view."""
TRIANGLES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
"""The sides of a box, by its corners."""
MOST_WORDS = 150
SMALL, BESIDE = 0.75, 0.16
"""Size of the chunks' numbers beside other words; how far outside the edges the names of the sequences stand."""
OLDEST = (2, 1)
WITHOUT_WINDOWS = ("offscreen", "minimal", "vnc")


@cache
def missing() -> str:
    """Why OpenGL cannot be used here, for people; empty where it can."""
    if importlib.util.find_spec("OpenGL") is None:
        return "PyOpenGL is not installed (pip install PyOpenGL)"
    if QGuiApplication.platformName() in WITHOUT_WINDOWS:
        return f"the display ({QGuiApplication.platformName()}) has no OpenGL"
    context, surface = QOpenGLContext(), QOffscreenSurface()
    surface.create()
    if not context.create() or not context.makeCurrent(surface):
        return "this display has no OpenGL"
    version = context.format().version()
    context.doneCurrent()
    if version < OLDEST:
        return f"OpenGL {OLDEST[0]}.{OLDEST[1]} is needed, and this display has {version[0]}.{version[1]}"
    return ""


def make(eye: Eye) -> Any:
    """A widget with the signals and methods of CubeDrawing that draws by OpenGL."""
    import pyqtgraph.opengl as gl  # fails without PyOpenGL, so not above

    class CubeGL(Turning, gl.GLViewWidget):
        """Shows a scene."""

        hovered = Signal(object)
        turned = Signal()

        def __init__(self) -> None:
            super().__init__()
            self.eye = eye
            self.scene: Scene | None = None
            self.s = 1
            self._marks: list[Any] = []
            self.setMouseTracking(True)
            self.setAccessibleName("Cube")
            self.setMinimumSize(160, 120)
            self.opts["fov"] = FIELD

        def show_scene(self, scene: Scene | None, names: tuple[str, str, str], s: int) -> None:
            self.scene, self.s = scene, s
            self.clear()
            self._marks = []
            self.setBackgroundColor(theme.active().panel)
            for item in _items(gl, scene, names, self.eye, self.font()) if scene is not None else ():
                self.addItem(item)

        def show_marks(self, marks: tuple[Stroke, ...]) -> None:
            for item in self._marks:
                self.removeItem(item)
            self._marks = [_line(gl, stroke, self.scene) for stroke in marks]
            for item in self._marks:
                self.addItem(item)

        def chunk_under(self, pixel: QPointF) -> tuple[int, int] | None:
            """Row and column of the chunk under a pixel."""
            self._look()
            area = self.getViewport()
            seen, _ = (self.projectionMatrix(area, area) * self.viewMatrix()).inverted()
            x, y = 2 * pixel.x() / self.width() - 1, 1 - 2 * pixel.y() / self.height()
            points = [seen.map(QVector3D(x, y, z)) for z in (-1.0, 1.0)]
            ends = np.array([[point.x(), point.y(), point.z()] for point in points])
            first, last = to_cells(ends, self.scene)
            return chunk_at(self.scene, partial(_on_plane, first, last), self.eye.near(), self.s)

        def paintGL(self) -> None:
            self._look()
            super().paintGL()

        def _look(self) -> None:
            """Put the camera where the eye is, as far away as the whole cube needs."""
            sizes = self.scene.scale * np.array(self.scene.cells) if self.scene is not None else np.ones(3)
            half = math.tan(math.radians(FIELD / 2)) * min(1.0, self.height() / max(self.width(), 1))
            self.opts["distance"] = ROOMY * float(np.linalg.norm(sizes)) / 2 / math.sin(math.atan(half)) / self.eye.zoom
            self.opts["azimuth"], self.opts["elevation"] = self.eye.turn - 90, self.eye.tilt

    return CubeGL()


def to_world(places: np.ndarray, scene: Scene) -> np.ndarray:
    """Cells as world coordinates (j, -i, -k) around the middle of the cube; shape (n, 3)."""
    centred = (places - np.array(scene.cells) / 2) * scene.scale
    return np.stack((centred[:, 1], -centred[:, 0], -centred[:, 2]), 1)


def to_cells(points: np.ndarray, scene: Scene) -> np.ndarray:
    """The inverse of to_world."""
    centred = np.stack((-points[:, 1], points[:, 0], -points[:, 2]), 1)
    return centred / scene.scale + np.array(scene.cells) / 2


def _on_plane(first: np.ndarray, last: np.ndarray, axis: int, place: float) -> np.ndarray:
    """Where the line of sight from ``first`` to ``last`` meets the plane across ``axis``."""
    along = last - first
    if not along[axis]:
        return np.full(3, -1.0)
    found = first + along * (place - first[axis]) / along[axis]
    found[axis] = place
    return found


def _items(gl: Any, scene: Scene, names: tuple[str, str, str], eye: Eye, font: QFont) -> list[Any]:
    """All that pyqtgraph draws of a scene, in the order of drawing."""
    items = [_line(gl, stroke, scene) for stroke in scene.strokes]
    items += [_image(gl, sheet, scene) for sheet in scene.sheets]
    if len(scene.boxes):
        items += _boxes(gl, scene)
    small = QFont(font)
    small.setPointSizeF(SMALL * font.pointSizeF())
    for word in scene.words[:MOST_WORDS]:
        items.append(_text(gl, word.text, word.place, LIGHT_INK if word.light else DARK_INK, small, scene))
    (i, j, k), near = scene.cells, eye.near()
    places = ([i / 2, (j if near[1] else 0), k], [(i if near[0] else 0), j / 2, k], [i, 0, k / 2])
    for name, place in zip(names, np.array(places, float), strict=True):
        outside = place + BESIDE * (place - np.array(scene.cells) / 2)
        items.append(_text(gl, name, outside, theme.active().text, font, scene))
    return items


def _text(gl: Any, text: str, place: np.ndarray, colour: str, font: QFont, scene: Scene) -> Any:
    item = gl.GLTextItem(pos=to_world(place[None, :], scene)[0], text=text, color=QColor(colour), font=font)
    if hasattr(item, "alignment"):  # not in older releases
        item.setData(alignment=Qt.AlignmentFlag.AlignCenter)
    item.setDepthValue(30)
    return item


def _line(gl: Any, stroke: Stroke, scene: Scene) -> Any:
    mode = "lines" if stroke.pairs else "line_strip"
    colour = QColor(stroke.colour).getRgbF()
    item = gl.GLLinePlotItem(
        pos=to_world(stroke.points, scene), color=colour, width=stroke.width, mode=mode, antialias=True
    )
    item.setGLOptions("translucent" if not stroke.over else _over())
    item.setDepthValue(20 if stroke.over else 0)
    return item


def _over() -> dict[Any, Any]:
    """Drawn in front of everything."""
    from OpenGL import GL

    return {
        GL.GL_DEPTH_TEST: False,
        GL.GL_BLEND: True,
        "glBlendFunc": (GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA),
    }


def _image(gl: Any, sheet: Sheet, scene: Scene) -> Any:
    height, width = sheet.pixels.shape
    channels = [(sheet.pixels >> shift & 255).astype(np.uint8) for shift in (16, 8, 0, 24)]
    pixels = np.stack(channels, 2).transpose(1, 0, 2).copy()
    pixels[..., 3] = np.rint(pixels[..., 3] * sheet.opacity).astype(np.uint8)
    item = gl.GLImageItem(pixels)
    corner, right, down = to_world(np.stack((sheet.corner, sheet.corner + sheet.u, sheet.corner + sheet.v)), scene)
    u, v = (right - corner) / width, (down - corner) / height
    normal = np.cross(u, v)
    rows = [[u[n], v[n], normal[n], corner[n]] for n in range(3)]
    item.setTransform(Transform3D(*(float(value) for row in rows for value in row), 0, 0, 0, 1))
    item.setDepthValue(1 if sheet.name.startswith("slice") else 10)
    return item


def _boxes(gl: Any, scene: Scene) -> list[Any]:
    """Boxes as one mesh, and their edges."""
    colour = QColor(theme.active().recomputed)
    corners = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]) + np.array([0, 2, 4])
    points = to_world(scene.boxes[:, corners].reshape(-1, 3).astype(float), scene)
    faces = (np.arange(len(scene.boxes))[:, None, None] * 8 + TRIANGLES).reshape(-1, 3)
    mesh = gl.GLMeshItem(
        vertexes=points,
        faces=faces,
        color=(colour.redF(), colour.greenF(), colour.blueF(), 0.6),
        smooth=False,
        glOptions="translucent",
    )
    mesh.setDepthValue(5)
    edges = Stroke("boxes", box_edges(scene.boxes), colour.darker(170).name(), 1.0, pairs=True)
    return [mesh, _line(gl, edges, scene)]
