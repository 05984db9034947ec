"""The table of two profiles as an image, computed again for the visible part and never stored.

``scan_table`` computes all strips once and keeps the borders of tiles, like ProfileWavefront, and an overview, on a GPU
or the CPU. ``draw_window`` computes its tiles again on the same device; ``compute_cells`` runs on the CPU. Rows,
columns and cells are those of the table, 0 to m and 0 to n with the borders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.alignments import cell_origins
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.workers import count_processors, make_stop_word
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.scoring import LOCAL, score_pairs
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.sizes import BATCH, STRIP_WIDTH
from antidiag.kernels.profiles.wavefront import cpu_strips, cpu_wavefront
from antidiag.kernels.profiles.wavefront.cpu_picture import compute_tile_cells
from antidiag.kernels.profiles.wavefront.cpu_strips import KeptStripBorders, ProfileStripProblem
from antidiag.kernels.profiles.whole_table.cpu_cells import NEVER

Span = tuple[int, int]
Cells = tuple[np.ndarray, np.ndarray, np.ndarray]

CHEAP_CELLS, CHEAP_CELLS_ON_GPU = 2**25, 2**29
"""Windows with fewer cells are computed again; larger ones are taken from the overview."""
PIXELS, PIXELS_ON_GPU = (1024, 1024), (4096, 4096)
"""Maximum pixels of the overview."""


@dataclass(frozen=True, eq=False)
class ProfileTableScan:
    """Borders of tiles and an overview of a table after one pass on the CPU or on GPU ``device``.

    The overview is int32, the greatest H of each pixel; of h pixels, pixel p covers rows p (m + 1) // h to (p + 1) (m +
    1) // h, and columns likewise.
    """

    problem: Problem
    whole: ProfileStripProblem
    packed: np.ndarray
    kept: KeptStripBorders
    overview: np.ndarray
    device: int | None = None

    @property
    def nbytes(self) -> int:
        """Return the bytes of its arrays."""
        return sum(array.nbytes for array in (self.packed, self.kept.columns, self.kept.rows, self.overview))


def scan_table(
    problem: Problem, monitor: Monitor | None = None, pixels: tuple[int, int] | None = None, device: int | None = None
) -> ProfileTableScan:
    """Compute the table once on all cores or a GPU, and its overview; raises Cancelled and GPU errors."""
    monitor, made = monitor or Monitor(), problem.encoded
    pixels = pixels or (PIXELS if device is None else PIXELS_ON_GPU)
    whole = cpu_wavefront.make_strip_problem(made, min(STRIP_WIDTH, made.n), min(BATCH, made.m))
    kept, packed = cpu_wavefront.allocate_borders(whole), cpu_strips.pack_rows(whole.encoded.rows)
    rows, columns = (0, made.m + 1), (0, made.n + 1)
    shape = min(pixels[0], rows[1]), min(pixels[1], columns[1])
    if device is not None:
        from antidiag.kernels.profiles.wavefront import cuda_picture  # imports CuPy

        view = cuda_picture.PictureWindow(*_map_pixels(whole, rows, columns, shape))
        cuda_picture.scan_table(made, whole, kept, view, monitor, device)
        return ProfileTableScan(problem, whole, packed, kept, view.pixels, device)
    cpu_wavefront.compute_strips(CpuRun(monitor, threads=count_processors()), whole, packed, kept)
    nothing: np.ndarray = np.zeros((0, 0), np.int32)
    scanned = ProfileTableScan(problem, whole, packed, kept, nothing)
    return ProfileTableScan(problem, whole, packed, kept, _draw_image(scanned, rows, columns, shape, monitor))


def draw_window(
    scanned: ProfileTableScan, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor | None = None
) -> np.ndarray:
    """Return the greatest H of each pixel of a window of cells [rows) x [columns), int32 of ``shape``.

    A large window is taken from the overview. Raises Cancelled.
    """
    count = (rows[1] - rows[0]) * (columns[1] - columns[0])
    if scanned.device is not None and count < CHEAP_CELLS_ON_GPU:
        from antidiag.kernels.profiles.wavefront import cuda_picture

        view, whole = cuda_picture.PictureWindow(*_map_pixels(scanned.whole, rows, columns, shape)), scanned.whole
        cuda_picture.draw_window(
            scanned.problem.encoded, whole, scanned.kept, view, monitor or Monitor(), scanned.device
        )
        return view.pixels
    if scanned.device is None and count < CHEAP_CELLS:
        return _draw_image(scanned, rows, columns, shape, monitor or Monitor())
    places = [
        (low + (np.arange(size) * 2 + 1) * (high - low) // (2 * size)) * have // length
        for (low, high), size, have, length in zip(
            (rows, columns),
            shape,
            scanned.overview.shape,
            (scanned.whole.cuts[0] + 1, scanned.whole.cuts[1] + 1),
            strict=True,
        )
    ]
    return scanned.overview[np.ix_(*places)]


def compute_cells(scanned: ProfileTableScan, rows: Span, columns: Span) -> Cells:
    """Return H, E and F of the cells [rows) x [columns), int32; minus infinity is -2^30."""
    shape = rows[1] - rows[0], columns[1] - columns[0]
    h, e, f = (np.full(shape, NEVER, np.int32) for _ in range(3))
    for (top, bottom), (left, right), found in _iterate_tiles(scanned, rows, columns, Monitor()):
        place = np.s_[top - rows[0] : bottom - rows[0], left - columns[0] : right - columns[0]]
        for whole, part in zip((h, e, f), found, strict=True):
            whole[place] = part
    return h, e, f


def find_origins(problem: Problem, cell_values: Cells, corner: tuple[int, int]) -> np.ndarray:
    """Return where each H comes from, uint8, by the tie rule; ``corner`` is the cell of the first value.

    The first row and column of the arrays lack a neighbour; they are right only at the border of the table.
    """
    made, shape = problem.encoded, cell_values[0].shape
    places = (np.maximum(np.arange(size) + low - 1, 0) for size, low in zip(shape, corner, strict=True))
    pairs = score_pairs(made, *np.meshgrid(*places, indexing="ij")) + made.offset
    return cell_origins.find_origins(cell_values, pairs, corner, made.mode == LOCAL)


def _map_pixels(
    strip_problem: ProfileStripProblem, rows: Span, columns: Span, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pixel of each row and column, int32, -1 outside of a window, and an image of the table's borders."""
    m, n, _, _, _ = strip_problem.cuts
    found = []
    for span, size, count in ((rows, m + 1, shape[0]), (columns, n + 1, shape[1])):
        of_each: np.ndarray = np.full(size, -1, np.int32)
        of_each[slice(*span)] = _cell_pixels(span, span, count)
        found.append(of_each)
    image = np.full(shape, NEVER, np.int32)
    if rows[0] == 0:
        np.maximum.at(image[0], found[1][slice(*columns)], strip_problem.first_row[slice(*columns)])
    if columns[0] == 0:
        np.maximum.at(image[:, 0], found[0][slice(*rows)], strip_problem.first_column[slice(*rows)])
    return found[0], found[1], image


