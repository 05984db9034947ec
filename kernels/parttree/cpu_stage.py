"""The progressive stage on threads: groups of subtrees side by side, then what is above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.parttree import cpu_profiles
from antidiag.kernels.parttree.alignment import Leaves
from antidiag.kernels.parttree.cpu_profiles import MERGED, Ready, nothing_ready, together
from antidiag.kernels.parttree.symbols import Nodes, Rules
from antidiag.kernels.parttree.tasks import tasks

Found = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Columns of every node, places and gaps: see `cpu_profiles.progressive`."""


def aligned(
    leaves: Leaves, nodes: Nodes, ready: Ready, rules: Rules, threads: int, columns: np.ndarray, places: np.ndarray,
    told: Callable[[int], None],
) -> np.ndarray:  # fmt: skip
    """Some steps of a tree; the gaps of their joins, whose ``columns`` and ``places`` are written.

    Steps below MERGED take ready profiles. ``told`` hears how many joins are done.
    """
    groups, top = tasks(nodes, threads, ready.sizes.size)
    done, stop = np.zeros((threads, 8), np.int64), workers.stop_word()
    found: list[Any] = [None] * len(groups)
    numbers = iter(range(len(groups)))

    def align(steps: Nodes, given: Ready, worker: int) -> tuple[Ready, np.ndarray]:
        return cpu_profiles.progressive(
            leaves.codes, leaves.offsets, steps, given, rules, columns, places, done[worker], stop)  # fmt: skip

    def work(worker: int) -> None:
        for number in numbers:
            found[number] = align(groups[number], ready, worker)

    def poll() -> None:
        told(int(done[:, 0].sum()))

    workers.share(work, max(1, min(threads, len(groups))), stop, poll)
    every = together([ready, *(one for one, _ in found)]) if groups else ready
    last: list[np.ndarray] = []
    workers.share(lambda worker: last.append(align(top, every, worker)[1]), 1, stop, poll)
    used = last[0].shape[0]
    for steps, (_, gaps) in zip(groups, found, strict=True):
        places[steps.node[steps.leaf == MERGED]] += used
        used += gaps.shape[0]
    return np.concatenate([last[0], *(gaps for _, gaps in found)])


def aligned_alone(leaves: Leaves, nodes: Nodes, rules: Rules, threads: int, told: Callable[[int, int], None]) -> Found:
    """All steps of a tree."""
    total = 2 * leaves.sequences.size - 1
    columns, places = np.zeros(total, np.int64), np.zeros((total, 3), np.int64)
    gaps = aligned(leaves, nodes, nothing_ready(), rules, threads, columns, places, lambda done: told(done, total))
    told(1, 1)
    return columns, places, gaps
