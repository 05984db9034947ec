"""The progressive stage, compiled: from the leaves of a guide tree to its root, the nodes of each phase at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.io.aligned import GAP
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import cpu_nodes
from antidiag.kernels.msa.encoding import Encoder
from antidiag.kernels.msa.growth import Growth
from antidiag.kernels.msa.progressive import ALIGNMENT, PARTS, Log, Node, Rule, units_of
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.profiles.scoring import Encoded
from antidiag.kernels.trees import order

AlignEach = Callable[..., list[ProfileAnswer]]
"""`kernels.profiles.batch.align_each` on a backend: sizes, what makes a problem, and the monitor by its name."""


class Joined(NamedTuple):
    """Which columns of a node each of its two children fills; bool."""

    first: np.ndarray
    second: np.ndarray


def align(
    tree: Tree,
    sequences: Sequences[Sequence],
    weights: Sequences[int],
    alphabet: str,
    rule: Rule,
    align_each: AlignEach,
    monitor: Monitor,
    log: Log | None = None,
    at_once: bool = True,
) -> np.ndarray:
    """The rows of the whole alignment, uint8 (leaves, columns), in the order of the leaves.

    ``sequences`` and ``weights`` (whole, 1 or more) are those of the leaves, in their order. The leaves of the first
    child of a node stand before those of the second; every inner node has two. Where not ``at_once``, a node is aligned
    after another.
    """
    made = dict(zip(tree.leaves.tolist(), _leaves(sequences, weights, alphabet, rule, monitor), strict=True))
    second = _second_children(tree)
    joined: dict[int, Joined] = {}
    encoder = Encoder(rule, alphabet)
    steps = order.alignment_order(tree)
    phases = order.by_phase(steps) if at_once else list(steps.nodes[:, None])
    total, done = sum(map(len, phases)), 0
    monitor.shown = growth = Growth.of(tree)
    for number, phase in enumerate(phases):
        begun_ns = time.perf_counter_ns()
        nodes = phase.tolist()
        children = [(made.pop(node + 1), made.pop(second[node])) for node in nodes]
        within = _Within(monitor, done, len(nodes), total)
        growth.begin(nodes)
        for node, both, answer in zip(nodes, children, _aligned(children, encoder, align_each, within), strict=True):
            joined[node] = Joined(answer.taken(0), answer.taken(1))
            made[node] = united(*both, answer.operations)
            growth.end(node, len(made[node]))
            monitor.check()
        done += len(nodes)
        if log is not None:
            log.add(number, nodes, children, begun_ns)
    monitor.update(total, total, ALIGNMENT)
    return _rows(tree, sequences, joined, second, monitor)


def united(first: Node, second: Node, operations: np.ndarray) -> Node:
    """The node above two that are aligned."""
    totals = np.array([first.total, second.total])
    counts, marks = cpu_nodes.united(first.counts, second.counts, first.marks, second.marks, totals, operations)
    return Node(counts, marks, int(totals.sum()), first.first, first.rows + second.rows)


def _leaves(
    sequences: Sequences[Sequence], weights: Sequences[int], alphabet: str, rule: Rule, monitor: Monitor
) -> list[Node]:
    units, found = units_of(alphabet), []
    for place, (sequence, weight) in enumerate(zip(sequences, weights, strict=True)):
        monitor.check()
        counts = cpu_nodes.leaf(units, sequence.array, weight)
        found.append(Node(counts, rule.fast_marks(sequence), weight * PARTS, place, 1))
    return found


def _aligned(
    children: Sequences[tuple[Node, Node]], encoder: Encoder, align_each: AlignEach, monitor: Monitor
) -> list[ProfileAnswer]:
    """The answers of all pairs: those of one kind of score and one mode by one call."""
    groups: dict[tuple[int, int], list[int]] = {}
    plans = [encoder.plan(*both) for both in children]
    for number, plan in enumerate(plans):
        groups.setdefault((plan.template.kind, plan.template.mode), []).append(number)
    found: dict[int, ProfileAnswer] = {}
    for numbers in groups.values():

        def make(at: int, numbers: list[int] = numbers) -> Encoded:
            return encoder.encoded(plans[numbers[at]], *children[numbers[at]])

        sizes = [len(children[number][0]) * len(children[number][1]) for number in numbers]
        found.update(zip(numbers, align_each(sizes, make, monitor=monitor), strict=True))
    return [found[number] for number in range(len(children))]


def _second_children(tree: Tree) -> dict[int, int]:
    """The second child of every inner node, which is the one behind all that is below the first."""
    inner = np.flatnonzero(tree.degrees > 0)
    return dict(zip(inner.tolist(), tree.ends[inner + 1].tolist(), strict=True))


def _rows(
    tree: Tree, sequences: Sequences[Sequence], joined: dict[int, Joined], second: dict[int, int], monitor: Monitor
) -> np.ndarray:
    """The letters of all sequences in the columns of the root."""
    width = joined[0].first.size if joined else len(sequences[0])
    places: dict[int, np.ndarray] = {0: np.arange(width, dtype=np.int32)}
    rows = np.full((len(sequences), width), GAP, np.uint8)
    row = 0
    for node in range(len(tree)):
        own = places.pop(node)
        if node in joined:
            places[node + 1] = own[joined[node].first]
            places[second[node]] = own[joined[node].second]
        else:
            rows[row, own] = sequences[row].array
            row += 1
            monitor.check()
    return rows


class _Within(Monitor):
    """The progress of one phase within all of them."""

    def __init__(self, whole: Monitor, done: int, nodes: int, total: int) -> None:
        super().__init__()
        self._whole, self._done, self._nodes, self._total, self._most = whole, done, nodes, total, 0
        self.update(0, 1)

    def check(self) -> None:
        self._whole.check()

    def update(self, done: int, total: int, phase: str = "") -> None:
        self._most = max(self._most, 1000 * self._nodes * done // max(total, 1))
        self._whole.update(1000 * self._done + self._most, 1000 * self._total, ALIGNMENT)
