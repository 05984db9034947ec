"""Distances along random trees, for examples, tests and benchmarks: one array, however many the taxa."""

from __future__ import annotations

from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.io.distance_matrix import DistanceMatrix, checked, numbered

EDGES = 0.1, 1.0
"""Lengths of edges are uniform between them."""
SMALL = 2**15
"""Taxa up to which distances are float64; of more of them they are float32, which hold the noise as well."""
NOISE = 0.05
"""Standard deviation of the noise of each distance, in parts of it."""
ROWS = 64
"""Rows that a thread makes at a time."""
GOLDEN, MIXERS = np.uint64(0x9E3779B97F4A7C15), (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""Constants of the splitmix64 generator (Steele, Lea and Flood 2014)."""


def generate(count: int, random: np.random.Generator) -> DistanceMatrix:
    """The distances along a random tree of ``count`` taxa, 5 % of noise on each."""
    dtype = np.float64 if count <= SMALL else np.float32
    return checked(numbered(count), additive(count, random, NOISE, dtype), f"random tree of {count:,}")


def additive(count: int, random: np.random.Generator, noise: float = 0.0, dtype: Any = np.float64) -> np.ndarray:
    """Distances along a random tree of ``count`` leaves, each multiplied by 1 + ``noise`` x a nearly normal number.

    Random pairs of clusters are united until one is left; edge lengths are uniform in 0.1 .. 1.
    """
    order, depths, shared = _tree(count, random)
    seed, values = np.uint64(random.integers(2**63)), np.empty((count, count), dtype)
    parts = range(0, count, ROWS)
    workers.each(lambda at: fill_rows(at, min(at + ROWS, count), order, depths, shared, noise, seed, values), parts)
    return values


def _tree(count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Leaves in an order in which every cluster stands together, how far the root is from each, and how far it is from
    the node that parts each from the next one."""
    clusters, nodes = [np.array([leaf]) for leaf in range(count)], list(range(count))
    above, parents = np.zeros(max(2 * count - 1, 1)), np.zeros(max(2 * count - 1, 1), np.int64)
    parting = np.zeros(count, np.int64)
    for parent in range(count, 2 * count - 1):
        united = []
        for _ in range(2):
            at = int(random.integers(len(clusters)))
            united.append((clusters.pop(at), nodes.pop(at)))
        for _, node in united:
            above[node], parents[node] = random.uniform(*EDGES), parent
        parting[united[0][0][-1]] = parent
        clusters.append(np.concatenate([united[0][0], united[1][0]]))
        nodes.append(parent)
    for node in range(2 * count - 3, -1, -1):
        above[node] += above[parents[node]]
    order = clusters[0] if clusters else np.zeros(0, np.int64)
    return order, above[order], above[parting[order[:-1]]]


@compiled
def fill_rows(first, last, order, depths, shared, noise, seed, values):
    """Fill the rows of ``values``, (count, count), of the leaves at ``first`` to ``last`` of ``order``.

    Two leaves share the way from the root to the node that parts them: the one nearest to the root between them.
    """
    for at in range(first, last):
        leaf = order[at]
        values[leaf, leaf] = 0.0
        for step in (-1, 1):
            both, other = np.inf, at + step
            while 0 <= other < order.size:
                both = min(both, shared[min(other, other - step)])
                distance = depths[at] + depths[other] - 2.0 * both
                if noise > 0.0:
                    distance *= max(1.0 + noise * normal(leaf, order[other], seed), 0.0)
                values[leaf, order[other]] = distance
                other += step


@compiled
def normal(leaf, other, seed):
    """A nearly normal number for two leaves, whichever comes first: four uniform ones of 16 bits, added and scaled."""
    bits = (np.uint64(min(leaf, other)) << np.uint64(32) | np.uint64(max(leaf, other))) * GOLDEN + seed
    bits = (bits ^ bits >> np.uint64(30)) * MIXERS[0]
    bits = (bits ^ bits >> np.uint64(27)) * MIXERS[1]
    bits ^= bits >> np.uint64(31)
    total = np.int64(0)
    for part in range(4):
        total += np.int64(bits >> np.uint64(16 * part) & np.uint64(0xFFFF))
    return (total - 2 * (2**16 - 1)) * (np.sqrt(3.0) / 2**16)
