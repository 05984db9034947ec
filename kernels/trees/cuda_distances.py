"""Distances between all pairs on the GPU: pairs of similar length together, a launch for as many as take a moment."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from kernels.cuda.compile import module
from kernels.model import Mode, Outcome
from kernels.monitor import Monitor
from kernels.steps import Steps
from kernels.trees.distance_problem import DistanceAnswer, FullProblem, matrix_of
from kernels.trees.distance_sizes import BUSY_WARPS, LONE_WARPS, border_warps
from kernels.trees.identities import encoded, of_identities
from kernels.trees.packing import Packing, packing

HERE = Path(__file__).parent
IDENTITIES = (HERE / "identities.cu",)

LANES = 32
TILE = 32
"""Sequences on each side of a tile, whose pairs are of similar length."""
THREADS = 128
STRIP = 512
"""Rows of the tallest strip."""

LONG = 1 << 25
"""Cells of a pair that a warp does in a fraction of a second while all others are busy."""
FIRST_SLICE = 1 << 31
"""Cells of the first launch; further ones are as large as what takes ``SLICE_MS``."""
SLICE_MS = 100.0


def distance_full(problem: FullProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """1 - identities / the shorter length of the best alignment of each pair; see identities.cu."""
    return _Full(problem, monitor).outcome()


@dataclass(frozen=True)
class _Launch:
    """Tiles (row, column) of ``side`` x ``side`` pairs that one kernel can take, by falling cost."""

    packing: Packing
    tiles: np.ndarray
    cells: np.ndarray
    side: int


def _launch_of(found: Packing, tiles: np.ndarray, cells: np.ndarray, chosen: np.ndarray, side: int) -> _Launch:
    order = chosen[np.argsort(-cells[chosen], kind="stable")]
    return _Launch(found, tiles[order].astype(np.int32), cells[order], side)


class _Full:
    """One run: the sequences by ascending length, on the device, and the counts of all pairs in that order."""

    def __init__(self, problem: FullProblem, monitor: Monitor) -> None:
        self.problem, self.monitor = problem, monitor
        self.times_ms = {"compilation": 0.0, "transfer": 0.0, "alignments": 0.0}
        codes, self.scores = encoded(problem)
        lengths = np.array([code.size for code in codes])
        self.order = np.argsort(lengths, kind="stable")
        self.lengths = lengths[self.order]
        self.blocks = -(-len(codes) // TILE)
        self.counts = np.zeros((self.blocks, TILE, self.blocks, TILE), np.int32)
        self.done, self.slice = 0, FIRST_SLICE
        before = time.perf_counter()
        self.letters = cupy.asarray(np.concatenate([codes[at] for at in self.order]))
        self.starts = cupy.asarray(np.concatenate([[0], np.cumsum(self.lengths)]))
        self.ticket = cupy.empty(1, np.uint64)
        self.multiprocessors = cupy.cuda.Device().attributes["MultiProcessorCount"]
        self.times_ms["transfer"] += (time.perf_counter() - before) * 1e3

    def outcome(self) -> Outcome:
        for launch in self._launches():
            if launch.side == 1:
                self._some_strips_at_a_time(launch)
            else:
                self._all_at_once(launch)
        taxa = len(self.order)
        counts = self.counts.reshape(self.blocks * TILE, -1)[:taxa, :taxa]
        upper = np.triu(counts, 1)
        identities = np.empty_like(upper)
        identities[np.ix_(self.order, self.order)] = upper + upper.T
        values = of_identities(identities, self.problem)
        device_bytes = cupy.get_default_memory_pool().total_bytes()
        answer = DistanceAnswer(matrix_of(self.problem, values, "full distances"))
        return Outcome(answer, self.times_ms, 2 * values.nbytes, device_bytes)

    def _launches(self) -> Iterator[_Launch]:
        """Tiles by what they need: words of 32 or of 64 bits, and pairs that are too long for one launch."""
        row, column = np.triu_indices(self.blocks)
        ends = np.minimum((np.arange(self.blocks) + 1) * TILE, self.lengths.size) - 1
        most = self.lengths[ends]
        tall, wide = most[row], most[column]
        long = tall * wide > LONG
        tiles = np.stack([row, column], 1)[~long] * TILE
        yield from self._packed(tiles, tall[~long], wide[~long], self._cells(row[~long], column[~long]), TILE)
        pairs = [self._pairs(*tile) for tile in zip(row[long].tolist(), column[long].tolist(), strict=True)]
        if pairs:
            singles = np.concatenate(pairs)
            tall, wide = self.lengths[singles].T
            yield from self._packed(singles, tall, wide, tall * wide, 1)

    def _cells(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Cells of the pairs of tiles."""
        padded = np.zeros(self.blocks * TILE, np.int64)
        padded[: self.lengths.size] = self.lengths
        blocks = padded.reshape(self.blocks, TILE)
        sums, squares = blocks.sum(1), (blocks**2).sum(1)
        whole = sums[rows] * sums[columns]
        return np.where(rows == columns, (whole - squares[rows]) // 2, whole)

    def _pairs(self, row: int, column: int) -> np.ndarray:
        """The pairs of a tile."""
        first = np.arange(row * TILE, min((row + 1) * TILE, self.lengths.size))
        second = np.arange(column * TILE, min((column + 1) * TILE, self.lengths.size))
        pairs = np.stack(np.meshgrid(first, second, indexing="ij"), -1).reshape(-1, 2)
        return pairs[pairs[:, 0] < pairs[:, 1]]

    def _packed(
        self, tiles: np.ndarray, tall: np.ndarray, wide: np.ndarray, cells: np.ndarray, side: int
    ) -> Iterator[_Launch]:
        """Tiles whose words fit 32 bits together, as many as there are, and the others."""
        left = cells > 0
        for bits in range(int(self.lengths[-1]).bit_length(), 0, -1):
            small = left & (tall < 2**bits)
            found = self._packing(tall[small], wide[small], words_wide=False)
            if found:
                yield _launch_of(found, tiles, cells, np.flatnonzero(small), side)
                left &= ~small
                break
        found = self._packing(tall[left], wide[left], words_wide=True)
        if found:
            yield _launch_of(found, tiles, cells, np.flatnonzero(left), side)

    def _packing(self, tall: np.ndarray, wide: np.ndarray, words_wide: bool) -> Packing | None:
        """The packing for pairs of these sizes; None where there are none, or 32 bits are too few."""
        return packing(self.problem, self.scores, int(tall.max()), int(wide.max()), words_wide) if tall.size else None

    def _kernel(self, found: Packing) -> Any:
        local = self.problem.mode == Mode.LOCAL
        compiled, milliseconds = module(IDENTITIES, {"LOCAL": local, "WIDE": found.wide, "COUNT": found.count})
        self.times_ms["compilation"] += milliseconds
        kernel = compiled.get_function("count_identities")
        kernel.max_dynamic_shared_size_bytes = found.table.nbytes
        return kernel

    def _all_at_once(self, launch: _Launch) -> None:
        """Whole tiles, as many a launch as take a moment."""
        kernel, first = self._kernel(launch.packing), 0
        longest = int(self.lengths[-1]) if self.lengths.size > 1 and self.lengths[-2] > STRIP else 0
        warps = min(border_warps(longest, launch.packing.dtype.itemsize), BUSY_WARPS * self.multiprocessors)
        borders = cupy.empty(max(2 * warps * longest, 1), launch.packing.dtype)
        table = cupy.asarray(launch.packing.table)
        until = np.cumsum(launch.cells)
        while first < len(launch.tiles):
            before = time.perf_counter()
            started = int(until[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(until, started + self.slice, "right")))
            tiles = launch.tiles[first:last]
            found = cupy.empty(len(tiles) * launch.side**2, np.int32)
            self._launch(kernel, launch, table, tiles, warps, borders, longest, (0, 1 << 30), None, found)
            found = found.get().reshape(-1, launch.side, launch.side)
            self.counts[tiles[:, 0] // TILE, :, tiles[:, 1] // TILE] = found
            cells, first = int(until[last - 1]) - started, last
            milliseconds = (time.perf_counter() - before) * 1e3
            self.times_ms["alignments"] += milliseconds
            self._report(cells)
            self.slice = max(1, int(cells * min(max(SLICE_MS / milliseconds, 0.25), 8.0)))

    def _some_strips_at_a_time(self, launch: _Launch) -> None:
        """Few pairs at a time, each by one warp, a launch for some strips of them."""
        kernel, table = self._kernel(launch.packing), cupy.asarray(launch.packing.table)
        longest = int(self.lengths[-1])
        warps = min(border_warps(longest, launch.packing.dtype.itemsize), LONE_WARPS * self.multiprocessors)
        borders = cupy.empty(2 * warps * longest, launch.packing.dtype)
        carried = cupy.empty(warps, launch.packing.dtype)
        for first in range(0, len(launch.tiles), warps):
            pairs = launch.tiles[first : first + warps]
            before, cells = time.perf_counter(), launch.cells[first : first + warps]
            found = cupy.empty(len(pairs), np.int32)
            tall, wide = self.lengths[pairs].max(0)
            strips, at_once = -(-int(tall) // STRIP), max(1, LONG // (STRIP * int(wide)))
            for strip in range(0, strips, at_once):
                part = (strip, strip + at_once)
                self._launch(kernel, launch, table, pairs, warps, borders, longest, part, carried, found)
                cupy.cuda.get_current_stream().synchronize()
                self._report(int(cells.sum()) * min(at_once, strips - strip) // strips)
            row, column = pairs.T
            self.counts[row // TILE, row % TILE, column // TILE, column % TILE] = found.get()
            self.times_ms["alignments"] += (time.perf_counter() - before) * 1e3

    def _launch(self, kernel: Any, launch: _Launch, table: Any, tiles: np.ndarray, warps: int, borders: Any,
                longest: int, strips: tuple[int, int], carried: Any, found: Any) -> None:  # fmt: skip
        self.ticket.data.memset_async(0, 8, cupy.cuda.get_current_stream())
        word, own = launch.packing.dtype.type, launch.packing
        kernel(
            (-(-warps * LANES // THREADS),), (THREADS,),
            (self.letters, self.starts, np.int32(self.lengths.size), table, np.int32(own.table.shape[1]),
             word(own.opening), word(own.extension), word(own.lowest), cupy.asarray(tiles), np.int32(launch.side),
             np.int64(len(tiles) * launch.side**2), self.ticket, borders, np.int64(longest), np.int32(strips[0]),
             np.int32(strips[1]), np.uint64(0) if carried is None else carried, found),
            shared_mem=own.table.nbytes,
        )  # fmt: skip

    def _report(self, cells: int) -> None:
        self.done += cells
        self.monitor.update(min(self.done, self.problem.cells), self.problem.cells, "pairs")
