"""The progressive stage on threads: groups of subtrees in parallel, then what is above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase
from antidiag.kernels.parttree.progress import ReportProgress
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
    phase: CpuPhase,
    columns: np.ndarray,
    gap_ranges: np.ndarray,
    report: Callable[[int], None],
) -> np.ndarray:
    """Align some steps of a tree; return the gaps of their joins and write their ``columns`` and ``gap_ranges``.

    Steps below MERGED take ready profiles. ``report`` gets the number of joins that are done.
    """
    groups, top = split_steps(nodes, phase.run.threads, ready.sizes.size)
    done = np.zeros((phase.run.threads, 8), np.int64)
    found: list[Any] = [None] * len(groups)

    def align(steps: TreeSteps, given: ReadyProfiles, worker: int) -> tuple[ReadyProfiles, np.ndarray]:
        return cpu_profiles.align_steps(
            leaves.codes, leaves.offsets, steps, given, rules, columns, gap_ranges, done[worker], phase.run.stop
        )

    def align_group(worker: int, number: int) -> None:
        found[number] = align(groups[number], ready, worker)

    def report_progress() -> None:
        report(int(done[:, 0].sum()))

    phase.share_tasks(range(len(groups)), align_group, report=report_progress)
    every = concatenate_profiles([ready, *(one for one, _ in found)]) if groups else ready
    last: list[np.ndarray] = []
    phase.share(lambda worker: last.append(align(top, every, worker)[1]), report_progress, threads=1)
    used = last[0].shape[0]
    for steps, (_, gaps) in zip(groups, found, strict=True):
        gap_ranges[steps.node[steps.leaf == MERGED]] += used
        used += gaps.shape[0]
    return np.concatenate([last[0], *(gaps for _, gaps in found)])


def align_whole_tree(
    leaves: AlignmentLeaves, nodes: TreeSteps, rules: ScoreRules, phase: CpuPhase, report: ReportProgress
) -> AlignedNodes:
    """Align all steps of a tree."""
    total = 2 * leaves.sequences.size - 1
    columns, places = np.zeros(total, np.int64), np.zeros((total, 3), np.int64)
    gaps = align_tree_steps(
        leaves, nodes, no_profiles(), rules, phase, columns, places, lambda done: report(done, total)
    )
    report(1, 1)
    return columns, places, gaps
