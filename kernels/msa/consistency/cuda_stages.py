"""Posteriors and consistency on the GPU, where they stay."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.monitor import Monitor, Silent
from antidiag.kernels.msa.consistency import cuda_merging
from antidiag.kernels.msa.consistency.cpu_stages import posteriors_of, tasks, weights
from antidiag.kernels.msa.consistency.cuda_layout import Found, OnDevice, laid_out
from antidiag.kernels.msa.consistency.cuda_merging import CudaScorer
from antidiag.kernels.msa.consistency.cuda_sources import (
    GROUP,
    LANES,
    LAYOUT_SOURCE,
    MERGING_SOURCE,
    MODELS,
    PAIR_SOURCE,
    PAIRS,
    PATH_SOURCE,
    ROUND,
    ROUND_SOURCE,
    STRIP,
    THREADS,
    WARPS,
)
from antidiag.kernels.msa.consistency.models import CODES, CUT, PairModel
from antidiag.kernels.msa.consistency.sizes import BATCH_ROWS, ENTRIES_A_ROW, LONG_CELLS, warp_room
from antidiag.kernels.msa.consistency.sparse import Part

SLICE_MS = 100.0
FIRST_CELLS = 1 << 28
"""Cells of the first launch; after it, as many as take SLICE_MS."""
FIRST_PRODUCTS = 1 << 28
"""The same of products of posteriors."""
TICKET_BYTES = 16
"""Shared memory that a block of consistency has beside its sums."""
PRODUCTS = 25
"""Products of a row and another sequence, about."""


@dataclass(frozen=True)
class CudaStages:
    """The stages on the current device (`engine.Stages`)."""

    run: Run
    threads: int
    warps: int = 1024
    cut: int = CUT

    def compile(self) -> None:
        """Compile or load the kernels now."""
        self.run.kernel(PAIR_SOURCE, "pair_posteriors")
        self.run.kernel(ROUND_SOURCE, "consistent_rows")
        self.run.kernel(LAYOUT_SOURCE, "lay_out")
        self.run.kernel(MERGING_SOURCE, "best_sums")
        self.run.kernel(PATH_SOURCE, "best_paths")

    def posteriors(self, sequences: Sequence[np.ndarray], models: Sequence[PairModel]) -> OnDevice:
        return posteriors(sequences, models, self.run, self.threads, self.warps, self.cut)

    def accuracies(self, found: OnDevice) -> np.ndarray:
        return cuda_merging.accuracies(found, self.run)

    def consistent(
        self, found: OnDevice, chosen: np.ndarray, weights: np.ndarray, own: float, part: tuple[int, int]
    ) -> OnDevice:
        return consistent(found, chosen, weights, own, self.run, part, self.cut)

    def scorer(self, found: OnDevice, weights: np.ndarray) -> CudaScorer:
        return CudaScorer(self.run, found, weights)

    def laid_out(self, lengths: np.ndarray, parts: Sequence[Part]) -> OnDevice:
        return laid_out(lengths, [Found.of(part, lengths) for part in parts], self.run)

    def told(self, monitor: Monitor) -> CudaStages:
        return replace(self, run=replace(self.run, monitor=monitor))


@dataclass
class Slices:
    """Parts of all pairs, each about as much work as takes SLICE_MS, and BATCH_ROWS rows at most."""

    work: np.ndarray
    rows: np.ndarray
    size: float
    done: int = 0

    def __iter__(self) -> Iterator[slice]:
        work, rows = (np.concatenate([[0], np.cumsum(array)]) for array in (self.work, self.rows))
        first, least = 0, self.size / 16
        while first < self.work.size:
            ends = (np.searchsorted(sums, sums[first] + most, side="right") - 1 for sums, most in
                    ((work, self.size), (rows, BATCH_ROWS)))  # fmt: skip
            last = max(int(min(ends)), first + 1)
            before = time.perf_counter()
            yield slice(first, last)
            spent_ms = (time.perf_counter() - before) * 1e3
            self.done, done = int(work[last]), float(work[last] - work[first])
            self.size = max(least, done * min(max(SLICE_MS / max(spent_ms, 1e-3), 0.25), 4.0))
            first = last

    @property
    def total(self) -> int:
        return int(self.work.sum())


def posteriors(sequences: Sequence[np.ndarray], models: Sequence[PairModel], run: Run, threads: int, warps: int,
               cut: int = CUT) -> OnDevice:  # fmt: skip
    """As `cpu_stages.posteriors`, to the last unit; ``warps`` have a pair each at a time.

    Pairs of LONG_CELLS and more, for which a warp would take too long, are left to the CPU.
    """
    lengths = np.array([sequence.size for sequence in sequences], np.int64)
    kernel = run.kernel(PAIR_SOURCE, "pair_posteriors")
    given = _models(models, int(lengths.max(initial=0)), run)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    letters, offsets = run.up(np.concatenate([*sequences, np.zeros(1, np.uint8)])), run.up(starts)
    pairs = _pairs(lengths)
    pairs = pairs[lengths[pairs].prod(1) < LONG_CELLS]
    slices, made = Slices(lengths[pairs].prod(1), lengths[pairs[:, 0]], FIRST_CELLS), []
    with run.timed("posteriors"):
        for some in slices:
            run.tell(slices.done, slices.total, "posteriors")
            made.append(_some_pairs(kernel, given, letters, offsets, lengths, pairs[some], warps, cut))
    with run.timed("posteriors"):
        long = posteriors_of(sequences, models, tasks(lengths, LONG_CELLS), threads, Silent(run.monitor), cut)
        made += [Found.of(part, lengths) for part in long]
    run.tell(1, 1, "posteriors")
    with run.timed("layout"):
        return laid_out(lengths, made, run)


def consistent(
    found: OnDevice, chosen: np.ndarray, of_sequences: np.ndarray, own: float, run: Run, part: tuple[int, int] = (0, 1),
    cut: int = CUT,
) -> OnDevice:  # fmt: skip
    """As `cpu_stages.consistent`, to the last unit."""
    lengths, n = found.lengths, found.count
    kernel = run.kernel(ROUND_SOURCE, "consistent_rows")
    of_sequences = of_sequences.astype(np.float32)
    x, y = np.triu_indices(n, 1)
    pairs = np.stack([x, y], 1).astype(np.int32)
    itself = np.float32(own) * (of_sequences[x] + of_sequences[y])
    via, weight = run.up(chosen), run.up(of_sequences)
    slices, made = Slices(lengths[x] * min(2 * chosen.shape[1], n) * PRODUCTS, lengths[x], FIRST_PRODUCTS), []
    before, parts = part
    with run.timed("consistency"):
        for some in slices:
            run.tell(before * slices.total + slices.done, parts * slices.total, "consistency")
            made.append(_some_rows(kernel, found, pairs[some], itself[some], via, weight, chosen.shape[1], cut))
    run.tell(before + 1, parts, "consistency")
    with run.timed("layout"):
        return laid_out(lengths, made, run)


def _models(models: Sequence[PairModel], longest: int, run: Run) -> tuple[Any, ...]:
    both = [weights(way, longest) for model in models for way in (model, model.reversed())]
    numbers = np.zeros((len(both), 8), np.float32)
    for row, way in zip(numbers, both, strict=True):
        row[:7] = way[1:8]
    odds, ends = np.stack([model.odds for model in models]), np.stack([way.ends for way in both])
    exponents = np.stack([way.end_exponents for way in both])
    return MODELS(weights=run.up(numbers), odds=run.up(odds), ends=run.up(ends), end_exponents=run.up(exponents),
                  stride=ends.shape[1], count=len(models))  # fmt: skip


def _pairs(lengths: np.ndarray) -> np.ndarray:
    """All pairs of sequences that are not empty, the shorter first, those with most cells first; int32 (k, 2)."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    first, second = np.triu_indices(order.size, 1)
    pairs = np.stack([order[first], order[second]], 1).astype(np.int32)
    return pairs[np.argsort(-lengths[pairs].prod(1), kind="stable")]


