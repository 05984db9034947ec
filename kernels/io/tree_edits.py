"""Edits of trees: another root, another order of children, fewer taxa.

Every function returns the tree and the origin of its nodes, so that marks of a user stay on their nodes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree, preorder_nodes, renumber_parents, reorder_values


class EditedTree(NamedTuple):
    """An edited tree; ``origin`` is the node of the old tree that each of its nodes was, -1 for a new one."""

    tree: Tree
    origin: np.ndarray


def reroot(tree: Tree, node: int, position: float = 0.5) -> EditedTree:
    """Return the tree with its root on the edge above ``node``, at ``position`` (0 at the node, 1 at its parent).

    The neighbours of each node keep their cyclic order. Where all names of inner nodes are numbers, they are support
    values of edges, and stay with their edges. An old root with two neighbours is removed, and so is one with one
    neighbour and no name.
    """
    if not 0 < node < len(tree):
        raise InputError(f"{tree.name}: node {node} has no edge above it; choose a node below the root")
    nodes, way = len(tree), np.array(tree.path(int(node)))
    old, new_root = way[1:], nodes
    parents = np.append(tree.parents, -1)
    parents[way[:2]] = new_root
    parents[old[1:]] = old[:-1]
    lengths = np.append(tree.lengths, np.nan)
    lengths[old[1:]] = tree.lengths[old[:-1]]
    lengths[node] = tree.lengths[node] * position
    lengths[old[0]] = tree.lengths[node] * (1 - position)
    left = np.full(nodes + 1, -1)
    left[old] = way[:-1]
    rank = np.arange(nodes + 1)
    rank[:nodes][rank[:nodes] < left[tree.parents]] += 2 * nodes
    rank[old[1:]] = nodes
    rank[way[:2]] = 0, 1
    names = [*tree.names, ""]
    if names_are_values(tree):
        shifted = [tree.names[below] if tree.degrees[below] else "" for below in way[:-1].tolist()]
        for above, name in zip(old.tolist(), shifted, strict=True):
            names[above] = name
    turned = _rebuild_tree(tree, names, parents, lengths, rank)
    old_root = int(np.flatnonzero(turned.origin == 0)[0])
    degree = int(turned.tree.degrees[old_root])
    if degree == 1 or (degree == 0 and not tree.names[0]):
        return _compose_edits(turned, _contract_tree(turned.tree, np.arange(nodes + 1) != old_root))
    return turned


def unroot(tree: Tree) -> EditedTree:
    """Return the tree with three branches at the root instead of two: one of the two is merged into the root.

    A tree of one or two taxa stays as it is.
    """
    pair = tree.children(0)
    inner = [int(child) for child in pair if tree.degrees[child]]
    if pair.size != 2 or not inner:
        return EditedTree(tree, np.arange(len(tree)))
    gone = inner[-1]
    other = int(pair.sum()) - gone
    lengths, names = tree.lengths.copy(), list(tree.names)
    lengths[other] = _sum_lengths(tree.lengths[pair])
    lengths[gone] = np.nan
    if tree.degrees[other] and not names[other]:
        names[other] = names[gone]
    joined = dataclasses.replace(tree, names=tuple(names), lengths=lengths)
    return _contract_tree(joined, np.arange(len(tree)) != gone)


def swap_children(tree: Tree, node: int) -> EditedTree:
    """Return the tree with the children of ``node`` in the opposite order."""
    rank, children = np.arange(len(tree)), tree.children(node)
    rank[children] = children[::-1]
    return _rebuild_tree(tree, tree.names, tree.parents, tree.lengths, rank)


def ladderize(tree: Tree, node: int = 0, larger_last: bool = True) -> EditedTree:
    """Return the tree with the children below ``node`` sorted by their numbers of leaves; equal ones stay."""
    counts = tree.leaf_counts if larger_last else -tree.leaf_counts
    numbers = np.arange(len(tree))
    rank = np.where((numbers > node) & (numbers < tree.ends[node]), counts, numbers)
    return _rebuild_tree(tree, tree.names, tree.parents, tree.lengths, rank)


def order_like(tree: Tree, taxa: Sequences[str]) -> EditedTree:
    """Return the tree with children sorted by the mean place of their leaves in ``taxa``; others stay where they are.

    Beside a tree of this order few lines between equal leaves cross.
    """
    places = {name: place for place, name in enumerate(taxa)}
    at = np.zeros(len(tree))
    at[tree.leaves] = [places.get(name, place) for place, name in enumerate(tree.taxa)]
    return _rebuild_tree(tree, tree.names, tree.parents, tree.lengths, tree.below(at) / tree.leaf_counts)


def prune_leaves(tree: Tree, leaves: Sequences[int] | np.ndarray) -> EditedTree:
    """Return the tree without these leaves; inner nodes with one child left are removed, and their lengths add up."""
    gone = np.zeros(len(tree), bool)
    gone[np.asarray(leaves, np.int64)] = True
    left = tree.below((tree.degrees == 0) & ~gone)
    if (gone & (tree.degrees > 0)).any():
        raise InputError(f"{tree.name}: only leaves can be pruned; name the leaves below the inner node")
    if not left[0]:
        raise InputError(f"{tree.name}: pruning would leave no taxon; keep at least one")
    degrees = np.bincount(tree.parents[1:][left[1:] > 0], minlength=len(tree))
    return _contract_tree(tree, (left > 0) & ~((degrees == 1) & (tree.degrees > 1)))


def names_are_values(tree: Tree) -> bool:
    """Return whether the names of inner nodes, where there are some, are all numbers: support values."""
    inner = [tree.names[node] for node in np.flatnonzero(tree.degrees).tolist() if tree.names[node]]
    try:
        return bool(inner) and all(float(name) is not None for name in inner)
    except ValueError:
        return False


def _rebuild_tree(
    tree: Tree, names: Sequences[str], parents: np.ndarray, lengths: np.ndarray, rank: np.ndarray
) -> EditedTree:
    """Return a tree in preorder from nodes in any numbering; nodes beyond those of ``tree`` are new."""
    order = preorder_nodes(parents, rank)
    picked = tuple(names[node] for node in order.tolist())
    origin = np.where(order < len(tree), order, -1)
    parents, values = renumber_parents(parents, order), reorder_values(tree.node_values, origin)
    return EditedTree(Tree(picked, parents, lengths[order], tree.name, tree.source, tree.note, values), origin)


def _contract_tree(tree: Tree, keep: np.ndarray) -> EditedTree:
    """Return the tree of the nodes to keep, each below its nearest kept ancestor; lengths of removed edges add up."""
    numbers = np.arange(len(tree))
    jumps = np.where(keep, numbers, np.maximum(tree.parents, 0))
    known = np.where(keep, 0, ~np.isnan(tree.lengths))
    above = np.where(keep, 0.0, np.nan_to_num(tree.lengths))
    jumps[0] = 0
    known[0] = above[0] = 0
    while not np.array_equal(further := jumps[jumps], jumps):
        above += above[jumps]
        known += known[jumps]
        jumps = further
    kept = np.flatnonzero(keep)
    over = np.maximum(tree.parents[kept], 0)
    lengths = np.nan_to_num(tree.lengths[kept]) + above[over]
    lengths[(known[over] == 0) & np.isnan(tree.lengths[kept])] = np.nan
    place = np.cumsum(keep) - 1
    parents = np.where(keep[jumps[over]] & (kept > 0), place[jumps[over]], -1)
    if not keep[0]:
        lengths[0] = np.nan
    names = tuple(tree.names[node] for node in kept.tolist())
    values = reorder_values(tree.node_values, kept)
    return EditedTree(Tree(names, parents, lengths, tree.name, tree.source, tree.note, values), kept)


def _compose_edits(first: EditedTree, second: EditedTree) -> EditedTree:
    return EditedTree(second.tree, first.origin[second.origin])


def _sum_lengths(lengths: np.ndarray) -> float:
    return float(np.nansum(lengths)) if not np.isnan(lengths).all() else float("nan")
