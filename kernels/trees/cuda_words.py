"""Shared words of all pairs on the GPU: counts of 6-mers, and chains of k-tuples; see words.cu."""

from __future__ import annotations

import time
from pathlib import Path

import cupy
import numpy as np

from kernels.cuda.compile import module
from kernels.monitor import Monitor
from kernels.trees import tiling
from kernels.trees.distance_problem import KtupleProblem
from kernels.trees.distance_sizes import CHAIN_WARPS, chain_numbers, chain_warps
from kernels.trees.tiling import TILE, Slices
from kernels.trees.tuples import Tuples
from kernels.trees.words import Words

HERE = Path(__file__).parent
WORDS = (HERE / "pairs.cuh", HERE / "words.cu")
LANES, THREADS = 32, 256
MOST_IN_A_BYTE = 255
FIRST_SLICE = 1 << 28
"""Words, or pairs of letters, of the first launch."""
MOST_COUNTS = 1 << 26
"""Counts that a launch brings back at most."""


def common_words(words: Words, monitor: Monitor, times_ms: dict[str, float]) -> np.ndarray:
    """6-mers that each sequence shares with those after it, int32 (n, n); below the diagonal 0."""
    compiled, times_ms["compilation"] = module(WORDS, {})
    kernel, taxa = compiled.get_function("common_words"), words.totals.size
    before = time.perf_counter()
    arrays = tuple(cupy.asarray(array) for array in (words.words, words.counts, words.starts))
    blocks = 4 * cupy.cuda.Device().attributes["MultiProcessorCount"]
    in_bytes = words.counts.max(initial=0) <= MOST_IN_A_BYTE
    tables = np.uint64(0) if in_bytes else cupy.empty(blocks * words.bins, np.int32)
    shared = -(-words.bins // 4) * 4 if in_bytes else 0
    times_ms["transfer"] += (time.perf_counter() - before) * 1e3
    before = time.perf_counter()
    common = np.zeros((taxa, taxa), np.int32)
    costs = words.starts[-1] - words.starts[1:] + 1
    most_rows = max(1, MOST_COUNTS // taxa)
    slices = Slices(monitor, int(costs.sum()), FIRST_SLICE)
    for part in slices.of(costs):
        for first in range(part.start, part.stop, most_rows):
            last = min(first + most_rows, part.stop)
            found = cupy.empty((last - first, taxa), np.int32)
            kernel((min(blocks, last - first),), (THREADS,),
                   (*arrays, np.int32(taxa), np.int32(words.bins), np.int32(first), np.int32(last), tables, found),
                   shared_mem=shared)  # fmt: skip
            common[first:last] = np.triu(found.get(), first + 1)
    times_ms["words"] = (time.perf_counter() - before) * 1e3
    return common


def chains(problem: KtupleProblem, words: Tuples, monitor: Monitor, times_ms: dict[str, float]) -> np.ndarray:
    """Scores of the best chains of k-tuples, int32 (n, n); below the diagonal 0."""
    compiled, times_ms["compilation"] = module(WORDS, {})
    kernel, taxa = compiled.get_function("chain_words"), len(problem.sequences)
    before = time.perf_counter()
    arrays = tuple(cupy.asarray(array) for array in (words.words, words.starts, words.places, words.word_starts))
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    diagonals, room = chain_numbers(problem, lengths)
    warps = min(chain_warps(problem, lengths), CHAIN_WARPS * cupy.cuda.Device().attributes["MultiProcessorCount"])
    counts, room_of_chains = cupy.empty(3 * diagonals * warps, np.int32), cupy.empty(4 * room * warps, np.int32)
    ticket = cupy.empty(1, np.uint64)
    times_ms["transfer"] += (time.perf_counter() - before) * 1e3
    before = time.perf_counter()
    rows, columns = tiling.tiles(taxa)
    blocks = -(-taxa // TILE)
    scores = np.zeros((blocks, TILE, blocks, TILE), np.int32)
    slices = Slices(monitor, problem.cells, FIRST_SLICE)
    for part in slices.of(tiling.cells(lengths, rows, columns)):
        corners = np.stack([rows[part], columns[part]], 1) * TILE
        ticket.data.memset_async(0, 8, cupy.cuda.get_current_stream())
        found = cupy.empty(len(corners) * TILE**2, np.int32)
        kernel((warps * LANES // THREADS,), (THREADS,),
               (*arrays, np.int32(words.bins), np.int32(taxa), np.int32(problem.ktuple), np.int32(problem.diagonals),
                np.int32(problem.window), np.int32(problem.word_gap), cupy.asarray(corners.astype(np.int32)),
                np.int32(TILE), np.int64(found.size), ticket, counts, np.int64(diagonals), room_of_chains,
                np.int64(room), found))  # fmt: skip
        scores[rows[part], :, columns[part]] = found.get().reshape(-1, TILE, TILE)
    times_ms["words"] = (time.perf_counter() - before) * 1e3
    return np.triu(scores.reshape(blocks * TILE, -1)[:taxa, :taxa], 1)
