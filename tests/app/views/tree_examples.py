"""Trees, distances and results of small problems, from the textbook method, for the tests of the views of trees."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint

from antidiag.app.kit.tree.visible_branches import node_pixels
from antidiag.app.views.tree.tree_view import TreeView
from antidiag.kernels.io import newick
from antidiag.kernels.io.distance_matrix import DistanceMatrix, make_distance_matrix
from antidiag.kernels.io.random_distances import additive_distances
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees import reference
from antidiag.kernels.trees.problem import TreeProblem

NEWICK = "(((cat:1,dog:2)90:1,(cow:1.5,'sea lion':1)70:2)80:1,(hen:3,(newt:2,frog:1)95:0.5)85:1);"
"""The same shape at both sides; 7 taxa, with support values."""

NAMES = ("ant", "bee", "cow", "dog", "eel", "fox", "gnu", "hen", "ibis")


def tree() -> Tree:
    return newick.parse_newick(NEWICK, name="animals")[0]


def matrix(taxa: int = 6, seed: int = 1) -> DistanceMatrix:
    values = additive_distances(taxa, np.random.default_rng(seed), 0.1)
    return make_distance_matrix(NAMES[:taxa], values, "little matrix")


def result(taxa: int = 6, **changes: Any) -> Result:
    """Neighbor joining of a small matrix."""
    problem = TreeProblem(matrix(taxa))
    values: dict[str, Any] = {
        "method": "nj-serial",
        "problem": problem,
        "parameters": {},
        "backend": "cpu",
        "device": "Test processor",
        "answer": reference.neighbor_joining(problem),
        "times_ms": {"joins": 1.0},
        "host_bytes": 1000,
        "device_bytes": 0,
        "started": datetime(2025, 3, 4, 12, 4, tzinfo=UTC),
        "versions": {"python": "3.11.2"},
        "notes": (),
        "steps": StepLog(),
    }
    return Result(**{**values, **changes})


def node(view: TreeView, *taxa: str) -> int:
    """The node of the tree in a view that has just these taxa below it."""
    shown = view.tree
    for number in range(len(shown)):
        leaves = shown.leaves[(shown.leaves >= number) & (shown.leaves < shown.ends[number])]
        if {shown.names[leaf] for leaf in leaves.tolist()} == set(taxa):
            return number
    raise AssertionError(f"no clade of {taxa}")


def pixel(view: TreeView, number: int) -> QPoint:
    """Where a node is on the canvas."""
    x, y = node_pixels(view.canvas.picture.layout, view.canvas.frame, np.array([number]))
    return QPoint(round(float(x[0])), round(float(y[0])))


def action(menu, text: str):
    """Return the entry of a menu with a text."""
    found = [entry for entry in menu.actions() if entry.text().split("\t")[0] == text]
    assert found, [entry.text() for entry in menu.actions()]
    return found[0]
