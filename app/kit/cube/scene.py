"""The cube as sheets, lines and labels in space.

Places are (i, j, k) in cells, k downwards; cell i lies between i and i + 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antidiag.app.kit.cube import cube_chunks
from antidiag.app.kit.cube.cube_chunks import CubeChunks
from antidiag.app.kit.painting.fonts_and_colours import needs_light_text

FLATTEST = 0.4  # least length of the shortest side, as a share of the longest
MOST_LINES = 160  # chunks along a side up to which their borders are drawn
MOST_POINTS = 3000
FINEST = 1024  # largest side of a picture of chunks in pixels, about
# Opacity of the top and of the sides, and of what would hide the inside of the cube.
TOP_OPACITY, SIDE, SEEN_THROUGH = 0.85, 0.6, 0.3


@dataclass(frozen=True, eq=False)
class CubeSheet:
    """An image in space: ARGB pixels, row by row along ``v`` from ``corner``; a row runs along ``u``."""

    name: str
    corner: np.ndarray
    u: np.ndarray
    v: np.ndarray
    pixels: np.ndarray
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class CubeStroke:
    """A polyline through points (n, 3), or separate lines between ``pairs`` of points; ``over``: drawn last."""

    name: str
    points: np.ndarray
    colour: str
    width: float = 1.0
    pairs: bool = False
    over: bool = False


@dataclass(frozen=True, eq=False)
class CubeLabel:
    """A text in the middle of a face; ``room`` has the face's edges along i, j, k."""

    text: str
    place: np.ndarray
    room: np.ndarray
    light: bool = False


@dataclass(frozen=True, eq=False)
class CubeScene:
    """All that is drawn. ``boxes`` are the recomputed cells, int64 (n, 6)."""

    cells: tuple[int, int, int]
    sheets: tuple[CubeSheet, ...] = ()
    strokes: tuple[CubeStroke, ...] = ()
    words: tuple[CubeLabel, ...] = ()
    boxes: np.ndarray = field(default_factory=lambda: np.empty((0, 6), np.int64))

    @property
    def cell_lengths(self) -> np.ndarray:
        """Length of a cell along i, j, k; the longest side of the cube is 1."""
        return cell_lengths(self.cells)


@dataclass(frozen=True)
class CubeOptions:
    """What the user wants to see."""

    chunks: bool = True
    numbers: bool = True
    path: bool = True
    projections: bool = True
    slices: bool = False
    colouring: str = "worker"


@dataclass(frozen=True)
class CubeColours:
    """Colours, "#rrggbb"; ``palette`` and ``lut`` as for chunk_colours; ``dark``: the background is dark."""

    text: str
    muted: str
    border: str
    path: str
    lit: str
    palette: np.ndarray
    lut: np.ndarray
    dark: bool


def cell_lengths(cells: tuple[int, int, int]) -> np.ndarray:
    """Return the length of a cell along i, j, k: the longest side is 1, none is below FLATTEST."""
    sizes = np.array(cells, float)
    return np.maximum(sizes / sizes.max(), FLATTEST) / sizes


def build_scene(
    chunks: CubeChunks,
    path: np.ndarray | None,
    slices: tuple[CubeSheet, ...],
    options: CubeOptions,
    near: tuple[bool, bool],
    colours: CubeColours,
) -> CubeScene:
    """Build the picture; ``near``: whether the last i, and the last j, are on the viewer's side. ``path`` has the cells
    of the path, (n, 3), or is None."""
    cells = chunks.grid.cells
    sheets: list[CubeSheet] = []
    strokes = [_cube_outline(cells, colours)]
    if options.chunks:
        sheets += [_top_sheet(chunks, options, colours)]
        sheets += [] if options.slices else _side_sheets(chunks, options.colouring, near, colours)
        strokes += _chunk_borders(chunks, near, colours)
    if options.slices:
        sheets += [piece for sheet in slices for piece in _split_sheet(sheet, slices)]
    if path is not None:
        points = path[_sample_indices(len(path))] + 0.5
        if options.projections:
            strokes += _path_shadows(points, cells, near, colours)
        if options.path:
            strokes.append(CubeStroke("path", points, colours.path, 2.5, over=True))
    boxes = (
        chunks.recomputed_boxes if options.chunks and options.colouring == "recomputed" else np.empty((0, 6), np.int64)
    )
    words = _chunk_numbers(chunks, options, colours) if options.chunks and options.numbers and chunks.count > 1 else ()
    return CubeScene(cells, tuple(sheets), tuple(strokes), words, boxes)


