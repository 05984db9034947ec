"""Single linkage over longest common subsequences, as in FAMSA: a guide tree of many sequences."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.model import Outcome, group_equal_sequences
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.lcs import cpu_spanning_tree
from antidiag.kernels.parttree.lcs.block_pairs import read_block_pair
from antidiag.kernels.parttree.parameters import PartTreeThreads
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.progress import RecursionProgress, ReportProgress
from antidiag.kernels.parttree.sizes import linkage_blocks
from antidiag.kernels.parttree.splitting.recursion import tree_with_equal_leaves
from antidiag.kernels.parttree.symbols import encode_sequences
from antidiag.kernels.run_splitting import RunPiece
from antidiag.kernels.sequences.sequence_set import take_sequences
from antidiag.kernels.steps import StepLog
from antidiag.kernels.text import format_count
from antidiag.kernels.trees.distances.shared_words.kmers import FARTHEST

PHASE = "linkage"
SATURATED_HEIGHT = FARTHEST
"""Height of joins whose distance is larger, or unknown for want of a common letter.

So large a distance says only that sequences are unrelated. It is the largest of MAFFT's distances, which PartTree has.
The order of joins does not depend on it.
"""
MASK_LETTER_BYTES = 3
"""Bytes of the masks for each letter: 21 words of 32 bits for 32 letters, rounded up."""


def lcs_single_linkage(
    problem: PartTreeProblem, parameters: PartTreeThreads, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Join the nearest two clusters, which are as near as their nearest sequences, until one is left."""
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(compile_linkage)

    def link(
        codes: np.ndarray, offsets: np.ndarray, numbers: np.ndarray, phase: CpuPhase, report: ReportProgress
    ) -> Joins:
        return single_linkage(codes, offsets, phase, report)

    return run_linkage(problem, run, PHASE, link, MASK_LETTER_BYTES)


Joins = tuple[np.ndarray, np.ndarray]
"""Joins int64 (n - 1, 2) and heights float64 (n - 1,): see `single_linkage`."""
Link = Callable[[np.ndarray, np.ndarray, np.ndarray, CpuPhase, ReportProgress], Joins]
"""``link(codes, offsets, numbers, phase, report)``: joins of sequences; ``numbers`` are theirs in the problem."""


def run_linkage(problem: PartTreeProblem, run: CpuRun, name: str, link: Link, letter_bytes: int) -> Outcome:
    """Run a method that links the different sequences of a problem, on any device; equal ones are joined first.

    ``name`` is that of its phase, ``letter_bytes`` the memory that it takes for each letter.
    """
    with run.phase(name) as phase:
        first, own, codes, offsets = encode_different(problem)
        report = RecursionProgress(run.monitor, name)
        joins, heights = link(codes, offsets, first, phase, report)
        report(1, 1)
        notes = describe_saturation(heights)
        tree = tree_with_equal_leaves(problem.names, own, joins, edge_lengths(joins, heights), problem.title)
        phase.log(LoggedCells((0, first.size), (0, first.size)), 0, run.started_ns)
    return Outcome(PartTreeAnswer(tree), run.times_ms, letter_bytes * codes.size, notes=notes)


def encode_different(problem: PartTreeProblem) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the different sequences of a problem: see `group_equal_sequences` and `encode_sequences`."""
    first, own = group_equal_sequences(problem.sequences)
    return first, own, *encode_sequences(take_sequences(problem.sequences, first.tolist()), problem.is_protein)


def span_block_pair(
    problem: PartTreeProblem, parameters: PartTreeThreads, numbers: Mapping[str, int], monitor: Monitor
) -> Mapping[str, np.ndarray]:
    """Return the edges of the minimum spanning tree between two blocks, or within one; see `block_pairs`."""
    run, pair = CpuRun(monitor), read_block_pair(numbers)
    run.compile_once(compile_linkage)
    with run.phase(PHASE) as phase:
        sequences, _ = sort_by_length(*encode_different(problem)[2:])
        report = RecursionProgress(monitor, PHASE)
        keys, lengths = spanning_edges_of_pairs([pair], 1, phase, partial(_spanning_tree_of_blocks, sequences), report)
    return {"keys": keys, "lengths": lengths}


def join_block_pairs(
    problem: PartTreeProblem, pieces: Iterable[tuple[RunPiece, Mapping[str, np.ndarray]]], monitor: Monitor
) -> Outcome:
    """Return the tree along the minimum spanning tree of the edges of all pairs of blocks."""

    def link(
        codes: np.ndarray, offsets: np.ndarray, numbers: np.ndarray, phase: CpuPhase, report: ReportProgress
    ) -> Joins:
        keys, lengths = zip(*((edges["keys"], edges["lengths"]) for _, edges in pieces), strict=True)
        order = np.argsort(np.diff(offsets), kind="stable")
        return joins_of_spanning_tree(np.concatenate(keys), np.concatenate(lengths).view(np.float32), order)

    return run_linkage(problem, CpuRun(monitor), PHASE, link, MASK_LETTER_BYTES)


def edge_lengths(joins: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Return lengths of the edges below each join, float64 (n - 1, 2): differences of the heights at their ends, which
    are at most SATURATED_HEIGHT."""
    shown = np.minimum(heights, SATURATED_HEIGHT)
    of_nodes = np.concatenate([np.zeros(len(joins) + 1), shown])
    return np.maximum(shown[:, None] - of_nodes[joins], 0)


def describe_saturation(heights: np.ndarray) -> tuple[str, ...]:
    """Return a note on joins that are higher than the tree shows, or none."""
    saturated = int((heights > SATURATED_HEIGHT).sum())
    if not saturated:
        return ()
    said = f"{format_count(saturated, 'join')} of sequences with hardly a letter in common"
    return (f"{said}: their distance is saturated at {SATURATED_HEIGHT:g}.",)


