"""The progressive stage on threads: groups of subtrees in parallel, then what is above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.parttree.progressive import cpu_profiles
from antidiag.kernels.parttree.progressive.alignment_rules import AlignmentLeaves
from antidiag.kernels.parttree.progressive.cpu_profiles import MERGED, ReadyProfiles, concatenate_profiles, no_profiles
from antidiag.kernels.parttree.progressive.tree_tasks import split_steps
from antidiag.kernels.parttree.symbols import ScoreRules, TreeSteps

AlignedNodes = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Columns of every node, places and gaps: see `cpu_profiles.align_steps`."""


def align_tree_steps(
    leaves: AlignmentLeaves,
    nodes: TreeSteps,
    ready: ReadyProfiles,
    rules: ScoreRules,
    threads: int,
    columns: np.ndarray,
    gap_ranges: np.ndarray,
    report: Callable[[int], None],
) -> np.ndarray:
    """Align some steps of a tree; return the gaps of their joins and write their ``columns`` and ``gap_ranges``.

    Steps below MERGED take ready profiles. ``report`` gets the number of joins that are done.
    """
    groups, top = split_steps(nodes, threads, ready.sizes.size)
    done, stop = np.zeros((threads, 8), np.int64), workers.make_stop_word()
    found: list[Any] = [None] * len(groups)
    numbers = iter(range(len(groups)))

    def align(steps: TreeSteps, given: ReadyProfiles, worker: int) -> tuple[ReadyProfiles, np.ndarray]:
        return cpu_profiles.align_steps(
            leaves.codes, leaves.offsets, steps, given, rules, columns, gap_ranges, done[worker], stop
        )

    def run_worker(worker: int) -> None:
        for number in numbers:
            found[number] = align(groups[number], ready, worker)

    def report_progress() -> None:
        report(int(done[:, 0].sum()))

    workers.share_work(run_worker, max(1, min(threads, len(groups))), stop, report_progress)
    every = concatenate_profiles([ready, *(one for one, _ in found)]) if groups else ready
    last: list[np.ndarray] = []
    workers.share_work(lambda worker: last.append(align(top, every, worker)[1]), 1, stop, report_progress)
    used = last[0].shape[0]
    for steps, (_, gaps) in zip(groups, found, strict=True):
        gap_ranges[steps.node[steps.leaf == MERGED]] += used
        used += gaps.shape[0]
    return np.concatenate([last[0], *(gaps for _, gaps in found)])


def align_whole_tree(
    leaves: AlignmentLeaves, nodes: TreeSteps, rules: ScoreRules, threads: int, report: Callable[[int, int], None]
) -> AlignedNodes:
    """Align all steps of a tree."""
    total = 2 * leaves.sequences.size - 1
    columns, places = np.zeros(total, np.int64), np.zeros((total, 3), np.int64)
    gaps = align_tree_steps(
        leaves, nodes, no_profiles(), rules, threads, columns, places, lambda done: report(done, total)
    )
    report(1, 1)
    return columns, places, gaps