def build_marks(
    box: np.ndarray | None, place: tuple[int, int, int] | None, cells: tuple[int, int, int], colours: CubeColours
) -> tuple[CubeStroke, ...]:
    """Return lines that mark a chunk and a cell."""
    strokes = []
    if place is not None:
        strokes.append(CubeStroke("place", _cross_lines(place, cells), colours.muted, 1.0, pairs=True, over=True))
    if box is not None:
        strokes.append(CubeStroke("lit", box_edges(box[None, :]), colours.lit, 2.5, pairs=True, over=True))
    return tuple(strokes)


def box_edges(boxes: np.ndarray) -> np.ndarray:
    """Return the twelve edges of each box, two points per edge, (24 n, 3)."""
    corners = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    ends = [(m, n) for m in range(8) for n in range(m + 1, 8) if np.abs(corners[m] - corners[n]).sum() == 1]
    picks = corners[np.array(ends).ravel()] + np.array([0, 2, 4])
    return boxes[:, picks].reshape(-1, 3).astype(float)


def create_slice_sheet(axis: int, place: int, cells: tuple[int, int, int], pixels: np.ndarray) -> CubeSheet:
    """Return a slice across ``axis``; ``pixels`` are (k, j), (k, i) or (i, j) for axis 0, 1, 2."""
    across, down = ((1, 2), (0, 2), (1, 0))[axis]
    corner, u, v = np.zeros(3), np.zeros(3), np.zeros(3)
    corner[axis], u[across], v[down] = place + 0.5, cells[across], cells[down]
    return CubeSheet(f"slice {axis}", corner, u, v, pixels)


def _cube_outline(cells: tuple[int, int, int], ink: CubeColours) -> CubeStroke:
    box = np.array([[0, cells[0], 0, cells[1], 0, cells[2]]])
    return CubeStroke("frame", box_edges(box), ink.muted, 1.0, pairs=True)


def _top_sheet(found: CubeChunks, shown: CubeOptions, ink: CubeColours) -> CubeSheet:
    i, j, _ = found.grid.cells
    pixels = _narrow_last_chunks(_chunk_colours(found, shown.colouring, found.grid_numbers, ink), found.grid.s, (i, j))
    opacity = SEEN_THROUGH if shown.slices else TOP_OPACITY
    return CubeSheet("top", np.zeros(3), np.array([0, j, 0.0]), np.array([i, 0, 0.0]), pixels, opacity)


def _side_sheets(found: CubeChunks, colouring: str, near: tuple[bool, bool], ink: CubeColours) -> list[CubeSheet]:
    """Return the two sides towards the viewer."""
    sheets = []
    for axis, last in enumerate(near):
        row = -1 if last else 0
        numbers = found.grid_numbers[row, :] if axis == 0 else found.grid_numbers[:, row]
        if colouring == "time" and found.first_phase_events.size:
            events = found.side_events(axis, last)
            pixels = cube_chunks.time_colours(
                found, found.first_phase_events["start_ns"][np.maximum(events, 0)], ink.lut
            )
            pixels = np.where(events < 0, ink.palette[-2], pixels)
        elif colouring == "recomputed":  # the boxes inside show more than a coloured side
            pixels = np.full((1, len(numbers)), ink.palette[-2], np.uint32)
        else:
            pixels = _chunk_colours(found, colouring, numbers[None, :], ink)
        corner, u = np.zeros(3), np.zeros(3)
        corner[axis] = found.grid.cells[axis] if last else 0
        u[1 - axis] = found.grid.cells[1 - axis]
        pixels = _narrow_last_chunks(pixels, found.grid.s, (None, found.grid.cells[1 - axis]))
        opacity = SEEN_THROUGH if colouring == "recomputed" else SIDE
        sheets.append(
            CubeSheet(f"side {axis}", corner, u, np.array([0, 0, float(found.grid.cells[2])]), pixels, opacity)
        )
    return sheets


def _chunk_colours(found: CubeChunks, colouring: str, numbers: np.ndarray, ink: CubeColours) -> np.ndarray:
    return cube_chunks.chunk_colours(found, colouring, numbers, ink.palette, ink.lut)