def _draw_image(
    scanned: ProfileTableScan, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor
) -> np.ndarray:
    """Draw a window from its tiles."""
    image = np.full(shape, NEVER, np.int32)
    for part_rows, part_columns, (h, _, _) in _iterate_tiles(scanned, rows, columns, monitor):
        down = _cell_pixels(part_rows, rows, shape[0])
        across = _cell_pixels(part_columns, columns, shape[1])
        first_down, first_across = _pixel_starts(down), _pixel_starts(across)
        found = np.maximum.reduceat(np.maximum.reduceat(h, first_down, axis=0), first_across, axis=1)
        place = np.ix_(down[first_down], across[first_across])
        image[place] = np.maximum(image[place], found)
    return image


def _iterate_tiles(
    scanned: ProfileTableScan, rows: Span, columns: Span, monitor: Monitor
) -> Iterator[tuple[Span, Span, Cells]]:
    """Yield rows, columns, and H, E and F of a window tile by tile; first tiles include row and column 0."""
    m, n, s, batch, _ = scanned.whole.cuts
    stop = make_stop_word()
    bands = [(at, _clip_band(at, batch, m, rows)) for at in range(-(-m // batch))]
    strips = [(number, _clip_band(number, s, n, columns)) for number in range(-(-n // s))]
    bands, strips = ([one for one in found if one[1][0] < one[1][1]] for found in (bands, strips))
    for done, (at, (top, bottom)) in enumerate(bands):
        for number, (left, right) in strips:
            monitor.update(done, len(bands), "picture")
            found = compute_tile_cells(scanned.whole, scanned.packed, scanned.kept, number, at, stop)
            inner = np.s_[top - at * batch : bottom - at * batch, left - number * s : right - number * s]
            yield (top, bottom), (left, right), tuple(one[inner] for one in found)


def _clip_band(number: int, size: int, length: int, span: Span) -> Span:
    """Return the cells of a band of tiles within a span; the first band includes cell 0."""
    low = number * size + 1 if number else 0
    return max(low, span[0]), min((number + 1) * size + 1, length + 1, span[1])


def _cell_pixels(part: Span, span: Span, count: int) -> np.ndarray:
    """Return the pixel of each cell of a part; of ``count`` pixels, pixel p begins with cell p (span) // count."""
    edges = span[0] + np.arange(count) * (span[1] - span[0]) // count
    return np.searchsorted(edges, np.arange(*part), "right") - 1


def _pixel_starts(pixels: np.ndarray) -> np.ndarray:
    """Return where each pixel begins."""
    return np.flatnonzero(np.diff(pixels, prepend=-1))
