"""What there is to draw of a pair result over its matrix, and the part of the matrix that is visible."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTransform

from antidiag.app import texts
from antidiag.app.kit.paths import PathIndex, path_index
from antidiag.app.kit.plane.data import CellBlock, Span
from antidiag.app.kit.plane.profiles import ProfilePlane
from antidiag.kernels.cuts import Cuts
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.model import PairProblem

LAYERS = {
    "path": "Path",
    "ends": "Start and end",
    "states": "Ends of sub-paths, with their states",
    "strips": "Strip borders",
    "boundaries": "Boundaries kept",
    "chunks": "Chunk borders",
    "tiles": "Special rows and columns",
    "blocks": "Block borders",
    "recomputed": "Computed again",
}
CELL_PIXELS = 16


@dataclass(frozen=True)
class Frame:
    """The visible part of the matrix in pixels: cell (i, j) has its centre at (x(j), y(i))."""

    transform: QTransform
    rows: Span
    columns: Span

    @property
    def width(self) -> float:
        """Pixels from one column to the next."""
        return abs(self.transform.m11())

    @property
    def height(self) -> float:
        """Pixels from one row to the next."""
        return abs(self.transform.m22())

    @property
    def shows_cells(self) -> bool:
        return min(self.width, self.height) >= CELL_PIXELS

    def x(self, j: float) -> float:
        return self.transform.m11() * j + self.transform.dx()

    def y(self, i: float) -> float:
        return self.transform.m22() * i + self.transform.dy()

    def points(self, cells: np.ndarray) -> np.ndarray:
        """x and y of cells i, j; float64 of the same shape (..., 2)."""
        scale = np.array((self.transform.m11(), self.transform.m22()))
        return cells[..., ::-1] * scale + (self.transform.dx(), self.transform.dy())

    def rect(self, rows: Span, columns: Span) -> QRectF:
        """Half-open ranges of cells, cut to the visible part; empty where nothing of them is visible."""
        top, bottom = max(rows[0], self.rows[0]), min(rows[1], self.rows[1])
        left, right = max(columns[0], self.columns[0]), min(columns[1], self.columns[1])
        if top >= bottom or left >= right:
            return QRectF()
        corner = QPointF(self.x(left - 0.5), self.y(top - 0.5))
        return QRectF(corner, QPointF(self.x(right - 0.5), self.y(bottom - 0.5)))

    def rects(self, areas: np.ndarray) -> np.ndarray:
        """Visible areas, as `rect` cuts them: float64 (areas, 4) of left, top, right and bottom, in pixels.

        ``areas`` are int64 (areas, 4): row start and end, column start and end.
        """
        rows, columns = (
            np.clip(part, *span) for part, span in ((areas[:, :2], self.rows), (areas[:, 2:], self.columns))
        )
        seen = (rows[:, 0] < rows[:, 1]) & (columns[:, 0] < columns[:, 1])
        corners = np.stack((rows[seen] - 0.5, columns[seen] - 0.5), axis=2)
        return self.points(corners).reshape(-1, 4)

    @property
    def area(self) -> QRectF:
        return self.rect(self.rows, self.columns)


@dataclass
class Picture:
    """What there is to draw of a result, and what of it is switched on.

    ``recomputed``: areas (see `recomputed_areas`), by ``phases`` of the run.
    """

    problem: PairProblem | ProfilePlane
    cuts: Cuts
    path: PathIndex | None
    end: tuple[int, int]
    recomputed: np.ndarray
    phases: tuple[int, ...] = ()
    layers: set[str] = field(default_factory=lambda: set(LAYERS))
    block: CellBlock | None = None
    light_ink: np.ndarray | None = None
    hovered: tuple[int, int] | None = None
    strip: int | None = None

    @property
    def strip_axis(self) -> int:
        """0 where strips are bands of rows, 1 where they are bands of columns."""
        return 0 if self.problem.swapped else 1

    def has(self, layer: str) -> bool:
        """Whether there is anything of a layer to draw."""
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
        }[layer]

    def shows(self, layer: str) -> bool:
        """Whether a layer is on, and there is anything of it."""
        return layer in self.layers and self.has(layer)

    def strip_of(self, cell: tuple[int, int]) -> int | None:
        """The strip of a cell; None on the border of the matrix and where there are no strips."""
        position = cell[self.strip_axis]
        return (position - 1) // self.cuts.strip if self.cuts.strip and position else None

    def strip_span(self, strip: int) -> Span:
        """Half-open range of cells of a strip, along the strip axis."""
        length = self.problem.columns
        return strip * self.cuts.strip + 1, min((strip + 1) * self.cuts.strip, length) + 1

    def recomputed_at(self, cell: tuple[int, int]) -> bool:
        """Whether a cell was computed again."""
        (i, j), areas = cell, self.recomputed
        return bool(
            ((areas[:, 0] <= i) & (i < areas[:, 1]) & (areas[:, 2] <= j) & (j < areas[:, 3])).any() if len(areas) else 0
        )


def picture(result: Result) -> Picture:
    """The picture of the result of a pair, or of two profiles, of whose cells none is computed again."""
    if not isinstance(result.problem, PairProblem):
        none = np.empty((0, 4), np.int64)
        plane, answer = ProfilePlane(result.problem), result.answer
        return Picture(plane, texts.cuts_of(result), path_index(answer), answer.end, none)
    alignment = result.answer.alignment
    areas, phases = recomputed_areas(result)
    return Picture(
        problem=result.problem,
        cuts=texts.cuts_of(result),
        path=path_index(alignment) if alignment is not None else None,
        end=result.answer.end,
        recomputed=areas,
        phases=phases,
    )


def recomputed_areas(result: Result) -> tuple[np.ndarray, tuple[int, ...]]:
    """Cells that were computed again, shape (areas, 4): row start and end, column start and end, half-open; the phases.

    The step log counts letters: letters a..b (half-open) are the cells a + 1..b. The first phase computes every cell.
    """
    events = result.steps.array()
    events = events[events["phase"] > 1]
    names = ["row_start", "row_end", "column_start", "column_end"]
    if result.problem.swapped:
        names = names[2:] + names[:2]
    areas = np.stack([events[name] + 1 for name in names], axis=1) if events.size else np.empty((0, 4), np.int64)
    return areas, tuple(np.flatnonzero(np.bincount(events["phase"])).tolist())
