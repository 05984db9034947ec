"""The table of two profiles as people look at it: computed again for the part that is visible, never stored.

``scan`` computes all strips once, and keeps the borders of tiles, as ProfileWavefront does for its path, and an
overview: on the GPU that is named, or on the CPU. ``window`` computes the tiles again that it shows, on the same
device; ``cells``, of which there are few, on the CPU from the borders of either. Rows, columns and cells are those of
the table, 0 .. m and 0 .. n with the borders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import cpu_strips, cpu_wavefront
from antidiag.kernels.profiles.cpu_cells import NEVER
from antidiag.kernels.profiles.cpu_picture import tile_cells
from antidiag.kernels.profiles.cpu_strips import Kept, Whole
from antidiag.kernels.profiles.cpu_table import Run
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.scoring import LOCAL, pair_scores
from antidiag.kernels.profiles.sizes import BATCH, STRIP_WIDTH
from antidiag.kernels.steps import Steps

Span = tuple[int, int]
Cells = tuple[np.ndarray, np.ndarray, np.ndarray]

CHEAP_CELLS, CHEAP_CELLS_ON_GPU = 2**25, 2**29
"""A window of fewer cells is computed again; a larger one is taken from the overview."""
PIXELS, PIXELS_ON_GPU = (1024, 1024), (4096, 4096)
"""Of the overview, at most."""
NONE, FROM_DIAGONAL, FROM_ABOVE, FROM_LEFT = 0, 1, 2, 3
"""Where H of a cell comes from: nowhere (a border, or the begin of a local path), or one of its neighbours."""


@dataclass(frozen=True, eq=False)
class TableScan:
    """What is known of a table after one pass, on the CPU or on the GPU ``device``: the borders of its tiles, and an
    overview (int32, the greatest H of each pixel; pixel p of h covers rows p (m + 1) // h up to (p + 1) (m + 1) // h,
    and columns likewise)."""

    problem: Problem
    whole: Whole
    packed: np.ndarray
    kept: Kept
    overview: np.ndarray
    device: int | None = None

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self.packed, self.kept.columns, self.kept.rows, self.overview))


def scan(
    problem: Problem,
    monitor: Monitor | None = None,
    pixels: tuple[int, int] | None = None,
    device: int | None = None,
) -> TableScan:
    """One pass over the table on all cores or on a GPU, and one for the overview; raises Cancelled, and what a GPU
    fails with."""
    monitor, made = monitor or Monitor(), problem.encoded
    pixels = pixels or (PIXELS if device is None else PIXELS_ON_GPU)
    whole = cpu_wavefront.whole_of(made, min(STRIP_WIDTH, made.n), min(BATCH, made.m))
    kept, packed = cpu_wavefront.room(whole), cpu_strips.packed_rows(whole.rows)
    rows, columns = (0, made.m + 1), (0, made.n + 1)
    shape = min(pixels[0], rows[1]), min(pixels[1], columns[1])
    if device is not None:
        from antidiag.kernels.profiles import cuda_picture  # CuPy is imported where a GPU is used

        view = cuda_picture.View(*_seen(whole, rows, columns, shape))
        cuda_picture.scan(made, whole, kept, view, monitor, device)
        return TableScan(problem, whole, packed, kept, view.pixels, device)
    run = Run.begin(made, 0.0, monitor, Steps())
    cpu_wavefront.compute_strips(run, whole, packed, kept, workers.cores())
    nothing: np.ndarray = np.zeros((0, 0), np.int32)
    scanned = TableScan(problem, whole, packed, kept, nothing)
    return TableScan(problem, whole, packed, kept, _image(scanned, rows, columns, shape, monitor))


def window(
    scanned: TableScan, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor | None = None
) -> np.ndarray:
    """The greatest H of each pixel of a window of cells [rows) x [columns), int32 of ``shape``, at most a pixel a cell.

    A window of many cells is taken from the overview. Raises Cancelled.
    """
    count = (rows[1] - rows[0]) * (columns[1] - columns[0])
    if scanned.device is not None and count < CHEAP_CELLS_ON_GPU:
        from antidiag.kernels.profiles import cuda_picture

        view, whole = cuda_picture.View(*_seen(scanned.whole, rows, columns, shape)), scanned.whole
        cuda_picture.window(scanned.problem.encoded, whole, scanned.kept, view, monitor or Monitor(), scanned.device)
        return view.pixels
    if scanned.device is None and count < CHEAP_CELLS:
        return _image(scanned, rows, columns, shape, monitor or Monitor())
    places = [
        (low + (np.arange(size) * 2 + 1) * (high - low) // (2 * size)) * have // length
        for (low, high), size, have, length in zip(
            (rows, columns), shape, scanned.overview.shape, (scanned.whole.cuts[0] + 1, scanned.whole.cuts[1] + 1),
            strict=True,
        )
    ]  # fmt: skip
    return scanned.overview[np.ix_(*places)]


def cells(scanned: TableScan, rows: Span, columns: Span) -> Cells:
    """H, E and F of the cells [rows) x [columns), int32 each; minus infinity is -2^30."""
    shape = rows[1] - rows[0], columns[1] - columns[0]
    h, e, f = (np.full(shape, NEVER, np.int32) for _ in range(3))
    for (top, bottom), (left, right), found in _tiles(scanned, rows, columns, Monitor()):
        place = np.s_[top - rows[0] : bottom - rows[0], left - columns[0] : right - columns[0]]
        for whole, part in zip((h, e, f), found, strict=True):
            whole[place] = part
    return h, e, f


def origins(problem: Problem, found: Cells, corner: tuple[int, int]) -> np.ndarray:
    """Where each H comes from, uint8, by the rule of ties; ``corner`` is the cell of the first value.

    The first row and column of the arrays lack a neighbour; they are right only on the border of the table.
    """
    made, (h, e, f) = problem.encoded, found
    i, j = (np.arange(size) + low for size, low in zip(h.shape, corner, strict=True))
    at = np.meshgrid(np.maximum(i - 1, 0), np.maximum(j - 1, 0), indexing="ij")
    pairs = pair_scores(made, *at) + made.offset
    diagonal = np.zeros(h.shape, bool)
    diagonal[1:, 1:] = h[1:, 1:] == h[:-1, :-1] + pairs[1:, 1:]
    diagonal &= (i > 0)[:, None] & (j > 0)
    result = np.select([diagonal, h == e, h == f], [FROM_DIAGONAL, FROM_ABOVE, FROM_LEFT], NONE).astype(np.uint8)
    if made.mode == LOCAL:
        result[h <= 0] = NONE
    return result


def _seen(whole: Whole, rows: Span, columns: Span, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pixels of all rows and columns, int32, -1 outside of a window; and an image of nothing but row and column 0
    of the table."""
    m, n, _, _, _ = whole.cuts
    found = []
    for span, size, count in ((rows, m + 1, shape[0]), (columns, n + 1, shape[1])):
        of_each: np.ndarray = np.full(size, -1, np.int32)
        of_each[slice(*span)] = _pixels(span, span, count)
        found.append(of_each)
    image = np.full(shape, NEVER, np.int32)
    if rows[0] == 0:
        np.maximum.at(image[0], found[1][slice(*columns)], whole.first_row[slice(*columns)])
    if columns[0] == 0:
        np.maximum.at(image[:, 0], found[0][slice(*rows)], whole.first_column[slice(*rows)])
    return found[0], found[1], image


