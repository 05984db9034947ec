"""The alignment of a guide tree's nodes over time: during a run, or later from the step log."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result, unique_values
from antidiag.kernels.msa.pipelines.alignment_nodes import ALIGNMENT
from antidiag.kernels.msa.pipelines.clustalw import ClustalwRules
from antidiag.kernels.msa.pipelines.divergent_sequences import delay_divergent
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.trees.alignment_order import alignment_order, group_by_phase

PROGRESSIVE = "progressive"
"""The stage of `msa` in which nodes are aligned; in the pipelines it is ALIGNMENT."""
NOT_YET = -1
WAITING, UNDER_WAY, DONE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class TreeGrowth:
    """Which nodes of a tree are aligned, and when.

    ``begun_ns`` and ``ended_ns`` int64 (nodes,) count from the first begin, NOT_YET before; leaves have 0. ``columns``
    int64 (nodes,) are those of a node's alignment, 0 if unknown. A run writes while others read; each number is
    complete at any time.
    """

    tree: Tree
    begun_ns: np.ndarray
    ended_ns: np.ndarray
    columns: np.ndarray
    started_ns: int = field(default_factory=time.perf_counter_ns)

    @classmethod
    def start_growth(cls, tree: Tree) -> TreeGrowth:
        """Return a tree before its first node begins."""
        begun = np.where(tree.degrees > 0, NOT_YET, 0)
        return cls(tree, begun, begun.copy(), np.zeros(len(tree), np.int64))

    def begin_nodes(self, nodes: Iterable[int]) -> None:
        """Note that these nodes begin now."""
        now_ns = time.perf_counter_ns() - self.started_ns
        for node in nodes:
            self.begun_ns[node] = now_ns

    def end_node(self, node: int, columns: int) -> None:
        """Note that a node is aligned now, in ``columns`` columns."""
        self.columns[node] = columns
        self.ended_ns[node] = time.perf_counter_ns() - self.started_ns

    def node_states(self, time_ns: float = np.inf) -> np.ndarray:
        """Return WAITING, UNDER_WAY or DONE of each node at a time, uint8."""
        begun = (self.begun_ns != NOT_YET) & (self.begun_ns <= time_ns)
        ended = (self.ended_ns != NOT_YET) & (self.ended_ns <= time_ns)
        found: np.ndarray = np.where(ended, DONE, np.where(begun, UNDER_WAY, WAITING)).astype(np.uint8)
        return found

    @property
    def inner_nodes(self) -> np.ndarray:
        """Return the nodes to be aligned, in the order of the tree."""
        return np.flatnonzero(self.tree.degrees > 0)

    @cached_property
    def moments_ns(self) -> np.ndarray:
        """Return the different times at which nodes ended, ascending; for a finished run."""
        return unique_values(self.ended_ns[self.inner_nodes])

    @property
    def last_ns(self) -> int:
        """Return the time at which the last node ended."""
        return int(self.ended_ns.max(initial=0))


def join_nodes(joins: np.ndarray, tree: Tree) -> np.ndarray:
    """Return the tree node of each join, int64; leaves are named by the numbers of the joins."""
    n = len(joins) + 1
    node_of = np.zeros(2 * n - 1, np.int64)
    node_of[[int(name) for name in tree.taxa]] = tree.leaves
    for made, (first, _) in enumerate(joins.tolist()):
        node_of[n + made] = tree.parents[node_of[first]]
    return node_of[n:]


def can_replay(result: Result) -> bool:
    """Return whether `replay_growth` may find the growth of a result: its log has every node of the tree.

    One event for all nodes tells nothing of their order.
    """
    if not (
        isinstance(result.answer, MsaAnswer)
        and result.answer.tree is not None
        and bool({PROGRESSIVE, ALIGNMENT} & result.times_ms.keys())
        and result.steps.count > 0
    ):
        return False
    events = _node_events(result)
    nodes = int((events["row_end"] - events["row_start"]).sum())
    return nodes == np.count_nonzero(result.answer.tree.degrees) and (events.size > 1 or nodes == 1)


def _node_events(result: Result) -> np.ndarray:
    """Return the events of a step log in which nodes were aligned, by start."""
    stages = [stage for stage in result.times_ms if stage not in ("compilation", "transfer")]
    stage = next(stage for stage in (PROGRESSIVE, ALIGNMENT) if stage in stages)
    events = result.steps.ordered_events()
    return events[events["phase"] == stages.index(stage) + 1]


def replay_growth(result: Result) -> TreeGrowth | None:
    """Return the growth of a finished run by its step log; nodes of one event count as parallel.

    None if the log has another number of nodes than the tree.
    """
    events = _node_events(result)
    found = TreeGrowth.start_growth(followed_tree(result.problem, result.answer))
    sizes = events["row_end"] - events["row_start"]
    steps = alignment_order(found.tree)
    phases = group_by_phase(steps)
    # Nodes that are aligned one after another follow the order of the tree, not of its levels.
    nodes = np.concatenate([*phases, np.empty(0, np.int64)]) if sizes.tolist() == [*map(len, phases)] else steps.nodes
    if int(sizes.sum()) != nodes.size or not nodes.size:
        return None
    start_ns = int(events["start_ns"].min())
    found.begun_ns[nodes] = np.repeat(events["start_ns"] - start_ns, sizes)
    found.ended_ns[nodes] = np.repeat(events["end_ns"] - start_ns, sizes)
    return found


def followed_tree(problem: MsaProblem, answer: MsaAnswer) -> Tree:
    """Return the tree along which sequences were aligned; ClustalW's has divergent sequences last."""
    assert answer.tree is not None
    if isinstance(problem.rules, ClustalwRules):
        return delay_divergent(answer.tree, problem.rules.delay)[0]
    return answer.tree
