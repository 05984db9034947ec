"""What a run on three sequences did to each chunk of the cube. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.app import texts
from antidiag.kernels.model import Result
from antidiag.kernels.triple.grid import ChunkGrid
from antidiag.kernels.triple.grid import make_grid as grid_of
from antidiag.kernels.triple.model import Cell, TripleProblem

COLOURINGS = {"worker": "worker", "time": "time", "recomputed": "phase 3"}
SIDE_BINS = 240  # pixels along k in pictures of the sides


def is_triple(result: Result) -> bool:
    """Return whether a result is about three sequences."""
    return isinstance(result.problem, TripleProblem)


def chunk_grid(result: Result) -> ChunkGrid:
    """Return the chunks of a run; a method without chunks has one: the cube."""
    problem: Any = result.problem
    cuts = texts.result_cuts(result)
    if not cuts.block:
        cells: Cell = tuple(length + 1 for length in problem.lengths)
        return ChunkGrid(cells, max(cells[:2]), cells[2])
    return grid_of(problem, cuts.block, cuts.layers or None)


@dataclass(frozen=True, eq=False)
class CubeChunks:
    """The chunks of a result and its step log; ``path`` has the path's cells, (n, 3), or is None. ``rows`` and
    ``columns`` locate each chunk, by its number, in the grid."""

    grid: ChunkGrid
    events: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    path: np.ndarray | None = None

    @property
    def count(self) -> int:
        """The number of chunks."""
        return len(self.rows)

    @cached_property
    def grid_numbers(self) -> np.ndarray:
        """The numbers of the chunks in the grid, int64 (rows, columns)."""
        numbers = np.empty((self.grid.rows, self.grid.columns), np.int64)
        numbers[self.rows, self.columns] = np.arange(self.count)
        return numbers

    @cached_property
    def first_phase_events(self) -> np.ndarray:
        """Events of phase 1."""
        return self.events[self.events["phase"] == 1]

    @cached_property
    def recompute_events(self) -> np.ndarray:
        """Events in which phase 3 recomputed a part of a chunk."""
        return self.events[self.events["phase"] == 3]

    @cached_property
    def worker_of_chunk(self) -> np.ndarray:
        """The worker of each chunk in phase 1; -1 if unknown."""
        worker = np.full(self.count, -1, np.int64)
        worker[self.first_phase_events["strip"]] = self.first_phase_events["worker"]
        return worker

    @cached_property
    def chunk_times_ns(self) -> np.ndarray:
        """Start and end of each chunk in phase 1, (chunks, 2); -1 if unknown."""
        times = np.full((self.count, 2), -1, np.int64)
        if self.first_phase_events.size:
            start, end = np.full(self.count, np.iinfo(np.int64).max), np.full(self.count, -1, np.int64)
            np.minimum.at(start, self.first_phase_events["strip"], self.first_phase_events["start_ns"])
            np.maximum.at(end, self.first_phase_events["strip"], self.first_phase_events["end_ns"])
            times[end >= 0] = np.stack((start, end), 1)[end >= 0]
        return times

    @cached_property
    def is_recomputed(self) -> np.ndarray:
        """Whether phase 3 recomputed a part of each chunk, bool."""
        found = np.zeros(self.count, bool)
        found[self.box_chunks] = True
        return found

    @cached_property
    def box_chunks(self) -> np.ndarray:
        """The chunk of each box in ``boxes``."""
        return self.grid_numbers[self.recomputed_boxes[:, 0] // self.grid.s, self.recomputed_boxes[:, 2] // self.grid.s]

    @cached_property
    def recomputed_boxes(self) -> np.ndarray:
        """Cells that phase 3 recomputed: i, i_end, j, j_end, k, k_end, half-open, int64 (parts, 6)."""
        parts = self.recompute_events
        if (parts["row_end"] - parts["row_start"] > self.grid.s).any() and self.path is not None:
            return self._boxes_of_path()  # one event stands for all chunks of the path
        found = np.stack([parts[name].astype(np.int64) for name in _RANGES], 1).reshape(-1, 6)
        found[:, 1::2] += 1
        found[:, 0::2] += found[:, 0::2] > 0
        return found

    def _boxes_of_path(self) -> np.ndarray:
        """Return the subchunks on the path, each down to its last cell there."""
        cells, unit = self.path, np.array([self.grid.s, self.grid.s, self.grid.h])
        ends = np.flatnonzero(np.append((np.diff(cells // unit, axis=0) != 0).any(axis=1), True))
        first = cells[ends] // unit * unit
        last = np.minimum(first + unit, np.array(self.grid.cells))
        last[:, 2] = cells[ends, 2] + 1
        return np.stack((first, last), 2).reshape(-1, 6)

    def chunk_at(self, cell: Cell) -> int:
        """Return the number of the chunk of a cell."""
        return int(self.grid_numbers[cell[0] // self.grid.s, cell[1] // self.grid.s])

    def chunk_box(self, number: int) -> np.ndarray:
        """Return the cells of a whole chunk as a row of ``boxes``."""
        row, column, s = int(self.rows[number]), int(self.columns[number]), self.grid.s
        i, j, k = self.grid.cells
        return np.array([row * s, min((row + 1) * s, i), column * s, min((column + 1) * s, j), 0, k], np.int64)

    def side_events(self, axis: int, far: bool) -> np.ndarray:
        """Return the phase 1 event seen on a side, int64 (SIDE_BINS, chunks along it); -1 for none. ``axis`` 0 is the
        last or first row of chunks, 1 a column. Later layers lie over earlier ones."""
        along, across = (self.columns, self.rows) if axis == 0 else (self.rows, self.columns)
        last = int(across.max()) if far else 0
        shown = np.full((SIDE_BINS, int(along.max()) + 1), -1, np.int64)
        layers = self.grid.cells[2]
        seen = np.flatnonzero(across[self.first_phase_events["strip"]] == last)
        for number in seen[np.argsort(self.first_phase_events["layer_start"][seen], kind="stable")].tolist():
            event = self.first_phase_events[number]
            top = int(event["layer_start"] + (event["layer_start"] > 0)) * SIDE_BINS // layers
            bottom = -(-int(event["layer_end"] + 1) * SIDE_BINS // layers)
            shown[top:bottom, along[event["strip"]]] = number
        return shown


_RANGES = ("row_start", "row_end", "column_start", "column_end", "layer_start", "layer_end")


def collect_chunks(result: Result) -> CubeChunks:
    """Return the chunks of a result of three sequences."""
    grid = chunk_grid(result)
    order = np.array(grid.chunk_order(), np.int64)
    events = result.steps.ordered_events()
    events = events[(events["strip"] >= 0) & (events["strip"] < len(order))]
    alignment = result.answer.alignment
    path = alignment.cells() if alignment is not None else None
    return CubeChunks(grid, events, order[:, 0], order[:, 1], path)


def chunk_colours(
    chunks: CubeChunks, colouring: str, numbers: np.ndarray, palette: np.ndarray, lut: np.ndarray
) -> np.ndarray:
    """Return a colour (ARGB, uint32) for each chunk number, by a name of COLOURINGS. ``palette``: colours of workers,
    then of chunks that are not in the log, then of recomputed ones."""
    worker, recomputed, times = (
        chunks.worker_of_chunk[numbers],
        chunks.is_recomputed[numbers],
        chunks.chunk_times_ns[numbers],
    )
    if colouring == "recomputed":
        return np.where(recomputed, palette[-1], palette[-2])
    if colouring == "time":
        return np.where(times[..., 0] < 0, palette[-2], time_colours(chunks, times[..., 0], lut))
    return np.where(worker < 0, palette[-2], palette[worker % (len(palette) - 2)])


def time_colours(chunks: CubeChunks, start_ns: np.ndarray, lut: np.ndarray) -> np.ndarray:
    """Return the colours of times, from the first start to the last end of phase 1."""
    first, last = first_phase_span_ns(chunks)
    share = (start_ns - first) / max(last - first, 1)
    return lut[np.clip(share * (len(lut) - 1), 0, len(lut) - 1).astype(np.int64)]


def first_phase_span_ns(chunks: CubeChunks) -> tuple[int, int]:
    """Return the first start and the last end of phase 1."""
    if not chunks.first_phase_events.size:
        return 0, 0
    return int(chunks.first_phase_events["start_ns"].min()), int(chunks.first_phase_events["end_ns"].max())
