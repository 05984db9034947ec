"""The minimum spanning tree over longest common subsequences on the GPU, and single linkage along it; see lcs.cu.

All components grow at once, each by the shortest edge that leaves it (Boruvka 1926): a round measures all sequences
against all others, except those of the largest component. Equally long edges have the order that they have on the CPU
(`cpu_spanning_tree`), so that both make the same tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import cupy
import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase
from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.lcs import cpu_spanning_tree
from antidiag.kernels.parttree.lcs.block_pairs import read_block_pair
from antidiag.kernels.parttree.lcs.cpu_spanning_tree import edge_key, find_root
from antidiag.kernels.parttree.lcs.linkage import (
    MASK_LETTER_BYTES,
    PHASE,
    Joins,
    encode_different,
    joins_of_spanning_tree,
    run_linkage,
    sort_by_length,
)
from antidiag.kernels.parttree.parameters import PartTreeThreads
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.progress import RecursionProgress, ReportProgress
from antidiag.kernels.parttree.symbols import BITS
from antidiag.kernels.steps import StepLog

LCS = (Path(__file__).with_name("lcs.cu"),)
"""Device source."""
LANES = 32
WORDS = (1, 2, 3, 4, 6, 8)
"""Words that a lane holds in registers."""
TEXTS_PER_BLOCK = 1024
"""Texts that a block reads."""
LAUNCH_STEPS = 1 << 38
"""Words that a launch goes through at most, about a tenth of a second, if it has more than one warp."""
MASK_BYTES = 1 << 28
"""Bytes of the masks of long sequences that are compared with texts at a time."""
NO_NEIGHBOUR = np.uint64(2**64 - 1)


def lcs_single_linkage(
    problem: PartTreeProblem, parameters: PartTreeThreads, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Join the nearest two clusters, as `linkage.lcs_single_linkage`, with the spanning tree made on the device."""
    run = DeviceRun(monitor, steps)
    host = run.host_part()
    host.compile(compile_device_linkage)

    def link(
        codes: np.ndarray, offsets: np.ndarray, numbers: np.ndarray, phase: CpuPhase, report: ReportProgress
    ) -> Joins:
        return link_on_device(codes, offsets, run, report)

    outcome = run_linkage(problem, host, PHASE, link, MASK_LETTER_BYTES)
    return replace(outcome, device_bytes=run.device_bytes)


def link_on_device(codes: np.ndarray, offsets: np.ndarray, run: DeviceRun, report: ReportProgress) -> Joins:
    """Return joins and heights of encoded sequences, as `linkage.single_linkage`, by rounds on the device."""
    every, order = sort_by_length(codes, offsets)
    keys, lengths = _spanning_edges(every, run, report)
    return joins_of_spanning_tree(keys, lengths.view(np.float32), order)


def span_block_pair(
    problem: PartTreeProblem, parameters: PartTreeThreads, numbers: Mapping[str, int], monitor: Monitor
) -> Mapping[str, np.ndarray]:
    """Return the edges of the minimum spanning tree of the sequences of two blocks together; see `block_pairs`."""
    run, ranks = DeviceRun(monitor, StepLog()), np.unique(np.concatenate(read_block_pair(numbers)))
    run.host_part().compile(compile_device_linkage)
    every, _ = sort_by_length(*encode_different(problem)[2:])
    own = np.diff(every.offsets)[ranks]
    starts = np.concatenate([[0], np.cumsum(own)])
    codes = every.codes[np.repeat(every.offsets[ranks] - starts[:-1], own) + np.arange(starts[-1])]
    some = cpu_spanning_tree.SequencesByLength(codes, starts)
    keys, lengths = _spanning_edges(some, run, RecursionProgress(monitor, PHASE))
    return {"keys": ranks[keys >> 32] << 32 | ranks[keys & 0xFFFFFFFF], "lengths": lengths}


