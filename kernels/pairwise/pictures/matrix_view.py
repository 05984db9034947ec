"""Pictures of the DP matrix: the visible part is computed again, and nothing else is stored.

`scan_matrix` passes over the whole matrix once. It keeps an overview and, on a grid, rows (H and G) and columns (H and
K) from which any part can be computed again (K and G are the gap states of the strips, see
strips/cpu_tile_kernels.py). `compute_window` and `compute_cells` do so from the nearest kept row and column. All of it
runs on the GPU that is named, or on the CPU.

All indices, spans and arrays are in the orientation of the problem, cells 0 .. m and 0 .. n with the borders.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.alignments import cell_origins
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import NEGATIVE, EncodedPair, encode_pair
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pictures import cpu_matrix_view
from antidiag.kernels.pairwise.pictures.cpu_matrix_view import StoredBlock, fill_block
from antidiag.kernels.pairwise.pictures.matrix_region import MatrixRegion
from antidiag.kernels.pairwise.strips.cpu_sizes import WIDTH_STEP, column_length
from antidiag.kernels.scoring import Mode

Span = tuple[int, int]

GRID = 64
"""Number of kept rows, and of kept columns, where memory allows."""
KEPT_BYTES = 2**28
"""Most bytes of kept rows and columns."""
PIXELS, PIXELS_ON_GPU = (1024, 1024), (4096, 4096)
"""Size of the overview on CPU and GPU; a GPU affords one that serves most windows of a large matrix."""
SHARE, SHARE_ON_GPU = 2, 16
"""A window larger than 1/SHARE of the matrix is taken from the overview."""
STRIP_WIDTH, STEP_ON_GPU = 512, 512
CHEAP_CELLS = 2**29
"""A window of fewer cells is always computed again."""


@dataclass(frozen=True, eq=False)
class MatrixScan:
    """The overview and the kept rows and columns of a matrix, from the CPU or from GPU ``device``.

    ``overview`` is int32, the greatest H of each pixel; pixel p of h covers rows p (m + 1) // h up to
    (p + 1) (m + 1) // h, and columns likewise. The other fields are oriented as the strips are: ``kept_rows`` int32
    (kept, v, n + 1) holds H and G of the rows ``row_numbers``, ``kept_columns`` int32 (kept, v, m + 16) H and K of the
    columns ``column_numbers``; v is 2, or 3 with the gap states of a second piece of gap costs.
    """

    problem: PairProblem
    device: int | None
    overview: np.ndarray
    pair: EncodedPair
    row_numbers: np.ndarray
    column_numbers: np.ndarray
    kept_rows: np.ndarray
    kept_columns: np.ndarray

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.overview.nbytes + self.kept_rows.nbytes + self.kept_columns.nbytes


def scan_matrix(
    problem: PairProblem,
    monitor: Monitor | None = None,
    pixels: tuple[int, int] | None = None,
    device: int | None = None,
) -> MatrixScan:
    """Pass over the matrix once, on all cores or on a GPU.

    Parameters
    ----------
    problem : PairProblem
    monitor : Monitor, optional
    pixels : tuple of int, optional
        Size of the overview, which never has more pixels than the matrix has cells.
    device : int, optional
        The GPU to run on; None for the CPU.

    Returns
    -------
    MatrixScan

    Raises
    ------
    Cancelled, MemoryRefused, BackendUnavailable
    """
    pair = encode_pair(problem)
    m, n = pair.rows.size, pair.columns.size
    pixels = pixels or (PIXELS if device is None else PIXELS_ON_GPU)
    pixels = pixels[::-1] if problem.swapped else pixels
    shape = min(pixels[0], m + 1), min(pixels[1], n + 1)
    step = _strip_width(n) if device is None else STEP_ON_GPU
    bands, row_numbers = _make_bands(0, (0, m + 1), shape[0], _kept_line_count(m, n))
    column_numbers = np.arange(0, n, step * max(1, -(-n // step) // _kept_line_count(m, n)))
    kept_rows = np.empty((row_numbers.size, pair.value_count, n + 1), np.int32)
    kept_columns = np.empty((column_numbers.size, pair.value_count, column_length(m)), np.int32)
    kept_rows[0], kept_columns[0] = pair.top_scores(0, n + 1), pair.left_scores(0, column_length(m))
    kept_rows[:, :, 0] = pair.left_scores(0, m + 1)[row_numbers][:, None]
    kept_columns[:, :, 0] = pair.top_scores(0, n + 1)[column_numbers][:, None]
    image = _draw_borders(pair, (0, m + 1), (0, n + 1), shape)
    pixel_columns = _pixel_columns((0, n + 1), (0, n + 1), shape[1])
    part = MatrixRegion(
        pair, None, None, bands, pixel_columns, image, kept_rows, kept_columns[1:], column_numbers=column_numbers[1:]
    )
    _sweep_region(part, monitor or Monitor(), device)
    overview = np.ascontiguousarray(image.T) if problem.swapped else image
    return MatrixScan(problem, device, overview, pair, row_numbers, column_numbers, kept_rows, kept_columns)


def compute_window(
    scanned: MatrixScan, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor | None = None
) -> np.ndarray:
    """Return the greatest H of each pixel of a window of cells.

    Parameters
    ----------
    scanned : MatrixScan
    rows, columns : tuple of int
        Half-open ranges of cells.
    shape : tuple of int
        Pixels down and across, divided as in the overview.
    monitor : Monitor, optional

    Returns
    -------
    ndarray of int32, ``shape``
        Computed again from the nearest kept row and column; a large window is taken from the overview instead.

    Raises
    ------
    Cancelled
    """
    if scanned.problem.swapped:
        return np.ascontiguousarray(_compute_window(scanned, columns, rows, shape[::-1], monitor or Monitor()).T)
    return _compute_window(scanned, rows, columns, shape, monitor or Monitor())


def compute_cells(scanned: MatrixScan, rows: Span, columns: Span) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return H, E and F of the cells [rows) x [columns), int32 each; minus infinity is -2^30 or below.

    With two-piece gap costs E and F are those of the piece that gives more.
    """
    if scanned.problem.swapped:
        H, E, F = _compute_cells(scanned, columns, rows)
        return np.ascontiguousarray(H.T), np.ascontiguousarray(F.T), np.ascontiguousarray(E.T)
    return _compute_cells(scanned, rows, columns)


