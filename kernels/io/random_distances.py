"""Distances along random trees, for examples, tests and benchmarks."""

from __future__ import annotations

from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.io.distance_matrix import DistanceMatrix, make_distance_matrix, numbered_names

EDGE_LENGTHS = 0.1, 1.0
"""Bounds of the uniform edge lengths."""
DOUBLE_PRECISION_TAXA = 2**15
"""Taxa up to which distances are float64; those of more taxa are float32, which is exact enough for the noise."""
NOISE = 0.05
"""Standard deviation of the noise of each distance, in parts of it."""
BATCH_ROWS = 64
"""Rows that a thread fills at a time."""
GOLDEN, MIXERS = np.uint64(0x9E3779B97F4A7C15), (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""Constants of the splitmix64 generator (Steele, Lea and Flood 2014)."""


def random_distance_matrix(count: int, random: np.random.Generator) -> DistanceMatrix:
    """Return the distances along a random tree of ``count`` taxa, with 5 % noise on each."""
    dtype = np.float64 if count <= DOUBLE_PRECISION_TAXA else np.float32
    return make_distance_matrix(
        numbered_names(count), additive_distances(count, random, NOISE, dtype), f"random tree of {count:,}"
    )


def additive_distances(
    count: int, random: np.random.Generator, noise: float = 0.0, dtype: Any = np.float64
) -> np.ndarray:
    """Return distances along a random tree of ``count`` leaves, each multiplied by 1 + ``noise`` x a nearly normal
    number.

    Random pairs of clusters are united until one is left; edge lengths are uniform in 0.1 .. 1.
    """
    order, depths, shared = _random_tree(count, random)
    seed, values = np.uint64(random.integers(2**63)), np.empty((count, count), dtype)
    parts = range(0, count, BATCH_ROWS)
    workers.map_on_threads(
        lambda at: fill_rows(at, min(at + BATCH_ROWS, count), order, depths, shared, noise, seed, values), parts
    )
    return values


def _random_tree(count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return leaves in an order that keeps every cluster together, their distances from the root, and shared distances.

    A shared distance is that of the root from the node that separates a leaf from the next one.
    """
    clusters, nodes = [np.array([leaf]) for leaf in range(count)], list(range(count))
    above, parents = np.zeros(max(2 * count - 1, 1)), np.zeros(max(2 * count - 1, 1), np.int64)
    parting = np.zeros(count, np.int64)
    for parent in range(count, 2 * count - 1):
        united = []
        for _ in range(2):
            at = int(random.integers(len(clusters)))
            united.append((clusters.pop(at), nodes.pop(at)))
        for _, node in united:
            above[node], parents[node] = random.uniform(*EDGE_LENGTHS), parent
        parting[united[0][0][-1]] = parent
        clusters.append(np.concatenate([united[0][0], united[1][0]]))
        nodes.append(parent)
    for node in range(2 * count - 3, -1, -1):
        above[node] += above[parents[node]]
    order = clusters[0] if clusters else np.zeros(0, np.int64)
    return order, above[order], above[parting[order[:-1]]]


@cached_njit
def fill_rows(first, last, order, depths, shared, noise, seed, values):
    """Fill the rows of ``values``, (count, count), of the leaves at ``first`` to ``last`` of ``order``.

    Two leaves share the path from the root to the node that separates them: the highest one between them.
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
                    distance *= max(1.0 + noise * normal_noise(leaf, order[other], seed), 0.0)
                values[leaf, order[other]] = distance
                other += step


@inner_njit
def normal_noise(leaf, other, seed):
    """Return a nearly normal number for two leaves in either order: four uniform ones of 16 bits, added and scaled."""
    bits = (np.uint64(min(leaf, other)) << np.uint64(32) | np.uint64(max(leaf, other))) * GOLDEN + seed
    bits = (bits ^ bits >> np.uint64(30)) * MIXERS[0]
    bits = (bits ^ bits >> np.uint64(27)) * MIXERS[1]
    bits ^= bits >> np.uint64(31)
    total = np.int64(0)
    for part in range(4):
        total += np.int64(bits >> np.uint64(16 * part) & np.uint64(0xFFFF))
    return (total - 2 * (2**16 - 1)) * (np.sqrt(3.0) / 2**16)
