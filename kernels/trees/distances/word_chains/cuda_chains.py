"""Chains of k-tuples of all pairs on the GPU: tiles of pairs in a launch, long pairs in several; see kmers.cu."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import sequence_lengths
from antidiag.kernels.trees.distances import pair_tiles
from antidiag.kernels.trees.distances.cpu_count_distances import compile_distances, distances_of_counts
from antidiag.kernels.trees.distances.cuda_sources import CHAIN_WORDS, CHAINS, COUNT_WORDS, TUPLES, WORDS
from antidiag.kernels.trees.distances.pair_tiles import TILE, LaunchSlices
from antidiag.kernels.trees.distances.problem import KtupleProblem
from antidiag.kernels.trees.distances.sizes import CHAIN_WARPS, chain_numbers, chain_warps
from antidiag.kernels.trees.distances.word_chains.ktuples import list_ktuples

LANES, THREADS = 32, 256

ALL_ROWS, ALL_PAIRS = 1 << 30, 1 << 62
LONG = 1 << 22
"""Cells of a pair that a warp does in a fraction of a second."""
FIRST_SLICE = 1 << 28
"""Cells of the first launch."""


class DeviceChains:
    """A run: the words on the device, buffers for the chains of as many pairs as there are warps, and the scores."""

    def __init__(self, problem: KtupleProblem, run: DeviceRun) -> None:
        self.problem, self.run, self.taxa = problem, run, len(problem.sequences)
        self.kernel = run.compile_kernel(WORDS, "chain_words")
        run.compile_host_code(compile_distances)
        with run.time_phase("words"):
            kmers = list_ktuples(problem, run.monitor.check)
        arrays = kmers.kmers, kmers.starts, kmers.places, kmers.kmer_starts
        self.words, self.bins = tuple(map(run.upload_array, arrays)), kmers.bins
        lengths = sequence_lengths(problem.sequences)
        self.diagonals, self.room = chain_numbers(problem, lengths)
        most = CHAIN_WARPS * block_limits.multiprocessor_count()
        self.warps = min(chain_warps(problem, lengths), most)
        self.counts = run.allocate_array(3 * self.diagonals * self.warps, np.int32)
        self.chains = run.allocate_array(4 * self.room * self.warps, np.int32)
        self.lengths = np.diff(kmers.starts) + problem.ktuple - 1  # as in kmers.cu
        tiles = -(-self.taxa // TILE)
        self.scores = np.zeros((tiles, TILE, tiles, TILE), np.int32)
        self.slices = LaunchSlices(run, problem.cells, FIRST_SLICE)

    def distances(self) -> np.ndarray:
        """Return 1 - the score of the best chain / the shorter length of all pairs, at least 0; float64 (n, n)."""
        with self.run.time_phase("words"):
            rows, columns = pair_tiles.upper_tiles(self.taxa)
            longest = np.maximum.reduceat(self.lengths, np.arange(0, self.taxa, TILE))
            most, cells = longest[rows] * longest[columns], pair_tiles.tile_cells(self.lengths, rows, columns)
            mixed = np.flatnonzero(most > LONG)
            for tile in mixed.tolist():
                self.run.monitor.check()
                cells[tile] -= self._pair_cells(self._long_pairs(rows[tile], columns[tile])).sum()
            some = cells > 0
            self._chain_tiles(rows[some], columns[some], cells[some])
            similar = mixed[np.argsort(most[mixed], kind="stable")]
            for pairs in self._pair_batches(self._long_pairs(rows[tile], columns[tile]) for tile in similar):
                self._chain_long_pairs(pairs)
            scores = self.scores.reshape(self.scores.shape[0] * TILE, -1)
            letters = sequence_lengths(self.problem.sequences)
            return distances_of_counts(scores, letters, np.arange(self.taxa), self.run.monitor.check, 0.0)

    def _pair_cells(self, pairs: np.ndarray) -> np.ndarray:
        """Return the cells of pairs."""
        return self.lengths[pairs].prod(1)

    def _long_pairs(self, row: int, column: int) -> np.ndarray:
        """Return the pairs of a tile that are too long for one launch, (k, 2)."""
        pairs = pair_tiles.tile_pairs(row, column, self.taxa)
        return pairs[self._pair_cells(pairs) > LONG]

    def _pair_batches(self, parts: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """Yield the pairs of all parts, as many at a time as there are warps."""
        waiting = np.empty((0, 2), np.int64)
        for part in parts:
            waiting = np.concatenate([waiting, part])
            while len(waiting) >= self.warps:
                yield waiting[: self.warps]
                waiting = waiting[self.warps :]
        if len(waiting):
            yield waiting

    def _chain_tiles(self, rows: np.ndarray, columns: np.ndarray, cells: np.ndarray) -> None:
        """Chain tiles, without their long pairs, as many per launch as take a moment."""
        for part in self.slices.split_items(cells):
            corners = np.stack([rows[part], columns[part]], 1) * TILE
            found = self.run.allocate_array(len(corners) * TILE**2, np.int32)
            self._launch_tiles(corners, TILE, LONG, COUNT_WORDS | CHAIN_WORDS, (0, ALL_ROWS), None, found)
            self.scores[rows[part], :, columns[part]] = self.run.download_array(found).reshape(-1, TILE, TILE)

    def _chain_long_pairs(self, pairs: np.ndarray) -> None:
        """Chain at most as many long pairs as there are warps, some rows of all of them in every launch."""
        tall, wide = self.lengths[pairs].max(0).tolist()
        cells, reported = int(self._pair_cells(pairs).sum()), 0
        carried, found = (self.run.allocate_array(len(pairs), np.int32) for _ in range(2))
        for number, stage in enumerate((COUNT_WORDS, CHAIN_WORDS)):
            first, several = 0, max(1, LONG // wide)
            while first < tall:
                before = time.perf_counter()
                self.slices.begin()
                last = min(first + several, tall)
                self._launch_tiles(pairs, 1, ALL_PAIRS, stage, (first, last), carried, found)
                cupy.cuda.get_current_stream().synchronize()
                several = pair_tiles.next_size(last - first, (time.perf_counter() - before) * 1e3)
                first, done = last, cells * (number * tall + last) // (2 * tall)
                self.slices.report_launch(done - reported, (0, len(pairs)))
                reported = done
        row, column = pairs.T
        self.scores[row // TILE, row % TILE, column // TILE, column % TILE] = self.run.download_array(found)

    def _launch_tiles(
        self,
        tiles: np.ndarray,
        side: int,
        cell_limit: int,
        stages: int,
        rows: tuple[int, int],
        carried: Any,
        results: Any,
    ) -> None:
        """Launch rows of stages, for pairs of at most so many cells in tiles (row, column) of ``side`` x ``side``
        pairs."""
        problem, run = self.problem, self.run
        words, starts, places, word_starts = self.words
        given = TUPLES(
            words=words,
            starts=starts,
            places=places,
            word_starts=word_starts,
            bins=self.bins,
            sequences=self.taxa,
            k=problem.ktuple,
            top=problem.diagonals,
            window=problem.window,
            gap=problem.word_gap,
        )
        pairs = pair_tiles.upload_pairs(run, tiles, side)
        room = CHAINS.from_object(
            self,
            most=cell_limit,
            stages=stages,
            first_row=rows[0],
            last_row=rows[1],
            carried=carried,
            found=results,
        )
        self.kernel((self.warps * LANES // THREADS,), (THREADS,), (*given, *pairs, *room))
