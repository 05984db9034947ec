"""The cube as sheets, lines and words in space, for whoever draws it. No Qt here.

Places are (i, j, k) in cells, k downwards; cell i lies between i and i + 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antidiag.app.kit.cube import data
from antidiag.app.kit.cube.data import Chunks

FLATTEST = 0.4
"""The shortest side of the cube is drawn at least so long as a share of the longest one."""
MOST_LINES = 160
"""Chunks along a side up to which their borders are drawn."""
MOST_POINTS = 3000
FINEST = 1024
"""Pixels along a side of a picture of chunks, about."""
TOP, SIDE, SEEN_THROUGH = 0.85, 0.6, 0.3
"""Opacity of the chunks on the top and on the sides, and of what would hide what lies in the cube."""
LIGHT_BELOW = 0.179
"""Luminance below which white letters stand out more than black ones (WCAG)."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A picture spread in space: ARGB pixels, row by row along ``v`` from ``corner``; a row runs along ``u``."""

    name: str
    corner: np.ndarray
    u: np.ndarray
    v: np.ndarray
    pixels: np.ndarray
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class Stroke:
    """A line through points of shape (n, 3), or one between each two of them; ``over``: in front of everything."""

    name: str
    points: np.ndarray
    colour: str
    width: float = 1.0
    pairs: bool = False
    over: bool = False


