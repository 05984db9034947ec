"""The DP matrix as people look at it: computed again for the part that is visible, never stored.

``scan`` passes over the whole matrix once. It keeps an overview and, on a grid, rows (H and G) and columns (H and K)
from which any part can be computed again (K and G are the gap states of the strips, see strips/cpu_cells.py).
``window`` and ``cells`` do so from the nearest kept row and column. All of that is computed on the GPU that is named,
or on the CPU.

All indices, spans and arrays are in the orientation of the problem, cells 0 .. m and 0 .. n with the borders.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import NEGATIVE, Encoded, encode
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pictures import cpu_image
from antidiag.kernels.pairwise.pictures.cpu_image import Block, fill_block
from antidiag.kernels.pairwise.pictures.part import Part
from antidiag.kernels.pairwise.strips.cpu_sizes import WIDTH_STEP, column_length

Span = tuple[int, int]

GRID = 64
"""Kept rows and columns where memory allows."""
KEPT_BYTES = 2**28
"""Most bytes of kept rows and columns."""
PIXELS, PIXELS_ON_GPU = (1024, 1024), (4096, 4096)
"""Of the overview: where it costs little, so many that most windows of a large matrix can be taken from it."""
SHARE, SHARE_ON_GPU = 2, 16
"""A window of more than one part in so many of the matrix is taken from the overview."""
STRIP_WIDTH, STEP_ON_GPU = 512, 512
CHEAP_CELLS = 2**29
"""A window of fewer cells is computed again even where the overview would nearly do."""


@dataclass(frozen=True, eq=False)
class MatrixScan:
    """What is known of a matrix after one pass, on the CPU or on the GPU ``device``.

    ``overview`` is int32, the greatest H of each pixel; pixel p of h covers rows p (m + 1) // h up to
    (p + 1) (m + 1) // h, and columns likewise. The other fields are oriented as the strips are: ``kept_rows`` int32
    (kept, 2, n + 1) holds H and G of the rows ``row_numbers``, ``kept_columns`` int32 (kept, 2, m + 16) H and K of the
    columns ``column_numbers``.
    """

    problem: PairProblem
    device: int | None
    overview: np.ndarray
    pair: Encoded
    row_numbers: np.ndarray
    column_numbers: np.ndarray
    kept_rows: np.ndarray
    kept_columns: np.ndarray

    @property
    def nbytes(self) -> int:
        return self.overview.nbytes + self.kept_rows.nbytes + self.kept_columns.nbytes


def scan(
    problem: PairProblem,
    monitor: Monitor | None = None,
    pixels: tuple[int, int] | None = None,
    device: int | None = None,
) -> MatrixScan:
    """One pass over the matrix, on all cores or on a GPU; raises Cancelled, and what a GPU fails with.

    ``pixels`` is the size of the overview, which never has more pixels than the matrix has cells.
    """
    pair = encode(problem)
    m, n = pair.rows.size, pair.columns.size
    pixels = pixels or (PIXELS if device is None else PIXELS_ON_GPU)
    pixels = pixels[::-1] if problem.swapped else pixels
    shape = min(pixels[0], m + 1), min(pixels[1], n + 1)
    step = _strip_width(n) if device is None else STEP_ON_GPU
    bands, row_numbers = _bands(0, (0, m + 1), shape[0], _grid(m, n))
    column_numbers = np.arange(0, n, step * max(1, -(-n // step) // _grid(m, n)))
    kept_rows = np.empty((row_numbers.size, 2, n + 1), np.int32)
    kept_columns = np.empty((column_numbers.size, 2, column_length(m)), np.int32)
    kept_rows[0], kept_columns[0] = pair.border(0, n + 1), pair.border(0, column_length(m))
    kept_rows[:, :, 0] = pair.border(0, m + 1)[row_numbers][:, None]
    kept_columns[:, :, 0] = pair.border(0, n + 1)[column_numbers][:, None]
    image = _border_image(pair, (0, m + 1), (0, n + 1), shape)
    pixel_columns = _pixel_columns((0, n + 1), (0, n + 1), shape[1])
    part = Part(
        pair, None, None, bands, pixel_columns, image, kept_rows, kept_columns[1:], column_numbers=column_numbers[1:]
    )
    _sweep(part, monitor or Monitor(), device)
    overview = np.ascontiguousarray(image.T) if problem.swapped else image
    return MatrixScan(problem, device, overview, pair, row_numbers, column_numbers, kept_rows, kept_columns)


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
    share = SHARE if scanned.device is None else SHARE_ON_GPU
    if height * width > max(CHEAP_CELLS, pair.rows.size * pair.columns.size // share):
        image = _from_overview(scanned, rows, columns, coarse)
    else:
        image = _border_image(pair, rows, columns, coarse)
        above, beside = _nearest(scanned.row_numbers, rows[0]), _nearest(scanned.column_numbers, columns[0])
        top, left = scanned.row_numbers[above], scanned.column_numbers[beside]
        if rows[1] - 1 > top and columns[1] - 1 > left:
            part = pair.part((top, rows[1] - 1), (left, columns[1] - 1))
            left_column = scanned.kept_columns[beside, :, top : top + column_length(part.rows.size)].copy()
            top_row = scanned.kept_rows[above, :, left : columns[1]]
            bands, _ = _bands(top, rows, coarse[0], 0)
            pixel_columns = _pixel_columns((left, columns[1]), columns, coarse[1])
            seen = Part(part, top_row, left_column, bands, pixel_columns, image=image)
            _sweep(seen, monitor, scanned.device)
    if coarse == tuple(shape):
        return image
    return image[np.ix_(*(np.arange(size) * have // size for size, have in zip(shape, coarse, strict=True)))]


def _cells(scanned: MatrixScan, rows: Span, columns: Span) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pair = scanned.pair
    above, beside = _nearest(scanned.row_numbers, rows[0]), _nearest(scanned.column_numbers, columns[0])
    kept_row, kept_column = scanned.row_numbers[above], scanned.column_numbers[beside]
    before_row, last_row, last_column = max(rows[0], 1) - 1, rows[1] - 1, columns[1] - 1
    step, device = WIDTH_STEP if scanned.device is None else STEP_ON_GPU, scanned.device
    before_column = kept_column + (max(columns[0], 1) - 1 - kept_column) // step * step
    left = scanned.kept_columns[beside, :, kept_row : kept_row + column_length(last_row - kept_row)].copy()
    top = scanned.kept_rows[above]
    if before_column > kept_column and last_row > kept_row:
        part = pair.part((kept_row, last_row), (kept_column, before_column))
        left = _last_column(part, top[:, kept_column : before_column + 1], left, device)
    top = top[:, before_column : last_column + 1]
    if before_row > kept_row and last_column > before_column:
        part = pair.part((kept_row, before_row), (before_column, last_column))
        top = _last_row(part, top, left, device)
    left = left[:, before_row - kept_row :]
    return _block(pair, (before_row, last_row), (before_column, last_column), top, left, rows, columns)


def _last_column(pair: Encoded, top: np.ndarray, left: np.ndarray, device: int | None) -> np.ndarray:
    """H and K of the last column of a part of the matrix whose width is a multiple of the step."""
    kept, last = np.empty((1, *left.shape), np.int32), np.array([pair.columns.size])
    kept[:, :, 0] = top[0, -1]
    bands = np.array([(pair.rows.size, -1, -1)])
    _sweep(Part(pair, top, left, bands, columns=kept, column_numbers=last), Monitor(), device)
    return kept[0]


def _last_row(pair: Encoded, top: np.ndarray, left: np.ndarray, device: int | None) -> np.ndarray:
    """H and G of the last row of a part of the matrix."""
    left = left[:, : column_length(pair.rows.size)].copy()
    kept = np.empty((1, 2, pair.columns.size + 1), np.int32)
    kept[0, :, 0] = left[0, pair.rows.size]
    _sweep(Part(pair, top, left, np.array([(pair.rows.size, -1, 0)]), rows=kept), Monitor(), device)
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


def _sweep(part: Part, monitor: Monitor, device: int | None) -> None:
    """Fill what is to be seen of a part of the matrix, on a GPU or on the CPU."""
    if device is None:
        cpu_image.sweep(part, _strip_width(part.pair.columns.size), monitor)
        return
    from antidiag.kernels.pairwise.pictures import cuda_image  # CuPy is imported where a GPU is used

    cuda_image.sweep(part, monitor, device)


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


def _pixel_columns(columns: Span, window: Span, pixels: int) -> np.ndarray:
    """The pixels of columns [columns) of the matrix, where those of the window are divided into so many; else -1."""
    numbers = np.arange(*columns)
    found = np.searchsorted(_edges(window, pixels), numbers, "right") - 1
    found[(numbers < window[0]) | (numbers >= window[1])] = -1
    return found
