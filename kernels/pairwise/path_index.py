"""Finds the cells of an alignment's path without storing all of them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from antidiag.kernels.pairwise.model import LEFT, UP, Alignment

BLOCK = 256


class PathIndex:
    """A path with every BLOCK-th cell stored. Point k is the cell after k operations: point 0 is the start, and column
    k leads from point k to point k + 1. Ten million columns need 0.6 MB."""

    def __init__(self, alignment: Alignment) -> None:
        self.alignment = alignment
        self.length = len(alignment.operations)
        self._marks = np.zeros((max(-(-self.length // BLOCK), 1), 2), np.int64)
        self._marks[0] = alignment.start
        for axis, without in ((0, LEFT), (1, UP)):
            counts = _counts_by_block(alignment.operations != without)
            self._marks[1:, axis] = alignment.start[axis] + np.cumsum(counts)[: len(self._marks) - 1]

    def cells(self, first: int, last: int) -> np.ndarray:
        """Return points first..last, both included, int64 (points, 2)."""
        block = min(first // BLOCK, len(self._marks) - 1)
        operations = self.alignment.operations[block * BLOCK : last]
        points = np.empty((len(operations) + 1, 2), np.int64)
        points[0] = self._marks[block]
        points[1:, 0] = operations != LEFT
        points[1:, 1] = operations != UP
        return np.cumsum(points, axis=0)[first - block * BLOCK :]

    def cell(self, point: int) -> tuple[int, int]:
        """Return the cell of a point of the path."""
        i, j = self.cells(point, point)[0]
        return int(i), int(j)

    def point_at(self, cell: tuple[int, int]) -> int | None:
        """Return the point that is this cell, or None off the path."""
        low, points = self._block_at(self._marks.sum(axis=1), sum(cell))
        found = low + int(np.searchsorted(points.sum(axis=1), sum(cell)))
        return found if found <= self.length and self.cell(found) == tuple(cell) else None

    def first_point_at(self, axis: int, value: int) -> int:
        """Return the first point whose coordinate on ``axis`` is at least ``value``; length + 1 if there is none."""
        low, points = self._block_at(self._marks[:, axis], value)
        return low + int(np.searchsorted(points[:, axis], value))

    def visible_points(self, rows: tuple[int, int], columns: tuple[int, int]) -> tuple[int, int]:
        """Return the first and last point inside half-open ranges of cells; first > last if there is none."""
        first = max(self.first_point_at(0, rows[0]), self.first_point_at(1, columns[0]))
        last = min(self.first_point_at(0, rows[1]), self.first_point_at(1, columns[1])) - 1
        return first, last

    def sample_cells(self, rows: tuple[int, int], columns: tuple[int, int], most: int = 4000) -> np.ndarray:
        """Return about ``most`` cells of the path in a window, and the next one on both sides."""
        first, last = self.visible_points(rows, columns)
        if first > last:
            return np.empty((0, 2), np.int64)
        first, last = max(first - 1, 0), min(last + 1, self.length)
        stride = -(-(last - first + 1) // most)
        if stride >= BLOCK:
            inner = self._marks[first // BLOCK + 1 : last // BLOCK + 1 : stride // BLOCK]
            return np.concatenate((self.cells(first, first), inner, self.cells(last, last)))
        points = self.cells(first, last)
        return np.concatenate((points[:-1:stride], points[-1:]))

    def _block_at(self, marks: np.ndarray, value: int) -> tuple[int, np.ndarray]:
        """Return the points of the block in which a coordinate reaches ``value``, and its first point."""
        block = max(int(np.searchsorted(marks, value)) - 1, 0)
        low = block * BLOCK
        return low, self.cells(low, min(low + BLOCK, self.length))


def simplify_line(points: np.ndarray, tolerance: float) -> np.ndarray:
    """Reduce a line, float64 (points, 2), to the points that keep it within ``tolerance`` (Ramer, Douglas, Peucker). Of
    points in the same square of the tolerance only one is considered."""
    squares = np.floor(points / (2 * tolerance))
    moved = (squares[1:] != squares[:-1]).any(axis=1)
    points = points[np.concatenate(([True], moved[:-1], [True]))] if len(points) > 2 else points
    kept, open_spans = np.zeros(len(points), bool), [(0, len(points) - 1)]
    kept[[0, -1]] = True
    while open_spans:
        low, high = open_spans.pop()
        if high - low < 2:
            continue
        along, inner = points[high] - points[low], points[low + 1 : high] - points[low]
        share = np.clip(inner @ along / max(along @ along, np.finfo(float).tiny), 0, 1)
        away = np.hypot(*(inner - share[:, None] * along).T)  # from the segment: a line may turn back
        farthest = int(away.argmax())
        if away[farthest] > tolerance:
            middle = low + 1 + farthest
            kept[middle] = True
            open_spans += [(low, middle), (middle, high)]
    return points[kept]


def _counts_by_block(flags: np.ndarray) -> np.ndarray:
    """Count the flags set in each full BLOCK, int64. Eight bytes are added at a time; none of them overflows."""
    full = flags.size // BLOCK
    words = flags[: full * BLOCK].view(np.uint64).reshape(full, BLOCK // 8).sum(axis=1)
    return words.view(np.uint8).reshape(full, 8).sum(axis=1, dtype=np.int64)


@lru_cache(maxsize=4)
def shared_path_index(alignment: Alignment) -> PathIndex:
    """Return the index of an alignment, shared by the views."""
    return PathIndex(alignment)