def _image(scanned: TableScan, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor) -> np.ndarray:
    image = np.full(shape, NEVER, np.int32)
    for part_rows, part_columns, (h, _, _) in _tiles(scanned, rows, columns, monitor):
        down = _pixels(part_rows, rows, shape[0])
        across = _pixels(part_columns, columns, shape[1])
        first_down, first_across = _first(down), _first(across)
        found = np.maximum.reduceat(np.maximum.reduceat(h, first_down, axis=0), first_across, axis=1)
        place = np.ix_(down[first_down], across[first_across])
        image[place] = np.maximum(image[place], found)
    return image


def _tiles(scanned: TableScan, rows: Span, columns: Span, monitor: Monitor) -> Iterator[tuple[Span, Span, Cells]]:
    """The parts of a window by the tiles that have them: rows, columns, and H, E and F. Row and column 0 belong to the
    first tiles."""
    m, n, s, batch, _ = scanned.whole.cuts
    stop = workers.stop_word()
    bands = [(at, _part(at, batch, m, rows)) for at in range(-(-m // batch))]
    strips = [(number, _part(number, s, n, columns)) for number in range(-(-n // s))]
    bands, strips = ([one for one in found if one[1][0] < one[1][1]] for found in (bands, strips))
    for done, (at, (top, bottom)) in enumerate(bands):
        for number, (left, right) in strips:
            monitor.update(done, len(bands), "picture")
            found = tile_cells(scanned.whole, scanned.packed, scanned.kept, number, at, stop)
            inner = np.s_[top - at * batch : bottom - at * batch, left - number * s : right - number * s]
            yield (top, bottom), (left, right), tuple(one[inner] for one in found)


def _part(number: int, size: int, length: int, span: Span) -> Span:
    """The cells of a band of tiles within a span; the first band has cell 0 as well."""
    low = number * size + 1 if number else 0
    return max(low, span[0]), min((number + 1) * size + 1, length + 1, span[1])


def _pixels(part: Span, span: Span, count: int) -> np.ndarray:
    """The pixel of each cell of a part, where ``count`` pixels share a span: pixel p begins with cell
    p (span) // count."""
    edges = span[0] + np.arange(count) * (span[1] - span[0]) // count
    return np.searchsorted(edges, np.arange(*part), "right") - 1


def _first(pixels: np.ndarray) -> np.ndarray:
    """Where each pixel begins."""
    return np.flatnonzero(np.diff(pixels, prepend=-1))
