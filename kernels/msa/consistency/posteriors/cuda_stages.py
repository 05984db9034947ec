"""Posteriors and consistency on a GPU, where they stay."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.msa.consistency.groups import cuda_merging
from antidiag.kernels.msa.consistency.groups.cuda_merging import CudaColumnScorer
from antidiag.kernels.msa.consistency.posteriors.cpu_stages import (
    CpuStages,
    FindPairs,
    pack_model,
)
from antidiag.kernels.msa.consistency.posteriors.cuda_layout import DeviceEntries, DevicePosteriors, lay_out_pairs
from antidiag.kernels.msa.consistency.posteriors.cuda_sources import (
    GROUP,
    LANES,
    MODELS,
    PAIR_SOURCE,
    PAIRS,
    ROUND,
    ROUND_SOURCE,
    STRIP,
    THREADS,
    WARPS,
)
from antidiag.kernels.msa.consistency.posteriors.pair_models import CODES, CUT, PairModel
from antidiag.kernels.msa.consistency.posteriors.pair_tasks import PairTask, list_pair_tasks
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import CompressedPairs
from antidiag.kernels.msa.consistency.sizes import BATCH_ROWS, ENTRIES_A_ROW, LONG_CELLS, count_warp_words

SLICE_MS = 100.0
FIRST_CELLS = 1 << 28
"""Cells of the first launch; later ones take SLICE_MS."""
FIRST_PRODUCTS = 1 << 28
"""Products of posteriors in the first launch of a round."""
TICKET_BYTES = 16
"""Shared memory of a block of `consistent_rows` beside its sums."""
PRODUCTS = 25
"""Approximate products of a row with one other sequence."""


@dataclass(frozen=True)
class CudaStages:
    """The `ConsistencyStages` of the current device.

    Where ``find_pairs`` is given, others compute the posteriors of all pairs.
    """

    run: DeviceRun
    warps: int = 1024
    cut: int = CUT
    find_pairs: FindPairs | None = None

    def compute_posteriors(self, sequences: Sequence[np.ndarray], models: Sequence[PairModel]) -> DevicePosteriors:
        """Return posteriors of all pairs, equal to those of the CPU to the last unit; a warp computes a pair at a time.

        The CPU computes pairs of LONG_CELLS cells or more, which take a warp too long.
        """
        lengths = np.array([sequence.size for sequence in sequences], np.int64)
        if self.find_pairs:
            return self.lay_out_pairs(lengths, self.find_pairs(models, self.run.monitor))
        made = self._compute_short_pairs(sequences, models, lengths, _list_pairs(lengths))
        long = self._compute_long_pairs(sequences, models, list_pair_tasks(lengths, LONG_CELLS))
        made += [DeviceEntries.upload_entries(self.run, part, lengths) for part in long]
        self.run.report_progress(1, 1, "posteriors")
        return lay_out_pairs(lengths, made, self.run)

    def compute_pairs(
        self, sequences: Sequence[np.ndarray], models: Sequence[PairModel], work: Sequence[PairTask]
    ) -> list[CompressedPairs]:
        """Return posteriors of the pairs of some tasks, on the host."""
        lengths = np.array([sequence.size for sequence in sequences], np.int64)
        pairs = np.array([(task.x, y) for task in work for y in task.others], np.int32).reshape(-1, 2)
        short = self._compute_short_pairs(sequences, models, lengths, _sort_by_cells(pairs, lengths))
        others = [tuple(y for y in task.others if lengths[task.x] * lengths[y] >= LONG_CELLS) for task in work]
        tasks = [replace(task, others=long) for task, long in zip(work, others, strict=True) if long]
        made = [entries.download_entries(self.run, lengths) for entries in short]
        return made + self._compute_long_pairs(sequences, models, tasks)

    def _compute_long_pairs(
        self, sequences: Sequence[np.ndarray], models: Sequence[PairModel], work: Sequence[PairTask]
    ) -> list[CompressedPairs]:
        """Return posteriors of the pairs of some tasks, which the CPU computes."""
        host = CpuRun(CancelOnlyMonitor(self.run.monitor), threads=count_processors())
        return CpuStages(host, self.cut).compute_pairs(sequences, models, work)

    def _compute_short_pairs(
        self, sequences: Sequence[np.ndarray], models: Sequence[PairModel], lengths: np.ndarray, pairs: np.ndarray
    ) -> list[DeviceEntries]:
        """Return the posteriors of those pairs that have fewer than LONG_CELLS cells, slice by slice."""
        given = _upload_models(models, int(lengths.max(initial=0)), self.run)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        letters = self.run.upload_array(np.concatenate([*sequences, np.zeros(1, np.uint8)]))
        given = *given, letters, self.run.upload_array(starts)
        pairs = pairs[lengths[pairs].prod(1) < LONG_CELLS]
        if not len(pairs):
            return []
        slices, made = PairSlices(lengths[pairs].prod(1), lengths[pairs[:, 0]], FIRST_CELLS), []
        sums = PairSums.allocate_sums(self.run, lengths[pairs], self.warps)
        buffer = EntryBuffer.allocate_buffer(self.run, lengths[pairs[:, 0]])
        for some in slices:
            self.run.report_progress(slices.done, slices.total_work, "posteriors")
            made.append(_compute_pair_slice(self.run, given, lengths, pairs[some], sums, buffer, self.cut))
        return made

    def compute_accuracies(self, posteriors: DevicePosteriors) -> np.ndarray:
        """Return expected accuracies of all pairs, float64 (n, n)."""
        return cuda_merging.compute_accuracies(posteriors, self.run)

    def apply_consistency(
        self,
        posteriors: DevicePosteriors,
        chosen: np.ndarray,
        of_sequences: np.ndarray,
        own_weight: float,
        round_number: tuple[int, int] = (0, 1),
    ) -> DevicePosteriors:
        """Apply one round of consistency, with the result of the CPU to the last unit."""
        lengths, n = posteriors.lengths, posteriors.count
        of_sequences = of_sequences.astype(np.float32)
        x, y = np.triu_indices(n, 1)
        pairs = np.stack([x, y], 1).astype(np.int32)
        itself = np.float32(own_weight) * (of_sequences[x] + of_sequences[y])
        via, weight = self.run.upload_array(chosen), self.run.upload_array(of_sequences)
        slices, made = PairSlices(lengths[x] * min(2 * chosen.shape[1], n) * PRODUCTS, lengths[x], FIRST_PRODUCTS), []
        before, parts = round_number
        buffer = EntryBuffer.allocate_buffer(self.run, lengths[x])
        for some in slices:
            self.run.report_progress(before * slices.total_work + slices.done, parts * slices.total_work, "consistency")
            made.append(
                _compute_round_slice(self.run, posteriors, pairs[some], itself[some], via, weight, buffer, self.cut)
            )
        del buffer  # frees memory for the layout
        self.run.report_progress(before + 1, parts, "consistency")
        return lay_out_pairs(lengths, made, self.run)

    def make_scorer(self, posteriors: DevicePosteriors, weights: np.ndarray) -> CudaColumnScorer:
        """Return the scorer of columns by these posteriors."""
        return CudaColumnScorer(self.run, posteriors, weights)

    def lay_out_pairs(self, lengths: np.ndarray, parts: Iterable[CompressedPairs]) -> DevicePosteriors:
        """Copy parts to the device as posteriors, one after another."""
        return lay_out_pairs(
            lengths, [DeviceEntries.upload_entries(self.run, part, lengths) for part in parts], self.run
        )

    def with_monitor(self, monitor: Monitor) -> CudaStages:
        """Return the same stages with another monitor."""
        return replace(self, run=replace(self.run, monitor=monitor))


@dataclass
class PairSlices:
    """Slices of all pairs, each about SLICE_MS of work and at most BATCH_ROWS rows."""

    work: np.ndarray
    rows: np.ndarray
    size: float
    done: int = 0

    def __iter__(self) -> Iterator[slice]:
        work, rows = (np.concatenate([[0], np.cumsum(array)]) for array in (self.work, self.rows))
        first, least = 0, self.size / 16
        while first < self.work.size:
            ends = (
                np.searchsorted(sums, sums[first] + most, side="right") - 1
                for sums, most in ((work, self.size), (rows, BATCH_ROWS))
            )
            last = max(int(min(ends)), first + 1)
            before = time.perf_counter()
            yield slice(first, last)
            spent_ms = (time.perf_counter() - before) * 1e3
            self.done, done = int(work[last]), float(work[last] - work[first])
            self.size = max(least, done * min(max(SLICE_MS / max(spent_ms, 1e-3), 0.25), 4.0))
            first = last

    @property
    def total_work(self) -> int:
        """Return the work of all pairs."""
        return int(self.work.sum())


def _upload_models(models: Sequence[PairModel], longest: int, run: DeviceRun) -> tuple[Any, ...]:
    """Copy the models in both directions to the device (MODELS)."""
    both = [pack_model(way, longest) for model in models for way in (model, model.reverse_model())]
    numbers = np.zeros((len(both), 8), np.float32)
    for row, way in zip(numbers, both, strict=True):
        row[:7] = way[1:8]
    odds, ends = np.stack([model.odds for model in models]), np.stack([way.ends for way in both])
    exponents = np.stack([way.end_exponents for way in both])
    return MODELS(
        weights=run.upload_array(numbers),
        odds=run.upload_array(odds),
        ends=run.upload_array(ends),
        end_exponents=run.upload_array(exponents),
        stride=ends.shape[1],
        count=len(models),
    )


def _list_pairs(lengths: np.ndarray) -> np.ndarray:
    """List all pairs of non-empty sequences, shorter one first, pairs with most cells first; int32 (k, 2)."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    first, second = np.triu_indices(order.size, 1)
    return _sort_by_cells(np.stack([order[first], order[second]], 1).astype(np.int32), lengths)


