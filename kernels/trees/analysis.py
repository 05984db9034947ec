"""What 004 (section 4) says of neighbor joining, and what distances take at least, as models.

n are the taxa, p the workers, b the side of a block of pairs.
"""

from __future__ import annotations

from math import ceil

from antidiag.kernels.analysis import OWN_ESTIMATE, Model, Parameters, least, of_a_worker, operations, traffic
from antidiag.kernels.trees import sizes
from antidiag.kernels.trees.distances import sizes as distance_sizes
from antidiag.kernels.trees.problem import TreeProblem

SECTION = "004, section 4"
DISTANCE_BYTES = 4
OF_A_PAIR = {"cpu": 3.0, "cuda": 3.0}
"""A pair of clusters: two sums that are subtracted, and a comparison."""


def pairs_read(problem: TreeProblem, parameters: Parameters) -> float:
    """Bytes of all distances that are compared, once at every join."""
    return float(DISTANCE_BYTES * sizes.full_work(problem, parameters))


def matrix_read(problem: TreeProblem, parameters: Parameters) -> float:
    """Bytes of the distances of all pairs, read once."""
    return float(DISTANCE_BYTES * problem.taxa * (problem.taxa - 1) // 2)


def block_rounds(problem: TreeProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Pairs that a worker compares one after another, block by block, at all joins."""
    side = sizes.block_side(parameters)
    found = 0.0
    for clusters in range(problem.taxa, 2, -max(problem.taxa // 256, 1)):  # at 256 of the joins, which stand for all
        across = ceil(clusters / side)
        blocks = across * (across + 1) / 2
        pairs = min(side, clusters) ** 2
        found += ceil(blocks / workers) * pairs * max(problem.taxa // 256, 1)
    return found


SERIAL = (
    operations(sizes.full_work, OF_A_PAIR, SECTION, "those of all pairs at every join, n^3 / 6 in all"),
    of_a_worker(sizes.full_work, "004, section 2.1", "Pairs at every join, n^3 / 6 in all"),
    traffic(pairs_read, SECTION, "Bytes of the distances that are compared, once at every join."),
)
BLOCKS = (
    *SERIAL,
    Model("rounds", "Pairs of a worker, in blocks", "steps",
          "Blocks of b x b pairs one after another, in rounds of as many as there are workers, at all joins.",
          "004, section 4.2", block_rounds, grows_with_time=True),
)  # fmt: skip
ONCE = (
    operations(lambda problem, parameters: problem.taxa * (problem.taxa - 1) / 2, OF_A_PAIR, SECTION,
               "those of all pairs, each compared once: how often it is, the distances decide"),
    traffic(matrix_read, SECTION, "Bytes of the distances of all pairs, read once, which is the least."),
)  # fmt: skip


ALIGNED_PAIRS = least(distance_sizes.work, "004, section 2.1", "cells of all pairs", {"cpu": 4.5, "cuda": 5.5})
"""By 16-bit lanes on a CPU, two of which are one of 32 bits."""
PAIRS = least(lambda problem, parameters: max(problem.pairs, 1), "004, section 2.1", "pairs of sequences")
"""Those of words: how much a pair takes, its words decide."""
COLUMNS = least(distance_sizes.work, OWN_ESTIMATE, "columns of all pairs of rows", {"cpu": 0.25, "cuda": 0.25})
"""Letters are compared four to a lane."""
