"""What a run of three sequences did to each chunk of the cube, by its number. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.app import texts
from antidiag.kernels.model import Result
from antidiag.kernels.triple.grid import Grid
from antidiag.kernels.triple.grid import grid as grid_of
from antidiag.kernels.triple.model import Cell, TripleProblem

COLOURINGS = {"worker": "worker", "time": "time", "recomputed": "phase 3"}
SIDE_BINS = 240
"""Pixels along k in the pictures of the cube's sides."""


def is_triple(result: Result) -> bool:
    return isinstance(result.problem, TripleProblem)


def chunk_grid(result: Result) -> Grid:
    """The chunks of a run; a method without chunks computes one that is the cube."""
    problem: Any = result.problem
    cuts = texts.cuts_of(result)
    if not cuts.block:
        cells: Cell = tuple(length + 1 for length in problem.lengths)
        return Grid(cells, max(cells[:2]), cells[2])
    return grid_of(problem, cuts.block, cuts.layers or None)


@dataclass(frozen=True, eq=False)
class Chunks:
    """The chunks of a result and its step log; ``path`` has the cells of the path, shape (n, 3), or is None.

    ``rows`` and ``columns`` say where in the grid each chunk is, by its number (000, figure 1).
    """

    grid: Grid
    events: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    path: np.ndarray | None = None

    @property
    def count(self) -> int:
        return len(self.rows)

    @cached_property
    def numbers(self) -> np.ndarray:
        """Numbers of the chunks as they lie in the grid, int64, shape (rows, columns)."""
        numbers = np.empty((self.grid.rows, self.grid.columns), np.int64)
        numbers[self.rows, self.columns] = np.arange(self.count)
        return numbers

    @cached_property
    def first(self) -> np.ndarray:
        """Events of phase 1."""
        return self.events[self.events["phase"] == 1]

    @cached_property
    def recomputing(self) -> np.ndarray:
        """Events in which phase 3 computed a part of a chunk again."""
        return self.events[self.events["phase"] == 3]

    @cached_property
    def worker(self) -> np.ndarray:
        """Who computed each chunk in phase 1; -1 where the log does not say."""
        worker = np.full(self.count, -1, np.int64)
        worker[self.first["strip"]] = self.first["worker"]
        return worker

    @cached_property
    def times(self) -> np.ndarray:
        """Start and end of each chunk in phase 1, ns, shape (chunks, 2); -1 where the log does not say."""
        times = np.full((self.count, 2), -1, np.int64)
        if self.first.size:
            start, end = np.full(self.count, np.iinfo(np.int64).max), np.full(self.count, -1, np.int64)
            np.minimum.at(start, self.first["strip"], self.first["start_ns"])
            np.maximum.at(end, self.first["strip"], self.first["end_ns"])
            times[end >= 0] = np.stack((start, end), 1)[end >= 0]
        return times

    @cached_property
    def recomputed(self) -> np.ndarray:
        """Whether phase 3 computed a part of each chunk again, bool."""
        found = np.zeros(self.count, bool)
        found[self.box_chunks] = True
        return found

    @cached_property
    def box_chunks(self) -> np.ndarray:
        """The chunk of each of ``boxes``."""
        return self.numbers[self.boxes[:, 0] // self.grid.s, self.boxes[:, 2] // self.grid.s]

    @cached_property
    def boxes(self) -> np.ndarray:
        """Cells that phase 3 computed again, half-open: i, i_end, j, j_end, k, k_end, int64, shape (parts, 6)."""
        parts = self.recomputing
        if (parts["row_end"] - parts["row_start"] > self.grid.s).any() and self.path is not None:
            return self._boxes_of_path()  # one event stands for all chunks, which the path tells
        found = np.stack([parts[name].astype(np.int64) for name in _RANGES], 1).reshape(-1, 6)
        found[:, 1::2] += 1
        found[:, 0::2] += found[:, 0::2] > 0
        return found

    def _boxes_of_path(self) -> np.ndarray:
        """The subchunks that the path goes through, each down to its last cell there."""
        cells, unit = self.path, np.array([self.grid.s, self.grid.s, self.grid.h])
        ends = np.flatnonzero(np.append((np.diff(cells // unit, axis=0) != 0).any(axis=1), True))
        first = cells[ends] // unit * unit
        last = np.minimum(first + unit, np.array(self.grid.cells))
        last[:, 2] = cells[ends, 2] + 1
        return np.stack((first, last), 2).reshape(-1, 6)

    def chunk_at(self, cell: Cell) -> int:
        """The number of the chunk that a cell lies in."""
        return int(self.numbers[cell[0] // self.grid.s, cell[1] // self.grid.s])

    def box(self, number: int) -> np.ndarray:
        """Cells of a whole chunk, as a row of ``boxes``."""
        row, column, s = int(self.rows[number]), int(self.columns[number]), self.grid.s
        i, j, k = self.grid.cells
        return np.array([row * s, min((row + 1) * s, i), column * s, min((column + 1) * s, j), 0, k], np.int64)

    def side_events(self, axis: int, far: bool) -> np.ndarray:
        """Event of phase 1 seen on a side of the cube, int64, shape (SIDE_BINS, chunks along it); -1: none.

        ``axis`` 0: the last row of chunks, or the first one; 1: so for columns. Later layers lie over earlier ones.
        """
        along, across = (self.columns, self.rows) if axis == 0 else (self.rows, self.columns)
        last = int(across.max()) if far else 0
        shown = np.full((SIDE_BINS, int(along.max()) + 1), -1, np.int64)
        layers = self.grid.cells[2]
        seen = np.flatnonzero(across[self.first["strip"]] == last)
        for number in seen[np.argsort(self.first["layer_start"][seen], kind="stable")].tolist():
            event = self.first[number]
            top = int(event["layer_start"] + (event["layer_start"] > 0)) * SIDE_BINS // layers
            bottom = -(-int(event["layer_end"] + 1) * SIDE_BINS // layers)
            shown[top:bottom, along[event["strip"]]] = number
        return shown


_RANGES = ("row_start", "row_end", "column_start", "column_end", "layer_start", "layer_end")


def chunks(result: Result) -> Chunks:
    """The chunks of a result of three sequences."""
    grid = chunk_grid(result)
    order = np.array(grid.order(), np.int64)
    events = result.steps.array()
    events = events[(events["strip"] >= 0) & (events["strip"] < len(order))]
    alignment = result.answer.alignment
    path = alignment.cells() if alignment is not None else None
    return Chunks(grid, events, order[:, 0], order[:, 1], path)


def shades(found: Chunks, colouring: str, numbers: np.ndarray, palette: np.ndarray, lut: np.ndarray) -> np.ndarray:
    """A colour (ARGB) for each of ``numbers``, chunk numbers, by a name of COLOURINGS; uint32.

    ``palette``: colours of workers, then that of chunks which are not in the log, then of those computed again.
    """
    worker, recomputed, times = found.worker[numbers], found.recomputed[numbers], found.times[numbers]
    if colouring == "recomputed":
        return np.where(recomputed, palette[-1], palette[-2])
    if colouring == "time":
        return np.where(times[..., 0] < 0, palette[-2], time_shades(found, times[..., 0], lut))
    return np.where(worker < 0, palette[-2], palette[worker % (len(palette) - 2)])


def time_shades(found: Chunks, start_ns: np.ndarray, lut: np.ndarray) -> np.ndarray:
    """Colours of times, from the first start to the last end of phase 1."""
    first, last = span_ns(found)
    share = (start_ns - first) / max(last - first, 1)
    return lut[np.clip(share * (len(lut) - 1), 0, len(lut) - 1).astype(np.int64)]


def span_ns(found: Chunks) -> tuple[int, int]:
    """First start and last end of phase 1."""
    if not found.first.size:
        return 0, 0
    return int(found.first["start_ns"].min()), int(found.first["end_ns"].max())
