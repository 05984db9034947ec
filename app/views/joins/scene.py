"""The joins of a clustering as pictures: where its clusters stand, and what is said of each. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.app.kit.result_text import number
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import preorder
from antidiag.kernels.trees.joining.replay import Step, replay

MOST_TAXA = 150
"""Taxa that still have a row that can be seen; the matrices of all steps take n^3 / 3 numbers."""
NAMED = 3
"""Taxa that are named of a cluster."""


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is needed to draw any moment.

    ``order`` is the taxon in each row. Nodes are taxa and clusters as in `Step`, and for neighbor joining the middle
    where the last ones meet; ``first`` to ``last`` (half-open) are the rows of each, ``middle`` where it is drawn, and
    ``level`` is 0 for taxa, else the number of its join from 1.
    """

    names: tuple[str, ...]
    steps: list[Step]
    average: bool
    parents: np.ndarray
    order: np.ndarray
    first: np.ndarray
    last: np.ndarray
    middle: np.ndarray
    level: np.ndarray

    @property
    def end(self) -> int:
        """The number of the last picture: all joins are made, and what was left has met."""
        return int(self.level.max())

    @cached_property
    def levels(self) -> tuple[float, float]:
        """The least and the greatest distance of two clusters at any time."""
        found = [step.values[np.triu_indices(len(step.nodes), 1)] for step in self.steps]
        values = np.concatenate(found)
        return (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)

    def step(self, at: int) -> Step:
        """What is known in a picture."""
        return self.steps[min(at, len(self.steps) - 1)]

    def coming(self, at: int) -> tuple[int, ...]:
        """The clusters that are joined next; () in the last picture."""
        step = self.step(at)
        return () if at >= self.end else step.pair or step.nodes

    def clusters(self, at: int) -> np.ndarray:
        """The place of each row's cluster in `Step.nodes` and so in its matrices, int64."""
        step, found = self.step(at), np.zeros(len(self.names), np.int64)
        for place, node in enumerate(step.nodes):
            found[self.first[node] : self.last[node]] = place
        return found

    def taxa(self, node: int) -> tuple[str, ...]:
        """Names of the taxa of a cluster, in the order of rows."""
        return tuple(self.names[taxon] for taxon in self.order[self.first[node] : self.last[node]].tolist())

    def node_of(self, row: int, at: int) -> int:
        """The cluster that a row belongs to."""
        return self.step(at).nodes[int(self.clusters(at)[row])]

    def label(self, node: int) -> str:
        """A cluster in a few words."""
        if node < len(self.names):
            return self.names[node]
        taxa = self.taxa(node)
        more = f" and {len(taxa) - NAMED:,} more" if len(taxa) > NAMED else ""
        return f"({', '.join(taxa[:NAMED])}{more})"

    def text(self, at: int) -> str:
        """What happens in a picture: the pair, why it, and the branches to it."""
        step, count = self.step(at), len(self.step(at).nodes)
        if at >= self.end:
            joins = f"{len(self.steps) - 1:,} join{'s' * (len(self.steps) != 2)}"
            return f"All {joins} are made{'' if self.average else ', and the rest has met'}: the tree is complete."
        if not step.pair:
            return f"The {count} clusters that are left meet in the middle: the tree of neighbor joining has no root."
        i, j = (step.nodes.index(node) for node in step.pair)
        first, second = (self.label(node) for node in step.pair)
        between, lengths = number(_short(step.values[i, j])), [number(_short(length)) for length in step.lengths]
        branches = f"the branches to them are {lengths[0]} and {lengths[1]}"
        if self.average:
            height = number(_short(step.values[i, j] / 2))
            return f"{first} and {second} have the least distance, {between}: joined at height {height}; {branches}."
        least = number(_short(step.criterion[i, j]))
        return f"{first} and {second} have the least Q, {least} (distance {between}); {branches}."


def scene(matrix: DistanceMatrix, joins: np.ndarray) -> Scene:
    """The pictures of the joins of a tree's answer; as many joins as taxa but one are those of UPGMA."""
    taxa, made = len(matrix), len(joins)
    average = made == taxa - 1 and taxa > 1
    steps = replay(np.asarray(matrix.values, np.float64), joins, average)
    left = steps[-1].nodes
    parents = np.full(taxa + made + (len(left) > 1), -1)
    parents[np.asarray(joins, np.int64).reshape(-1, 2)] = taxa + np.arange(made)[:, None]
    if len(left) > 1:
        parents[list(left)] = taxa + made
    walk = preorder(parents)
    order = walk[walk < taxa]
    nodes = len(parents)
    first, last, middle = np.full(nodes, taxa), np.zeros(nodes, np.int64), np.zeros(nodes)
    first[order], last[order], middle[order] = np.arange(taxa), np.arange(taxa) + 1, np.arange(taxa) + 0.5
    for node in range(taxa, nodes):
        children = np.flatnonzero(parents == node)
        first[node], last[node] = first[children].min(), last[children].max()
        middle[node] = (middle[children].min() + middle[children].max()) / 2
    level = np.concatenate([np.zeros(taxa, np.int64), 1 + np.arange(nodes - taxa)])
    return Scene(matrix.names, steps, average, parents, order, first, last, middle, level)


def _short(value: float) -> float:
    return float(f"{float(value):.4g}")
