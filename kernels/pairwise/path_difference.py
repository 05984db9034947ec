"""Where two alignments of the same pair take different paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.pairwise.model import Alignment

Cell = tuple[int, int]


@dataclass(frozen=True)
class PathDivergence:
    """A part of two paths in which they share no cell but its ends.

    ``first_points`` and ``second_points`` are half-open ranges of points of each path, numbered as by
    `Alignment.list_cells`. ``start_cell`` is the last common cell before the part and ``end`` the first one after it;
    None where a path begins or ends there.
    """

    first_points: tuple[int, int]
    second_points: tuple[int, int]
    start_cell: Cell | None
    end: Cell | None


@dataclass(frozen=True)
class PathDifference:
    """How two paths differ: their common cells, the cells of one alone, and the parts in which they diverge."""

    common_cells: int
    cells_in_first_only: int
    cells_in_second_only: int
    divergences: tuple[PathDivergence, ...]

    @property
    def common_share(self) -> float:
        """Return the common cells as a fraction of all cells of either path, 0 to 1."""
        return self.common_cells / max(self.common_cells + self.cells_in_first_only + self.cells_in_second_only, 1)


def compare_paths(first: Alignment, second: Alignment) -> PathDifference:
    """Compare two paths cell by cell.

    Parameters
    ----------
    first, second : Alignment
        Two alignments of the same pair. Memory: about 100 bytes a column.

    Returns
    -------
    PathDifference
    """
    cells = first.list_cells(), second.list_cells()
    width = max(int(part[:, 1].max()) for part in cells) + 1
    keys = [part[:, 0] * width + part[:, 1] for part in cells]  # they grow along a path
    _, *places = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    common = places[0].size
    edges = [np.concatenate([[-1], at, [part.size]]) for at, part in zip(places, keys, strict=True)]
    apart = np.flatnonzero((np.diff(edges[0]) > 1) | (np.diff(edges[1]) > 1)).tolist()
    stretches = tuple(
        PathDivergence(
            (int(edges[0][at]) + 1, int(edges[0][at + 1])),
            (int(edges[1][at]) + 1, int(edges[1][at + 1])),
            _cell_at(cells[0], int(edges[0][at])) if at else None,
            _cell_at(cells[0], int(edges[0][at + 1])) if at < common else None,
        )
        for at in apart
    )
    return PathDifference(common, len(keys[0]) - common, len(keys[1]) - common, stretches)


def _cell_at(cells: np.ndarray, point: int) -> Cell:
    return int(cells[point, 0]), int(cells[point, 1])
