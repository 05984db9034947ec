"""The joins of a clustering as a series of steps: where clusters are drawn, and a text for each step. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.app.kit.results.result_text import format_number
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import preorder_nodes
from antidiag.kernels.text import format_count
from antidiag.kernels.trees.joining.replay import JoinStep, replay_joins

MOST_TAXA = 150
"""Most taxa whose rows are visible; the matrices of all steps take n^3 / 3 numbers."""
MAX_NAMED_TAXA = 3
"""Most taxa of a cluster that are named."""


@dataclass(frozen=True, eq=False)
class JoinScene:
    """Everything needed to draw any moment. ``order`` is the taxon in each row. Nodes are taxa and clusters as in
    `JoinStep`, and for neighbor joining the middle node; ``first`` to ``last`` (half-open) are the rows of each,
    ``middle`` its height, and ``level`` the number of its join from 1, 0 for taxa."""

    names: tuple[str, ...]
    steps: list[JoinStep]
    average: bool
    parents: np.ndarray
    order: np.ndarray
    first: np.ndarray
    last: np.ndarray
    middle: np.ndarray
    level: np.ndarray

    @property
    def last_step(self) -> int:
        """The number of the last step, at which the tree is complete."""
        return int(self.level.max())

    @cached_property
    def levels(self) -> tuple[float, float]:
        """The least and the greatest distance of two clusters at any step."""
        found = [step.values[np.triu_indices(len(step.nodes), 1)] for step in self.steps]
        values = np.concatenate(found)
        return (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)

    def step_at(self, at: int) -> JoinStep:
        """Return the step with this number."""
        return self.steps[min(at, len(self.steps) - 1)]

    def next_clusters(self, at: int) -> tuple[int, ...]:
        """Return the clusters joined next; () at the last step."""
        step = self.step_at(at)
        return () if at >= self.last_step else step.pair or step.nodes

    def cluster_indices(self, at: int) -> np.ndarray:
        """Return the index of each row's cluster in `JoinStep.nodes`, int64."""
        step, found = self.step_at(at), np.zeros(len(self.names), np.int64)
        for place, node in enumerate(step.nodes):
            found[self.first[node] : self.last[node]] = place
        return found

    def cluster_taxa(self, node: int) -> tuple[str, ...]:
        """Return the names of a cluster's taxa in row order."""
        return tuple(self.names[taxon] for taxon in self.order[self.first[node] : self.last[node]].tolist())

    def node_of(self, row: int, at: int) -> int:
        """Return the cluster of a row."""
        return self.step_at(at).nodes[int(self.cluster_indices(at)[row])]

    def cluster_label(self, node: int) -> str:
        """Return a short name of a cluster."""
        if node < len(self.names):
            return self.names[node]
        taxa = self.cluster_taxa(node)
        more = f" and {len(taxa) - MAX_NAMED_TAXA:,} more" if len(taxa) > MAX_NAMED_TAXA else ""
        return f"({', '.join(taxa[:MAX_NAMED_TAXA])}{more})"

    def describe_step(self, at: int) -> str:
        """Describe a step: the pair, why it is joined, and its branches."""
        step, count = self.step_at(at), len(self.step_at(at).nodes)
        if at >= self.last_step:
            return f"The tree is complete after {format_count(len(self.steps) - 1, 'join')}."
        if not step.pair:
            return f"The last {count} clusters meet in one node, because a neighbor-joining tree has no root."
        i, j = (step.nodes.index(node) for node in step.pair)
        first, second = (self.cluster_label(node) for node in step.pair)
        between, lengths = (
            format_number(_round_value(step.values[i, j])),
            [format_number(_round_value(length)) for length in step.lengths],
        )
        branches = f"branch lengths {lengths[0]} and {lengths[1]}"
        if self.average:
            height = format_number(_round_value(step.values[i, j] / 2))
            return f"{first} and {second} have the least distance, {between}: joined at height {height}; {branches}."
        least = format_number(_round_value(step.criterion[i, j]))
        return f"{first} and {second} have the least Q, {least} (distance {between}); {branches}."


def build_scene(matrix: DistanceMatrix, joins: np.ndarray) -> JoinScene:
    """Build the steps of a tree's joins; one join fewer than taxa means UPGMA."""
    taxa, made = len(matrix), len(joins)
    average = made == taxa - 1 and taxa > 1
    steps = replay_joins(np.asarray(matrix.values, np.float64), joins, average)
    left = steps[-1].nodes
    parents = np.full(taxa + made + (len(left) > 1), -1)
    parents[np.asarray(joins, np.int64).reshape(-1, 2)] = taxa + np.arange(made)[:, None]
    if len(left) > 1:
        parents[list(left)] = taxa + made
    walk = preorder_nodes(parents)
    order = walk[walk < taxa]
    nodes = len(parents)
    first, last, middle = np.full(nodes, taxa), np.zeros(nodes, np.int64), np.zeros(nodes)
    first[order], last[order], middle[order] = np.arange(taxa), np.arange(taxa) + 1, np.arange(taxa) + 0.5
    for node in range(taxa, nodes):
        children = np.flatnonzero(parents == node)
        first[node], last[node] = first[children].min(), last[children].max()
        middle[node] = (middle[children].min() + middle[children].max()) / 2
    level = np.concatenate([np.zeros(taxa, np.int64), 1 + np.arange(nodes - taxa)])
    return JoinScene(matrix.names, steps, average, parents, order, first, last, middle, level)


def _round_value(value: float) -> float:
    return float(f"{float(value):.4g}")