def single_linkage(
    codes: np.ndarray, offsets: np.ndarray, phase: CpuPhase, report: ReportProgress
) -> tuple[np.ndarray, np.ndarray]:
    """Return joins int64 (n - 1, 2) and heights float64 (n - 1,) of encoded sequences (uint8, 20 for no letter).

    ``report(pairs, of)`` reports progress.
    """
    every, order = sort_by_length(codes, offsets)
    keys, lengths = _spanning_edges(every, phase, report)
    return joins_of_spanning_tree(keys, lengths.view(np.float32), order)


def link_alone(codes: np.ndarray, offsets: np.ndarray, report: ReportProgress) -> Joins:
    """Return joins and heights as `single_linkage` does, on one thread apart from the run of the caller."""
    with CpuRun().phase(PHASE) as phase:
        return single_linkage(codes, offsets, phase, report)


def sort_by_length(codes: np.ndarray, offsets: np.ndarray) -> tuple[cpu_spanning_tree.SequencesByLength, np.ndarray]:
    """Return the sequences by ascending length, equal ones in their order, and the number of each, int64."""
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    starts = np.concatenate([[0], np.cumsum(lengths[order])])
    arranged = np.empty_like(codes)
    cpu_spanning_tree.copy_in_order(codes, offsets, order, starts, arranged)
    return cpu_spanning_tree.SequencesByLength(arranged, starts), order


def joins_of_spanning_tree(keys: np.ndarray, lengths: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the joins along the minimum spanning tree of some edges, and their heights.

    ``order`` int64 are the numbers of the sequences by rank.
    """
    edges = max(order.size - 1, 0)
    joins, used = np.empty((edges, 2), np.int64), np.empty(edges, np.int64)
    cpu_spanning_tree.joins_of_edges(keys, np.lexsort((keys, lengths)), joins, used)
    leaves = joins < order.size
    joins[leaves] = order[joins[leaves]]
    return joins, lengths[used].astype(float)


REFILL_SHARE = 0.8
"""Share of the remaining sequences at which groups are filled up again."""


BlockTrees = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Edges of the tree between two blocks, or within one that is given twice: keys int64, and bits of the lengths, int32.

It counts pairs in its third argument, and ends where the fourth is not 0.
"""


def _spanning_edges(
    sequences: cpu_spanning_tree.SequencesByLength, phase: CpuPhase, report: ReportProgress
) -> tuple[np.ndarray, np.ndarray]:
    """Return edges that contain the minimum spanning tree: keys int64, and bits of the lengths, int32."""
    count = sequences.offsets.size - 1
    parts = np.array_split(np.arange(count), linkage_blocks(np.diff(sequences.offsets), phase.run.threads))
    return spanning_edges_of_blocks(parts, count, phase, partial(_spanning_tree_of_blocks, sequences), report)


def spanning_edges_of_blocks(
    parts: list[np.ndarray], count: int, phase: CpuPhase, tree: BlockTrees, report: ReportProgress
) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of the trees of all pairs of blocks, and of every block."""
    pairs = list(itertools.combinations(parts, 2)) + [(part, part) for part in parts]
    return spanning_edges_of_pairs(pairs, max(count * (count - 1) // 2, 1), phase, tree, report)


def spanning_edges_of_pairs(
    pairs: list[tuple[np.ndarray, np.ndarray]], total: int, phase: CpuPhase, tree: BlockTrees, report: ReportProgress
) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of the trees of some pairs of blocks, which have ``total`` pairs of sequences."""
    found: list[tuple[np.ndarray, np.ndarray]] = []
    done = np.zeros((phase.run.threads, 8), np.int64)
    phase.share_tasks(
        pairs,
        lambda worker, pair: found.append(tree(*pair, done[worker], phase.run.stop)),
        report=lambda: report(int(done[:, 0].sum()), total),
    )
    keys, lengths = zip(*found, strict=True)
    return np.concatenate(keys), np.concatenate(lengths)


def _spanning_tree_of_blocks(
    sequences: cpu_spanning_tree.SequencesByLength,
    first_block: np.ndarray,
    second_block: np.ndarray,
    done: np.ndarray,
    stop: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of the minimum spanning tree between two blocks, or within one that is given twice."""
    within = first_block is second_block
    edges = first_block.size - 1 + (0 if within else second_block.size)
    keys, lengths = np.empty(edges, np.int64), np.empty(edges, np.int32)
    blocks = (
        [_outside_tree(first_block[1:])] if within else [_outside_tree(first_block[1:]), _outside_tree(second_block)]
    )
    rank, side, step = int(first_block[0]), 0, 0
    while step < edges and not stop[0]:
        left = edges - step
        last = step + (left if left <= cpu_spanning_tree.LANES else left - int(REFILL_SHARE * left))
        own = [cpu_spanning_tree.make_masks(sequences, *block) for block in blocks]
        rank, side = cpu_spanning_tree.grow_tree(
            own[0], own[-1], sequences, rank, side, keys, lengths, step, last, done, stop
        )
        blocks, step = [cpu_spanning_tree.outside_tree(block) for block in own], last
        del own  # frees the masks before the next ones are made
    return keys, lengths


def _outside_tree(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the state of sequences outside the tree, of which nothing is known yet."""
    return ranks, np.zeros_like(ranks), np.full(ranks.size, cpu_spanning_tree.FARTHEST)


@cache
def compile_linkage() -> None:
    """Compile single linkage, or load it from the cache."""
    link_alone(np.zeros(3, np.uint8), np.arange(4), lambda done, total: None)
