"""Single linkage over longest common subsequences, as FAMSA has it: a guide tree of many sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from kernels.cpu import workers
from kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
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
    times_ms = {"compilation": time_ms(_compiled), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    first, own = distinct(problem.sequences)
    codes, offsets = encoded([problem.sequences[number] for number in first.tolist()], problem.protein)
    tell = told(monitor, PHASE)
    try:
        joins, heights = single_linkage(codes, offsets, typed(Threads, parameters).threads, tell)
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


def single_linkage(
    codes: np.ndarray, offsets: np.ndarray, threads: int, tell: Callable[[int, int], None]
) -> tuple[np.ndarray, np.ndarray]:
    """Joins int64 (n - 1, 2) and heights float64 (n - 1,) of sequences of codes (uint8, 20 for no letter).

    ``tell(pairs, of)`` is progress.
    """
    count = offsets.size - 1
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    sorted_offsets = np.concatenate([[0], np.cumsum(lengths[order])])
    sorted_codes = np.concatenate([codes[offsets[one] : offsets[one + 1]] for one in order.tolist()])
    own = cpu_lcs.masks(sorted_codes, sorted_offsets)
    nearest, heights = np.empty(count, np.int32), np.empty(count, np.float32)
    words, stop, done = np.zeros(16, np.int64), workers.stop_word(), np.zeros(1, np.int64)
    threads = max(1, min(threads, -(-count // cpu_lcs.ROWS)))

    def work(worker: int) -> None:
        cpu_lcs.slink(own, np.empty((cpu_lcs.ROWS, count), np.float32), words, nearest, heights, done, stop)

    workers.share(work, threads, stop, lambda: tell(int(done[0]) ** 2, count**2))
    joins, levels = np.empty((max(count - 1, 0), 2), np.int64), np.empty(max(count - 1, 0))
    cpu_lcs.joins_of(nearest, heights, np.argsort(heights, kind="stable"), joins, levels)
    leaves = joins < count
    joins[leaves] = order[joins[leaves]]
    return joins, levels


@cache
def _compiled() -> None:
    """Compile, or load from the cache folder."""
    single_linkage(np.zeros(3, np.uint8), np.arange(4), 1, lambda done, total: None)
