"""Scores and confidence of columns on the device, from posteriors that stay there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.msa.consistency.groups.column_scorer import GroupPair, MergedGroups
from antidiag.kernels.msa.consistency.posteriors.cuda_layout import DevicePosteriors, count_blocks
from antidiag.kernels.msa.consistency.posteriors.cuda_sources import (
    ALIGNED,
    LANES,
    MERGING_SOURCE,
    PATH_SOURCE,
    PATH_WARPS,
    THREADS,
    WARPS,
)
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import exclusive_sums
from antidiag.kernels.msa.consistency.sizes import MOST_CELLS

PAIRS_AT_A_TIME = 1 << 19


@dataclass(frozen=True, eq=False)
class CudaColumnScorer:
    """The `ColumnScorer` of a GPU."""

    run: DeviceRun
    posteriors: DevicePosteriors
    weights: np.ndarray
    most_cells: int = MOST_CELLS

    def merge_groups(self, merges: Sequence[GroupPair], starts: np.ndarray) -> Callable[[int], MergedGroups]:
        """Start all merges in one launch and all paths in another; return each result by its number."""
        records, scores = self._compute_scores(merges, starts)
        rows, columns = np.array([one.columns for one in merges], np.int64).T
        cells, longest = rows * columns, rows + columns
        steps, paths = (self.run.allocate_array(int(sums.sum()), np.uint8) for sums in (cells, longest))
        borders = self.run.allocate_array(int(longest.sum()), np.int64)
        ends = self.run.allocate_array((2, len(merges)), np.int64)
        self.run.compile_kernel(PATH_SOURCE, "best_paths")(
            (len(merges),), (PATH_WARPS * LANES,), (records, scores, steps, borders, paths, ends[0], ends[1])
        )
        begins = exclusive_sums(cells).tolist()
        standing = [self._sum_standing(scores, one, begin) for one, begin in zip(merges, begins, strict=True)]
        found, (lengths, best) = self.run.download_array(paths), self.run.download_array(ends)
        after = np.cumsum(longest)

        def merged(number: int) -> MergedGroups:
            path = found[after[number] - lengths[number] : after[number]]
            return MergedGroups(path, int(best[number]), standing[number])

        return merged

    def score_columns(self, merges: Sequence[GroupPair], starts: np.ndarray) -> Callable[[int], np.ndarray]:
        """Return the scores of all pairs of columns of each merge, by its number, on the host."""
        found = self.run.download_array(self._compute_scores(merges, starts)[1])
        ends = np.cumsum([one.cells for one in merges])
        return lambda number: found[ends[number] - merges[number].cells : ends[number]].reshape(merges[number].columns)

    def _compute_scores(self, merges: Sequence[GroupPair], starts: np.ndarray) -> tuple[Any, Any]:
        """Return the records of the merges (MERGE) and the scores of all, one after another."""
        members = np.concatenate([side for merge in merges for side in merge[:2]]).astype(np.int32)
        sizes = np.array([(one.first.size, one.second.size, *one.columns) for one in merges], np.int64)
        first, second, rows, columns = sizes.T
        pairs, cells = first * second, rows * columns
        places, at = _join_different([one.places for one in merges])
        before = exclusive_sums(first + second)
        records = [exclusive_sums(pairs), before, before + first, second, rows, columns]
        records += [exclusive_sums(cells), exclusive_sums(rows + columns), at]
        on_device = self.run.upload_array(np.stack(records, 1))
        kernel, total = self.run.compile_kernel(MERGING_SOURCE, "column_scores"), int(pairs.sum())
        scores = self.run.allocate_filled(int(cells.sum()), np.int64)
        given = *self.posteriors.given, *self._upload_alignment(places, starts), self.run.upload_array(members)
        given = *given, on_device, np.int32(len(merges)), np.int64(total), scores
        kernel((count_blocks(kernel, total),), (THREADS,), given)
        return on_device, scores

    def sum_support(
        self, letter_columns: np.ndarray, starts: np.ndarray, columns: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums over pairs of letters in each column: weights times units, and weights."""
        self.run.monitor.update(0, 1, "confidence")
        kernel = self.run.compile_kernel(MERGING_SOURCE, "column_support")
        supported, possible = (self.run.allocate_filled(max(columns, 1), np.int64) for _ in range(2))
        given = *self.posteriors.given, *self._upload_alignment(letter_columns, starts), supported, possible
        kernel((count_blocks(kernel, self.posteriors.count**2),), (THREADS,), given)
        found = self.run.download_array(supported)[:columns], self.run.download_array(possible)[:columns]
        self.run.monitor.update(1, 1, "confidence")
        return found

    def _upload_alignment(self, letter_columns: np.ndarray, starts: np.ndarray) -> tuple[Any, ...]:
        """Copy the columns of letters and the weights to the device (ALIGNED)."""
        up = self.run.upload_array
        return ALIGNED(places=up(letter_columns), starts=up(starts), weights=up(self.weights.astype(np.int64)))

    def _sum_standing(self, scores: Any, groups: GroupPair, begin: int) -> int:
        """Return the score of the pairs of columns that are beside each other now."""
        if groups.standing is None or not groups.standing[0].size:
            return 0
        first, second = groups.standing
        places = self.run.upload_array(begin + first * groups.columns[1] + second)
        return int(self.run.download_array(cupy.take(scores, places)).sum())


def _join_different(letter_columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Join the different arrays, each once; return them and where that of each merge begins."""
    different = list({id(one): one for one in letter_columns}.values())
    number = {id(one): place for place, one in enumerate(different)}
    return np.concatenate(different), np.array([number[id(one)] * one.size for one in letter_columns], np.int64)


def compute_accuracies(posteriors: DevicePosteriors, run: DeviceRun) -> np.ndarray:
    """Return expected accuracies of all pairs, equal to those of the CPU to the last bit."""
    n, lengths = posteriors.count, posteriors.lengths
    x, y = np.triu_indices(n, 1)
    pairs = np.where((lengths[x] >= lengths[y])[:, None], np.stack([x, y], 1), np.stack([y, x], 1)).astype(np.int32)
    widest = int(np.sort(lengths)[-2]) if n > 1 else 0
    room = widest + 1
    most_shared = block_limits.max_shared_bytes()
    if 4 * room > most_shared:
        raise MemoryRefused(
            f"expected accuracy of {widest:,} letters needs {format_bytes(4 * room)} of shared memory, and this GPU "
            "has "
            f"{format_bytes(most_shared)} per block; use the CPU"
        )
    warps = max(min(WARPS, most_shared // (4 * room)), 1)
    kernel, shared = run.compile_kernel(MERGING_SOURCE, "best_sums"), 4 * room * warps
    allow_shared_bytes(kernel, shared)
    best = np.zeros(len(pairs), np.uint32)
    for first in range(0, len(pairs), PAIRS_AT_A_TIME):
        run.report_progress(first, len(pairs), "distances")
        some = pairs[first : first + PAIRS_AT_A_TIME]
        sums = run.allocate_array(len(some), np.uint32)
        grid = min(-(-len(some) // warps), block_limits.resident_blocks(kernel, warps * LANES, shared))
        given = *posteriors.given, run.upload_array(some), np.int64(len(some)), np.int32(room), sums
        kernel((grid,), (warps * LANES,), given, shared_mem=shared)
        best[first : first + len(some)] = run.download_array(sums)
    run.report_progress(1, 1, "distances")
    made = np.zeros((n, n))
    made[x, y] = best / (65536.0 * np.minimum(lengths[x], lengths[y]))
    np.fill_diagonal(made, 0.5)
    return made + made.T
