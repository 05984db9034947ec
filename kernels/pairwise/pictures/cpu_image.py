"""Strips that are looked at: the greatest H of every pixel, and rows kept to start again from. Compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.simd import release
from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import Encoded
from antidiag.kernels.pairwise.pictures.part import Part
from antidiag.kernels.pairwise.records import NEVER_BETTER
from antidiag.kernels.pairwise.strips.cpu_cells import in_lanes, out_of_lanes, score_tile
from antidiag.kernels.pairwise.strips.cpu_sizes import WIDTH_STEP, WORD, column_length
from antidiag.kernels.pairwise.strips.cpu_strips import Strips, may_compute, share_strips


class Shown(NamedTuple):
    """What is to be seen of a strip.

    ``bands`` int64 (bands, 3): the last row of a band, its row of pixels, and the place of its last row in
    ``kept_rows``. ``pixel_columns``: the column of pixels of each column of the tile. -1 means none. ``image`` int32
    takes maxima; ``kept_rows`` int32 (kept, 2, s) takes H and G. Rows of the tile are in lane order
    (strips/cpu_cells.py).
    """

    bands: np.ndarray
    pixel_columns: np.ndarray
    image: np.ndarray
    kept_rows: np.ndarray


class Block(NamedTuple):
    """A part of the matrix that is kept as a whole: letters of its rows and columns, scores, costs, the floor of H."""

    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    open: int
    extend: int
    floor: int


def sweep(part: Part, s: int, monitor: Monitor) -> None:
    """Fill what is to be seen of a part of a matrix, in strips of ``s`` columns on all cores; raises Cancelled.

    Columns that are kept are the last ones of strips.
    """
    strips = _strips(part.pair, s, part.top, part.left)
    strips.kept = dict(zip(((part.column_numbers - 1) // s).tolist(), part.columns, strict=True))
    kept_places, all_pixels = part.bands[part.bands[:, 2] >= 0, 2], part.pixels

    def one_strip(strip: int, worker: int) -> None:
        start, end = strips.columns(strip)
        borders, progress = strips.begin(strip)
        width = borders.edge.shape[1]
        pixels = np.full(width, -1)
        pixels[: end - start] = all_pixels[start + 1 : end + 1]
        kept = np.empty((len(part.rows), 2, width), np.int32)
        shown = Shown(part.bands, in_lanes(pixels), part.image, kept)
        advance_image(strips.problem(strip), borders, strips.best[strip], np.empty(width, np.int32), shown, progress)
        for place in kept_places:
            for value in range(2):
                part.rows[place, value, start + 1 : end + 1] = out_of_lanes(kept[place, value])[: end - start]

    share_strips(strips, one_strip, monitor, "matrix")


def _strips(pair: Encoded, s: int, top: np.ndarray | None, left: np.ndarray | None) -> Strips:
    workers = min(cores(), -(-pair.columns.size // s))
    values = np.empty((workers + 1, 2, column_length(pair.rows.size)), np.int32)
    strips = Strips(pair, s, WIDTH_STEP, workers, values, top=top, left=left)
    strips.best[:, 0] = NEVER_BETTER
    return strips


@compiled
def advance_image(problem, borders, best, peaks, shown, progress):
    """Compute a strip band by band, to its end, or until told to stop; ``peaks`` is room for a row."""
    bands, pixel_columns, image, kept_rows = shown
    own = progress.own * WORD
    row = progress.words[own]
    for band in range(bands.shape[0]):
        end, pixel_row, place = bands[band]
        if end <= row:
            continue
        if not may_compute(progress, end):
            return
        score_tile(problem, borders, row, end - row, best, peaks)
        if pixel_row >= 0:
            for column in range(peaks.size):
                pixel = pixel_columns[column]
                if pixel >= 0:
                    image[pixel_row, pixel] = max(image[pixel_row, pixel], peaks[column])
        if place >= 0:
            kept_rows[place] = borders.edge
        row = end
        release(progress.words, own, row)


@compiled
def fill_block(block, top, left, H, E, F):
    """All cells of a block, one after another: ``H``, ``E``, ``F`` int32 (rows + 1, columns + 1).

    ``top`` (2, columns + 1) holds H and G of the row above, ``left`` (2, rows + 1) H and K of the column on the left;
    row 0 and column 0 of the results receive H only.
    """
    rows, columns, table, open_cost, extend, floor = block
    H[0], H[:, 0] = top[0], left[0]
    for j in range(columns.size):
        above = top[1, j + 1]
        for i in range(rows.size):
            E[i + 1, j + 1] = above - open_cost - extend
            beside = left[1, i + 1] if j == 0 else max(F[i + 1, j] + open_cost, H[i + 1, j])
            F[i + 1, j + 1] = beside - open_cost - extend
            H[i + 1, j + 1] = max(H[i, j] + table[rows[i], columns[j]], E[i + 1, j + 1], F[i + 1, j + 1], floor)
            above = max(E[i + 1, j + 1] + open_cost, H[i + 1, j + 1])
