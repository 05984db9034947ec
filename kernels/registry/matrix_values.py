"""The values that the matrix view shows; computed on a worker thread. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.cuda.gpu_or_cpu import run_on_gpu_or_cpu
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.profiles.problem import ProfileProblem, ProfileSequenceProblem

Span = tuple[int, int]
Levels = tuple[int, int, bool]  # scores at both ends of the colours, and whether a square root lies between

CONTRASTS = {
    "automatic": "Whole matrix, or visible part if that is flat",
    "whole": "Whole matrix",
    "root": "Whole matrix, square root (lifts low scores)",
    "visible": "Visible part",
}
FLAT_SHARE = 0.1


@dataclass(frozen=True)
class MatrixRaster:
    """The largest H of each pixel over half-open ranges of cells, int32 (pixels down, pixels across)."""

    rows: Span
    columns: Span
    values: np.ndarray


@dataclass(frozen=True)
class MatrixCellBlock:
    """H, E and F of half-open ranges of cells, int32, and the predecessor of each H (uint8)."""

    rows: Span
    columns: Span
    h: np.ndarray
    e: np.ndarray
    f: np.ndarray
    origin: np.ndarray

    def contains(self, rows: Span, columns: Span) -> bool:
        """Return whether the block contains these rows and columns."""
        inside = self.rows[0] <= rows[0] and rows[1] <= self.rows[1]
        return inside and self.columns[0] <= columns[0] and columns[1] <= self.columns[1]

    def values_at(self, cell: tuple[int, int]) -> tuple[int, int, int]:
        """Return H, E, F of one cell."""
        place = cell[0] - self.rows[0], cell[1] - self.columns[0]
        return int(self.h[place]), int(self.e[place]), int(self.f[place])


def _picture_functions(problem: PairProblem | ProfileProblem | ProfileSequenceProblem) -> tuple[Any, Any, Any, Any]:
    """Return the functions that scan a problem's matrix, compute a window, compute cells, and find their origins; their
    modules compile, so they are imported on the worker thread."""
    if isinstance(problem, PairProblem):
        from antidiag.kernels.pairwise.pictures import matrix_view as view

        return view.scan_matrix, view.compute_window, view.compute_cells, view.find_origins
    from antidiag.kernels.profiles.wavefront import table_picture as picture

    return picture.scan_table, picture.draw_window, picture.compute_cells, picture.find_origins


def can_use_gpu(problem: Any) -> bool:
    """Whether a GPU can compute the matrix of a problem."""
    return isinstance(problem, PairProblem | ProfileProblem | ProfileSequenceProblem)


def scan_matrix(problem: Any, monitor: Monitor, gpu: str = "") -> Any:
    """Scan the matrix once, on the named GPU if possible, so that windows and cells can be recomputed."""
    scan = _picture_functions(problem)[0]
    return run_on_gpu_or_cpu(gpu, lambda device: scan(problem, monitor, device=device))[0]


def compute_raster(scanned: Any, rows: Span, columns: Span, shape: tuple[int, int], monitor: Monitor) -> MatrixRaster:
    """Compute a window in at most ``shape`` pixels, and never more pixels than cells."""
    shape = min(shape[0], rows[1] - rows[0]), min(shape[1], columns[1] - columns[0])
    compute_window = _picture_functions(scanned.problem)[1]
    found = compute_window(scanned, rows=rows, columns=columns, shape=shape, monitor=monitor)
    return MatrixRaster(rows, columns, found)


def compute_cell_block(problem: PairProblem, scanned: Any, rows: Span, columns: Span) -> MatrixCellBlock:
    """Compute the exact values of a small window."""
    *_, compute_cells, find_origins = _picture_functions(problem)
    above, left = max(rows[0] - 1, 0), max(columns[0] - 1, 0)
    h, e, f = compute_cells(scanned, rows=(above, rows[1]), columns=(left, columns[1]))
    origin = find_origins(problem, (h, e, f), (above, left))
    inner = np.s_[rows[0] - above :, columns[0] - left :]
    return MatrixCellBlock(rows, columns, h[inner], e[inner], f[inner], origin[inner])


def colour_levels(
    contrast: str, whole: MatrixRaster, window: MatrixRaster | None, local: bool, shows_cells: bool
) -> Levels:
    """Return the scores between which colours are spread, for one of CONTRASTS."""
    own = contrast == "visible"
    if contrast == "automatic" and window is not None:
        own = shows_cells or bool(np.ptp(window.values) < FLAT_SHARE * np.ptp(whole.values))
    if own and window is not None:
        return int(window.values.min()), int(window.values.max()), False
    return 0 if local else int(whole.values.min()), int(whole.values.max()), contrast == "root"


def scale_to_bytes(values: np.ndarray, low: float, high: float, root: bool = False) -> np.ndarray:
    """Scale values to uint8: 0 at ``low``, 255 at ``high``; ``root`` lifts low ones."""
    share = np.clip((values.astype(np.float32) - low) / max(high - low, 1), 0, 1)
    return np.rint(255 * (np.sqrt(share) if root else share)).astype(np.uint8)
