"""Textbook neighbor joining and UPGMA: short, slow, and easy to trust.

Clusters are in slots, which are the taxa at first. Of the pairs with the smallest criterion the one is joined whose
greater slot is the smallest, then whose smaller slot is; the new cluster takes the smaller slot. These are the first
pairs that the loops of figure 2 of Liu, Schmidt and Maskell (2009) meet.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.trees.joining.tree_from_joins import RECORD, make_joined_tree, make_upgma_tree, working_matrix
from antidiag.kernels.trees.problem import TreeAnswer, TreeProblem


def neighbor_joining(problem: TreeProblem) -> TreeAnswer:
    """Return the tree of Saitou and Nei (1987), by the criterion of Studier and Keppler (1988)."""
    taxa, D = problem.taxa, working_matrix(problem)
    S = np.array([_lane_sum(row.astype(np.float64)) for row in D])
    node, slots = list(range(taxa)), list(range(taxa))
    joins, records = np.empty((max(taxa - 3, 0), 2), np.int32), np.empty((max(taxa - 3, 0), RECORD))
    for step in range(taxa - 3):
        r = len(slots)
        pairs = [(j, i) for j in slots for i in slots if i < j]
        j, i = min(pairs, key=lambda pair: ((r - 2) * float(D[pair]) - (S[pair[0]] + S[pair[1]]), *pair))
        between = float(D[i, j])
        joins[step], records[step] = (node[i], node[j]), (between, S[i], S[j])
        new_sum = 0.5 * ((S[i] + S[j]) - r * between)
        slots.remove(j)
        for k in slots:
            if k != i:
                both = float(D[i, k]) + float(D[j, k])
                D[i, k] = D[k, i] = 0.5 * (both - between)
                S[k] = (S[k] - both) + float(D[i, k])
        S[i], node[i] = new_sum, taxa + step
    return make_joined_tree(problem, joins, records, np.array([node[slot] for slot in slots]), D[np.ix_(slots, slots)])


def _lane_sum(row: np.ndarray) -> float:
    """Return a row's sum in the order of `cpu_serial.sum_rows`."""
    lanes = np.zeros(32)
    for column, value in enumerate(row):
        lanes[column % 32] += value
    for half in (16, 8, 4, 2, 1):
        lanes[:half] += lanes[half : 2 * half]
    return float(lanes[0])


def textbook_upgma(problem: TreeProblem) -> TreeAnswer:
    """Return the tree of Sokal and Michener (1958): the height of a join is half the distance of its two clusters."""
    taxa, D = problem.taxa, working_matrix(problem)
    node, size, slots = list(range(taxa)), [1] * taxa, list(range(taxa))
    joins, heights = [], []
    for step in range(taxa - 1):
        j, i = min(((j, i) for j in slots for i in slots if i < j), key=lambda pair: (float(D[pair]), *pair))
        joins.append((node[i], node[j]))
        heights.append(float(D[i, j]) / 2)
        slots.remove(j)
        for k in slots:
            if k != i:
                mean = (size[i] * float(D[i, k]) + size[j] * float(D[j, k])) / (size[i] + size[j])
                D[i, k] = D[k, i] = mean
        size[i], node[i] = size[i] + size[j], taxa + step
    return make_upgma_tree(problem, np.array(joins, np.int32).reshape(-1, 2), np.array(heights))
