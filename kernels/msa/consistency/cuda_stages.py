"""Posteriors and consistency on the GPU; laying them out is left to the CPU's threads."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from kernels.cpu import workers
from kernels.cuda import blocks
from kernels.cuda.compile import allow_shared
from kernels.cuda.run import Run
from kernels.errors import MemoryRefused
from kernels.memory import bytes_text
from kernels.monitor import Silent
from kernels.msa.consistency import cpu_sparse
from kernels.msa.consistency.cpu_stages import CUT, PIECE, each, laid_out, posteriors_of, tasks, weights
from kernels.msa.consistency.cuda_sources import (
    ENTRIES,
    GROUP,
    LANES,
    MODELS,
    PAIR_SOURCE,
    PAIRS,
    POSTERIORS,
    ROUND,
    ROUND_SOURCE,
    ROWS,
    STRIP,
    THREADS,
    WARPS,
)
from kernels.msa.consistency.models import CODES, PairModel
from kernels.msa.consistency.sizes import BATCH_ROWS, ENTRIES_A_ROW, LONG_CELLS, warp_room
from kernels.msa.consistency.sparse import Part, Posteriors

SLICE_MS = 100.0
FIRST_CELLS = 1 << 28
"""Cells of the first launch; after it, as many as take SLICE_MS."""
FIRST_PRODUCTS = 1 << 28
"""The same of products of posteriors."""
PRODUCTS = 25
"""Products of a row and another sequence, about."""


@dataclass(frozen=True)
class CudaStages:
    """The stages on the current device (`engine.Stages`)."""

    run: Run
    threads: int
    warps: int = 1024

    def compile(self) -> None:
        """Compile or load the kernels now."""
        self.run.kernel(PAIR_SOURCE, "pair_posteriors")
        self.run.kernel(ROUND_SOURCE, "consistent_rows")

    def posteriors(self, sequences: Sequence[np.ndarray], models: Sequence[PairModel]) -> Posteriors:
        return posteriors(sequences, models, self.run, self.threads, self.warps)

    def consistent(
        self, found: Posteriors, chosen: np.ndarray, weights: np.ndarray, own: float, part: tuple[int, int]
    ) -> Posteriors:
        return consistent(found, chosen, weights, own, self.run, self.threads, part)


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
               cut: int = CUT) -> Posteriors:  # fmt: skip
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
        made += posteriors_of(sequences, models, tasks(lengths, LONG_CELLS), threads, Silent(run.monitor), cut)
    run.tell(1, 1, "posteriors")
    with run.timed("layout"):
        return laid_out(lengths, made, threads, run.monitor.check)


def consistent(
    found: Posteriors, chosen: np.ndarray, of_sequences: np.ndarray, own: float, run: Run, threads: int,
    part: tuple[int, int] = (0, 1), cut: int = CUT,
) -> Posteriors:  # fmt: skip
    """As `cpu_stages.consistent`, to the last unit."""
    lengths, n = found.lengths, found.count
    kernel = run.kernel(ROUND_SOURCE, "consistent_rows")
    of_sequences = of_sequences.astype(np.float32)
    x, y = np.triu_indices(n, 1)
    pairs = np.stack([x, y], 1).astype(np.int32)
    itself = np.float32(own) * (of_sequences[x] + of_sequences[y])
    on_host = found.rows, found.entries, found.pointers, lengths.astype(np.int32), found.columns, found.units
    arrays = [run.up(_some(array)) for array in on_host]
    given = POSTERIORS(rows=arrays[0], entries=arrays[1], pointers=arrays[2], lengths=arrays[3], columns=arrays[4],
                       units=arrays[5], sequences=n)  # fmt: skip
    via, weight = run.up(chosen), run.up(of_sequences)
    slices, made = Slices(lengths[x] * min(2 * chosen.shape[1], n) * PRODUCTS, lengths[x], FIRST_PRODUCTS), []
    before, parts = part
    with run.timed("consistency"):
        for some in slices:
            run.tell(before * slices.total + slices.done, parts * slices.total, "consistency")
            made.append(_some_rows(kernel, given, pairs[some], itself[some], lengths, via, weight, chosen.shape[1], cut,
                                   threads))  # fmt: skip
    run.tell(before + 1, parts, "consistency")
    with run.timed("layout"):
        return laid_out(lengths, made, threads, run.monitor.check)


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
                warps: int, cut: int) -> Part:  # fmt: skip
    """Posteriors of these pairs."""
    m, n = lengths[pairs].T
    widths = -(-n // STRIP) * STRIP
    cells, longest, widest = int(((m + LANES - 1) * widths).max()), int(m.max()), int(widths.max())
    room_of_warp = warp_room(cells, longest, widest)
    warps = min(len(pairs), warps)
    grid = -(-warps // WARPS)
    room = cupy.empty(grid * WARPS * room_of_warp, np.float32)
    rows = np.cumsum(m + 1) - (m + 1)
    pointers, begins = cupy.empty(int((m + 1).sum()), np.int32), cupy.empty(len(pairs), np.int64)
    capacity, on_device, at = int(ENTRIES_A_ROW * m.sum()), cupy.asarray(pairs), cupy.asarray(rows)
    while True:
        words = cupy.zeros(2, np.uint64)
        columns, units = (cupy.empty(capacity, np.uint16) for _ in range(2))
        work = PAIRS(letters=letters, starts=starts, pairs=on_device, count=len(pairs), room=room,
                     warp_room=room_of_warp, most_cells=cells, longest=longest, widest=widest,
                     ticket=words)  # fmt: skip
        found = ENTRIES(rows=at, pointers=pointers, begins=begins, capacity=capacity, cursor=words.data.ptr + 8,
                        columns=columns, units=units, limit=cut)  # fmt: skip
        shared = int(given[-1]) * CODES * CODES * 4
        kernel((grid,), (THREADS,), (*given, *work, *found), shared_mem=shared)
        count = int(words.get()[1])
        if count <= capacity:
            break
        capacity = count
    return Part(pairs, rows, begins.get(), pointers.get(), columns[:count].get(), units[:count].get())


def _some_rows(kernel: Any, given: tuple[Any, ...], pairs: np.ndarray, own: np.ndarray, lengths: np.ndarray, via: Any,
               weight: Any, chosen: int, cut: int, threads: int) -> Part:  # fmt: skip
    """Of these pairs: themselves, their first rows, and of every row begin and count; columns and units."""
    m, widest = lengths[pairs[:, 0]], max(int(lengths[pairs[:, 1]].max()), 1)
    first_rows = np.concatenate([[0], np.cumsum(m)])
    rows = int(first_rows[-1])
    groups = max(min(THREADS // GROUP, blocks.most_shared() // (4 * widest)), 1)
    groups = groups // 4 * 4 if groups >= 4 else groups
    threads, shared = groups * GROUP, 4 * widest * groups
    if shared > blocks.most_shared():
        raise MemoryRefused(f"consistency with {widest:,} letters needs {bytes_text(shared)} of shared memory, and the "
                            f"device has {bytes_text(blocks.most_shared())} a block; use the CPU")  # fmt: skip
    allow_shared(kernel, shared)
    grid = min(-(-rows // groups), blocks.resident(kernel, threads, shared)) or 1
    pair_of = np.repeat(np.arange(len(pairs), dtype=np.int32), m)
    constant = [cupy.asarray(_some(array)) for array in (pairs, pair_of, first_rows, own)]
    begins, counts = cupy.empty(max(rows, 1), np.int64), cupy.empty(max(rows, 1), np.int32)
    capacity = ENTRIES_A_ROW * rows + 1
    while True:
        words = cupy.zeros(2, np.uint64)
        columns, units = (cupy.empty(capacity, np.uint16) for _ in range(2))
        round_ = ROUND(pairs=constant[0], pair_of=constant[1], first_rows=constant[2], own=constant[3], weights=weight,
                       via=via, chosen=chosen, width=widest, limit=cut, rows=rows, ticket=words)  # fmt: skip
        found = ROWS(begins=begins, counts=counts, cursor=words.data.ptr + 8, capacity=capacity, columns=columns,
                     units=units)  # fmt: skip
        kernel((grid,), (threads,), (*given, *round_, *found), shared_mem=shared)
        count = int(words.get()[1])
        if count <= capacity:
            break
        capacity = count
    found_rows = first_rows, begins.get(), counts.get(), columns[:count].get(), units[:count].get()
    return _gathered(pairs, m, *found_rows, threads)


def _gathered(pairs: np.ndarray, m: np.ndarray, first_rows: np.ndarray, begins: np.ndarray, counts: np.ndarray,
              columns: np.ndarray, units: np.ndarray, threads: int) -> Part:  # fmt: skip
    """The rows of each pair, one after another."""
    rows, sums = np.cumsum(m + 1) - (m + 1), np.concatenate([[0], np.cumsum(counts[: first_rows[-1]], dtype=np.int64)])
    part = Part(pairs, rows, sums[first_rows[:-1]], np.zeros(int((m + 1).sum()), np.int32), np.empty_like(columns),
                np.empty_like(units))  # fmt: skip
    stop, pieces = workers.stop_word(), -(-len(pairs) // PIECE)

    def gather(piece: int) -> None:
        cpu_sparse.gather(first_rows, begins, counts, columns, units, piece * PIECE,
                          min((piece + 1) * PIECE, len(pairs)), part.pointers, rows, part.begins, part.columns,
                          part.units, stop)  # fmt: skip

    each(gather, pieces, threads, stop, lambda done: None)
    return part


def _some(array: np.ndarray) -> np.ndarray:
    """The array, or one of one number where it is empty: an array of nothing has no address."""
    return array if array.size else np.zeros(1, array.dtype)
