"""All pairs of sequences in square tiles, and tiles in launches that take a moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from antidiag.kernels.trees.distances.cuda_sources import PAIRS

if TYPE_CHECKING:
    from antidiag.kernels.cuda.run import DeviceRun

TILE = 32
"""Sequences on each side of a tile."""

SLICE_MS = 100.0
"""Time that a launch is meant to take."""

MOST_ITEMS = 1 << 16
"""Tiles, or rows, of a launch at most."""


def upper_tiles(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return row and column of the tiles on and above the diagonal of a matrix of so many sequences."""
    return np.triu_indices(-(-count // TILE))


def tile_cells(lengths: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return products of lengths, summed over the pairs of each tile; on the diagonal each pair counts once."""
    blocks = np.zeros((-(-lengths.size // TILE), TILE), np.int64)
    blocks.ravel()[: lengths.size] = lengths
    sums, squares = blocks.sum(1), (blocks**2).sum(1)
    whole = sums[rows] * sums[columns]
    return np.where(rows == columns, (whole - squares[rows]) // 2, whole)


def tile_pairs(row: int, column: int, count: int) -> np.ndarray:
    """Return the pairs of a tile, first before second; (k, 2)."""
    first = np.arange(row * TILE, min((row + 1) * TILE, count))
    second = np.arange(column * TILE, min((column + 1) * TILE, count))
    found = np.stack(np.meshgrid(first, second, indexing="ij"), -1).reshape(-1, 2)
    return found[found[:, 0] < found[:, 1]]


def upload_pairs(run: DeviceRun, tiles: np.ndarray, side: int) -> tuple[Any, ...]:
    """Return the arguments PAIRS of tiles, (row, column) of ``side`` x ``side`` pairs, which warps take in turns."""
    return PAIRS(
        tiles=run.upload_array(tiles.astype(np.int32)),
        side=side,
        pairs=len(tiles) * side**2,
        ticket=run.allocate_filled(1, np.uint64),
    )


def next_size(size: int, milliseconds: float) -> int:
    """Return how much the next launch should do after one that did ``size`` in this time; at least 1."""
    return max(1, int(size * min(max(SLICE_MS / milliseconds, 0.25), 8.0)))


class LaunchSlices:
    """Cuts work into launches: the first costs ``first``, later ones what takes about `SLICE_MS`.

    ``phase`` is the number of the phase in the step log.
    """

    def __init__(self, run: DeviceRun, total: int, first: int, unit: str = "pairs", phase: int = 1) -> None:
        self.phase = phase
        self.run, self.total, self.size, self.unit, self.done = run, max(total, 1), first, unit, 0
        self.number, self.begun_ns = 0, time.perf_counter_ns()

    def begin(self) -> None:
        """Note that the next launch begins now."""
        self.begun_ns = time.perf_counter_ns()

    def split_items(self, costs: np.ndarray) -> Iterator[slice]:
        """Yield ranges of items; the work of one must be finished when the next is asked for."""
        until, first = np.cumsum(costs), 0
        while first < len(costs):
            started = int(until[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(until, started + self.size, "right")))
            last = min(last, first + MOST_ITEMS)
            self.begin()
            yield slice(first, last)
            milliseconds, cost = (time.perf_counter_ns() - self.begun_ns) / 1e6, int(until[last - 1]) - started
            self.size = next_size(cost, milliseconds)
            self.report_launch(cost, (first, last))
            first = last

    def report_launch(self, cost: int, items: tuple[int, int]) -> None:
        """Report ``cost`` more work since `begin`, for these items; raise Cancelled where that is wished.

        In the step log items are the rows, and the columns what one of them costs on average.
        """
        columns = 0, max(cost // max(items[1] - items[0], 1), 1)
        begun_ns, ended_ns = self.begun_ns - self.run.began_ns, time.perf_counter_ns() - self.run.began_ns
        self.run.steps.add(self.phase, self.number, items, columns, 0, begun_ns, ended_ns)
        self.number += 1
        self.done += cost
        self.run.monitor.update(min(self.done, self.total), self.total, self.unit)
