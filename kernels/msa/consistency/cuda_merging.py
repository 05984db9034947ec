"""Scores of columns and their confidence on the device, from posteriors that stay there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency.cuda_layout import OnDevice, warps_grid
from antidiag.kernels.msa.consistency.cuda_sources import (
    ALIGNED,
    LANES,
    MERGING_SOURCE,
    PATH_SOURCE,
    PATH_WARPS,
    THREADS,
    WARPS,
)
from antidiag.kernels.msa.consistency.scoring import Groups, Merged
from antidiag.kernels.msa.consistency.sizes import MOST_CELLS

PAIRS_AT_A_TIME = 1 << 19


@dataclass(frozen=True, eq=False)
class CudaScorer:
    """`merging.Scorer`."""

    run: Run
    posteriors: OnDevice
    weights: np.ndarray
    most_cells: int = MOST_CELLS

    def merge(self, merges: Sequence[Groups], starts: np.ndarray, stop: np.ndarray) -> Callable[[int], Merged]:
        """All merges in one launch, and the paths of all in another."""
        told, scores = self._scores(merges, starts)
        rows, columns = np.array([one.columns for one in merges], np.int64).T
        cells, longest = rows * columns, rows + columns
        steps, paths = (self.run.empty(int(sums.sum()), np.uint8) for sums in (cells, longest))
        borders, ends = self.run.empty(int(longest.sum()), np.int64), self.run.empty((2, len(merges)), np.int64)
        self.run.kernel(PATH_SOURCE, "best_paths")(
            (len(merges),), (PATH_WARPS * LANES,), (told, scores, steps, borders, paths, ends[0], ends[1])
        )
        standing = [_standing(scores, one, begin) for one, begin in zip(merges, _before(cells).tolist(), strict=True)]
        found, (lengths, best) = self.run.down(paths), ends.get()
        after = np.cumsum(longest)
        return lambda number: Merged(found[after[number] - lengths[number] : after[number]], int(best[number]),
                                     standing[number])  # fmt: skip

    def scores(self, merges: Sequence[Groups], starts: np.ndarray, stop: np.ndarray) -> Callable[[int], np.ndarray]:
        found, ends = self.run.down(self._scores(merges, starts)[1]), np.cumsum([one.cells for one in merges])
        return lambda number: found[ends[number] - merges[number].cells : ends[number]].reshape(merges[number].columns)

    def _scores(self, merges: Sequence[Groups], starts: np.ndarray) -> tuple[Any, Any]:
        """What the kernels are told of the merges, and the scores of all, one after another."""
        members = np.concatenate([side for merge in merges for side in merge[:2]]).astype(np.int32)
        sizes = np.array([(one.first.size, one.second.size, *one.columns) for one in merges], np.int64)
        first, second, rows, columns = sizes.T
        pairs, cells = first * second, rows * columns
        places, at = _together([one.places for one in merges])
        before = _before(first + second)
        told = cupy.asarray(np.stack([_before(pairs), before, before + first, second, rows, columns, _before(cells),
                                      _before(rows + columns), at], 1))  # fmt: skip
        kernel, total = self.run.kernel(MERGING_SOURCE, "column_scores"), int(pairs.sum())
        scores = self.run.filled(int(cells.sum()), np.int64)
        kernel((warps_grid(kernel, total),), (THREADS,),
               (*self.posteriors.given, *self._aligned(places, starts), cupy.asarray(members), told,
                np.int32(len(merges)), np.int64(total), scores))  # fmt: skip
        return told, scores

    def support(
        self, places: np.ndarray, starts: np.ndarray, columns: int, stop: np.ndarray, monitor: Monitor
    ) -> tuple[np.ndarray, np.ndarray]:
        monitor.update(0, 1, "confidence")
        kernel = self.run.kernel(MERGING_SOURCE, "column_support")
        supported, possible = (self.run.filled(max(columns, 1), np.int64) for _ in range(2))
        kernel((warps_grid(kernel, self.posteriors.count**2),), (THREADS,),
               (*self.posteriors.given, *self._aligned(places, starts), supported, possible))  # fmt: skip
        found = self.run.down(supported)[:columns], self.run.down(possible)[:columns]
        monitor.update(1, 1, "confidence")
        return found

    def _aligned(self, places: np.ndarray, starts: np.ndarray) -> tuple[Any, ...]:
        weights = self.weights.astype(np.int64)
        return ALIGNED(places=cupy.asarray(places), starts=cupy.asarray(starts), weights=cupy.asarray(weights))


def _standing(scores: Any, groups: Groups, begin: int) -> int:
    """What the columns score that are beside each other now."""
    if groups.standing is None or not groups.standing[0].size:
        return 0
    first, second = groups.standing
    return int(cupy.take(scores, cupy.asarray(begin + first * groups.columns[1] + second)).get().sum())


def _together(places: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Each different array once, one after another, and where that of each merge begins."""
    different = list({id(one): one for one in places}.values())
    number = {id(one): place for place, one in enumerate(different)}
    return np.concatenate(different), np.array([number[id(one)] * one.size for one in places], np.int64)


def _before(sizes: np.ndarray) -> np.ndarray:
    return np.cumsum(sizes) - sizes


def accuracies(found: OnDevice, run: Run) -> np.ndarray:
    """As `cpu_stages.accuracies`, to the last bit."""
    n, lengths = found.count, found.lengths
    x, y = np.triu_indices(n, 1)
    pairs = np.where((lengths[x] >= lengths[y])[:, None], np.stack([x, y], 1), np.stack([y, x], 1)).astype(np.int32)
    widest = int(np.sort(lengths)[-2]) if n > 1 else 0
    room = widest + 1
    most_shared = blocks.most_shared()
    if 4 * room > most_shared:
        raise MemoryRefused(f"expected accuracy with {widest:,} letters needs {bytes_text(4 * room)} of shared memory, "
                            f"and the device has {bytes_text(most_shared)} a block; use the CPU")  # fmt: skip
    warps = max(min(WARPS, most_shared // (4 * room)), 1)
    kernel, shared = run.kernel(MERGING_SOURCE, "best_sums"), 4 * room * warps
    allow_shared(kernel, shared)
    best = np.zeros(len(pairs), np.uint32)
    for first in range(0, len(pairs), PAIRS_AT_A_TIME):
        run.tell(first, len(pairs), "distances")
        some = pairs[first : first + PAIRS_AT_A_TIME]
        sums = run.empty(len(some), np.uint32)
        grid = min(-(-len(some) // warps), blocks.resident(kernel, warps * LANES, shared))
        given = *found.given, cupy.asarray(some), np.int64(len(some)), np.int32(room), sums
        kernel((grid,), (warps * LANES,), given, shared_mem=shared)
        best[first : first + len(some)] = sums.get()
    run.tell(1, 1, "distances")
    made = np.zeros((n, n))
    made[x, y] = best / (65536.0 * np.minimum(lengths[x], lengths[y]))
    np.fill_diagonal(made, 0.5)
    return made + made.T
