"""The minimum spanning tree over longest common subsequences on the GPU, and single linkage along it; see lcs.cu.

All components grow at once, each by the shortest edge that leaves it (Boruvka 1926): a round measures all sequences
against all others, but for those of the largest component, so that few rounds take long. Equally long edges have the
order that they have on the CPU (`cpu_lcs`), and so there is one tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.compiling import compiled_ms
from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree import cpu_lcs
from antidiag.kernels.parttree.cpu_lcs import edge_key, root_of
from antidiag.kernels.parttree.cuda_sources import LCS
from antidiag.kernels.parttree.linkage import PHASE, by_length, compile_linkage, joins_along, linked
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.symbols import BITS
from antidiag.kernels.steps import Steps

LANES = 32
WORDS = (1, 2, 3, 4, 6, 8)
"""Words that a lane holds in registers."""
PART = 1024
"""Texts of a block."""
LAUNCH_STEPS = 1 << 38
"""Words that a launch goes through at most, which takes a tenth of a second, if it is more than one warp."""
MEMORY = 1 << 28
"""Bytes of the masks of long sequences that are held against texts at a time."""
NOBODY = np.uint64(2**64 - 1)


def lcs_single_linkage(
    problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """As `linkage.lcs_single_linkage`."""
    run, times_ms = Run(monitor, steps), {"compilation": compiled_ms(compile_linkage, monitor), "transfer": 0.0}
    outcome = linked(problem, monitor, steps, times_ms, lambda codes, offsets, tell: single_linkage(
        codes, offsets, run, tell))  # fmt: skip
    times_ms = dict(outcome.times_ms)
    for name, spent_ms in run.times_ms.items():
        times_ms[name] += spent_ms
    times_ms[PHASE] = max(times_ms[PHASE] - run.apart_ms, 0.0)
    return replace(outcome, times_ms=times_ms, device_bytes=run.device_bytes)


def single_linkage(
    codes: np.ndarray, offsets: np.ndarray, run: Run, tell: Callable[[int, int], None]
) -> tuple[np.ndarray, np.ndarray]:
    """As `linkage.single_linkage`."""
    every, order = by_length(codes, offsets)
    count = order.size
    keys, lengths = np.zeros(max(count - 1, 0), np.int64), np.zeros(max(count - 1, 0), np.int32)
    if count < 2:
        return joins_along(keys, lengths.view(np.float32), order)
    texts, component, edges, left = Texts(run, every), np.arange(count, dtype=np.int32), 0, count
    queries = np.arange(count, dtype=np.int32)
    while left > 1:
        nearest = texts.nearest(component, queries, tell)
        edges = joined(nearest, component, keys, lengths, edges)
        left = count - edges
        queries = np.flatnonzero(component != np.bincount(component).argmax()).astype(np.int32)
        tell(count - left, count)
    tell(count, count)
    return joins_along(keys, lengths.view(np.float32), order)


class Texts:
    """Sequences on the device, in order of their lengths."""

    def __init__(self, run: Run, every: cpu_lcs.Every) -> None:
        self.run, self.lengths = run, np.diff(every.offsets)
        starts = np.concatenate([[0], np.cumsum(-(-self.lengths // 4))])
        letters = np.full(4 * int(starts[-1]) + 4, cpu_lcs.SYMBOLS - 1, np.uint8)
        cpu_lcs.arrange(every.codes, every.offsets, np.arange(self.lengths.size), 4 * starts, letters)
        self.codes, self.starts = run.up(letters.view(np.uint32)), run.up(starts)
        self.sizes = run.up(self.lengths.astype(np.int32))

    def nearest(self, component: np.ndarray, queries: np.ndarray, tell: Callable[[int, int], None]) -> np.ndarray:
        """Of each query the nearest sequence of another component, as bits of the distance and number; uint64."""
        run, count = self.run, self.lengths.size
        found, there = run.filled(count, np.uint64, 0xFF), run.up(component)
        for part, words in self._launches(queries):
            known = next((size for size in WORDS if words <= size), 0)
            kernel = run.kernel(LCS, "nearest_of", WORDS=known)
            most = known or words
            nbytes = 4 * LANES * most * (cpu_lcs.SYMBOLS + (known == 0))
            long = nbytes > blocks.most_shared()
            grid = -(-part.size // LANES), 1 if long else -(-count // PART)
            memory = run.empty(grid[0] * nbytes // 4, np.uint32) if long else None
            allow_shared(kernel, 0 if long else nbytes)
            kernel(grid, (LANES,), (
                self.codes, self.starts, self.sizes, there, run.up(part), np.int32(part.size), np.int32(count),
                np.int32(count if long else PART), np.int32(most), np.uint64(0) if memory is None else memory, found,
            ), shared_mem=0 if long else nbytes)  # fmt: skip
            cupy.cuda.get_current_stream().synchronize()
            tell(0, 1)
        return run.down(found)

    def _launches(self, queries: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
        """Queries that are held against all texts together, and the words of each, at most."""
        words = np.maximum(-(-self.lengths[queries] // BITS), 1)
        sizes = np.array([next((size for size in WORDS if own <= size), own) for own in np.unique(words).tolist()])
        letters, first = int(self.lengths.sum()) + 1, 0
        sizes = sizes[np.unique(words, return_inverse=True)[1].reshape(-1)] if queries.size else words
        while first < queries.size:
            own = int(sizes[first])
            most = max(LANES, LAUNCH_STEPS // (letters * own) // LANES * LANES)
            if own > WORDS[-1]:
                most = min(most, max(LANES, MEMORY // (4 * own * (cpu_lcs.SYMBOLS + 1)) // LANES * LANES))
            last = min(first + most, queries.size)
            if own <= WORDS[-1]:
                last = min(last, int(np.searchsorted(sizes, own, "right")))
            yield queries[first:last], int(sizes[last - 1])
            first = last


@compiled
def joined(nearest, component, keys, lengths, edges):
    """Join every component with another by the first of the edges that leave it; how many edges there are then.

    ``component`` int32 becomes that of every sequence, the least of its numbers.
    """
    count = component.size
    best = np.full(count, -1, np.int64)
    for at in range(count):
        if nearest[at] == NOBODY:
            continue
        own = component[at]
        if best[own] < 0 or _before(nearest, at, best[own]):
            best[own] = at
    above = np.arange(count)
    for own in range(count):
        at = best[own]
        if at < 0:
            continue
        other = np.int64(nearest[at] & np.uint64(2**32 - 1))
        one, two = root_of(above, own), root_of(above, np.int64(component[other]))
        if one != two:
            keys[edges], lengths[edges] = edge_key(at, other), np.int32(nearest[at] >> np.uint64(32))
            edges += 1
            above[max(one, two)] = min(one, two)
    for at in range(count):
        component[at] = root_of(above, np.int64(component[at]))
    return edges


@inlined
def _before(nearest, one, other):
    """Whether the edge of one sequence comes before that of another."""
    apart, apart_other = nearest[one] >> np.uint64(32), nearest[other] >> np.uint64(32)
    if apart != apart_other:
        return apart < apart_other
    low = np.uint64(2**32 - 1)
    return edge_key(one, np.int64(nearest[one] & low)) < edge_key(other, np.int64(nearest[other] & low))
