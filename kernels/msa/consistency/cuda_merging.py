"""Scores of columns and their confidence on the device, from posteriors that stay there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from kernels.cuda import blocks
from kernels.cuda.compile import allow_shared
from kernels.cuda.run import Run
from kernels.errors import MemoryRefused
from kernels.memory import bytes_text
from kernels.monitor import Monitor
from kernels.msa.consistency.cuda_layout import OnDevice, warps_grid
from kernels.msa.consistency.cuda_sources import ALIGNED, LANES, MERGING_SOURCE, THREADS, WARPS
from kernels.msa.consistency.merging import Groups

MOST_CELLS = 1 << 26
"""Scores that are made at a time, if they are of several merges."""
PAIRS_AT_A_TIME = 1 << 19


@dataclass(frozen=True, eq=False)
class CudaScorer:
    """`merging.Scorer`."""

    run: Run
    posteriors: OnDevice
    weights: np.ndarray
    most_cells: int = MOST_CELLS

    def scores(
        self, merges: Sequence[Groups], places: np.ndarray, starts: np.ndarray, stop: np.ndarray
    ) -> Callable[[int], np.ndarray]:
        """All merges in one launch."""
        members = np.concatenate([side for merge in merges for side in merge[:2]]).astype(np.int32)
        sizes = np.array([(merge.first.size, merge.second.size, *merge.columns) for merge in merges], np.int64)
        first, second, columns = sizes[:, 0], sizes[:, 1], sizes[:, 3]
        pairs, cells = first * second, sizes[:, 2] * columns
        before = np.cumsum(first + second) - (first + second)
        ends = np.cumsum(cells)
        told = np.stack([np.cumsum(pairs) - pairs, before, before + first, second, ends - cells, columns], 1)
        kernel, total = self.run.kernel(MERGING_SOURCE, "column_scores"), int(pairs.sum())
        made = self.run.filled(max(int(ends[-1]), 1), np.int64)
        kernel((warps_grid(kernel, total),), (THREADS,),
               (*self.posteriors.given, *self._aligned(places, starts), cupy.asarray(members), cupy.asarray(told),
                np.int32(len(merges)), np.int64(total), made))  # fmt: skip
        found = self.run.down(made)
        return lambda number: found[ends[number] - cells[number] : ends[number]].reshape(merges[number].columns)

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
