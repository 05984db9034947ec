"""Chains of k-tuples of all pairs on the GPU: tiles of pairs in a launch, long pairs in several; see kmers.cu."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.trees.distances import tiling
from antidiag.kernels.trees.distances.cpu_counts import compile_shares, shares
from antidiag.kernels.trees.distances.cuda_sources import CHAIN_WORDS, CHAINS, COUNT_WORDS, PAIRS, TUPLES, WORDS
from antidiag.kernels.trees.distances.problem import KtupleProblem
from antidiag.kernels.trees.distances.sizes import CHAIN_WARPS, chain_numbers, chain_warps
from antidiag.kernels.trees.distances.tiling import TILE, Slices
from antidiag.kernels.trees.distances.tuples import tuples

LANES, THREADS = 32, 256

ALL_ROWS, ALL_PAIRS = 1 << 30, 1 << 62
LONG = 1 << 22
"""Cells of a pair that a warp does in a fraction of a second."""
FIRST_SLICE = 1 << 28
"""Cells of the first launch."""


class Chains:
    """One run: the words on the device, room for the chains of as many pairs as there are warps, and the scores."""

    def __init__(self, problem: KtupleProblem, run: Run) -> None:
        self.problem, self.run, self.taxa = problem, run, len(problem.sequences)
        self.kernel = run.kernel(WORDS, "chain_words")
        run.spend("compilation", time_ms(compile_shares))
        with run.timed("words"):
            kmers = tuples(problem, run.monitor.check)
        before = time.perf_counter()
        arrays = kmers.kmers, kmers.starts, kmers.places, kmers.kmer_starts
        self.words, self.bins = tuple(map(cupy.asarray, arrays)), kmers.bins
        lengths = np.array([len(sequence) for sequence in problem.sequences])
        self.diagonals, self.room = chain_numbers(problem, lengths)
        most = CHAIN_WARPS * blocks.multiprocessors()
        self.warps = min(chain_warps(problem, lengths), most)
        self.counts = cupy.empty(3 * self.diagonals * self.warps, np.int32)
        self.chains = cupy.empty(4 * self.room * self.warps, np.int32)
        self.ticket = cupy.empty(1, np.uint64)
        run.spend("transfer", (time.perf_counter() - before) * 1e3)
        self.lengths = np.diff(kmers.starts) + problem.ktuple - 1  # as kmers.cu has them
        tiles = -(-self.taxa // TILE)
        self.scores = np.zeros((tiles, TILE, tiles, TILE), np.int32)
        self.slices = Slices(run.monitor, run.steps, problem.cells, FIRST_SLICE)

    def distances(self) -> np.ndarray:
        """1 - the score of the best chain / the shorter length of all pairs, at least 0; float64 (n, n)."""
        with self.run.timed("words"):
            rows, columns = tiling.tiles(self.taxa)
            longest = np.maximum.reduceat(self.lengths, np.arange(0, self.taxa, TILE))
            most, cells = longest[rows] * longest[columns], tiling.cells(self.lengths, rows, columns)
            mixed = np.flatnonzero(most > LONG)
            for tile in mixed.tolist():
                self.slices.monitor.check()
                cells[tile] -= self._cells(self._long_pairs(rows[tile], columns[tile])).sum()
            some = cells > 0
            self._whole_tiles(rows[some], columns[some], cells[some])
            similar = mixed[np.argsort(most[mixed], kind="stable")]
            for pairs in self._batches(self._long_pairs(rows[tile], columns[tile]) for tile in similar):
                self._some_rows_at_a_time(pairs)
            scores = self.scores.reshape(self.scores.shape[0] * TILE, -1)
            letters = np.array([len(sequence) for sequence in self.problem.sequences])
            return shares(scores, letters, np.arange(self.taxa), self.run.monitor.check, 0.0)

    def _cells(self, pairs: np.ndarray) -> np.ndarray:
        return self.lengths[pairs].prod(1)

    def _long_pairs(self, row: int, column: int) -> np.ndarray:
        """Those of a tile that are too long for one launch, (k, 2)."""
        pairs = tiling.pairs(row, column, self.taxa)
        return pairs[self._cells(pairs) > LONG]

    def _batches(self, parts: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """The pairs of all parts, as many at a time as there are warps."""
        waiting = np.empty((0, 2), np.int64)
        for part in parts:
            waiting = np.concatenate([waiting, part])
            while len(waiting) >= self.warps:
                yield waiting[: self.warps]
                waiting = waiting[self.warps :]
        if len(waiting):
            yield waiting

    def _whole_tiles(self, rows: np.ndarray, columns: np.ndarray, cells: np.ndarray) -> None:
        """As many a launch as take a moment, without their long pairs."""
        for part in self.slices.of(cells):
            corners = np.stack([rows[part], columns[part]], 1) * TILE
            found = cupy.empty(len(corners) * TILE**2, np.int32)
            self._launch(corners, TILE, LONG, COUNT_WORDS | CHAIN_WORDS, (0, ALL_ROWS), None, found)
            self.scores[rows[part], :, columns[part]] = found.get().reshape(-1, TILE, TILE)

    def _some_rows_at_a_time(self, pairs: np.ndarray) -> None:
        """At most as many pairs as there are warps, all of them in every launch."""
        tall, wide = self.lengths[pairs].max(0).tolist()
        cells, reported = int(self._cells(pairs).sum()), 0
        carried, found = cupy.empty(len(pairs), np.int32), cupy.empty(len(pairs), np.int32)
        for number, stage in enumerate((COUNT_WORDS, CHAIN_WORDS)):
            first, several = 0, max(1, LONG // wide)
            while first < tall:
                before = time.perf_counter()
                self.slices.begin()
                last = min(first + several, tall)
                self._launch(pairs, 1, ALL_PAIRS, stage, (first, last), carried, found)
                cupy.cuda.get_current_stream().synchronize()
                several = tiling.resized(last - first, (time.perf_counter() - before) * 1e3)
                first, done = last, cells * (number * tall + last) // (2 * tall)
                self.slices.report(done - reported, (0, len(pairs)))
                reported = done
        row, column = pairs.T
        self.scores[row // TILE, row % TILE, column // TILE, column % TILE] = found.get()

    def _launch(
        self, tiles: np.ndarray, side: int, most: int, stages: int, rows: tuple[int, int], carried: Any, found: Any
    ) -> None:
        """Rows of stages, for pairs of at most so many cells in tiles (row, column) of ``side`` x ``side`` pairs."""
        self.ticket.data.memset_async(0, 8, cupy.cuda.get_current_stream())
        problem = self.problem
        words, starts, places, word_starts = self.words
        given = TUPLES(
            words=words, starts=starts, places=places, word_starts=word_starts, bins=self.bins, sequences=self.taxa,
            k=problem.ktuple, top=problem.diagonals, window=problem.window, gap=problem.word_gap,
        )  # fmt: skip
        pairs = PAIRS(
            tiles=cupy.asarray(tiles.astype(np.int32)), side=side, pairs=len(tiles) * side**2, ticket=self.ticket
        )
        room = CHAINS(
            counts=self.counts, diagonals=self.diagonals, chains=self.chains, room=self.room, most=most, stages=stages,
            first_row=rows[0], last_row=rows[1], carried=carried, found=found,
        )  # fmt: skip
        self.kernel((self.warps * LANES // THREADS,), (THREADS,), (*given, *pairs, *room))