def _some_pairs(kernel: Any, given: tuple[Any, ...], letters: Any, starts: Any, lengths: np.ndarray, pairs: np.ndarray,
                warps: int, cut: int) -> Found:  # fmt: skip
    """Posteriors of these pairs."""
    m, n = lengths[pairs].T
    widths = -(-n // STRIP) * STRIP
    cells, longest, widest = int(((m + LANES - 1) * widths).max()), int(m.max()), int(widths.max())
    room_of_warp = warp_room(cells, longest, widest)
    warps = min(len(pairs), warps)
    grid = -(-warps // WARPS)
    room = cupy.empty(grid * WARPS * room_of_warp, np.float32)
    capacity, on_device = int(ENTRIES_A_ROW * m.sum()), cupy.asarray(pairs)
    while True:
        words, found = cupy.zeros(2, np.uint64), Found.room(pairs, lengths, capacity)
        work = PAIRS(letters=letters, starts=starts, pairs=on_device, count=len(pairs), room=room,
                     warp_room=room_of_warp, most_cells=cells, longest=longest, widest=widest,
                     ticket=words)  # fmt: skip
        shared = int(given[-1]) * CODES * CODES * 4
        kernel((grid,), (THREADS,), (*given, *work, *found.struct(words.data.ptr + 8, cut)), shared_mem=shared)
        count = int(words.get()[1])
        if count <= capacity:
            return found.trimmed(count)
        capacity = count


def _some_rows(kernel: Any, given: OnDevice, pairs: np.ndarray, own: np.ndarray, via: Any, weight: Any, chosen: int,
               cut: int) -> Found:  # fmt: skip
    """These pairs, made consistent."""
    lengths = given.lengths
    rows, widest = int(lengths[pairs[:, 0]].sum()), max(int(lengths[pairs[:, 1]].max()), 1)
    most_shared = blocks.most_shared() - TICKET_BYTES
    groups = max(min(THREADS // GROUP, most_shared // (4 * widest)), 1)
    groups = groups // 4 * 4 if groups >= 4 else groups
    threads, shared = groups * GROUP, 4 * widest * groups
    if shared > most_shared:
        raise MemoryRefused(f"consistency with {widest:,} letters needs {bytes_text(shared)} of shared memory, and the "
                            f"device has {bytes_text(most_shared)} a block; use the CPU")  # fmt: skip
    allow_shared(kernel, shared)
    tile_rows = min(groups, LANES // GROUP)
    tiles = np.cumsum(-(-lengths[pairs[:, 0]] // tile_rows))
    grid = min(-(-int(tiles[-1]) * tile_rows // groups), blocks.resident(kernel, threads, shared)) or 1
    first_tiles = cupy.asarray(np.concatenate([[0], tiles[:-1]]))
    on_device, itself, capacity = cupy.asarray(pairs), cupy.asarray(own), ENTRIES_A_ROW * rows
    while True:
        words, found = cupy.zeros(2, np.uint64), Found.room(pairs, lengths, capacity)
        round_ = ROUND(pairs=on_device, count=len(pairs), own=itself, weights=weight, via=via, chosen=chosen,
                       width=widest, tile_rows=tile_rows, first_tiles=first_tiles, tiles=int(tiles[-1]),
                       ticket=words)  # fmt: skip
        kernel((grid,), (threads,), (*given.given, *round_, *found.struct(words.data.ptr + 8, cut)), shared_mem=shared)
        count = int(words.get()[1])
        if count <= capacity:
            return found.trimmed(count)
        capacity = count
