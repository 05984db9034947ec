"""Rooted trees as arrays: guide trees and phylogenies.

Nodes are numbered in preorder: the root is 0, a parent comes before its children, and the nodes below a node follow it
without a gap. So the nodes below a node are a slice, and a sum over them is the difference of two running sums.
Everything here is vectorised and without recursion, so that a tree of 100,000 leaves or a caterpillar is no problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.serialization import stored

BATCH_NAMES = 4096
"""Names in a batch; other threads run between two batches."""


@stored("tree")
@dataclass(frozen=True, eq=False)
class Tree:
    """A rooted, ordered tree; one whose root has three branches stands for an unrooted tree.

    ``names`` has one name a node, "" where there is none; the name of an inner node may be a support value. ``parents``
    is int32, -1 for the root; ``lengths`` is float64: the length of the edge above each node, NaN where there is none.
    The arrays become read-only. ``node_values`` are columns of texts that a file gives beside the tree, such as species
    or dates: a title, and a text a node, "" where there is none. InputError where the numbering is not preorder.
    """

    names: tuple[str, ...]
    parents: np.ndarray = field(repr=False)
    lengths: np.ndarray = field(repr=False)
    name: str = "tree"
    source: str = ""
    note: str = ""
    node_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        for attribute, dtype in (("parents", np.int32), ("lengths", np.float64)):
            array = np.array(getattr(self, attribute), dtype)
            array.setflags(write=False)
            object.__setattr__(self, attribute, array)
        _check_numbering(self)

    @classmethod
    def from_parents(
        cls,
        names: Sequences[str],
        parents: np.ndarray,
        lengths: np.ndarray | None = None,
        name: str = "tree",
        source: str = "",
        note: str = "",
        node_values: Mapping[str, tuple[str, ...]] | None = None,
    ) -> Tree:
        """Return a tree from any numbering, with one root of parent -1; children keep the order of their numbers."""
        parents = np.asarray(parents, np.int64)
        order = preorder_nodes(parents)
        lengths = np.full(order.size, np.nan) if lengths is None else np.asarray(lengths, np.float64)
        return cls(
            _names_in_order(names, order, order.size),
            renumber_parents(parents, order),
            lengths[order],
            name,
            source,
            note,
            reorder_values(node_values or {}, order),
        )

    @classmethod
    def from_joins(
        cls,
        names: Sequences[str],
        joins: np.ndarray,
        lengths: np.ndarray | None = None,
        name: str = "tree",
        source: str = "",
        note: str = "",
    ) -> Tree:
        """Return a tree from the joins of a clustering, the last of which makes the root.

        `kernels.io.tree_edits.unroot` turns it into a tree with three branches at the root.

        Parameters
        ----------
        names : sequence of str
            The n taxa.
        joins : array of int64, shape (n - 1, 2)
            The two nodes that each join unites: id < n is a taxon, n + k the node that join k made.
        lengths : array of float64, shape (n - 1, 2), optional
            The lengths of the edges to these nodes.
        """
        joins = np.asarray(joins, np.int64).reshape(-1, 2)
        taxa, made = len(names), len(joins)
        if made != max(taxa - 1, 0) or not taxa:
            raise InputError(f"{name}: {taxa} taxa need {max(taxa - 1, 0)} joins, not {made}")
        fresh = taxa + np.arange(made)
        if made and (
            joins.min() < 0 or (joins >= fresh[:, None]).any() or np.bincount(joins.ravel(), minlength=taxa).max() > 1
        ):
            raise InputError(f"{name}: the joins do not make a tree; each node is joined once, after it was made")
        parents = np.full(taxa + made, -1)
        parents[joins] = fresh[:, None]
        above = np.full(taxa + made, np.nan)
        if lengths is not None:
            above[joins] = np.asarray(lengths, np.float64).reshape(-1, 2)
        order = preorder_nodes(parents, _joined_rank(joins, taxa))
        return cls(
            _names_in_order(names, order, taxa), renumber_parents(parents, order), above[order], name, source, note
        )

    def __len__(self) -> int:
        """Return number of nodes."""
        return self.parents.size

    def __eq__(self, other: object) -> bool:
        """Return whether names, shape, order, lengths and values are equal; what the tree is called does not count."""
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.parents, other.parents)
            and np.array_equal(self.lengths, other.lengths, equal_nan=True)
            and self.node_values == other.node_values
        )

    def __hash__(self) -> int:
        return hash((len(self), self.names[:16]))

    @property
    def summary(self) -> str:
        """The size in a few words: "24 taxa"."""
        count = self.leaves.size
        return f"{count:,} tax{'on' if count == 1 else 'a'}"

    @cached_property
    def leaves(self) -> np.ndarray:
        """The nodes without children, in their order, int32."""
        return np.flatnonzero(self.degrees == 0).astype(np.int32)

    @cached_property
    def taxa(self) -> tuple[str, ...]:
        """Names of the leaves, in their order."""
        return _names_in_order(self.names, self.leaves, len(self))

    @cached_property
    def degrees(self) -> np.ndarray:
        """Number of children of each node."""
        return np.bincount(self.parents[1:], minlength=len(self)) if len(self) > 1 else np.zeros(len(self), np.int64)

    @cached_property
    def depths(self) -> np.ndarray:
        """Number of edges between each node and the root, int64."""
        return self.from_root(np.ones(len(self), np.int64))

    @cached_property
    def distances(self) -> np.ndarray:
        """The length of the path from the root to each node, float64; edges without a length count as 0."""
        return self.from_root(np.nan_to_num(self.lengths))

    @cached_property
    def ends(self) -> np.ndarray:
        """The node after the last one below each node: the nodes at and below v are v..ends[v], half-open."""
        order, following = np.argsort(self.parents, kind="stable"), np.zeros(len(self), np.int64)
        siblings = self.parents[order[1:]] == self.parents[order[:-1]]
        following[order[:-1][siblings]] = order[1:][siblings]
        climb = np.where(following > 0, np.arange(len(self)), self.parents)
        climb[0] = 0
        found = following[_follow_jumps(climb)]
        return np.where(found > 0, found, len(self))

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of nodes at and below each node, int64."""
        return self.ends - np.arange(len(self))

    @cached_property
    def leaf_counts(self) -> np.ndarray:
        """Number of leaves at and below each node, int64."""
        return self.below(self.degrees == 0)

    def children(self, node: int) -> np.ndarray:
        """Return the children of a node, in their order."""
        order, starts = self._children
        return order[starts[node] : starts[node + 1]]

    def children_of(self, nodes: np.ndarray) -> np.ndarray:
        """Return the children of all these nodes, one node's after another's, int64."""
        order, starts = self._children
        counts = self.degrees[nodes]
        before = np.cumsum(counts) - counts
        return order[np.repeat(starts[nodes] - before, counts) + np.arange(int(counts.sum()))]

    def from_root(self, values: np.ndarray) -> np.ndarray:
        """Return the sums of a value a node along the path from the root, without the root's own value."""
        return sum_from_root(self.parents, values)

    def below(self, values: np.ndarray) -> np.ndarray:
        """Return the sums of a value a node over all nodes at and below each node."""
        running = np.concatenate([np.zeros(1, values.dtype), np.cumsum(values)])
        return running[self.ends] - running[:-1]

    def highest_below(self, values: np.ndarray) -> np.ndarray:
        """Return the largest of a value a node among all nodes at and below each node.

        Table k holds the largest of 2^k nodes in a row; two of them that overlap cover any slice.
        """
        found, table, width = values.copy(), values.copy(), 1
        sizes, numbers = self.sizes, np.arange(len(self))
        while width <= len(self):
            fitting = numbers[(sizes >= width) & (sizes < 2 * width)]
            found[fitting] = np.maximum(table[fitting], table[self.ends[fitting] - width])
            table = np.maximum(table, np.append(table[width:], table[-1:].repeat(min(width, table.size))))
            width *= 2
        return found

    def path(self, node: int) -> list[int]:
        """Return the nodes from ``node`` up to the root, both included."""
        found = [node]
        while found[-1]:
            found.append(int(self.parents[found[-1]]))
        return found

    @cached_property
    def _children(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(self.parents, kind="stable")[1:]
        return order, np.concatenate([[0], np.cumsum(self.degrees)])


def _names_in_order(names: Sequences[str], order: np.ndarray, named: int) -> tuple[str, ...]:
    """Return the names of nodes in an order; the first ``named`` nodes have names, the others "".

    A Python loop over batches lets other threads run meanwhile.
    """
    parts = (order[first : first + BATCH_NAMES].tolist() for first in range(0, order.size, BATCH_NAMES))
    return tuple(names[node] if node < named else "" for part in parts for node in part)


def reorder_values(values: Mapping[str, tuple[str, ...]], origin: np.ndarray) -> dict[str, tuple[str, ...]]:
    """Return columns of values in another order; -1 in ``origin`` is a node without values."""
    nodes = origin.tolist() if values else []
    return {title: tuple(column[node] if node >= 0 else "" for node in nodes) for title, column in values.items()}


def sum_from_root(parents: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the sums of a value a node along the path from the root, in any numbering, without the root's own value.

    Every round adds what was summed one jump further up and doubles the jumps, so that a chain of n nodes takes log2 n
    rounds.
    """
    jumps, sums = parents.astype(np.intp), np.array(values)
    root = int(np.argmin(parents))
    jumps[root] = root
    sums[root] = 0
    for _ in range(parents.size.bit_length() + 1):
        if not (jumps != root).any():
            return sums
        sums += sums[jumps]
        jumps = jumps[jumps]
    raise InputError("the tree has a cycle: a node is its own ancestor; correct its parents")


def preorder_nodes(parents: np.ndarray, rank: np.ndarray | None = None) -> np.ndarray:
    """Return the nodes in preorder, for parents in any numbering; children in the order of ``rank`` (default: their
    numbers).

    Ranks the Euler tour (one step down into a node and one step up out of it, 2 n in all) by doubling.
    """
    nodes = parents.size
    if not nodes or parents.min() < -1 or parents.max() >= nodes or (parents == -1).sum() != 1:
        raise InputError("a tree has one root, with parent -1, and every other node a parent in the tree")
    order = np.lexsort((np.arange(nodes) if rank is None else rank, parents))[1:]
    above = parents[order]
    step = np.empty(2 * nodes, np.int32)  # entries 0..n are steps into a node, the others out of it
    step[:nodes] = np.arange(nodes, 2 * nodes)
    step[nodes + order] = nodes + above
    root = int(np.argmin(parents))
    step[nodes + root] = nodes + root
    if order.size:
        first = np.append(True, above[1:] != above[:-1])
        step[above[first]] = order[first]
        step[nodes + order[:-1][~first[1:]]] = order[1:][~first[1:]]
    left = _count_steps_left(step, nodes + root)
    return np.argsort(left[:nodes], kind="stable")[::-1]


def renumber_parents(parents: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the parents in the numbering where ``order`` lists the old numbers of the nodes."""
    place = np.empty(order.size + 1, np.int64)
    place[order] = np.arange(order.size)
    place[-1] = -1
    return place[parents[order]]


def parents_from_depths(depths: np.ndarray) -> np.ndarray:
    """Return the parents from the depths of nodes in preorder: the nearest node before it that is one edge higher."""
    nodes, numbers = depths.size, np.arange(depths.size)
    keys = np.sort(depths * nodes + numbers)
    parents = keys[np.searchsorted(keys, (depths - 1) * nodes + numbers) - 1] % nodes
    parents[0] = -1
    return parents


def _count_steps_left(step: np.ndarray, last: int) -> np.ndarray:
    """Return how many steps lead from each place of a linked list to its last one."""
    left = np.ones(step.size, np.int32)
    left[last] = 0
    for _ in range(step.size.bit_length() + 1):
        if not (step != last).any():
            return left
        left += left[step]
        step = step[step]
    raise InputError("the tree has a cycle: a node is its own ancestor; correct its parents")


def _follow_jumps(jumps: np.ndarray) -> np.ndarray:
    """Return where repeated jumps end."""
    while True:
        further = jumps[jumps]
        if np.array_equal(further, jumps):
            return jumps
        jumps = further


def _joined_rank(joins: np.ndarray, taxa: int) -> np.ndarray:
    """Return a rank that puts the first node of each join before the second."""
    rank = np.zeros(taxa + len(joins), np.int64)
    rank[joins] = (0, 1)
    return rank


def _check_numbering(tree: Tree) -> None:
    """Raise InputError where the arrays do not fit or the numbering is not preorder."""
    nodes = len(tree.names)
    if not nodes or tree.parents.shape != (nodes,) or tree.lengths.shape != (nodes,):
        raise InputError(f"{tree.name}: a tree has at least one node, and a name, a parent and a length for each")
    for title, column in tree.node_values.items():
        if len(column) != nodes:
            raise InputError(f"{tree.name}: {len(column):,} values of {title} for {nodes:,} nodes; give one a node")
    parents, numbers = tree.parents, np.arange(nodes)
    if parents[0] != -1 or (parents[1:] < 0).any() or (parents[1:] >= numbers[1:]).any():
        raise InputError(f"{tree.name}: nodes are numbered with the root first and parents before children")
    if nodes > 1 and ((np.diff(tree.depths) > 1).any() or (parents_from_depths(tree.depths) != parents).any()):
        raise InputError(f"{tree.name}: the nodes below a node must follow it; Tree.from_parents renumbers")