def _spanning_edges(
    sequences: cpu_spanning_tree.SequencesByLength, run: DeviceRun, report: ReportProgress
) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of the minimum spanning tree, in no order: keys int64, and bits of the lengths, int32."""
    count = sequences.offsets.size - 1
    keys, lengths = np.zeros(max(count - 1, 0), np.int64), np.zeros(max(count - 1, 0), np.int32)
    if count < 2:
        return keys, lengths
    texts, component, edges, left = DeviceSequences(run, sequences), np.arange(count, dtype=np.int32), 0, count
    queries = np.arange(count, dtype=np.int32)
    while left > 1:
        nearest = texts.nearest(component, queries, report)
        edges = join_components(nearest, component, keys, lengths, edges)
        left = count - edges
        queries = np.flatnonzero(component != np.bincount(component).argmax()).astype(np.int32)
        report(count - left, count)
    report(count, count)
    return keys, lengths


class DeviceSequences:
    """Sequences on the device, in order of their lengths."""

    def __init__(self, run: DeviceRun, sequences: cpu_spanning_tree.SequencesByLength) -> None:
        self.run, self.lengths = run, np.diff(sequences.offsets)
        starts = np.concatenate([[0], np.cumsum(-(-self.lengths // 4))])
        letters = np.full(4 * int(starts[-1]) + 4, cpu_spanning_tree.SYMBOLS - 1, np.uint8)
        cpu_spanning_tree.copy_in_order(
            sequences.codes, sequences.offsets, np.arange(self.lengths.size), 4 * starts, letters
        )
        self.codes, self.starts = run.upload_array(letters.view(np.uint32)), run.upload_array(starts)
        self.sizes = run.upload_array(self.lengths.astype(np.int32))

    def nearest(self, component: np.ndarray, queries: np.ndarray, report: ReportProgress) -> np.ndarray:
        """Return the nearest sequence of another component for each query, as bits of the distance and number;
        uint64."""
        run, count = self.run, self.lengths.size
        found, there = run.allocate_filled(count, np.uint64, 0xFF), run.upload_array(component)
        for part, words in self._split_queries(queries):
            known = next((size for size in WORDS if words <= size), 0)
            kernel = run.compile_kernel(LCS, "find_nearest", WORDS=known)
            most = known or words
            nbytes = 4 * LANES * most * (cpu_spanning_tree.SYMBOLS + (known == 0))
            long = nbytes > block_limits.max_shared_bytes()
            grid = -(-part.size // LANES), 1 if long else -(-count // TEXTS_PER_BLOCK)
            memory = run.allocate_array(grid[0] * nbytes // 4, np.uint32) if long else None
            allow_shared_bytes(kernel, 0 if long else nbytes)
            kernel(
                grid,
                (LANES,),
                (
                    self.codes,
                    self.starts,
                    self.sizes,
                    there,
                    run.upload_array(part),
                    np.int32(part.size),
                    np.int32(count),
                    np.int32(count if long else TEXTS_PER_BLOCK),
                    np.int32(most),
                    np.uint64(0) if memory is None else memory,
                    found,
                ),
                shared_mem=0 if long else nbytes,
            )
            cupy.cuda.get_current_stream().synchronize()
            report(0, 1)
        return run.download_array(found)

    def _split_queries(self, queries: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
        """Yield queries that are compared with all texts together, and the most words of one of them."""
        words = np.maximum(-(-self.lengths[queries] // BITS), 1)
        sizes = np.array([next((size for size in WORDS if own <= size), own) for own in np.unique(words).tolist()])
        letters, first = int(self.lengths.sum()) + 1, 0
        sizes = sizes[np.unique(words, return_inverse=True)[1].reshape(-1)] if queries.size else words
        short = sizes <= WORDS[-1]
        if short.any() and letters * int(short.sum()) * int(sizes[short].max()) <= LAUNCH_STEPS:
            sizes[short] = sizes[short].max()  # to compile a kernel for each size takes longer than to run all
        while first < queries.size:
            own = int(sizes[first])
            most = max(LANES, LAUNCH_STEPS // (letters * own) // LANES * LANES)
            if own > WORDS[-1]:
                most = min(most, max(LANES, MASK_BYTES // (4 * own * (cpu_spanning_tree.SYMBOLS + 1)) // LANES * LANES))
            last = min(first + most, queries.size)
            if own <= WORDS[-1]:
                last = min(last, int(np.searchsorted(sizes, own, "right")))
            yield queries[first:last], int(sizes[last - 1])
            first = last


@cache
def compile_device_linkage() -> None:
    """Compile what the host does while the device links sequences, or load it from the cache."""
    nearest, component = np.array([1, 0], np.uint64), np.arange(2, dtype=np.int32)
    keys, lengths = np.zeros(1, np.int64), np.zeros(1, np.int32)
    _, order = sort_by_length(np.zeros(2, np.uint8), np.arange(3))
    join_components(nearest, component, keys, lengths, 0)
    joins_of_spanning_tree(keys, lengths.view(np.float32), order)


@cached_njit
def join_components(nearest, component, keys, lengths, edges):
    """Join every component with another by the first of the edges that leave it, and return how many edges exist then.

    ``component`` int32 becomes that of every sequence, the smallest of its numbers.
    """
    count = component.size
    best = np.full(count, -1, np.int64)
    for at in range(count):
        if nearest[at] == NO_NEIGHBOUR:
            continue
        own = component[at]
        if best[own] < 0 or _edge_precedes(nearest, at, best[own]):
            best[own] = at
    above = np.arange(count)
    for own in range(count):
        at = best[own]
        if at < 0:
            continue
        other = np.int64(nearest[at] & np.uint64(2**32 - 1))
        one, two = find_root(above, own), find_root(above, np.int64(component[other]))
        if one != two:
            keys[edges], lengths[edges] = edge_key(at, other), np.int32(nearest[at] >> np.uint64(32))
            edges += 1
            above[max(one, two)] = min(one, two)
    for at in range(count):
        component[at] = find_root(above, np.int64(component[at]))
    return edges


@inline_njit
def _edge_precedes(nearest, first, second):
    """Return whether the edge of one sequence precedes that of another."""
    apart, apart_other = nearest[first] >> np.uint64(32), nearest[second] >> np.uint64(32)
    if apart != apart_other:
        return apart < apart_other
    low = np.uint64(2**32 - 1)
    return edge_key(first, np.int64(nearest[first] & low)) < edge_key(second, np.int64(nearest[second] & low))
