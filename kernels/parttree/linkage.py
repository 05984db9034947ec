"""Single linkage over longest common subsequences, as FAMSA has it: a guide tree of many sequences."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compiling import compiled_ms
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog
from antidiag.kernels.model import Outcome, contents_of
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.parttree import cpu_lcs
from antidiag.kernels.parttree.parameters import Threads
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.recursion import told, whole_tree
from antidiag.kernels.parttree.sizes import linkage_blocks
from antidiag.kernels.parttree.symbols import encoded
from antidiag.kernels.steps import Steps

PHASE = "linkage"


def lcs_single_linkage(
    problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """The nearest two clusters are joined, where two are as near as their nearest sequences."""
    times_ms, threads = (
        {"compilation": compiled_ms(compile_linkage, monitor), "transfer": 0.0},
        typed(Threads, parameters).threads,
    )
    return linked(problem, monitor, steps, times_ms, lambda codes, offsets, tell: single_linkage(
        codes, offsets, threads, tell))  # fmt: skip


Tell = Callable[[int, int], None]
Link = Callable[[np.ndarray, np.ndarray, Tell], tuple[np.ndarray, np.ndarray]]
"""From codes and offsets to joins and heights: see `single_linkage`."""


def linked(problem: PartTreeProblem, monitor: Monitor, steps: Steps, times_ms: dict[str, float], link: Link) -> Outcome:
    """The tree of a problem, wherever it is made."""
    clock = PhaseClock(times_ms)
    first, own = contents_of(problem.sequences)
    codes, offsets = encoded([problem.sequences[number] for number in first.tolist()], problem.protein)
    tell = told(monitor, PHASE)
    try:
        joins, heights = link(codes, offsets, tell)
        tell(1, 1)
    except BaseException:
        workers.end_idle()
        raise
    tree = whole_tree(problem.names, own, joins, edges(joins, heights), problem.title)
    PhaseLog(steps, 1, clock.started_ns).add(0, (0, first.size), (0, first.size), 0, clock.started_ns)
    clock.phase(PHASE)
    return Outcome(PartTreeAnswer(tree), times_ms, 84 * int(np.maximum(-(-np.diff(offsets) // 32), 1).sum()))


def edges(joins: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Lengths of the edges below each join: the differences of the heights at their ends."""
    of_nodes = np.concatenate([np.zeros(len(joins) + 1), heights])
    return np.maximum(heights[:, None] - of_nodes[joins], 0)


def single_linkage(codes: np.ndarray, offsets: np.ndarray, threads: int, tell: Tell) -> tuple[np.ndarray, np.ndarray]:
    """Joins int64 (n - 1, 2) and heights float64 (n - 1,) of sequences of codes (uint8, 20 for no letter).

    ``tell(pairs, of)`` is progress.
    """
    every, order = by_length(codes, offsets)
    keys, lengths = _spanning(every, threads, tell)
    return joins_along(keys, lengths.view(np.float32), order)


def by_length(codes: np.ndarray, offsets: np.ndarray) -> tuple[cpu_lcs.Every, np.ndarray]:
    """The sequences by ascending length, of equal ones in their order; and the number of each, int64."""
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    starts = np.concatenate([[0], np.cumsum(lengths[order])])
    arranged = np.empty_like(codes)
    cpu_lcs.arrange(codes, offsets, order, starts, arranged)
    return cpu_lcs.Every(arranged, starts), order


def joins_along(keys: np.ndarray, lengths: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The joins of the minimum spanning tree of edges, and their heights; ``order`` int64 are the numbers of ranks."""
    edges = max(order.size - 1, 0)
    joins, used = np.empty((edges, 2), np.int64), np.empty(edges, np.int64)
    cpu_lcs.joins_of(keys, np.lexsort((keys, lengths)), joins, used)
    leaves = joins < order.size
    joins[leaves] = order[joins[leaves]]
    return joins, lengths[used].astype(float)


KEPT = 0.8
"""Share of the sequences that are left at which groups are filled up again."""


Trees = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""The edges of the tree between two blocks, or within one that is given twice: keys int64, and bits of the lengths,
int32. It counts pairs in its third argument, and ends where the fourth is not 0."""


def _spanning(every: cpu_lcs.Every, threads: int, tell: Tell) -> tuple[np.ndarray, np.ndarray]:
    """Edges among which those of the minimum spanning tree are: keys int64, and bits of the lengths, int32."""
    count = every.offsets.size - 1
    parts = np.array_split(np.arange(count), linkage_blocks(np.diff(every.offsets), threads))
    return spanning(parts, count, threads, partial(_tree, every), tell)


def spanning(
    parts: list[np.ndarray], count: int, threads: int, tree: Trees, tell: Tell
) -> tuple[np.ndarray, np.ndarray]:
    """The edges of the trees of all pairs of blocks, and of every block."""
    pairs = list(itertools.combinations(parts, 2)) + [(part, part) for part in parts]
    threads = max(1, min(threads, len(pairs)))
    found: list[tuple[np.ndarray, np.ndarray]] = []
    done, stop = np.zeros((threads, 8), np.int64), workers.stop_word()
    waiting = iter(pairs)

    def work(worker: int) -> None:
        for one, two in waiting:
            found.append(tree(one, two, done[worker], stop))
            if stop[0]:
                return

    workers.share(work, threads, stop, lambda: tell(int(done[:, 0].sum()), max(count * (count - 1) // 2, 1)))
    keys, lengths = zip(*found, strict=True)
    return np.concatenate(keys), np.concatenate(lengths)


def _tree(
    every: cpu_lcs.Every, one: np.ndarray, two: np.ndarray, done: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The edges of the minimum spanning tree between two blocks, or within one that is given twice."""
    within = one is two
    edges = one.size - 1 + (0 if within else two.size)
    keys, lengths = np.empty(edges, np.int64), np.empty(edges, np.int32)
    blocks = [_outside(one[1:])] if within else [_outside(one[1:]), _outside(two)]
    rank, side, step = int(one[0]), 0, 0
    while step < edges and not stop[0]:
        left = edges - step
        last = step + (left if left <= cpu_lcs.LANES else left - int(KEPT * left))
        own = [cpu_lcs.masks(every, *block) for block in blocks]
        rank, side = cpu_lcs.grow(own[0], own[-1], every, rank, side, keys, lengths, step, last, done, stop)
        blocks, step = [cpu_lcs.left_of(block) for block in own], last
        del own  # before there are others
    return keys, lengths


def _outside(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sequences that are not in a tree, and nothing is known of."""
    return ranks, np.zeros_like(ranks), np.full(ranks.size, cpu_lcs.FARTHEST)


@cache
def compile_linkage() -> None:
    """Compile, or load from the cache folder."""
    single_linkage(np.zeros(3, np.uint8), np.arange(4), 1, lambda done, total: None)
