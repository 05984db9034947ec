"""Distances along random trees, for examples, tests and benchmarks: one array, however many the taxa."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernels.cpu import workers
from kernels.io.distance_matrix import DistanceMatrix, checked, numbered

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
    seed, values = int(random.integers(2**63)), np.empty((count, count), dtype)

    def fill(first: int) -> None:
        for at in range(first, min(first + ROWS, count)):
            row = depths[at] + depths - 2 * _shared_with(shared, at)
            row[at] = 0.0
            if noise:
                row *= np.maximum(1 + noise * _normal(order[at], order, seed), 0.0)
            values[order[at], order] = row

    workers.each(fill, range(0, count, ROWS))
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


def _shared_with(shared: np.ndarray, at: int) -> np.ndarray:
    """How far the root is from the node that parts a leaf from each other one: the nearest on the way between them."""
    found = np.zeros(shared.size + 1)
    found[at + 1 :] = np.minimum.accumulate(shared[at:])
    found[:at] = np.minimum.accumulate(shared[:at][::-1])[::-1]
    return found


def _normal(leaf: int, others: np.ndarray, seed: int) -> np.ndarray:
    """A number for each pair, whichever of the two comes first: four uniform ones of 16 bits, added and scaled."""
    low, high = np.minimum(leaf, others).astype(np.uint64), np.maximum(leaf, others).astype(np.uint64)
    bits = (low << np.uint64(32) | high) * GOLDEN + np.uint64(seed)
    for shift, mixer in zip((30, 27), MIXERS, strict=True):
        bits = (bits ^ bits >> np.uint64(shift)) * mixer
    bits ^= bits >> np.uint64(31)
    parts = np.ascontiguousarray(bits).view(np.uint16).reshape(-1, 4).sum(1, dtype=np.int64)
    return (parts - 2 * (2**16 - 1)) * (np.sqrt(3.0) / 2**16)