def _narrow_last_chunks(pixels: np.ndarray, s: int, cells: tuple[int | None, int]) -> np.ndarray:
    """Repeat pixels so that a last chunk with fewer cells is drawn narrower."""
    for axis, size in enumerate(cells):
        count = pixels.shape[axis]
        if size is not None and size % s and count <= MOST_LINES:
            repeats = np.full(count, max(FINEST // count, 1))
            repeats[-1] = max(round(repeats[0] * (size % s) / s), 1)
            pixels = np.repeat(pixels, repeats, axis)
    return np.ascontiguousarray(pixels)


def _chunk_borders(found: CubeChunks, near: tuple[bool, bool], ink: CubeColours) -> list[CubeStroke]:
    """Return the borders of chunks on the top and on the near sides."""
    (i, j, k), s = found.grid.cells, found.grid.s
    if max(found.grid.rows, found.grid.columns) > MOST_LINES:
        return []
    i_near, j_near = i if near[0] else 0, j if near[1] else 0
    ends: list[tuple[float, float, float]] = []
    for row in range(s, i, s):
        ends += [(row, 0, 0), (row, j, 0), (row, j_near, 0), (row, j_near, k)]
    for column in range(s, j, s):
        ends += [(0, column, 0), (i, column, 0), (i_near, column, 0), (i_near, column, k)]
    if not ends:
        return []
    return [CubeStroke("borders", np.array(ends, float), ink.border, 1.0, pairs=True, over=True)]


def _chunk_numbers(found: CubeChunks, shown: CubeOptions, ink: CubeColours) -> tuple[CubeLabel, ...]:
    """Return the number of each chunk as a label on its top."""
    if max(found.grid.rows, found.grid.columns) > MOST_LINES // 4:
        return ()
    colours = _chunk_colours(found, shown.colouring, np.arange(found.count), ink)
    light = needs_light_text(np.stack([colours >> shift & 255 for shift in (16, 8, 0)], 1))
    light = np.full_like(light, ink.dark) if shown.slices else light
    words = []
    for number in range(found.count):
        i, i_end, j, j_end, _, _ = found.chunk_box(number).tolist()
        middle, room = np.array([(i + i_end) / 2, (j + j_end) / 2, 0.0]), np.array([i_end - i, j_end - j, 0.0])
        words.append(CubeLabel(f"{number:,}", middle, room, bool(light[number])))
    return tuple(words)


def _path_shadows(
    points: np.ndarray, cells: tuple[int, int, int], near: tuple[bool, bool], ink: CubeColours
) -> list[CubeStroke]:
    """Return the path's shadows on the three far faces."""
    far = (0 if near[0] else cells[0], 0 if near[1] else cells[1], cells[2])
    strokes = []
    for axis, place in enumerate(far):
        shadow = points.copy()
        shadow[:, axis] = place
        strokes.append(CubeStroke(f"projection {axis}", shadow, ink.path, 1.2))
    return strokes


def _split_sheet(sheet: CubeSheet, others: tuple[CubeSheet, ...]) -> list[CubeSheet]:
    """Split a slice where others cross it, so that its parts lie before or behind them."""
    cuts = []
    for edge in (sheet.u, sheet.v):
        axis = int(np.flatnonzero(edge)[0])
        places = [other.corner[axis] for other in others if not other.u[axis] and not other.v[axis]]
        share = places[0] / edge[axis] if places else 1.0
        cuts.append([(0.0, share), (share, 1.0)] if 0 < share < 1 else [(0.0, 1.0)])
    height, width = sheet.pixels.shape
    pieces = []
    for u0, u1 in cuts[0]:
        for v0, v1 in cuts[1]:
            c0, c1, r0, r1 = round(u0 * width), round(u1 * width), round(v0 * height), round(v1 * height)
            corner = sheet.corner + sheet.u * c0 / width + sheet.v * r0 / height
            edges = sheet.u * (c1 - c0) / width, sheet.v * (r1 - r0) / height
            pieces.append(CubeSheet(sheet.name, corner, *edges, np.ascontiguousarray(sheet.pixels[r0:r1, c0:c1])))
    return [piece for piece in pieces if piece.pixels.size]


def _cross_lines(place: tuple[int, int, int], cells: tuple[int, int, int]) -> np.ndarray:
    """Return three lines through a cell from side to side."""
    middle = np.array(place, float) + 0.5
    ends = np.repeat(middle[None, :], 6, axis=0)
    for axis in range(3):
        ends[2 * axis, axis], ends[2 * axis + 1, axis] = 0, cells[axis]
    return ends


def _sample_indices(count: int) -> np.ndarray:
    """Return about MOST_POINTS indices, including the last."""
    return np.unique(np.append(np.arange(0, count, -(-count // MOST_POINTS)), count - 1))
