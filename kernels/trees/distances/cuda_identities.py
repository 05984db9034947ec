"""Identities of all pairs on the GPU: pairs of similar length together, a launch for as many as take a moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import lengths_of
from antidiag.kernels.scoring import Mode
from antidiag.kernels.trees.distances import tiling
from antidiag.kernels.trees.distances.cpu_counts import compile_shares, shares
from antidiag.kernels.trees.distances.cuda_sources import IDENTITIES, LANES, PAIRS, SEQUENCES, STRIP, STRIPS
from antidiag.kernels.trees.distances.identities import encoded
from antidiag.kernels.trees.distances.packing import Packing, packing
from antidiag.kernels.trees.distances.problem import FullProblem, cells_of
from antidiag.kernels.trees.distances.sizes import BUSY_WARPS, LONE_WARPS, border_warps
from antidiag.kernels.trees.distances.tiling import TILE, Slices

THREADS = 128

LONG = 1 << 25
"""Cells of a pair that a warp does in a fraction of a second while all others are busy."""
FIRST_SLICE = 1 << 31
"""Cells of the first launch."""


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


class Identities:
    """One run: the sequences by ascending length, on the device, and the counts of all pairs in that order."""

    def __init__(self, problem: FullProblem, run: Run) -> None:
        self.problem, self.run = problem, run
        with run.timed("alignments"):
            lengths = lengths_of(problem.sequences)
            self.order = np.argsort(lengths, kind="stable")
            self.lengths = lengths[self.order]
            codes, self.scores = encoded(problem, self.order)
        self.blocks = -(-lengths.size // TILE)
        self.counts = np.zeros((self.blocks, TILE, self.blocks, TILE), np.int32)
        self.slices = Slices(run.monitor, run.steps, cells_of(lengths), FIRST_SLICE)
        self.multiprocessors = blocks.multiprocessors()
        self.letters, self.starts = run.upload(codes, np.concatenate([[0], np.cumsum(self.lengths)]))
        self.ticket = run.empty(1, np.uint64)

    def distances(self) -> np.ndarray:
        """1 - identities / the shorter length of all pairs, float64 (n, n)."""
        self.run.spend("compilation", time_ms(compile_shares))
        for launch in self._launches():
            if launch.side == 1:
                self._some_strips_at_a_time(launch)
            else:
                self._all_at_once(launch)
        with self.run.timed("alignments"):
            counts = self.counts.reshape(self.blocks * TILE, -1)
            return shares(counts, self.lengths, self.order, self.run.monitor.check)

    def _launches(self) -> Iterator[_Launch]:
        """Tiles by what they need: words of 32 or of 64 bits, and pairs that are too long for one launch."""
        row, column = tiling.tiles(self.lengths.size)
        ends = np.minimum((np.arange(self.blocks) + 1) * TILE, self.lengths.size) - 1
        tall, wide, cells = (
            self.lengths[ends[row]], self.lengths[ends[column]], tiling.cells(self.lengths, row, column)
        )  # fmt: skip
        short = tall * wide <= LONG
        tiles = np.stack([row, column], 1)
        yield from self._packed(tiles[short] * TILE, tall[short], wide[short], cells[short], TILE)
        pairs = [tiling.pairs(row, column, self.lengths.size) for row, column in tiles[~short].tolist()]
        if pairs:
            singles = np.concatenate(pairs)
            tall, wide = self.lengths[singles].T
            yield from self._packed(singles, tall, wide, tall * wide, 1)

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
        kernel = self.run.kernel(IDENTITIES, "count_identities", LOCAL=local, WIDE=found.wide, COUNT=found.count)
        allow_shared(kernel, found.table.nbytes)
        return kernel

    def _all_at_once(self, launch: _Launch) -> None:
        """Whole tiles, as many a launch as take a moment."""
        kernel = self._kernel(launch.packing)
        longest = int(self.lengths[-1]) if self.lengths.size > 1 and self.lengths[-2] > STRIP else 0
        warps = min(border_warps(longest, launch.packing.dtype.itemsize), BUSY_WARPS * self.multiprocessors)
        borders = cupy.empty(max(2 * warps * longest, 1), launch.packing.dtype)
        table = cupy.asarray(launch.packing.table)
        before = time.perf_counter()
        for part in self.slices.of(launch.cells):
            tiles = launch.tiles[part]
            found = cupy.empty(len(tiles) * launch.side**2, np.int32)
            self._launch(kernel, launch, table, tiles, warps, borders, longest, (0, 1 << 30), None, found)
            found = found.get().reshape(-1, launch.side, launch.side)
            self.counts[tiles[:, 0] // TILE, :, tiles[:, 1] // TILE] = found
        self.run.spend("alignments", (time.perf_counter() - before) * 1e3)

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
                self.slices.begin()
                self._launch(kernel, launch, table, pairs, warps, borders, longest, part, carried, found)
                cupy.cuda.get_current_stream().synchronize()
                cost = int(cells.sum()) * min(at_once, strips - strip) // strips
                self.slices.report(cost, (first, first + len(pairs)))
            row, column = pairs.T
            self.counts[row // TILE, row % TILE, column // TILE, column % TILE] = found.get()
            self.run.spend("alignments", (time.perf_counter() - before) * 1e3)

    def _launch(self, kernel: Any, launch: _Launch, table: Any, tiles: np.ndarray, warps: int, borders: Any,
                longest: int, strips: tuple[int, int], carried: Any, found: Any) -> None:  # fmt: skip
        self.ticket.data.memset_async(0, 8, cupy.cuda.get_current_stream())
        word, own = launch.packing.dtype.type, launch.packing
        sequences = SEQUENCES(letters=self.letters, starts=self.starts, sequences=self.lengths.size)
        scoring = table, np.int32(own.table.shape[1]), word(own.opening), word(own.extension), word(own.lowest)
        pairs = PAIRS(
            tiles=cupy.asarray(tiles), side=launch.side, pairs=len(tiles) * launch.side**2, ticket=self.ticket
        )
        room = STRIPS(
            borders=borders, columns=longest, first_strip=strips[0], last_strip=strips[1], carried=carried, found=found
        )
        grid = -(-warps * LANES // THREADS)
        kernel((grid,), (THREADS,), (*sequences, *scoring, *pairs, *room), shared_mem=own.table.nbytes)
