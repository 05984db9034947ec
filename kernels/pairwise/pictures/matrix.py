"""The DP matrix as people look at it: computed again for the part that is visible, never stored.

``scan`` passes over the whole matrix once. It keeps an overview and, on a grid, rows (H and G) and columns (H and K)
from which any part can be computed again (K and G are the gap states of the strips, see strips/cpu_cells.py).
``window`` and ``cells`` do so from the nearest kept row and column.

All indices, spans and arrays are in the orientation of the problem, cells 0 .. m and 0 .. n with the borders.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernels.cpu.workers import cores
from kernels.monitor import Monitor
from kernels.pairwise.encoding import NEGATIVE, Encoded, encode
from kernels.pairwise.model import PairProblem
from kernels.pairwise.pictures.cpu_image import Block, Shown, advance_image, fill_block
from kernels.pairwise.records import NEVER_BETTER
from kernels.pairwise.strips.cpu_cells import in_lanes, out_of_lanes
from kernels.pairwise.strips.cpu_sizes import WIDTH_STEP, column_length
from kernels.pairwise.strips.cpu_strips import Strips, share_strips

Span = tuple[int, int]

GRID = 64
"""Kept rows and columns where memory allows."""
KEPT_BYTES = 2**28
"""Most bytes of kept rows and columns."""
STRIP_WIDTH = 512
CHEAP_CELLS = 2**29
"""A window of fewer cells is computed again even where the overview would nearly do."""


@dataclass(frozen=True, eq=False)
class MatrixScan:
    """What is known of a matrix after one pass.

    ``overview`` is int32, the greatest H of each pixel; pixel p of h covers rows p (m + 1) // h up to
    (p + 1) (m + 1) // h, and columns likewise. The other fields are oriented as the strips are: ``kept_rows`` int32
    (kept, 2, n + 1) holds H and G of the rows ``row_numbers``, ``kept_columns`` int32 (kept, 2, m + 16) H and K of the
    columns ``column_numbers``.
    """

    problem: PairProblem
    overview: np.ndarray
    pair: Encoded
    row_numbers: np.ndarray
    column_numbers: np.ndarray
    kept_rows: np.ndarray
    kept_columns: np.ndarray

    @property
    def nbytes(self) -> int:
        return self.overview.nbytes + self.kept_rows.nbytes + self.kept_columns.nbytes


def scan(problem: PairProblem, monitor: Monitor | None = None, pixels: tuple[int, int] = (1024, 1024)) -> MatrixScan:
    """One pass over the matrix on all cores; raises Cancelled.

    ``pixels`` is the size of the overview, which never has more pixels than the matrix has cells.
    """
    pair = encode(problem)
    m, n = pair.rows.size, pair.columns.size
    pixels = pixels[::-1] if problem.swapped else pixels
    shape = min(pixels[0], m + 1), min(pixels[1], n + 1)
    s = _strip_width(n)
    bands, row_numbers = _bands(0, (0, m + 1), shape[0], _grid(m, n))
    column_numbers = np.arange(0, n, s * max(1, -(-n // s) // _grid(m, n)))
    kept_rows = np.empty((row_numbers.size, 2, n + 1), np.int32)
    kept_columns = np.empty((column_numbers.size, 2, column_length(m)), np.int32)
    kept_rows[0], kept_columns[0] = pair.border(0, n + 1), pair.border(0, column_length(m))
    kept_rows[:, :, 0] = pair.border(0, m + 1)[row_numbers][:, None]
    strips = _strips(pair, s, None, None)
    strips.kept = dict(zip((column_numbers[1:] // s - 1).tolist(), kept_columns[1:], strict=True))
    image = _border_image(pair, (0, m + 1), (0, n + 1), shape)
    _sweep(strips, 0, (0, n + 1), bands, image, kept_rows, monitor or Monitor())
    overview = np.ascontiguousarray(image.T) if problem.swapped else image
    return MatrixScan(problem, overview, pair, row_numbers, column_numbers, kept_rows, kept_columns)


def window(
    scanned: MatrixScan, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor | None = None
) -> np.ndarray:
    """The greatest H of each pixel of a window of cells [rows) x [columns), int32 of ``shape``.

    Computed again from the nearest kept row and column; a large window that is nearly the whole matrix is taken from
    the overview instead. Pixels are divided as in the overview. Raises Cancelled.
    """
    if scanned.problem.swapped:
        return np.ascontiguousarray(_window(scanned, columns, rows, shape[::-1], monitor or Monitor()).T)
    return _window(scanned, rows, columns, shape, monitor or Monitor())


def cells(scanned: MatrixScan, rows: Span, columns: Span) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """H, E and F of the cells [rows) x [columns), int32 each; minus infinity is -2^30 or below."""
    if scanned.problem.swapped:
        H, E, F = _cells(scanned, columns, rows)
        return np.ascontiguousarray(H.T), np.ascontiguousarray(F.T), np.ascontiguousarray(E.T)
    return _cells(scanned, rows, columns)


def _window(scanned: MatrixScan, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor) -> np.ndarray:
    pair, (height, width) = scanned.pair, (rows[1] - rows[0], columns[1] - columns[0])
    coarse = min(shape[0], height), min(shape[1], width)
    if height * width > max(CHEAP_CELLS, pair.rows.size * pair.columns.size // 2):
        image = _from_overview(scanned, rows, columns, coarse)
    else:
        image = _border_image(pair, rows, columns, coarse)
        above, beside = _nearest(scanned.row_numbers, rows[0]), _nearest(scanned.column_numbers, columns[0])
        top, left = scanned.row_numbers[above], scanned.column_numbers[beside]
        if rows[1] - 1 > top and columns[1] - 1 > left:
            part = pair.part((top, rows[1] - 1), (left, columns[1] - 1))
            left_column = scanned.kept_columns[beside, :, top : top + column_length(part.rows.size)].copy()
            top_row = scanned.kept_rows[above, :, left : columns[1]]
            strips = _strips(part, _strip_width(part.columns.size), top_row, left_column)
            bands, _ = _bands(top, rows, coarse[0], 0)
            _sweep(strips, left, columns, bands, image, np.empty((0, 2, 1), np.int32), monitor)
    if coarse == tuple(shape):
        return image
    return image[np.ix_(*(np.arange(size) * have // size for size, have in zip(shape, coarse, strict=True)))]


def _cells(scanned: MatrixScan, rows: Span, columns: Span) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pair = scanned.pair
    above, beside = _nearest(scanned.row_numbers, rows[0]), _nearest(scanned.column_numbers, columns[0])
    kept_row, kept_column = scanned.row_numbers[above], scanned.column_numbers[beside]
    before_row, last_row, last_column = max(rows[0], 1) - 1, rows[1] - 1, columns[1] - 1
    before_column = kept_column + (max(columns[0], 1) - 1 - kept_column) // WIDTH_STEP * WIDTH_STEP
    left = scanned.kept_columns[beside, :, kept_row : kept_row + column_length(last_row - kept_row)].copy()
    top = scanned.kept_rows[above]
    if before_column > kept_column and last_row > kept_row:
        part = pair.part((kept_row, last_row), (kept_column, before_column))
        left = _last_column(part, top[:, kept_column : before_column + 1], left)
    top = top[:, before_column : last_column + 1]
    if before_row > kept_row and last_column > before_column:
        part = pair.part((kept_row, before_row), (before_column, last_column))
        top = _last_row(part, top, left)
    left = left[:, before_row - kept_row :]
    return _block(pair, (before_row, last_row), (before_column, last_column), top, left, rows, columns)


def _last_column(part: Encoded, top: np.ndarray, left: np.ndarray) -> np.ndarray:
    """H and K of the last column of a part of the matrix whose width is a multiple of WIDTH_STEP."""
    strips = _strips(part, _strip_width(part.columns.size), top, left)
    _sweep(strips, 0, (0, 0), np.array([(part.rows.size, -1, -1)]), *_nothing(), Monitor())
    return strips.right_column(strips.count - 1)


def _last_row(part: Encoded, top: np.ndarray, left: np.ndarray) -> np.ndarray:
    """H and G of the last row of a part of the matrix."""
    strips = _strips(part, _strip_width(part.columns.size), top, left[:, : column_length(part.rows.size)].copy())
    image, _ = _nothing()
    kept = np.empty((1, 2, part.columns.size + 1), np.int32)
    kept[0, :, 0] = left[0, part.rows.size]
    _sweep(strips, 0, (0, 0), np.array([(part.rows.size, -1, 0)]), image, kept, Monitor())
    return kept[0]


def _block(
    pair: Encoded, block_rows: Span, block_columns: Span, top: np.ndarray, left: np.ndarray, rows: Span, columns: Span
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """H, E and F of the cells asked for, given H and G of the row above the block and H and K beside it."""
    part = pair.part(block_rows, block_columns)
    H, E, F = (np.full((part.rows.size + 1, part.columns.size + 1), NEGATIVE, np.int32) for _ in range(3))
    left = left[:, : part.rows.size + 1].copy()
    block = Block(part.rows, part.columns, pair.table, pair.open, pair.extend, pair.floor)
    fill_block(block, top.copy(), left, H, E, F)
    if not pair.local and block_rows[0] == 0:
        F[0, 1:] = H[0, 1:]
    if not pair.local and block_columns[0] == 0:
        E[1:, 0] = H[1:, 0]
    if block_columns[0] == 0:
        F[:, 0] = NEGATIVE
    inner = np.s_[rows[0] - block_rows[0] :, columns[0] - block_columns[0] :]
    return H[inner], E[inner], F[inner]


def _sweep(
    strips: Strips,
    offset: int,
    columns: Span,
    bands: np.ndarray,
    image: np.ndarray,
    kept_rows: np.ndarray,
    monitor: Monitor,
) -> None:
    """Compute all strips; the columns of ``strips`` begin after column ``offset``, pixels divide ``columns``."""
    pixel_edges = _edges(columns, image.shape[1])
    kept_places = bands[bands[:, 2] >= 0, 2]

    def one_strip(strip: int, worker: int) -> None:
        start, end = strips.columns(strip)
        borders, progress = strips.begin(strip)
        width = borders.edge.shape[1]
        numbers = np.arange(offset + start + 1, offset + start + width + 1)
        pixels = np.searchsorted(pixel_edges, numbers, "right") - 1
        pixels[(numbers < columns[0]) | (numbers >= columns[1])] = -1
        kept = np.empty((len(kept_rows), 2, width), np.int32)
        shown = Shown(bands, in_lanes(pixels), image, kept)
        advance_image(strips.problem(strip), borders, strips.best[strip], np.empty(width, np.int32), shown, progress)
        for place in kept_places:
            for part in range(2):
                kept_rows[place, part, start + 1 : end + 1] = out_of_lanes(kept[place, part])[: end - start]

    share_strips(strips, one_strip, monitor, "matrix")


def _strips(pair: Encoded, s: int, top: np.ndarray | None, left: np.ndarray | None) -> Strips:
    workers = min(cores(), -(-pair.columns.size // s))
    values = np.empty((workers + 1, 2, column_length(pair.rows.size)), np.int32)
    strips = Strips(pair, s, WIDTH_STEP, workers, values, top=top, left=left)
    strips.best[:, 0] = NEVER_BETTER
    return strips


def _strip_width(columns: int) -> int:
    """Strips of a useful width, four for each core where there are columns enough."""
    return min(max(columns // (4 * cores()) // WIDTH_STEP * WIDTH_STEP, WIDTH_STEP), STRIP_WIDTH)


def _grid(m: int, n: int) -> int:
    """Kept rows, and kept columns, of a matrix."""
    return max(min(GRID, KEPT_BYTES // (8 * (m + n + 2))), 4)


def _edges(span: Span, pixels: int) -> np.ndarray:
    """Where pixels begin and end, int64 (pixels + 1)."""
    return span[0] + np.arange(pixels + 1, dtype=np.int64) * (span[1] - span[0]) // max(pixels, 1)


def _bands(top: int, rows: Span, pixels: int, grid: int) -> tuple[np.ndarray, np.ndarray]:
    """Bands below row ``top``, as advance_image takes them, and the numbers of about ``grid`` kept rows."""
    ends = _edges(rows, pixels)[1:] - 1
    kept = np.full(pixels, -1, np.int64)
    if grid:
        places = np.arange(-(-pixels // grid) - 1, pixels - 1, -(-pixels // grid))
        places = places[ends[places] > top]
        kept[places] = np.arange(1, places.size + 1)
    bands = np.column_stack((ends, np.arange(pixels), kept))
    if rows[0] - 1 > top:
        bands = np.vstack(([rows[0] - 1, -1, -1], bands))
    bands[:, 0] -= top
    return bands, np.concatenate(([top], ends[kept >= 0]))


def _border_image(pair: Encoded, rows: Span, columns: Span, shape: tuple[int, int]) -> np.ndarray:
    """The pixels of a window with nothing but row 0 and column 0 in it."""
    image = np.full(shape, NEGATIVE, np.int32)
    if rows[0] == 0:
        image[0] = np.maximum.reduceat(pair.border(*columns), _edges(columns, shape[1])[:-1] - columns[0])
    if columns[0] == 0:
        side = np.maximum.reduceat(pair.border(*rows), _edges(rows, shape[0])[:-1] - rows[0])
        image[:, 0] = np.maximum(image[:, 0], side)
    return image


def _from_overview(scanned: MatrixScan, rows: Span, columns: Span, shape: tuple[int, int]) -> np.ndarray:
    """A window from the pixels of the overview that it crosses."""
    image = scanned.overview.T if scanned.problem.swapped else scanned.overview
    for axis, (span, size) in enumerate(((rows, scanned.pair.rows.size), (columns, scanned.pair.columns.size))):
        coarse, fine = _edges((0, size + 1), image.shape[axis]), _edges(span, shape[axis])
        first = np.searchsorted(coarse, fine[:-1], "right") - 1
        last = np.searchsorted(coarse, fine[1:] - 1, "right")
        pieces = [image.take(range(a, b), axis).max(axis) for a, b in zip(first, last, strict=True)]
        image = np.stack(pieces, axis)
    return image


def _nearest(numbers: np.ndarray, first: int) -> int:
    """Place of the last kept row or column before ``first``."""
    return int(np.searchsorted(numbers, max(first - 1, 0), "right")) - 1


def _nothing() -> tuple[np.ndarray, np.ndarray]:
    """No image, and no kept rows."""
    return np.empty((0, 0), np.int32), np.empty((0, 2, 1), np.int32)
