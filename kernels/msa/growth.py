"""A guide tree whose nodes are aligned one after another: while that goes on, and afterwards from the step log."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result, different
from antidiag.kernels.msa.clustalw import ClustalwRules
from antidiag.kernels.msa.delays import delayed
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.msa.progressive import ALIGNMENT
from antidiag.kernels.trees.order import alignment_order, by_phase

PROGRESSIVE = "progressive"
"""The stage of `msa` in which nodes are aligned; of the pipelines it is ALIGNMENT."""
NOT_YET = -1
WAITING, UNDER_WAY, DONE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Growth:
    """Which nodes of a tree are aligned, and when they were.

    ``begun_ns`` and ``ended_ns``, int64 (nodes,), are since the first node was begun, NOT_YET where that is still to
    come; leaves are there from the beginning. ``columns`` int64 (nodes,) are those of the alignment of a node, 0 where
    nobody has said. A run writes them while others read: each number is whole at any time.
    """

    tree: Tree
    begun_ns: np.ndarray
    ended_ns: np.ndarray
    columns: np.ndarray
    started_ns: int = field(default_factory=time.perf_counter_ns)

    @classmethod
    def of(cls, tree: Tree) -> Growth:
        """Before any node is begun."""
        begun = np.where(tree.degrees > 0, NOT_YET, 0)
        return cls(tree, begun, begun.copy(), np.zeros(len(tree), np.int64))

    def begin(self, nodes: Iterable[int]) -> None:
        """These nodes are begun now."""
        now_ns = time.perf_counter_ns() - self.started_ns
        for node in nodes:
            self.begun_ns[node] = now_ns

    def end(self, node: int, columns: int) -> None:
        """A node is aligned now, in so many columns."""
        self.columns[node] = columns
        self.ended_ns[node] = time.perf_counter_ns() - self.started_ns

    def states(self, time_ns: float = np.inf) -> np.ndarray:
        """WAITING, UNDER_WAY or DONE of each node at a time, uint8."""
        begun = (self.begun_ns != NOT_YET) & (self.begun_ns <= time_ns)
        ended = (self.ended_ns != NOT_YET) & (self.ended_ns <= time_ns)
        found: np.ndarray = np.where(ended, DONE, np.where(begun, UNDER_WAY, WAITING)).astype(np.uint8)
        return found

    @property
    def inner(self) -> np.ndarray:
        """Nodes that are to be aligned, in the order of the tree."""
        return np.flatnonzero(self.tree.degrees > 0)

    @cached_property
    def moments_ns(self) -> np.ndarray:
        """When nodes were done, ascending, each moment once; of a run that has ended."""
        return different(self.ended_ns[self.inner])

    @property
    def last_ns(self) -> int:
        """When the last node was done."""
        return int(self.ended_ns.max(initial=0))


def nodes_of(joins: np.ndarray, tree: Tree) -> np.ndarray:
    """Which node of the tree each join makes, int64; its leaves are called by their numbers, as the joins call them."""
    n = len(joins) + 1
    node_of = np.zeros(2 * n - 1, np.int64)
    node_of[[int(name) for name in tree.taxa]] = tree.leaves
    for made, (first, _) in enumerate(joins.tolist()):
        node_of[n + made] = tree.parents[node_of[first]]
    return node_of[n:]


def shows(result: Result) -> bool:
    """Whether `replayed` finds something of a result."""
    return (
        isinstance(result.answer, MsaAnswer)
        and result.answer.tree is not None
        and bool({PROGRESSIVE, ALIGNMENT} & result.times_ms.keys())
        and result.steps.count > 0
    )


def replayed(result: Result) -> Growth | None:
    """When the nodes of the tree that was followed were aligned, by the step log: those of one event side by side.

    None where the log does not have as many nodes as the tree.
    """
    stages = [stage for stage in result.times_ms if stage not in ("compilation", "transfer")]
    stage = next(stage for stage in (PROGRESSIVE, ALIGNMENT) if stage in stages)
    events = result.steps.array()
    events = events[events["phase"] == stages.index(stage) + 1]
    found, sizes = Growth.of(followed(result.problem, result.answer)), events["row_end"] - events["row_start"]
    steps = alignment_order(found.tree)
    phases = by_phase(steps)
    # What is aligned a node after another is so in the order of the tree, not of the phases.
    nodes = np.concatenate([*phases, np.empty(0, np.int64)]) if sizes.tolist() == [*map(len, phases)] else steps.nodes
    if int(sizes.sum()) != nodes.size or not nodes.size:
        return None
    start_ns = int(events["start_ns"].min())
    found.begun_ns[nodes] = np.repeat(events["start_ns"] - start_ns, sizes)
    found.ended_ns[nodes] = np.repeat(events["end_ns"] - start_ns, sizes)
    return found


def followed(problem: MsaProblem, answer: MsaAnswer) -> Tree:
    """The tree along which sequences were aligned: of ClustalW's rules that in which divergent sequences are last."""
    assert answer.tree is not None
    if isinstance(problem.rules, ClustalwRules):
        return delayed(answer.tree, problem.rules.delay)[0]
    return answer.tree
