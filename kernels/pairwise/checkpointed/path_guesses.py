"""Guesses of where the path of CheckpointedAlignment goes, and the tiles that are swept again on its way.

On a good alignment the greatest H of a special row or column is on the path or close to it. From a point that is known,
the path may also go along the diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.pairwise.checkpointed.cuda_checkpoints import DeviceCheckpoints
from antidiag.kernels.pairwise.checkpointed.cuda_sizes import CheckpointLayout
from antidiag.kernels.pairwise.encoding import EndCell
from antidiag.kernels.pairwise.strips.cuda_job import PairJob
from antidiag.kernels.pairwise.strips.cuda_sources import IN_H, TILE

LEAST_GAIN = 16
"""A local path is expected to gain, on average, at least 1/LEAST_GAIN of what matches alone would gain."""
MARGIN, MARGIN_SHARE = 64, 64
"""A tile is swept so many cells, and a tile's size over MARGIN_SHARE, beyond where the path is expected to enter it."""


@dataclass(frozen=True, slots=True)
class PathPoint:
    """A cell of the path, the state in which the path leaves it (IN_H, IN_K, IN_G), and whether it starts here."""

    row: int
    column: int
    end_state: int = IN_H
    is_start: bool = False


@dataclass(frozen=True, slots=True)
class GuessedPath:
    """Where a path is expected to cross: its columns at special rows 0, 1, ..., and its rows at special columns.

    A column of 0 means that the path begins below this special row.
    """

    columns: np.ndarray
    rows: np.ndarray


def plan_tiles(job: PairJob, checkpoints: DeviceCheckpoints, best: EndCell, place: PathPoint) -> np.ndarray:
    """Return the tiles on the path to a point, the first of which ends there: row, column, m and n of TILE are set.

    They are in the order in which a traceback meets them, with all columns or rows that the path may need.
    """
    layout, by_diagonal = checkpoints.layout, _guess_by_diagonal(checkpoints.layout, place)
    found = []
    if not layout.on_disk:
        by_score = _guess_by_score(job, checkpoints, best, place)
        found = _list_crossed_tiles(layout, place, by_score)
        if (place.row, place.column) == best.cell:  # so that a short alignment does not cost many tiles
            by_diagonal.columns[by_score.columns == 0] = 0
    found += _list_crossed_tiles(layout, place, by_diagonal)[: layout.tiles_together]
    sizes: dict[tuple[int, int], tuple[int, int]] = {}
    for row, column, m, n in found:
        height, width = sizes.get((row, column), (0, 0))
        sizes[row, column] = max(height, m), max(width, n)
    tiles = np.zeros(len(sizes), TILE.dtype)
    for index, origin in enumerate(sorted(sizes, reverse=True)):
        tiles["row"][index], tiles["column"][index] = origin
        tiles["m"][index], tiles["n"][index] = sizes[origin]
    return tiles


def _guess_by_score(job: PairJob, checkpoints: DeviceCheckpoints, best: EndCell, place: PathPoint) -> GuessedPath:
    """Guess that the path to a point crosses special rows and columns where H is greatest."""
    tile = checkpoints.layout.tile
    bands, segments = (place.row - 1) // tile, (place.column - 1) // tile
    columns, rows = np.zeros(bands + 1, np.int64), np.zeros(segments + 1, np.int64)
    score, column = checkpoints.greatest_in_rows(bands, place.column)
    columns[1:] = np.minimum.accumulate(column[::-1])[::-1]
    rows[1:] = np.minimum.accumulate(checkpoints.greatest_in_columns(segments, place.row)[::-1])[::-1]
    if job.encoded.is_local and bands:
        left = best.row - tile * np.arange(1, bands + 1)
        gained = (best.score - score) * LEAST_GAIN >= left * int(job.encoded.table.max())
        columns[1:][: bands - int(np.argmin(np.append(gained[::-1], False)))] = 0
    return GuessedPath(columns, rows)


def _guess_by_diagonal(layout: CheckpointLayout, place: PathPoint) -> GuessedPath:
    """Guess that the path to a point goes along the diagonal."""
    rows = layout.tile * np.arange((place.row - 1) // layout.tile + 1)
    columns = layout.tile * np.arange((place.column - 1) // layout.tile + 1)
    offset = place.column - place.row
    return GuessedPath(np.maximum(rows + offset, 0), np.maximum(columns - offset, 0))


def _list_crossed_tiles(
    layout: CheckpointLayout, place: PathPoint, guess: GuessedPath
) -> list[tuple[int, int, int, int]]:
    """Return row, column, m and n of the tiles on a guessed path to a point.

    Where the path is expected to begin, or where its column at the next special row is not known, it may also go along
    the diagonal.
    """
    tile, right = layout.tile, place.column
    margin = MARGIN + tile // MARGIN_SHARE
    found = []
    for band in range(len(guess.columns) - 1, -1, -1):
        left, top = int(guess.columns[band]), band * tile
        bottom = min(top + tile, place.row)
        last = (right - 1) // tile
        first = min(max(left or right - tile, 0) // tile, last)
        for segment in range(last, first - 1, -1):
            column, end, lowest = segment * tile, min((segment + 1) * tile, place.column), bottom
            if segment == last:  # the path enters it from below
                end = min(end, right + margin)
            elif top < guess.rows[segment + 1] <= bottom:
                lowest = min(bottom, int(guess.rows[segment + 1]) + margin)
            found.append((top, column, lowest - top, end - column))
        if not left:
            break
        right = left
    return found