@dataclass(frozen=True, eq=False)
class Word:
    """Words in the middle of a face; ``room`` has its edges along i, j, k."""

    text: str
    place: np.ndarray
    room: np.ndarray
    light: bool = False


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is drawn. ``boxes`` int64, shape (n, 6), in cells (data.Chunks.boxes)."""

    cells: tuple[int, int, int]
    sheets: tuple[Sheet, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    words: tuple[Word, ...] = ()
    boxes: np.ndarray = field(default_factory=lambda: np.empty((0, 6), np.int64))

    @property
    def scale(self) -> np.ndarray:
        """Length of a cell along i, j, k, such that the longest side is 1."""
        return scale(self.cells)


@dataclass(frozen=True)
class Shown:
    """What is wanted in the picture."""

    chunks: bool = True
    numbers: bool = True
    path: bool = True
    projections: bool = True
    slices: bool = False
    colouring: str = "worker"


@dataclass(frozen=True)
class Ink:
    """Colours, "#rrggbb"; ``palette`` and ``lut`` as for data.shades; ``dark``: the background is."""

    text: str
    muted: str
    border: str
    path: str
    lit: str
    palette: np.ndarray
    lut: np.ndarray
    dark: bool


def scale(cells: tuple[int, int, int]) -> np.ndarray:
    """Length of a cell along i, j, k, such that the longest side is 1 and none is shorter than FLATTEST."""
    sizes = np.array(cells, float)
    return np.maximum(sizes / sizes.max(), FLATTEST) / sizes


def build(
    found: Chunks, path: np.ndarray | None, slices: tuple[Sheet, ...], shown: Shown, near: tuple[bool, bool], ink: Ink
) -> Scene:
    """The picture seen from above; ``near``: whether the last i, and the last j, are on the viewer's side.

    ``path`` has the cells of the path, shape (n, 3), or is None.
    """
    cells = found.grid.cells
    sheets: list[Sheet] = []
    strokes = [_frame(cells, ink)]
    if shown.chunks:
        sheets += [_top(found, shown, ink)]
        sheets += [] if shown.slices else _sides(found, shown.colouring, near, ink)
        strokes += _borders(found, near, ink)
    if shown.slices:
        sheets += [piece for sheet in slices for piece in _quarters(sheet, slices)]
    if path is not None:
        points = path[_thinned(len(path))] + 0.5
        if shown.projections:
            strokes += _projections(points, cells, near, ink)
        if shown.path:
            strokes.append(Stroke("path", points, ink.path, 2.5, over=True))
    boxes = found.boxes if shown.chunks and shown.colouring == "recomputed" else np.empty((0, 6), np.int64)
    words = _numbers(found, shown, ink) if shown.chunks and shown.numbers and found.count > 1 else ()
    return Scene(cells, tuple(sheets), tuple(strokes), words, boxes)


def marks(
    box: np.ndarray | None, place: tuple[int, int, int] | None, cells: tuple[int, int, int], ink: Ink
) -> tuple[Stroke, ...]:
    """A chunk that is lit, and a cross at a cell."""
    strokes = []
    if place is not None:
        strokes.append(Stroke("place", _cross(place, cells), ink.muted, 1.0, pairs=True, over=True))
    if box is not None:
        strokes.append(Stroke("lit", box_edges(box[None, :]), ink.lit, 2.5, pairs=True, over=True))
    return tuple(strokes)


def box_edges(boxes: np.ndarray) -> np.ndarray:
    """The twelve edges of each box, two points an edge, shape (24 n, 3)."""
    corners = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    ends = [(m, n) for m in range(8) for n in range(m + 1, 8) if np.abs(corners[m] - corners[n]).sum() == 1]
    picks = corners[np.array(ends).ravel()] + np.array([0, 2, 4])
    return boxes[:, picks].reshape(-1, 3).astype(float)


def slice_sheet(axis: int, place: int, cells: tuple[int, int, int], pixels: np.ndarray) -> Sheet:
    """A slice across ``axis``; ``pixels`` of shape (k, j), (k, i) or (i, j) for axis 0, 1, 2."""
    across, down = ((1, 2), (0, 2), (1, 0))[axis]
    corner, u, v = np.zeros(3), np.zeros(3), np.zeros(3)
    corner[axis], u[across], v[down] = place + 0.5, cells[across], cells[down]
    return Sheet(f"slice {axis}", corner, u, v, pixels)


def _frame(cells: tuple[int, int, int], ink: Ink) -> Stroke:
    box = np.array([[0, cells[0], 0, cells[1], 0, cells[2]]])
    return Stroke("frame", box_edges(box), ink.muted, 1.0, pairs=True)


def _top(found: Chunks, shown: Shown, ink: Ink) -> Sheet:
    i, j, _ = found.grid.cells
    pixels = _cut(_shades(found, shown.colouring, found.numbers, ink), found.grid.s, (i, j))
    opacity = SEEN_THROUGH if shown.slices else TOP
    return Sheet("top", np.zeros(3), np.array([0, j, 0.0]), np.array([i, 0, 0.0]), pixels, opacity)


def _sides(found: Chunks, colouring: str, near: tuple[bool, bool], ink: Ink) -> list[Sheet]:
    """The two sides towards the viewer."""
    sheets = []
    for axis, last in enumerate(near):
        row = -1 if last else 0
        numbers = found.numbers[row, :] if axis == 0 else found.numbers[:, row]
        if colouring == "time" and found.first.size:
            events = found.side_events(axis, last)
            pixels = data.time_shades(found, found.first["start_ns"][np.maximum(events, 0)], ink.lut)
            pixels = np.where(events < 0, ink.palette[-2], pixels)
        elif colouring == "recomputed":  # the boxes inside say more than the colour of a whole side
            pixels = np.full((1, len(numbers)), ink.palette[-2], np.uint32)
        else:
            pixels = _shades(found, colouring, numbers[None, :], ink)
        corner, u = np.zeros(3), np.zeros(3)
        corner[axis] = found.grid.cells[axis] if last else 0
        u[1 - axis] = found.grid.cells[1 - axis]
        pixels = _cut(pixels, found.grid.s, (None, found.grid.cells[1 - axis]))
        opacity = SEEN_THROUGH if colouring == "recomputed" else SIDE
        sheets.append(Sheet(f"side {axis}", corner, u, np.array([0, 0, float(found.grid.cells[2])]), pixels, opacity))
    return sheets


def _shades(found: Chunks, colouring: str, numbers: np.ndarray, ink: Ink) -> np.ndarray:
    return data.shades(found, colouring, numbers, ink.palette, ink.lut)


def _cut(pixels: np.ndarray, s: int, cells: tuple[int | None, int]) -> np.ndarray:
    """A pixel a chunk, repeated such that a last chunk with fewer cells is as narrow as it is."""
    for axis, size in enumerate(cells):
        count = pixels.shape[axis]
        if size is not None and size % s and count <= MOST_LINES:
            repeats = np.full(count, max(FINEST // count, 1))
            repeats[-1] = max(round(repeats[0] * (size % s) / s), 1)
            pixels = np.repeat(pixels, repeats, axis)
    return np.ascontiguousarray(pixels)


def _borders(found: Chunks, near: tuple[bool, bool], ink: Ink) -> list[Stroke]:
    """Borders of chunks on the top and on the sides towards the viewer."""
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
    return [Stroke("borders", np.array(ends, float), ink.border, 1.0, pairs=True, over=True)]


def _numbers(found: Chunks, shown: Shown, ink: Ink) -> tuple[Word, ...]:
    """The number of each chunk on its top."""
    if max(found.grid.rows, found.grid.columns) > MOST_LINES // 4:
        return ()
    colours = _shades(found, shown.colouring, np.arange(found.count), ink)
    channels = np.stack([(colours >> shift & 255) / 255 for shift in (16, 8, 0)], 1)
    light = channels**2.2 @ np.array([0.2126, 0.7152, 0.0722]) < LIGHT_BELOW
    light = np.full_like(light, ink.dark) if shown.slices else light
    words = []
    for number in range(found.count):
        i, i_end, j, j_end, _, _ = found.box(number).tolist()
        middle, room = np.array([(i + i_end) / 2, (j + j_end) / 2, 0.0]), np.array([i_end - i, j_end - j, 0.0])
        words.append(Word(f"{number:,}", middle, room, bool(light[number])))
    return tuple(words)


def _projections(points: np.ndarray, cells: tuple[int, int, int], near: tuple[bool, bool], ink: Ink) -> list[Stroke]:
    """The path as a shadow on the three faces away from the viewer."""
    far = (0 if near[0] else cells[0], 0 if near[1] else cells[1], cells[2])
    strokes = []
    for axis, place in enumerate(far):
        shadow = points.copy()
        shadow[:, axis] = place
        strokes.append(Stroke(f"projection {axis}", shadow, ink.path, 1.2))
    return strokes


def _quarters(sheet: Sheet, others: tuple[Sheet, ...]) -> list[Sheet]:
    """A slice cut where the other slices go through it, so that its parts lie before or behind them."""
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
            columns, rows = (_span(u0, u1, width), _span(v0, v1, height))
            (c0, c1), (r0, r1) = columns, rows
            pieces.append(
                Sheet(
                    sheet.name,
                    sheet.corner + sheet.u * c0 / width + sheet.v * r0 / height,
                    sheet.u * (c1 - c0) / width,
                    sheet.v * (r1 - r0) / height,
                    np.ascontiguousarray(sheet.pixels[r0:r1, c0:c1]),
                )
            )
    return [piece for piece in pieces if piece.pixels.size]


def _span(first: float, last: float, size: int) -> tuple[int, int]:
    return round(first * size), round(last * size)


def _cross(place: tuple[int, int, int], cells: tuple[int, int, int]) -> np.ndarray:
    """Three lines through a cell from side to side."""
    middle = np.array(place, float) + 0.5
    ends = np.repeat(middle[None, :], 6, axis=0)
    for axis in range(3):
        ends[2 * axis, axis], ends[2 * axis + 1, axis] = 0, cells[axis]
    return ends


def _thinned(count: int) -> np.ndarray:
    """Numbers of at most about MOST_POINTS points, the last one included."""
    return np.unique(np.append(np.arange(0, count, -(-count // MOST_POINTS)), count - 1))
