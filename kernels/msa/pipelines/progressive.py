"""Compiled progressive alignment: from the leaves of a guide tree to its root, independent nodes in parallel."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, LoggedCells
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor, PartMonitor
from antidiag.kernels.msa.pipelines import cpu_nodes
from antidiag.kernels.msa.pipelines.alignment_nodes import ALIGNMENT, PARTS, AlignmentNode, ScoringRule, letter_units
from antidiag.kernels.msa.pipelines.node_encoding import NodeEncoder
from antidiag.kernels.msa.tree_growth import TreeGrowth
from antidiag.kernels.profiles.column_scores.scoring import EncodedProfiles
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.trees import alignment_order

AlignEach = Callable[..., list[ProfileAnswer]]
"""`align_encoded_pairs` on a backend: takes sizes, a function that encodes a pair, and the monitor by its name."""


class ChildColumns(NamedTuple):
    """Which columns of a node each of its two children fills; bool."""

    first: np.ndarray
    second: np.ndarray


def align_along_tree(
    tree: Tree,
    sequences: Sequences[Sequence],
    weights: Sequences[int],
    alphabet: str,
    rule: ScoringRule,
    phase: CpuPhase,
    align_each: AlignEach,
    at_once: bool = True,
) -> np.ndarray:
    """Align sequences along a guide tree.

    Parameters
    ----------
    tree
        Binary tree; the leaves of a first child stand before those of the second.
    sequences, weights
        The sequence and the weight of each leaf, in leaf order; weights are whole numbers from 1.
    phase
        The phase of the run; in its log an event is a level, whose rows are nodes and columns those of the longest.
    align_each
        Aligns encoded pairs on a backend.
    at_once
        Whether independent nodes are aligned in parallel.

    Returns
    -------
    The rows of the alignment, uint8 (leaves, columns), in the order of the leaves.
    """
    monitor = phase.run.monitor
    made = dict(zip(tree.leaves.tolist(), _make_leaves(sequences, weights, alphabet, rule, monitor), strict=True))
    second = _second_children(tree)
    joined: dict[int, ChildColumns] = {}
    encoder = NodeEncoder(rule, alphabet)
    steps = alignment_order.alignment_order(tree)
    levels = alignment_order.group_by_phase(steps) if at_once else list(steps.nodes[:, None])
    total, done = sum(map(len, levels)), 0
    monitor.partial_result = growth = TreeGrowth.start_growth(tree)
    for number, level in enumerate(levels):
        begun_ns = time.perf_counter_ns()
        nodes = level.tolist()
        children = [(made.pop(node + 1), made.pop(second[node])) for node in nodes]
        within = PartMonitor(monitor, done, total, ALIGNMENT, size=len(nodes))
        growth.begin_nodes(nodes)
        for node, both, answer in zip(
            nodes, children, _align_children(children, encoder, align_each, within), strict=True
        ):
            joined[node] = ChildColumns(answer.holds_column(0), answer.holds_column(1))
            made[node] = unite_nodes(*both, answer.operations)
            growth.end_node(node, len(made[node]))
            monitor.check()
        done += len(nodes)
        longest = max(max(map(len, both)) for both in children)
        phase.log(LoggedCells((0, len(nodes)), (0, longest), number), 0, begun_ns)
    monitor.update(total, total, ALIGNMENT)
    return _fill_rows(tree, sequences, joined, second, monitor)


def unite_nodes(first: AlignmentNode, second: AlignmentNode, operations: np.ndarray) -> AlignmentNode:
    """Return the node above two aligned nodes."""
    totals = np.array([first.total, second.total])
    counts, marks = cpu_nodes.unite_counts(first.counts, second.counts, first.marks, second.marks, totals, operations)
    return AlignmentNode(counts, marks, int(totals.sum()), first.first, first.rows + second.rows)


def _make_leaves(
    sequences: Sequences[Sequence], weights: Sequences[int], alphabet: str, rule: ScoringRule, monitor: Monitor
) -> list[AlignmentNode]:
    """Return the nodes of all leaves."""
    units, found = letter_units(alphabet), []
    for place, (sequence, weight) in enumerate(zip(sequences, weights, strict=True)):
        monitor.check()
        counts = cpu_nodes.count_leaf(units, sequence.letter_array, weight)
        found.append(AlignmentNode(counts, rule.compiled_letter_marks(sequence), weight * PARTS, place, 1))
    return found


def _align_children(
    children: Sequences[tuple[AlignmentNode, AlignmentNode]],
    encoder: NodeEncoder,
    align_each: AlignEach,
    monitor: Monitor,
) -> list[ProfileAnswer]:
    """Align all pairs; those of one kind of score and one mode in one call."""
    groups: dict[tuple[int, int], list[int]] = {}
    plans = [encoder.plan_pair(*both) for both in children]
    for number, plan in enumerate(plans):
        groups.setdefault((plan.template.kind, plan.template.mode), []).append(number)
    found: dict[int, ProfileAnswer] = {}
    for numbers in groups.values():

        def make(at: int, numbers: list[int] = numbers) -> EncodedProfiles:
            return encoder.encode_pair(plans[numbers[at]], *children[numbers[at]])

        sizes = [len(children[number][0]) * len(children[number][1]) for number in numbers]
        found.update(zip(numbers, align_each(sizes, make, monitor=monitor), strict=True))
    return [found[number] for number in range(len(children))]


def _second_children(tree: Tree) -> dict[int, int]:
    """Return the second child of every inner node: the node behind all below the first child."""
    inner = np.flatnonzero(tree.degrees > 0)
    return dict(zip(inner.tolist(), tree.ends[inner + 1].tolist(), strict=True))


def _fill_rows(
    tree: Tree,
    sequences: Sequences[Sequence],
    joined: dict[int, ChildColumns],
    second: dict[int, int],
    monitor: Monitor,
) -> np.ndarray:
    """Return the letters of all sequences in the columns of the root."""
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
            rows[row, own] = sequences[row].letter_array
            row += 1
            monitor.check()
    return rows
