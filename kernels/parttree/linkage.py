"""Single linkage over longest common subsequences, as FAMSA has it: a guide tree of many sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from kernels.cpu import workers
from kernels.cpu.compiling import compiled_ms
from kernels.cpu.phases import PhaseClock, PhaseLog
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.parameters import typed
from kernels.parttree import cpu_lcs
from kernels.parttree.parameters import Threads
from kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from kernels.parttree.recursion import told, whole_tree
from kernels.parttree.symbols import encoded
from kernels.parttree.words import distinct
from kernels.steps import Steps

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
    first, own = distinct(problem.sequences)
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
    """The joins of a spanning tree, shortest edges first, and their heights; ``order`` are the numbers of ranks."""
    first = np.lexsort((keys, lengths))
    joins = np.empty((keys.size, 2), np.int64)
    cpu_lcs.joins_of(keys, first, joins)
    leaves = joins <= keys.size
    joins[leaves] = order[joins[leaves]]
    return joins, lengths[first].astype(float)


STEP = 2000
"""Words of groups that a thread goes through in a step at least, some 10 microseconds: they meet after each."""
KEPT = 0.75
"""Share of the sequences that are left at which groups are filled up again."""


def _spanning(every: cpu_lcs.Every, threads: int, tell: Tell) -> tuple[np.ndarray, np.ndarray]:
    """The edges of the minimum spanning tree: keys int64, and bits of the lengths, int32."""
    count = every.offsets.size - 1
    keys, lengths = np.zeros(max(count - 1, 0), np.int64), np.zeros(max(count - 1, 0), np.int32)
    ranks, least = np.arange(1, count), np.full(max(count - 1, 0), cpu_lcs.FARTHEST)
    nearest, rank, step = np.zeros_like(ranks), 0, 0
    own = None
    while ranks.size:
        del own  # before there are others
        own = cpu_lcs.masks(every, ranks, nearest, least)
        last = count - 1 if ranks.size <= cpu_lcs.LANES else step + ranks.size - int(KEPT * ranks.size)
        rank = _grown(every, own, rank, keys, lengths, (step, last), threads, tell)
        left = own.least >= 0
        ranks, nearest, least, step = own.ranks[left], own.nearest[left], own.least[left], last
    return keys, lengths


def _grown(
    every: cpu_lcs.Every, own: cpu_lcs.Masks, rank: int, keys: np.ndarray, lengths: np.ndarray, steps: tuple[int, int],
    threads: int, tell: Tell,
) -> int:  # fmt: skip
    """Some steps of Prim's algorithm on threads; the last sequence of the tree."""
    letters = every.codes.size // max(every.offsets.size - 1, 1)
    threads = max(1, min(threads, own.words.size // 4, letters * int(own.words.sum()) // STEP))
    slots, words = np.zeros((2, threads, cpu_lcs.LINE), np.int64), np.zeros(threads * cpu_lcs.LINE, np.int64)
    ends, done, stop = np.zeros(threads, np.int64), np.array([steps[0]]), workers.stop_word()
    count = every.offsets.size - 1

    def work(worker: int) -> None:
        ends[worker] = cpu_lcs.grow(
            own, every, rank, keys, lengths, *steps, worker, threads, slots, words, done, stop)  # fmt: skip

    workers.share(work, threads, stop, lambda: tell(_pairs(int(done[0]), count), _pairs(count, count)))
    return int(ends[0])


def _pairs(done: int, count: int) -> int:
    """Pairs that are measured when so many sequences are in the tree."""
    return done * (2 * count - done - 1) // 2


@cache
def compile_linkage() -> None:
    """Compile, or load from the cache folder."""
    single_linkage(np.zeros(3, np.uint8), np.arange(4), 1, lambda done, total: None)