def _sort_by_cells(pairs: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return pairs, int32 (k, 2), with those first that have most cells."""
    return pairs[np.argsort(-lengths[pairs].prod(1), kind="stable")]


@dataclass(frozen=True, eq=False)
class PairSums:
    """Device memory for the sums of as many pairs as are computed at a time, for all slices.

    If each slice allocated its own, the memory pool would keep pieces of many sizes: several times the bytes in use.
    ``most_cells``, ``longest`` and ``widest`` are the largest of all pairs (PAIRS).
    """

    words: Any
    warp_words: int
    most_cells: int
    longest: int
    widest: int
    blocks: int

    @classmethod
    def allocate_sums(cls, run: DeviceRun, pair_lengths: np.ndarray, warps: int) -> PairSums:
        """Allocate memory for pairs of these lengths, int64 (pairs, 2), the shorter first."""
        m, n = pair_lengths.T
        widths = -(-n // STRIP) * STRIP
        cells, longest, widest = int(((m + LANES - 1) * widths).max()), int(m.max()), int(widths.max())
        warp_words, blocks = count_warp_words(cells, longest, widest), -(-min(len(m), warps) // WARPS)
        words = run.allocate_array(blocks * WARPS * warp_words, np.float32)
        return cls(words, warp_words, cells, longest, widest, blocks)


@dataclass(eq=False)
class EntryBuffer:
    """Device memory for the entries of one slice, used by one slice after the other."""

    words: Any

    @classmethod
    def allocate_buffer(cls, run: DeviceRun, rows: np.ndarray) -> EntryBuffer:
        """Allocate memory for the largest slice of pairs with so many rows each."""
        most = max(min(int(rows.sum()), BATCH_ROWS), int(rows.max(initial=1)))
        return cls(run.allocate_array(ENTRIES_A_ROW * most, np.uint32))

    def enlarge_buffer(self, run: DeviceRun, entries: int) -> None:
        """Replace the memory by memory for so many entries."""
        self.words = None  # freed before more is allocated
        self.words = run.allocate_array(entries, np.uint32)


def _compute_pair_slice(
    run: DeviceRun,
    arguments: tuple[Any, ...],
    lengths: np.ndarray,
    pairs: np.ndarray,
    sums: PairSums,
    buffer: EntryBuffer,
    cut: int,
) -> DeviceEntries:
    """Compute posteriors of these pairs; ``arguments`` are the models (MODELS), and all letters with their offsets."""
    kernel, (*models, letters, starts) = run.compile_kernel(PAIR_SOURCE, "pair_posteriors"), arguments
    grid = min(-(-len(pairs) // WARPS), sums.blocks)
    on_device, shared = run.upload_array(pairs), int(models[-1]) * CODES * CODES * 4

    def launch(words: Any, found: tuple[Any, ...]) -> None:
        work = PAIRS(
            letters=letters,
            starts=starts,
            pairs=on_device,
            count=len(pairs),
            room=sums.words,
            warp_room=sums.warp_words,
            most_cells=sums.most_cells,
            longest=sums.longest,
            widest=sums.widest,
            ticket=words,
        )
        kernel((grid,), (THREADS,), (*models, *work, *found), shared_mem=shared)

    return _find_entries(run, pairs, lengths, buffer, cut, launch)


def _find_entries(
    run: DeviceRun,
    pairs: np.ndarray,
    lengths: np.ndarray,
    buffer: EntryBuffer,
    cut: int,
    launch: Callable[[Any, tuple[Any, ...]], None],
) -> DeviceEntries:
    """Return what ``launch(ticket, ENTRIES)`` finds, which is called again with a larger buffer if it was too small."""
    while True:
        words, found = run.allocate_filled(2, np.uint64), DeviceEntries.in_buffer(run, pairs, lengths, buffer.words)
        launch(words, found.pack_struct(words.data.ptr + 8, cut))
        count = int(run.download_array(words)[1])
        if count <= buffer.words.size:
            return found.trim_entries(count)
        del found
        buffer.enlarge_buffer(run, count)


def _compute_round_slice(
    run: DeviceRun,
    arguments: DevicePosteriors,
    pairs: np.ndarray,
    own_weight: np.ndarray,
    via: Any,
    weight: Any,
    buffer: EntryBuffer,
    cut: int,
) -> DeviceEntries:
    """Apply a round of consistency to these pairs."""
    kernel, lengths = run.compile_kernel(ROUND_SOURCE, "consistent_rows"), arguments.lengths
    widest = max(int(lengths[pairs[:, 1]].max()), 1)
    most_shared = block_limits.max_shared_bytes() - TICKET_BYTES
    groups = max(min(THREADS // GROUP, most_shared // (4 * widest)), 1)
    groups = groups // 4 * 4 if groups >= 4 else groups
    threads, shared = groups * GROUP, 4 * widest * groups
    if shared > most_shared:
        raise MemoryRefused(
            f"consistency of {widest:,} letters needs {format_bytes(shared)} of shared memory, and this GPU has "
            f"{format_bytes(most_shared)} per block; use the CPU"
        )
    allow_shared_bytes(kernel, shared)
    tile_rows = min(groups, LANES // GROUP)
    tiles = np.cumsum(-(-lengths[pairs[:, 0]] // tile_rows))
    grid = min(-(-int(tiles[-1]) * tile_rows // groups), block_limits.resident_blocks(kernel, threads, shared)) or 1
    first_tiles = run.upload_array(np.concatenate([[0], tiles[:-1]]))
    on_device, itself = run.upload_array(pairs), run.upload_array(own_weight)

    def launch(words: Any, found: tuple[Any, ...]) -> None:
        round_ = ROUND(
            pairs=on_device,
            count=len(pairs),
            own=itself,
            weights=weight,
            via=via,
            chosen=via.shape[1],
            width=widest,
            tile_rows=tile_rows,
            first_tiles=first_tiles,
            tiles=int(tiles[-1]),
            ticket=words,
        )
        kernel((grid,), (threads,), (*arguments.given, *round_, *found), shared_mem=shared)

    return _find_entries(run, pairs, lengths, buffer, cut, launch)
