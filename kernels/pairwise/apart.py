"""Where two alignments of the same pair go different ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.pairwise.model import Alignment

Cell = tuple[int, int]


@dataclass(frozen=True)
class Stretch:
    """A part of two paths in which they share no cell but its ends.

    ``first`` and ``second`` are the points of each path, half-open, as `Alignment.cells` numbers them; ``start`` is the
    last common cell before them and ``end`` the next one after, None where a path begins or ends before they meet.
    """

    first: tuple[int, int]
    second: tuple[int, int]
    start: Cell | None
    end: Cell | None


@dataclass(frozen=True)
class Difference:
    """What two paths have in common: cells in both, in the first or the second alone, and where they part."""

    common: int
    only_first: int
    only_second: int
    stretches: tuple[Stretch, ...]

    @property
    def share(self) -> float:
        """Common cells among all cells of either path, 0 to 1."""
        return self.common / max(self.common + self.only_first + self.only_second, 1)


def difference(first: Alignment, second: Alignment) -> Difference:
    """Compare two paths cell by cell; takes some 100 bytes a column."""
    cells = first.cells(), second.cells()
    width = max(int(part[:, 1].max()) for part in cells) + 1
    keys = [part[:, 0] * width + part[:, 1] for part in cells]  # they grow along a path
    _, *places = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    common = places[0].size
    edges = [np.concatenate([[-1], at, [part.size]]) for at, part in zip(places, keys, strict=True)]
    apart = np.flatnonzero((np.diff(edges[0]) > 1) | (np.diff(edges[1]) > 1)).tolist()
    stretches = tuple(
        Stretch(
            (int(edges[0][at]) + 1, int(edges[0][at + 1])),
            (int(edges[1][at]) + 1, int(edges[1][at + 1])),
            _cell(cells[0], int(edges[0][at])) if at else None,
            _cell(cells[0], int(edges[0][at + 1])) if at < common else None,
        )
        for at in apart
    )
    return Difference(common, len(keys[0]) - common, len(keys[1]) - common, stretches)


def _cell(cells: np.ndarray, point: int) -> Cell:
    return int(cells[point, 0]), int(cells[point, 1])
