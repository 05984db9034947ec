"""What is drawn of a pair result over its matrix, and the visible part of the matrix."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTransform

from antidiag.app import texts
from antidiag.app.kit.plane.profile_borders import ProfilePlane
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.path_index import PathIndex, shared_path_index
from antidiag.kernels.registry.matrix_values import MatrixCellBlock, Span
from antidiag.kernels.table_cuts import TableCuts

LAYERS = {
    "path": "Path",
    "ends": "Start and end",
    "states": "Sub-path ends and states",
    "strips": "Strip borders",
    "boundaries": "Stored boundaries",
    "chunks": "Chunk borders",
    "tiles": "Special rows and columns",
    "blocks": "Block borders",
    "recomputed": "Recomputed cells",
    "skipped": "Skipped blocks",
}
CELL_PIXELS = 16


@dataclass(frozen=True)
class MatrixFrame:
    """The visible part in pixels: cell (i, j) has its centre at (x(j), y(i))."""

    transform: QTransform
    rows: Span
    columns: Span

    @property
    def column_width(self) -> float:
        """Pixels from one column to the next."""
        return abs(self.transform.m11())

    @property
    def row_height(self) -> float:
        """Pixels from one row to the next."""
        return abs(self.transform.m22())

    @property
    def shows_cells(self) -> bool:
        """Whether cells are large enough to be drawn one by one."""
        return min(self.column_width, self.row_height) >= CELL_PIXELS

    def x(self, j: float) -> float:
        """Return the horizontal pixel of column j."""
        return self.transform.m11() * j + self.transform.dx()

    def y(self, i: float) -> float:
        """Return the vertical pixel of row i."""
        return self.transform.m22() * i + self.transform.dy()

    def cell_points(self, cells: np.ndarray) -> np.ndarray:
        """Return x and y of cells i, j; float64 (..., 2)."""
        scale = np.array((self.transform.m11(), self.transform.m22()))
        return cells[..., ::-1] * scale + (self.transform.dx(), self.transform.dy())

    def visible_rect(self, rows: Span, columns: Span) -> QRectF:
        """Return half-open ranges of cells, cut to the visible part; empty if invisible."""
        top, bottom = max(rows[0], self.rows[0]), min(rows[1], self.rows[1])
        left, right = max(columns[0], self.columns[0]), min(columns[1], self.columns[1])
        if top >= bottom or left >= right:
            return QRectF()
        corner = QPointF(self.x(left - 0.5), self.y(top - 0.5))
        return QRectF(corner, QPointF(self.x(right - 0.5), self.y(bottom - 0.5)))

    def visible_rects(self, areas: np.ndarray) -> np.ndarray:
        """Return visible areas, float64 (areas, 4): left, top, right and bottom in pixels. ``areas`` are int64 (areas,
        4): row start and end, column start and end."""
        rows, columns = (
            np.clip(part, *span) for part, span in ((areas[:, :2], self.rows), (areas[:, 2:], self.columns))
        )
        seen = (rows[:, 0] < rows[:, 1]) & (columns[:, 0] < columns[:, 1])
        corners = np.stack((rows[seen] - 0.5, columns[seen] - 0.5), axis=2)
        return self.cell_points(corners).reshape(-1, 4)

    @property
    def visible_area(self) -> QRectF:
        """The rectangle of the visible cells, in pixels."""
        return self.visible_rect(self.rows, self.columns)


@dataclass
class MatrixPicture:
    """What a result has to draw, and what of it is switched on; ``recomputed`` are areas, by ``phases`` of the run.

    ``skipped`` are the areas that pruning did not compute; all areas are int64 (areas, 4), half-open rows and columns.
    """

    problem: PairProblem | ProfilePlane
    cuts: TableCuts
    path: PathIndex | None
    end: tuple[int, int]
    recomputed: np.ndarray
    phases: tuple[int, ...] = ()
    skipped: np.ndarray = field(default_factory=lambda: np.empty((0, 4), np.int64))
    layers: set[str] = field(default_factory=lambda: set(LAYERS))
    block: MatrixCellBlock | None = None
    light_ink: np.ndarray | None = None
    hovered: tuple[int, int] | None = None
    strip: int | None = None

    @property
    def strip_axis(self) -> int:
        """0 where strips are bands of rows, 1 where they are bands of columns."""
        return 0 if self.problem.swapped else 1

    def has_layer(self, layer: str) -> bool:
        """Whether a layer has anything to draw."""
        cuts, with_path = self.cuts, self.path is not None and self.path.length > 0
        return {
            "path": with_path,
            "ends": self.end != (0, 0),
            "states": with_path and bool(cuts.path_rows or cuts.path_columns),
            "strips": bool(cuts.strip),
            "boundaries": bool(cuts.strip) and cuts.keeps_boundaries,
            "chunks": bool(cuts.chunk),
            "tiles": bool(cuts.tile),
            "blocks": bool(cuts.block),
            "recomputed": bool(len(self.recomputed)),
            "skipped": bool(len(self.skipped)),
        }[layer]

    def shows_layer(self, layer: str) -> bool:
        """Whether a layer is on and has anything to draw."""
        return layer in self.layers and self.has_layer(layer)

    def strip_of(self, cell: tuple[int, int]) -> int | None:
        """Return the strip of a cell; None on the border, or without strips."""
        position = cell[self.strip_axis]
        return (position - 1) // self.cuts.strip if self.cuts.strip and position else None

    def strip_span(self, strip: int) -> Span:
        """Return the half-open range of a strip along the strip axis."""
        length = self.problem.columns
        return strip * self.cuts.strip + 1, min((strip + 1) * self.cuts.strip, length) + 1

    def recomputed_at(self, cell: tuple[int, int]) -> bool:
        """Whether a cell was recomputed."""
        return _is_inside(self.recomputed, cell)

    def skipped_at(self, cell: tuple[int, int]) -> bool:
        """Whether pruning skipped a cell."""
        return _is_inside(self.skipped, cell)


def _is_inside(areas: np.ndarray, cell: tuple[int, int]) -> bool:
    """Return whether a cell lies in one of some areas."""
    i, j = cell
    return bool(((areas[:, 0] <= i) & (i < areas[:, 1]) & (areas[:, 2] <= j) & (j < areas[:, 3])).any())


def create_picture(result: Result) -> MatrixPicture:
    """Return the picture of a result of two sequences or profiles; profiles have no recomputed cells."""
    if not isinstance(result.problem, PairProblem):
        none = np.empty((0, 4), np.int64)
        plane, answer = ProfilePlane(result.problem), result.answer
        return MatrixPicture(plane, texts.result_cuts(result), shared_path_index(answer), answer.end, none)
    alignment = result.answer.alignment
    path = shared_path_index(alignment) if alignment is not None else None
    cuts, end, skipped = texts.result_cuts(result), result.answer.end, skipped_areas(result)
    return MatrixPicture(result.problem, cuts, path, end, *recomputed_areas(result), skipped)


def skipped_areas(result: Result) -> np.ndarray:
    """Return the areas that pruning skipped: int64 (areas, 4), half-open rows and columns of the problem."""
    if result.answer.skipped is None:
        return np.empty((0, 4), np.int64)
    areas = result.answer.skipped.list_areas()
    return areas[:, [2, 3, 0, 1]] if result.problem.swapped else areas


def recomputed_areas(result: Result) -> tuple[np.ndarray, tuple[int, ...]]:
    """Return recomputed cells, (areas, 4) as half-open rows and columns, and their phases. Letters a..b (half-open) of
    the step log are the cells a + 1..b. Phase 1 computes every cell."""
    events = result.steps.ordered_events()
    events = events[events["phase"] > 1]
    names = ["row_start", "row_end", "column_start", "column_end"]
    if result.problem.swapped:
        names = names[2:] + names[:2]
    areas = np.stack([events[name] + 1 for name in names], axis=1) if events.size else np.empty((0, 4), np.int64)
    return areas, tuple(np.flatnonzero(np.bincount(events["phase"])).tolist())
