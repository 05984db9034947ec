"""What the matrix view shows of a problem, computed away from the GUI thread. No Qt here."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.profiles.problem import ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.scoring import Mode

Span = tuple[int, int]
Levels = tuple[int, int, bool]
"""Scores at both ends of the colours, and whether the square root is taken in between."""

CONTRASTS = {
    "automatic": "Whole matrix; visible part where that would be flat",
    "whole": "Whole matrix",
    "root": "Whole matrix, square root (lifts low scores)",
    "visible": "Visible part",
}
FLAT_SHARE = 0.1

NONE, FROM_DIAGONAL, FROM_ABOVE, FROM_LEFT = 0, 1, 2, 3
"""Where H of a cell comes from: nowhere (a border or a local start), or one of its neighbours."""


@dataclass(frozen=True)
class Raster:
    """Greatest H of each pixel over half-open ranges of cells, int32, shape (pixels down, pixels across)."""

    rows: Span
    columns: Span
    values: np.ndarray


@dataclass(frozen=True)
class CellBlock:
    """Exact H, E and F of half-open ranges of cells, int32, and the origin of each H (uint8)."""

    rows: Span
    columns: Span
    h: np.ndarray
    e: np.ndarray
    f: np.ndarray
    origin: np.ndarray

    def holds(self, rows: Span, columns: Span) -> bool:
        inside = self.rows[0] <= rows[0] and rows[1] <= self.rows[1]
        return inside and self.columns[0] <= columns[0] and columns[1] <= self.columns[1]

    def at(self, cell: tuple[int, int]) -> tuple[int, int, int]:
        """H, E, F of one cell of the block."""
        place = cell[0] - self.rows[0], cell[1] - self.columns[0]
        return int(self.h[place]), int(self.e[place]), int(self.f[place])


def _pictures(problem: PairProblem | ProfileProblem | ProfileSequenceProblem) -> Any:
    """What computes the matrix of a problem; it compiles, so that it is imported on the worker's thread."""
    if isinstance(problem, PairProblem):
        from antidiag.kernels.pairwise.pictures import matrix

        return matrix
    from antidiag.kernels.profiles import pictures

    return pictures


def on_gpu(problem: Any) -> bool:
    """Whether a GPU can compute the matrix of a problem."""
    return isinstance(problem, PairProblem | ProfileProblem | ProfileSequenceProblem)


def scan(problem: Any, monitor: Monitor, gpu: str = "") -> Any:
    """One pass over the matrix, from which windows and cells are recomputed: on the GPU of this name, if it is here.

    The CPU computes it where it is not, or has too little memory left; its ``device`` is None then.
    """
    pictures = _pictures(problem)
    device = devices.numbered(gpu)
    if device is not None:
        with suppress(MemoryRefused):
            return pictures.scan(problem, monitor, device=device)
    return pictures.scan(problem, monitor)


def raster(scanned: Any, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor) -> Raster:
    """The window in at most ``shape`` pixels; never more pixels than cells."""
    shape = min(shape[0], rows[1] - rows[0]), min(shape[1], columns[1] - columns[0])
    found = _pictures(scanned.problem).window(scanned, rows=rows, columns=columns, shape=shape, monitor=monitor)
    return Raster(rows, columns, found)


def cell_block(problem: PairProblem, scanned: Any, rows: Span, columns: Span) -> CellBlock:
    """Exact values of a small window."""
    pictures = _pictures(problem)
    above, left = max(rows[0] - 1, 0), max(columns[0] - 1, 0)
    h, e, f = pictures.cells(scanned, rows=(above, rows[1]), columns=(left, columns[1]))
    if isinstance(problem, PairProblem):
        origin = origins(problem, h, e, f, (above, left))
    else:
        origin = pictures.origins(problem, (h, e, f), (above, left))
    inner = np.s_[rows[0] - above :, columns[0] - left :]
    return CellBlock(rows, columns, h[inner], e[inner], f[inner], origin[inner])


def origins(problem: PairProblem, h: np.ndarray, e: np.ndarray, f: np.ndarray, corner: tuple[int, int]) -> np.ndarray:
    """Where each H comes from by the tie rule of the family; ``corner`` is the cell of the first value.

    The first row and column of the arrays lack a neighbour; they are right only on the matrix border.
    """
    codes = problem.codes
    i, j = (np.arange(size) + low for size, low in zip(h.shape, corner, strict=True))
    pairs = problem.scoring.scores[codes[0][np.maximum(i - 1, 0)][:, None], codes[1][np.maximum(j - 1, 0)][None, :]]
    diagonal = np.zeros(h.shape, bool)
    diagonal[1:, 1:] = h[1:, 1:] == h[:-1, :-1] + pairs[1:, 1:]
    gaps = [(h == e, FROM_ABOVE), (h == f, FROM_LEFT)][:: -1 if problem.swapped else 1]
    conditions = [diagonal, *(equal for equal, _ in gaps)]
    choices = [FROM_DIAGONAL, *(origin for _, origin in gaps)]
    result = np.select(conditions, choices, NONE).astype(np.uint8)
    if problem.mode == Mode.LOCAL:
        result[h <= 0] = NONE
    elif corner == (0, 0):
        result[0, 0] = NONE
    return result


def levels(contrast: str, whole: Raster, window: Raster | None, local: bool, shows_cells: bool) -> Levels:
    """The scores between which colours are spread, for one of CONTRASTS."""
    own = contrast == "visible"
    if contrast == "automatic" and window is not None:
        own = shows_cells or bool(np.ptp(window.values) < FLAT_SHARE * np.ptp(whole.values))
    if own and window is not None:
        return int(window.values.min()), int(window.values.max()), False
    return 0 if local else int(whole.values.min()), int(whole.values.max()), contrast == "root"


def tones(values: np.ndarray, low: float, high: float, root: bool = False) -> np.ndarray:
    """Values as uint8 from 0 at ``low`` to 255 at ``high``; ``root`` lifts the small ones."""
    share = np.clip((values.astype(np.float32) - low) / max(high - low, 1), 0, 1)
    return np.rint(255 * (np.sqrt(share) if root else share)).astype(np.uint8)
