"""Compiled kernels for pictures of the matrix: the greatest H of every pixel, and kept rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.simd import store_release
from antidiag.kernels.cpu.workers import WORD_STRIDE, count_processors
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import EncodedPair
from antidiag.kernels.pairwise.kernel_records import NEVER_BETTER
from antidiag.kernels.pairwise.pictures.matrix_region import MatrixRegion
from antidiag.kernels.pairwise.strips.cpu_sizes import WIDTH_STEP, column_length
from antidiag.kernels.pairwise.strips.cpu_strips import StripRun, share_strips, wait_for_left_strip
from antidiag.kernels.pairwise.strips.cpu_tile_kernels import (
    StripEnds,
    compute_score_tile,
    from_lane_order,
    to_lane_order,
)


class StripView(NamedTuple):
    """What is drawn and kept of a strip.

    ``bands`` int64 (bands, 3): the last row of a band, its row of pixels, and the place of its last row in
    ``kept_rows``. ``pixel_columns``: the column of pixels of each column of the tile. -1 means none. ``image`` int32
    takes maxima; ``kept_rows`` int32 (kept, 2 or 3, s) takes H, G and G2. Rows of the tile are in lane order
    (strips/cpu_tile_kernels.py).
    """

    bands: np.ndarray
    pixel_columns: np.ndarray
    image: np.ndarray
    kept_rows: np.ndarray


class StoredBlock(NamedTuple):
    """A part of the matrix that is kept whole: letters of its rows and columns, scores, costs, the floor of H.

    ``pieces`` int64 (1 or 2, 2): the costs of opening a gap and of its letters, of each piece.
    """

    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    pieces: np.ndarray
    floor: int


def sweep_region(part: MatrixRegion, s: int, monitor: Monitor) -> None:
    """Fill the image, kept rows and kept columns of a region, in strips of ``s`` columns on all cores.

    Kept columns are the last ones of strips. Raises Cancelled.
    """
    run = CpuRun(monitor, threads=count_processors())
    strips = _make_strips(run, part.pair, s, part.top, part.left)
    strips.kept_columns = dict(zip(((part.column_numbers - 1) // s).tolist(), part.columns, strict=True))
    kept_places, all_pixels = part.bands[part.bands[:, 2] >= 0, 2], part.column_pixels

    def compute(worker: int, strip: int) -> None:
        start, end = strips.column_range(strip)
        borders, progress = strips.begin_strip(strip)
        width = borders.edge.shape[1]
        pixels = np.full(width, -1)
        pixels[: end - start] = all_pixels[start + 1 : end + 1]
        kept = np.empty((len(part.rows), part.pair.value_count, width), np.int32)
        shown = StripView(part.bands, to_lane_order(pixels), part.image, kept)
        advance_image(
            strips.strip_problem(strip),
            borders,
            strips.best[strip],
            np.empty(width, np.int32),
            shown,
            progress,
            strips.second,
        )
        for place in kept_places:
            for value in range(part.pair.value_count):
                part.rows[place, value, start + 1 : end + 1] = from_lane_order(kept[place, value])[: end - start]

    with run.phase("matrix", strips.row_count) as phase:
        share_strips(strips, phase, compute)


def _make_strips(run: CpuRun, pair: EncodedPair, s: int, top: np.ndarray | None, left: np.ndarray | None) -> StripRun:
    columns = min(run.threads, -(-pair.columns.size // s)) + 1
    values = np.empty((columns, pair.value_count, column_length(pair.rows.size)), np.int32)
    strips = StripRun(pair, s, WIDTH_STEP, values, run, top=top, left=left)
    strips.best[:, 0] = NEVER_BETTER
    return strips


@cached_njit
def advance_image(problem, borders, best, peaks, shown, progress, second):
    """Compute a strip band by band; return early on stop. ``peaks`` is work space for a row."""
    bands, pixel_columns, image, kept_rows = shown
    own = progress.own * WORD_STRIDE
    row = progress.words[own]
    ends = StripEnds(-1, 0, -1, np.zeros((2, 0), np.int32))
    for band in range(bands.shape[0]):
        end, pixel_row, place = bands[band]
        if end <= row:
            continue
        if not wait_for_left_strip(progress, end):
            return
        compute_score_tile(problem, borders, row, end - row, best, peaks, ends, second)
        if pixel_row >= 0:
            for column in range(peaks.size):
                pixel = pixel_columns[column]
                if pixel >= 0:
                    image[pixel_row, pixel] = max(image[pixel_row, pixel], peaks[column])
        if place >= 0:
            kept_rows[place] = borders.edge
        row = end
        store_release(progress.words, own, row)


@cached_njit
def fill_block(block, top, left, H, E, F):
    """Compute all cells of a block one after another: ``H`` int32 (rows + 1, columns + 1), and ``E`` and ``F`` of each
    piece of the gap costs, int32 (pieces, rows + 1, columns + 1).

    ``top`` (1 + pieces, columns + 1) holds H and G of the row above, ``left`` (1 + pieces, rows + 1) H and K of the
    column on the left; row 0 and column 0 of the results receive H only.
    """
    rows, columns, table, pieces, floor = block
    H[0], H[:, 0] = top[0], left[0]
    for j in range(columns.size):
        for i in range(rows.size):
            best = max(H[i, j] + table[rows[i], columns[j]], floor)
            for piece in range(len(pieces)):
                opening, extend = pieces[piece]
                above, beside = top[1 + piece, j + 1], left[1 + piece, i + 1]
                if i > 0:
                    above = max(E[piece, i, j + 1] + opening, H[i, j + 1])
                if j > 0:
                    beside = max(F[piece, i + 1, j] + opening, H[i + 1, j])
                E[piece, i + 1, j + 1] = above - opening - extend
                F[piece, i + 1, j + 1] = beside - opening - extend
                best = max(best, E[piece, i + 1, j + 1], F[piece, i + 1, j + 1])
            H[i + 1, j + 1] = best
