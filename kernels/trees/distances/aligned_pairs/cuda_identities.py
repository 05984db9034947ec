"""Identities of all pairs on the GPU: pairs of similar length together, as many per launch as take a moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import sequence_lengths
from antidiag.kernels.scoring import Mode
from antidiag.kernels.trees.distances import pair_strips, pair_tiles
from antidiag.kernels.trees.distances.aligned_pairs.encoding import encode_sequences
from antidiag.kernels.trees.distances.aligned_pairs.word_packing import WordPacking, choose_packing
from antidiag.kernels.trees.distances.cpu_count_distances import compile_distances, distances_of_counts
from antidiag.kernels.trees.distances.cuda_sources import IDENTITIES, LANES, SEQUENCES, STRIP, STRIPS
from antidiag.kernels.trees.distances.pair_tiles import TILE, LaunchSlices
from antidiag.kernels.trees.distances.problem import FullProblem, count_cells
from antidiag.kernels.trees.distances.sizes import BUSY_WARPS, LONE_WARPS, border_warps

THREADS = 128

LONG = 1 << 25
"""Cells of a pair that a warp does in a fraction of a second while all others are busy."""
FIRST_SLICE = 1 << 31
"""Cells of the first launch."""


@dataclass(frozen=True)
class _TileLaunch:
    """Tiles (row, column) of ``side`` x ``side`` pairs for one kernel, by falling cost."""

    packing: WordPacking
    tiles: np.ndarray
    cells: np.ndarray
    side: int


def _make_launch(
    word_packing: WordPacking, tiles: np.ndarray, cells: np.ndarray, chosen: np.ndarray, side: int
) -> _TileLaunch:
    """Return a launch of the chosen tiles."""
    order = chosen[np.argsort(-cells[chosen], kind="stable")]
    return _TileLaunch(word_packing, tiles[order].astype(np.int32), cells[order], side)


class DeviceIdentities:
    """A run: the sequences by ascending length, on the device, and the counts of all pairs in that order.

    With ``first_column``, a multiple of the tiles, only pairs whose longer sequence is from there on are aligned.
    """

    def __init__(self, problem: FullProblem, run: DeviceRun, first_column: int = 0) -> None:
        self.problem, self.run, self.first_column = problem, run, first_column
        with run.time_phase("alignments"):
            lengths = sequence_lengths(problem.sequences)
            self.order = np.argsort(lengths, kind="stable")
            self.lengths = lengths[self.order]
            self.encoded = encode_sequences(problem, self.order)
        self.blocks = -(-lengths.size // TILE)
        self.counts = np.zeros((self.blocks, TILE, self.blocks, TILE), np.int32)
        self.slices = LaunchSlices(run, count_cells(lengths), FIRST_SLICE)
        self.multiprocessors = block_limits.multiprocessor_count()
        self.letters, self.starts = run.upload_together(
            self.encoded.codes, np.concatenate([[0], np.cumsum(self.lengths)])
        )

    def distances(self) -> np.ndarray:
        """Return 1 - identities / the shorter length of all pairs, float64 (n, n)."""
        self.run.compile_host_code(compile_distances)
        self._align_all()
        with self.run.time_phase("alignments"):
            counts = self.counts.reshape(self.blocks * TILE, -1)
            return distances_of_counts(counts, self.lengths, self.order, self.run.monitor.check)

    def strip(self) -> np.ndarray:
        """Return the distances of the columns from ``first_column`` on, float64 (n, n - first); see `pair_strips`."""
        self._align_all()
        count, first = self.lengths.size, self.first_column
        counts = self.counts.reshape(self.blocks * TILE, -1)[:count, first:count]
        return pair_strips.strip_of_counts(counts, self.lengths, first)

    def _align_all(self) -> None:
        """Count the identities of all pairs."""
        for launch in self._list_launches():
            if launch.side == 1:
                self._align_long_pairs(launch)
            else:
                self._align_tiles(launch)

    def _list_launches(self) -> Iterator[_TileLaunch]:
        """Yield tiles by what they need: words of 32 or of 64 bits, and pairs that are too long for one launch."""
        row, column = pair_tiles.upper_tiles(self.lengths.size)
        wanted = column >= self.first_column // TILE
        row, column = row[wanted], column[wanted]
        ends = np.minimum((np.arange(self.blocks) + 1) * TILE, self.lengths.size) - 1
        tall = self.lengths[ends[row]]
        wide = self.lengths[ends[column]]
        cells = pair_tiles.tile_cells(self.lengths, row, column)
        short = tall * wide <= LONG
        tiles = np.stack([row, column], 1)
        yield from self._packed_launches(tiles[short] * TILE, tall[short], wide[short], cells[short], TILE)
        pairs = [pair_tiles.tile_pairs(row, column, self.lengths.size) for row, column in tiles[~short].tolist()]
        if pairs:
            singles = np.concatenate(pairs)
            tall, wide = self.lengths[singles].T
            yield from self._packed_launches(singles, tall, wide, tall * wide, 1)

    def _packed_launches(
        self, tiles: np.ndarray, tall: np.ndarray, wide: np.ndarray, cells: np.ndarray, side: int
    ) -> Iterator[_TileLaunch]:
        """Yield tiles whose words fit 32 bits together, as many as there are, and the others."""
        left = cells > 0
        for bits in range(int(self.lengths[-1]).bit_length(), 0, -1):
            small = left & (tall < 2**bits)
            found = self._choose_packing(tall[small], wide[small], words_wide=False)
            if found:
                yield _make_launch(found, tiles, cells, np.flatnonzero(small), side)
                left &= ~small
                break
        found = self._choose_packing(tall[left], wide[left], words_wide=True)
        if found:
            yield _make_launch(found, tiles, cells, np.flatnonzero(left), side)

    def _choose_packing(self, tall: np.ndarray, wide: np.ndarray, words_wide: bool) -> WordPacking | None:
        """Return the packing for pairs of these sizes; None where there are none, or 32 bits are too few."""
        return (
            choose_packing(self.problem, self.encoded, int(tall.max()), int(wide.max()), words_wide)
            if tall.size
            else None
        )

    def _get_kernel(self, word_packing: WordPacking) -> Any:
        """Return the kernel for a packing."""
        local = self.problem.mode == Mode.LOCAL
        kernel = self.run.compile_kernel(
            IDENTITIES, "count_identities", LOCAL=local, WIDE=word_packing.wide, COUNT=word_packing.count
        )
        allow_shared_bytes(kernel, word_packing.table.nbytes)
        return kernel

    def _align_tiles(self, launch: _TileLaunch) -> None:
        """Align whole tiles, as many per launch as take a moment."""
        run, kernel = self.run, self._get_kernel(launch.packing)
        longest = int(self.lengths[-1]) if self.lengths.size > 1 and self.lengths[-2] > STRIP else 0
        warps = min(border_warps(longest, launch.packing.dtype.itemsize), BUSY_WARPS * self.multiprocessors)
        borders = run.allocate_array(max(2 * warps * longest, 1), launch.packing.dtype)
        table = run.upload_array(launch.packing.table)
        with run.time_phase("alignments"):
            for part in self.slices.split_items(launch.cells):
                tiles = launch.tiles[part]
                found = run.allocate_array(len(tiles) * launch.side**2, np.int32)
                self._launch_pairs(kernel, launch, table, tiles, warps, borders, longest, (0, 1 << 30), None, found)
                counts = run.download_array(found).reshape(-1, launch.side, launch.side)
                self.counts[tiles[:, 0] // TILE, :, tiles[:, 1] // TILE] = counts

    def _align_long_pairs(self, launch: _TileLaunch) -> None:
        """Align few long pairs at a time, each by one warp, a launch for some strips of them."""
        run, kernel = self.run, self._get_kernel(launch.packing)
        table = run.upload_array(launch.packing.table)
        longest = int(self.lengths[-1])
        warps = min(border_warps(longest, launch.packing.dtype.itemsize), LONE_WARPS * self.multiprocessors)
        borders = run.allocate_array(2 * warps * longest, launch.packing.dtype)
        carried = run.allocate_array(warps, launch.packing.dtype)
        for first in range(0, len(launch.tiles), warps):
            with run.time_phase("alignments"):
                pairs, cells = launch.tiles[first : first + warps], launch.cells[first : first + warps]
                found = run.allocate_array(len(pairs), np.int32)
                tall, wide = self.lengths[pairs].max(0)
                strips, at_once = -(-int(tall) // STRIP), max(1, LONG // (STRIP * int(wide)))
                for strip in range(0, strips, at_once):
                    part = (strip, strip + at_once)
                    self.slices.begin()
                    self._launch_pairs(kernel, launch, table, pairs, warps, borders, longest, part, carried, found)
                    cupy.cuda.get_current_stream().synchronize()
                    cost = int(cells.sum()) * min(at_once, strips - strip) // strips
                    self.slices.report_launch(cost, (first, first + len(pairs)))
                row, column = pairs.T
                self.counts[row // TILE, row % TILE, column // TILE, column % TILE] = run.download_array(found)

    def _launch_pairs(
        self,
        kernel: Any,
        launch: _TileLaunch,
        table: Any,
        tiles: np.ndarray,
        warps: int,
        borders: Any,
        longest: int,
        strips: tuple[int, int],
        carried: Any,
        results: Any,
    ) -> None:
        """Launch the kernel for some tiles."""
        run = self.run
        word, own = launch.packing.dtype.type, launch.packing
        sequences = SEQUENCES(letters=self.letters, starts=self.starts, sequences=self.lengths.size)
        scoring = table, np.int32(own.table.shape[1]), word(own.opening), word(own.extension), word(own.lowest)
        pairs = pair_tiles.upload_pairs(run, tiles, launch.side)
        room = STRIPS(
            borders=borders,
            columns=longest,
            first_strip=strips[0],
            last_strip=strips[1],
            carried=carried,
            found=results,
        )
        grid = -(-warps * LANES // THREADS)
        kernel((grid,), (THREADS,), (*sequences, *scoring, *pairs, *room), shared_mem=own.table.nbytes)