def find_origins(
    problem: PairProblem, cell_values: tuple[np.ndarray, np.ndarray, np.ndarray], corner: tuple[int, int]
) -> np.ndarray:
    """Return the predecessor of each H, uint8, by the tie rule; ``corner`` is the cell of the first value.

    The first row and column of the arrays lack a neighbour; they are right only at the border of the table.
    """
    letters = (
        codes[np.maximum(np.arange(size) + low - 1, 0)]
        for codes, size, low in zip(problem.codes, cell_values[0].shape, corner, strict=True)
    )
    pairs = problem.scoring.scores[np.ix_(*letters)]
    return cell_origins.find_origins(cell_values, pairs, corner, problem.mode == Mode.LOCAL, problem.swapped)


def _compute_window(
    scanned: MatrixScan, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor
) -> np.ndarray:
    pair, (height, width) = scanned.pair, (rows[1] - rows[0], columns[1] - columns[0])
    coarse = min(shape[0], height), min(shape[1], width)
    share = SHARE if scanned.device is None else SHARE_ON_GPU
    if height * width > max(CHEAP_CELLS, pair.rows.size * pair.columns.size // share):
        image = _crop_overview(scanned, rows, columns, coarse)
    else:
        image = _draw_borders(pair, rows, columns, coarse)
        above, beside = _nearest_kept(scanned.row_numbers, rows[0]), _nearest_kept(scanned.column_numbers, columns[0])
        top, left = scanned.row_numbers[above], scanned.column_numbers[beside]
        if rows[1] - 1 > top and columns[1] - 1 > left:
            part = pair.slice_pair((top, rows[1] - 1), (left, columns[1] - 1))
            left_column = scanned.kept_columns[beside, :, top : top + column_length(part.rows.size)].copy()
            top_row = scanned.kept_rows[above, :, left : columns[1]]
            bands, _ = _make_bands(top, rows, coarse[0], 0)
            pixel_columns = _pixel_columns((left, columns[1]), columns, coarse[1])
            seen = MatrixRegion(part, top_row, left_column, bands, pixel_columns, image=image)
            _sweep_region(seen, monitor, scanned.device)
    if coarse == tuple(shape):
        return image
    return image[np.ix_(*(np.arange(size) * have // size for size, have in zip(shape, coarse, strict=True)))]


def _compute_cells(scanned: MatrixScan, rows: Span, columns: Span) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pair = scanned.pair
    above, beside = _nearest_kept(scanned.row_numbers, rows[0]), _nearest_kept(scanned.column_numbers, columns[0])
    kept_row, kept_column = scanned.row_numbers[above], scanned.column_numbers[beside]
    before_row, last_row, last_column = max(rows[0], 1) - 1, rows[1] - 1, columns[1] - 1
    step, device = WIDTH_STEP if scanned.device is None else STEP_ON_GPU, scanned.device
    before_column = kept_column + (max(columns[0], 1) - 1 - kept_column) // step * step
    left = scanned.kept_columns[beside, :, kept_row : kept_row + column_length(last_row - kept_row)].copy()
    top = scanned.kept_rows[above]
    if before_column > kept_column and last_row > kept_row:
        part = pair.slice_pair((kept_row, last_row), (kept_column, before_column))
        left = _compute_last_column(part, top[:, kept_column : before_column + 1], left, device)
    top = top[:, before_column : last_column + 1]
    if before_row > kept_row and last_column > before_column:
        part = pair.slice_pair((kept_row, before_row), (before_column, last_column))
        top = _compute_last_row(part, top, left, device)
    left = left[:, before_row - kept_row :]
    return _compute_block(pair, (before_row, last_row), (before_column, last_column), top, left, rows, columns)


def _compute_last_column(pair: EncodedPair, top: np.ndarray, left: np.ndarray, device: int | None) -> np.ndarray:
    """Return H and K of the last column of a part of the matrix whose width is a multiple of the step."""
    kept, last = np.empty((1, *left.shape), np.int32), np.array([pair.columns.size])
    kept[:, :, 0] = top[0, -1]
    bands = np.array([(pair.rows.size, -1, -1)])
    _sweep_region(MatrixRegion(pair, top, left, bands, columns=kept, column_numbers=last), Monitor(), device)
    return kept[0]


def _compute_last_row(pair: EncodedPair, top: np.ndarray, left: np.ndarray, device: int | None) -> np.ndarray:
    """Return H and G of the last row of a part of the matrix."""
    left = left[:, : column_length(pair.rows.size)].copy()
    kept = np.empty((1, pair.value_count, pair.columns.size + 1), np.int32)
    kept[0, :, 0] = left[0, pair.rows.size]
    _sweep_region(MatrixRegion(pair, top, left, np.array([(pair.rows.size, -1, 0)]), rows=kept), Monitor(), device)
    return kept[0]


def _compute_block(
    pair: EncodedPair,
    block_rows: Span,
    block_columns: Span,
    top: np.ndarray,
    left: np.ndarray,
    rows: Span,
    columns: Span,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return H, E and F of the requested cells, given H and G of the row above the block and H and K beside it."""
    part = pair.slice_pair(block_rows, block_columns)
    shape = part.rows.size + 1, part.columns.size + 1
    H = np.full(shape, NEGATIVE, np.int32)
    every_E, every_F = (np.full((len(pair.gap_pieces), *shape), NEGATIVE, np.int32) for _ in range(2))
    left = left[:, : part.rows.size + 1].copy()
    block = StoredBlock(part.rows, part.columns, pair.table, np.array(pair.gap_pieces, np.int64), pair.score_floor)
    fill_block(block, top.copy(), left, H, every_E, every_F)
    E, F = every_E.max(axis=0), every_F.max(axis=0)
    if not pair.free.top and block_rows[0] == 0:
        F[0, 1:] = H[0, 1:]
    if not pair.free.left and block_columns[0] == 0:
        E[1:, 0] = H[1:, 0]
    if block_columns[0] == 0:
        F[:, 0] = NEGATIVE
    inner = np.s_[rows[0] - block_rows[0] :, columns[0] - block_columns[0] :]
    return H[inner], E[inner], F[inner]


def _sweep_region(part: MatrixRegion, monitor: Monitor, device: int | None) -> None:
    """Fill the image, kept rows and kept columns of a region, on a GPU or on the CPU."""
    if device is None:
        cpu_matrix_view.sweep_region(part, _strip_width(part.pair.columns.size), monitor)
        return
    from antidiag.kernels.pairwise.pictures import cuda_matrix_view  # CuPy is imported where a GPU is used

    cuda_matrix_view.sweep_region(part, monitor, device)


def _strip_width(columns: int) -> int:
    """Return a useful strip width: four strips for each core where there are columns enough."""
    return min(max(columns // (4 * count_processors()) // WIDTH_STEP * WIDTH_STEP, WIDTH_STEP), STRIP_WIDTH)


def _kept_line_count(m: int, n: int) -> int:
    """Return how many rows, and how many columns, of a matrix are kept."""
    return max(min(GRID, KEPT_BYTES // (8 * (m + n + 2))), 4)


def _pixel_edges(span: Span, pixels: int) -> np.ndarray:
    """Return where pixels begin and end, int64 (pixels + 1)."""
    return span[0] + np.arange(pixels + 1, dtype=np.int64) * (span[1] - span[0]) // max(pixels, 1)


def _make_bands(top: int, rows: Span, pixels: int, grid: int) -> tuple[np.ndarray, np.ndarray]:
    """Return bands below row ``top``, as `advance_image` takes them, and the numbers of about ``grid`` kept rows."""
    ends = _pixel_edges(rows, pixels)[1:] - 1
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


def _draw_borders(pair: EncodedPair, rows: Span, columns: Span, shape: tuple[int, int]) -> np.ndarray:
    """Return the pixels of a window in which only row 0 and column 0 are drawn."""
    image = np.full(shape, NEGATIVE, np.int32)
    if rows[0] == 0:
        image[0] = np.maximum.reduceat(pair.top_scores(*columns), _pixel_edges(columns, shape[1])[:-1] - columns[0])
    if columns[0] == 0:
        side = np.maximum.reduceat(pair.left_scores(*rows), _pixel_edges(rows, shape[0])[:-1] - rows[0])
        image[:, 0] = np.maximum(image[:, 0], side)
    return image


def _crop_overview(scanned: MatrixScan, rows: Span, columns: Span, shape: tuple[int, int]) -> np.ndarray:
    """Return a window from the pixels of the overview that it crosses."""
    image = scanned.overview.T if scanned.problem.swapped else scanned.overview
    for axis, (span, size) in enumerate(((rows, scanned.pair.rows.size), (columns, scanned.pair.columns.size))):
        coarse, fine = _pixel_edges((0, size + 1), image.shape[axis]), _pixel_edges(span, shape[axis])
        first = np.searchsorted(coarse, fine[:-1], "right") - 1
        last = np.searchsorted(coarse, fine[1:] - 1, "right")
        pieces = [image.take(range(a, b), axis).max(axis) for a, b in zip(first, last, strict=True)]
        image = np.stack(pieces, axis)
    return image


def _nearest_kept(numbers: np.ndarray, first: int) -> int:
    """Return the index of the last kept row or column before ``first``."""
    return int(np.searchsorted(numbers, max(first - 1, 0), "right")) - 1


def _pixel_columns(columns: Span, window: Span, pixels: int) -> np.ndarray:
    """Return the pixel of each column of ``columns`` where it lies in ``compute_window``, else -1."""
    numbers = np.arange(*columns)
    found = np.searchsorted(_pixel_edges(window, pixels), numbers, "right") - 1
    found[(numbers < window[0]) | (numbers >= window[1])] = -1
    return found
